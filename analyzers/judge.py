"""Asking a chat model whether an answer is right, and keeping what it said."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from analyzers.gold import answer_and_golds
from tracer.errors import InputError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Message, Trace

Said: TypeAlias = Literal["correct", "incorrect", "invalid"]

VERSION = "1"
SYSTEM = (
    "You mark answers to questions about a mailbox. You are given a question, one or more answers "
    "that are known to be right, and the answer to mark. It is right when it states what any of "
    "the known answers states; more words, another order, another format of a date, a number or "
    "a name do no harm. It is wrong when the value differs, when part of it is missing, when it "
    "names several values and leaves the choice open, or when it says that the answer is not "
    "known. Mark only what is written; do not answer the question yourself. Reply with one word: "
    "correct or incorrect."
)
PROMPT_SHA256 = hashlib.sha256(SYSTEM.encode()).hexdigest()
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said of one answer."""

    said: Said
    text: str = ""
    """Its reply, kept where it could not be read."""


class Judge:
    """Marks answers with a chat model; an answer that was marked is never asked about again.

    Args:
        model: Any chat model.
        known: Verdicts kept from earlier, by `key`.

    Source:
        Lost in the Request, section 3.4 (a judging model); prompt and parsing: ours.
    """

    def __init__(self, model: ChatModel, known: Mapping[str, Verdict] | None = None) -> None:
        self._model = model
        self.verdicts: dict[str, Verdict] = dict(known or {})
        self.asked = 0
        """Answers that the model was asked about."""

    @property
    def name(self) -> str:
        """Model, prompt version and digest, as tables print it."""
        return f"judge {self._model.name} (prompt {VERSION}, sha256 {PROMPT_SHA256[:8]})"

    def mark(self, trace: Trace) -> Trace:
        """The trace with `judged` and `judged_invalid` among its outcome's flags.

        A trace without an answer or without golds comes back as it is; a run that raised has
        answered nothing, which is wrong and needs no judge.

        Raises:
            EndpointError: The model cannot be asked.
        """
        pair = answer_and_golds(trace)
        if pair is None or trace.outcome is None:
            return trace
        blank = not pair[0].strip()
        verdict = Verdict("incorrect") if blank else self._verdict(trace, *pair)
        flags = {
            **trace.outcome.flags,
            "judged": verdict.said == "correct",
            "judged_invalid": verdict.said == "invalid",
        }
        return replace(trace, outcome=replace(trace.outcome, flags=flags, answer_matcher=self.name))

    def _verdict(self, trace: Trace, answer: str, golds: tuple[str, ...]) -> Verdict:
        question = trace.request.base_text or trace.request.text
        own = key(self._model.name, question, answer, golds)
        if own not in self.verdicts:
            self.asked += 1
            self.verdicts[own] = self._ask(question, answer, golds)
        return self.verdicts[own]

    def _ask(self, question: str, answer: str, golds: Iterable[str]) -> Verdict:
        known = "\n".join(f"- {gold}" for gold in golds)
        text = f"Question: {question}\nKnown answers:\n{known}\nAnswer to mark: {answer}"
        reply = self._model.chat((Message("system", SYSTEM), Message("user", text)))
        return parse_verdict(reply.message.content)


def parse_verdict(text: str) -> Verdict:
    """The verdict in a reply; anything but one clear word is invalid.

    Example:
        >>> parse_verdict("**Correct.**").said, parse_verdict("correct or incorrect").said
        ('correct', 'invalid')
    """
    words = set(_WORD.findall(text.lower()))
    right, wrong = "correct" in words, "incorrect" in words
    if right == wrong or "not" in words:
        return Verdict("invalid", text)
    return Verdict("correct" if right else "incorrect")


def key(model: str, question: str, answer: str, golds: Iterable[str]) -> str:
    """What a verdict is found again by: prompt, model, question, answer and golds."""
    text = json.dumps([PROMPT_SHA256, model, question, answer, sorted(golds)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_marks(path: Path) -> dict[str, Verdict]:
    """Verdicts kept in a file of JSON lines; empty when there is no such file.

    Raises:
        InputError: A line is no verdict.
    """
    return dict(_marks(path)) if path.exists() else {}


def _marks(path: Path) -> Iterator[tuple[str, Verdict]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no file of verdicts ({error}); mend or delete it") from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json_value(line)
            if row["said"] not in ("correct", "incorrect", "invalid"):
                raise ValueError(f"unknown verdict {row['said']!r}")
            yield str(row["key"]), Verdict(row["said"], str(row.get("text", "")))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}:{number}: no verdict of a judge ({error}); delete the line or the file"
            ) from error


def write_marks(path: Path, verdicts: Mapping[str, Verdict]) -> None:
    """Keep verdicts in a file of JSON lines, whole or not at all."""
    part = path.with_name(path.name + ".part")
    lines = (
        json.dumps({"key": own, "said": verdict.said, "text": verdict.text})
        for own, verdict in sorted(verdicts.items())
    )
    part.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    part.replace(path)
