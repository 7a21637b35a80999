"""The golden cases of metrics, statistics and gates: which function answers which kind."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from analyzers.call_counts import count_calls
from analyzers.end_state import judge_end_state
from analyzers.pairing import pair_runs
from analyzers.ranking import (
    average_precision,
    hit_at,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from analyzers.statistics.bootstrap import paired_bootstrap
from analyzers.statistics.kappa import cohen_kappa
from analyzers.statistics.mcnemar import discordance, mcnemar_exact, mcnemar_mid_p
from analyzers.statistics.multiplicity import benjamini_hochberg, holm
from analyzers.statistics.quartiles import rank_quartiles
from analyzers.statistics.relative import relative_drop
from analyzers.statistics.sign_flip import cluster_sign_flip
from analyzers.verbs import verb_retention
from tracer.answer_text import answer_match, answer_match_tokens, exact_match, token_f1
from variants.gates.deterministic import deterministic_reject
from variants.gates.edit import gleu, levenshtein, typo_gate
from variants.gates.numbers import missing_numbers, numeric_tokens
from variants.gates.readability import fres, is_less_readable

Case = Mapping[str, Any]
Check = Callable[[Case], None]

FILE = "metrics.json"

DUE = (
    "answer",
    "retrieval",
    "calls",
    "side_effect",
    "mcnemar",
    "mcnemar_items",
    "bootstrap_exact",
    "bootstrap_pcg64",
    "paired_items",
    "cluster_sign_flip",
    "multiplicity",
    "kappa",
    "quartiles",
    "relative_drop",
    "verb_retention",
    "deterministic_gate",
    "numeric_tokens",
    "edit",
    "fres",
)


def due_cases(golden_dir: Path) -> list[tuple[str, Callable[[], None]]]:
    """Case id and a check that raises AssertionError, in the order of the file.

    A due kind that the file lacks and a kind that nobody knows are cases that fail.
    """
    path = golden_dir / FILE
    if not path.is_file():
        return [("metrics-file", _failing(f"{path} is missing"))]
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    kinds = {case["kind"] for case in cases}
    out = [
        (f"{kind}-missing", _failing(f"{FILE} has no case of the due kind {kind!r}"))
        for kind in DUE
        if kind not in kinds
    ]
    out += [
        (f"{kind}-unknown", _failing(f"{FILE} holds the kind {kind!r}, which no check answers"))
        for kind in sorted(kinds - CHECKS.keys())
    ]
    out += [(case["id"], _bound(case)) for case in cases if case["kind"] in CHECKS]
    return out


def _bound(case: Case) -> Callable[[], None]:
    def check() -> None:
        CHECKS[case["kind"]](case)

    return check


def _failing(reason: str) -> Callable[[], None]:
    def check() -> None:
        raise AssertionError(reason)

    return check


def _equal(case: Case, got: Mapping[str, Any], keys: Iterable[str] | None = None) -> None:
    """Every expected key (or those of `keys`) has its value, within the case's tolerance."""
    for key in case["expected"] if keys is None else keys:
        expected, actual = case["expected"][key], got[key]
        assert _close(expected, actual, case["tol"]), (
            f"{case['id']}: {key} is {actual!r}, expected {expected!r}"
        )


def _close(expected: Any, actual: Any, tol: float) -> bool:
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return type(actual) is type(expected) and bool(actual == expected)
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(
            _close(e, a, tol) for e, a in zip(expected, actual, strict=True)
        )
    if isinstance(expected, dict):
        return actual.keys() == expected.keys() and all(
            _close(expected[k], actual[k], tol) for k in expected
        )
    return actual is not None and math.isclose(expected, actual, rel_tol=0.0, abs_tol=tol)


def _answer(case: Case) -> None:
    pair = case["input"]["prediction"], case["input"]["golds"]
    _equal(
        case,
        {
            "em": exact_match(*pair),
            "f1": token_f1(*pair),
            "am": answer_match(*pair),
            "am_token": answer_match_tokens(*pair),
        },
    )


