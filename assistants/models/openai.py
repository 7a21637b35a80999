"""`openai:NAME`: any model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from assistants.base import MODELS
from assistants.chat_format import ToolNames, read_call, wire_messages, wire_tools
from tracer.errors import EndpointError, InputError
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool
from tracer.registry import missing_extra

ATTEMPTS = 5
"""Times a request is sent before the endpoint counts as down."""
LONGEST_WAIT_S = 30.0
TIMEOUT_S = 120.0
BUDGET_WORDS = 4_000
"""Most words of documents in one prompt."""
_RETRIED = frozenset((408, 409, 429, 500, 502, 503, 504))
RETRY_EVENT = "stagetrace.model.retry"
REFUSED_EVENT = "stagetrace.model.parameter_refused"
_OPTIONAL = ("temperature", "seed", "stream_options")
"""Parameters that a model may refuse and that can be left out."""
_METADATA = frozenset(("metadata.google.internal", "metadata", "instance-data"))
_METADATA_ADDRESSES = frozenset(("fd00:ec2::254", "100.100.100.200"))


@MODELS.add("openai")
def openai_model(
    argument: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    temperature: float = 0.0,
    timeout_s: float = TIMEOUT_S,
    longest_wait_s: float = LONGEST_WAIT_S,
) -> ChatModel:
    """The model `argument` at an endpoint that speaks OpenAI's chat completions.

    Args:
        argument: The model's name, as the endpoint knows it; `NAME?stream=on` has it answer piece
            by piece.
        base_url: Address of the endpoint; None for OpenAI's own.
        api_key: Sent to that address only; None for endpoints that ask for none.
        temperature: Of sampling.
        timeout_s: Of one request.
        longest_wait_s: Between two attempts.

    Raises:
        InputError: No model is named, or the address may not be used.
        MissingExtraError: The packages `openai` or `tenacity` are not installed.
    """
    if not argument:
        raise InputError("model 'openai' needs the name of a model: openai:NAME")
    argument, stream = _split(argument)
    if base_url is None and api_key is None:
        raise InputError(
            f"model 'openai:{argument}': neither OPENAI_BASE_URL nor OPENAI_API_KEY is set; "
            "set the first for an endpoint of your own, the second for OpenAI's"
        )
    host = check_address(base_url) if base_url else "api.openai.com"
    client = _client(base_url, api_key or "none", timeout_s)
    return OpenAIModel(argument, client, host, temperature, longest_wait_s, stream=stream)


def _split(argument: str) -> tuple[str, bool]:
    """Name of the model, and whether it is to answer piece by piece."""
    name, mark, option = argument.partition("?")
    if mark and option not in ("stream=on", "stream=off"):
        raise InputError(f"model 'openai:{argument}': after the name only ?stream=on or off")
    return name, option == "stream=on"


def check_address(base_url: str) -> str:
    """The host and port of an endpoint's address.

    Raises:
        InputError: It is not http or https, or it is a link-local or metadata address, which hands
            out a machine's secrets to whoever asks.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"endpoint {base_url!r}: the address must begin with http:// or https://")
    if parts.username or parts.password:
        raise InputError("the endpoint's address holds a password; give it as OPENAI_API_KEY")
    host = parts.hostname.lower().rstrip(".")
    if host in _METADATA or any(_refused(address) for address in _addresses(host)):
        raise InputError(
            f"endpoint {base_url!r}: link-local and metadata addresses are refused; "
            "name the endpoint's own address"
        )
    return parts.netloc


def _addresses(host: str) -> list[str]:
    try:
        return [str(info[4][0]) for info in socket.getaddrinfo(host, None)]
    except (OSError, UnicodeError):
        # A name that cannot be looked up is found out by the first request.
        return []


def _refused(address: str) -> bool:
    plain = ipaddress.ip_address(address.split("%")[0])
    mapped = plain.ipv4_mapped if isinstance(plain, ipaddress.IPv6Address) else None
    shown = mapped or plain
    return shown.is_link_local or shown.is_multicast or str(shown) in _METADATA_ADDRESSES


