"""`local:NAME`: a small real model in this process, with no network, by llama.cpp."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assistants.base import MODELS
from assistants.chat_format import ToolNames, user_text
from assistants.completions_api import Completions
from assistants.extraction import excerpts
from assistants.json_steps import MODE, NATIVE, read_step, step_messages, step_schema
from assistants.model_options import TOOLS, split_name
from assistants.models import needle, weights
from assistants.prompts import READ, SHORT_READ
from tracer.errors import EndpointError, InputError
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool
from tracer.registry import missing_extra

CONTEXT_TOKENS = 4_096
READER_WORDS = 200
"""Most words of documents in one prompt, which has about 600 tokens then."""
ANSWER_TOKENS = 64
CALL_TOKENS = 256
GGUF = ".gguf"
_TOOLS = {"tools": tuple(reversed(TOOLS["tools"]))}
"""By a schema where nothing is said: small models know no tools."""


@MODELS.add("local")
def local_model(
    argument: str,
    *,
    folders: Sequence[Path] = (),
    threads: int = 1,
    temperature: float = 0.0,
    unverified_native: bool = False,
) -> ChatModel:
    """The embedded model called `argument`.

    Args:
        argument: Name of the weights, such as `smollm2`, or a GGUF file of your own. For a file
            `FILE.gguf?tools=native` hands the model the tools in its own form.
        folders: Where weights are looked for before installed packages.
        threads: Of the CPU; with more than one a busy machine slows down many times over.
        temperature: Of sampling.
        unverified_native: Allow native code that could not be matched to its publisher.

    Raises:
        InputError: There is no such model, or it asks for what was not allowed.
        ModelWeightsMissingError: Its weights are not on this machine, or are not the known ones.
        MissingExtraError: The package `xllamacpp` is not installed.
    """
    if argument.partition("?")[0] == needle.NAME:
        return needle.needle_model(folders, allowed=unverified_native)
    name, options = split_name("local", argument, _TOOLS)
    if name.endswith(GGUF):
        path = Path(name).expanduser()
        source = weights.own_file(path)
        name = path.stem
    else:
        path, source = _known(name, options["tools"], folders)
    return LocalModel(name, source, _server(name, path, threads), temperature, options["tools"])


def _known(name: str, tools: str, folders: Sequence[Path]) -> tuple[Path, ModelSource]:
    names = [known.name for known in weights.known() if known.role == "reader"]
    if name not in names:
        raise InputError(
            f"model 'local:{name}': known local models: {', '.join(names)}; a model of your own is "
            f"local:PATH{GGUF}"
        )
    if tools == NATIVE:
        raise InputError(
            f"model 'local:{name}?tools={NATIVE}': its prompt format has no tools; "
            "leave the option out"
        )
    found = weights.require(name, folders)
    return found.path, found.source


def _server(name: str, path: Path, threads: int) -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise missing_extra("xllamacpp", "local", f"the model 'local:{name}'") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    # Without an alias the replies name the file's path.
    parameters.model_alias = {name}
    parameters.verbosity = -1
    parameters.ui = False
    # The server also listens on a loopback port; nobody else is to use it.
    parameters.api_keys = [secrets.token_urlsafe(24)]
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise InputError(f"{path}: llama.cpp cannot load it ({error})") from error


class LocalModel:
    """Reads short prompts; calls tools by output that a grammar holds to a schema."""

    def __init__(
        self, name: str, source: ModelSource, server: Any, temperature: float, tool_call_mode: str
    ) -> None:
        self.name = f"local:{name}"
        self.source = source
        self.tool_call_mode = tool_call_mode
        self.answer_tokens = ANSWER_TOKENS
        self._server = server
        self._temperature = temperature
        self._seed = 0

    @property
    def settings(self) -> Mapping[str, Json]:
        """What the next request asks for."""
        return {"temperature": self._temperature, "seed": self._seed}

    def reseed(self, seed: int) -> None:
        """Sample with this seed from now on."""
        self._seed = seed % 2**31

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The model's next message; with tools, one call or an answer in the same JSON form.

        Raises:
            EndpointError: The model's server answers with an error.
        """
        names = ToolNames([tool.name for tool in tools])
        stepwise = bool(tools) and self.tool_call_mode == MODE
        shown = step_messages(messages, tools, brief=True) if stepwise else messages
        request = Completions().request(
            [_short(message) for message in shown],
            () if stepwise else tools,
            names,
            schema=step_schema(tools) if stepwise else None,
            budget_words=READER_WORDS,
        )
        request |= {
            "temperature": self._temperature,
            "seed": self._seed,
            "max_tokens": CALL_TOKENS if tools else self.answer_tokens,
            # What two prompts share at their start is not read twice.
            "cache_prompt": True,
        }
        reply = Completions().reply(_objects(self._ask(request)), names)
        if not stepwise:
            return reply
        message = read_step(reply.message.content, reply.response_id)
        reason = "tool_calls" if message.tool_calls else reply.finish_reason
        return replace(reply, message=message, finish_reason=reason)

    def _ask(self, request: dict[str, Json]) -> dict[str, Json]:
        try:
            answer: dict[str, Json] = self._server.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            raise EndpointError(f"model {self.name!r}: {error}") from error
        if "choices" not in answer:
            raise EndpointError(f"model {self.name!r}: {answer.get('error', answer)}")
        return answer


def _short(message: Message) -> Message:
    """A message in few tokens: a short prompt, the sentences of documents that matter."""
    if message.role == "system":
        if message.content.startswith(READ.text.split("{briefing}")[0].strip()[:80]):
            before = READ.text.split("{briefing}")[0].strip()
            return replace(
                message, content=SHORT_READ.fill(message.content.removeprefix(before).strip())
            )
        return message
    if not message.documents:
        return message
    shown = excerpts(message.content, message.documents, budget_words=READER_WORDS)
    short = replace(message, documents=tuple(shown))
    return Message(message.role, user_text(short, budget_words=READER_WORDS))


def _objects(value: Json) -> Any:
    """JSON as objects whose attributes are there to be asked for, as a client would give them."""
    if isinstance(value, Mapping):
        fields = {str(key): _objects(one) for key, one in value.items()}
        return SimpleNamespace(**{"content": None, "tool_calls": None, **fields})
    return [_objects(one) for one in value] if isinstance(value, list) else value
