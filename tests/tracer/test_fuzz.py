"""What is written is read back, and damage ends in findings or errors, never in silence.

`STAGETRACE_FUZZ_SEED` starts the damage; changed inputs of every kind are in `tests/flow`.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tracer.attributes import IDENTITY, LINE_CRC, SEQUENCE
from tracer.columns import export_columns
from tracer.errors import StagetraceError
from tracer.export_json import write_jaeger_json, write_otlp_json
from tracer.fold import fold, in_order
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.record import Recorder
from tracer.records import Done, Outcome, Request
from tracer.spans import item_span, set_answer
from tracer.store import RunStore, read_run
from tracer.stored import StoredEvent, StoredLink, StoredSpan

SEED = int(os.environ.get("STAGETRACE_FUZZ_SEED", "20"))

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


@pytest.mark.parametrize(("how", "count"), [("flip", 2_000), ("cut", 500)])
def test_damage_is_never_silent(how, count, run):
    rng = random.Random(SEED)
    print(f"seed {SEED}")  # noqa: T201 - so that a failure can be repeated
    path = run / "traces" / "0.otlp.jsonl"
    good = path.read_bytes()
    expected, said = as_read(run)
    assert not said
    try:
        for _ in range(count):
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


@pytest.mark.parametrize("odd", [None, "\u00b2", "9" * 5_000, "-1", 1.5, [], True])
def test_an_odd_place_in_the_sequence_is_no_crash(odd):
    spans = [
        StoredSpan("a" * 32, f"{n:016x}", "execute_tool t", attributes={SEQUENCE: value})
        for n, value in ((1, 1), (2, odd), (3, 0))
    ]
    assert len(in_order(spans)) == 3
    assert fold(spans).spans == 3
