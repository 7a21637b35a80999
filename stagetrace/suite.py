"""From a suite's name on the command line to a sandbox."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, cast

from assistants.base import EMBEDDERS
from sandboxes.base import SANDBOXES, Sandbox
from stagetrace import settings
from tracer.errors import InputError, MissingExtraError, ModelWeightsMissingError
from tracer.protocols import Embedder
from tracer.store import MANIFEST, read_manifest

SIMILARITY = "minilm"
"""Compares texts where a benchmark's rules ask for it and the weights are here."""


def open_suite(
    name: str, mode: str | None = None, *, grading: bool = False, tools: str | None = None
) -> Sandbox:
    """A fresh sandbox for `SCHEME`, `SCHEME:PART` or `MODULE:ATTR`.

    Args:
        name: As on the command line.
        mode: Grading mode; None for the suite's own default.
        grading: Hand the suite a text similarity where its rules ask for one. Without the weights
            it compares equal texts only and says so in every outcome.
        tools: `MODULE:ATTR` of the user's own tools, for a suite that takes them.

    Raises:
        InputError: The suite takes no tools, or these are none.
        UnknownNameError: No suite has this name; the nearest names are offered.
        DataMissingError: Its files are not there.
    """
    scheme, _, part = name.partition(":")
    if scheme not in SANDBOXES.names():
        find_own_modules(name)
        scheme, part = name, ""
    factory = cast(Any, SANDBOXES.get(scheme))
    options: dict[str, Any] = {"mode": mode, "data": settings.data_folder}
    if grading and getattr(factory, "takes_similarity", False):
        options["similarity"] = _similarity()
    if tools is not None:
        if not getattr(factory, "takes_tools", False):
            raise InputError(
                f"--tools: suite {name!r} has its own tools; only tasks:PATH takes yours"
            )
        options["tools"] = (own_attribute(tools, "--tools"), tools)
    return cast(Sandbox, factory(part, **options))


def _similarity() -> Embedder | None:
    try:
        return EMBEDDERS.get(SIMILARITY)(folders=settings.model_folders())
    except (MissingExtraError, ModelWeightsMissingError):
        return None


def sends_content(traces: Path) -> bool:
    """Whether an export of these traces holds their content when nothing is said.

    Not that of a run over a suite whose documents are of real people.
    """
    if not (traces / MANIFEST).exists():
        return True
    scheme = str(read_manifest(traces).get("suite") or "").partition(":")[0]
    known = scheme in SANDBOXES.names()
    return not (known and getattr(SANDBOXES.get(scheme), "private", False))


def own_attribute(name: str, option: str) -> Any:
    """What `MODULE:ATTR` names.

    Raises:
        InputError: There is no such module or attribute.
    """
    find_own_modules(name)
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"{option} {name}: cannot be imported ({error}); give MODULE:ATTR, such as "
            "my_code:make for the function make in my_code.py"
        ) from error


def find_own_modules(name: str) -> None:
    """Have `MODULE:ATTR` found in the current folder, after all that is installed."""
    here = str(Path.cwd())
    if ":" in name and here not in sys.path:
        sys.path.append(here)
