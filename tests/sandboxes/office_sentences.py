"""Decisive sentences of the mails, and how like they are with names and values masked."""

from __future__ import annotations

import re

from sandboxes.office.mails import Mail
from sandboxes.office.protected import protected
from sandboxes.office.world import FactVersion, Office, own_text

_DATES = r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|\b(?:jan|feb|mar|apr|nov|dec)[a-z]*\b"
_COUNTS = r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"


def sentences(mail: Mail) -> list[str]:
    """The sentences, points of a list and field lines of a mail's own text."""
    blocks = re.split(r"\n(?=\s*(?:- |\d+\. |[A-Z][\w ]{1,20}: ))|\n\n", mail.body)
    flat = [" ".join(block.split()) for block in blocks]
    return [s for block in flat for s in re.split(r"(?<=[a-z0-9)][.!?]) (?=[A-Z])", block) if s]


def decisive(mail: Mail, version: FactVersion) -> list[str]:
    """The sentences, and the clauses of them, in which a mail states a fact."""
    found = []
    for sentence in sentences(mail):
        found += [p for p in (sentence, *clauses(sentence)) if re.search(version.pattern, p)]
    return found or [own_text(mail)]


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence between its marks."""
    return re.split(r"(?:[;:,]| -) ", sentence)


def masked(sentence: str, office: Office) -> set[str]:
    """The words of a sentence without amounts, dates, ids and names."""
    for literal in protected(sentence, office):
        sentence = sentence.replace(literal, " ")
    sentence = re.sub(f"{_DATES}|{_COUNTS}|\\d+", " ", sentence.lower())
    return set(re.findall(r"[a-z']+", sentence)) - {"s", "a", "an", "the", "eur"}


def likeness(gold: str, other: str, office: Office) -> float:
    """Share of the gold sentence's masked words that the other sentence holds too."""
    wanted = masked(gold, office)
    return len(wanted & masked(other, office)) / len(wanted) if wanted else 0.0
