"""Where an agent breaks when the same request is said in other words.

The names a user imports are loaded on first use, so that `import stagetrace` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from stagetrace.api import Executor as Executor
    from stagetrace.api import carried as carried
    from stagetrace.api import carrier as carrier
    from stagetrace.api import compare as compare
    from stagetrace.api import continued as continued
    from stagetrace.api import export as export
    from stagetrace.api import identity as identity
    from stagetrace.api import replay as replay
    from stagetrace.api import retriever as retriever
    from stagetrace.api import score as score
    from stagetrace.api import span as span
    from stagetrace.api import tool as tool
    from stagetrace.api import trace as trace

_NAMES = (
    *("Executor", "carried", "carrier", "compare", "continued", "export", "identity", "replay"),
    *("retriever", "score", "span", "tool", "trace"),
)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module("stagetrace.api"), name)
    raise AttributeError(f"module 'stagetrace' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
