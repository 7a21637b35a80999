"""`run --dry-run`: what a run would do, how often it would ask models, and with how many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from assistants.budget import Price
from assistants.run import Bench
from assistants.slots import Slot

TOKENS_A_WORD = 1.4
"""Of English text with addresses and numbers in it. Ours: a rule of thumb."""
PROMPT_WORDS = 90
REPLY_TOKENS = 60
_LOOKED_AT = 200
"""Documents whose mean length is taken."""


def plan(bench: Bench, slots: Sequence[Slot], price: Price | None) -> list[str]:
    """Lines that say what the run would do; the token counts are estimates and say so."""
    calls = sum(_calls(bench, slot) for slot in slots)
    shown = _shown_words(bench, slots)
    tokens_in = round(sum(_calls(bench, slot) * _words(bench, slot, shown) for slot in slots))
    tokens_in = round(tokens_in * TOKENS_A_WORD)
    tokens_out = calls * REPLY_TOKENS
    conditions = dict.fromkeys(slot.wording.condition for slot in slots)
    lines = [
        f"{len({slot.task.item for slot in slots})} items, {len(conditions)} conditions "
        f"({', '.join(conditions)}), {len(slots)} runs",
        f"model {bench.model.name}: about {calls:,} calls, {tokens_in:,} tokens in and "
        f"{tokens_out:,} out (estimates)",
    ]
    if price is not None:
        lines.append(f"cost: about {price.of(tokens_in, tokens_out):.2f}")
    return lines


def _calls(bench: Bench, slot: Slot) -> int:
    """Calls of the model: one for a reader, one a step and one for the answer for an agent."""
    turns = len(slot.task.turns)
    if slot.task.form == "question":
        return turns
    return turns + len(slot.task.calls or ())


def _words(bench: Bench, slot: Slot, shown: float) -> float:
    said = sum(len(text.split()) for text in slot.wording.texts)
    tools = sum(len(str(dict(t.parameters)).split()) for t in bench.sandbox.tools())
    acting = slot.task.form != "question"
    return said + PROMPT_WORDS + len(bench.sandbox.briefing.split()) + (tools if acting else shown)


def _shown_words(bench: Bench, slots: Sequence[Slot]) -> float:
    """Words of the documents that a reader is shown, from the mean length of some of them."""
    corpus = bench.sandbox.corpus(slots[0].task) if slots and bench.retriever else None
    if corpus is None or not corpus.documents:
        return 0.0
    some = [len(text.split()) for text in islice(corpus.documents.values(), _LOOKED_AT)]
    return bench.top_k * sum(some) / len(some)
