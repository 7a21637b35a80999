"""Columns hold what was written, are made once, and are read by others as they are."""

from __future__ import annotations

import pytest

from tests.tracer.otlp_inputs import TRACE, line, span, tool, write
from tracer.columns import columns_of, read_columns, write_columns
from tracer.errors import TraceFormatError
from tracer.formats.report import Report
from tracer.quick import scan
from tracer.store import read_spans, read_traces

DOCUMENTS = '[{"id": "d1", "score": 0.5}, {"id": "d2"}]'
RETRIEVAL = {"openinference.span.kind": "RETRIEVER", "gen_ai.retrieval.documents": DOCUMENTS}
SPANS = [
    span(1, attributes={"gen_ai.operation.name": "invoke_agent", "x": float("nan"), "b": b"\x00"}),
    span(2, 1, attributes=RETRIEVAL),
    tool(3),
    tool(4, started_ns=10, ended_ns=None, status=2, status_message="why"),
]


@pytest.fixture
def source(tmp_path):
    return write(tmp_path / "traces.jsonl", line(*SPANS))


@pytest.fixture
def columns(source, tmp_path):
    return write_columns([source], tmp_path / "columns", {"question": "gen_ai.tool.name"})


def test_the_typed_columns_say_what_the_spans_say(columns):
    rows = read_columns(columns).to_pylist()
    assert [row["step"] for row in rows] == ["agent", "retrieval", "tool", "tool"]
    assert {row["trace_id"].hex() for row in rows} == {TRACE}
    assert rows[1]["doc_ids"] == ["d1", "d2"]
    assert rows[1]["doc_scores"] == [0.5, None]
    assert [row["tool"] for row in rows] == [None, None, "search", "search"]
    assert rows[2]["question"] == "search"
    assert (rows[3]["end_ns"], rows[3]["status"], rows[3]["status_message"]) == (None, 2, "why")


def test_only_the_named_columns_are_read(columns):
    assert read_columns(columns, ["tool", "start_ns"]).column_names == ["tool", "start_ns"]


def test_columns_are_read_as_traces_like_the_lines_they_come_from(source, columns):
    assert list(read_traces(columns, Report())) == list(read_traces(source, Report()))
    assert repr(list(read_spans(columns, Report()))) == repr(list(read_spans(source, Report())))


def test_duckdb_reads_them_as_they_are(columns):
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(
        f"select step, count(*) from '{columns}/*.parquet' group by 1 order by 1"
    ).fetchall()
    assert found == [("agent", 1), ("retrieval", 1), ("tool", 2)]
    ids = duckdb.sql(
        f"select doc_ids from '{columns}/*.parquet' where step = 'retrieval'"
    ).fetchall()
    assert ids == [(["d1", "d2"],)]


def test_polars_reads_them_as_they_are(columns):
    pl = pytest.importorskip("polars")
    spans = pl.scan_parquet(columns / "*.parquet")
    tools = spans.filter(pl.col("step").cast(pl.String) == "tool")
    took = tools.select((pl.col("end_ns") - pl.col("start_ns")).mean()).collect().item()
    assert took == 500
    (ids,) = spans.select(pl.col("doc_ids").drop_nulls()).collect()["doc_ids"].to_list()
    assert ids == ["d1", "d2"]


def test_columns_are_made_once_and_again_when_the_source_changes(source, tmp_path):
    other = write(tmp_path / "other.jsonl", line(span(9, trace="9" * 32)))
    out = write_columns([source, other], tmp_path / "columns")
    first = {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")}
    write_columns([source, other], out)
    assert {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")} == first
    write(other, line(span(9, trace="9" * 32), span(10, 9, trace="9" * 32)))
    write_columns([source, other], out)
    second = {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")}
    assert [name for name in first if first[name] != second[name]] == ["spans-00001.parquet"]
    assert read_columns(out).num_rows == 6
    write_columns([source], out)
    assert read_columns(out).num_rows == 4
    write_columns([source], out, {"kind": "openinference.span.kind"})
    assert "kind" in read_columns(out).column_names


def test_the_columns_of_a_folder_stand_in_it(source):
    out = columns_of(source)
    assert out == source.parent / "columns"
    for file in out.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600


def test_another_programs_parquet_is_named(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(TraceFormatError, match="none of ours"):
        list(read_spans(path, Report()))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TraceFormatError, match="damaged"):
        list(read_spans(path, Report()))
    with pytest.raises(TraceFormatError, match="no columns"):
        read_columns(tmp_path / "nothing")


def test_a_quick_look_gives_what_the_reader_gives(source, tmp_path):
    keys = ("gen_ai.tool.name", "service.name", "openinference.span.kind")
    rows = list(scan(source, keys))
    assert rows[2] == (
        TRACE,
        SPANS[2].span_id,
        SPANS[2].started_ns,
        SPANS[2].ended_ns,
        {"service.name": "app", "gen_ai.tool.name": "search"},
    )
    other = line(*SPANS).replace(b'"kind": 0', b'"kind": "SPAN_KIND_CLIENT"')
    odd = write(tmp_path / "odd", line(*SPANS), b"garbage\n", other)
    report = Report()
    assert [row[:4] for row in scan(odd, keys, report)] == [row[:4] for row in rows] * 2
    assert report.bad_lines == [(str(odd), 2)]
    part = write_columns([source], tmp_path / "c") / "spans-00000.parquet"
    assert [row[1] for row in scan(part, keys)] == [one.span_id for one in SPANS]
