"""Graphs, models, retrievers, tools and `openai` clients, wrapped at their classes."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlsplit

from stagetrace.settings import ZeroCode

TOLD: Final[list[ZeroCode]] = []
"""How this process was told to be traced; one entry once it was."""
_inside: ContextVar[bool] = ContextVar("stagetrace_inside", default=False)
"""Whether a traced run is going on: what it calls is told of by its own callbacks."""


def recorder() -> Any:
    """This process' recorder, made when the first run begins."""
    from stagetrace import api

    told = TOLD[0]
    url = told.otlp
    if url and told.protocol == "grpc":
        url = "grpc://" + url.partition("://")[2]
    return api.recorder(told.store, otlp=url or None)


def wrap_graphs(module: ModuleType) -> None:
    """Have every outermost run of a graph traced."""
    _wrap_class(module.Pregel)


def wrap_models(module: ModuleType) -> None:
    """Have a chat model that is asked outside a graph traced."""
    _wrap_class(module.BaseChatModel)


def wrap_retrievers(module: ModuleType) -> None:
    """Have a retriever that is asked outside a graph traced."""
    _wrap_class(module.BaseRetriever)


def wrap_tools(module: ModuleType) -> None:
    """Have a tool that is called outside a graph traced."""
    _wrap_class(module.BaseTool)


def wrap_openai(module: ModuleType) -> None:
    """Have every completion of an `openai` client traced, under whatever span is current."""
    from tracer.openai_client import traced_create

    for cls in (module.Completions, module.AsyncCompletions):
        for name in ("create", "parse"):
            setattr(cls, name, traced_create(getattr(cls, name), recorder, host_of))


def wrap_responses(module: ModuleType) -> None:
    """As `wrap_openai`, for responses."""
    from tracer import openai_client, openai_responses

    for cls in (module.Responses, module.AsyncResponses):
        for name in ("create", "parse"):
            own, form = getattr(cls, name), openai_responses.FORM
            setattr(cls, name, openai_client.traced_create(own, recorder, host_of, form))


def host_of(completions: Any) -> str:
    """The host that a client asks."""
    client = getattr(completions, "_client", None)
    return urlsplit(str(getattr(client, "base_url", ""))).hostname or ""


class _Original:
    """A runnable whose entry points are its class' own, each step marked as inside a run."""

    def __init__(self, runnable: Any, own: dict[str, Callable[..., Any]]) -> None:
        self._runnable = runnable
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_runnable"], name)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        with _marked():
            return self._own["invoke"](self._runnable, *args, **kwargs)

    async def ainvoke(self, *args: Any, **kwargs: Any) -> Any:
        with _marked():
            return await self._own["ainvoke"](self._runnable, *args, **kwargs)

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        steps = self._own["stream"](self._runnable, *args, **kwargs)
        try:
            while True:
                with _marked():
                    try:
                        item = next(steps)
                    except StopIteration:
                        return
                yield item
        finally:
            with _marked():
                steps.close()

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        steps = self._own["astream"](self._runnable, *args, **kwargs)
        try:
            while True:
                with _marked():
                    try:
                        item = await anext(steps)
                    except StopAsyncIteration:
                        return
                yield item
        finally:
            with _marked():
                await steps.aclose()


@contextmanager
def _marked() -> Iterator[None]:
    before = _inside.get()
    _inside.set(True)
    try:
        yield
    finally:
        _inside.set(before)


def _wrap_class(cls: Any) -> None:
    """Replace the four entry points, through which all others go, by traced ones."""
    own = {name: getattr(cls, name) for name in ("invoke", "ainvoke", "stream", "astream")}

    def traced(runnable: Any) -> Any:
        from tracer.langgraph import trace_graph

        # A class below may have entry points of its own; then they are called.
        return trace_graph(_Original(runnable, own), recorder(), part=runnable)

    @functools.wraps(own["invoke"])
    def invoke(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return own["invoke"](self, *args, **kwargs)
        return traced(self).invoke(*args, **kwargs)

    @functools.wraps(own["ainvoke"])
    async def ainvoke(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return await own["ainvoke"](self, *args, **kwargs)
        return await traced(self).ainvoke(*args, **kwargs)

    @functools.wraps(own["stream"])
    def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return own["stream"](self, *args, **kwargs)
        return traced(self).stream(*args, **kwargs)

    @functools.wraps(own["astream"])
    def astream(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return own["astream"](self, *args, **kwargs)
        return traced(self).astream(*args, **kwargs)

    cls.invoke, cls.ainvoke, cls.stream, cls.astream = invoke, ainvoke, stream, astream