def _retrieval(case: Case) -> None:
    ranked: list[Hashable] = case["input"]["ranked"]
    relevance = case["input"]["relevance"]
    at_k = {"recall": recall_at, "hit": hit_at, "precision": precision_at, "ndcg": ndcg_at}
    got: dict[str, float | None] = {
        "mrr": reciprocal_rank(ranked, relevance),
        "ap": average_precision(ranked, relevance),
    }
    for key in case["expected"]:
        name, _, k = key.partition("@")
        if k:
            got[key] = at_k[name](int(k), ranked, relevance)
    _equal(case, got)


def _calls(case: Case) -> None:
    given = case["input"]
    counts = count_calls(given["gold"], given["predicted"], frozenset(given["write_tools"]))
    _equal(
        case,
        {
            "matches": counts.matched,
            "precision": counts.precision(),
            "required_call_recall": counts.recall(),
            "f1": counts.f1(),
            "no_call": float(counts.made == 0),
            "actions": counts.writes,
            "bad_actions": counts.unsupported,
            "incorrect_action_rate": counts.incorrect_action_rate(),
            "read_without_write": counts.read_without_write(),
            "missed_calls": counts.required - counts.matched,
            "success": counts.success(),
        },
    )


def _side_effect(case: Case) -> None:
    given = case["input"]
    verdict = judge_end_state(given["state_before"], given["state_after"], given["state_expected"])
    _equal(
        case,
        {
            "correct": verdict.correct,
            "unwanted_side_effect": verdict.unwanted_side_effect,
            "failed_to_act": verdict.failed_to_act,
        },
    )


def _mcnemar(case: Case) -> None:
    b, c = case["input"]["b"], case["input"]["c"]
    _equal(
        case,
        {
            "p_exact": float(mcnemar_exact(b, c)),
            "mid_p": float(mcnemar_mid_p(b, c)),
            "net": c - b,
        },
    )


def _mcnemar_items(case: Case) -> None:
    counts = discordance(case["input"]["base"], case["input"]["variant"])
    _equal(
        case,
        {
            "b": counts.b,
            "c": counts.c,
            "diff": counts.difference,
            "p_exact": float(mcnemar_exact(counts.b, counts.c)),
        },
    )


def _bootstrap_pcg64(case: Case) -> None:
    given = case["input"]
    got = paired_bootstrap(given["d"], resamples=given["resamples"], seed=given["seed"])
    assert got is not None
    _equal(
        case,
        {
            "mean": got.mean,
            "ci_low": got.low,
            "ci_high": got.high,
            "n_le_zero": got.n_le_zero,
            "n_ge_zero": got.n_ge_zero,
            "p_plain": got.p_plain,
            "p": got.p,
        },
    )


def _bootstrap_exact(case: Case) -> None:
    """Sampled p within 4 standard errors; each end at most one attainable mean away."""
    resamples = 10_000
    difference = case["input"]["d"]
    got = paired_bootstrap(difference, resamples=resamples, seed=20_251_130)
    assert got is not None
    expected = case["expected"]
    _equal(case, {"mean": got.mean}, ["mean"])
    # p is twice a one-sided share, so its standard error is twice that of the share.
    share = expected["p_exact"] / 2
    error = 2 * math.sqrt(share * (1 - share) / resamples)
    assert abs(got.p_plain - expected["p_exact"]) <= 4 * error + case["tol"], (
        f"{case['id']}: p is {got.p_plain}, enumerated {expected['p_exact']}"
    )
    attainable = _attainable_means(difference)
    for key, end in (("ci_low_exact", got.low), ("ci_high_exact", got.high)):
        place = min(range(len(attainable)), key=lambda i: abs(attainable[i] - expected[key]))
        low = attainable[max(0, place - 1)] - case["tol"]
        high = attainable[min(len(attainable) - 1, place + 1)] + case["tol"]
        assert low <= end <= high, f"{case['id']}: {key} is {end}, not in [{low}, {high}]"


