"""How an analysis can be written."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """How the tables are written."""

    TABLE = "table"
    MD = "md"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"
    HTML = "html"
