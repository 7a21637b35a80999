"""The benchmark's tasks: a request, the writing calls it asks for, and what a wording must keep."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sandboxes.data import folder_of
from sandboxes.workbench.calls import parse, replace_newlines
from sandboxes.workbench.files import read_rows
from sandboxes.workbench.toolkit import tool_specs
from tracer.errors import DataMissingError
from tracer.records import GoldCall, Task, Turn

FILES = {
    "email": "email",
    "calendar": "calendar",
    "analytics": "analytics",
    "project_management": "project_management",
    "crm": "customer_relationship_manager",
    "multi_domain": "multi_domain",
}
"""Part to the name of its file, which is the domain's name in published results."""
COLUMNS = ("query", "answer", "base_template", "chosen_template", "domains")
_QUOTED = re.compile(r"(?<!\w)(['\"])(.+?)\1(?!\w)", re.DOTALL)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december) \d{1,2}\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b\d+(?:[.,:]\d+)*\b")


def load_tasks(folder: Path, part: str, names: Sequence[str], suite: str) -> list[Task]:
    """The tasks of a part, in the order of its file.

    Args:
        folder: The data folder.
        part: Name of the part, such as `email`; `all` for one part after the other.
        names: First and last names of people that requests speak of.
        suite: Name of the suite.

    Raises:
        DataMissingError: A file is absent, has other columns or holds an unreadable answer.
    """
    if part == "all":
        return [task for one in FILES for task in load_tasks(folder, one, names, suite)]
    path = (
        folder_of(folder, "workbench", "queries_and_answers")
        / f"{FILES[part]}_queries_and_answers.csv"
    )
    rows = read_rows(path, COLUMNS)
    width = max(2, len(str(len(rows) - 1)))
    tasks = []
    for index, (query, answer, template, _, domains) in enumerate(rows):
        try:
            gold: list[str] = ast.literal_eval(answer)
            calls = tuple(_gold_call(str(text)) for text in gold)
            toolkits = [_toolkit(name) for name in ast.literal_eval(domains)]
        except (ValueError, SyntaxError, TypeError) as error:
            raise DataMissingError(
                f"{path}: the answer or the domains of row {index} cannot be read ({error}); "
                "copy the files of olly-styles/WorkBench at 42f1b6d (2024-07-23) again, unchanged"
            ) from error
        tasks.append(
            Task(
                item=f"workbench-{part}-{index:0{width}d}",
                suite=suite,
                form="actions",
                turns=(Turn(query),),
                cluster=template,
                protected=tuple(protected_literals(query, calls, names)),
                calls=calls,
                groups={"domain": part, "template": template, "gold_length": str(len(gold))},
                detail={
                    "gold": gold,
                    "task_index": index,
                    "domain": FILES[part],
                    "toolkits": toolkits,
                    "labels": ast.literal_eval(domains),
                },
            )
        )
    return tasks


def _toolkit(label: str) -> str:
    """The toolkit that a label in the column of domains means.

    Raises:
        ValueError: It means none.
    """
    toolkit = FILES.get(label, label)
    if toolkit not in FILES.values():
        raise ValueError(f"{label!r} is no toolkit")
    return toolkit


def _gold_call(text: str) -> GoldCall:
    """A call of the answer key.

    Raises:
        ValueError: It is no call of a known tool.
    """
    call = parse(replace_newlines(text))
    spec = tool_specs().get(call.name) if call else None
    arguments = call.arguments(list(spec.parameters["properties"])) if call and spec else None
    if call is None or spec is None or arguments is None:
        raise ValueError(f"{text!r} is no call of a known tool")
    return GoldCall(call.name, arguments, writes=spec.writes)


def protected_literals(query: str, calls: Sequence[GoldCall], names: Sequence[str]) -> list[str]:
    """What every wording of the request must keep, as it stands in the request, in order.

    Values of gold arguments, quoted texts, addresses, names of people, days and numbers; one that
    stands inside a longer one is covered by it.

    Source:
        Ours: what changes the task when it is changed.
    """
    spans = set(_spans(query, calls, names))
    outer = sorted(
        (start, end)
        for start, end in spans
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)
    )
    return list(dict.fromkeys(query[start:end] for start, end in outer))


def _spans(
    query: str, calls: Sequence[GoldCall], names: Sequence[str]
) -> Iterator[tuple[int, int]]:
    for match in _QUOTED.finditer(query):
        yield match.span(2)
    patterns = [_ADDRESS, _DATE, _NUMBER]
    for call in calls:
        for value in map(str, call.arguments.values()):
            patterns += [re.compile(re.escape(text)) for text in {value, replace_newlines(value)}]
    if names:
        known = "|".join(re.escape(name) for name in names)
        patterns.append(re.compile(rf"\b(?:{known})\b", re.IGNORECASE))
    for pattern in patterns:
        for match in pattern.finditer(query):
            yield match.span()
