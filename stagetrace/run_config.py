"""What a run does, as it is kept in its manifest and taken from there to go on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from stagetrace.parts import Choice
from tracer.errors import TraceFormatError
from tracer.records import Json

Durability: TypeAlias = Literal["span", "tool", "item"]


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """What a run does; kept in its manifest, so that it can be gone on with."""

    choice: Choice
    conditions: str
    variants: str | None
    replicates: Annotated[int, msgspec.Meta(ge=1)]
    limit: Annotated[int, msgspec.Meta(ge=1)] | None
    durability: Durability


def config_of(manifest: Mapping[str, Json], folder: Path) -> Config:
    """The configuration in a manifest.

    Raises:
        TraceFormatError: The manifest holds none that this version knows.
    """
    stored: dict[str, Any] = dict(manifest).get("config") or {}
    try:
        config = msgspec.convert(stored, Config)
    except msgspec.ValidationError as error:
        raise TraceFormatError(
            f"{folder}/run.json: no configuration to go on with ({error}); start the run anew"
        ) from error
    known = dataclasses.asdict(config)
    unknown = stored.keys() - known.keys() | stored["choice"].keys() - known["choice"].keys()
    if unknown:
        raise TraceFormatError(
            f"{folder}/run.json: {', '.join(sorted(unknown))} in its configuration is not known to "
            "this version; go on with the version that began the run"
        )
    return config
