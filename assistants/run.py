"""One item in one wording: reset, answer, grade, done-record; the loop is in `loop.py`."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from assistants.base import AgentError, AssistantFactory, Noting, Parts, RetrieverFactory, Seeded
from assistants.limits import limited, time_limit
from assistants.retrieval import traced
from assistants.slots import Slot, seed_of
from sandboxes.asking import with_asked_back
from sandboxes.base import Forcing, Sandbox
from tracer.errors import EndpointError, StagetraceError
from tracer.fold import fold
from tracer.protocols import Assistant, ChatModel, Prompted, Retriever
from tracer.record import Recorder, Span
from tracer.records import Done, Json, Message, ModelSource, Outcome, Request
from tracer.spans import current_span, identity, item_span, set_answer, set_outcome
from tracer.wrap import wrap_model, wrap_tool

ERROR_CHARACTERS = 2_000
"""Of an error's text in a done-record; the trace holds more."""


class ItemTimeoutError(AgentError):
    """The item took longer than it may; the agent's own limit, so an outcome."""


class GraderError(StagetraceError):
    """The sandbox's grader broke; the item has no score."""


class HarnessError(StagetraceError):
    """What surrounds the agent broke; the item has no score."""


@dataclass(slots=True)
class Bench:
    """The parts that one process serves items with; an index is built once a corpus."""

    sandbox: Sandbox
    model: ChatModel
    assistant: AssistantFactory
    kind: str
    """`rag`, `tools`, `llm` or `user`."""
    retriever: RetrieverFactory | None = None
    retriever_sources: Sequence[ModelSource] = ()
    """Of the models that the retriever uses."""
    retriever_name: str = ""
    """As it stands on spans."""
    top_k: int = 5
    limits: Mapping[str, int] = field(default_factory=dict)
    timeout_s: float | None = None
    seed: int = 0
    run: str = ""
    clock: Callable[[], int] = time.time_ns
    _indexes: dict[str, Retriever] = field(default_factory=dict)

    def index(self, slot: Slot) -> tuple[Retriever | None, str]:
        """The retriever over the slot's documents and the name of their collection."""
        corpus = self.sandbox.corpus(slot.task) if self.retriever else None
        if corpus is None or self.retriever is None:
            return None, ""
        if corpus.name not in self._indexes:
            self._indexes[corpus.name] = self.retriever(corpus.documents)
        return self._indexes[corpus.name], corpus.name

    def close(self) -> None:
        """Let go of the model's connections, if it has any."""
        close = getattr(self.model, "close", None)
        if close is not None:
            close()


def run_slot(bench: Bench, recorder: Recorder, slot: Slot, *, attempt: int = 0) -> Done:
    """Run and grade one item in one wording; its spans are stored when this returns.

    The agent's own exceptions and limits are an outcome and are graded. An endpoint, a sandbox or a
    grader that breaks gives a record without a score.

    Args:
        bench: The parts to run with.
        recorder: Takes the spans.
        slot: What to run.
        attempt: How often it was begun before.

    Raises:
        StoreError: The spans could not be stored; nothing can be run on.
        InputError: The parts do not fit together, so no item can be run.
    """
    started = bench.clock()
    request = slot.request(0)
    item, condition, replicate = slot.key
    outcome: Outcome | None = None
    failure: BaseException | None = None
    spans = tokens_in = tokens_out = 0
    with item_span(recorder, request, run=bench.run, assistant_kind=bench.kind) as span:
        try:
            error = _answer(bench, recorder, slot, span)
            trace = fold(recorder.so_far(span))
            spans = trace.spans
            tokens_in = sum(call.input_tokens or 0 for call in trace.model_calls)
            tokens_out = sum(call.output_tokens or 0 for call in trace.model_calls)
            with _broken("grading", GraderError):
                outcome = bench.sandbox.grade(slot.task, trace)
            outcome = with_asked_back(outcome, slot.task, trace)
            outcome = replace(outcome, errored=outcome.errored or error is not None)
            set_outcome(span, outcome)
        except (EndpointError, GraderError, HarnessError, KeyboardInterrupt) as broken:
            failure = broken
            span.fail(broken)
    recorder.flush()
    return Done(
        item=item,
        condition=condition,
        replicate=replicate,
        status=_status(failure),
        trace_id=span.trace_id,
        request=request,
        outcome=outcome,
        error_class=type(failure).__name__ if failure else "",
        error=recorder.redactor.text(str(failure))[:ERROR_CHARACTERS] if failure else "",
        spans=spans,
        attempt=attempt,
        started_ns=started,
        ended_ns=bench.clock(),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
    )


