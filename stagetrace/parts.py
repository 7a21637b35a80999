"""From names on the command line to parts: suite, assistant, model, retriever."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from assistants import encoders
from assistants.base import ASSISTANTS, MODELS, AssistantFactory, Opened, Places, Shelf
from assistants.models.cassette import Recording
from assistants.retrieval import open_retriever
from assistants.run import Bench
from assistants.user_agent import user_agent
from stagetrace import console, settings
from stagetrace.suite import find_own_modules, open_suite
from tracer.errors import InputError
from tracer.protocols import ChatModel
from tracer.records import Form

KINDS: Mapping[str, str] = {
    "rag": "rag",
    "tools": "tools",
    "tools-create-agent": "tools",
    "llm": "llm",
}
"""Assistant of ours to its kind."""
FORMS: Mapping[str, tuple[Form, ...]] = {
    "rag": ("question",),
    "llm": ("question",),
    "tools": ("actions", "conversation"),
    "user": ("question", "actions", "conversation"),
}
"""Kind of assistant to the forms of task it is given."""
DEFAULT_MODELS = {"rag": "extractive", "llm": "extractive", "tools": "rules", "user": "rules"}
WRITER_TEMPERATURE = 0.7
"""Of the model that makes up passages.

Source:
    Out of Style, released scripts at 9da5447.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run is put together from, in names; workers get it and build the parts anew."""

    suite: str
    assistant: str
    model: str
    retriever: str
    mode: str | None
    top_k: int
    seed: int
    timeout_s: float | None
    run: str = ""
    tools: str | None = None
    """`MODULE:ATTR` of the user's own tools."""
    writer: str = ""
    """Model that makes up passages for `hyde:OTHER`."""
    record: str = ""
    """File in which the model's replies are kept."""
    model_paths: tuple[str, ...] = ()
    """Each `NAME=DIR`: where the files of an encoder lie."""
    at_once: int | None = None
    """Requests under way at the model's endpoint, over all workers."""
    per_minute: float | None = None
    """Requests begun there in a minute."""
    temperature: float = 0.0
    """Of sampling, for models that draw."""
    unverified_native: bool = False
    """Native code that could not be matched to its publisher may run."""

    @property
    def kind(self) -> str:
        """`rag`, `tools`, `llm`, or `user` for an agent of the user's own."""
        return KINDS.get(self.assistant, "user")


def chat_model(
    name: str,
    *,
    temperature: float = 0.0,
    at_once: int | None = None,
    per_minute: float | None = None,
    unverified_native: bool = False,
) -> ChatModel:
    """A chat model, such as `rules`, `openai:NAME` or `MODULE:ATTR`.

    Args:
        name: As on the command line.
        temperature: Of sampling, for models that draw.
        at_once: Requests under way at its endpoint, over all processes of this machine.
        per_minute: Requests begun there in a minute.
        unverified_native: Allow native code that could not be matched to its publisher.

    Raises:
        InputError: A limit is given for a model that is not behind an endpoint.
        UnknownNameError: There is no such model.
        ModelWeightsMissingError: Its weights are not on this machine.
        MissingExtraError: A package it needs is not installed.
    """
    scheme, _, argument = name.partition(":")
    if (at_once or per_minute) and scheme != "openai":
        raise InputError(
            f"--concurrency and --requests-per-minute are for endpoints, and model {name!r} has "
            "none; leave them out, or choose openai:NAME"
        )
    if scheme not in MODELS.names():
        find_own_modules(name)
        found: Any = MODELS.get(name)
        return cast(ChatModel, found if callable(getattr(found, "chat", None)) else found(""))
    options: dict[str, Any] = {}
    if scheme == "openai":
        endpoint = settings.endpoint()
        options = {
            "base_url": endpoint.base_url,
            "api_key": endpoint.api_key,
            "temperature": temperature,
            "at_once": at_once,
            "per_minute": per_minute,
            "places": settings.cache_folder() / "endpoints",
        }
    elif scheme == "local":
        options = {
            "folders": settings.model_folders(),
            "temperature": temperature,
            "unverified_native": unverified_native,
        }
    # Only these two take options; the protocol of the others is the argument alone.
    factory = cast(Callable[..., ChatModel], MODELS.get(scheme))
    try:
        return factory(argument, **options)
    except ValueError as error:
        raise InputError(str(error)) from error


def _recording(model: ChatModel, file: str) -> ChatModel:
    return Recording(model, Path(file)) if file else model


def retriever(name: str, *, writer: str = "", model_paths: Sequence[str] = ()) -> Opened:
    """A retriever by name; all the weights that it needs are here.

    Args:
        name: Such as `bm25`, `rerank:bm25` or `MODULE:ATTR`.
        writer: Name of the chat model that makes up passages, for `hyde:OTHER`.
        model_paths: Each `NAME=DIR`, a folder with the files of an encoder.

    Raises:
        UnknownNameError: There is no such retriever.
        InputError: Its parts do not fit together.
        ModelWeightsMissingError: Its weights are not on this machine.
        MissingExtraError: A package it needs is not installed.
    """
    find_own_modules(name)
    shelf = Shelf(
        places=Places(_paths(model_paths), settings.model_folders()),
        vectors=settings.cache_folder() / "vectors",
        writer=chat_model(writer, temperature=WRITER_TEMPERATURE) if writer else None,
        say=console.note,
    )
    return open_retriever(name, shelf)


def _paths(model_paths: Sequence[str]) -> dict[str, Path]:
    pairs = [text.partition("=") for text in model_paths]
    for name, _, folder in pairs:
        if not folder:
            raise InputError(f"--model-path {name}: give NAME=DIR, such as bge-m3=/models/bge-m3")
        encoders.named(name)
    return {name: Path(folder) for name, _, folder in pairs}


def assistant(name: str) -> AssistantFactory:
    """The factory of an assistant: one of ours, or around a user's `MODULE:ATTR`.

    Raises:
        UnknownNameError: There is no such assistant.
        InputError: It is no agent.
    """
    if name in ASSISTANTS.names():
        return ASSISTANTS.get(name)
    find_own_modules(name)
    return user_agent(ASSISTANTS.get(name), name)


def bench(choice: Choice) -> Bench:
    """All parts of a run, built in this process."""
    opened = None
    if choice.kind in ("rag", "user"):
        opened = retriever(choice.retriever, writer=choice.writer, model_paths=choice.model_paths)
    return Bench(
        sandbox=open_suite(choice.suite, choice.mode, grading=True, tools=choice.tools),
        model=_recording(
            chat_model(
                choice.model,
                temperature=choice.temperature,
                at_once=choice.at_once,
                per_minute=choice.per_minute,
                unverified_native=choice.unverified_native,
            ),
            choice.record,
        ),
        assistant=assistant(choice.assistant),
        kind=choice.kind,
        retriever=opened.build if opened else None,
        retriever_name=opened.label if opened else choice.retriever,
        retriever_sources=opened.sources if opened else (),
        top_k=choice.top_k,
        timeout_s=choice.timeout_s,
        seed=choice.seed,
        run=choice.run,
    )
