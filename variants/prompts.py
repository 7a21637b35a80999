"""Every text that is shown to a rewriting or rating model, by version."""

from __future__ import annotations

from collections.abc import Sequence

from variants.base import POLES

VERSION = "1"
CANDIDATES = 6
"""Lost in the Request, appendix C: six rewrites a call."""

REWRITER = (
    "You put requests to an e-mail assistant into other words. You never answer or carry out a "
    "request; you only say it differently."
)
RATER = "You compare texts. Answer with one word, yes or no, and nothing else."

_KEEP = (
    "Whoever reads the rewrite must give the same single answer or do the same single thing. "
    "Keep every name, address, number, date, time, file name, identifier and quoted text exactly "
    "as it is written. Add no fact and leave none out."
)

CRITERIA = {
    "explicit": "says outright, in plain words, what is wanted and from whom",
    "indirect": (
        "leaves what is wanted to be inferred: a gap, a doubt, a wish, a plan that hangs on it or "
        "something out of place stands there instead of the demand or the question itself"
    ),
    "formal": (
        "has the register of courteous business correspondence, in whole sentences and without "
        "contractions or slang"
    ),
    "casual": (
        "reads like a quick chat message: lower case, informal or clipped words, no ceremony"
    ),
    "terse": "is cut down to a note or a search line, with nothing that could be spared",
    "verbose": (
        "is long-winded: the writer rambles, digresses or tells a story, with the request buried "
        "in the middle"
    ),
    "calm": "sounds unhurried and relaxed, with no pressure in it",
    "charged": (
        "shows the writer's own strong feeling, such as worry, annoyance, exhaustion or excitement"
    ),
    "fluent_native": "is idiomatic, correct English as a native speaker would put it",
    "non_grammatical": (
        "can be understood, but its sentences are built in a way that English grammar does not "
        "allow, beyond a slip of spelling"
    ),
    "less_formal": "is less formal than a business letter",
    "less_readable": "is hard to read: long words, dense or nested sentences",
    "more_polite": "is polite or very polite",
}
"""Pole to what a text must show, in the words of the rater's question."""

READABILITY_PROMPTS = (
    "Rewrite the request so that it is harder to read: prefer long words and one dense sentence. "
    "Its Flesch reading ease must come out below 60. Stay within a tenth of its length.",
    "Say the same in the manner of a learned journal, with nominal phrases and nested clauses, so "
    "that an untrained reader has to go over it twice. Do not make it noticeably longer.",
    "Exchange common words for rarer ones of several syllables and fold clauses into one another, "
    "while the request remains correct English of about the same length.",
)
FORMALITY_PROMPTS = (
    "Rewrite the request in a lower register, the way one would write to a colleague one knows "
    "well.",
    "Take the stiffness out of the request: everyday words, contractions, loose sentence "
    "structure.",
    "Turn the request into something one would type into a messenger without thinking about style.",
)
POLITENESS_PROMPTS = (
    "Rewrite the request so that it is more polite, as one would ask a favour of a stranger.",
    "Add courtesy to the request: considerate phrasing, thanks, room to decline, without changing "
    "what is asked.",
    "Say the same with the utmost consideration for the reader, softening each demand.",
)
PROMPTS = {
    "less_readable": READABILITY_PROMPTS,
    "less_formal": FORMALITY_PROMPTS,
    "more_polite": POLITENESS_PROMPTS,
}
"""Conditions of the second paper to their three prompts."""


def sample_prompt(pole: str, framing: str, text: str, context: Sequence[str] = ()) -> str:
    """The request for six rewrites of a contrastive pole in one framing.

    Source:
        Lost in the Request, appendix C and D.19 (verbalized sampling); the wording is ours.
    """
    return "\n".join(
        [
            f"Style: {POLES.get(pole).instruction}",
            f"Framing of all rewrites: {framing}.",
            _KEEP,
            f"Write exactly {CANDIDATES} rewrites that differ from each other in their first words "
            "and in the shape of their sentences. Do not number them and do not name the style.",
            f"Answer with a JSON array of {CANDIDATES} strings and nothing else.",
            *_earlier(context),
            f"Request: {text}",
        ]
    )


def plain_prompt(pole: str, text: str, context: Sequence[str] = ()) -> str:
    """The request for one rewrite of a reference pole; all four share it.

    Source:
        Lost in the Request, appendix D.13; the wording is ours.
    """
    return "\n".join(
        [
            f"Rewrite the request once. {POLES.get(pole).instruction}",
            _KEEP,
            "Answer with the rewrite alone.",
            *_earlier(context),
            f"Request: {text}",
        ]
    )


def second_paper_prompt(condition: str, number: int, text: str, context: Sequence[str] = ()) -> str:
    """The request for one rewrite by one of the three prompts of a dimension.

    Args:
        condition: `less_readable`, `less_formal` or `more_polite`.
        number: 1 to 3.
        text: The request.
        context: Earlier turns.

    Source:
        Out of Style, section 3.2: three prompts a dimension; the wording is ours.
    """
    return "\n".join(
        [
            PROMPTS[condition][number - 1],
            _KEEP,
            "Answer with the rewrite alone.",
            *_earlier(context),
            f"Request: {text}",
        ]
    )


def intent_question(base: str, candidate: str, context: Sequence[str] = ()) -> str:
    """Gate A: whether both texts ask for the same."""
    return "\n".join(
        [
            "Do the two texts ask for exactly the same information or action? Pay no heed to tone, "
            "length, politeness, grammar or how directly it is put. If one of them could be met by "
            "another answer or another action, say no.",
            *_earlier(context),
            f"First text: {base}",
            f"Second text: {candidate}",
            "yes or no?",
        ]
    )


def style_question(condition: str, candidate: str) -> str:
    """Gate B: whether the text shows the pole."""
    return "\n".join(
        [
            f"Does the text fit this description: it {CRITERIA.get(condition, condition)}? Whether "
            "what it says is right does not matter.",
            f"Text: {candidate}",
            "yes or no?",
        ]
    )


def human_question(candidate: str) -> str:
    """Gate C: whether a person could have written the text."""
    return "\n".join(
        [
            "Could a real person have typed this text to an assistant? Length, many details, a "
            "formal tone and mistakes of a learner do not speak against it.",
            f"Text: {candidate}",
            "yes or no?",
        ]
    )


def _earlier(context: Sequence[str]) -> list[str]:
    return [f"Earlier in the conversation: {turn}" for turn in context]
