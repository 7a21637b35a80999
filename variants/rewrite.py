"""Asks a chat model for candidates of a pole and takes the one that clears the gates."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from tracer.protocols import ChatModel
from tracer.records import Message
from variants.base import POLES, Verdict
from variants.framings import item_number
from variants.gating import rejection
from variants.prompts import (
    CANDIDATES,
    PROMPTS,
    REWRITER,
    plain_prompt,
    sample_prompt,
    second_paper_prompt,
)
from variants.words import opening

RETRIES = 3
"""Further attempts when no candidate clears, each in the next framing; the number is ours."""

Gating: TypeAlias = Callable[[str], tuple[Verdict, ...]]

_BRACKETS = 20
_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that a model wrote, with what the gates say of it."""

    text: str
    attempt: int
    index: int
    framing: str
    prompt_sha256: str
    verdicts: tuple[Verdict, ...]
    opening_uses: int = 0

    @property
    def cleared(self) -> bool:
        """Whether no gate rejects it."""
        return not rejection(self.verdicts)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What came of a slot."""

    chosen: Candidate | None
    """The admitted candidate, or the rejected one that got furthest, if there was any."""
    reason: str = ""
    """Why nothing was admitted."""


def rewrite(
    text: str,
    condition: str,
    *,
    item: str,
    model: ChatModel,
    gate: Gating,
    seed: int = 0,
    openings: Mapping[str, int] | None = None,
    context: Sequence[str] = (),
    prompt: int = 0,
) -> Rewritten:
    """A request in the words of a model, in a pole or a condition of the second paper.

    Args:
        text: The request.
        condition: A pole.
        item: Id of the task: it names the first framing, so the order of items changes nothing.
        model: Writes the candidates.
        gate: The verdicts on a candidate.
        seed: Start of the draws among candidates whose openings are used equally often.
        openings: How often earlier items took each opening, frozen before the item.
        context: Earlier turns of the conversation.
        prompt: 1 to 3 names a prompt of the second paper, 0 rotates by item.

    Raises:
        EndpointError: The model cannot be asked.

    Source:
        Lost in the Request, appendices C and D.19; hash, retries, parsing and ties are ours.
    """
    seen: list[Candidate] = []
    answer = ""
    # Threads must not see each other's seed; a copy shares the connection and the weights.
    model = copy.copy(model)
    for attempt in range(RETRIES + 1):
        asked, framing, several = _prompt(text, condition, item, attempt, context, prompt)
        messages = (Message("system", REWRITER), Message("user", asked))
        _reseed(model, seed, item, condition, attempt)
        answer = model.chat(messages).message.content
        digest = hashlib.sha256(f"{REWRITER}\n{asked}".encode(errors="surrogatepass")).hexdigest()
        texts = candidates_of(answer) if several else single_of(answer)
        found = [
            Candidate(one, attempt, index, framing, digest, gate(one))
            for index, one in enumerate(texts)
        ]
        seen += found
        cleared = [candidate for candidate in found if candidate.cleared]
        if cleared:
            rng = _rng(seed, item, condition, attempt)
            return Rewritten(_least_used(cleared, openings or {}, rng))
    return _failed(seen, answer)


def candidates_of(answer: str) -> list[str]:
    """The rewrites in a model's answer: a JSON array of strings, bare or fenced; else none.

    White space around them is cut, texts that are equal but for case count once, and of more than
    six the first six are kept.

    Example:
        >>> candidates_of('Sure: ["Send it.", " send it. ", "It wants sending."]')
        ['Send it.', 'It wants sending.']
        >>> candidates_of("Send it.")
        []
    """
    for part in [*_FENCE.findall(answer), answer]:
        array = _array(part)
        if array is not None:
            texts = [text.strip() for text in array if isinstance(text, str) and text.strip()]
            return list({text.casefold(): text for text in reversed(texts)}.values())[::-1][
                :CANDIDATES
            ]
    return []


def single_of(answer: str) -> list[str]:
    """The one rewrite in a model's answer, without fence or quotation marks around all of it.

    Example:
        >>> single_of('"Send it now."'), single_of("  ")
        (['Send it now.'], [])
    """
    fenced = _FENCE.search(answer)
    text = (fenced.group(1) if fenced else answer).strip()
    if text[:1] == "[" and (array := _array(text)):
        text = str(array[0]).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return [text] if text else []


def _array(text: str) -> list[object] | None:
    """The first JSON array in a text, looked for at its first few brackets only."""
    for bracket in islice(re.finditer(r"\[", text), _BRACKETS):
        try:
            found, _ = json.JSONDecoder().raw_decode(text, bracket.start())
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, list) else None
    return None


def _prompt(
    text: str, condition: str, item: str, attempt: int, context: Sequence[str], number: int
) -> tuple[str, str, bool]:
    """What the model is asked, the framing's name, and whether several rewrites are asked for."""
    turn = item_number(item) + attempt
    if condition in PROMPTS:
        chosen = number or turn % len(PROMPTS[condition]) + 1
        return second_paper_prompt(condition, chosen, text, context), f"prompt {chosen}", False
    pole = POLES.get(condition)
    if not pole.contrastive:
        return plain_prompt(condition, text, context), "", False
    framing = pole.framings[turn % len(pole.framings)] if pole.framings else "any"
    return sample_prompt(condition, framing, text, context), framing, True


def _least_used(
    cleared: Sequence[Candidate], openings: Mapping[str, int], rng: random.Random
) -> Candidate:
    uses = [openings.get(opening(candidate.text), 0) for candidate in cleared]
    fewest = min(uses)
    chosen = rng.choice([c for c, used in zip(cleared, uses, strict=True) if used == fewest])
    return Candidate(
        chosen.text,
        chosen.attempt,
        chosen.index,
        chosen.framing,
        chosen.prompt_sha256,
        chosen.verdicts,
        fewest,
    )


def _failed(seen: Sequence[Candidate], answer: str) -> Rewritten:
    if not seen:
        said = " ".join(answer.split())[:60]
        return Rewritten(
            None,
            f"no candidate: {RETRIES + 1} answers without a rewrite, the last one: {said!r}",
        )
    furthest = max(seen, key=lambda c: (sum(v.passed for v in c.verdicts), -c.attempt, -c.index))
    return Rewritten(furthest, rejection(furthest.verdicts))


def _reseed(model: ChatModel, seed: int, item: str, condition: str, attempt: int) -> None:
    """Give a model with randomness a seed of its own for each attempt."""
    reseed = getattr(model, "reseed", None)
    if callable(reseed):
        reseed(int.from_bytes(_digest(seed, item, condition, attempt)[:4]))


def _rng(seed: int, item: str, condition: str, attempt: int) -> random.Random:
    return random.Random(_digest(seed, item, condition, attempt))


def _digest(seed: int, item: str, condition: str, attempt: int) -> bytes:
    key = f"{seed}|{item}|{condition}|{attempt}".encode(errors="surrogatepass")
    return hashlib.sha256(key).digest()
