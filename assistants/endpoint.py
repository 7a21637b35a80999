"""An OpenAI-compatible endpoint: its address, its client, and asking it until it answers."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from assistants.throttle import Throttle
from tracer.errors import EndpointError, InputError
from tracer.records import Json
from tracer.registry import missing_extra

ATTEMPTS = 5
"""Times a request is sent before the endpoint counts as down."""
LONGEST_WAIT_S = 30.0
FIRST_WAIT_S = 0.5
"""Doubled with each attempt, and up to as much again at random, so that workers part."""
_RETRIED = frozenset((408, 409, 429, 500, 502, 503, 504))
RETRY_EVENT = "stagetrace.model.retry"
REFUSED_EVENT = "stagetrace.model.parameter_refused"
_METADATA = frozenset(("metadata.google.internal", "metadata", "instance-data"))
_METADATA_ADDRESSES = frozenset(("fd00:ec2::254", "100.100.100.200"))


class BrokenStreamError(Exception):
    """A streamed answer that ended before its end."""


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


def connect(base_url: str | None, api_key: str, timeout_s: float) -> Any:
    """A client that asks once and follows no redirect.

    Raises:
        MissingExtraError: The package `openai` is not installed.
    """
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


class Asking:
    """Asks an endpoint, again when it is busy, broken or gone, and without what it refuses."""

    def __init__(
        self,
        about: str,
        path: str,
        optional: Sequence[str],
        *,
        longest_wait_s: float,
        throttle: Throttle | None = None,
    ) -> None:
        self.retries = 0
        self.refused: list[str] = []
        """Parameters that the endpoint does not take; they are not sent again."""
        self.on_wait: Callable[[str], None] | None = None
        self.on_event: Callable[[str, Mapping[str, Json]], None] | None = None
        self._about = about
        self._path = path
        self._optional = optional
        self._longest_wait_s = longest_wait_s
        self._throttle = throttle

    def ask(self, send: Callable[[dict[str, Json]], Any], request: Mapping[str, Json]) -> Any:
        """The answer to a request.

        Args:
            send: Sends it once.
            request: Its parameters by name.

        Raises:
            EndpointError: The endpoint is down, or refuses the request.
        """
        import openai

        try:
            while True:
                sent = {key: value for key, value in request.items() if key not in self.refused}
                try:
                    return self._retrying()(self._once, send, sent)
                except openai.BadRequestError as error:
                    refused = self._refused_parameter(error, sent)
                    if refused is None:
                        raise
                    self.refused.append(refused)
                    self._note(REFUSED_EVENT, {"parameter": refused})
        except (openai.OpenAIError, BrokenStreamError, ValueError) as error:
            raise EndpointError(self._explain(error)) from error

    def _once(self, send: Callable[[dict[str, Json]], Any], request: dict[str, Json]) -> Any:
        if self._throttle is None:
            return send(request)
        with self._throttle.turn():
            return send(request)

    def _retrying(self) -> Any:
        import tenacity

        backoff = tenacity.wait_exponential_jitter(
            multiplier=FIRST_WAIT_S, max=self._longest_wait_s, jitter=FIRST_WAIT_S
        )

        def pause(state: Any) -> float:
            return min(_asked_for(state) or float(backoff(state)), self._longest_wait_s)

        return tenacity.Retrying(
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=pause,
            retry=tenacity.retry_if_exception(_worth_retrying),
            before_sleep=self._again,
            reraise=True,
        )

    def _again(self, state: Any) -> None:
        error, wait_s = state.outcome.exception(), float(state.next_action.sleep)
        status = getattr(error, "status_code", None)
        self.retries += 1
        told = {"attempt": state.attempt_number, "wait_s": wait_s, "status": int(status or 0)}
        self._note(RETRY_EVENT, {**told, "error": type(error).__name__})
        if self.on_wait is not None:
            self.on_wait(
                f"waiting for the endpoint {wait_s:.0f} s ({status or 'no connection'}, "
                f"retry {state.attempt_number} of {ATTEMPTS - 1})"
            )

    def _note(self, name: str, attributes: Mapping[str, Json]) -> None:
        if self.on_event is not None:
            self.on_event(name, attributes)

    def _refused_parameter(self, error: Exception, sent: Mapping[str, Json]) -> str | None:
        """The parameter that an endpoint's refusal names, if it can be left out."""
        named, said = getattr(error, "param", None), str(error)
        for name in self._optional:
            if name in sent and (named == name or f"'{name}'" in said or f"`{name}`" in said):
                return name
        return None

    def _explain(self, error: Exception) -> str:
        status = getattr(error, "status_code", None)
        said = " ".join(str(error).split())[:300]
        if status is None:
            return f"{self._about}: {said} check that it runs and that OPENAI_BASE_URL names it"
        hint = ""
        if status == 400 and "tool" in said.lower():
            hint = "; for a model that takes no tools add ?tools=json_schema to its name"
        elif status == 404:
            hint = f"; check the name of the model, and that the endpoint has {self._path}"
        return f"{self._about}: status {status}: {said}{hint}"


def _asked_for(state: Any) -> float | None:
    """Seconds that the endpoint asks to be left alone, where it says so."""
    headers = getattr(getattr(state.outcome.exception(), "response", None), "headers", {})
    asked = str(headers.get("retry-after", ""))
    return float(asked) if asked.replace(".", "", 1).isdecimal() else None


def _worth_retrying(error: BaseException) -> bool:
    """Busy, broken or unreachable for now; a refused request is not sent again."""
    import openai

    if isinstance(error, openai.APIConnectionError | BrokenStreamError):
        return True
    return isinstance(error, openai.APIStatusError) and error.status_code in _RETRIED
