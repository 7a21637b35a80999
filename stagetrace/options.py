"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

InspectCondition: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="KEY",
        help="Key of a sample's metadata that names the condition in an Inspect log.",
    ),
]
