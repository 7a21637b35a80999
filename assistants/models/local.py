"""`local:NAME`: a small real model in this process, with no network, by llama.cpp."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistants.base import MODELS
from assistants.chat_format import arguments_text, user_text
from assistants.extraction import excerpts
from assistants.models import weights
from assistants.prompts import ACT, CHOOSE, READ, SHORT_READ
from tracer.errors import EndpointError, InputError
from tracer.protocols import ChatModel
from tracer.records import Json, Message, Reply, Tool, ToolCall
from tracer.registry import missing_extra

CONTEXT_TOKENS = 4_096
READER_WORDS = 200
"""Most words of documents in one prompt, which has about 600 tokens then."""
ANSWER_TOKENS = 64
CALL_TOKENS = 256
MODE = "json_schema"
"""How calls are asked for: the model knows no tools, so its output is held to a JSON Schema."""


@MODELS.add("local")
def local_model(
    argument: str, *, folders: Sequence[Path] = (), threads: int = 1, temperature: float = 0.0
) -> ChatModel:
    """The embedded model called `argument`.

    Args:
        argument: Name of the weights, such as `smollm2`.
        folders: Where weights are looked for before installed packages.
        threads: Of the CPU; with more than one a busy machine slows down many times over.
        temperature: Of sampling.

    Raises:
        InputError: There is no such model.
        ModelWeightsMissingError: Its weights are not on this machine, or are not the known ones.
        MissingExtraError: The package `xllamacpp` is not installed.
    """
    names = [known.name for known in weights.known() if known.role == "reader"]
    if argument not in names:
        raise InputError(f"model 'local:{argument}': known local models: {', '.join(names)}")
    found = weights.require(argument, folders)
    return LocalModel(found, _server(found, threads), temperature)


def _server(found: weights.Found, threads: int) -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise missing_extra(
            "xllamacpp", "local", f"the model 'local:{found.weights.name}'"
        ) from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(found.path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    # Without an alias the replies name the file's path.
    parameters.model_alias = {found.weights.name}
    parameters.verbosity = -1
    parameters.ui = False
    # The server also listens on a loopback port; nobody else is to use it.
    parameters.api_keys = [secrets.token_urlsafe(24)]
    return xllamacpp.Server(parameters)


class LocalModel:
    """Reads short prompts; calls tools by output that a grammar holds to a schema."""

    def __init__(self, found: weights.Found, server: Any, temperature: float) -> None:
        self.name = f"local:{found.weights.name}"
        self.source = found.source
        self.tool_call_mode = MODE
        self.answer_tokens = ANSWER_TOKENS
        self._server = server
        self._temperature = temperature
        self._seed = 0

    def reseed(self, seed: int) -> None:
        """Sample with this seed from now on."""
        self._seed = seed % 2**31

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The model's next message; with tools, one call or an answer in the same JSON form.

        Raises:
            EndpointError: The model's server answers with an error.
        """
        request: dict[str, Json] = {
            "messages": _prompt(messages, tools),
            "temperature": self._temperature,
            "seed": self._seed,
            "max_tokens": CALL_TOKENS if tools else self.answer_tokens,
            # What two prompts share at their start is not read twice.
            "cache_prompt": True,
        }
        if tools:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "step", "schema": step_schema(tools)},
            }
        answer = self._ask(request)
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        text = str(choice["message"].get("content") or "")
        finish = str(choice.get("finish_reason") or "stop")
        message = _step(text, answer.get("id", "")) if tools else Message("assistant", text)
        return Reply(
            message,
            finish_reason="tool_calls" if message.tool_calls else finish,
            input_tokens=usage.get("prompt_tokens"),
            output_tokens=usage.get("completion_tokens"),
            response_id=str(answer.get("id") or ""),
            model=str(answer.get("model") or ""),
        )

    def _ask(self, request: dict[str, Json]) -> dict[str, Json]:
        try:
            answer: dict[str, Json] = self._server.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            raise EndpointError(f"model {self.name!r}: {error}") from error
        if "choices" not in answer:
            raise EndpointError(f"model {self.name!r}: {answer.get('error', answer)}")
        return answer


def _prompt(messages: Sequence[Message], tools: Sequence[Tool]) -> list[dict[str, Json]]:
    """Plain chat messages: short prompt, documents before the question, tool results as text."""
    lines: list[dict[str, Json]] = []
    for message in messages:
        if message.role == "system":
            lines.append({"role": "system", "content": _short(message.content, tools)})
        elif message.role == "tool":
            lines.append({"role": "user", "content": f"{message.name} returned: {message.content}"})
        else:
            calls = "".join(
                f'{{"tool": "{call.name}", "arguments": {arguments_text(call)}}}'
                for call in message.tool_calls
            )
            shown = excerpts(message.content, message.documents, budget_words=READER_WORDS)
            text = user_text(replace(message, documents=tuple(shown)), budget_words=READER_WORDS)
            lines.append({"role": message.role, "content": calls or text})
    return lines


def _short(system: str, tools: Sequence[Tool]) -> str:
    """A prompt in few tokens in the place of the long one; other prompts stay as they are."""
    if tools:
        described = "\n".join(
            f"- {tool.name}({', '.join(tool.parameters.get('properties') or {})}): "
            f"{tool.description.splitlines()[0] if tool.description else ''}"
            for tool in tools
        )
        return CHOOSE.fill(described) + "\n" + _after(ACT.text, system)
    if system.startswith(READ.text.split("{briefing}")[0].strip()[:80]):
        return SHORT_READ.fill(_after(READ.text, system))
    return system


def _after(template: str, filled: str) -> str:
    """What was put in the place of the briefing."""
    before = template.split("{briefing}")[0].strip()
    return filled.removeprefix(before).strip()


def step_schema(tools: Sequence[Tool]) -> dict[str, Json]:
    """The schema of one step: a call of any of the tools, or an answer.

    Example:
        >>> tool = Tool("find", "Find.", {"type": "object", "properties": {}}, False, print)
        >>> [sorted(choice["properties"]) for choice in step_schema([tool])["anyOf"]]
        [['arguments', 'tool'], ['answer', 'tool']]
    """
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": dict(tool.parameters)},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    answer = {
        "type": "object",
        "properties": {"tool": {"const": "none"}, "answer": {"type": "string"}},
        "required": ["tool", "answer"],
        "additionalProperties": False,
    }
    return {"anyOf": [*calls, answer]}


def _step(text: str, response_id: str) -> Message:
    """The text of a step as a message; text that was cut off is a call that cannot be read."""
    try:
        step = json.loads(text)
    except ValueError:
        return Message("assistant", tool_calls=(ToolCall("", None, response_id, raw=text),))
    if step.get("tool") == "none":
        return Message("assistant", str(step.get("answer", "")))
    call = ToolCall(str(step.get("tool", "")), step.get("arguments") or {}, response_id)
    return Message("assistant", tool_calls=(call,))
