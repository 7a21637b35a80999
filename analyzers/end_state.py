"""What the states before and after a run say, given the state that was wanted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndState:
    """The three verdicts that follow from comparing states."""

    correct: bool
    unwanted_side_effect: bool
    failed_to_act: bool


def judge_end_state(before: str, after: str, expected: str) -> EndState:
    """Compare digests of the state before, after and as wanted.

    Source:
        WorkBench, `src/evals/utils.py`: a side effect is unwanted when the state changed and is not
        the wanted one. Failing to act: ours, the state stayed although a change was wanted.

    Example:
        >>> judge_end_state("a", "a", "b").failed_to_act
        True
    """
    correct = after == expected
    return EndState(
        correct=correct,
        unwanted_side_effect=after != before and not correct,
        failed_to_act=after == before and expected != before,
    )
