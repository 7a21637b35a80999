"""Codes for wrong answers, by a model or by the person at the terminal, in a second pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from analyzers.blocks import Block, at_density
from analyzers.error_codes import Fault, candidates
from analyzers.error_labels import (
    Code,
    Key,
    Labeller,
    read_codes,
    review,
    write_codes,
)
from stagetrace import console
from stagetrace.analysis_input import slots_of
from tracer.errors import InputError
from tracer.printable import printable
from tracer.records import Trace
from tracer.store import MANIFEST, read_traces

CODES = "error-codes.jsonl"
"""Where codes are kept in a run folder."""


def codes_file(runs: Sequence[Path], named: Path | None) -> Path:
    """The file of codes: as named, else in the one run folder.

    Raises:
        InputError: There are several runs, or it is no run folder.
    """
    if named is not None:
        return named
    if len(runs) == 1 and (runs[0] / MANIFEST).exists():
        return runs[0] / CODES
    raise InputError("codes of errors need a file with several runs: name it by --codes FILE")


def code_errors(
    blocks: Sequence[Block],
    runs: Sequence[Path],
    path: Path,
    *,
    labeller: Labeller | None = None,
    by_hand: bool = False,
) -> None:
    """Give the wrong answers of all blocks their codes; new ones are added to the file.

    Args:
        blocks: As read; their notes take the codes.
        runs: Where their traces are read again.
        path: The file of codes.
        labeller: Codes what nobody has coded.
        by_hand: Ask the person at the terminal about every code that is not a person's.
    """
    codes = read_codes(path)
    if labeller is not None:
        for key, trace, fault in _wrong(blocks, runs):
            if key in codes:
                continue
            code = labeller.label(trace, fault)
            if code:
                signs = candidates(trace, fault)
                codes[key] = Code(code, labeller.name, signs[0] if signs else "")
        write_codes(path, codes)
    if by_hand:
        codes = review(_wrong(blocks, runs), codes, say=_say, ask=_ask)
        write_codes(path, codes)
        console.note(f"wrote {path}")
    coders = list(dict.fromkeys(code.by for code in codes.values()))
    for block in blocks:
        block.notes.codes = {key: code.code for key, code in codes.items()}
        block.notes.coder = ", ".join(coders)


def _wrong(blocks: Sequence[Block], runs: Iterable[Path]) -> Iterator[tuple[Key, Trace, Fault]]:
    """Every wrong answer with its trace, in the order of the runs."""
    faults = {
        (fact.item, fact.condition, fact.replicate): fact.fault
        for block in blocks
        for fact in block.notes.facts
        if fact.fault in ("generation", "retrieval")
    }
    for path in runs:
        slots = slots_of(path) if (path / MANIFEST).exists() else {}
        for trace in read_traces(path):
            named = at_density(trace, slots.get((trace.request.item, trace.request.condition)))
            request = named.request
            key = request.item, request.condition, request.replicate
            if key in faults:
                yield key, named, faults[key]


def _say(text: str) -> None:
    for line in text.split("\n"):
        console.say(printable(line))


def _ask(prompt: str) -> str | None:
    try:
        return console.out().input(prompt, markup=False)
    except EOFError:
        return None
