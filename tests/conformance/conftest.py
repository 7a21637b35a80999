"""The last line of a run that holds conformance cases: `conformance: N cases, N passed`.

Golden cases and trace inputs are counted together.
"""

from __future__ import annotations

import pytest

from tests.conformance.cases import golden_dir

_FILES = ("test_golden.py", "test_trace_inputs.py")
_BUGS = "test_bugs.py"


class _Tally:
    """Counts cases by how they ended."""

    def __init__(self) -> None:
        self.collected = False
        self.cases: dict[str, bool] = {}
        self.not_run: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path, _, name = report.nodeid.partition("::")
        if path.endswith(_BUGS) and report.skipped:
            self.not_run.append(name.partition("[")[2].rstrip("]"))
        if path.endswith(_FILES):
            held = self.cases.get(report.nodeid, True)
            self.cases[report.nodeid] = held and report.passed

    def line(self) -> str:
        if golden_dir() is None:
            return "conformance: 0 cases, no specs folder"
        return f"conformance: {len(self.cases)} cases, {sum(self.cases.values())} passed"


_TALLY = pytest.StashKey[_Tally]()


def pytest_configure(config: pytest.Config) -> None:
    tally = config.stash.setdefault(_TALLY, _Tally())
    config.pluginmanager.register(tally, "conformance-tally")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    cases = [item for item in items if item.path.name in _FILES]
    config.stash[_TALLY].collected = bool(cases)
    if cases and golden_dir() is None:
        config.hook.pytest_deselected(items=cases)
        items[:] = [item for item in items if item.path.name not in _FILES]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    tally = config.stash[_TALLY]
    if reporter is not None and (tally.collected or tally.cases):
        reporter.ensure_newline()
        reporter.write_line(tally.line())
    if reporter is not None and tally.not_run:
        names = ", ".join(sorted(tally.not_run))
        reporter.ensure_newline()
        reporter.write_line(f"bugs: {len(tally.not_run)} cases without a check: {names}")
