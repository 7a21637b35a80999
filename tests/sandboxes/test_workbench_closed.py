"""WorkBench is a closed world: hostile arguments touch nothing, tasks never see each other."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from sandboxes.workbench import Workbench
from sandboxes.workbench.calls import call_string
from sandboxes.workbench.grade import MODES, grade_calls
from sandboxes.workbench.patterns import MOST_STEPS, compiled
from tests.sandboxes.workbench_ends import ends, hashes
from tracer.records import Json

SECONDS_A_CALL = 2.0
"""No call may take longer; the slowest allowed search takes a quarter of it."""


def hostile() -> list[Json]:
    """500 and more arguments, made from families."""
    return [value for family in FAMILIES.values() for value in family()]


def _code() -> Iterator[str]:
    for module in ("os", "subprocess", "socket", "ctypes", "importlib", "shutil"):
        yield f"__import__('{module}')"
        yield f"__import__('{module}').system('touch hacked')"
        yield f"eval(compile('import {module}', '', 'exec'))"
        yield f'exec("import {module}")'
        yield f'"); __import__("{module}"); ("'
        yield f"lambda: __import__('{module}')"
    yield from ("9**9**9**9", "'a' * 10**12", "().__class__.__base__.__subclasses__()")
    for body in ("open('/etc/passwd').read()", "exit()", "globals()", "breakpoint()", "input()"):
        yield from (body, f"(lambda: {body})()", f"[{body} for _ in (1,)]", f'" + {body} + "')


def _paths() -> Iterator[str]:
    ends_ = ("etc/passwd", "emails.csv", "proc/self/environ", "dev/zero", ".ssh/id_rsa")
    for depth, end in itertools.product(range(1, 9), ends_):
        yield "../" * depth + end
    for end in ends_:
        yield from (f"/{end}", f"file:///{end}", f"~/{end}", f"C:\\{end}", f"\\\\host\\{end}")


def _queries() -> Iterator[str]:
    for table in ("emails", "customers", "sqlite_master", "visits", "plots"):
        yield from (
            f"'; DROP TABLE {table}; --",
            f"' OR '1'='1' UNION SELECT * FROM {table} --",
            f"1; ATTACH DATABASE '/tmp/{table}.db' AS x",
            f"@__import__('os').popen('cat {table}')",
            f"index == @pd.read_csv('{table}.csv')",
            f"`{table}`.str.contains('a', engine='python')",
            f"@{table}.__class__.__base__.__subclasses__()",
            f"{table} > 0 and @exit()",
        )


def _formats() -> Iterator[str]:
    for place in ("0", "self", "state", "email_id", ""):
        yield "{" + place + ".__class__.__mro__[1].__subclasses__()}"
        yield "{" + place + ".__init__.__globals__[os]}"
        yield "{" + place + "!r:>1000000000}"
        yield "%(" + place + ")s%n%x" * 5
        yield "${" + place + "jndi:ldap://host/a}"
        yield f"{{{{{place} * 10**9}}}}"


def _patterns() -> Iterator[str]:
    for letter in "ab.es":
        yield f"({letter}+)+$"
        yield f"({letter}*)*!"
        yield f"({letter}|{letter})*!"
        yield f"({letter}|{letter}?)+!"
        yield f"({letter}?){{40}}{letter}{{40}}"
        yield f"{letter}*" * 20 + "!"
        yield f"{letter}?" * 40 + letter * 40
        yield f"(?:{letter}|{letter})" * 60 + "!"
        yield f"(?={letter}*)" * 30
        yield f"({letter}*){{1,1000}}\\1!"
        yield "(" * 400 + letter + ")" * 400
        yield f"{letter}{{4294967295}}"
        yield f"(?P<x>{letter}*)(?P=x)*"
        yield f"[{letter}" * 900
        yield f"({letter}{{1,300}}){{1,300}}"
    yield from (
        "(?i:a)(?x) a # b",
        "(?<=a*)b",
        "\\",
        "(?",
        "[[:alpha:]]",
        "(?R)",
        "*",
        "a**",
        "{,}",
    )
    yield ".*.*.*.*!"


def _characters() -> Iterator[str]:
    for code in (0, 1, 7, 8, 0x1B, 0x7F, 0x85, 0x200B, 0x202E, 0xD800, 0xDFFF, 0xFEFF, 0x10FFFF):
        yield from (chr(code), f"a{chr(code)}b", chr(code) * 1000, f"{chr(code)}@atlas.com")


def _long() -> Iterator[str]:
    for text in ("a", "a ", "(", "@.", "{0}", "9", "\n", "é", "../", "a*"):
        yield from (text * (2**20 // len(text)), text * 100_000, text * 20_000)


def _types() -> Iterator[Json]:
    deep: Json = []
    for _ in range(300):
        deep = [deep]
    yield from (None, True, False, 0, -1, 2**63, 10**4000, 1e308, float("nan"), float("-inf"), 1j)
    yield from ([], {}, set(), b"bytes", bytearray(9), range(3), object(), type, print, deep, ...)
    for number in range(20):
        yield from ([number] * number, {str(number): [number]}, (number, str(number)), -number / 7)


def _calls() -> Iterator[str]:
    for name in ("email.send_email", "calendar.create_event", "os.system", "builtins.open"):
        for inside in ("open('x')", "*[1]", "**{}", "x:=1", "f'{1}'", "1 if 1 else 2", "__name__"):
            yield f"{name}.func({inside})"
            yield f"{name}.func(body={inside})"


FAMILIES = {
    "code": _code,
    "paths": _paths,
    "queries": _queries,
    "formats": _formats,
    "patterns": _patterns,
    "characters": _characters,
    "long": _long,
    "types": _types,
    "calls": _calls,
}
WATCHED = ("open", "exec", "socket", "subprocess", "os.", "import", "ctypes", "shutil", "pickle")


@contextlib.contextmanager
def listening() -> Iterator[list[str]]:
    """Collects audit events that reach out of the sandbox."""
    seen: list[str] = []
    state = {"on": True}

    def listen(event: str, arguments: object) -> None:
        if state["on"] and event.startswith(WATCHED):
            seen.append(f"{event} {arguments!r:.100}")

    sys.addaudithook(listen)
    try:
        yield seen
    finally:
        state["on"] = False


@pytest.fixture(scope="module")
def boxes(data_dir: Path) -> dict[str, Workbench]:
    return {mode: Workbench("all", mode=mode, data=lambda n: str(data_dir / n)) for mode in MODES}


def test_there_are_500_hostile_arguments() -> None:
    assert len(hostile()) >= 500


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_arguments_touch_nothing_outside(
    boxes: dict[str, Workbench], data_dir: Path, mode: str, family: str
) -> None:
    """Nothing is opened, executed, imported or connected, and nothing hangs."""
    box = boxes[mode]
    box.reset(next(iter(box.tasks())))
    tools = list(box.all_tools())
    values = list(FAMILIES[family]())
    with contextlib.suppress(ValueError):
        tools[0].run(time_min="2023-11-29 1pm")
    next(t for t in tools if t.name == "email.search_emails").run(date_min="November 29, 2023")
    slowest = (0.0, "", None)
    with listening() as seen:
        for number, value in enumerate(values):
            if number % 20 == 0:
                box.reset(next(iter(box.tasks())))
            for tool in tools[number % 3 :: 3]:
                arguments = dict.fromkeys(tool.parameters["properties"], value)
                if number % 2 and "email_id" in arguments:
                    arguments["email_id"] = "00000010"
                started = time.perf_counter()
                with contextlib.suppress(Exception):
                    tool.run(**arguments)
                slowest = max(slowest, (time.perf_counter() - started, tool.name, str(value)[:60]))
        assert seen == []
        assert slowest[0] < SECONDS_A_CALL, slowest
        (data_dir / "workbench" / "README.md").read_bytes()
        assert [event.split()[0] for event in seen] == ["open"]


@pytest.mark.parametrize("mode", MODES)
def test_hostile_call_strings_are_read_and_never_evaluated(
    boxes: dict[str, Workbench], mode: str
) -> None:
    box = boxes[mode]
    texts = []
    for number, value in enumerate(hostile()):
        tool = box.all_tools()[number % 27]
        text = str(value)[:50_000]
        texts += [text, call_string(tool.name, dict.fromkeys(tool.parameters["properties"], text))]
        texts += [f"{tool.name}.func({text})", f"{tool.name}.func({text!r})"]
    started = time.process_time()
    with listening() as seen:
        for place in range(0, len(texts), 100):
            grade_calls(texts[place : place + 100], [], "", box._originals, mode)
        assert seen == []
    assert time.process_time() - started < 60


def test_hostile_rows_do_not_stop_a_search(boxes: dict[str, Workbench]) -> None:
    """Long texts that a run wrote itself make no pattern run for ever."""
    box = boxes["official"]
    box.reset(next(iter(box.tasks())))
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    event = {"participant_email": "a@b.c", "event_start": "x", "duration": "1"}
    tools["create_event"].run(event_name="a" * 250_000, **event)
    started = time.perf_counter()
    for query in ("a*b", "a*a*b", "a" * 900 + "b", ".*.*.*!"):
        with contextlib.suppress(Exception):
            tools["search_events"].run(query=query)
    assert time.perf_counter() - started < 4 * SECONDS_A_CALL


@pytest.mark.parametrize("pattern", ["a*b", ".*a.*", "(ab)+c", "a|b|c", r"\w+@\w+\.com", "[(+*]+"])
def test_a_plain_pattern_is_searched_in_a_whole_table(pattern: str) -> None:
    texts = ["Quarterly review of the marketing plan with everybody"] * 300
    assert len(compiled(pattern).hits(texts)) == 300


def test_the_costliest_pattern_that_is_allowed_ends_soon() -> None:
    pattern = compiled("a*a*a*!")
    length = next(n for n in range(1, 10_000) if pattern._steps(n + 1) * 10 > MOST_STEPS) - 1
    started = time.perf_counter()
    assert pattern.hits(["a" * length] * 10) == [False] * 10
    assert time.perf_counter() - started < SECONDS_A_CALL


# Isolation


@pytest.mark.parametrize("mode", MODES)
def test_forward_backward_and_two_processes_end_alike(
    boxes: dict[str, Workbench], data_dir: Path, mode: str
) -> None:
    """Forty writing tasks of all parts; the files are not written."""
    writing = [task.item for task in boxes[mode].tasks() if task.calls]
    items = writing[:: len(writing) // 40][:40]
    assert len(items) == 40
    before = hashes(data_dir / "workbench")
    forward = ends(str(data_dir), mode, items)
    assert all(live == graded and changes for live, graded, changes in forward.values())
    assert ends(str(data_dir), mode, items[::-1]) == forward
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        halves = pool.map(ends, [str(data_dir)] * 2, [mode] * 2, [items[::2], items[1::2]])
        together = {item: end for half in halves for item, end in half.items()}
    assert together == forward
    assert hashes(data_dir / "workbench") == before


def test_a_reset_takes_under_a_millisecond(boxes: dict[str, Workbench]) -> None:
    box = boxes["official"]
    tasks = list(box.tasks())
    box.reset(tasks[0])
    fresh = box.state_digest()
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    taken = []
    for task in tasks[:200]:
        tools["send_email"].run(recipient="a@b.c", subject="s", body="b")
        tools["delete_task"].run(task_id="00000149")
        started = time.perf_counter()
        box.reset(task)
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[100] < 0.001
    assert box.state_digest() == fresh
