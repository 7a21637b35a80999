"""`openai:NAME`: any model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
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
        argument: The model's name, as the endpoint knows it.
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
    if base_url is None and api_key is None:
        raise InputError(
            f"model 'openai:{argument}': neither OPENAI_BASE_URL nor OPENAI_API_KEY is set; "
            "set the first for an endpoint of your own, the second for OpenAI's"
        )
    host = check_address(base_url) if base_url else "api.openai.com"
    client = _client(base_url, api_key or "none", timeout_s)
    return OpenAIModel(argument, client, host, temperature, longest_wait_s)


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
        self, model: str, client: Any, host: str, temperature: float, longest_wait_s: float
    ) -> None:
        self.name = f"openai:{model}"
        self.source = ModelSource("openai", host)
        self.retries = 0
        self.on_wait: Callable[[str], None] | None = None
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
        return self._reply(self._ask(request), names)

    def _ask(self, request: dict[str, Json]) -> Any:
        import openai
        import tenacity

        def again(state: tenacity.RetryCallState) -> None:
            self.retries += 1
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
            return retrying(self._client.chat.completions.create, **request)
        except (openai.OpenAIError, ValueError) as error:
            raise EndpointError(self._explain(error)) from error

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

    if isinstance(error, openai.APIConnectionError):
        return True
    return isinstance(error, openai.APIStatusError) and error.status_code in _RETRIED
