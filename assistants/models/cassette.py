"""`cassette:FILE`: the replies of an earlier run, found by their requests; and the recorder."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from assistants.base import MODELS, Noting, Patient, Seeded
from tracer.errors import InputError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool

HEAD = "stagetrace_cassette"
VERSION = 1


@MODELS.add("cassette")
def cassette(argument: str) -> ChatModel:
    """The model that gives the replies a file holds.

    Raises:
        InputError: The file cannot be read, or is no cassette.
    """
    path = Path(argument)
    try:
        lines = [json_value(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        heads = [line for line in lines if HEAD in line]
        replies: dict[str, list[Reply]] = defaultdict(list)
        for line in lines:
            if HEAD not in line:
                replies[line["request"]].append(msgspec.convert(line["reply"], Reply))
        source = msgspec.convert(heads[0]["source"], ModelSource)
        told = f"recorded replies of {heads[0]['model']} ({source.source})"
    except (
        *(OSError, ValueError, KeyError, TypeError, IndexError),
        msgspec.ValidationError,
    ) as error:
        raise InputError(
            f"cassette {argument!r} cannot be read ({type(error).__name__}: {error}); make one by: "
            "stagetrace run SUITE --model MODEL --record FILE"
        ) from error
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Cassette(argument, ModelSource("stagetrace", told, digest), replies)


def is_cassette(path: Path) -> bool:
    """Whether a file begins as a cassette does."""
    try:
        with path.open(encoding="utf-8") as file:
            return HEAD in file.readline()
    except (OSError, UnicodeDecodeError):
        return False


class Cassette:
    """Gives to each request the reply it had; to the same one again, the next one it had."""

    def __init__(self, file: str, source: ModelSource, replies: Mapping[str, list[Reply]]) -> None:
        self.name = f"cassette:{file}"
        self.source = source
        self._replies = replies
        self._given: dict[str, int] = defaultdict(int)
        self._seed = 0

    def reseed(self, seed: int) -> None:
        """Look for replies to requests with this seed; the same ones are given again."""
        self._seed = seed
        self._given.clear()

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The reply that was recorded.

        Raises:
            InputError: This request was never made.
        """
        digest = request_digest(messages, tools, self._seed)
        known = self._replies.get(digest)
        if not known:
            raise InputError(
                f"{self.name}: no reply to this request ({digest[:12]}) was recorded; items, "
                "wordings, prompts, documents, tools and --seed must be those of the recorded run; "
                "record it anew by --record FILE"
            )
        place = min(self._given[digest], len(known) - 1)
        self._given[digest] += 1
        return known[place]


class Recording:
    """A model whose replies are kept in a cassette, one flushed line each."""

    def __init__(self, model: ChatModel, path: Path) -> None:
        self.name = model.name
        self.source = model.source
        self.tool_call_mode = getattr(model, "tool_call_mode", None)
        self._model = model
        self._path = path
        self._seed = 0

    @property
    def settings(self) -> Mapping[str, Json]:
        """What the model's next request asks for."""
        found: Mapping[str, Json] = getattr(self._model, "settings", {})
        return found

    @property
    def retries(self) -> int:
        """Times the model has asked again."""
        return self._model.retries if isinstance(self._model, Patient) else 0

    @property
    def on_wait(self) -> Callable[[str], None] | None:
        """Told why the model waits."""
        return self._model.on_wait if isinstance(self._model, Patient) else None

    @on_wait.setter
    def on_wait(self, told: Callable[[str], None] | None) -> None:
        if isinstance(self._model, Patient):
            self._model.on_wait = told

    @property
    def on_event(self) -> Callable[[str, Mapping[str, Json]], None] | None:
        """Told what happens while the model is asked."""
        return self._model.on_event if isinstance(self._model, Noting) else None

    @on_event.setter
    def on_event(self, told: Callable[[str, Mapping[str, Json]], None] | None) -> None:
        if isinstance(self._model, Noting):
            self._model.on_event = told

    def reseed(self, seed: int) -> None:
        """Pass the seed on."""
        self._seed = seed
        if isinstance(self._model, Seeded):
            self._model.reseed(seed)

    def close(self) -> None:
        """Let go of the model's connections, if it has any."""
        close = getattr(self._model, "close", None)
        if close is not None:
            close()

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The model's reply, once it is written down."""
        reply = self._model.chat(messages, tools)
        line = {
            "request": request_digest(messages, tools, self._seed),
            "reply": dataclasses.asdict(reply),
        }
        _append(self._path, line)
        return reply


def begin(path: Path, model: ChatModel) -> None:
    """Make a new cassette.

    Raises:
        InputError: The file is there already, cannot be made, or the model is a program.
    """
    if model.source.baseline:
        raise InputError(f"--record: {model.name!r} is a program, it costs nothing to run again")
    head = {HEAD: VERSION, "model": model.name, "source": dataclasses.asdict(model.source)}
    try:
        path.touch(mode=0o600, exist_ok=False)
    except OSError as error:
        raise InputError(
            f"--record {path}: {error.strerror}; name a file that is not there yet"
        ) from error
    _append(path, head)


def _append(path: Path, line: Mapping[str, Json]) -> None:
    # One write of one line, so that several workers may write to the same file.
    with path.open("ab", buffering=0) as file:
        file.write((json.dumps(line, ensure_ascii=True) + "\n").encode())


def request_digest(messages: Sequence[Message], tools: Sequence[Tool], seed: int) -> str:
    """Digest of all that a model is asked; ids of calls, which endpoints make up, are left out."""
    asked: list[Json] = [
        [
            message.role,
            message.content,
            [[passage.doc_id, passage.text] for passage in message.documents],
            [[call.name, call.arguments, call.raw] for call in message.tool_calls],
        ]
        for message in messages
    ]
    offered: list[Json] = [[t.name, t.description, dict(t.parameters)] for t in tools]
    text = json.dumps([asked, offered, seed], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
