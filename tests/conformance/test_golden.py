"""One test a golden case, under the id it has in its file.

A module of kinds offers `due_cases(golden_dir)`; the folder is that of `STAGETRACE_SPECS`, so that
another one of the same format can be put in its place. Without any folder all of it is deselected.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance import metric_kinds, tooltalk_kinds, workbench_kinds
from tests.conformance.cases import Case, golden_dir

KINDS = (workbench_kinds, tooltalk_kinds, metric_kinds)


def _due() -> list[Case]:
    folder = golden_dir()
    if folder is None:
        return [("no-specs-folder", lambda: None)]
    return [case for kind in KINDS for case in kind.due_cases(folder)]


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in _due()])
def test_case(check: Callable[[], None]) -> None:
    check()
