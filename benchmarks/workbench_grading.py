"""CPU of grading stored WorkBench runs: ours against pandas frames replayed the published way.

    python benchmarks/workbench_grading.py DATA CALLS [--every N]

DATA is the folder of the WorkBench files, CALLS a file of JSON lines with `domain`, `task_index`,
`predicted`, `error` and `expected`. Both arms grade the same rows, every N-th, in one process; ours
grades all rows besides. The other arm does what the published grader does for a row: it builds the
tables, makes the calls, lower-cases and compares, five times over, with the tables read from their
files before and after (`files`) or, more kindly than published, copied from memory (`memory`). It
makes writing calls only, and takes them parsed. Its verdicts are checked as ours are.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sandboxes.workbench import Workbench
from sandboxes.workbench.calls import ParsedCall, parse, replace_newlines
from sandboxes.workbench.grade import grade_calls
from sandboxes.workbench.moments import NOW
from sandboxes.workbench.tools.analytics import KINDS, VALUES
from sandboxes.workbench.tools.customer_relationship_manager import PRODUCTS, STATUSES
from sandboxes.workbench.tools.project_management import BOARDS, LISTS
from tracer.records import Task

FILES = {
    "calendar": "calendar_events.csv",
    "email": "emails.csv",
    "project_management": "project_tasks.csv",
    "customer_relationship_manager": "customer_relationship_manager_data.csv",
}
KEYS = {
    "calendar": "event_id",
    "email": "email_id",
    "project_management": "task_id",
    "customer_relationship_manager": "customer_id",
}
CASED = ("status", "list_name", "board")
SENT_AT = pd.Timestamp(NOW.replace(tzinfo=None))
Frames = dict[str, pd.DataFrame]


class Pandas:
    """The published way over data frames.

    Args:
        folder: The folder of the WorkBench files.
        from_files: Whether a reset reads the files, as published, or copies frames.
    """

    def __init__(self, folder: Path, *, from_files: bool) -> None:
        self._folder = folder / "sandbox"
        self._from_files = from_files
        self._kept = self._read()
        self.frames: Frames = {}

    def _read(self) -> Frames:
        frames = {name: _table(self._folder / file) for name, file in FILES.items()}
        visits = _table(self._folder / "analytics_data.csv")
        visits["user_engaged"] = visits["user_engaged"] == "True"
        return {**frames, "visits": visits, "plots": pd.DataFrame({"file_path": []}, dtype=object)}

    def reset(self) -> None:
        """Bring the tables back."""
        if self._from_files:
            self.frames = self._read()
        else:
            self.frames = {name: frame.copy() for name, frame in self._kept.items()}

    def execute(self, calls: Sequence[ParsedCall]) -> Frames:
        """Copies of the graded tables after the calls."""
        self.reset()
        for call in calls:
            with contextlib.suppress(Exception):
                _MAKE[call.name](self.frames, *call.positional, **call.keywords)
        after = {name: self.frames[name].copy() for name in (*FILES, "plots")}
        self.reset()
        return after

    def correct(self, predicted: Sequence[ParsedCall], gold: Sequence[ParsedCall]) -> bool:
        """Whether both end alike."""
        after, wanted = (_lowered(self.execute(calls)) for calls in (predicted, gold))
        return all(after[name].equals(wanted[name]) for name in after)

    def verdict(
        self, predicted: Sequence[ParsedCall], gold: Sequence[ParsedCall], error: str
    ) -> tuple[bool, bool]:
        """Correct, and unwanted side effects."""
        right = not error and self.correct(predicted, gold)
        self.reset()
        original = {name: self.frames[name].copy() for name in (*FILES, "plots")}
        after = self.execute(predicted)
        changed = any(not after[name].equals(original[name]) for name in after)
        return right, changed and not self.correct(predicted, gold)


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=object)


def _lowered(frames: Frames) -> Frames:
    for frame in frames.values():
        for column in frame.columns:
            if column not in CASED:
                frame[column] = frame[column].astype(object).str.lower()
    return frames


def _new_id(frame: pd.DataFrame, key: str, digits: int = 8) -> str:
    return str(int(frame[key].max()) + 1).zfill(digits)


def _send(frames: Frames, recipient: str = "", subject: str = "", body: str = "") -> None:
    if recipient and subject and body and "@" in recipient and "." in recipient:
        mails = frames["email"]
        key = _new_id(mails, "email_id", 0)
        row: Any = [key, "outbox", recipient.lower(), subject, SENT_AT, body]
        mails.loc[len(mails)] = row


def _mail(frames: Frames, email_id: str) -> dict[str, Any]:
    mails = frames["email"]
    found: Any = mails[mails["email_id"] == email_id].to_dict(orient="records")[0]
    return dict(found)


def _forward(frames: Frames, email_id: str = "", recipient: str = "") -> None:
    mail = _mail(frames, email_id)
    _send(frames, recipient, f"FW: {mail['subject']}", mail["body"])


def _reply(frames: Frames, email_id: str = "", body: str = "") -> None:
    mail = _mail(frames, email_id)
    _send(frames, mail["sender/recipient"], mail["subject"], body)


def _delete(name: str) -> Callable[..., None]:
    def delete(frames: Frames, *given: str, **named: str) -> None:
        (key,) = (*given, *(named.pop(KEYS[name]) for _ in range(1 - len(given))))
        if not named and key in frames[name][KEYS[name]].values:
            frames[name] = frames[name][frames[name][KEYS[name]] != key]

    return delete


def _write(frames: Frames, name: str, key: str, field: str, value: str) -> None:
    frame = frames[name]
    if key in frame[KEYS[name]].values:
        frame.loc[frame[KEYS[name]] == key, field] = value


def _update_event(frames: Frames, event_id: str = "", field: str = "", new_value: str = "") -> None:
    if event_id and field and new_value:
        value = new_value.lower() if field == "participant_email" else new_value
        _write(frames, "calendar", event_id, field, value)


def _update_task(frames: Frames, task_id: str = "", field: str = "", new_value: str = "") -> None:
    if not (task_id and field and new_value):
        return
    frame = frames["project_management"]
    value = new_value.lower() if field == "assigned_to_email" else new_value
    allowed: Mapping[str, Sequence[str]] = {
        "board": BOARDS,
        "list_name": LISTS,
        "assigned_to_email": list(frame["assigned_to_email"].unique()),
    }
    if field in frame.columns and value in allowed.get(field, [value]):
        _write(frames, "project_management", task_id, field, value)


def _update_customer(
    frames: Frames, customer_id: str = "", field: str = "", new_value: str = ""
) -> None:
    if not (customer_id and field and new_value):
        return
    value = new_value.lower() if field in ("customer_email", "assigned_to_email") else new_value
    allowed = {"status": STATUSES, "product_interest": PRODUCTS}
    known = field in frames["customer_relationship_manager"].columns
    if known and value in allowed.get(field, (value,)):
        _write(frames, "customer_relationship_manager", customer_id, field, value)


def _create_event(
    frames: Frames,
    event_name: str = "",
    participant_email: str = "",
    event_start: str = "",
    duration: str = "",
) -> None:
    if event_name and participant_email and event_start and duration:
        key = _new_id(frames["calendar"], "event_id")
        row = [key, event_name, participant_email.lower(), event_start, duration]
        new = pd.DataFrame([row], columns=frames["calendar"].columns[:5], dtype=object)
        frames["calendar"] = pd.concat([frames["calendar"], new])


def _create_task(
    frames: Frames,
    task_name: str = "",
    assigned_to_email: str = "",
    list_name: str = "",
    due_date: str = "",
    board: str = "",
) -> None:
    frame = frames["project_management"]
    owner = assigned_to_email.lower()
    if not (task_name and due_date and owner in frame["assigned_to_email"].unique()):
        return
    if list_name in LISTS and board in BOARDS:
        row = [_new_id(frame, "task_id"), task_name, owner, list_name, due_date, board]
        new = pd.DataFrame([row], columns=frame.columns, dtype=object)
        frames["project_management"] = pd.concat([frame, new], ignore_index=True)


def _add_customer(
    frames: Frames,
    customer_name: str = "",
    assigned_to_email: str = "",
    status: str = "",
    customer_email: str | None = None,
    customer_phone: str | None = None,
    last_contact_date: str | None = None,
    product_interest: str | None = None,
    notes: str = "",
    follow_up_by: str | None = None,
) -> None:
    if not (customer_name and assigned_to_email and status):
        return
    frame = frames["customer_relationship_manager"]
    row = {
        "customer_id": _new_id(frame, "customer_id"),
        "customer_name": customer_name,
        "customer_email": customer_email.lower() if customer_email else customer_email,
        "customer_phone": customer_phone,
        "last_contact_date": last_contact_date,
        "product_interest": product_interest,
        "status": status,
        "assigned_to_email": assigned_to_email.lower(),
        "notes": notes,
        "follow_up_by": follow_up_by,
    }
    new = pd.DataFrame([row], dtype=object)
    frames["customer_relationship_manager"] = pd.concat([frame, new], ignore_index=True)


def _plot(
    frames: Frames,
    time_min: str = "",
    time_max: str = "",
    value_to_plot: str = "",
    plot_type: str = "",
) -> None:
    if time_min and time_max and value_to_plot in VALUES and plot_type in KINDS:
        plots = frames["plots"]
        plots.loc[len(plots)] = [f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"]


_MAKE: dict[str, Callable[..., None]] = {
    "email.send_email": _send,
    "email.forward_email": _forward,
    "email.reply_email": _reply,
    "email.delete_email": _delete("email"),
    "calendar.create_event": _create_event,
    "calendar.update_event": _update_event,
    "calendar.delete_event": _delete("calendar"),
    "project_management.create_task": _create_task,
    "project_management.update_task": _update_task,
    "project_management.delete_task": _delete("project_management"),
    "customer_relationship_manager.add_customer": _add_customer,
    "customer_relationship_manager.update_customer": _update_customer,
    "customer_relationship_manager.delete_customer": _delete("customer_relationship_manager"),
    "analytics.create_plot": _plot,
}


def _parsed(texts: Sequence[str]) -> list[ParsedCall]:
    calls = (parse(replace_newlines(text)) for text in texts)
    return [call for call in calls if call is not None and call.name in _MAKE]


def _ours(
    rows: Sequence[dict[str, Any]], gold: Mapping[Any, list[str]], box: Workbench
) -> tuple[float, int]:
    """CPU seconds, and rows with the published verdict."""
    agreed = 0
    started = time.process_time()
    for row in rows:
        wanted = gold[row["domain"], row["task_index"]]
        flags = grade_calls(row["predicted"], wanted, row["error"], box._originals).flags
        agreed += flags == row["expected"]
    return time.process_time() - started, agreed


def _theirs(
    rows: Sequence[dict[str, Any]], gold: Mapping[Any, list[str]], way: Pandas
) -> tuple[float, int]:
    agreed = 0
    calls = [(_parsed(r["predicted"]), _parsed(gold[r["domain"], r["task_index"]])) for r in rows]
    started = time.process_time()
    for row, (predicted, wanted) in zip(rows, calls, strict=True):
        found = way.verdict(predicted, wanted, row["error"])
        expected = row["expected"]
        agreed += found == (expected["correct"], expected["unwanted_side_effects"])
    return time.process_time() - started, agreed


def main() -> None:
    """Time both ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="folder of the WorkBench files")
    parser.add_argument("calls", type=Path, help="JSON lines of stored runs")
    parser.add_argument("--every", type=int, default=20, help="rows that both ways grade")
    chosen = parser.parse_args()
    box = Workbench("all", data=lambda name: str(chosen.data))
    tasks: Sequence[Task] = tuple(box.tasks())
    gold = {(t.detail["domain"], t.detail["task_index"]): t.detail["gold"] for t in tasks}
    with chosen.calls.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    some = rows[:: chosen.every]
    whole, agreed = _ours(rows, gold, box)
    print(f"ours, all {len(rows)} rows: {whole:.2f} s CPU, {agreed} as published")
    ours, _ = _ours(some, gold, box)
    for name, from_files in (("files", True), ("memory", False)):
        theirs, agreed = _theirs(some, gold, Pandas(chosen.data, from_files=from_files))
        print(
            f"pandas {pd.__version__} from {name}, {len(some)} rows: {theirs:.2f} s CPU, {agreed} "
            f"as published; ours {ours:.3f} s: 1/{theirs / ours:.0f} of it"
        )


if __name__ == "__main__":
    main()
