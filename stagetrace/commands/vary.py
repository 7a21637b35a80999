"""`stagetrace vary`: a suite's requests in other words, made or checked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from sandboxes.base import SANDBOXES, Sandbox
from stagetrace import console, settings
from tracer.errors import InputError, VariantError
from tracer.printable import printable
from tracer.records import Json, Task
from tracer.registry import nearest
from variants.base import Variant
from variants.conditions import BASE, available, known
from variants.files import read_lines, write_variants
from variants.make import make_variant
from variants.yields import Yield, yields

_PATIENCE_S = 2.0
_LISTED = 10


def vary(
    suite: Annotated[str, typer.Argument(help="office, workbench:email, tasks:PATH, ...")],
    conditions: Annotated[
        str, typer.Option(help="Names with commas between them, or all that need no model.")
    ] = "all",
    density: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the places a dialect changes.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Start of the draws of typos and dialects.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File to write, one JSON object a line.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The first N items only.")] = None,
    check: Annotated[
        Path | None, typer.Option(help="Gate the texts of this file instead of making any.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Write a suite's requests in other words, each behind its gates.

    Ends with status 1 when a slot stayed empty or a checked text was rejected.
    """
    if out is None and check is None:
        raise InputError("vary: no --out; name the file to write, such as --out variants.jsonl")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"vary: there is no folder {str(out.parent)!r} for --out; make it first")
    scheme, _, part = suite.partition(":")
    sandbox = SANDBOXES.get(scheme)(part, mode=None, data=settings.data_folder)
    tasks = list(sandbox.tasks())[:limit]
    if check is not None:
        made = list(_with_progress(_checked(check, tasks, suite), None))
    else:
        names = _names(conditions, sandbox)
        slots = _made(tasks, names, sandbox, seed=seed, density=density)
        made = list(_with_progress(slots, len(tasks) * len(names)))
    if out is not None:
        write_variants(out, made)
    _tell(suite, yields(made), made, out, as_json=as_json)
    return int(any(variant.status == "failed" for variant in made))


def _names(conditions: str, sandbox: Sandbox) -> list[str]:
    if conditions == "all":
        return [name for name in available(sandbox.rewrites()) if name != BASE]
    return list(
        dict.fromkeys(known(name.strip()) for name in conditions.split(",") if name.strip())
    )


def _made(
    tasks: Iterable[Task], names: Iterable[str], sandbox: Sandbox, *, seed: int, density: float
) -> Iterator[Variant]:
    rewrites = sandbox.rewrites()
    wanted = list(names)
    for task in tasks:
        for name in wanted:
            wording = rewrites.get(name, {}).get(task.item)
            yield make_variant(task, name, seed=seed, authored=wording, density=density)


def _checked(path: Path, tasks: Iterable[Task], suite: str) -> Iterator[Variant]:
    by_item = {task.item: task for task in tasks}
    for number, record in read_lines(path):
        task = by_item.get(record["item_id"])
        if task is None:
            offer = nearest(record["item_id"], sorted(by_item))
            raise VariantError(
                f"{path}:{number}: {suite} has no item {record['item_id']!r}; {offer}"
            )
        if record.get("base_text", task.text) != task.text:
            raise VariantError(
                f"{path}:{number}: base_text of {task.item!r} is not the request of {suite}; "
                "the texts were made from another version"
            )
        yield make_variant(task, known(record["condition"]), authored=record)


def _with_progress(variants: Iterable[Variant], total: int | None) -> Iterator[Variant]:
    told = time.monotonic()
    for count, variant in enumerate(variants, start=1):
        yield variant
        if time.monotonic() - told > _PATIENCE_S:
            told = time.monotonic()
            console.note(f"vary: {count} of {total} slots" if total else f"vary: {count} texts")


def _tell(
    suite: str, found: list[Yield], made: list[Variant], out: Path | None, *, as_json: bool
) -> None:
    if as_json:
        console.say_json(
            {
                "suite": suite,
                "out": str(out) if out else None,
                "conditions": [_document(one) for one in found],
                "failed": [
                    {"item": v.item_id, "condition": v.condition, "reason": v.reason}
                    for v in made
                    if v.status == "failed"
                ],
            }
        )
        return
    for line in console.columns([_row(one) for one in found], _HEADS):
        console.say(line)
    failed = [variant for variant in made if variant.status == "failed"]
    if failed:
        console.say()
    for variant in failed[:_LISTED]:
        line = f"{variant.item_id}  {variant.condition}  {variant.reason}"
        console.say(printable(line))
    if len(failed) > _LISTED:
        console.say(f"... and {len(failed) - _LISTED} more; --json lists all")
    if out is not None:
        console.say()
        console.say(f"wrote {printable(str(out))}")
        console.say(f"next: stagetrace run {suite} --variants {printable(str(out))}")


_HEADS = {
    "condition": "condition",
    "slots": "slots",
    "admitted": "admitted",
    "yield": "yield",
    "tokens": "tokens",
    "rejected": "rejected by",
    "recorded": "recorded",
    "not made": "not made",
}


def _row(one: Yield) -> dict[str, str]:
    return {
        "condition": one.condition,
        "slots": str(one.slots),
        "admitted": str(one.admitted),
        "yield": f"{100 * one.share:.1f}%",
        "tokens": f"{one.changed_tokens:+.1f}",
        "rejected": _counts(one.rejected),
        "recorded": _counts(one.recorded),
        "not made": _counts(one.not_made),
    }


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count}" for name, count in sorted(counts.items())) or "-"


def _document(one: Yield) -> Json:
    return {
        "condition": one.condition,
        "slots": one.slots,
        "admitted": one.admitted,
        "yield": one.share,
        "changed_tokens": one.changed_tokens,
        "rejected": one.rejected,
        "recorded": one.recorded,
        "not_made": one.not_made,
    }