def _attainable_means(difference: list[float]) -> list[float]:
    sums = {0.0}
    for _ in difference:
        sums = {round(total + value, 9) for total in sums for value in difference}
    return sorted(total / len(difference) for total in sums)


def _paired_items(case: Case) -> None:
    paired = pair_runs(case["input"]["base_runs"], case["input"]["variant_runs"])
    _equal(
        case,
        {
            "items": list(paired.items),
            "n": paired.n,
            "differences": [float(value) for value in paired.difference],
            "mean": float(paired.difference.mean()) if paired.n else None,
            "matched_base": float(paired.base.mean()) if paired.n else None,
        },
    )


def _deterministic_gate(case: Case) -> None:
    pair = case["input"]["original"], case["input"]["variant"]
    _equal(
        case,
        {"reject": deterministic_reject(*pair), "missing_numbers": missing_numbers(*pair)},
    )


def _numeric_tokens(case: Case) -> None:
    _equal(case, {"tokens": numeric_tokens(case["input"]["text"])})


def _cluster_sign_flip(case: Case) -> None:
    """The file prints thirds as .3333 and enumerates over the thirds themselves."""
    thirds = [
        None if value is None else float(Fraction(value).limit_denominator(12))
        for value in case["input"]["d"]
    ]
    got = cluster_sign_flip(thirds, case["input"]["cluster"])
    _equal(case, {"clusters": got.clusters, "statistic": got.statistic, "p": got.p})


def _multiplicity(case: Case) -> None:
    alpha = case["input"]["alpha"]
    by_holm, by_bh = holm(case["input"]["p"]), benjamini_hochberg(case["input"]["p"])
    _equal(
        case,
        {
            "holm": by_holm,
            "bh": by_bh,
            "holm_reject": [p <= alpha for p in by_holm],
            "bh_reject": [p <= alpha for p in by_bh],
        },
    )


def _kappa(case: Case) -> None:
    got = cohen_kappa(case["input"]["a"], case["input"]["b"])
    _equal(case, {"kappa": got.kappa, "agreement": got.agreement})


def _quartiles(case: Case) -> None:
    _equal(case, {"quartile": rank_quartiles(case["input"]["padding_ratio"])})


def _relative_drop(case: Case) -> None:
    original, rewritten = case["input"]["original"], case["input"]["rewritten"]
    _equal(
        case,
        {
            "drop_percent": relative_drop(original, rewritten),
            "absolute": rewritten - original,
        },
    )


def _verb_retention(case: Case) -> None:
    found = verb_retention(case["input"]["base_head"], case["input"]["variant_main"])
    _equal(case, {"retention": found.retained, "n": found.n})


def _edit(case: Case) -> None:
    pair = case["input"]["original"], case["input"]["variant"]
    _equal(
        case,
        {
            "levenshtein": levenshtein(*pair),
            "gleu": gleu(*pair),
            "typo_gate": typo_gate(*pair),
        },
    )


def _fres(case: Case) -> None:
    score = fres(**case["input"])
    _equal(case, {"fres": score, "gate_less_readable": is_less_readable(score)})


CHECKS: dict[str, Check] = {
    "answer": _answer,
    "retrieval": _retrieval,
    "calls": _calls,
    "side_effect": _side_effect,
    "mcnemar": _mcnemar,
    "mcnemar_items": _mcnemar_items,
    "bootstrap_exact": _bootstrap_exact,
    "bootstrap_pcg64": _bootstrap_pcg64,
    "paired_items": _paired_items,
    "deterministic_gate": _deterministic_gate,
    "numeric_tokens": _numeric_tokens,
    "cluster_sign_flip": _cluster_sign_flip,
    "multiplicity": _multiplicity,
    "kappa": _kappa,
    "quartiles": _quartiles,
    "relative_drop": _relative_drop,
    "verb_retention": _verb_retention,
    "edit": _edit,
    "fres": _fres,
}
