"""Codes of error given by a model or a person, and the file they are kept in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from analyzers.error_codes import GENERATION, RETRIEVAL, Fault, candidates
from analyzers.gold import answer_and_golds
from analyzers.shown import shown_passages
from tracer.errors import InputError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Message, Trace

Key: TypeAlias = tuple[str, str, int]
"""Item, condition and run, counted from 0."""

VERSION = "1"
_SYSTEM = (
    "You sort wrong answers of a mail assistant by what is wrong with them. You are given a "
    "question, the right answers, the answer that was given and the mails that were shown. Reply "
    "with the one code that fits; where several fit, with the first of them in the list.\n{codes}"
)
_LETTERS = 1_500
"""Characters of each mail that a labeller is shown."""


@dataclass(frozen=True, slots=True)
class Code:
    """One code of one slot."""

    code: str
    by: str
    """Model, or `human`."""
    candidate: str = ""
    """What the deterministic signs said."""
    note: str = ""


class Labeller(Protocol):
    """Gives a wrong answer a code."""

    name: str

    def label(self, trace: Trace, fault: Fault) -> str:
        """One of the codes of the fault; empty when it cannot tell."""
        ...


class ModelLabeller:
    """Asks a chat model for the code of a wrong answer.

    Args:
        model: Any chat model.

    Source:
        Lost in the Request, appendix F (a model labels, an author reviews); the prompt is ours.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = f"{model.name} (prompt {VERSION})"

    def label(self, trace: Trace, fault: Fault) -> str:
        """The first code in the model's reply; empty when there is none.

        Raises:
            EndpointError: The model cannot be asked.
        """
        codes = codes_of(fault)
        listed = "\n".join(f"{code}: {meaning}" for code, meaning in codes.items())
        messages = (
            Message("system", _SYSTEM.format(codes=listed)),
            Message("user", evidence_text(trace)),
        )
        reply = self._model.chat(messages).message.content.upper()
        places = {code: reply.find(code) for code in codes if code in reply}
        return min(places, key=lambda code: places[code], default="")


def codes_of(fault: Fault) -> Mapping[str, str]:
    """Code to meaning for one kind of fault, in the order of precedence."""
    return {"generation": GENERATION, "retrieval": RETRIEVAL}.get(fault, {})


def evidence_text(trace: Trace, letters: int = _LETTERS) -> str:
    """Question, golds, answer and shown documents of a trace, each document cut."""
    answer, golds = answer_and_golds(trace) or ("", ())
    parts = [
        f"Question: {trace.request.text}",
        "Right answers: " + " | ".join(golds),
        f"Given answer: {answer}",
    ]
    for number, passage in enumerate(shown_passages(trace) or (), start=1):
        parts.append(f"Mail {number} ({passage.doc_id}):\n{(passage.text or '')[:letters]}")
    return "\n\n".join(parts)


def review(
    slots: Iterable[tuple[Key, Trace, Fault]],
    codes: Mapping[Key, Code],
    *,
    say: Callable[[str], None],
    ask: Callable[[str], str | None],
) -> dict[Key, Code]:
    """Show every wrong answer to a person and take the code that they settle on.

    Args:
        slots: The wrong answers.
        codes: What is known already; a person's own codes are not asked about again.
        say: Shows a line; it makes the text safe.
        ask: Asks with a prompt; None or `q` ends the review, a blank line takes the code offered.

    Returns:
        All codes, old and new.
    """
    settled = dict(codes)
    for key, trace, fault in slots:
        known = settled.get(key)
        if known is not None and known.by == "human":
            continue
        signs = candidates(trace, fault)
        offered = known.code if known is not None else (signs[0] if signs else "")
        item, condition, replicate = key
        say(f"{item} \u00b7 {condition} \u00b7 run {replicate + 1} \u00b7 {fault} error")
        say(evidence_text(trace, 400))
        for code, meaning in codes_of(fault).items():
            say(f"  {code}  {meaning}" + ("  <- sign" if code in signs else ""))
        while True:
            reply = ask(f"code [{offered or 'none'}], s to skip, q to stop: ")
            if reply is None or reply.strip().lower() == "q":
                return settled
            chosen = reply.strip().upper() or offered
            if chosen == "S" or not chosen:
                break
            if chosen in codes_of(fault):
                settled[key] = Code(chosen, "human", signs[0] if signs else "")
                break
            say(f"no code {chosen!r}; one of {', '.join(codes_of(fault))}")
    return settled


def read_codes(path: Path) -> dict[Key, Code]:
    """The codes in a file of JSON lines; empty when there is no such file.

    Raises:
        InputError: A line is no code.
    """
    found: dict[Key, Code] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no file of codes ({error}); mend or delete it") from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json_value(line)
            if row["code"] not in {**GENERATION, **RETRIEVAL}:
                raise ValueError(f"unknown code {row['code']!r}")
            key = str(row["item"]), str(row["condition"]), int(row["run"]) - 1
            found[key] = Code(row["code"], str(row["by"]), str(row.get("candidate", "")))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}:{number}: no code of an error ({error}); mend or delete the line"
            ) from error
    return found


def write_codes(path: Path, codes: Mapping[Key, Code]) -> None:
    """Keep codes in a file of JSON lines, whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(
        "".join(
            json.dumps(
                {
                    "item": item,
                    "condition": condition,
                    "run": replicate + 1,
                    "code": code.code,
                    "by": code.by,
                    "candidate": code.candidate,
                }
            )
            + "\n"
            for (item, condition, replicate), code in sorted(codes.items())
        ),
        encoding="utf-8",
    )
    part.replace(path)
