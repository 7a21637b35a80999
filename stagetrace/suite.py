"""From a suite's name on the command line to a sandbox."""

from __future__ import annotations

from sandboxes.base import SANDBOXES, Sandbox
from stagetrace import settings


def open_suite(name: str, mode: str | None = None) -> Sandbox:
    """A fresh sandbox for `SCHEME` or `SCHEME:PART`.

    Raises:
        UnknownNameError: No suite has this name; the nearest names are offered.
        DataMissingError: Its files are not there.
    """
    scheme, _, part = name.partition(":")
    factory = SANDBOXES.get(scheme if scheme in SANDBOXES.names() else name)
    return factory(part, mode=mode, data=settings.data_folder)
