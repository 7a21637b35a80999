"""Runs when a Python process starts whose import path `stagetrace trace` has put this folder on.

It is the project's one import hook: it begins the tracing, then gives way to a `sitecustomize` of
the user's own.
"""

import importlib.util
import sys
from pathlib import Path

_HERE = str(Path(__file__).parent)
sys.path[:] = [place for place in sys.path if place != _HERE]


def _begin() -> None:
    try:
        from stagetrace.zero_code.begin import begin
    except ImportError as error:
        sys.stderr.write(
            f"stagetrace: this Python has no stagetrace ({error}); nothing is traced\n"
        )
        return
    begin(_HERE)


def _next_one() -> None:
    # A module that is being imported is found as itself; look for another one without it.
    ours = sys.modules.pop("sitecustomize")
    spec = importlib.util.find_spec("sitecustomize")
    module = None if spec is None else importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = ours if module is None else module
    if spec is not None and spec.loader is not None and module is not None:
        spec.loader.exec_module(module)


_begin()
_next_one()
