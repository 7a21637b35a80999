"""What `import stagetrace` offers: trace an agent, replay traces, score and compare them."""

from __future__ import annotations

import atexit
import functools
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from stagetrace import settings
from tracer import carry, functions, spans, wrap
from tracer.content import NOTHING, Content, most_private
from tracer.errors import StoreError
from tracer.live import Kind
from tracer.process import end_spans_on_sigterm
from tracer.record import WRITING, Durability, Recorder, Span
from tracer.records import Passage, Request, Trace
from tracer.redact import Mask, Redactor
from tracer.store import open_sink, prepare_folder, read_traces

if TYPE_CHECKING:
    import pandas as pd

    from tracer.export import ExportCount
    from tracer.live_export import LiveExporter

P = ParamSpec("P")
R = TypeVar("R")

STORE = "stagetrace-traces"
"""Where traces go when nothing is said."""


def trace(
    agent: Any,
    *,
    store: str | Path = STORE,
    otlp: str | None = None,
    otlp_content: bool | None = None,
    content: bool = True,
    mask: Sequence[Mask] = (),
    name: str = "",
    durability: Durability = "item",
    fsync: bool = False,
) -> Any:
    """The same agent, traced: each retrieval, model call and tool call becomes a span on disk.

    Args:
        agent: A LangGraph graph, a LangChain runnable, an `openai` client, a vector store, or any
            callable.
        store: Folder that takes the spans; `replay` and `stagetrace show` read it.
        otlp: OTLP endpoint that is sent the spans as well; `grpc://HOST:PORT` sends over gRPC.
        otlp_content: Whether words are sent there too; by default only where the environment asks.
        content: False leaves out requests, answers, arguments, results and documents.
        mask: Personal data that tokens replace as well: `email`, `card`, `phone`.
        name: Name of the agent on its spans; by default its own.
        durability: When the caller waits for the store: at the end of each run (`item`), also
            around tools that are known to write (`tool`), or at the end of each span (`span`).
        fsync: Whether a wait includes the disk itself, for a loss of power.

    Raises:
        TypeError: The agent is none of these.
        StoreError: The folder cannot be written.

    Example:
        traced = stagetrace.trace(graph, store="traces")
        traced.invoke({"messages": [("user", "Where is my parcel?")]})
    """
    into = recorder(
        store,
        otlp=otlp,
        otlp_content=otlp_content,
        content=content,
        mask=mask,
        durability=durability,
        fsync=fsync,
    )
    return wrap.trace(agent, into, name=name)


def recorder(
    store: str | Path = STORE,
    *,
    otlp: str | None = None,
    otlp_content: bool | None = None,
    content: bool = True,
    mask: Sequence[Mask] = (),
    durability: Durability = "item",
    fsync: bool = False,
) -> Recorder:
    """This process' recorder for a folder; the last one asked for serves `span` and the others."""
    wanted = most_private([settings.content(), content])
    sent = settings.live_content() if otlp_content is None else otlp_content
    folder = Path(store).resolve()
    chosen = _recorder(folder, wanted, otlp or "", sent, tuple(mask), durability, fsync)
    _LAST.clear()
    _LAST.append(chosen)
    return chosen


_LAST: list[Recorder] = []


@functools.cache
def _recorder(
    folder: Path,
    content: Content,
    otlp: str,
    otlp_content: bool,
    mask: tuple[Mask, ...],
    durability: Durability,
    fsync: bool,
) -> Recorder:
    prepare_folder(folder)
    sink = open_sink(folder, f"{time.time_ns():x}-{os.getpid()}")
    exporter = _exporter(otlp, otlp_content)
    made = Recorder(
        sink,
        content=content,
        redactor=Redactor(mask=mask),
        durability=durability,
        fsync=fsync,
        beside=[exporter] if exporter else [],
    )
    atexit.register(_close, made, exporter, os.getpid())
    end_spans_on_sigterm()
    what = "requests, answers, calls, documents" if content.whole else "names, ids, times"
    if not content.whole:
        what += ", no content" if content == NOTHING else " and some content"
    sys.stderr.write(f"stagetrace: recording {what} in {folder}\n")
    return made


def _exporter(url: str, content: bool) -> LiveExporter | None:
    from tracer.live_export import LiveExporter

    return LiveExporter.to(url, content=content) if url else None


def _close(made: Recorder, exporter: LiveExporter | None, process: int) -> None:
    """Write and send what is left, and say where the spans went; of failures too."""
    made.end_open("exit")
    try:
        made.close()
    except StoreError as error:
        sys.stderr.write(f"stagetrace: {error}\n")
    if exporter is not None and process == os.getpid():
        exporter.close()
        sys.stderr.write(f"stagetrace: {exporter.summary()}\n")


def _current() -> Recorder:
    return _LAST[0] if _LAST else recorder()


@contextmanager
def span(name: str, *, kind: Kind = "chain", **attributes: object) -> Iterator[Span]:
    """A span around hand-made code, under whatever span is current.

    Args:
        name: Name of the span.
        kind: Kind of step: chain, node, retrieval, tool, chat, ...
        **attributes: First attributes; underscores in their names become dots.
    """
    given = {key.replace("_", "."): value for key, value in attributes.items()}
    with _current().span(kind, name, given) as made:
        yield made


