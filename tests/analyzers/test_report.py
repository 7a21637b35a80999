"""Tables as people see them."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.compare import compare
from analyzers.report.csv_text import render_csv
from analyzers.report.json_text import report_document
from analyzers.report.markdown import render_markdown
from analyzers.report.metric_docs import metric_docs
from analyzers.report.numbers import change, level, probability
from analyzers.report.subject import Subject
from analyzers.report.tables import build_report
from analyzers.report.terminal import render
from analyzers.score import score
from tracer.records import Request, Trace

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"
SUBJECT = Subject(
    "office",
    "tools",
    "rules",
    "strict",
    "0.1",
    baseline_program=True,
    seed=7,
    runs=("runs/1130-office-tools",),
    gold_scope="all",
    spans_made=18_204,
    spans_stored=18_204,
    failed={"indirect": 1},
    references=frozenset({"explicit"}),
)
RATES = {
    "base": 0.05,
    "explicit": 0.1,
    "indirect": 0.6,
    "formal": 0.45,
    "dialect_black_south_african": 0.1,
}


@pytest.fixture
def report(make_trace):
    """48 invented items under five conditions; one item failed under `indirect`."""
    rng = random.Random(11)
    traces = []
    for number in range(48):
        for condition, rate in RATES.items():
            draw = rng.random()
            made = ["read", "write"] if draw > rate else ["read"] if draw > rate / 4 else ["wrong"]
            if (number, condition) != (3, "indirect"):
                item, cluster = f"office-t{number:02}", f"s{number // 4}"
                traces.append(make_trace(item, condition, made, cluster=cluster))
    found = compare(score(traces), seed=7, resamples=1000)
    return build_report(SUBJECT, found, labels=["kind"])


def check_golden(name: str, text: str) -> None:
    """The text equals the stored one; STAGETRACE_GOLDEN=1 stores it anew."""
    path = GOLDEN / name
    if os.environ.get("STAGETRACE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def lines(report, **more):
    return [line.plain for line in render(report, **more)]


@pytest.mark.parametrize(
    ("name", "width", "unicode"),
    [("analyze_80", 80, True), ("analyze_120", 120, True), ("analyze_ascii", 80, False)],
)
def test_the_layout_is_as_stored(report, name, width, unicode):
    text = "\n".join(lines(report, width=width, unicode=unicode)) + "\n"
    check_golden(f"{name}.txt", text)


@pytest.mark.parametrize("width", [50, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(report, width):
    tables = [line for line in lines(report, width=width) if not line.startswith("next: ")]
    assert max(map(len, tables)) <= width


@pytest.mark.parametrize("width", [50, 80, 120])
def test_no_number_is_cut(report, width):
    """Every difference of the overview stands whole in the text, at any width."""
    text = "\n".join(lines(report, width=width))
    for column in report.grids[0].columns:
        for cell in column.cells:
            if re.fullmatch(r"[+-]?\d+\.\d", cell):
                assert re.search(rf"(?<![\d.]){re.escape(cell)}(?![\d.])", text)


def test_columns_that_left_are_named_in_their_order(report):
    text = "\n".join(lines(report, width=60))
    assert "hidden, wider than 60: clust (p over clusters), p" in " ".join(text.split())


def test_ascii_output_is_ascii(report):
    assert "\n".join(lines(report, width=120, unicode=False)).isascii()


def test_colour_is_never_alone(report):
    """Only cells with a mark are coloured, and each carries its sign."""
    for grid in report.grids:
        for column in grid.columns:
            for cell, tone in zip(column.cells, column.tones, strict=False):
                assert not tone or cell[0] in "+-"


def test_a_baseline_program_is_called_one(report):
    assert "baseline program: shows the tool, not a finding" in report.header


def test_a_run_without_baseline_program_is_not(report):
    other = build_report(replace(SUBJECT, baseline_program=False), report.comparison)
    assert not any("baseline program" in line for line in other.header)


def test_lost_spans_are_shouted():
    subject = replace(SUBJECT, spans_stored=18_000)
    found = build_report(subject, compare([]))
    assert "SPANS LOST: 18,204 made, 18,000 stored" in "\n".join(found.header)


def test_verdicts_say_raises_and_lowers_only_where_holm_agrees(report):
    first = report.verdicts[0]
    assert first.startswith("indirect lowers success by")
    assert "it stops at the call stage" in first
    assert report.verdicts[-1].startswith("No clear change under")
    assert not any("no effect" in sentence.lower() for sentence in report.verdicts)


def test_next_commands_name_the_run_and_an_item(report):
    assert report.next[0].startswith("stagetrace diff runs/1130-office-tools office-t")
    assert report.next[1] == "stagetrace analyze runs/1130-office-tools --by kind"


def test_ungraded_traces_show_dashes_with_a_reason():
    traces = [
        Trace(f"{n}{c}", Request(f"i{n}", "x", condition=c), spans=1)
        for n in range(3)
        for c in ("base", "formal")
    ]
    found = build_report(Subject("foreign"), compare(score(traces)))
    text = "\n".join(lines(found, width=80))
    assert re.search(r"formal +(\u2013 a +)+", text)
    assert "not graded: no gold for these traces" in text
    assert "0.0" in text  # no_call needs no gold
    assert found.verdicts


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("traces", [0, 1], ids=["no item", "one item"])
def test_next_to_nothing_still_makes_a_page(make_trace, width, traces):
    found = compare(score([make_trace()] * traces))
    assert lines(build_report(SUBJECT, found), width=width)


def test_one_condition_shows_levels(make_trace):
    found = build_report(SUBJECT, compare(score([make_trace("a"), make_trace("b", made=[])])))
    text = "\n".join(lines(found, width=80))
    assert "LEVELS (one condition, nothing to compare with)" in text
    assert re.search(r"success +50\.0 +% +2", text)


HOSTILE = "x\x1b[31m|=cmd\u202e\n[b]"


def test_hostile_ids_reach_no_output_raw(make_trace):
    traces = [make_trace(HOSTILE + str(n), c) for n in range(3) for c in ("base", HOSTILE)]
    traces += [make_trace("a", "base", cluster=HOSTILE, groups={HOSTILE: HOSTILE})]
    report = build_report(
        replace(SUBJECT, suite=HOSTILE, runs=(HOSTILE,)), compare(score(traces)), labels=[HOSTILE]
    )
    texts = [*lines(report, width=80), render_markdown(report)]
    assert not any(sign in text for text in texts for sign in ("\x1b", "\u202e"))
    assert not any("\n" in line for line in lines(report, width=80))


def test_the_csv_holds_full_precision_and_no_formulas(report, make_trace):
    table = list(csv.DictReader(io.StringIO(render_csv([report]))))
    effect = report.comparison.effect("success", "indirect")
    (line,) = [r for r in table if (r["metric"], r["condition"]) == ("success", "indirect")]
    assert float(line["difference"]) == effect.difference
    evil = compare(score([make_trace("a", c) for c in ("base", "=1+1")]))
    text = render_csv([build_report(SUBJECT, evil)])
    assert "'=1+1" in text
    assert ",=1+1" not in text


def test_what_is_unknown_is_empty_in_csv_and_null_in_json(report):
    table = list(csv.DictReader(io.StringIO(render_csv([report]))))
    (line,) = [r for r in table if (r["metric"], r["condition"]) == ("recall@5", "formal")]
    assert (line["difference"], line["n"]) == ("", "0")
    document = report_document([report])
    effects = document["blocks"][0]["effects"]
    (effect,) = [e for e in effects if (e["metric"], e["condition"]) == ("recall@5", "formal")]
    assert effect["difference"] is None


def test_the_json_is_strict(report):
    text = json.dumps(report_document([report]), allow_nan=False)
    assert json.loads(text)["format"] == "stagetrace.analysis/1"


def test_a_single_condition_is_in_the_csv_too(make_trace):
    found = build_report(SUBJECT, compare(score([make_trace()], ["success"])))
    (line,) = csv.DictReader(io.StringIO(render_csv([found])))
    assert (line["condition"], line["variant"], line["difference"]) == ("base", "1.0", "")


def test_markdown_tables_have_as_many_cells_in_every_row(report):
    rows = [line for line in render_markdown(report).splitlines() if line.startswith("|")]
    tables: list[int] = []
    for row in rows:
        cells = len(re.split(r"(?<!\\)\|", row))
        if set(row) <= set("|:- "):
            assert cells == tables[-1]
        tables.append(cells)
    assert tables


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0004, "0.0"), (0.0004, "0.0"), (-0.0, "0.0"), (0.0005, "+0.1"), (-1.0, "-100.0")],
)
def test_small_differences_have_no_negative_zero(value, text):
    assert change(value) == text


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "<.001"), (0.00099, "<.001"), (0.001, ".001"), (0.0495, ".050")]
)
def test_p_is_never_printed_as_zero(p, text):
    assert probability(p) == text


def test_large_counts_have_commas():
    assert level(123_456.0, "tokens") == "123,456.0"


def test_the_page_of_metrics_is_up_to_date():
    path = ROOT / "docs" / "metrics.md"
    if os.environ.get("STAGETRACE_GOLDEN"):
        path.write_text(metric_docs(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == metric_docs(), "run: make golden"
