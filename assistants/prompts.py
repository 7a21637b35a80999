"""Every prompt text, with a version that changes with it, and how documents are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracer.records import Passage


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt text under a name and a version."""

    name: str
    version: str
    text: str
    """With `{briefing}` where the world is described."""

    @property
    def label(self) -> str:
        """Name and version, as it stands on spans.

        Example:
            >>> READ.label
            'read/1'
        """
        return f"{self.name}/{self.version}"

    def fill(self, briefing: str) -> str:
        """The text with the description of the world in its place."""
        return self.text.replace("{briefing}", briefing.strip()).strip()


READ = Prompt(
    "read",
    "1",
    "You help the owner of a mailbox. Answer the question from the mails that are shown with it, "
    "and from nothing else. Keep the answer to one short sentence that holds the value asked for. "
    "When the mails disagree, the latest one counts. When they do not say it, reply that the "
    "mails do not say it.\n\n{briefing}",
)

ANSWER = Prompt(
    "answer",
    "1",
    "You help the owner of a mailbox, whose mails you cannot see. Answer in one short sentence. "
    "When you cannot know the answer, say so.\n\n{briefing}",
)

ACT = Prompt(
    "act",
    "1",
    "You are an assistant in an office and act with the tools you are given. Do what is asked and "
    "nothing beyond it. Look up what you do not know before you change anything. When nothing has "
    "to be done, change nothing and say why. When it is unclear who or what is meant and no tool "
    "can settle it, ask back with one question instead of guessing. When you are done, say in one "
    "or two sentences what you did or found.\n\n{briefing}",
)

CHOOSE = Prompt(
    "choose",
    "1",
    "Reply with one JSON object and nothing else. To use a tool, give its name under "
    '"tool" and its arguments under "arguments". When no tool is needed any more, give '
    '"tool": "none" and your answer under "answer".\n\nTools:\n{briefing}',
)

SHORT_READ = Prompt(
    "short_read",
    "1",
    "{briefing}\n\nAnswer the question from the parts of mails. One short sentence. If they do not "
    "say it, reply: The mails do not say.",
)
"""For readers with a few hundred tokens to spare."""


SUPPOSE = Prompt(
    "suppose",
    "1",
    "Write the few sentences of an office mail that would answer the question below. Make up what "
    "you do not know. Write the text of the mail only, in at most 60 words.",
)
"""For made-up passages that a query is expanded by."""


def render_documents(passages: Sequence[Passage], *, budget_words: int) -> str:
    """The passages as numbered blocks, best first, cut so that all fit into the budget.

    What a short document leaves over goes to the longer ones; a cut is marked with its size.

    Args:
        passages: Best first; one without text is shown by its id alone.
        budget_words: Most words of document text in all, at least 1.

    Example:
        >>> print(render_documents([Passage("m-1", 1.0, "a b c d")], budget_words=2))
        [1] m-1
        a b [... 2 more words]
    """
    texts = [passage.text or "" for passage in passages]
    shares = _shares([len(text.split()) for text in texts], budget_words)
    blocks = [
        f"[{rank}] {passage.doc_id}\n{_cut(text, share)}"
        for rank, (passage, text, share) in enumerate(zip(passages, texts, shares, strict=True), 1)
    ]
    return "\n\n".join(blocks)


def _shares(lengths: Sequence[int], budget: int) -> list[int]:
    """The budget dealt out evenly, the shortest first, so that nothing of it is wasted."""
    shares = [0] * len(lengths)
    left = budget
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for done, place in enumerate(order):
        shares[place] = min(lengths[place], left // (len(lengths) - done))
        left -= shares[place]
    return shares


def _cut(text: str, words: int) -> str:
    every = text.split()
    if len(every) <= words:
        return text.strip()
    return " ".join([*every[:words], f"[... {len(every) - words} more words]"])
