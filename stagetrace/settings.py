"""The only reader of environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tracer.content import Content, most_private
from tracer.errors import DataMissingError, InputError

_BESIDE = Path("../shared/data")
"""Where benchmark files are looked for when nothing is said: beside the project's folder."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where `openai:NAME` models are asked."""

    base_url: str | None
    api_key: str | None


def environment(name: str, default: str | None = None) -> str | None:
    """The value of an environment variable; an empty one counts as not set."""
    return os.environ.get(name) or default


def data_folder(name: str) -> str:
    """The folder that holds a benchmark's files, such as `workbench`.

    Looked for in `STAGETRACE_DATA`, else beside the project, else in the cache folder.

    Raises:
        DataMissingError: None of these places has the folder.
    """
    named = environment("STAGETRACE_DATA")
    places = [Path(named)] if named else [_BESIDE, cache_folder() / "data"]
    for place in places:
        if (place / name).is_dir():
            return str(place / name)
    looked = ", ".join(str(place / name) for place in places)
    raise DataMissingError(
        f"no data of {name!r}: looked in {looked}; "
        f"set STAGETRACE_DATA to the folder that holds a folder {name!r}, "
        f"or get it by: stagetrace data fetch {name}"
    )


def data_home() -> Path:
    """Where fetched benchmark files are kept: `STAGETRACE_DATA`, else in the cache folder."""
    named = environment("STAGETRACE_DATA")
    return Path(named) if named else cache_folder() / "data"


def cache_folder() -> Path:
    """Where fetched weights are kept: `STAGETRACE_CACHE`, else the user's cache folder."""
    named = environment("STAGETRACE_CACHE")
    if named:
        return Path(named)
    base = environment("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "stagetrace"


def model_folders() -> list[Path]:
    """Folders in which a model's weights are looked for, the first one that has them wins."""
    named = environment("STAGETRACE_MODELS")
    return ([Path(named)] if named else []) + [cache_folder() / "models"]


def endpoint() -> Endpoint:
    """The OpenAI-compatible endpoint, from `OPENAI_BASE_URL` and `OPENAI_API_KEY`."""
    return Endpoint(environment("OPENAI_BASE_URL"), environment("OPENAI_API_KEY"))


def terminal() -> Mapping[str, str]:
    """The variables that say how the terminal is to be written to."""
    names = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")
    return {name: os.environ[name] for name in names if os.environ.get(name)}


_OFF = ("0", "false", "no", "off", "no_content")
_ON = ("1", "true", "yes", "on")
_HIDE = "OPENINFERENCE_HIDE_"
_HIDE_INPUTS = ("INPUTS", "INPUT_MESSAGES", "INPUT_TEXT", "PROMPTS", "LLM_PROMPTS")
_HIDE_OUTPUTS = ("OUTPUTS", "OUTPUT_MESSAGES", "OUTPUT_TEXT", "CHOICES")
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def content() -> Content:
    """What may be recorded of requests, answers, arguments, results and documents.

    Told by `STAGETRACE_CONTENT`, OpenTelemetry's capture switch and OpenInference's hide switches;
    the most private of them wins. `EVENT_ONLY` asks for content in log events, which we do not
    write, so that nothing is recorded.
    """
    choices: list[bool | Content] = [_switch("STAGETRACE_CONTENT", True)]
    captured = (environment(_CAPTURE) or "").lower()
    if captured in ("event_only", *_OFF):
        choices.append(False)
    choices.append(
        Content(
            inputs=not any(_switch(_HIDE + name, False) for name in _HIDE_INPUTS),
            outputs=not any(_switch(_HIDE + name, False) for name in _HIDE_OUTPUTS),
            tools=not _switch(_HIDE + "LLM_TOOLS", False),
        )
    )
    return most_private(choices)


def live_content() -> bool:
    """Whether a live exporter was asked to send content: by our switch or OpenTelemetry's."""
    captured = (environment(_CAPTURE) or "").lower() in ("span_only", "span_and_event", "true")
    return _switch("STAGETRACE_OTLP_CONTENT", captured)


def _switch(name: str, default: bool) -> bool:
    value = (environment(name) or "").strip().lower()
    if value in _ON + _OFF:
        return value in _ON
    if value:
        raise InputError(f"{name}={value!r}: neither on nor off; give 'true' or 'false'")
    return default


@dataclass(frozen=True, slots=True)
class Otlp:
    """Where live spans go."""

    url: str
    protocol: Literal["http", "grpc"] = "http"


def otlp_endpoint() -> Otlp | None:
    """The endpoint that OpenTelemetry's own variables name; None when they name none."""
    traces = environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    url = traces or environment("OTEL_EXPORTER_OTLP_ENDPOINT")
    if url is None or environment("OTEL_TRACES_EXPORTER") == "none":
        return None
    named = environment("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environment(
        "OTEL_EXPORTER_OTLP_PROTOCOL"
    )
    if named == "grpc":
        return Otlp(url, "grpc")
    # The general variable names a base, the one for traces the whole address.
    return Otlp(url if traces else url.rstrip("/") + "/v1/traces")


@dataclass(frozen=True, slots=True)
class ZeroCode:
    """What `stagetrace trace` told the process it started."""

    store: str
    otlp: str
    protocol: Literal["http", "grpc"]
    children: bool
    """Whether processes that it starts are traced as well."""


def zero_code() -> ZeroCode | None:
    """How this process is to be traced without a line of its code; None when it is not."""
    store = environment("STAGETRACE_TRACE_STORE")
    if store is None:
        return None
    return ZeroCode(
        store,
        environment("STAGETRACE_TRACE_OTLP") or "",
        "grpc" if environment("STAGETRACE_TRACE_PROTOCOL") == "grpc" else "http",
        environment("STAGETRACE_TRACE_CHILDREN") == "1",
    )


def zero_code_environment(told: ZeroCode, hook_folder: str) -> dict[str, str]:
    """The environment of a process that is to be traced; the hook is found on its import path."""
    path = os.environ.get("PYTHONPATH", "")
    return {
        **os.environ,
        "PYTHONPATH": hook_folder + (os.pathsep + path if path else ""),
        "STAGETRACE_TRACE_STORE": told.store,
        "STAGETRACE_TRACE_OTLP": told.otlp,
        "STAGETRACE_TRACE_PROTOCOL": told.protocol,
        "STAGETRACE_TRACE_CHILDREN": "1" if told.children else "",
    }


def forget_zero_code(hook_folder: str) -> None:
    """Take what `zero_code_environment` added out again, so that children are not traced too."""
    for name in list(os.environ):
        if name.startswith("STAGETRACE_TRACE_"):
            del os.environ[name]
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p != hook_folder]
    if any(rest):
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)
