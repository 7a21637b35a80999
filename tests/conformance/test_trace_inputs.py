"""One test a trace input: the reader says of it what its sidecar says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.input_cases import SUFFIX, check_case, inputs_folder, sidecars


def _due() -> list[Path]:
    folder = inputs_folder()
    if folder is None:
        return [Path("no-specs-folder")]
    return sidecars() or [folder]


@pytest.mark.parametrize("sidecar", _due(), ids=lambda path: path.name.removesuffix(SUFFIX))
def test_trace_input(sidecar: Path) -> None:
    assert sidecar.name.endswith(SUFFIX), f"{sidecar}: no trace inputs with sidecars in it"
    check_case(sidecar)
