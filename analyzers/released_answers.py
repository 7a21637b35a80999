"""Answers compared as the released scripts of Out of Style do, and under Unicode folding."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Sequence

_SIGNS = re.compile(r"[^\w\s]")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_FOLDED = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)


def normalise_released(text: str) -> str:
    """Lower case, nothing but word characters and blanks, no articles, single blanks.

    Signs are told by Unicode class, so curly quotes go and underscores stay.

    Source:
        Springcty/RAG-fragility-to-linguistic-variation at 9da5447,
        `LLM_generation/c_eval_generation.py`.

    Example:
        >>> normalise_released("The \u201cQ4_plan\u201d!")
        'q4_plan'
    """
    return " ".join(_ARTICLES.sub(" ", _SIGNS.sub("", text.lower())).split())


def exact_match_released(prediction: str, golds: Iterable[str]) -> float | None:
    """1.0 when the prediction equals any gold after `normalise_released`; None without a gold."""
    wanted = normalise_released(prediction)
    return _best(lambda gold: float(wanted == normalise_released(gold)), golds)


def token_f1_released(prediction: str, golds: Iterable[str]) -> float | None:
    """Best F1 over the golds: overlap of token sets over the lengths of the token lists.

    Repeated words lower it, so that a text with one is below 1.0 against itself.

    Source:
        The same script.

    Example:
        >>> token_f1_released("New York New York", ["New York New York"])
        0.5
    """
    made = normalise_released(prediction).split()
    return _best(lambda gold: _set_f1(made, normalise_released(gold).split()), golds)


def _set_f1(made: Sequence[str], wanted: Sequence[str]) -> float:
    if not made or not wanted:
        return float(list(made) == list(wanted))
    common = len(set(made) & set(wanted))
    if not common:
        return 0.0
    precision, recall = common / len(made), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def answer_match_released(prediction: str, golds: Iterable[str]) -> float | None:
    """1.0 when the prediction holds any gold, both after `normalise_released`.

    A gold that normalises to nothing matches everything, as published.

    Example:
        >>> answer_match_released("no idea", ["The"])
        1.0
    """
    made = normalise_released(prediction)
    return _best(lambda gold: float(normalise_released(gold) in made), golds)


def fold_unicode(text: str) -> str:
    """The text with compatible letters composed and typographic quotes and dashes made plain.

    Other Unicode punctuation is left out, as ASCII punctuation is by the normalisation after it.

    Source:
        Ours: the published normalisation takes \u201cQ4\u201d and "Q4" for two texts.

    Example:
        >>> fold_unicode("cafe\u0301 \u2013 \u201cQ4\u201d")
        'caf\u00e9 - "Q4"'
    """
    folded = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return "".join(
        character
        for character in folded
        if character in string.punctuation or not unicodedata.category(character).startswith("P")
    )


def _best(score: Callable[[str], float], golds: Iterable[str]) -> float | None:
    return max((score(gold) for gold in golds), default=None)
