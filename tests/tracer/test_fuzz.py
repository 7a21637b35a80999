"""Damaged and hostile inputs end in findings or in our own errors, never in a crash or in silence.

`STAGETRACE_FUZZ_S` makes the mutation run that many seconds; `STAGETRACE_FUZZ_SEED` starts it.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tests.conformance.input_cases import SUFFIX
from tests.tracer.otlp_inputs import line, span, tool
from tracer.attributes import IDENTITY, LINE_CRC
from tracer.columns import export_columns
from tracer.errors import StagetraceError
from tracer.export_json import write_jaeger_json, write_otlp_json
from tracer.fold import fold
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.formats.source import Limits
from tracer.record import Recorder
from tracer.records import Done, Outcome, Request
from tracer.spans import item_span, set_answer
from tracer.store import RunStore, read_run, read_traces
from tracer.stored import StoredEvent, StoredLink, StoredSpan
from tracer.testing import MemorySink

SEED = int(os.environ.get("STAGETRACE_FUZZ_SEED", "20"))
SECONDS = float(os.environ.get("STAGETRACE_FUZZ_S", "5"))

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
scalars = (
    texts
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.binary(max_size=9)
    | st.none()
)
values = scalars | st.lists(scalars, max_size=4)
attributes = st.dictionaries(texts, values, max_size=5)
spans = st.builds(
    StoredSpan,
    trace_id=st.integers(1, 2**128 - 1).map("{:032x}".format),
    span_id=st.integers(1, 2**64 - 1).map("{:016x}".format),
    name=texts,
    parent_id=st.just("") | st.integers(1, 2**64 - 1).map("{:016x}".format),
    kind=st.integers(0, 5),
    started_ns=st.integers(0, 2**63 - 1),
    ended_ns=st.none() | st.integers(1, 2**63 - 1),
    attributes=attributes,
    events=st.lists(
        st.builds(StoredEvent, texts, st.integers(0, 2**63 - 1), attributes), max_size=2
    ).map(tuple),
    links=st.lists(
        st.builds(StoredLink, st.just("a" * 32), st.just("b" * 16), attributes), max_size=2
    ).map(tuple),
    status=st.integers(0, 2),
    status_message=st.just(""),
    resource=attributes.map(
        lambda one: {key: value for key, value in one.items() if key not in (*IDENTITY, LINE_CRC)}
    ),
    scope=texts,
    dropped=st.integers(0, 9),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def known(one):
    """As it is read back: a text of JSON stands for a value that OTLP has no type for."""
    return sorted(one, key=lambda span: (span.trace_id, span.span_id))


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)
@given(st.lists(spans, min_size=1, max_size=4, unique_by=lambda one: one.span_id))
@pytest.mark.parametrize("form", ["lines", "object", "parquet"])
def test_any_span_that_is_written_is_read_back_the_same(tmp_path, form, some):
    path = tmp_path / form
    if form == "parquet":
        export_columns(some, path)
        path = path / "spans-00000.parquet"
    else:
        (write_otlp_json if form == "lines" else write_jaeger_json)(path, some)
    report = Report()
    assert known(read_file(path, report)) == known(some)
    assert not report.counts


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)
@given(
    request=texts,
    answer=texts,
    calls=st.lists(st.tuples(texts, st.dictionaries(texts, json_values, max_size=3))),
    documents=st.lists(st.tuples(texts, st.none() | st.floats(0, 1), st.none() | texts)),
)
def test_any_trace_that_is_written_is_read_back_the_same(request, answer, calls, documents):
    """From what was done to a `Trace`, through the store's own lines."""
    from tracer.records import Passage, Tool
    from tracer.wrap import wrap_retriever, wrap_tool

    sink = MemorySink()
    passages = [Passage(*one) for one in documents]
    with (
        Recorder(sink, run="r") as recorder,
        item_span(recorder, Request("i", request), assistant_kind="tools") as item,
    ):
        wrap_retriever(lambda query, k: passages, recorder, ranker="x")(request, 5)
        for name, arguments in calls:
            made = Tool(name, "", {}, False, lambda **given: given)
            wrap_tool(made, recorder).run(**arguments)
        set_answer(item, answer)
    trace = fold(sink.spans())
    assert (trace.request.text, trace.answer) == (request, answer)
    assert [(call.name, call.arguments, call.result) for call in trace.calls] == [
        (name, arguments, arguments) for name, arguments in calls
    ]
    assert trace.retrievals[0].passages is not None
    assert [one.doc_id for one in trace.retrievals[0].passages] == [one for one, *_ in documents]
    assert not trace.warnings


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run folder of six items."""
    folder = tmp_path_factory.mktemp("fuzz") / "run"
    with RunStore.create(folder, {"run": "r"}) as store:
        with Recorder(store.sink("0")) as recorder:
            for number in range(6):
                request = Request(f"i{number}", f"Question {number}, with some words?")
                with item_span(recorder, request, run="r", assistant_kind="rag") as item:
                    arguments = {"gen_ai.tool.call.arguments": f'{{"n": {number}}}'}
                    with recorder.span("tool", "execute_tool t", arguments):
                        pass
                    set_answer(item, f"answer {number} " + "x" * 400)
                    count = len(recorder.so_far(item))
                recorder.flush()
                done = Done(
                    f"i{number}",
                    "base",
                    0,
                    "ok",
                    item.trace_id,
                    request,
                    Outcome("strict"),
                    spans=count,
                )
                store.add_done(done)
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})
    return folder


def as_read(folder):
    """The traces of a run, and whether anything was said of them."""
    report = Report()
    try:
        found = sorted(read_run(folder).traces(report), key=lambda trace: trace.trace_id)
    except StagetraceError:
        return None, True
    return found, bool(report.counts) or any(trace.warnings for trace in found)


def silent(traces):
    return [replace(trace, warnings=()) for trace in traces]


@pytest.mark.parametrize(("how", "count"), [("flip", 400), ("cut", 100)])
def test_damage_is_never_silent(how, count, run):
    """`STAGETRACE_FUZZ_COUNT` multiplies the numbers: 5 gives 2,000 flips and 500 cuts."""
    rng = random.Random(SEED)
    print(f"seed {SEED}")  # noqa: T201 - so that a failure can be repeated
    path = run / "traces" / "0.otlp.jsonl"
    good = path.read_bytes()
    expected, said = as_read(run)
    assert not said
    try:
        for _ in range(count * int(os.environ.get("STAGETRACE_FUZZ_COUNT", "1"))):
            at = rng.randrange(len(good))
            bad = bytearray(good)
            if how == "flip":
                bad[at] ^= 1 << rng.randrange(8)
            else:
                del bad[at:]
            path.write_bytes(bad)
            found, said = as_read(run)
            assert said or (found is not None and silent(found) == silent(expected)), (how, at)
    finally:
        path.write_bytes(good)


_ODD = (b"null", b"{}", b"[]", b'""', b"-1", b"1e999", b"NaN", b"[" * 2000, b'"\\ud800"', b"true")


def mutated(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The data with some of it changed, doubled, taken out, or swapped with another input's."""
    bad = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not bad:
            break
        at = rng.randrange(len(bad))
        size = min(rng.choice((1, 2, 8, 64, 500)), len(bad) - at)
        kind = rng.randrange(7)
        if kind == 0:
            bad[at] = rng.randrange(256)
        elif kind == 1:
            del bad[at : at + size]
        elif kind == 2:
            bad[at:at] = bad[at : at + size] * rng.choice((1, 3))
        elif kind == 3:
            other = rng.choice(others)
            start = rng.randrange(len(other)) if other else 0
            bad[at : at + size] = other[start : start + size]
        elif kind == 4:
            bad[at : at + size] = rng.choice(
                (
                    b"null",
                    b"{}",
                    b"[]",
                    b'""',
                    b"-1",
                    b"1e999",
                    b"NaN",
                    b"[" * 2000,
                    b'"\\ud800"',
                    b"true",
                )
            )
        elif kind == 5:
            bad[at : at + size] = b"\n"
        else:
            bad = bytearray(bad.replace(rng.choice((b":", b",", b'"', b"}")), b"", 1))
    return bytes(bad)


def test_mutated_inputs_end_in_our_own_errors_only(specs_dir, tmp_path):
    folder = specs_dir / "trace-inputs"
    names = [one.name.removesuffix(SUFFIX) for one in sorted(folder.glob(f"*{SUFFIX}"))]
    inputs = [(folder / name).read_bytes() for name in names]
    inputs.append(b"".join(line(span(1), tool(2)) for _ in range(3)))
    inputs = [one[:30_000] if len(one) > 60_000 else one for one in inputs]
    rng = random.Random(SEED)
    until = time.monotonic() + SECONDS
    count = 0
    path = tmp_path / "x"
    while time.monotonic() < until:
        data = mutated(rng, rng.choice(inputs), inputs)
        path.write_bytes(data)
        count += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                for trace in read_traces(path, Report(), limits=Limits(), allow_empty=True):
                    assert trace.trace_id
        except StagetraceError:
            pass
        except Exception:
            crash = tmp_path / "crash"
            crash.write_bytes(data)
            print(f"seed {SEED}, input {count}: {data[:3000]!r}")  # noqa: T201
            raise
    print(f"seed {SEED}: {count} mutated inputs in {SECONDS} s")  # noqa: T201
