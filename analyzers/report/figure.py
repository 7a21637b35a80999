"""How a figure of the report is opened: matplotlib without its global state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from analyzers.report.svg import SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INSTALL = "pip install 'stagetrace[report]'"


def plots_possible() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """An empty figure, in inches; draw and save it inside the block, settings end with it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        yield Figure(figsize=(width, height))