def _client(base_url: str | None, api_key: str, timeout_s: float) -> Any:
    try:
        import openai
    except ImportError as error:
        raise missing_extra("openai", "agents", "the model 'openai:NAME'") from error
    return openai.OpenAI(
        base_url=base_url,
        api_key=api_key,
        timeout=timeout_s,
        max_retries=0,
        # A redirect could carry the key to another host.
        http_client=openai.DefaultHttpxClient(follow_redirects=False),
    )


class OpenAIModel:
    """Asks the endpoint, and asks again when it is busy, broken or gone for a moment."""

    def __init__(
        self,
        model: str,
        client: Any,
        host: str,
        temperature: float,
        longest_wait_s: float,
        *,
        stream: bool = False,
    ) -> None:
        self.name = f"openai:{model}"
        self.source = ModelSource("openai", host)
        self.retries = 0
        self.on_wait: Callable[[str], None] | None = None
        self.on_event: Callable[[str, Mapping[str, Json]], None] | None = None
        self.refused: list[str] = []
        """Parameters that the endpoint does not take; they are not sent again."""
        self._stream = stream
        self._model = model
        self._client = client
        self._host = host
        self._temperature = temperature
        self._longest_wait_s = longest_wait_s
        self._seed = 0

    def reseed(self, seed: int) -> None:
        """Send this seed with the next requests."""
        self._seed = seed % 2**31

    def close(self) -> None:
        """Close the connections; the model cannot be asked afterwards."""
        self._client.close()

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The endpoint's next message.

        Raises:
            EndpointError: It is down, refuses the request, or answers what cannot be read.
        """
        names = ToolNames([tool.name for tool in tools])
        request: dict[str, Json] = {
            "model": self._model,
            "messages": wire_messages(messages, names, budget_words=BUDGET_WORDS),
            "temperature": self._temperature,
            "seed": self._seed,
        }
        if tools:
            request["tools"] = wire_tools(tools, names)
        if self._stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        return self._reply(self._ask(request), names)

    def _ask(self, request: dict[str, Json]) -> Any:
        import openai
        import tenacity

        def again(state: tenacity.RetryCallState) -> None:
            self.retries += 1
            self._tell_retry(state)
            if self.on_wait is not None and state.outcome and state.next_action:
                error = state.outcome.exception()
                reason = str(getattr(error, "status_code", None) or "no connection")
                self.on_wait(
                    f"waiting for the endpoint {state.next_action.sleep:.0f} s ({reason}, "
                    f"retry {state.attempt_number} of {ATTEMPTS - 1})"
                )

        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=self._pause,
            retry=tenacity.retry_if_exception(_worth_retrying),
            before_sleep=again,
            reraise=True,
        )
        try:
            while True:
                sent = {key: value for key, value in request.items() if key not in self.refused}
                try:
                    return retrying(self._once, sent)
                except openai.BadRequestError as error:
                    refused = _refused_parameter(error, sent)
                    if refused is None:
                        raise
                    self.refused.append(refused)
                    self._note(REFUSED_EVENT, {"parameter": refused})
        except (openai.OpenAIError, BrokenStreamError, ValueError) as error:
            raise EndpointError(self._explain(error)) from error

    def _once(self, request: dict[str, Json]) -> Any:
        answer = self._client.chat.completions.create(**request)
        return collect(answer) if request.get("stream") else answer

    def _note(self, name: str, attributes: Mapping[str, Json]) -> None:
        if self.on_event is not None:
            self.on_event(name, attributes)

    def _tell_retry(self, state: Any) -> None:
        error = state.outcome.exception()
        self._note(
            RETRY_EVENT,
            {
                "attempt": state.attempt_number,
                "wait_s": float(state.next_action.sleep),
                "status": int(getattr(error, "status_code", None) or 0),
                "error": type(error).__name__,
            },
        )

    def _pause(self, state: Any) -> float:
        """Seconds to wait: what the endpoint asks for, else doubling from half a second."""
        error = state.outcome.exception()
        headers = getattr(getattr(error, "response", None), "headers", {})
        asked = headers.get("retry-after", "")
        doubling = 0.5 * 2.0 ** (state.attempt_number - 1)
        seconds = float(asked) if asked.replace(".", "", 1).isdigit() else doubling
        return min(seconds, self._longest_wait_s)

    def _explain(self, error: Exception) -> str:
        status = getattr(error, "status_code", None)
        said = " ".join(str(error).split())[:300]
        if status is not None:
            return f"endpoint {self._host}, model {self._model!r}: status {status}: {said}"
        return (
            f"endpoint {self._host}, model {self._model!r}: {said} "
            "check that it runs and that OPENAI_BASE_URL names it"
        )

    def _reply(self, answer: Any, names: ToolNames) -> Reply:
        try:
            choice = answer.choices[0]
            message = choice.message
            calls = tuple(
                read_call(call.function.name, call.function.arguments, call.id or "", names)
                for call in message.tool_calls or ()
            )
            content = message.content or ""
        except (AttributeError, IndexError, TypeError) as error:
            raise EndpointError(
                f"endpoint {self._host}, model {self._model!r}: the answer is no chat completion; "
                "check that OPENAI_BASE_URL ends where /chat/completions begins"
            ) from error
        usage = getattr(answer, "usage", None)
        return Reply(
            Message("assistant", content, tool_calls=calls),
            finish_reason=choice.finish_reason or "stop",
            input_tokens=getattr(usage, "prompt_tokens", None),
            output_tokens=getattr(usage, "completion_tokens", None),
            response_id=getattr(answer, "id", None) or "",
            model=getattr(answer, "model", None) or "",
        )


def _worth_retrying(error: BaseException) -> bool:
    """Busy, broken or unreachable for now; a refused request is not sent again."""
    import openai

    if isinstance(error, openai.APIConnectionError | BrokenStreamError):
        return True
    return isinstance(error, openai.APIStatusError) and error.status_code in _RETRIED


def _refused_parameter(error: Exception, sent: Mapping[str, Json]) -> str | None:
    """The parameter that an endpoint's refusal names, if it can be left out."""
    named = getattr(error, "param", None)
    said = str(error)
    for name in _OPTIONAL:
        if name in sent and (named == name or f"'{name}'" in said or f"`{name}`" in said):
            return name
    return None


