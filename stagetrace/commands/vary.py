"""`stagetrace vary`: a suite's requests in other words, made, checked or read by a person."""

from __future__ import annotations

import dataclasses
import getpass
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from sandboxes.base import Sandbox
from stagetrace import console, variant_tables
from stagetrace.review import agreements, review, verdict_file
from stagetrace.suite import open_suite
from stagetrace.unfinished import Unfinished
from stagetrace.variant_parts import Names, helpers
from tracer.errors import InputError, VariantError
from tracer.records import Json, Task
from tracer.registry import nearest
from variants.base import Helpers, Variant
from variants.conditions import BASE, available, known
from variants.coverage import coverage
from variants.files import read_lines, read_variants, write_variants
from variants.framings import framed_conditions
from variants.make import base_text, make_variant
from variants.produce import Plan, produce
from variants.raters import read_verdicts
from variants.yields import yields

_PATIENCE_S = 2.0


def vary(
    suite: Annotated[str, typer.Argument(help="office, workbench:email, tasks:PATH, ...")],
    conditions: Annotated[
        str, typer.Option(help="Names with commas between them, or all that can be made.")
    ] = "all",
    density: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the places a dialect changes.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Start of all draws.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File to write, one JSON object a line.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The first N items only.")] = None,
    check: Annotated[
        Path | None, typer.Option(help="Gate the texts of this file instead of making any.")
    ] = None,
    rewriter: Annotated[
        str | None, typer.Option(help="Model that writes the styles: openai:NAME, local:smollm2.")
    ] = None,
    temperature: Annotated[
        float, typer.Option(min=0.0, max=2.0, help="Of the rewriter's sampling.")
    ] = 0.0,
    rater: Annotated[
        str | None, typer.Option(help="Who judges them: a model, or verdicts:FILE.")
    ] = None,
    translator: Annotated[
        str | None, typer.Option(help="For rtt: recorded:FILE or opus-mt:FOLDER.")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option(help="Measures how near a rewrite stays: mpnet, minilm.")
    ] = None,
    formality: Annotated[
        Path | None, typer.Option(help="Folder of a formality classifier, in place of ours.")
    ] = None,
    politeness: Annotated[
        Path | None, typer.Option(help="Folder of a politeness classifier, in place of ours.")
    ] = None,
    cassette: Annotated[
        Path | None, typer.Option(help="File that keeps the models' answers and gives them again.")
    ] = None,
    profile: Annotated[
        Literal["ours", "s2_released"], typer.Option(help="Typos and readability: whose rules.")
    ] = "ours",
    prompt: Annotated[
        int, typer.Option(min=0, max=3, help="Prompt of the second paper; 0 changes by item.")
    ] = 0,
    batch: Annotated[
        int, typer.Option(min=1, help="Items whose openings are counted together.")
    ] = 1,
    workers: Annotated[
        int, typer.Option(min=1, help="Questions to models at a time, inside a batch.")
    ] = 1,
    read: Annotated[
        Path | None, typer.Option("--review", help="Have a person judge the texts of this file.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(help="Who reads, for --review; your login name by default.")
    ] = None,
    cover: Annotated[
        bool, typer.Option("--coverage", help="How far each dialect reaches; nothing is written.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Write a suite's requests in other words, each behind its gates.

    Ends with status 1 when a slot stayed empty or a checked text was rejected. Work that was
    stopped is gone on with by the same command.
    """
    if out is None and check is None and read is None and not cover:
        raise InputError("vary: no --out; name the file to write, such as --out variants.jsonl")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"vary: there is no folder {str(out.parent)!r} for --out; make it first")
    if read is not None:
        return _read(read, reviewer or getpass.getuser(), as_json=as_json)
    sandbox = open_suite(suite, None)
    tasks = list(sandbox.tasks())[:limit]
    if cover:
        return _cover(suite, tasks, as_json=as_json)
    names = Names(
        rewriter=rewriter,
        temperature=temperature,
        rater=rater,
        translator=translator,
        embedder=embedder,
        formality=formality,
        politeness=politeness,
        cassette=cassette,
        profile=profile,
        prompt=prompt,
    )
    made_with = helpers(names)
    if check is not None:
        made = list(_with_progress(_checked(check, tasks, suite, made_with), None))
    else:
        assert out is not None
        wanted = _conditions(conditions, sandbox, tasks, made_with)
        plan = Plan(wanted, seed, density, batch, workers)
        made = _made(suite, tasks, plan, sandbox, made_with, names, out)
    if out is not None:
        write_variants(out, made)
        Unfinished.forget(out)
    found = yields(made)
    if as_json:
        console.say_json(variant_tables.yields_document(suite, found, made, out))
    else:
        variant_tables.say_yields(suite, found, made, out)
    return int(any(variant.status == "failed" for variant in made))


def _conditions(
    named: str, sandbox: Sandbox, tasks: Sequence[Task], made_with: Helpers
) -> list[str]:
    """The conditions of a list; `all` is what the suite, the programs and the parts can make."""
    if named == "all":
        shipped = {*sandbox.rewrites(), *framed_conditions(list(tasks))}
        return [name for name in available(shipped, made_with) if name != BASE]
    return list(dict.fromkeys(known(name.strip()) for name in named.split(",") if name.strip()))


def _made(
    suite: str,
    tasks: Sequence[Task],
    plan: Plan,
    sandbox: Sandbox,
    made_with: Helpers,
    names: Names,
    out: Path,
) -> list[Variant]:
    """All slots, those of a stopped command taken over; in the order of the tasks."""
    said: dict[str, Json] = {"suite": suite, "items": [task.item for task in tasks]}
    said |= {"conditions": list(plan.conditions), "seed": plan.seed, "density": plan.density}
    said |= {"batch": plan.batch, **{k: str(v) for k, v in dataclasses.asdict(names).items()}}
    journal = Unfinished(out, said)
    if journal.done:
        console.note(f"vary: {len(journal.done)} slots were made before; going on")
    # A model that is named is to write, also where a suite ships wordings by hand.
    shipped = {} if made_with.rewriter is not None else sandbox.rewrites()
    if made_with.rewriter is not None and made_with.rater is None:
        console.note("vary: no --rater, so intent, style and naturalness are not judged")
    slots = produce(tasks, plan, helpers=made_with, authored=shipped, done=journal.done)
    total = len(tasks) * len(plan.conditions)
    return list(_with_progress(journal.keep(slots), total))


def _checked(
    path: Path, tasks: Iterable[Task], suite: str, made_with: Helpers
) -> Iterator[Variant]:
    by_item = {task.item: task for task in tasks}
    for number, record in read_lines(path):
        task = by_item.get(record["item_id"])
        if task is None:
            offer = nearest(record["item_id"], sorted(by_item))
            raise VariantError(
                f"{path}:{number}: {suite} has no item {record['item_id']!r}; {offer}"
            )
        if record.get("base_text", "") not in ("", base_text(task)):
            raise VariantError(
                f"{path}:{number}: base_text of {task.item!r} is not the request of {suite}; "
                "the texts were made from another version"
            )
        yield make_variant(task, known(record["condition"]), authored=record, helpers=made_with)


def _read(path: Path, reviewer: str, *, as_json: bool) -> int:
    """Ask a person about the texts of a file, then say how far the raters agree."""
    found = read_variants(path)
    verdicts = verdict_file(path)
    given = 0
    if not as_json:
        given = review(found, verdicts, reviewer=reviewer, ask=console.ask)
    stored = read_verdicts(verdicts) if verdicts.exists() else []
    rows = agreements(found, stored)
    if as_json:
        console.say_json(variant_tables.agreement_document(rows))
        return 0
    console.say()
    console.say(f"{given} answers kept in {verdicts}")
    variant_tables.say_agreement(rows)
    return 0


def _cover(suite: str, tasks: Sequence[Task], *, as_json: bool) -> int:
    rows = coverage(tasks)
    if as_json:
        console.say_json(variant_tables.coverage_document(suite, rows))
    else:
        variant_tables.say_coverage(rows)
    return 0


def _with_progress(variants: Iterable[Variant], total: int | None) -> Iterator[Variant]:
    told = time.monotonic()
    for count, variant in enumerate(variants, start=1):
        yield variant
        if time.monotonic() - told > _PATIENCE_S:
            told = time.monotonic()
            console.note(f"vary: {count} of {total} slots" if total else f"vary: {count} texts")
