"""What `vary` prints: yields, coverage of dialects, agreement of raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stagetrace import console
from stagetrace.review import Agreed
from tracer.printable import printable
from tracer.records import Json
from variants.base import Variant
from variants.coverage import Coverage
from variants.yields import Yield

LISTED = 10
"""Failed slots that the table names; `--json` names all."""
_YIELD_HEADS = {
    "condition": "condition",
    "slots": "slots",
    "admitted": "admitted",
    "yield": "yield",
    "tokens": "tokens",
    "verb": "verb kept",
    "rejected": "rejected by",
    "recorded": "recorded",
    "not made": "not made",
}
_COVERAGE_HEADS = {
    "dialect": "dialect",
    "tier": "tier",
    "requests": "requests",
    "share": "with a feature",
    "request": "features a request",
    "word": "features a word",
}
_AGREED_HEADS = {
    "gate": "gate",
    "raters": "raters",
    "texts": "texts",
    "agreement": "agreement",
    "kappa": "kappa",
}


def say_yields(
    suite: str, found: Sequence[Yield], made: Sequence[Variant], out: Path | None
) -> None:
    """The yields as a table, the first failed slots with their reasons, and what to do next."""
    for line in console.columns([_yield_row(one) for one in found], _YIELD_HEADS):
        console.say(line)
    failed = [variant for variant in made if variant.status == "failed"]
    if failed:
        console.say()
    for variant in failed[:LISTED]:
        console.say(printable(f"{variant.item_id}  {variant.condition}  {variant.reason}"))
    if len(failed) > LISTED:
        console.say(f"... and {len(failed) - LISTED} more; --json lists all")
    if out is not None:
        console.say()
        console.say(f"wrote {printable(str(out))}")
        console.say(f"next: stagetrace run {suite} --variants {printable(str(out))}")


def yields_document(
    suite: str, found: Sequence[Yield], made: Sequence[Variant], out: Path | None
) -> Json:
    """The yields and all failed slots."""
    return {
        "suite": suite,
        "out": str(out) if out else None,
        "conditions": [_yield_document(one) for one in found],
        "failed": [
            {"item": v.item_id, "condition": v.condition, "reason": v.reason}
            for v in made
            if v.status == "failed"
        ],
    }


def say_coverage(rows: Sequence[Coverage]) -> None:
    """One line a dialect and tier."""
    table = [
        {
            "dialect": row.dialect,
            "tier": row.tier,
            "requests": str(row.requests),
            "share": f"{100 * row.share:.1f}%",
            "request": f"{row.a_request:.2f}",
            "word": f"{row.a_word:.3f}",
        }
        for row in rows
    ]
    for line in console.columns(table, _COVERAGE_HEADS):
        console.say(line)


def coverage_document(suite: str, rows: Sequence[Coverage]) -> Json:
    """The same as JSON."""
    return {
        "suite": suite,
        "coverage": [
            {
                "dialect": row.dialect,
                "tier": row.tier,
                "requests": row.requests,
                "share": row.share,
                "features_a_request": row.a_request,
                "features_a_word": row.a_word,
            }
            for row in rows
        ],
    }


def say_agreement(rows: Sequence[Agreed]) -> None:
    """One line a gate and pair of raters."""
    if not rows:
        console.say("agreement: no text has been judged by two raters yet")
        return
    table = [
        {
            "gate": row.gate,
            "raters": printable(f"{row.first}, {row.second}"),
            "texts": str(row.texts),
            "agreement": f"{100 * row.agreement:.1f}%",
            "kappa": "-" if row.kappa is None else f"{row.kappa:.2f}",
        }
        for row in rows
    ]
    for line in console.columns(table, _AGREED_HEADS):
        console.say(line)
    if any(row.kappa is None for row in rows):
        console.say("kappa is not defined where both raters gave one and the same answer")


def agreement_document(rows: Sequence[Agreed]) -> Json:
    """The same as JSON; an undefined kappa is null."""
    return [
        {
            "gate": row.gate,
            "raters": [row.first, row.second],
            "texts": row.texts,
            "agreement": row.agreement,
            "kappa": row.kappa,
        }
        for row in rows
    ]


def _yield_row(one: Yield) -> dict[str, str]:
    return {
        "condition": one.condition,
        "slots": str(one.slots),
        "admitted": str(one.admitted),
        "yield": f"{100 * one.share:.1f}%",
        "tokens": f"{one.changed_tokens:+.1f}",
        "verb": "-" if one.verb_kept is None else f"{100 * one.verb_kept:.1f}%",
        "rejected": _counts(one.rejected),
        "recorded": _counts(one.recorded),
        "not made": _counts(one.not_made),
    }


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count}" for name, count in sorted(counts.items())) or "-"


def _yield_document(one: Yield) -> Json:
    return {
        "condition": one.condition,
        "slots": one.slots,
        "admitted": one.admitted,
        "yield": one.share,
        "changed_tokens": one.changed_tokens,
        "padding": one.padding,
        "verbs": one.verbs,
        "rejected": one.rejected,
        "recorded": one.recorded,
        "not_made": one.not_made,
        "gates": {
            name: {"asked": asked, "passed": one.cleared.get(name, 0)}
            for name, asked in sorted(one.asked.items())
        },
    }
