"""Spans as Parquet: typed columns for what is asked of spans, everything else in text columns.

The form is derived: it can be deleted, and it is made again when its source has changed. One file
of spans gives one Parquet file, which DuckDB, Polars, pandas and Spark read as it is.

Source:
    Ours: replay from JSON lines costs 20 to 40 times as much as from typed columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tracer import attributes as names
from tracer.conventions.base import translated
from tracer.conventions.payloads import documents_of, flat_documents, token_count
from tracer.errors import TraceFormatError
from tracer.files import write_whole
from tracer.fold import step_of
from tracer.formats.parquet import FORMAT, TEXTS, text_of_values
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.references import restored
from tracer.registry import missing_extra
from tracer.store import trace_files
from tracer.stored import StoredSpan, Value

FOLDER: Final = "columns"
"""In a run folder."""
_INDEX: Final = "columns.json"
_ROWS: Final = 16_384
_LEVEL: Final = 6
_WORDS: Final = {
    "run": names.RUN_ID,
    "suite": names.BENCHMARK,
    "item": names.ITEM_ID,
    "cluster": names.CLUSTER,
    "condition": names.CONDITION_NAME,
    "tool": names.TOOL_NAME,
    "tool_effect": names.TOOL_EFFECT,
    "tool_outcome": names.TOOL_OUTCOME,
    "model": names.REQUEST_MODEL,
    "error_type": names.ERROR_TYPE,
}
"""Columns that hold one short text of a span."""
_NUMBERS: Final = {
    "replicate": names.REPLICATE,
    "turn": names.TURN,
    "sequence": names.SEQUENCE,
    "input_tokens": names.INPUT_TOKENS,
    "output_tokens": names.OUTPUT_TOKENS,
}


def columns_of(run: Path | str, extra: Mapping[str, str] | None = None) -> Path:
    """The folder of a run's columns, made or brought up to date when a file of spans has changed.

    Args:
        run: Run folder, or folder with files of traces.
        extra: Further columns, each with the attribute it holds as text.

    Raises:
        TraceFormatError: The spans cannot be read.
        MissingExtraError: pyarrow is not installed.
    """
    folder = Path(run)
    files = trace_files(folder) if folder.is_dir() else [folder]
    out = (folder if folder.is_dir() else folder.parent) / FOLDER
    return write_columns(files, out, extra)


def write_columns(files: Sequence[Path], out: Path, extra: Mapping[str, str] | None = None) -> Path:
    """Write the columns of files of spans into a folder; those of unchanged files stay.

    Raises:
        TraceFormatError: The spans cannot be read.
        MissingExtraError: pyarrow is not installed.
    """
    sources: dict[str, dict[str, Any]] = {}
    wanted = {
        "format": FORMAT,
        "extra": dict(extra or {}),
        "sources": sources,
    }
    index = out / _INDEX
    known = _read_index(index)
    same = known.get("format") == FORMAT and known.get("extra") == wanted["extra"]
    kept = known.get("sources", {}) if same else {}
    out.mkdir(parents=True, exist_ok=True, mode=0o700)
    parts = {file: out / f"spans-{number:05}.parquet" for number, file in enumerate(files)}
    for file, part in parts.items():
        source = str(file.resolve())
        stamp = {**_stamp(file), "part": part.name}
        sources[source] = stamp
        if kept.get(source) == stamp and part.exists():
            continue
        spans = read_file(file, Report())
        _write_part(part, spans, extra or {})
    for old in set(out.glob("spans-*.parquet")) - set(parts.values()):
        old.unlink()
    write_whole(index, msgspec.json.format(msgspec.json.encode(wanted), indent=1) + b"\n")
    return out


def export_columns(spans: Iterable[StoredSpan], out: Path) -> int:
    """Write spans as one Parquet file into a new folder; gives their number.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    out.mkdir(parents=True, exist_ok=True, mode=0o700)
    return _write_part(out / "spans-00000.parquet", spans, {})


def read_columns(path: Path | str, columns: Sequence[str] | None = None) -> Any:
    """The spans of a folder of columns as a pyarrow table, with only the named columns.

    Raises:
        TraceFormatError: The folder holds no columns.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("pyarrow", "analysis", "reading columns") from None
    parts = sorted(Path(path).glob("*.parquet"))
    if not parts:
        raise TraceFormatError(f"{path}: no columns are there; make them with columns_of")
    wanted = None if columns is None else list(columns)
    return pa.concat_tables([pq.read_table(part, columns=wanted) for part in parts])


def _stamp(file: Path) -> dict[str, int]:
    found = file.stat()
    return {"size": found.st_size, "modified_ns": found.st_mtime_ns}


def _read_index(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def schema_of(extra: Iterable[str] = ()) -> Any:
    """The pyarrow schema of the columns."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("trace_id", pa.binary(16)),
            ("span_id", pa.binary(8)),
            ("parent_id", pa.binary(8)),
            ("name", word),
            ("step", word),
            ("span_kind", pa.int8()),
            ("status", pa.int8()),
            ("start_ns", pa.int64()),
            ("end_ns", pa.int64()),
            *((name, word) for name in _WORDS),
            *((name, pa.int64()) for name in _NUMBERS),
            ("doc_ids", pa.list_(pa.string())),
            ("doc_scores", pa.list_(pa.float64())),
            *((name, word) for name in extra),
            ("scope", word),
            ("status_message", pa.string()),
            ("dropped", pa.int32()),
            *((name, pa.string()) for name in TEXTS),
        ],
        metadata={"stagetrace.format": str(FORMAT)},
    )


