"""Spans of a LangGraph graph or a LangChain runnable, in its own words: same protocol in and out.

Two things together keep the spans of a run in one tree. Each run's parent comes from the run ids
that LangChain hands out, never from what happens to be current in a callback. And the entry points
own the OpenTelemetry context: every step of a run happens under the run's own context, and the
caller's is restored after each step, so that nothing a callback leaves behind reaches the caller.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from opentelemetry import context as otel_context

from tracer import attributes as names
from tracer.callbacks import Runs, handler_class
from tracer.chat_messages import text_of
from tracer.current import enter
from tracer.live import Span, is_control_flow, reason_of
from tracer.record import Recorder
from tracer.records import Json
from tracer.spans import current_span, set_agent, set_answer, set_text

_INPUT_KEYS = ("question", "query", "request", "input", "text", "prompt")
_OUTPUT_KEYS = ("answer", "output", "response", "result", "text")
_INTERRUPTED_KEPT = 1000


def is_runnable(agent: object) -> bool:
    """Whether `agent` has the protocol of a graph or runnable."""
    return all(callable(getattr(agent, method, None)) for method in ("invoke", "stream", "astream"))


def trace_graph(
    graph: Any, recorder: Recorder, *, name: str = "", kind: str = "user", part: Any = None
) -> Any:
    """The same graph or runnable; each run is an `invoke_agent` span with its steps below.

    Covers `invoke`, `ainvoke`, `stream`, `astream`, `astream_events`, `batch`, `abatch` and what is
    built on them; everything else is the graph's own. Inside an agent span of the same name the run
    fills that span in place of a second one.

    Args:
        graph: A compiled graph or any LangChain runnable.
        recorder: Takes the spans.
        name: Name of the agent; by default the graph's.
        kind: `rag`, `tools`, `llm` or `user`.
        part: What `graph` stands for, where it only passes on to it.
    """
    if not name:
        own = getattr(graph, "name", None)
        name = own if isinstance(own, str) and own else type(graph).__name__
    return _traced_class()(graph, recorder, name, kind, graph if part is None else part)


@cache
def _traced_class() -> type[Any]:
    from langchain_core.runnables import Runnable

    class TracedRunnable(EntryPoints, Runnable):  # type: ignore[misc, type-arg]
        """The entry points, usable wherever a runnable is."""

    return TracedRunnable


class EntryPoints:
    """Runs a graph step by step under its own context."""

    def __init__(self, graph: Any, recorder: Recorder, name: str, kind: str, part: Any) -> None:
        self.graph = graph
        self.name = name
        self.recorder = recorder
        self._kind = kind
        self._interrupted: dict[str, tuple[str, str]] = {}
        self._bare = _is_part(part)

    def bind_tools(self, *args: Any, **kwargs: Any) -> Any:
        """The model with tools bound, traced as this one."""
        return self._derived(self.graph.bind_tools(*args, **kwargs))

    def with_structured_output(self, *args: Any, **kwargs: Any) -> Any:
        """The model with a schema of its answers, traced as this one."""
        return self._derived(self.graph.with_structured_output(*args, **kwargs))

    def _derived(self, graph: Any) -> Any:
        return trace_graph(graph, self.recorder, name=self.name, kind=self._kind)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.__dict__["graph"], attribute)

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        """The graph's result."""
        run = self._begin(input, config)
        try:
            with run.step():
                result = self.graph.invoke(input, run.config, **kwargs)
        except BaseException as error:
            run.finish(error)
            raise
        run.finish(output=result)
        return result

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        """The graph's result."""
        run = self._begin(input, config)
        try:
            with run.step():
                result = await self.graph.ainvoke(input, run.config, **kwargs)
        except BaseException as error:
            run.finish(error)
            raise
        run.finish(output=result)
        return result

    def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
        """The graph's stream; between two steps the caller's own context is current."""
        run = self._begin(input, config)
        steps: Any = None
        said = _Said()
        try:
            with run.step():
                steps = self.graph.stream(input, run.config, **kwargs)
            while True:
                with run.step():
                    try:
                        item = next(steps)
                    except StopIteration:
                        break
                    said.take(item)
                yield item
        except BaseException as error:
            with run.step():
                _close(steps)
            run.finish(error)
            raise
        run.finish(output=said.text())

    async def astream(self, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
        """The graph's stream; between two steps the caller's own context is current."""
        run = self._begin(input, config)
        steps: Any = None
        said = _Said()
        waiting = False
        try:
            with run.step():
                steps = self.graph.astream(input, run.config, **kwargs)
            while True:
                with run.step():
                    try:
                        item = await anext(steps)
                    except StopAsyncIteration:
                        break
                    said.take(item)
                waiting = True
                yield item
                waiting = False
        except BaseException as error:
            try:
                with run.step():
                    if steps is not None:
                        await steps.aclose()
            finally:
                # While it waits at the yield only its own closing can reach it, which a loop that
                # shuts down may turn into a cancellation.
                run.finish(GeneratorExit() if waiting else error)
            raise
        run.finish(output=said.text())

    def get_graph(self, *args: Any, **kwargs: Any) -> Any:
        """The graph's drawing."""
        return self.graph.get_graph(*args, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> str:
        """The graph's name."""
        return str(self.graph.get_name(*args, **kwargs))

    def get_input_schema(self, *args: Any, **kwargs: Any) -> Any:
        """The graph's schema of inputs."""
        return self.graph.get_input_schema(*args, **kwargs)

    def get_output_schema(self, *args: Any, **kwargs: Any) -> Any:
        """The graph's schema of outputs."""
        return self.graph.get_output_schema(*args, **kwargs)

    def _begin(self, value: object, config: Mapping[str, Any] | None) -> _Run:
        if self._bare:
            return _Run(self, None, config, owns_span=False)
        current = current_span(self.recorder)
        name = f"invoke_agent {self.name}"
        if current is not None and current.kind == "agent" and current.name == name:
            run = _Run(self, current, config, owns_span=False)
        else:
            span = self.recorder.start("agent", name)
            set_agent(span, self.name, self._kind)
            run = _Run(self, span, config, owns_span=True)
            text = readable(value, _INPUT_KEYS)
            if text is not None:
                set_text(span, names.INPUT_VALUE, names.INPUT_MIME, text)
        self._link_back(run)
        return run

    def _link_back(self, run: _Run) -> None:
        """Link a resumed run to the interrupted one of the same thread."""
        before = self._interrupted.pop(run.thread, None) if run.thread else None
        if before is not None and run.span is not None:
            run.span.links.append(before)

    def remember_interrupt(self, run: _Run) -> None:
        """Keep where a thread stopped, so that its resumption can link to it."""
        if run.thread and run.span is not None:
            while len(self._interrupted) >= _INTERRUPTED_KEPT:
                self._interrupted.pop(next(iter(self._interrupted)))
            self._interrupted[run.thread] = (run.span.trace_id, run.span.span_id)


class _Said:
    """What the items of a stream say in the end: texts joined, else the last text of a state."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._last: str | None = None

    def take(self, item: object) -> None:
        """Add one item; an update that says nothing leaves what was said before."""
        if isinstance(item, str):
            self._pieces.append(item)
        elif type(item).__name__.endswith("MessageChunk"):
            self._pieces.append(text_of(getattr(item, "content", "")))
        else:
            text = readable(item, _OUTPUT_KEYS)
            self._last = self._last if text is None else text

    def text(self) -> str | None:
        """The answer as far as it was told."""
        return "".join(self._pieces) if self._pieces else self._last


class _Run:
    """One run: its span, its own context, its handler."""

    def __init__(
        self,
        entry: EntryPoints,
        span: Span | None,
        config: Mapping[str, Any] | None,
        *,
        owns_span: bool,
    ) -> None:
        self.span = span
        self.runs = Runs(entry.recorder, span)
        self.config = _with_handler(config, self.runs)
        thread = (self.config.get("configurable") or {}).get("thread_id")
        self.thread = "" if thread is None else str(thread)
        self._entry = entry
        self._owns_span = owns_span
        before = otel_context.get_current()
        if span is not None:
            enter(span)
        self._context = otel_context.get_current()
        otel_context.attach(before)

    @contextmanager
    def step(self) -> Iterator[None]:
        """The run's own context inside, the caller's again afterwards."""
        caller = otel_context.get_current()
        otel_context.attach(self._context)
        try:
            with _without_outer_handler(self.runs.recorder):
                yield
        finally:
            self._context = otel_context.get_current()
            otel_context.attach(caller)

    def finish(self, error: BaseException | None = None, output: Json = None) -> None:
        """End the run and what is still open below it.

        Raises:
            StoreError: The run went well and could not be stored.
        """
        recorder = self.runs.recorder
        # A generator that is closed early raises GeneratorExit, which is no error.
        failure = None if isinstance(error, GeneratorExit) else error
        if self.span is None:
            self.runs.sweep(reason_of(error), failure)
        else:
            recorder.sweep(self.span, reason_of(error), failure)
        if self.runs.interrupted or (error is not None and is_control_flow(error)):
            self._entry.remember_interrupt(self)
        self.runs.clear()
        if self.span is None or not self._owns_span:
            return
        text = readable(output, _OUTPUT_KEYS)
        if text is not None:
            set_answer(self.span, text)
        self.span.end(error)
        if error is None and self.span.root:
            recorder.check()


def _is_part(graph: object) -> bool:
    """Whether it is a chat model, a retriever or a tool by itself, also with options bound."""
    from langchain_core.language_models import BaseLanguageModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool

    part = graph
    while hasattr(part, "bound"):
        part = part.bound
    return isinstance(part, BaseLanguageModel | BaseRetriever | BaseTool)


def _close(steps: Any) -> None:
    close: Callable[[], None] | None = getattr(steps, "close", None)
    if close is not None:
        close()


def _with_handler(config: Mapping[str, Any] | None, runs: Runs) -> dict[str, Any]:
    """The config with our handler in place of one that an outer run of ours handed down."""
    from langchain_core.runnables.config import var_child_runnable_config

    merged = dict(config or {})
    callbacks = merged.get("callbacks")
    if callbacks is None:
        callbacks = (var_child_runnable_config.get() or {}).get("callbacks")
    handler = handler_class()(runs)
    callbacks = _without(callbacks, runs.recorder)
    if isinstance(callbacks, list):
        callbacks.append(handler)
    else:
        callbacks.add_handler(handler, inherit=True)
    merged["callbacks"] = callbacks
    return merged


def _without(callbacks: Any, recorder: Recorder) -> Any:
    """A copy of a list or manager of callbacks without a handler of ours."""

    def ours(other: object) -> bool:
        return isinstance(other, handler_class()) and other.runs.recorder is recorder

    if callbacks is None or isinstance(callbacks, list):
        return [handler for handler in callbacks or () if not ours(handler)]
    manager = callbacks.copy()
    for handler in [handler for handler in manager.handlers if ours(handler)]:
        manager.remove_handler(handler)
    return manager


@contextmanager
def _without_outer_handler(recorder: Recorder) -> Iterator[None]:
    """Hide an outer run's handler inside: LangGraph adds ambient callbacks to those it is given."""
    from langchain_core.runnables.config import var_child_runnable_config

    ambient = var_child_runnable_config.get()
    if not ambient or ambient.get("callbacks") is None:
        yield
        return
    stripped = _without(ambient["callbacks"], recorder)
    var_child_runnable_config.set({**ambient, "callbacks": stripped})
    try:
        yield
    finally:
        var_child_runnable_config.set(ambient)


def readable(value: object, keys: tuple[str, ...]) -> str | None:
    """A short text of an input or output for list views: never a whole state.

    Example:
        >>> readable({"question": "When?", "cache": "x" * 1000}, ("question",))
        'When?'
    """
    if isinstance(value, str):
        return value
    if hasattr(value, "content"):
        return text_of(value.content)
    if not isinstance(value, Mapping):
        return None
    messages = value.get("messages")
    if isinstance(messages, list | tuple) and messages:
        last = messages[-1]
        if isinstance(last, list | tuple) and len(last) == 2:
            return str(last[1])
        content = (
            last.get("content") if isinstance(last, Mapping) else getattr(last, "content", last)
        )
        return text_of(content)
    for key in keys:
        if isinstance(text := value.get(key), str):
            return text
    if len(value) == 1:
        # A stream in `updates` mode gives {node: update}.
        inner = next(iter(value.values()))
        return readable(inner, keys) if isinstance(inner, Mapping) else None
    return None
