"""Who answers the questions of gates A, B and C: a chat model, or a file of verdicts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from tracer.errors import VariantError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Message
from variants.base import Gated, Rating
from variants.prompts import RATER, human_question, intent_question, style_question

RATED = ("intent", "style", "human_likeness")
"""Gates that a rater answers, in the order in which they are asked."""
HUMAN = "human"
_FIRST_WORD = re.compile(r"[^\W\d_]+")


class ModelRater:
    """Asks a chat model one question a call.

    Args:
        model: Any chat model.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self._model = model

    def rate(self, gate: str, gated: Gated) -> Rating:
        """The first word of the model's answer.

        Raises:
            EndpointError: The model cannot be asked.
        """
        messages = (Message("system", RATER), Message("user", question(gate, gated)))
        return parse_rating(self._model.chat(messages).message.content)


class RecordedRater:
    """Verdicts from a file of JSON lines: gate, condition, text, verdict and rater.

    Args:
        path: The file; `vary --review` writes such files.

    Raises:
        VariantError: The file cannot be read or a line is no verdict.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._verdicts: dict[str, tuple[bool, str]] = {}
        for row in read_verdicts(path):
            if row["verdict"] != "skip":
                self._verdicts[row["key"]] = (row["verdict"] == "yes", row.get("rater", ""))
        raters = {rater for _, rater in self._verdicts.values() if rater}
        if len(raters) == 1:
            self.name = raters.pop()

    def rate(self, gate: str, gated: Gated) -> Rating:
        """The stored verdict; without one it is a no with its reason."""
        found = self._verdicts.get(verdict_key(gate, gated.condition, gated.base, gated.candidate))
        if found is None:
            return Rating(yes=False, error="no recorded verdict")
        return Rating(yes=found[0])


def question(gate: str, gated: Gated) -> str:
    """What a rater is asked for a gate."""
    if gate == "intent":
        return intent_question(gated.base, gated.candidate, gated.context)
    if gate == "style":
        return style_question(gated.condition, gated.candidate)
    return human_question(gated.candidate)


def parse_rating(answer: str) -> Rating:
    """Yes or no from the first word of an answer; anything else is a no with a reason.

    Source:
        Ours: Lost in the Request asks for one line of yes or no and does not say what else is done.

    Example:
        >>> parse_rating("Yes, both do."), parse_rating("I think")
        (Rating(yes=True, error=''), Rating(yes=False, error="rater_error: 'I think'"))
    """
    word = _FIRST_WORD.search(answer)
    first = word.group().casefold() if word else ""
    if first in ("yes", "no"):
        return Rating(yes=first == "yes")
    return Rating(yes=False, error=f"rater_error: {answer.strip()[:60]!r}")


def verdict_key(gate: str, condition: str, base: str, candidate: str) -> str:
    """The digest under which a verdict is stored: the same texts, the same question."""
    parts = json.dumps([gate, condition, base, candidate])
    return hashlib.sha256(parts.encode()).hexdigest()[:24]


def read_verdicts(path: Path) -> list[dict[str, str]]:
    """The verdicts of a file, with `key` filled in.

    Raises:
        VariantError: The file cannot be read or a line is no verdict.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VariantError(f"{path}: no readable file of verdicts: {error}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found.append(_verdict(path, number, line))
    return found


def _verdict(path: Path, number: int, line: str) -> dict[str, str]:
    try:
        row = json_value(line)
    except ValueError as error:
        raise VariantError(f"{path}:{number}: not a JSON object: {error}") from error
    needed = ("gate", "condition", "base_text", "text", "verdict")
    if not isinstance(row, Mapping) or not all(isinstance(row.get(k), str) for k in needed):
        raise VariantError(
            f"{path}:{number}: no verdict; a line needs the texts {', '.join(needed)}"
        )
    if row["gate"] not in RATED or row["verdict"] not in ("yes", "no", "skip"):
        raise VariantError(
            f"{path}:{number}: gate {row['gate']!r} with verdict {row['verdict']!r}; gates are "
            f"{', '.join(RATED)}, verdicts yes, no and skip"
        )
    key = verdict_key(row["gate"], row["condition"], row["base_text"], row["text"])
    return {**{k: str(v) for k, v in row.items()}, "key": key}
