"""`stagetrace data`: which benchmark files there are, getting them, and checking them."""

from __future__ import annotations

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
    help="List, fetch and check the files of ToolTalk and WorkBench.",
)
_JSON = typer.Option("--json", help="One JSON document on stdout.")


@app.callback()
def default(context: typer.Context) -> None:
    """List, fetch and check the files of ToolTalk and WorkBench."""
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
