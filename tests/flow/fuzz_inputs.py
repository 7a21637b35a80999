"""Every file that a command reads, changed at random: what a command may end in is our own errors.

    python -m tests.flow.fuzz_inputs --seconds 600 --seed 20

goes on after a failure, prints the counts and keeps each kind of failure once in --keep. Input
number n of a door is changed in the same way for the same seed, however long the run is.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stagetrace.commandline import run
from tests.conftest import outside_folder
from tests.flow.mutation import mutated
from tracer.records import Json

Command = Callable[[str, str], Sequence[str]]
"""From the places of the changed input and of the good ones to a command line."""
SLOW_S = 20.0
"""A command that takes longer hangs."""
_LARGE = 40_000
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True)
class Door:
    """Files of one kind, and the commands that read them."""

    name: str
    files: Sequence[Path]
    """Each is changed in turn; what lies beside one is copied with it if `whole`."""
    commands: Sequence[Command]
    whole: bool = False
    """The input is the folder that holds the file."""
    share: int = 1
    """Of the time, against the other doors."""


@dataclass(slots=True)
class Found:
    """What a run of the fuzzer came to."""

    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    """Commands by door."""
    statuses: Counter[str] = field(default_factory=Counter)
    """Door and status they ended with."""
    failures: dict[str, Failure] = field(default_factory=dict)
    """Kind of failure, by exception and place, to the first of it."""

    def lines(self) -> list[str]:
        """The counts, in words."""
        total = f"seed {self.seed}: {self.counts.total()} commands, {len(self.failures)} failures"
        parts = [
            f"  {name}: {count} ("
            + ", ".join(
                f"{ended} status {status}"
                for status in "012"
                if (ended := self.statuses[f"{name} {status}"])
            )
            + ")"
            for name, count in sorted(self.counts.items())
        ]
        return [total, *parts, *(one.line() for one in self.failures.values())]


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that a command broke at."""

    door: str
    number: int
    file: str
    data: bytes
    command: Sequence[str]
    said: str

    def line(self) -> str:
        """In one line."""
        command = " ".join(self.command)
        return f"  {self.door} {self.number}: {self.file}: {command[:120]}: {self.said}"


def doors(folder: Path) -> list[Door]:
    """All kinds of inputs, made below a folder or found."""
    folder.mkdir(parents=True)
    (folder / "fuzz_shop.py").write_text(_SHOP)
    sys.path.insert(0, str(folder))
    specs = outside_folder("STAGETRACE_SPECS", "specs")
    given = [] if specs is None else sorted((specs / "trace-inputs").glob("[rs]*"))
    traces = [path for path in given if not path.name.endswith(".expected.json")]
    traces.append(ROOT / "tests" / "data" / "inspect" / "mail.eval")
    runs = [_made_run(folder, "asked"), _made_run(folder, "acted")]
    for form in ("otlp-json", "jaeger-json", "parquet"):
        _quiet(["export", str(runs[1]), f"--{form}", str(folder / form)])
    traces += [folder / "otlp-json", folder / "jaeger-json"]
    traces.append(folder / "parquet" / "spans-00000.parquet")
    tasks = folder / "tasks"
    more = _made_files(folder / "files")
    in_runs = [run / name for run in runs for name in _RUN_FILES if (run / name).exists()]
    return [
        Door("traces", traces, [*_READERS, *_READERS[:2] * 4], share=4),
        Door("run folder", in_runs, [*_READERS, *_OF_RUNS], whole=True, share=6),
        Door("tasks", [tasks / "tasks.jsonl", tasks / "documents.jsonl"], _TASKS, whole=True),
        Door("enronqa", [more / "dev.jsonl", more / "train.jsonl"], _ENRON),
        *(Door(name, [more / name], commands) for name, commands in _FILES.items()),
    ]


