"""Cases of faults seen in public issue threads: which check answers which part and input.

A case says what goes in and what is right; the check is found by its part and the keys of its
input, so that more cases of one kind are answered without a change here.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from analyzers.call_counts import CallCounts, count_calls, same_value
from analyzers.pairing import pair_runs
from analyzers.ranking import recall_at
from analyzers.report.anchors import slug
from analyzers.report.csv_text import csv_of
from analyzers.statistics.bootstrap import paired_bootstrap, paired_bootstrap_columns
from analyzers.statistics.mcnemar import discordance, mcnemar_exact
from analyzers.statistics.power import detectable_mean
from stagetrace.commandline import run
from tests.conformance import (
    reader_kinds,
    retriever_kinds,
    sandbox_kinds,
    tracer_kinds,
    variant_kinds,
)
from tracer.store import read_traces

Case: TypeAlias = Mapping[str, Any]
Said: TypeAlias = Callable[[], str]
"""What was written to stdout since the last time."""
Check: TypeAlias = Callable[[Case, Path, Said], None]
Kind: TypeAlias = tuple[str, frozenset[str]]


def read_cases(folder: Path) -> list[Case]:
    """The cases in the order of their files."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FileNotFoundError(f"{folder}: no case of a fault")
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def name_of(case: Case) -> str:
    """Number, part and kind."""
    return f"{case['id']:03}-{case['part']}-{case['kind']}".replace(" ", "-")


def kind_of(case: Case) -> Kind:
    """What its check is found by."""
    return case["part"], frozenset(case["input"])


def _recall(case: Case, folder: Path, said: Said) -> None:
    given, right = case["input"], case["right"]
    found = recall_at(given["k"], given["retrieved"], dict.fromkeys(given["gold"], 1))
    assert found == right[f"recall_at_{given['k']}"]
    assert 0 <= (found or 0) <= 1


def _counts(case: Case) -> CallCounts:
    given = case["input"]
    made = [(name, arguments, True) for name, arguments in given["made"]]
    writes = frozenset(name for name, _ in [*given["expected"], *given["made"]])
    return count_calls(given["expected"], [*made], writes)


def _calls(case: Case, folder: Path, said: Said) -> None:
    counts, right = _counts(case), case["right"]
    got = {
        "precision": counts.precision(),
        "recall": counts.recall(),
        "required_call_recall": counts.recall(),
        "f1": counts.f1(),
        "no_call": counts.made == 0,
        "incorrect_call": counts.unsupported,
    }
    for key, value in right.items():
        if key in got and isinstance(value, int | float):
            assert math.isclose(float(got[key]), value, abs_tol=1e-6), key
        elif key in got:
            assert str(value).startswith("not defined"), value
            assert got[key] is None


def _end_state(case: Case, folder: Path, said: Said) -> None:
    """Two numbers, never merged: the end state is right, and a required call is missing."""
    assert case["right"]["outcome_correct"] is (case["input"]["end_state"] == "as gold")
    assert _counts(case).recall() == case["right"]["required_call_recall"]


def _equal(case: Case, folder: Path, said: Said) -> None:
    found = [same_value(*pair) for pair in case["input"]["pairs"]]
    assert found == case["right"]["equal"]


def _no_discordance(case: Case, folder: Path, said: Said) -> None:
    given, right = case["input"], case["right"]
    assert float(mcnemar_exact(given["b"], given["c"])) == right["p"]
    outcomes = [1] * 10
    assert discordance(outcomes, outcomes).difference == right["difference"]


def _fourfold(case: Case, folder: Path, said: Said) -> None:
    given = case["input"]
    base = [1] * (given["both_right"] + given["only_a"]) + [0] * (given["only_b"] + given["none"])
    other = [1] * given["both_right"] + [0] * given["only_a"]
    other += [1] * given["only_b"] + [0] * given["none"]
    counts = discordance(base, other)
    p = float(mcnemar_exact(counts.b, counts.c))
    assert math.isclose(p, case["right"]["mcnemar_exact_p"], abs_tol=1e-12)


def _exact_p(case: Case, folder: Path, said: Said) -> None:
    b, c = zip(*case["input"]["cases"], strict=True)
    assert np.allclose(mcnemar_exact(b, c), case["right"]["p"], atol=1e-12)


def _degenerate(case: Case, folder: Path, said: Said) -> None:
    """The interval stands, and the difference that could be seen does not: nothing varies."""
    found = paired_bootstrap(case["input"]["differences"])
    assert found is not None
    assert [found.low, found.high] == case["right"]["interval"]
    assert detectable_mean(case["input"]["differences"]) is None


def _shuffled(case: Case, folder: Path, said: Said) -> None:
    base, other = (
        {item: [float(value)] for item, value in case["input"][side].items()}
        for side in ("a", "b_shuffled")
    )
    paired = pair_runs(base, other)
    counts = discordance(paired.base, paired.variant)
    assert (counts.b, counts.c) == (case["right"]["b"], case["right"]["c"])
    assert float(mcnemar_exact(counts.b, counts.c)) == case["right"]["mcnemar_exact_p"]


