"""Two traces of one item side by side: where they part, and where it starts to matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from analyzers.alignment import Pair, align
from analyzers.call_counts import same_value
from analyzers.gold import graded
from analyzers.steps import Node, Step, steps_of
from tracer.records import Change, Json, Outcome, Trace

Sign: TypeAlias = Literal["=", "~", "-", "+", ">"]
"""Same, changed, only in the base, only in the variant, same call at another place."""


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """One argument that differs."""

    name: str
    base: Json = None
    variant: Json = None
    in_base: bool = True
    in_variant: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One step of either trace, or one of each."""

    number: int
    sign: Sign
    base: Step | None
    variant: Step | None
    why: str = ""
    """What differs: arguments, result, status, documents, query, text, call missing, ..."""
    changed: tuple[ArgumentChange, ...] = ()
    same: int = 0
    """Arguments that are equal."""
    harm: str = ""
    """What the row changes against gold for the worse; empty when nothing."""
    place: int | None = None
    """For `>`: which step of the variant makes the call, counted from 1."""

    @property
    def step(self) -> Step:
        """The base's step, else the variant's."""
        found = self.base or self.variant
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class StateRow:
    """One row of the world that either run changed."""

    sign: Sign
    base: Change | None
    variant: Change | None


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """Everything that differs between two runs of one item."""

    base: Trace
    variant: Trace
    rows: tuple[Row, ...]
    state: tuple[StateRow, ...]
    graded: bool
    """Both runs have gold, so that harm can be told from mere difference."""
    state_harm: str = ""
    """Set when no step explains that the variant failed and the base did not."""

    @property
    def first_diverging(self) -> Row | None:
        """The first row that is not the same on both sides; often harmless."""
        return next((row for row in self.rows if row.sign != "="), None)

    @property
    def first_harmful(self) -> Row | None:
        """The first row that changes a metric against gold for the worse."""
        return next((row for row in self.rows if row.harm), None)

    @property
    def stage(self) -> str:
        """The stage of the first harm: retrieval, answer, call, act, outcome; empty without."""
        row = self.first_harmful
        if row is None:
            return "outcome" if self.state_harm else ""
        if row.step.kind in ("retrieval", "rerank"):
            return "retrieval"
        if row.step.kind == "answer":
            return "answer"
        return "act" if row.harm == UNSUPPORTED else "call"


MISSING = "required call missing"
WRONG = "required call wrong"
UNSUPPORTED = "unsupported write"
LOST = "gold document leaves the list"
ANSWER = "answer wrong"
END_STATE = "end state wrong"


def diff_traces(
    base: Trace,
    variant: Trace,
    *,
    base_nodes: Sequence[Node] = (),
    variant_nodes: Sequence[Node] = (),
) -> TraceDiff:
    """Lay two traces beside each other.

    Steps are aligned by kind and name with a longest common subsequence that prefers equal
    arguments; a call that is left over on both sides is the same call at another place.

    Args:
        base: The run that the other is compared with.
        variant: The other run of the same item.
        base_nodes: Spans of the base that only nest others, to be shown as steps too.
        variant_nodes: The same of the variant.

    Source:
        Ours. Divergence and harm are told apart because a reordered query mostly changes nothing.
    """
    left, right = steps_of(base, base_nodes), steps_of(variant, variant_nodes)
    rows = _numbered(_row(left, right, pair) for pair in align(left, right))
    golds = graded(base), graded(variant)
    judged = golds[0] is not None and golds[1] is not None
    state_harm = ""
    if golds[0] is not None and golds[1] is not None:
        rows = _with_harm(rows, golds[0], golds[1])
        if not any(row.harm for row in rows) and _worse_end(golds[0], golds[1]):
            state_harm = END_STATE
    return TraceDiff(base, variant, tuple(rows), _state(base, variant), judged, state_harm)


def _row(left: Sequence[Step], right: Sequence[Step], pair: Pair) -> Row:
    one = None if pair.left is None else left[pair.left]
    other = None if pair.right is None else right[pair.right]
    if one is None or other is None:
        sign: Sign = "-" if other is None else "+"
        what = (one or other or left[0]).kind
        name = "call" if what == "tool" else what
        return Row(0, sign, one, other, f"{name} {'missing' if other is None else 'extra'}")
    changed, same = _arguments(one, other)
    why = _difference(one, other, changed)
    if pair.moved:
        return Row(0, ">", one, other, "place", changed, same, place=(pair.right or 0) + 1)
    return Row(0, "~" if why else "=", one, other, why, changed, same)