_RUN_FILES = (
    *("run.json", "items.jsonl", "tasks.jsonl", "variants.jsonl", "traces/0.otlp.jsonl"),
    *("judged.jsonl", "codes.jsonl"),
)
_READERS: Sequence[Command] = (
    lambda at, good: ("show", at, "--json"),
    lambda at, good: ("check", at),
    lambda at, good: ("analyze", at, "--json", "--resamples", "10"),
    lambda at, good: ("show", at),
    lambda at, good: ("show", at, _item(at), "--full"),
    lambda at, good: ("diff", at, _item(at)),
    lambda at, good: ("grade", at, "--suite", f"tasks:{good}/tasks", "--match", "request"),
    lambda at, good: ("export", at, "--otlp-json", f"{at}.out"),
    lambda at, good: ("export", at, "--jaeger-json", f"{at}.out", "--no-content", "--scores"),
    lambda at, good: ("export", at, "--parquet", f"{at}.columns"),
)
_OF_RUNS: Sequence[Command] = (
    lambda at, good: ("analyze", at, "--analysis", "all", "--resamples", "10", "--json"),
    lambda at, good: ("analyze", at, "--by", "quartile", "--metrics", "all", "--resamples", "10"),
    lambda at, good: ("analyze", at, "--format", "html", "--resamples", "10", "--out", f"{at}/r"),
    lambda at, good: ("analyze", at, "--codes", f"{at}/codes.jsonl", "--resamples", "10"),
    lambda at, good: ("run", "--resume", at, "--max-time", "2"),
    lambda at, good: ("run", "--resume", at, "--dry-run"),
    lambda at, good: ("diff", at, _item(at), "--conditions", "base,typos", "--all"),
)
_TASKS: Sequence[Command] = (
    lambda at, good: ("run", f"tasks:{at}", "--assistant", "rag", "--out", f"{at}/out"),
    lambda at, good: ("run", f"tasks:{at}", *_ACTING[1:], "--out", f"{at}/out"),
    lambda at, good: ("vary", f"tasks:{at}", "--conditions", "typos", "--out", f"{at}/v"),
    lambda at, good: ("grade", f"{good}/asked", "--suite", f"tasks:{at}"),
)
_ENRON: Sequence[Command] = (
    lambda at, good: ("run", f"enronqa:{at}", "--dry-run"),
    lambda at, good: (*_SAMPLE, at, "--out", f"{at}.json", "--split", Path(at).stem),
)
_FILES: Mapping[str, Sequence[Command]] = {
    "variants.jsonl": (
        lambda at, good: (*_dry(good), "--conditions", "base,typos", "--variants", at),
        lambda at, good: ("vary", f"tasks:{good}/tasks", "--check", at, "--out", f"{at}.out"),
        lambda at, good: ("vary", f"tasks:{good}/tasks", "--review", at, "--json"),
    ),
    "recorded.jsonl": (lambda at, good: (*_dry(good), "--model", f"recorded:{at}"),),
    "cassette.jsonl": (lambda at, good: (*_dry(good), "--model", f"cassette:{at}"),),
    "prices.json": (
        lambda at, good: ("analyze", f"{good}/asked", "--prices", at, "--resamples", "10"),
        lambda at, good: (*_dry(good), "--prices", at, "--max-cost", "1"),
    ),
    "verdicts.jsonl": (
        lambda at, good: (
            "vary",
            f"tasks:{good}/tasks",
            "--conditions",
            "indirect",
            "--rater",
            f"verdicts:{at}",
            "--out",
            f"{at}.out",
        ),
    ),
    "sample.json": (lambda at, good: ("run", f"enronqa:{at}", "--dry-run"),),
}
_ACTING = ("tasks", "--assistant", "tools", "--model", "gold", "--tools", "fuzz_shop:Shop")
_SAMPLE = ("data", "sample", "--min-mails", "1", "--per-bin", "2")
_SHOP = '''
class Shop:
    def __init__(self):
        self.orders = {"7": {"status": "open"}}

    def cancel(self, order: str) -> str:
        """Cancel an order."""
        del self.orders[order]
        return "ok"

    def tools(self):
        return {"read": [], "write": [self.cancel]}

    def state(self):
        return {"order": self.orders}
'''