def tool(
    function: Callable[P, R] | None = None,
    *,
    effect: Literal["read", "write", "external", "unknown"] = "unknown",
) -> Any:
    """A decorator: each call of the function is an `execute_tool` span.

    Args:
        function: The tool, sync or async.
        effect: Whether it reads or writes. With the durability `tool` the caller waits for the disk
            before and after a tool that writes.
    """
    if function is None:
        return functools.partial(tool, effect=effect)

    def begin(made: Span, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        arguments = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
        spans.set_tool_call(made, function.__name__, arguments, effect=effect)
        if effect in WRITING:
            made.recorder.before_write()

    return _around(
        function, "tool", f"execute_tool {function.__name__}", begin, spans.set_tool_result
    )


def retriever(function: Callable[P, R] | None = None, *, ranker: str = "") -> Any:
    """A decorator: each call of the function is a `retrieval` span with ids and scores.

    Args:
        function: Takes the query first; gives passages, LangChain documents, dicts with `id`,
            `score` and `text`, or pairs of id and score, best first.
        ranker: What ranks, such as bm25.
    """
    if function is None:
        return functools.partial(retriever, ranker=ranker)

    def begin(made: Span, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
        query = next(iter(bound.values()), "")
        spans.set_retrieval_query(made, str(query), bound.get("k"), ranker=ranker)

    def end(made: Span, result: Any) -> None:
        spans.set_passages(made, [_passage(found) for found in result])

    return _around(function, "retrieval", "retrieval", begin, end)


def _passage(found: Any) -> Passage:
    if isinstance(found, Passage):
        return found
    if isinstance(found, tuple):
        return Passage(str(found[0]), float(found[1]))
    if isinstance(found, dict):
        score = found.get("score")
        return Passage(str(found["id"]), None if score is None else float(score), found.get("text"))
    metadata = getattr(found, "metadata", {}) or {}
    doc_id = getattr(found, "id", None) or metadata.get("id") or metadata.get("doc_id") or ""
    score = metadata.get("score")
    text = getattr(found, "page_content", None)
    return Passage(str(doc_id), None if score is None else float(score), text)


def _around(
    function: Callable[P, R],
    kind: Kind,
    name: str,
    begin: Callable[[Span, tuple[Any, ...], dict[str, Any]], None],
    end: Callable[[Span, Any], None],
) -> Callable[P, Any]:
    def start(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Span:
        made = _current().start(kind, name)
        try:
            begin(made, args, kwargs)
        except BaseException as error:
            made.end(error)
            raise
        return made

    return functions.traced(function, start, end)


Executor = carry.CarryingExecutor
"""A thread pool whose tasks run under the span that was current where they were submitted."""

carried = carry.carried
carrier = carry.carrier
continued = carry.continued


@contextmanager
def identity(
    *, item: str, condition: str = "base", replicate: int = 0, text: str = "", run: str = ""
) -> Iterator[None]:
    """Have every span inside carry the item, the condition and the replicate.

    Args:
        item: Which item of your evaluation this is.
        condition: Which wording, such as `base` or `indirect`.
        replicate: Which repetition, from 0.
        text: The request, for `stagetrace.variant.id`.
        run: Name of the run.
    """
    with spans.identity(Request(item, text, condition=condition, replicate=replicate), run):
        yield


def replay(path: str | Path) -> Iterator[Trace]:
    """The stored traces of a run folder, of a folder of OTLP JSON lines, or of one such file.

    Raises:
        TraceFormatError: Nothing is there that can be read.
    """
    for made in _LAST:
        made.flush()
    return read_traces(path)


def score(
    traces: Iterator[Trace] | Sequence[Trace], metrics: Sequence[str] | None = None
) -> pd.DataFrame:
    """A long table: run, suite, item, cluster, condition, replicate, metric, value.

    `value` is NaN where a metric is not available, never 0.

    Raises:
        UnknownNameError: There is no such metric; the nearest names are offered.
    """
    from analyzers.score import score as score_rows
    from analyzers.score import to_frame

    return to_frame(score_rows(traces, metrics))


def compare(scores: pd.DataFrame, *, baseline: str = "base") -> pd.DataFrame:
    """Paired differences of each condition to `baseline`: difference, interval, p, n.

    Raises:
        UnknownNameError: The baseline is not among the conditions.
    """
    from analyzers.compare import compare as compare_rows
    from analyzers.effect import effects_frame
    from analyzers.score import from_frame

    return effects_frame(
        effect
        for _, rows in scores.groupby("suite", sort=False)
        for effect in compare_rows(from_frame(rows), baseline=baseline).effects
    )


def export(
    path: str | Path,
    url: str,
    *,
    protocol: Literal["http", "grpc"] = "http",
    content: bool | None = None,
) -> ExportCount:
    """Send stored spans to an OTLP receiver; how many were made, delivered, rejected and dropped.

    Args:
        path: Run folder, or folder or file of traces.
        url: Address of the receiver.
        protocol: How OTLP is spoken.
        content: Whether requests, answers, arguments and documents are sent; None: they are, but
            for runs over `enronqa`.

    Raises:
        StagetraceError: The receiver cannot be reached.
    """
    from stagetrace.suite import sends_content
    from tracer.export import export_otlp

    if content is None:
        content = sends_content(Path(path))
    return export_otlp(path, url, protocol=protocol, content=content)
