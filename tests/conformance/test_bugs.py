"""One test a case of a fault; what nobody answers is skipped under its own name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stagetrace import console
from tests.conformance.bug_kinds import CHECKS, IN_WORDS, Case, kind_of, name_of, read_cases
from tests.conformance.cases import specs_folder


def _cases() -> list[Case]:
    folder = specs_folder()
    return [] if folder is None else read_cases(folder / "bugs")


CASES = _cases()
LEFT_OUT = [name_of(case) for case in CASES if kind_of(case) not in {*CHECKS, *IN_WORDS}]


@pytest.fixture(autouse=True)
def _fresh_consoles() -> Iterator[None]:
    """Consoles bound to the streams of this test."""
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.mark.parametrize(
    "case", [case for case in CASES if kind_of(case) not in IN_WORDS], ids=name_of
)
def test_bug(case: Case, specs_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = CHECKS.get(kind_of(case))
    if check is None:
        part, keys = kind_of(case)
        pytest.skip(f"{name_of(case)}: no check for {part} with {', '.join(sorted(keys))}")
    check(case, specs_dir / "bugs", lambda: capsys.readouterr().out)


@pytest.mark.parametrize("kind", IN_WORDS, ids=lambda kind: "-".join(sorted(kind[1])))
def test_a_case_told_in_words_is_an_ordinary_test_under_its_number(kind) -> None:
    path = Path(__file__).parent.parent.parent / IN_WORDS[kind]
    numbers = [case["id"] for case in CASES if kind_of(case) == kind]
    source = path.read_text(encoding="utf-8")
    assert all(f"def test_bug_{number:03}_" in source for number in numbers)
