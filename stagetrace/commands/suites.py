"""`stagetrace suites`: what there is to run, and one suite in detail."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from sandboxes.base import SANDBOXES
from stagetrace import console
from stagetrace.suite import open_suite
from tracer.errors import DataMissingError, InputError
from tracer.printable import printable
from tracer.records import Json


def suites(
    name: Annotated[str | None, typer.Argument(help="One suite, such as workbench:email.")] = None,
    jsonl: Annotated[
        Path | None, typer.Option(help="Write the suite's data as JSON lines into this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """List the suites, or the tasks, tools and wordings of one."""
    if name is None:
        _list(as_json)
        return
    if jsonl is not None:
        _write_jsonl(name, jsonl)
        return
    described = _describe(name)
    if as_json:
        console.say_json(described)
        return
    for key, value in described.items():
        shown = (
            ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        )
        console.say(f"{key + ':':<14}{printable(str(shown))}")
    console.say()
    console.say(f"next: stagetrace run {name}")


def _list(as_json: bool) -> None:
    rows = []
    for scheme in SANDBOXES.names():
        for part in SANDBOXES.get(scheme).parts:
            name = f"{scheme}:{part}" if part else scheme
            rows.append({"suite": name, "state": _state(name) if part != "PATH" else "your files"})
    if as_json:
        console.say_json({"suites": rows})
        return
    for line in console.columns(rows, {"suite": "suite", "state": "state"}):
        console.say(line)
    console.say()
    console.say("next: stagetrace suites NAME")


def _state(name: str) -> str:
    try:
        box = open_suite(name)
    except DataMissingError as error:
        return f"data missing: {error}"
    forms = Counter(task.form for task in box.tasks())
    return ", ".join(f"{count} {form}" for form, count in forms.items())


def _describe(name: str) -> dict[str, Json]:
    box = open_suite(name)
    tasks = list(box.tasks())
    corpus = next((found for task in tasks if (found := box.corpus(task))), None)
    return {
        "suite": box.name,
        "mode": box.mode,
        "data": box.data_version,
        "tasks": dict(Counter(task.form for task in tasks)),
        "clusters": len({task.cluster for task in tasks}),
        "tools": len(box.tools()),
        "documents": len(corpus.documents) if corpus else 0,
        "wordings": {condition: len(texts) for condition, texts in box.rewrites().items()},
    }


def _write_jsonl(name: str, folder: Path) -> None:
    if name.partition(":")[0] != "office":
        raise InputError(
            f"--jsonl writes the built-in office suite only, not {name!r}; "
            "the files of other suites are not ours to publish"
        )
    from sandboxes.office.export import jsonl

    for path in jsonl(folder):
        console.say(str(path))
