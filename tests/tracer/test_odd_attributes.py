"""Any attribute of any span may hold any value: a trace is folded and scored all the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from analyzers.base import METRICS
from tests.tracer.test_fuzz import SEED
from tracer.columns import export_columns
from tracer.errors import TraceFormatError
from tracer.fold import fold
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.references import restored
from tracer.stored import StoredSpan

ODD = (
    None,
    True,
    -1,
    2**63,
    1.5,
    float("nan"),
    "",
    "x",
    "\x00",
    "[]",
    '{"a": [1]}',
    "null",
    b"\xff",
)
ODD_LISTS = ([], [None], ["x"], [1, "x"], [[]], [{"a": None}], {"a": 1}, {"$st": 1})


def traces(folder) -> Iterator[list[StoredSpan]]:
    for path in sorted((folder / "trace-inputs").glob("[rs]*")):
        found: dict[str, list[StoredSpan]] = {}
        if path.name.endswith(".expected.json") or path.stat().st_size > 60_000:
            continue
        try:
            for span in restored(read_file(path, Report())):
                found.setdefault(span.trace_id, []).append(span)
        except TraceFormatError:
            continue
        yield from (spans for spans in found.values() if len(spans) < 60)


def test_odd_values_are_folded_and_scored(specs_dir, tmp_path):
    rng = random.Random(SEED)
    print(f"seed {SEED}")  # noqa: T201 - so that a failure can be repeated
    metrics = [METRICS.get(name) for name in METRICS.names()]
    kept = []
    for spans in traces(specs_dir):
        places = {key: place for place, span in enumerate(spans) for key in span.attributes}
        for key, place in sorted(places.items()):
            value = rng.choice((*ODD, *ODD_LISTS))
            odd = replace(spans[place], attributes={**spans[place].attributes, key: value})
            changed = [*spans[:place], odd, *spans[place + 1 :]]
            try:
                trace = fold(changed, Report())
                for metric in metrics:
                    metric.score(trace)
            except Exception as error:
                pytest.fail(f"{odd.scope}: {key} = {value!r}: {error!r}")
            kept.append(odd)
    assert len(kept) > 500
    assert export_columns(kept, tmp_path / "columns") == len(kept)
