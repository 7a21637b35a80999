"""How an answer's text is compared with gold answers."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalise(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces, in this order.

    Punctuation outside ASCII and the form of accents stay as they are, as in the published code.

    Source:
        SQuAD v1.1 evaluation script.

    Example:
        >>> normalise("The  A-B, of Theodore")
        'ab of theodore'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, golds: Iterable[str]) -> float | None:
    """1.0 when the prediction equals any gold after normalisation; None without a gold.

    Source:
        SQuAD v1.1 evaluation script.
    """
    return _best(lambda gold: float(normalise(prediction) == normalise(gold)), golds)


def token_f1(prediction: str, golds: Iterable[str]) -> float | None:
    """Best harmonic mean of token precision and recall over the golds, repeats counted.

    Source:
        SQuAD v1.1 evaluation script; two empty sides give 1.0, one empty side 0.0.

    Example:
        >>> round(token_f1("It was Kay.", ["Kay Sample"]), 6)
        0.4
    """
    return _best(lambda gold: _f1(normalise(prediction).split(), normalise(gold).split()), golds)


def answer_match(prediction: str, golds: Iterable[str]) -> float | None:
    """1.0 when the normalised prediction holds any normalised gold as a piece of text.

    A gold that normalises to nothing ("the") is looked for as it is written, whatever its case; a
    blank one never matches.

    Source:
        Out of Style, section 4.3; golds that vanish: ours, because the published code lets them
        match everything.

    Example:
        >>> answer_match("rocky music", ["rock"])
        1.0
    """
    return _best(lambda gold: float(_holds(prediction, gold)), golds)


def answer_match_tokens(prediction: str, golds: Iterable[str]) -> float | None:
    """`answer_match` on token boundaries, so that "rock" is not found in "rocky".

    A gold that normalises to nothing has no tokens and is never found.

    Source:
        Ours: shows how much of `answer_match` rests on pieces of words.

    Example:
        >>> answer_match_tokens("rocky music", ["rock"])
        0.0
    """
    return _best(lambda gold: float(_holds_tokens(prediction, gold)), golds)


def _best(score: Callable[[str], float], golds: Iterable[str]) -> float | None:
    return max((score(gold) for gold in golds), default=None)


def _f1(prediction: list[str], gold: list[str]) -> float:
    if not prediction or not gold:
        return float(prediction == gold)
    common = sum((Counter(prediction) & Counter(gold)).values())
    return 2 * common / (len(prediction) + len(gold))


def _holds(prediction: str, gold: str) -> bool:
    wanted = normalise(gold)
    if wanted:
        return wanted in normalise(prediction)
    raw = gold.strip().casefold()
    return bool(raw) and raw in prediction.casefold()


def _holds_tokens(prediction: str, gold: str) -> bool:
    tokens, part = normalise(prediction).split(), normalise(gold).split()
    return bool(part) and any(
        tokens[start : start + len(part)] == part for start in range(len(tokens) - len(part) + 1)
    )
