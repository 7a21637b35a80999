"""Conditions on effects for continuous integration: `success@indirect < -0.05 and p < 0.05`."""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analyzers.base import METRICS
from analyzers.effect import Comparison, Effect
from tracer.errors import InputError
from tracer.registry import nearest

ANY = "any"
"""Stands for every condition in turn."""
FIELDS = (
    "difference",
    "base",
    "variant",
    "low",
    "high",
    "p",
    "mid_p",
    "holm",
    "bh",
    "p_cluster",
    "detectable",
    "n",
    "n_missing",
    "n_undefined",
    "b",
    "c",
)
"""What can be asked of a cell; alone, a cell stands for its `difference`, as a share."""
_LONGEST = 1_000
_EXAMPLE = "'required_call_recall@indirect < -0.05 and p < 0.05'"
_COMPARE: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class Failing:
    """A cell that meets the condition, or a condition that could not be decided."""

    cell: str
    """Metric and condition; empty when nothing could be decided."""
    where: str
    """Title of the block."""
    words: str
    """What was found, with the numbers."""


class FailIf:
    """A condition, read once and never evaluated as code.

    Args:
        text: Comparisons of numbers with cells `METRIC@CONDITION`, with their fields (`p`, `holm`,
            `low` ...) or `METRIC@CONDITION.FIELD`, joined by `and`, `or`, `not`. A bare field
            belongs to the cell before it. `any` as condition tries every one.

    Raises:
        InputError: It is something else; the message points at the place.

    Source:
        Ours: Python's own parser with a list of what is allowed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > _LONGEST:
            raise InputError(f"--fail-if: {len(text)} characters; write at most {_LONGEST}")
        try:
            with warnings.catch_warnings():
                # Python warns of odd literals, which are refused below.
                warnings.simplefilter("ignore")
                self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InputError(
                f"--fail-if {text!r}: cannot be read ({type(error).__name__}); "
                f"write it as {_EXAMPLE}"
            ) from error
        self.cells = _cells(self._tree, text)
        if not self.cells:
            raise InputError(f"--fail-if {text!r}: names no cell; write it as {_EXAMPLE}")

    def check(self, blocks: Sequence[tuple[str, Comparison]]) -> list[Failing]:
        """The cells that meet the condition; one entry without a cell when none could be decided.

        Args:
            blocks: Title and comparison of every block.

        Raises:
            InputError: A metric or condition is in no block.
        """
        self._known([comparison for _, comparison in blocks])
        found: list[Failing] = []
        decided = False
        for title, comparison in blocks:
            every = any(condition == ANY for _, condition in self.cells)
            for name in comparison.conditions if every else ("",):
                effects = self._effects(comparison, name)
                if any(effect is None or effect.difference is None for effect in effects.values()):
                    continue
                decided = True
                if _Evaluation(effects, self.text).truth(self._tree):
                    met = [effect for effect in effects.values() if effect is not None]
                    cells = dict.fromkeys(f"{one.metric}@{one.condition}" for one in met)
                    found.append(Failing(", ".join(cells), title, "; ".join(map(_words, met))))
        if not decided:
            named = ", ".join("@".join(cell) for cell in self.cells)
            found.append(Failing("", "", f"{named} has no value in any block"))
        return found

    def _effects(self, comparison: Comparison, name: str) -> dict[tuple[str, str], Effect | None]:
        return {
            (metric, condition): comparison.effect(metric, name if condition == ANY else condition)
            for metric, condition in self.cells
        }

    def _known(self, comparisons: Sequence[Comparison]) -> None:
        for metric, condition in self.cells:
            METRICS.get(metric)
            names = list(dict.fromkeys(n for c in comparisons for n in c.conditions))
            if condition != ANY and condition not in names:
                offer = nearest(condition, names) if names else "there is nothing to compare"
                raise InputError(
                    f"--fail-if {self.text!r}: no condition {condition!r} in these runs; {offer}"
                )


class _Evaluation:
    """Walks the tree over the cells of one block; a bare field belongs to the last cell."""

    def __init__(self, effects: Mapping[tuple[str, str], Effect | None], text: str) -> None:
        self._effects = effects
        self._text = text
        self._last = next(iter(effects.values()))

    def truth(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            # Both sides are walked, so that a bare field always finds the cell before it.
            values = [self.truth(part) for part in node.values]
            return all(values) if isinstance(node.op, ast.And) else any(values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.truth(node.operand)
        if not isinstance(node, ast.Compare):
            raise _refused(node, self._text)
        numbers = [self.number(part) for part in (node.left, *node.comparators)]
        sides = zip(node.ops, numbers, numbers[1:], strict=False)
        return all(
            left is not None and right is not None and _COMPARE[type(op)](left, right)
            for op, left, right in sides
        )

    def number(self, node: ast.expr) -> float | None:
        value = _constant(node)
        if value is not None:
            return value
        if isinstance(node, ast.Name):
            return None if self._last is None else _field(self._last, node.id)
        metric, condition, field = _cell(node, self._text)
        self._last = self._effects[metric, condition]
        return None if self._last is None else _field(self._last, field)


def _field(effect: Effect, name: str) -> float | None:
    value = getattr(effect, name)
    return None if value is None else float(value)


def _cells(node: ast.expr, text: str) -> tuple[tuple[str, str], ...]:
    """The cells of a tree in the order of reading, after looking at every node."""
    found: dict[tuple[str, str], None] = {}

    def walk(part: ast.expr) -> None:
        if isinstance(part, ast.BoolOp):
            for value in part.values:
                walk(value)
        elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            walk(part.operand)
        elif isinstance(part, ast.Compare):
            if any(type(op) not in _COMPARE for op in part.ops):
                raise _refused(part, text)
            for side in (part.left, *part.comparators):
                operand(side)
        else:
            raise _refused(part, text)

    def operand(side: ast.expr) -> None:
        if _constant(side) is not None:
            return
        if isinstance(side, ast.Name):
            if side.id not in FIELDS:
                raise InputError(
                    f"--fail-if {text!r}: {side.id!r} is neither METRIC@CONDITION nor a field; "
                    f"{nearest(side.id, list(FIELDS))}"
                )
            if not found:
                raise InputError(
                    f"--fail-if {text!r}: {side.id!r} stands before any METRIC@CONDITION"
                )
            return
        metric, condition, _ = _cell(side, text)
        found[metric, condition] = None

    walk(node)
    return tuple(found)


def _constant(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _constant(node.operand)
        if value is None:
            return None
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        # A bool is an int to Python, and no number here.
        return None if isinstance(node.value, bool) else float(node.value)
    return None


def _cell(node: ast.expr, text: str) -> tuple[str, str, str]:
    """Metric, condition and field of `recall@5@indirect.p`, which Python reads as products."""
    parts = list(_parts(node, text))
    last, _, field = parts[-1].partition(".")
    if field and not (parts[-1].replace(".", "").isdigit() and len(parts) > 1):
        parts[-1] = last
    else:
        field = ""
    whole = "@".join(parts)
    for name in sorted(METRICS.names(), key=len, reverse=True):
        if whole.startswith(f"{name}@"):
            if field and field not in FIELDS:
                raise InputError(
                    f"--fail-if {text!r}: no field {field!r}; {nearest(field, list(FIELDS))}"
                )
            return name, whole[len(name) + 1 :], field or "difference"
    METRICS.get(parts[0])
    raise InputError(
        f"--fail-if {text!r}: {whole!r} is no METRIC@CONDITION; write it as {_EXAMPLE}"
    )


def _parts(node: ast.expr, text: str) -> Iterable[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield from _parts(node.left, text)
        yield from _parts(node.right, text)
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"
    elif (number := _constant(node)) is not None:
        yield f"{number:g}"
    else:
        raise _refused(node, text)


def _refused(node: ast.expr, text: str) -> InputError:
    place = getattr(node, "col_offset", 0)
    return InputError(
        f"--fail-if {text!r}: {type(node).__name__} at character {place + 1} is not allowed; "
        f"only comparisons of cells, fields and numbers joined by and, or, not: {_EXAMPLE}"
    )


def _words(effect: Effect) -> str:
    def shown(value: float | None) -> str:
        return "n/a" if value is None else f"{value:.4g}"

    return (
        f"{effect.metric}@{effect.condition}: difference {shown(effect.difference)} "
        f"[{shown(effect.low)}, {shown(effect.high)}], p {shown(effect.p)}, "
        f"Holm {shown(effect.holm)}, n {effect.n}"
    )