def _own_interval(case: Case, folder: Path, said: Said) -> None:
    systems = case["input"]["systems"]
    items = 200
    columns = [[float(i < round(items * mean)) for i in range(items)] for mean in systems.values()]
    found = paired_bootstrap_columns(np.column_stack(columns), resamples=2_000)
    inside = [
        name
        for (name, mean), interval in zip(systems.items(), found, strict=True)
        if interval is not None and interval.low <= mean <= interval.high
    ]
    assert inside == case["right"]["interval_contains_own_mean"]
    assert len({interval.mean for interval in found if interval is not None}) == len(systems)


def _direction(case: Case, folder: Path, said: Said) -> None:
    first, second = (np.array(case["input"][side], dtype=float) for side in "ab")
    there, back = paired_bootstrap(first - second), paired_bootstrap(second - first)
    assert there is not None
    assert back is not None
    assert math.isclose(there.mean, case["right"]["difference_a_minus_b"])
    assert math.isclose(back.mean, case["right"]["swap_gives"])
    assert (there.p == back.p) is case["right"]["two_sided_p_equal_after_swap"]


def _cells(case: Case, folder: Path, said: Said) -> None:
    given = case["input"]
    text = csv_of([["text", "number"], *([one, given["numbers"][0]] for one in given["texts"])])
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    for (cell, _), original in zip(rows, given["texts"], strict=True):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert cell in (original, "'" + original)
    numbers = csv_of([given["numbers"]]).strip().split(",")
    assert [float(number) for number in numbers] == case["right"]["numbers_stay_numbers"]


def _hostile_text(case: Case, folder: Path, said: Said) -> None:
    """Every command that prints text of traces; the bytes that steer a terminal never come out."""
    path = folder.parent / "trace-inputs" / case["input"]["file"]
    traces = list(read_traces(path))
    said()
    item = traces[0].request.item or traces[0].trace_id
    for arguments in (
        ["show", str(path)],
        ["show", str(path), item, "--full"],
        ["show", str(path), item, "--json"],
        ["analyze", str(path), "--resamples", "10"],
        ["analyze", str(path), "--resamples", "10", "--format", "md"],
        ["analyze", str(path), "--resamples", "10", "--format", "csv"],
        ["analyze", str(path), "--resamples", "10", "--format", "latex"],
    ):
        assert run(arguments) == 0, arguments
        out = said()
        assert out, arguments
        assert not [code for code in "\x1b\x07\x9b\u202e\u2066" if code in out], arguments


def _file_names(case: Case, folder: Path, said: Said) -> None:
    """Ids become names of files only through `slug`, which no two ids share."""
    ids = case["input"]["task_ids"]
    names = {slug(one) for one in ids}
    assert len({name.lower() for name in names}) == case["right"]["distinct_files"] == len(ids)
    for name in names:
        assert name.replace("-", "").isalnum()
        assert name.isascii()
        assert len(name) < 100


CHECKS: Mapping[Kind, Check] = {
    ("metrics", frozenset({"gold", "retrieved", "k"})): _recall,
    ("metrics", frozenset({"expected", "made"})): _calls,
    ("metrics", frozenset({"expected", "made", "end_state"})): _end_state,
    ("metrics", frozenset({"pairs"})): _equal,
    ("statistics", frozenset({"b", "c"})): _no_discordance,
    ("statistics", frozenset({"both_right", "only_a", "only_b", "none"})): _fourfold,
    ("statistics", frozenset({"cases"})): _exact_p,
    ("statistics", frozenset({"differences"})): _degenerate,
    ("statistics", frozenset({"a", "b_shuffled"})): _shuffled,
    ("statistics", frozenset({"systems"})): _own_interval,
    ("statistics", frozenset({"a", "b"})): _direction,
    ("cli-report", frozenset({"texts", "numbers"})): _cells,
    ("cli-report", frozenset({"file"})): _hostile_text,
    ("cli-report", frozenset({"task_ids"})): _file_names,
    **reader_kinds.CHECKS,
    **retriever_kinds.CHECKS,
    **sandbox_kinds.CHECKS,
    **tracer_kinds.CHECKS,
    **variant_kinds.CHECKS,
}

IN_WORDS: Mapping[Kind, str] = {
    ("metrics", frozenset({"responses"})): "tests/stagetrace/test_bug_cases.py",
    ("cli-report", frozenset({"items", "killed_after"})): "tests/stagetrace/test_bug_cases.py",
    ("cli-report", frozenset({"do"})): "tests/stagetrace/test_bug_cases.py",
    **reader_kinds.IN_WORDS,
    **retriever_kinds.IN_WORDS,
    **sandbox_kinds.IN_WORDS,
    **tracer_kinds.IN_WORDS,
    **variant_kinds.IN_WORDS,
}
"""Cases told in words, and where they are ordinary tests under their number."""