def _numbered(rows: Iterable[Row]) -> list[Row]:
    return [replace(row, number=number) for number, row in enumerate(rows, start=1)]


def _arguments(one: Step, other: Step) -> tuple[tuple[ArgumentChange, ...], int]:
    if one.arguments is None or other.arguments is None:
        return (), 0
    left, right = one.arguments, other.arguments
    names = [*left, *(name for name in right if name not in left)]
    changed = tuple(
        ArgumentChange(name, left.get(name), right.get(name), name in left, name in right)
        for name in names
        if not (name in left and name in right and same_value(left[name], right[name]))
    )
    return changed, len(names) - len(changed)


def _difference(one: Step, other: Step, changed: Sequence[ArgumentChange]) -> str:
    if one.kind == "tool":
        if changed or (one.arguments is None) != (other.arguments is None) or one.raw != other.raw:
            return "arguments"
        if one.status != other.status:
            return "status"
        return "" if same_value(one.result, other.result) else "result"
    if one.kind in ("retrieval", "rerank"):
        if _ids(one) != _ids(other):
            return "documents"
        return "" if one.query == other.query else "query"
    if one.kind == "chat" and one.name != other.name:
        return "model"
    if one.status != other.status:
        return "status"
    return "" if one.text == other.text else "text"


def _ids(step: Step) -> list[str] | None:
    return None if step.passages is None else [passage.doc_id for passage in step.passages]


def _with_harm(rows: Sequence[Row], base: Outcome, variant: Outcome) -> list[Row]:
    """The rows with what each changes for the worse against gold."""
    served = {verdict.matched for verdict in variant.calls}
    gone = {verdict.matched for verdict in base.calls} - served - {None}
    evidence = _evidence(rows)
    return [replace(row, harm=_harm(row, gone, evidence)) for row in rows]


def _evidence(rows: Sequence[Row]) -> bool:
    """Whether the variant's reader was shown as much gold as the base's, or neither was any."""
    shown = [row for row in rows if row.step.kind in ("retrieval", "rerank")]
    return not any(_lost(row) for row in shown)


def _lost(row: Row) -> bool:
    before = row.base.gold_ids if row.base is not None and row.base.shown else frozenset()
    after = row.variant.gold_ids if row.variant is not None else frozenset()
    return bool(before - after)


def _harm(row: Row, gone: set[int | None], evidence: bool) -> str:
    one, other = row.base, row.variant
    kind = row.step.kind
    if kind == "tool":
        if one is not None and one.gold_call is not None and one.gold_call in gone:
            return MISSING if other is None else WRONG
        if other is not None and other.unsupported and not (one is not None and one.unsupported):
            return UNSUPPORTED
    elif kind in ("retrieval", "rerank") and _lost(row):
        return LOST
    elif one is not None and other is not None and one.right and other.right is False:
        return ANSWER if evidence else f"{ANSWER}, the document was lost before"
    return ""


def _worse_end(base: Outcome, variant: Outcome) -> bool:
    return base.success is True and variant.success is False


def _state(base: Trace, variant: Trace) -> tuple[StateRow, ...]:
    """What either run changed in the world, equal changes together."""
    left, right = _changes(base), _changes(variant)
    rows = []
    for change in left:
        hit = next((other for other in right if _same_change(change, other)), None)
        if hit is None:
            same_row = (other for other in right if (other.entity, other.key) == _of(change))
            hit = next(same_row, None)
            sign: Sign = "-" if hit is None else "~"
        else:
            sign = "="
        if hit is not None:
            right.remove(hit)
        rows.append(StateRow(sign, change, hit))
    return (*rows, *(StateRow("+", None, change) for change in right))


def _of(change: Change) -> tuple[str, str]:
    return change.entity, change.key


def _changes(trace: Trace) -> list[Change]:
    return [change for call in trace.calls for change in call.changes]


def _same_change(one: Change, other: Change) -> bool:
    return (one.op, *_of(one)) == (other.op, *_of(other)) and same_value(
        _fields(one.after), _fields(other.after)
    )


def _fields(row: Mapping[str, Json] | None) -> Json:
    return None if row is None else dict(row)