def _item(at: str) -> str:
    return "q1" if at.endswith("asked") else "a1"


def _dry(good: str) -> Sequence[str]:
    return ("run", f"tasks:{good}/tasks", "--assistant", "rag", "--dry-run")


def _quiet(command: Sequence[str]) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(command)


def _rows(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _made_tasks(folder: Path) -> Path:
    """Questions, a request for a call and a conversation, with documents."""
    question: dict[str, Json] = {
        "item": "q1",
        "text": "Where does the key of house 12 lie, Anna?",
        "answers": ["under the mat"],
        "relevant": [["d1", "d3"]],
        "cluster": "c",
        "rewrites": {"indirect": "I cannot find the key of house 12, Anna."},
    }
    other: dict[str, Json] = {
        "item": "q2",
        "text": "Who has the cat?",
        "answers": ["Bo"],
        "corpus": "home",
        "relevant": [["d2"]],
        "groups": {"bin": "short"},
        "protected": ["cat"],
    }
    rule = {"rule": "ci", "value": "7"}
    action: dict[str, Json] = {
        "item": "a1",
        "text": "Cancel order 7.",
        "form": "actions",
        "calls": [{"tool": "cancel", "arguments": {"order": rule}}],
        "expect": [{"op": "remove", "table": "order", "key": "7", "fields": {}}],
    }
    talk = {"item": "m1", "turns": [{"text": "Hello.", "reply": "Yes?"}, {"text": "Cancel it."}]}
    _rows(folder / "tasks.jsonl", question, other, action, talk)
    texts = ("The key lies under the mat.", "Bo has the cat.", "Under the mat, says Anna.")
    documents = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts, 1)]
    documents.append({"id": "d2", "text": "The cat is with Bo.", "corpus": "home"})
    _rows(folder / "documents.jsonl", *documents)
    return folder


def _made_run(folder: Path, name: str) -> Path:
    """A run folder of each kind of assistant, with what `analyze` keeps in it."""
    out = folder / name
    kind = ("tasks", "--assistant", "rag") if name == "asked" else _ACTING
    command = ["run", f"tasks:{_made_tasks(folder / 'tasks')}", *kind[1:]]
    assert _quiet([*command, "--conditions", "base,typos", "--out", str(out)]) == 0
    code = {"condition": "typos", "run": 1, "code": "E1", "by": "me"}
    _rows(out / "codes.jsonl", *({**code, "item": item} for item in ("q1", "q2")))
    return out


def _made_files(folder: Path) -> Path:
    """The files that options name."""
    folder.mkdir()
    shutil.copy(folder.parent / "asked" / "variants.jsonl", folder)
    call = 'email.delete_email.func(email_id="1")'
    row = {"domain": "email", "task_index": 0, "predicted": [call, call], "error": ""}
    _rows(folder / "recorded.jsonl", {**row, "model": "m"}, {**row, "task_index": 1})
    made = {"name": "send", "arguments": {"to": ["a"]}, "call_id": "c", "raw": None}
    said = {"role": "assistant", "content": "x", "tool_calls": [made], "documents": []}
    source = {"provider": "openai", "source": "s", "sha256": "", "baseline": False}
    _rows(
        folder / "cassette.jsonl",
        {"stagetrace_cassette": 1, "model": "m", "source": source},
        {"request": "0" * 64, "reply": {"message": said, "finish_reason": "stop", "model": "m"}},
    )
    price = {"input": 0.5, "output": 2}
    models = {"extractive": price}
    _rows(folder / "prices.json", {**models, "currency": "EUR", "models": models})
    judged = {"gate": "intent", "condition": "indirect", "base_text": "a", "text": "b"}
    _rows(folder / "verdicts.jsonl", {**judged, "verdict": "yes"}, {**judged, "verdict": "no"})
    shutil.copytree(ROOT / "tests" / "data" / "enronqa", folder, dirs_exist_ok=True)
    sample = [*_SAMPLE, str(folder / "dev.jsonl"), "--split", "dev"]
    assert _quiet([*sample, "--out", str(folder / "sample.json")]) == 0
    return folder


