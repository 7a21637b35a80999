"""Whether an assistant asked back in the place of acting."""

from __future__ import annotations

import pytest

from sandboxes.asking import asked_back, asks, with_asked_back
from tracer.records import Call, Outcome, Request, Task, Trace, Turn

QUESTION = "Which Tom do you mean: Quenby or Harbisher?"


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        "There are two. Should I send it to both?",
        "Please provide the recipient's address.",
        "Could you tell me the new date.",
        "I need to know which meeting you mean.",
        "Let me know which of the two it is.",
        "I found no address for Ann. What is it?",
        "I\u2019d need more details.\nWho is to get it?",
    ],
)
def test_message_that_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Done.",
        "I sent the mail. Is there anything else I can do for you?",
        "Done. How else can I help?",
        "I replied 'Shall we meet at noon?' to Ann.",
        'The subject is "Which lamp?" and it is sent.',
        "I could not find the meeting you mean.",
        "I told Ann to let you know.",
        "Nothing had to be done.",
    ],
)
def test_message_that_asks_for_nothing(text: str) -> None:
    assert not asks(text)


def trace(answer: str, *calls: Call, turn: int = 0) -> Trace:
    return Trace("t", Request("i", "Send it.", "s", turn=turn), answer=answer, calls=calls)


READ = Call("find", {}, kind="read")
WRITE = Call("send", {}, kind="write")


@pytest.mark.parametrize(
    ("calls", "asked"),
    [
        ((), True),
        ((READ,), True),
        ((READ, WRITE), False),
        ((Call("send", {}, kind="write", status="error"),), True),
        ((Call("odd", {}),), False),
    ],
)
def test_a_change_is_acting_and_a_look_is_not(calls: tuple[Call, ...], asked: bool) -> None:
    assert asked_back(trace(QUESTION, *calls)) is asked


def test_changes_of_earlier_turns_are_not_of_this_one() -> None:
    later = Call("find", {}, kind="read", turn=1)
    assert asked_back(trace(QUESTION, WRITE, later)) is True


@pytest.mark.parametrize(
    ("form", "said", "expected"),
    [
        ("actions", None, True),
        ("conversation", None, True),
        ("question", None, None),
        ("actions", False, False),
    ],
)
def test_the_suites_own_word_counts_and_questions_have_none(
    form: str, said: bool | None, expected: bool | None
) -> None:
    task = Task("i", "s", form, (Turn("Send it."),))  # type: ignore[arg-type]
    outcome = Outcome("strict", asked_back=said)
    assert with_asked_back(outcome, task, trace(QUESTION)).asked_back is expected
