"""From names on the command line to parts: suite, assistant, model, retriever."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from assistants.base import ASSISTANTS, MODELS, RETRIEVERS, AssistantFactory, RetrieverFactory
from assistants.run import Bench
from assistants.user_agent import user_agent
from stagetrace import settings
from stagetrace.suite import find_own_modules, open_suite
from tracer.errors import InputError
from tracer.protocols import ChatModel
from tracer.records import Form

KINDS = ("rag", "tools", "llm")
FORMS: Mapping[str, tuple[Form, ...]] = {
    "rag": ("question",),
    "llm": ("question",),
    "tools": ("actions", "conversation"),
    "user": ("question", "actions", "conversation"),
}
"""Kind of assistant to the forms of task it is given."""
DEFAULT_MODELS = {"rag": "extractive", "llm": "extractive", "tools": "rules", "user": "rules"}
_DENSE = ("minilm", "chroma")
"""Retrievers that look for weights."""


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

    @property
    def kind(self) -> str:
        """`rag`, `tools`, `llm`, or `user` for an agent of the user's own."""
        return self.assistant if self.assistant in KINDS else "user"


def chat_model(name: str) -> ChatModel:
    """A chat model, such as `rules`, `openai:NAME` or `MODULE:ATTR`.

    Raises:
        UnknownNameError: There is no such model.
        ModelWeightsMissingError: Its weights are not on this machine.
        MissingExtraError: A package it needs is not installed.
    """
    scheme, _, argument = name.partition(":")
    if scheme not in MODELS.names():
        find_own_modules(name)
        found: Any = MODELS.get(name)
        return cast(ChatModel, found if callable(getattr(found, "chat", None)) else found(""))
    options: dict[str, Any] = {}
    if scheme == "openai":
        endpoint = settings.endpoint()
        options = {"base_url": endpoint.base_url, "api_key": endpoint.api_key}
    elif scheme == "local":
        options = {"folders": settings.model_folders()}
    # Only these two take options; the protocol of the others is the argument alone.
    factory = cast(Callable[..., ChatModel], MODELS.get(scheme))
    try:
        return factory(argument, **options)
    except ValueError as error:
        raise InputError(str(error)) from error


def retriever(name: str) -> RetrieverFactory:
    """The factory of a retriever.

    Raises:
        UnknownNameError: There is no such retriever.
    """
    find_own_modules(name)
    factory = RETRIEVERS.get(name)
    if name in _DENSE:
        return functools.partial(cast(Any, factory), folders=settings.model_folders())
    return factory


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
    return Bench(
        sandbox=open_suite(choice.suite, choice.mode, grading=True, tools=choice.tools),
        model=chat_model(choice.model),
        assistant=assistant(choice.assistant),
        kind=choice.kind,
        retriever=retriever(choice.retriever) if choice.kind in ("rag", "user") else None,
        retriever_name=choice.retriever,
        top_k=choice.top_k,
        timeout_s=choice.timeout_s,
        seed=choice.seed,
        run=choice.run,
    )