def fuzz(folder: Path, seed: int, seconds: float, *, stop: bool = False) -> Found:
    """Change inputs and run commands on them for so many seconds, as long for each door.

    Args:
        folder: Where inputs are made; it is empty or new.
        seed: Start of every draw.
        seconds: How long.
        stop: End at the first failure.
    """
    found = Found(seed)
    known = doors(folder / "good")
    used = dict.fromkeys((door.name for door in known), 0.0)
    others = {door.name: [_start(path) for path in door.files] for door in known}
    until = time.monotonic() + seconds
    while time.monotonic() < until and not (stop and found.failures):
        door = min(known, key=lambda one: used[one.name])
        began = time.monotonic()
        _once(found, door, folder, others[door.name])
        used[door.name] += (time.monotonic() - began) / door.share
    return found


def _start(path: Path) -> bytes:
    data = path.read_bytes()
    return data[:_LARGE] if len(data) > 2 * _LARGE else data


def _once(found: Found, door: Door, folder: Path, others: Sequence[bytes]) -> None:
    number = found.counts[door.name]
    rng = random.Random(f"{found.seed} {door.name} {number}")
    place = rng.randrange(len(door.files))
    make = rng.choice(door.commands)
    data = mutated(rng, others[place], others)
    at = laid_out(door, door.files[place], data, folder / "bad")
    command = make(str(at), str(folder / "good"))
    found.counts[door.name] += 1
    said = "" if _endless(data) else broken(command, found.statuses, door.name)
    if said:
        failure = Failure(door.name, number, door.files[place].name, data, command, said)
        found.failures.setdefault(said.partition(" | ")[0], failure)


def laid_out(door: Door, file: Path, data: bytes, folder: Path) -> Path:
    """The changed input where a command can read it, and nothing else beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not door.whole:
        at = folder / file.name
        at.write_bytes(data)
        if file.name == "sample.json":
            shutil.copy(file.parent / "dev.jsonl", folder)
        return at
    above = file.parent.parent if file.parent.name == "traces" else file.parent
    at = folder / above.name
    shutil.copytree(above, at)
    (at / file.relative_to(above)).write_bytes(data)
    return at


def _endless(data: bytes) -> bool:
    """Whether a manifest asks for more runs than anybody would wait for."""
    try:
        config = json.loads(data)["config"]
        return bool(config["replicates"] > 1000)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def broken(command: Sequence[str], statuses: Counter[str], name: str) -> str:
    """What a command line broke with; empty when it ended as it may."""
    began = time.monotonic()
    out, err = io.StringIO(), io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            # numpy's, of numbers that no result should be made from.
            warnings.simplefilter("error", RuntimeWarning)
            status = run(command)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)
        ours = [one for one in frame if "site-packages" not in one.filename]
        at = ours[-1] if ours else frame[-1]
        file = Path(at.filename)
        where = f"{type(error).__name__} at {file.parent.name}/{file.name}:{at.name}"
        return f"{where} | line {at.lineno}: {str(error)[:200]!r}"
    statuses[f"{name} {status}"] += 1
    if status not in (0, 1, 2):
        return f"status {status}"
    if status == 2 and not err.getvalue().strip():
        return f"status 2 without a word of {command[0]}"
    if time.monotonic() - began > SLOW_S:
        return f"slow {command[0]} | {time.monotonic() - began:.0f} s"
    return ""


def main() -> int:
    """Fuzz from the command line; 1 when something broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="folder for inputs that broke a command")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = fuzz(Path(folder), given.seed, given.seconds)
    sys.stdout.write("\n".join(found.lines()) + "\n")
    for number, one in enumerate(found.failures.values()):
        if given.keep is not None:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / f"{number:02}-{one.file}").write_bytes(one.data)
    return int(bool(found.failures))


if __name__ == "__main__":
    sys.exit(main())
