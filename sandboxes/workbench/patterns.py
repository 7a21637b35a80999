"""Search patterns that come from a model: regular expressions, without those that never end."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST = 1_000
"""Characters of a pattern.

Source:
    Ours: no name or subject of the data comes near it.
"""
MOST_REPEATS = 4
"""Open repeats of a pattern; each one multiplies the ways to match by the length of the text.

Source:
    Ours: Python's matcher cannot be stopped, so what may run for hours is refused before it starts.
"""
MOST_CHOICES = 10_000
"""Ways through the optional parts and alternatives of a pattern.

Source:
    Ours, as above.
"""
MOST_STEPS = 50_000_000
"""Steps of one search over all its texts, under a second.

Source:
    Ours, as above.
"""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that ends, with what it costs in the worst case."""

    regex: re.Pattern[str]
    choices: int
    repeats: int

    def hits(self, texts: Iterable[str]) -> list[bool]:
        """Whether each text holds the pattern.

        Raises:
            re.error: The texts are so long that the search could take for ever.
        """
        texts = list(texts)
        steps = sum(self._steps(len(text) + 1) for text in texts)
        if steps > MOST_STEPS:
            raise re.error(
                f"pattern {self.regex.pattern[:60]!r} could take {steps:.0e} steps; "
                "search for plain words"
            )
        return [self.regex.search(text) is not None for text in texts]

    def _steps(self, length: int) -> float:
        power = self.repeats + 1
        ways = self.choices * float(length) ** power / math.factorial(power)
        return ways + length * len(self.regex.pattern)


def compiled(text: str, flags: int = 0) -> Pattern:
    """The pattern, compiled.

    Raises:
        re.error: It is no regular expression, or one that could take for ever.
    """
    if len(text) > LONGEST:
        raise re.error(f"pattern of {len(text)} characters; at most {LONGEST} are searched for")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # re's remarks on future syntax are none of the model's
            regex = re.compile(text, flags)
        choices, repeats = _Cost(text).alternatives()
    except (RecursionError, OverflowError) as error:
        raise re.error(f"pattern is nested or repeated too much ({error})") from error
    if repeats > MOST_REPEATS or choices > MOST_CHOICES:
        raise re.error(
            f"pattern repeats a repeat, or has over {MOST_REPEATS} repeats or {MOST_CHOICES} ways "
            "to match; search for plain words"
        )
    return Pattern(regex, choices, repeats)


class _Cost:
    """Reads a valid pattern for its choices and its open repeats, both from above."""

    def __init__(self, text: str) -> None:
        # An escape or a class matches one character in one way, as a plain letter does.
        self._text = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", text, flags=re.DOTALL)
        self._place = 0

    def alternatives(self) -> tuple[int, int]:
        """Choices and repeats up to the end of the group."""
        choices, repeats = self._branch()
        while self._ahead() == "|":
            self._place += 1
            more, open_repeats = self._branch()
            choices, repeats = choices + more, max(repeats, open_repeats)
        return choices, repeats

    def _branch(self) -> tuple[int, int]:
        choices, repeats = 1, 0
        while self._ahead() not in ("", "|", ")"):
            more, open_repeats = self._atom()
            choices, repeats = choices * more, repeats + open_repeats
        return choices, repeats

    def _atom(self) -> tuple[int, int]:
        choices, repeats = 1, 0
        if self._take() == "(":
            if self._ahead() == "?":
                self._place += 1
            choices, repeats = self.alternatives()
            self._take()
        suffix = re.compile(r"[*+?]|\{\d*,?\d*\}").match(self._text, self._place)
        if suffix is None:
            return choices, repeats
        self._place = suffix.end()
        if self._ahead() in ("?", "+"):
            self._place += 1
        if suffix[0] == "?":
            return choices + 1, repeats
        if (choices, repeats) != (1, 0):
            return choices, MOST_REPEATS + 1
        return (1, 0) if re.fullmatch(r"\{\d+\}", suffix[0]) else (1, 1)

    def _ahead(self) -> str:
        return self._text[self._place : self._place + 1]

    def _take(self) -> str:
        self._place += 1
        return self._text[self._place - 1 : self._place]
