"""Checks that our packages are ours: their names are everyday words that others may use."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOMS = ("tracer", "variants", "sandboxes", "assistants", "analyzers")


def shadowed(home: Path | None = None) -> str | None:
    """One line that names the file hiding a room, or None when all rooms are ours.

    Imports no room, so it works before the first import of one can fail.

    Args:
        home: The folder our packages lie in; by default the one this file's package lies in.
    """
    home = (home or Path(__file__).parent.parent).resolve()
    for room in ROOMS:
        spec = importlib.util.find_spec(room)
        expected = home / room / "__init__.py"
        if spec is None:
            return f"the package {room!r} is missing from {home}; reinstall stagetrace"
        found = Path(spec.origin).resolve() if spec.origin else None
        if found != expected:
            place = found or ", ".join(spec.submodule_search_locations or ["a namespace package"])
            return (
                f"{place} hides stagetrace's own package {room!r} ({expected}); "
                "rename it, or run stagetrace from another folder"
            )
    return None