class BrokenStreamError(Exception):
    """A streamed answer that ended before its end."""


def collect(chunks: Iterable[Any]) -> Any:
    """One chat completion out of its pieces.

    Raises:
        BrokenStreamError: The stream ended in the middle.
    """
    text: list[str] = []
    calls: dict[int, SimpleNamespace] = {}
    whole = SimpleNamespace(id="", model="", usage=None)
    finish = None
    try:
        for chunk in chunks:
            whole.id, whole.model = chunk.id or whole.id, chunk.model or whole.model
            whole.usage = chunk.usage or whole.usage
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                text.append(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    _add_piece(calls, piece)
    except Exception as error:
        # The client passes on what its transport raises, whose classes are not ours to know.
        raise BrokenStreamError(f"{type(error).__name__}: {error}") from error
    if finish is None:
        raise BrokenStreamError("the stream ended without a reason to finish")
    message = SimpleNamespace(
        content="".join(text), tool_calls=[calls[index] for index in sorted(calls)]
    )
    whole.choices = [SimpleNamespace(message=message, finish_reason=finish)]
    return whole


def _add_piece(calls: dict[int, SimpleNamespace], piece: Any) -> None:
    call = calls.setdefault(
        piece.index, SimpleNamespace(id="", function=SimpleNamespace(name="", arguments=""))
    )
    call.id = piece.id or call.id
    if piece.function is not None:
        call.function.name += piece.function.name or ""
        call.function.arguments += piece.function.arguments or ""
