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
    spec = importlib.util.find_spec("sitecustomize", None) if _known() else None
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _known() -> bool:
    # A module that is being imported is found as itself; look without it.
    del sys.modules["sitecustomize"]
    return True


_begin()
_next_one()
