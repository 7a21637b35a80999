"""What a reader noticed: classed, counted, by file and line; in strict mode the first is an error.

Source:
    Ours: silent readers are the commonest fault of their kind, so what was not used is counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, NoReturn

from tracer.errors import TraceFormatError

KINDS: Final = {
    "empty_input": "there is no span in it",
    "truncated_line": "the last line is torn",
    "truncated_gzip": "the packed data ends early or is damaged",
    "bad_json_line": "a line is no JSON or no trace record",
    "invalid_utf8": "bytes that are no UTF-8 were replaced",
    "lone_surrogate": "half a surrogate pair was replaced",
    "nested_too_deep": "a value is nested too deep to be read",
    "non_finite_number": "a number is NaN or infinite",
    "id_base64": "ids are in base64 and not in hexadecimal",
    "enum_name": "an enumeration is written as a name and not as a number",
    "snake_case_keys": "keys are in snake_case and not in lowerCamelCase",
    "legacy_field": "a field of an OTLP version before 0.19 is used",
    "attr_duplicate_key": "an attribute stands twice on a span; the first counts",
    "attr_unreadable": "an attribute is no OTLP key and value; it is left out",
    "duplicate_span_identical": "a span stands twice with the same content; it counts once",
    "duplicate_span_conflict": "two spans of one id differ; one of them counts",
    "orphan_parent": "the parent of a span is not in the input",
    "parent_cycle": "spans are each other's parents",
    "clock_skew": "a span starts before its parent",
    "negative_duration": "a span ends before it starts",
    "end_missing": "a span has no end",
    "content_missing": "arguments or documents were not recorded",
    "arguments_unparsed": "arguments of a call cannot be read; the text is kept",
    "producer_dropped_data": "the writer says that it dropped attributes, events or links",
    "several_runs": "spans of several runs stand in one input",
    "span_skipped": "a span without a usable id is left out",
    "document_id_missing": "a ranked document has no id",
    "checksum_mismatch": "a line of our store is not as it was written",
    "spans_missing": "an item's own span counts more spans than are there",
    "schema_mismatch": "a line or the manifest of a run is not as its schema has it",
    "spans_lost": "the manifest counts more spans made than stored",
    "limit_reached": "a server gave as many as its limit lets it; there may be more",
    "trace_missing": "a done-record names a trace that is not stored whole",
}
"""Every class of finding, with what it means."""

CONDITION_KEY: Final = "condition"
"""Key of a sample's metadata that names its condition, where no other is given."""

REFUSALS: Final = ("unknown_format", "unsupported_keys", "limit_exceeded")
"""Classes of what ends the reading in any mode."""

_KEPT: Final = 20
"""So many findings of a class are kept whole; all are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was noticed."""

    kind: str
    text: str
    file: str = ""
    line: int | None = None
    """Counted from 1; None where the input has no lines."""
    span_id: str = ""

    @property
    def place(self) -> str:
        """File and line, as far as they are known."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Report:
    """What was read and what was noticed on the way.

    Args:
        strict: Make the first finding an error.
        condition_key: Key of a sample's metadata that names its condition, for logs of Inspect AI.

    Example:
        >>> report = Report()
        >>> report.at("a.jsonl", 3)
        >>> report.warn("end_missing")
        >>> report.counts["end_missing"], report.findings[0].place
        (1, 'a.jsonl:3')
    """

    def __init__(self, *, strict: bool = False, condition_key: str = CONDITION_KEY) -> None:
        self.strict = strict
        self.condition_key = condition_key
        self.counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.bad_lines: list[tuple[str, int]] = []
        self.lines = 0
        """Lines or records that hold anything."""
        self.spans = 0
        """Spans as read, those of the same id included."""
        self.skipped = 0
        """Spans that were left out."""
        self.span_bytes = 0
        """About the size of a span of the last line."""
        self.formats: Counter[str] = Counter()
        """Records by the format they were recognised as."""
        self.runs: set[str] = set()
        """Runs that spans name."""
        self.notes: list[str] = []
        """How it was read, where that is worth a word."""
        self.file = ""
        self.line: int | None = None

    def at(self, file: str, line: int | None = None) -> None:
        """Note where the reader stands."""
        self.file = file
        self.line = line

    def warn(self, kind: str, text: str = "", *, span_id: str = "", count: int = 1) -> None:
        """Note a finding at the place where the reader stands.

        Raises:
            TraceFormatError: Strict mode; it names file, line and class.
        """
        finding = Finding(kind, text or KINDS[kind], self.file, self.line, span_id)
        if self.strict:
            span = f" (span {span_id})" if span_id else ""
            raise TraceFormatError(
                f"{finding.place or 'input'}: {kind}: {finding.text}{span}; "
                "mend the file or read it without --strict",
                kind,
            )
        self.counts[kind] += count
        if self.counts[kind] - count < _KEPT:
            self.findings.append(finding)

    def bad_line(self, kind: str, text: str) -> None:
        """Note a line that could not be read.

        Raises:
            TraceFormatError: Strict mode.
        """
        if self.line is not None:
            self.bad_lines.append((self.file, self.line))
        self.warn(kind, text)

    def refuse(self, kind: str, text: str) -> NoReturn:
        """End the reading.

        Raises:
            TraceFormatError: Always; its `kind` is one of `REFUSALS`.
        """
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        raise TraceFormatError(f"{place or 'input'}: {kind}: {text}", kind)

    @property
    def kinds(self) -> list[str]:
        """The classes that were noticed, sorted."""
        return sorted(self.counts)

    def lines_of_text(self) -> list[str]:
        """One line a class: the count, what it means, and the first place."""
        said = []
        for kind in sorted(self.counts):
            first = next((f for f in self.findings if f.kind == kind), None)
            place = f"; first at {first.place}" if first is not None and first.place else ""
            text = first.text if first is not None else KINDS[kind]
            said.append(f"{kind} ({self.counts[kind]}): {text}{place}")
        return said
