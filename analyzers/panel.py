"""A table of an analysis before it is written: full-precision values under named columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tracer.records import Json

Form: TypeAlias = Literal["text", "level", "change", "interval", "p", "count", "number", "percent"]
"""How the values of a column are written: as they are; percent; points with sign; `[low, high]`,
from two keys; p; a count; a number with two decimals; percent that are percent already."""
Line: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a panel."""

    key: str
    """Key of the lines; for an interval of the low end, `KEY_high` being the other."""
    head: str
    form: Form = "text"


@dataclass(frozen=True, slots=True)
class Panel:
    """One table of an analysis, with full-precision values."""

    name: str
    """Of the analysis, and after a dot of the table where it has several."""
    title: str
    fields: tuple[Field, ...]
    lines: tuple[Line, ...]
    """What does not exist is None, never 0; `unit` of a line says what its levels are in."""
    notes: tuple[str, ...] = ()


EFFECT_FIELDS = (
    Field("base", "base", "level"),
    Field("variant", "value", "level"),
    Field("difference", "diff", "change"),
    Field("low", "95 % interval", "interval"),
    Field("p", "p", "p"),
    Field("holm", "Holm", "p"),
    Field("n", "n", "count"),
    Field("mark", ""),
)
