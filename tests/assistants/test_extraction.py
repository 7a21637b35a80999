"""The extractive reader: spans by kind of question, abstention, dates, wrapped lines."""

from __future__ import annotations

import pytest

from assistants.extraction import ABSTAIN, extract, split_sentences
from tracer.records import Passage

MAIL = Passage(
    "m",
    1.0,
    "Date: 2026-01-13 09:00\n\nThe blue boat leaves on 2 February from gate 4. "
    "A ticket for the boat costs EUR 12.50. Ruth Amber sells the tickets in the shop. "
    "The boat opens at 7:30 for 120 guests.",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("On which day does the blue boat leave?", "2 February"),
        ("What does a ticket for the boat cost?", "EUR 12.50"),
        ("Who sells the tickets in the shop?", "Ruth Amber"),
        ("At what time, or what time exactly, does the boat open for guests?", "7:30"),
        ("How many guests does the boat open for?", "120 guests"),
        ("Where is the helicopter parked overnight?", ABSTAIN),
        (
            "What does a ticket for the boat cost, and on which day does the blue boat leave?",
            "EUR 12.50; 2 February",
        ),
    ],
)
def test_value_of_the_kind_asked_for(question: str, answer: str) -> None:
    assert extract(question, [MAIL]) == answer


def test_no_documents_no_answer() -> None:
    assert extract("When does the boat leave?", []) == ABSTAIN


def test_later_mail_wins_over_an_earlier_one() -> None:
    older = Passage("a", 2.0, "Date: 2026-01-01\n\nThe boat leaves on 5 May.")
    newer = Passage("b", 1.0, "Date: 2026-01-09\n\nThe boat leaves on 6 May.")
    assert extract("When does the boat leave?", [older, newer]) == "6 May"


def test_wrapped_lines_are_one_sentence_and_lists_are_not() -> None:
    text = "This is a line that was wrapped by the mail program\nin the middle.\n- one\n- two"
    assert split_sentences(text) == [
        "This is a line that was wrapped by the mail program in the middle.",
        "- one",
        "- two",
    ]
