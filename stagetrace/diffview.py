"""Two traces side by side as lines for a terminal."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from rich.text import Text

from analyzers.diff import Row, StateRow, TraceDiff
from analyzers.steps import Step
from stagetrace.tracetext import View, compact, verdict_of
from tracer.printable import printable
from tracer.records import Change, Json

Cells: TypeAlias = tuple[str, str, str]
"""What stands left, the base's side, the variant's side."""
_ABSENT: Mapping[str, str] = {"tool": "not called", "answer": "no answer"}
HARM = "<- harm"


def side_by_side(diff: TraceDiff, view: View, note: str = "") -> list[Text]:
    """Heads, request, one block of lines a step, state, and the two findings.

    Args:
        diff: The comparison.
        view: Width, signs, and whether long values are shown whole.
        note: Of the runs: how many of them differ.
    """
    sheet = _Sheet(view, _label_width(diff))
    request = diff.base.request
    sheet.line(request.item or "no item", request.condition, diff.variant.request.condition)
    sheet.line("outcome", verdict_of(diff.base), verdict_of(diff.variant))
    sheet.line("request", request.text, diff.variant.request.text)
    harmful = diff.first_harmful
    for row in diff.rows:
        lines = list(_block(row, view))
        for place, cells in enumerate(lines):
            sheet.line(*cells, harm=bool(row.harm) and not place)
    sheet.line(
        "state",
        *(_state(diff, side, view) for side in ("base", "variant")),
        harm=bool(diff.state_harm),
    )
    sheet.text(_findings(diff, harmful, view))
    if note:
        sheet.text(note)
    if sheet.cut:
        values = "1 value is" if sheet.cut == 1 else f"{sheet.cut} values are"
        sheet.text(f"{values} cut; --full shows them whole")
    return sheet.lines


def _label_width(diff: TraceDiff) -> int:
    names = [name for row in diff.rows for change in row.changed for name in [change.name]]
    longest = max((len(printable(name)) for name in names), default=0)
    item = len(printable(diff.base.request.item))
    return min(26, max(15, item, longest + 6))


class _Sheet:
    """Three columns within a width; what does not fit is cut and counted, or wrapped."""

    def __init__(self, view: View, label: int) -> None:
        self.view = view
        self.label = label
        # Two blanks between columns, and room for the mark of harm at the end.
        self.column = max(12, (view.width - label - 4 - len(HARM) - 1) // 2)
        self.lines: list[Text] = []
        self.cut = 0

    def line(self, label: str, left: str, right: str, *, harm: bool = False) -> None:
        """One row of the sheet."""
        cells = [self._cell(left), self._cell(right)]
        height = max(map(len, cells))
        for number in range(height):
            one, other = (cell[number] if number < len(cell) else "" for cell in cells)
            head = _fit(printable(label), self.label, self._mark()) if not number else ""
            text = f"{head:<{self.label}}  {one:<{self.column}}  {other:<{self.column}}"
            text += f" {HARM}" if harm and not number else ""
            made = Text(text.rstrip())
            if harm and not number:
                made.stylize("yellow")
            self.lines.append(made)

    def text(self, words: str) -> None:
        """A line across all columns."""
        self.lines += [Text(line) for line in textwrap.wrap(words, max(20, self.view.width))]

    def _cell(self, text: str) -> list[str]:
        shown = printable(text)
        if len(shown) <= self.column:
            return [shown]
        if self.view.full:
            return textwrap.wrap(shown, self.column, drop_whitespace=False)
        self.cut += 1
        return [_fit(shown, self.column, self._mark())]

    def _mark(self) -> str:
        return "\u2026" if self.view.unicode else "..."


def _fit(text: str, width: int, mark: str) -> str:
    return text if len(text) <= width else text[: width - len(mark)] + mark


def _block(row: Row, view: View) -> Iterator[Cells]:
    """The first line of a step, then what differs."""
    kind = row.step.kind
    absent = _ABSENT.get(kind, "\u2013" if view.unicode else "n/a")
    left, right = _both(row, lambda step: _title(step, row), absent)
    if row.place is not None:
        right += f" (its step {row.place})"
    yield f"{row.number} {row.sign} {kind}", left, right
    for change in row.changed:
        yield (
            f"      {change.name}",
            _value(change.base, change.in_base, view),
            _value(change.variant, change.in_variant, view),
        )
    if row.changed and row.same:
        yield f"      {row.same} equal", "", ""
    if row.why == "result":
        yield "      result", *_both(row, lambda step: compact(step.result))
    if row.sign != "=" and any(step is not None and step.error for step in (row.base, row.variant)):
        yield "      error", *_both(row, lambda step: step.error or "")
    if kind in ("retrieval", "rerank") and row.sign != "=":
        yield from _ranks(row, view)


def _both(row: Row, of: Callable[[Step], str], absent: str = "") -> tuple[str, str]:
    return (
        absent if row.base is None else of(row.base),
        absent if row.variant is None else of(row.variant),
    )


def _title(step: Step, row: Row) -> str:
    if step.kind == "tool":
        whole = not row.changed
        return f"{step.name}{_call(step) if whole else ''}  {step.status}"
    if step.kind in ("retrieval", "rerank"):
        if step.passages is None:
            return f"{step.name}  documents not captured".strip()
        return f"{step.name}  {len(step.passages)} documents".strip()
    if step.kind == "answer":
        if step.text is None:
            return f"failed: {step.error}" if step.error else "no answer"
        return f'"{step.text}"'
    return step.name


def _call(step: Step) -> str:
    if step.arguments is None:
        return f"({step.raw or 'arguments not captured'})"
    return f"({', '.join(compact(value) for value in step.arguments.values())})"


def _value(value: Json, there: bool, view: View) -> str:
    if not there:
        return "\u2013" if view.unicode else "n/a"
    return compact(value)


def _ranks(row: Row, view: View) -> Iterator[Cells]:
    """Query, then rank by rank the documents of both sides with their scores, gold marked."""
    if row.base is None or row.variant is None or row.base.query != row.variant.query:
        yield "      query", *_both(row, lambda step: f'"{step.query or ""}"')
    lists = [step.passages or () for step in (row.base, row.variant) if step is not None]
    for rank in range(max(map(len, lists), default=0)):
        yield f"      {rank + 1}", *_both(row, functools.partial(_document, rank=rank))
    if any(step is not None and step.gold_ids for step in (row.base, row.variant)):
        dash = "\u2013" if view.unicode else "n/a"
        left, right = _both(row, lambda step: _gold_rank(step) or dash, dash)
        yield "      gold rank", left, ("\u2192 " if view.unicode else "-> ") + right


def _document(step: Step, rank: int) -> str:
    found = step.passages or ()
    if rank >= len(found):
        return ""
    mark = "G" if found[rank].doc_id in step.gold_ids else " "
    score = found[rank].score
    return f"{mark} {found[rank].doc_id}" + ("" if score is None else f"  {score:.4g}")


def _gold_rank(step: Step) -> str:
    """The rank of the first document that holds what is asked for; empty when none does."""
    ranks = (
        str(rank)
        for rank, passage in enumerate(step.passages or (), start=1)
        if passage.doc_id in step.gold_ids
    )
    return next(ranks, "")


def _state(diff: TraceDiff, side: str, view: View) -> str:
    changes = [
        (row, change)
        for row in diff.state
        if (change := row.base if side == "base" else row.variant) is not None
    ]
    if not changes:
        return "no change"
    many = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    return f"{many}: " + "; ".join(_change(change, row, view) for row, change in changes)


def _change(change: Change, row: StateRow, view: View) -> str:
    signs = {"add": "added", "remove": "removed"}
    fields = ", ".join(f"{name} {compact(value)}" for name, value in (change.after or {}).items())
    what = signs.get(change.op, fields)
    detail = f" ({fields})" if change.op == "add" and view.full and fields else ""
    return f"{row.sign} {change.entity} {change.key} {what}{detail}"


def _findings(diff: TraceDiff, harmful: Row | None, view: View) -> str:
    dot = " \u00b7 " if view.unicode else " . "
    diverging = diff.first_diverging
    if diverging is None:
        first = "the steps do not differ"
    else:
        first = f"first diverging step {diverging.number} ({diverging.why})"
    if not diff.graded:
        return f"{first}{dot}no gold, so harm is not known"
    if harmful is not None:
        return f"{first}{dot}first harmful step {harmful.number} ({harmful.harm})"
    if diff.state_harm:
        return f"{first}{dot}no step, but the {diff.state_harm}"
    return f"{first}{dot}no harmful step"


def findings_of(diffs: Iterable[TraceDiff]) -> list[dict[str, Json]]:
    """The JSON records of several comparisons."""
    return [_record(diff) for diff in diffs]


def _record(diff: TraceDiff) -> dict[str, Json]:
    import msgspec

    record: dict[str, Json] = {
        "item": diff.base.request.item,
        "base": _side(diff, "base"),
        "variant": _side(diff, "variant"),
        "graded": diff.graded,
        "first_diverging": diff.first_diverging.number if diff.first_diverging else None,
        "first_harmful": diff.first_harmful.number if diff.first_harmful else None,
        "stage": diff.stage or None,
        "state_harm": diff.state_harm or None,
        "rows": [msgspec.to_builtins(row) for row in diff.rows],
        "state": [msgspec.to_builtins(row) for row in diff.state],
    }
    for row in record["rows"]:
        for side in ("base", "variant"):
            if row[side] is not None:
                row[side]["gold_ids"] = sorted(row[side]["gold_ids"])
    return record


def _side(diff: TraceDiff, side: str) -> dict[str, Json]:
    trace = diff.base if side == "base" else diff.variant
    request = trace.request
    return {
        "condition": request.condition,
        "run": request.replicate + 1,
        "trace_id": trace.trace_id,
        "request": request.text,
        "verdict": verdict_of(trace),
    }
