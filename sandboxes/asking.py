"""Whether an assistant asked the user back in the place of acting, by rules that hold anywhere."""

from __future__ import annotations

import re
from dataclasses import replace

from tracer.records import Outcome, Task, Trace

_QUOTED = re.compile(
    r"```.*?```|`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)",
    re.DOTALL,
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_OFFER = re.compile(
    r"\banything else\b|\bsomething else\b|\belse (?:can|could|may) (?:i|we)\b|\bany other\b"
    r"|\bcan i help\b|\bmay i help\b|\bfurther (?:help|questions|assistance)\b|\bis that all\b"
    r"|\bdoes (?:that|this) help\b|\bright\?$|\bok(?:ay)?\?$",
    re.IGNORECASE,
)
"""Questions that end a conversation and ask for nothing that is needed."""
_REQUEST = re.compile(
    r"\b(?:please|kindly|could you|can you|would you)\b[^.?!]*?\b(?:tell|let me know|specify"
    r"|clarify|confirm|provide|give me|share|say|choose|state)\b"
    r"|\b(?:tell me|let me know) (?:which|who|whom|what|when|where|how|whether|if you want|the)\b"
    r"|\bi (?:will |would |still |also )?need (?:to know|you to|your|the|more|a )\b"
    r"|\bmore (?:information|details) (?:is|are) needed\b",
    re.IGNORECASE,
)
"""Requests for something that is needed, in other forms than a question."""


def asks(text: str) -> bool:
    """Whether a message asks the user for something that is needed to go on.

    A sentence that ends in a question mark counts, and one that requests a piece of information.
    What stands between quotation marks does not, and a closing offer of help does not.

    Example:
        >>> asks("Which Tom do you mean?"), asks("Please tell me the date.")
        (True, True)
        >>> asks("Done. Is there anything else?"), asks("I sent 'Shall we meet?' to Ann.")
        (False, False)
    """
    plain = _QUOTED.sub(" ", text.replace("\u2019", "'"))
    return any(
        sentence.strip().endswith("?") or _REQUEST.search(sentence)
        for sentence in _SENTENCE.findall(plain)
        if not _OFFER.search(sentence)
    )


def asked_back(trace: Trace) -> bool:
    """Whether the last message asks the user while nothing was changed in its turn.

    Reading before the question does not count against it, and neither does a change that failed. A
    call of which nobody knows whether it changes anything does.
    """
    last = max([trace.request.turn, *(call.turn for call in trace.calls)])
    acted = any(
        call.kind != "read" and call.status == "ok" for call in trace.calls if call.turn == last
    )
    return not acted and asks(trace.answer or "")


def with_asked_back(outcome: Outcome, task: Task, trace: Trace) -> Outcome:
    """The verdict with `asked_back`, for a task that wants acting and whose suite does not say."""
    if outcome.asked_back is not None or task.form == "question":
        return outcome
    return replace(outcome, asked_back=asked_back(trace))