def _status(failure: BaseException | None) -> Literal["ok", "failed", "interrupted"]:
    if failure is None:
        return "ok"
    return "interrupted" if isinstance(failure, KeyboardInterrupt) else "failed"


def _answer(bench: Bench, recorder: Recorder, slot: Slot, span: Span) -> Exception | None:
    """Have the assistant answer every turn; the agent's own exception comes back, noted."""
    with _broken("preparing the sandbox", HarnessError):
        bench.sandbox.reset(slot.task)
    parts = _parts(bench, recorder, slot)
    assistant: Assistant | None = None
    if isinstance(bench.model, Seeded):
        bench.model.reseed(seed_of(bench.seed, slot.key))
    history: list[Message] = []
    answer = ""

    def late() -> ItemTimeoutError:
        return ItemTimeoutError(f"no answer within {bench.timeout_s:g} s")

    for turn, gold in enumerate(slot.task.turns):
        request = slot.request(turn, history)
        with _broken("preparing the turn", HarnessError):
            bench.sandbox.begin_turn(slot.task, turn)
        if isinstance(bench.model, Prompted):
            bench.model.begin(slot.task, request)
        try:
            with _turn(request, bench.run), time_limit(bench.timeout_s, late):
                assistant = assistant or bench.assistant(parts)
                answer = assistant.answer(request)
        except StagetraceError:
            raise
        except Exception as error:
            if is_endpoint_failure(error):
                raise EndpointError(f"{type(error).__name__}: {error}") from error
            span.fail(error)
            return error
        set_answer(span, answer)
        history.append(Message("user", request.text))
        history += _after_turn(bench.sandbox, slot, turn) or [
            Message("assistant", gold.reply or answer)
        ]
    return None


def _after_turn(sandbox: Sandbox, slot: Slot, turn: int) -> Sequence[Message]:
    """What later turns see of this one where the suite forces its own: gold calls and texts."""
    return sandbox.gold_turn(slot.task, turn) if isinstance(sandbox, Forcing) else ()


def _parts(bench: Bench, recorder: Recorder, slot: Slot) -> Parts:
    retriever, collection = bench.index(slot)
    if isinstance(bench.model, Noting):
        bench.model.on_event = functools.partial(_note, recorder)
    return Parts(
        recorder=recorder,
        model=wrap_model(bench.model, recorder),
        tools=tuple(
            wrap_tool(tool, recorder, bench.sandbox)
            for tool in limited(bench.sandbox.tools(), bench.limits)
        ),
        retriever=retriever
        and traced(retriever, recorder, ranker=bench.retriever_name, data_source=collection),
        briefing=bench.sandbox.briefing,
        top_k=bench.top_k,
        limits=bench.limits,
    )


def _note(recorder: Recorder, name: str, attributes: Mapping[str, Json]) -> None:
    """Note an event on the span that is open, which is that of the model's call."""
    span = current_span(recorder)
    if span is not None:
        span.event(name, dict(attributes))


@contextmanager
def _turn(request: Request, run: str) -> Iterator[None]:
    """Have the spans of a later turn say so; those of the first carry the item's identity."""
    if request.turn == 0:
        yield
        return
    with identity(request, run):
        yield


@contextmanager
def _broken(doing: str, kind: type[StagetraceError]) -> Iterator[None]:
    """Turn any exception of a sandbox into one of ours that says what was being done."""
    try:
        yield
    except StagetraceError:
        raise
    except Exception as error:
        raise kind(f"{doing}: {type(error).__name__}: {error}") from error


_ENDPOINT_CLASSES = frozenset(
    {"APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError"}
)


def is_endpoint_failure(error: BaseException) -> bool:
    """Whether an exception of a user's agent says that its model endpoint broke.

    Known by the class names of the OpenAI client and those built on it, so that none is imported.
    """
    seen: BaseException | None = error
    while seen is not None:
        if any(cls.__name__ in _ENDPOINT_CLASSES for cls in type(seen).__mro__):
            return True
        seen = seen.__cause__
    return False
