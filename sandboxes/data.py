"""Where the files of ToolTalk and WorkBench come from, how they lie, and that they are the same.

Nothing of them comes with the package but the names and digests in `sources.json`. A folder may lie
as `stagetrace data fetch` lays it, or as a plain checkout of the upstream repository does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from tracer.errors import UnknownNameError
from tracer.registry import nearest

LICENCE = "LICENSE.txt"
CARD = "README.md"
State = Literal["absent", "differs"]


@dataclass(frozen=True, slots=True)
class Source:
    """One upstream repository at one commit."""

    name: str
    title: str
    repository: str
    commit: str
    date: str
    licence: str
    holds: str
    """What the data are, in a few words."""
    layout: Mapping[str, str]
    """Folder of ours to the folder upstream that it is a copy of."""
    licence_file: tuple[str, ...]
    """Names that the licence has upstream, the first one that is there counts."""
    files: Mapping[str, str]
    """Name in our layout to sha256."""

    def upstream(self, name: str) -> tuple[str, ...]:
        """Where a file may lie upstream.

        Example:
            >>> source("tooltalk").upstream("hard/golden_conversation_1.json")
            ('data/tooltalk/golden_conversation_1.json',)
        """
        if name == LICENCE:
            return self.licence_file
        part, _, rest = name.partition("/")
        return (f"{self.layout[part]}/{rest}",)


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is not what it should be."""

    file: str
    state: State


@cache
def sources() -> Mapping[str, Source]:
    """The benchmarks that can be fetched, by name."""
    text = (files("sandboxes") / "sources.json").read_text(encoding="utf-8")
    return {
        name: Source(name=name, **{**row, "licence_file": tuple(row["licence_file"])})
        for name, row in json.loads(text).items()
    }


def source(name: str) -> Source:
    """The source of a benchmark.

    Raises:
        UnknownNameError: None can be fetched under this name.
    """
    known = sources()
    if name not in known:
        raise UnknownNameError(
            f"no data called {name!r} can be fetched; {nearest(name, sorted(known))}; "
            "EnronQA and your own files are named by their path, such as enronqa:PATH"
        )
    return known[name]


def folder_of(folder: Path, name: str, part: str) -> Path:
    """The folder that holds a part of a benchmark, in our layout or in upstream's.

    Args:
        folder: The benchmark's folder.
        name: Of the benchmark.
        part: Folder in our layout, such as `hard`.
    """
    ours, theirs = folder / part, folder / source(name).layout[part]
    return theirs if theirs.is_dir() and not ours.is_dir() else ours


def located(folder: Path, one: Source, file: str) -> Path | None:
    """Where a file lies in a folder of either layout; None when it is not there."""
    places = (folder / file, *(folder / name for name in one.upstream(file)))
    return next((path for path in places if path.is_file()), None)


def problems(folder: Path, one: Source) -> list[Problem]:
    """The files of a folder, in either layout, that are absent or differ from the pinned ones."""
    found: list[Problem] = []
    for file, sha256 in one.files.items():
        path = located(folder, one, file)
        if path is None:
            found.append(Problem(file, "absent"))
        elif digest(path.read_bytes()) != sha256:
            found.append(Problem(file, "differs"))
    return found


def digest(content: bytes) -> str:
    """SHA-256 as hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def card(one: Source) -> str:
    """The data card that is written beside fetched files."""
    lines = [
        f"# {one.title} data",
        "",
        f"Source: {one.repository} at commit {one.commit} ({one.date}).",
        f"Licence: {one.licence}. {LICENCE} is upstream's own text and travels with the data.",
        f"Holds: {one.holds}.",
        "",
        "Fetched by `stagetrace data fetch`, unchanged; `stagetrace data check` compares every "
        "file with the digests below. Folders were renamed:",
        "",
        *(f"- `{theirs}` is here `{ours}`" for ours, theirs in one.layout.items()),
        "",
        "| file | sha256 |",
        "|---|---|",
        *(f"| {file} | {sha256} |" for file, sha256 in one.files.items()),
    ]
    return "\n".join(lines) + "\n"
