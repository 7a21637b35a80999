"""`stagetrace data`: which benchmark files there are, getting, checking and sampling them."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stagetrace import console, settings
from tracer.errors import DataMissingError
from tracer.printable import printable
from tracer.records import Json

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    help="List, fetch and check benchmark files, and sample EnronQA.",
)


class Allocation(StrEnum):
    """How a bin is shared among the kinds of reasoning."""

    proportional = "proportional"
    equal = "equal"


_JSON = typer.Option("--json", help="One JSON document on stdout.")


@app.callback()
def default(context: typer.Context) -> None:
    """List, fetch and check benchmark files, and sample EnronQA."""
    if context.invoked_subcommand is None:
        list_data(as_json=False)


@app.command("list")
def list_data(as_json: Annotated[bool, _JSON] = False) -> None:
    """List what can be fetched: repository, commit, licence, and where it is."""
    from sandboxes.data import sources

    rows: list[dict[str, Json]] = [
        {
            "name": one.name,
            "repository": one.repository.removesuffix(".git"),
            "commit": one.commit[:7],
            "licence": one.licence,
            "files": len(one.files),
            "here": _here(one.name) or "no",
        }
        for one in sources().values()
    ]
    if as_json:
        console.say_json({"data": rows})
        return
    heads = {key: key for key in ("name", "repository", "commit", "licence", "files", "here")}
    for line in console.columns(rows, heads):
        console.say(line)
    console.say()
    console.say("EnronQA declares no licence: give your own copy as enronqa:PATH.")
    console.say("next: stagetrace data fetch NAME")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="tooltalk, workbench or all.")],
    origin: Annotated[
        Path | None, typer.Option("--from", help="Local clone or folder in place of the network.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Folder to make the folder NAME in; by default ours.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Fetch files from their repository at a pinned commit and compare every one with its sha256.

    The licence and a data card are written beside them.
    """
    from sandboxes.data import source, sources
    from sandboxes.fetching import fetch as fetch_files

    rows = []
    for one in sources().values() if name == "all" else [source(name)]:
        console.note(f"{one.name}: {origin or one.repository} at {one.commit[:7]}")
        folder = fetch_files(one, (to or settings.data_home()) / one.name, origin)
        rows.append({"name": one.name, "folder": str(folder), "files": len(one.files)})
    if as_json:
        console.say_json({"data": rows})
        return
    for row in rows:
        console.say(printable(f"{row['name']}: {row['files']} files checked, {row['folder']}"))


@app.command()
def check(
    name: Annotated[str | None, typer.Argument(help="tooltalk or workbench; else both.")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="The benchmark's folder; by default where runs find it.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Compare every file with its sha256; status 1 when one is absent or differs."""
    from sandboxes.data import problems, source, sources

    rows: list[dict[str, Json]] = []
    for one in sources().values() if name is None else [source(name)]:
        at = str(folder) if folder else settings.data_folder(one.name) if name else _here(one.name)
        if at is None:
            rows.append({"name": one.name, "folder": None, "files": len(one.files)})
            continue
        bad = [{"file": p.file, "state": p.state} for p in problems(Path(at), one)]
        rows.append({"name": one.name, "folder": at, "files": len(one.files), "problems": bad})
    if as_json:
        console.say_json({"data": rows})
    else:
        _say_checked(rows)
    if any(row.get("problems") for row in rows):
        raise typer.Exit(1)


@app.command()
def sample(
    path: Annotated[Path, typer.Argument(help="EnronQA: a Parquet or JSON-lines file, a folder.")],
    out: Annotated[Path, typer.Option(help="Manifest to write, such as sample.json.")],
    split: Annotated[str, typer.Option(help="Split to draw from.")] = "train",
    per_bin: Annotated[int, typer.Option(min=1, help="Questions a bin.")] = 100,
    min_mails: Annotated[int, typer.Option(min=1, help="Mails that a mailbox must hold.")] = 25,
    near_duplicate: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of common words from which on.")
    ] = 0.8,
    allocation: Annotated[
        Allocation, typer.Option(help="How a bin is shared among the kinds of reasoning.")
    ] = Allocation.proportional,
    seed: Annotated[int, typer.Option(help="Start of the draw.")] = 0,
    classifier: Annotated[
        str | None, typer.Option(help="MODULE:ATTR of your own: question and mail to Label.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Draw a stratified sample of EnronQA's questions and write its manifest.

    Four bins, each with one hard property: simple, 3-hop, multi-question, context-dependent.
    """
    from sandboxes.enronqa.classify import by_rules
    from sandboxes.enronqa.sample import Design, draw
    from stagetrace.suite import own_attribute
    from tracer.files import write_whole

    design = Design(split, per_bin, min_mails, near_duplicate, allocation.value, seed)
    if classifier is None:
        manifest = draw(path, design, by_rules)
    else:
        own = own_attribute(classifier, "--classifier")
        manifest = draw(path, design, own, classifier)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, (json.dumps(manifest, indent=1) + "\n").encode())
    counts = manifest["counts"]
    if as_json:
        console.say_json({"manifest": str(out), "counts": counts})
        return
    console.say(
        f"{counts['questions']} questions of {counts['mails']} mails and {counts['users']} users"
    )
    for name, numbers in counts["bins"].items():
        console.say(f"  {name}: {numbers['chosen']} of {numbers['of']}")
    left = ", ".join(f"{count} {why}" for why, count in counts["left_out"].items())
    console.say(f"left out: {left or 'none'}")
    console.say(printable(f"next: stagetrace run enronqa:{out} --assistant rag"))


def _say_checked(rows: list[dict[str, Json]]) -> None:
    for row in rows:
        if row["folder"] is None:
            console.say(f"{row['name']}: not here; get it by: stagetrace data fetch {row['name']}")
            continue
        bad = row["problems"]
        console.say(
            printable(f"{row['name']}: {row['files'] - len(bad)} of {row['files']} files good, ")
            + printable(row["folder"])
        )
        for problem in bad:
            console.say(f"  {problem['state']}: {printable(problem['file'])}")


def _here(name: str) -> str | None:
    try:
        return settings.data_folder(name)
    except DataMissingError:
        return None
