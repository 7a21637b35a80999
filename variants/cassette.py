"""A chat model whose answers are kept in a file, so that a set of variants can be made again."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path

from tracer.errors import VariantError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Message, Reply, Tool


class Cassette:
    """Plays stored answers, and asks the model for those that are not stored yet.

    Equal messages with an equal seed have one answer. Answers are appended as they come.

    Args:
        model: What is asked; it bears the cassette's name.
        path: A file of JSON lines; it is made when it is not there.

    Raises:
        VariantError: The file cannot be read or a line is no answer.
    """

    def __init__(self, model: ChatModel, path: Path) -> None:
        self.name = model.name
        self.source = model.source
        self._model = model
        self._path = path
        self._seed = 0
        self._lock = threading.Lock()
        self._answers = _read(path, model.name)

    def __copy__(self) -> Cassette:
        """A cassette with a seed of its own and the same answers."""
        other = object.__new__(Cassette)
        other.__dict__.update(self.__dict__)
        return other

    def reseed(self, seed: int) -> None:
        """Take this seed for the next question."""
        self._seed = seed

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The stored answer, else the model's, which is then stored.

        Raises:
            EndpointError: The model cannot be asked.
        """
        key = _key(messages, self._seed)
        with self._lock:
            stored = self._answers.get(key)
            if stored is None:
                # One at a time: the model's seed must not change between here and its answer.
                reseed = getattr(self._model, "reseed", None)
                if callable(reseed):
                    reseed(self._seed)
                reply = self._model.chat(messages, tools)
                stored = self._answers[key] = reply.message.content
                line = {"model": self.name, "key": key, "content": stored}
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        return Reply(Message("assistant", stored))


def _key(messages: Sequence[Message], seed: int) -> str:
    text = json.dumps([seed, *([message.role, message.content] for message in messages)])
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path, model: str) -> dict[str, str]:
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VariantError(f"{path}: no readable cassette: {error}") from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json_value(line)
            if row["model"] == model:
                found[str(row["key"])] = str(row["content"])
        except (ValueError, KeyError, TypeError) as error:
            raise VariantError(
                f"{path}:{number}: no stored answer; delete the line, it is asked for again"
            ) from error
    return found
