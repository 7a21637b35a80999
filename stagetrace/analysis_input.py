"""Runs and files of traces as blocks of scores, with what was stored beside the traces."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from analyzers.blocks import Blocks
from analyzers.facts import Slot
from analyzers.judge import Judge, read_marks, write_marks
from analyzers.report.subject import Subject
from stagetrace import console
from tracer.errors import InputError
from tracer.formats.address import shown
from tracer.formats.report import CONDITION_KEY, Report
from tracer.printable import printable
from tracer.protocols import ChatModel
from tracer.records import Json, Trace
from tracer.store import MANIFEST, VARIANTS, StoredRun, read_lines, read_run, read_traces

MARKS = "judged.jsonl"
"""Verdicts of a judge, kept in the run folder so that no answer is asked about twice."""


def read_all(
    blocks: Blocks,
    runs: Sequence[Path],
    *,
    judge: ChatModel | None = None,
    parsed: bool = False,
    condition_key: str = CONDITION_KEY,
) -> None:
    """Score every trace of every run once.

    Args:
        blocks: Takes them.
        runs: Run folders, or files of traces.
        judge: Marks the answers.
        parsed: Parse wordings whose main verb was not stored.
        condition_key: Key that names the condition in logs of Inspect AI.

    Raises:
        TraceFormatError: A path holds no traces.
        InputError: Not one run was finished.
    """
    number = 0
    broken: Counter[str] = Counter()
    for path in {path.resolve(): path for path in runs}.values():
        folder = (path / MANIFEST).exists()
        marking = (
            None if judge is None else Judge(judge, read_marks(path / MARKS) if folder else {})
        )
        if folder:
            stored = read_run(path)
            broken["failed"] += len(stored.failed)
            broken["interrupted"] += len(stored.interrupted)
            traces = _marked(stored.traces(), marking)
            number += blocks.add(subject_of(path, stored), traces, slots_of(path, parsed=parsed))
        else:
            report = Report(condition_key=condition_key)
            traces = _marked(read_traces(path, report), marking)
            number += blocks.add(Subject(suite="", runs=(shown(path),)), traces)
            _say_findings(path, report)
        if marking is not None and marking.asked:
            console.note(f"{marking.name}: asked about {marking.asked} answers of {path}")
            if folder:
                write_marks(path / MARKS, marking.verdicts)
    if not number:
        counts = ", ".join(f"{count} {word}" for word, count in broken.items() if count)
        raise InputError(
            f"{', '.join(str(path) for path in runs)}: no finished item to analyze"
            + (f" ({counts})" if counts else "")
            + "; go on with the run by: stagetrace run --resume RUN"
        )


def _say_findings(path: Path, report: Report) -> None:
    """Say what was odd about a file of traces.

    Raises:
        InputError: It holds several runs, which are never averaged together.
    """
    if len(report.runs) > 1:
        raise InputError(
            f"{shown(path)}: spans of several runs ({', '.join(sorted(report.runs)[:4])}); "
            "analyze each by itself: one file a run"
        )
    for line in report.lines_of_text():
        console.note(printable(f"{shown(path)}: {line}"))


def _marked(traces: Iterable[Trace], judge: Judge | None) -> Iterator[Trace]:
    return iter(traces) if judge is None else map(judge.mark, traces)


def subject_of(path: Path, stored: StoredRun) -> Subject:
    """What the manifest of a run says of it."""
    manifest = stored.manifest
    source = _mapping(manifest.get("model_source"))
    seed = manifest.get("seed")
    # Of what is shown: the store may hold more, of items that were cut off and run again.
    spans = sum(done.spans for done in stored.done.values())
    return Subject(
        suite=_text(manifest, "suite"),
        assistant=_text(manifest, "assistant"),
        model=_text(manifest, "model"),
        mode=_text(manifest, "mode"),
        data_version=_text(manifest, "data_version"),
        schema_hash=_text(manifest, "schema_hash"),
        retriever=_text(manifest, "retriever"),
        model_source=_text(source, "sha256") or _text(source, "source"),
        baseline_program=source.get("baseline") is True,
        seed=seed if isinstance(seed, int) else None,
        runs=(str(path),),
        spans_made=spans + stored.spans_made - stored.spans_stored,
        spans_stored=spans,
        failed=Counter(done.condition for done in stored.failed),
        interrupted=Counter(done.condition for done in stored.interrupted),
        rejected=Counter(_text(record, "condition") for record in stored.rejected),
        references=_references(),
    )


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(record: Mapping[str, Json], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _references() -> frozenset[str]:
    """The reference poles: the control for any rewriting at all."""
    from variants.base import POLES

    return frozenset(name for name in POLES.names() if not POLES.get(name).contrastive)


def slots_of(path: Path, *, parsed: bool = False) -> dict[tuple[str, str], Slot]:
    """What a run folder says of its wordings, by item and condition.

    Args:
        path: The run folder.
        parsed: Parse wordings whose main verb was not stored, if the parser is installed.
    """
    if not (path / VARIANTS).exists():
        return {}
    return {
        (_text(record, "item_id"), _text(record, "condition")): _slot(record, parsed)
        for record in read_lines(path / VARIANTS, dict)
        if record.get("status", "admitted") == "admitted"
    }


def _slot(record: Mapping[str, Json], parsed: bool) -> Slot:
    text, head = _text(record, "text"), _text(record, "head_verb")
    main = _text(record, "main_verb")
    if parsed and head and not main:
        main = _main_verb(text)
    features = record.get("features")
    density = record.get("density")
    dialect = record.get("generator") == "transducer"
    return Slot(
        head,
        main,
        _occurs(head, text) if head and main and main != head else None,
        _uses(features) if dialect else None,
        float(density) if isinstance(density, int | float) else None,
        _text(record, "generator"),
    )


def _uses(features: Json) -> int:
    """How often features of a dialect were used; what is no such record counts nothing."""
    counts = [_mapping(use).get("count") for use in features] if isinstance(features, list) else []
    return sum(count for count in counts if isinstance(count, int))


def _main_verb(text: str) -> str:
    """The main verb of a wording; empty when the parser is not installed or finds none."""
    from tracer.errors import MissingExtraError
    from variants.parse import head_verb, parse

    try:
        return head_verb(parse(text))
    except MissingExtraError:
        return ""


def _occurs(lemma: str, text: str) -> bool | None:
    """Whether a form of the verb stands in the text; None when the word list is not installed."""
    import re

    forms = _forms(lemma)
    if forms is None:
        return None
    return not forms.isdisjoint(re.findall(r"[^\W\d_]+", text.lower()))


@functools.cache
def _forms(lemma: str) -> frozenset[str] | None:
    from tracer.errors import MissingExtraError
    from variants.inflect import inflect

    try:
        found = [inflect(lemma, tag) for tag in ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")]
    except MissingExtraError:
        return None
    return frozenset({lemma.lower(), *(form.lower() for form in found if form)})