def _write_part(path: Path, spans: Iterable[StoredSpan], extra: Mapping[str, str]) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("pyarrow", "analysis", "columns") from None
    schema = schema_of(extra)
    part = path.with_name(f".{path.name}.part")
    rows: dict[str, list[Any]] = {name: [] for name in schema.names}
    count = 0
    with pq.ParquetWriter(
        part, schema, compression="zstd", compression_level=_LEVEL, store_schema=True
    ) as writer:

        def flush() -> None:
            arrays = [pa.array(rows[field.name], field.type) for field in schema]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            for values in rows.values():
                values.clear()

        for raw, whole in _both(spans):
            _add(rows, raw, whole, extra)
            count += 1
            if len(rows["name"]) == _ROWS:
                flush()
        if rows["name"] or not count:
            flush()
    part.chmod(0o600)
    part.replace(path)
    return count


def _both(spans: Iterable[StoredSpan]) -> Iterator[tuple[StoredSpan, StoredSpan]]:
    """Each span as it is stored, and whole: with its references put back, in our words."""
    waiting: dict[tuple[str, str], list[StoredSpan]] = {}

    def noted() -> Iterator[StoredSpan]:
        for raw in spans:
            waiting.setdefault((raw.trace_id, raw.span_id), []).append(raw)
            yield raw

    for whole in restored(noted()):
        key = (whole.trace_id, whole.span_id)
        yield waiting[key].pop(0), translated(whole)
        if not waiting[key]:
            del waiting[key]


def _add(
    rows: dict[str, list[Any]], raw: StoredSpan, whole: StoredSpan, extra: Mapping[str, str]
) -> None:
    given = whole.attributes
    rows["trace_id"].append(bytes.fromhex(raw.trace_id))
    rows["span_id"].append(bytes.fromhex(raw.span_id))
    rows["parent_id"].append(bytes.fromhex(raw.parent_id) if raw.parent_id else None)
    rows["name"].append(raw.name)
    rows["step"].append(step_of(whole))
    rows["span_kind"].append(raw.kind if 0 <= raw.kind < 100 else 0)
    rows["status"].append(raw.status if 0 <= raw.status < 100 else 0)
    rows["start_ns"].append(_int64(raw.started_ns))
    rows["end_ns"].append(_int64(raw.ended_ns))
    for name, key in (*_WORDS.items(), *extra.items()):
        value = given.get(key)
        rows[name].append(value if value is None or isinstance(value, str) else str(value))
    for name, key in _NUMBERS.items():
        rows[name].append(_int64(token_count(given.get(key))))
    ids, scores = _documents(given, rows["step"][-1])
    rows["doc_ids"].append(ids)
    rows["doc_scores"].append(scores)
    rows["scope"].append(raw.scope)
    rows["status_message"].append(raw.status_message or None)
    rows["dropped"].append(raw.dropped or None)
    rows["attributes"].append(text_of_values(raw.attributes))
    rows["resource"].append(text_of_values(raw.resource) if raw.resource else None)
    rows["events"].append(
        text_of_values([[one.name, one.time_ns, one.attributes] for one in raw.events])
        if raw.events
        else None
    )
    rows["links"].append(
        text_of_values([[one.trace_id, one.span_id, one.attributes] for one in raw.links])
        if raw.links
        else None
    )


def _documents(
    given: Mapping[str, Value], step: str
) -> tuple[list[str] | None, list[float | None] | None]:
    if step not in ("retrieval", "rerank"):
        return None, None
    ids = given.get(names.RETRIEVED_IDS)
    if isinstance(ids, list):
        scores = given.get(names.RETRIEVED_SCORES)
        return [str(one) for one in ids], scores if isinstance(scores, list) else None
    documents = documents_of(given.get(names.DOCUMENTS))
    if documents is None:
        documents = flat_documents(given, "retrieval.documents")
    if documents is None:
        return None, None
    return [one.doc_id or "" for one in documents], [one.score for one in documents]


def _int64(value: int | None) -> int | None:
    return value if value is not None and -(2**63) <= value < 2**63 else None
