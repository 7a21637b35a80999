"""Traces of a running server: Jaeger's query API and Phoenix's REST API, page after page.

What the pages hold is written to a temporary file of JSON lines and read like any other, so that
memory stays bounded and nothing here knows about spans.

Source:
    jaegertracing/jaeger 2.20 `jaegerquery`: `/api/services`; `/api/traces` with `service`, `start`
    and `end` in microseconds and `limit`, and no cursor. Arize-ai/phoenix 20.26: `/v1/projects` and
    `/v1/projects/NAME/spans` with `limit`, `order` and `cursor`.
"""

from __future__ import annotations

import re
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import msgspec

from tracer.errors import InputError
from tracer.formats.report import Report
from tracer.registry import nearest

TRACES: Final = 200
"""So many traces are asked for at once; a window of time that holds more is parted."""
SPANS: Final = 1000
"""The most spans that Phoenix gives at once."""
DAYS: Final = 30
"""How far back is looked where an address names no start."""
_TIMEOUT_S: Final = 60.0
_OWN: Final = "stagetrace"
_ADDRESS: Final = re.compile(r"(https?):/+(.+)", re.IGNORECASE | re.DOTALL)
_PROJECT: Final = re.compile(r"(.*)/v1/projects/([^/]+)(?:/spans)?")
_TRACE_PATH: Final = re.compile(r"(.*)/api/traces(?:/([0-9a-fA-F]+))?")


class _Start(msgspec.Struct, gc=False):
    at: int = msgspec.field(name="startTime", default=0)


class _Trace(msgspec.Struct, gc=False):
    trace_id: str = msgspec.field(name="traceID")
    spans: list[_Start] = []


class _Page(msgspec.Struct):
    data: list[msgspec.Raw] | None = None
    next_cursor: str | None = None
    errors: list[dict[str, Any]] | None = None


def address_of(path: Path | str) -> str:
    """The address that a path is; empty for a file.

    A path of the command line has lost one of the two slashes, which is put back.

    Example:
        >>> address_of(Path("http://127.0.0.1:16686"))
        'http://127.0.0.1:16686'
    """
    found = _ADDRESS.fullmatch(str(path))
    return f"{found[1].lower()}://{found[2]}" if found else ""


def shown(path: Path | str) -> str:
    """A path or an address as it is named in messages and tables."""
    return address_of(path) or str(path)


def download(address: str, report: Report, most_bytes: int) -> IO[bytes]:
    """All that a server has of what an address names, as a file of JSON lines.

    Args:
        address: `http://HOST:PORT` of a Jaeger or Phoenix, `.../api/traces?service=NAME` of a
            Jaeger, or `.../v1/projects/NAME/spans` of a Phoenix; `limit` in it asks for one page.
        report: Where it is noted what was asked for, and that a limit cut something off.
        most_bytes: Largest answer.

    Raises:
        InputError: It does not answer, is neither of them, or has no such service or project.
    """
    server = _Server(address, report, most_bytes)
    file = tempfile.TemporaryFile(prefix="stagetrace-")  # noqa: SIM115 - the caller closes it
    try:
        for line in server.lines():
            # A raw line end in JSON stands between values only.
            file.write(line.replace(b"\n", b" ") + b"\n")
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


class _Server:
    """One server, asked by one reader."""

    def __init__(self, address: str, report: Report, most_bytes: int) -> None:
        import urllib.request

        parts = urllib.parse.urlsplit(address)
        if not parts.hostname or parts.username is not None:
            raise InputError(
                f"{parts._replace(netloc=parts.hostname or '').geturl()}: no address of a server; "
                "give one such as http://127.0.0.1:16686, without a name or password in it"
            )
        self.address = address
        self.report = report
        self.most_bytes = most_bytes
        self.path = parts.path.rstrip("/")
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def lines(self) -> Iterator[bytes]:
        """The lines of the file: traces of a Jaeger, or pages of a Phoenix."""
        if found := _PROJECT.fullmatch(self.path):
            return self._phoenix(found[1], urllib.parse.unquote(found[2]))
        if found := _TRACE_PATH.fullmatch(self.path):
            return self._jaeger(found[1], found[2])
        if self._services(self.path) is not None:
            return self._jaeger(self.path, None)
        projects = self._projects(self.path)
        if projects is None:
            self._fail(
                "neither Jaeger's query API nor Phoenix answers there; of Jaeger give the address "
                "of its page, usually port 16686, of Phoenix usually port 6006"
            )
        if len(projects) != 1:
            self._fail(
                f"it has the projects {', '.join(map(repr, projects)) or '(none)'}; name one: "
                f"{self._root}{self.path}/v1/projects/NAME/spans"
            )
        return self._phoenix(self.path, projects[0])

    def _jaeger(self, base: str, trace_id: str | None) -> Iterator[bytes]:
        if trace_id is not None or "traceID" in self.query:
            for raw in self._traces(base, self.query, f"/{trace_id}" if trace_id else ""):
                yield _line(raw)
            return
        query = {**self.query, "service": self.query.get("service") or self._service(base)}
        now = time.time_ns() // 1000
        query.setdefault("start", str(now - DAYS * 86_400_000_000))
        query.setdefault("end", str(now))
        asked = f"service {query['service']!r}"
        if "start" not in self.query:
            asked += f" of the last {DAYS} days; start=MICROSECONDS in the address asks for others"
        self.report.notes.append(f"asked for {asked}")
        found = self._limited(base, query) if "limit" in query else self._windows(base, query)
        count = 0
        for raw in found:
            count += 1
            yield _line(raw)
        if not count:
            known = self._services(base) or []
            if query["service"] not in known:
                self._fail(f"no service {query['service']!r}; {nearest(query['service'], known)}")
            self.report.warn("empty_input", f"nothing is there of {asked}")

    def _service(self, base: str) -> str:
        """The service to ask for where the address names none."""
        known = self._services(base)
        if known is None:
            self._fail("Jaeger's query API does not answer there; its page usually has port 16686")
        others = [name for name in known if not name.startswith("jaeger")]
        if _OWN in others:
            return _OWN
        if len(others) != 1:
            self._fail(
                f"it has the services {', '.join(map(repr, known)) or '(none)'}; name one: "
                f"{self._root}{base}/api/traces?service=NAME"
            )
        return others[0]

    def _limited(self, base: str, query: Mapping[str, str]) -> Iterator[msgspec.Raw]:
        """What one question gives, and a finding when that was the limit."""
        found = self._traces(base, query)
        yield from found
        if len(found) >= int(query["limit"] if query["limit"].isdecimal() else 1):
            self._cut(f"{len(found)} traces came, which is the limit; without `limit` all come")

    def _windows(self, base: str, query: Mapping[str, str]) -> Iterator[msgspec.Raw]:
        """All traces between two times, each once.

        A window that gives as many as were asked for is parted, where half of its spans lie before.
        """
        waiting = [(_micro(query["start"]), _micro(query["end"]))]
        seen: set[str] = set()
        while waiting:
            low, high = waiting.pop()
            window = {**query, "start": str(low), "end": str(high), "limit": str(TRACES)}
            found = self._traces(base, window)
            inside: list[int] = []
            for raw in found:
                trace = self._trace(raw)
                inside += [span.at for span in trace.spans if low <= span.at <= high]
                if trace.trace_id not in seen:
                    seen.add(trace.trace_id)
                    yield raw
            if len(found) < TRACES:
                continue
            if not inside or low >= high:
                self._cut(
                    f"{len(found)} traces came of one moment, which is the limit; narrow the "
                    "search by operation= or tags= in the address"
                )
                continue
            middle = min(sorted(inside)[(len(inside) - 1) // 2], high - 1)
            waiting += [(middle + 1, high), (low, middle)]

    def _trace(self, raw: msgspec.Raw) -> _Trace:
        try:
            return msgspec.json.decode(raw, type=_Trace)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._fail(f"a trace in its answer is none of Jaeger's ({error})")

    def _cut(self, text: str) -> None:
        self.report.warn("limit_reached", f"{text}; there may be more")

    def _traces(self, base: str, query: Mapping[str, str], rest: str = "") -> list[msgspec.Raw]:
        page = self._page(f"{base}/api/traces{rest}", query)
        said = "; ".join(str(one.get("msg")) for one in page.errors or ())
        if page.data is None and said:
            self._fail(f"Jaeger says: {said}")
        if page.data is None:
            self._fail("what it answers is no list of traces of Jaeger's query API")
        if said:
            self.report.notes.append(f"Jaeger says: {said}")
        return page.data

    def _services(self, base: str) -> list[str] | None:
        return self._names(f"{base}/api/services", None)

    def _projects(self, base: str) -> list[str] | None:
        return self._names(f"{base}/v1/projects", "name")

    def _names(self, path: str, key: str | None) -> list[str] | None:
        """The names that a list answers; None where none is answered."""
        body = self._get(path, {}, lenient=True)
        try:
            answer = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        data = answer.get("data")
        if data is None and key is None and "total" in answer:
            return []  # a Jaeger that has nothing yet
        if not isinstance(data, list):
            return None
        named = [one.get(key) if isinstance(one, dict) else one for one in data]
        return [one for one in named if isinstance(one, str)]

    def _phoenix(self, base: str, name: str) -> Iterator[bytes]:
        path = f"{base}/v1/projects/{urllib.parse.quote(name, safe='')}/spans"
        query = {"order": "asc", "limit": str(SPANS), **self.query}
        ends: set[bytes] = set()
        while True:
            page = self._page(path, query)
            if page.data is None:
                self._fail("what it answers is no page of spans of Phoenix")
            ends |= {bytes(one) for one in (*page.data[:1], *page.data[-1:])}
            yield b'{"data":[' + b",".join(map(bytes, page.data)) + b'],"next_cursor":null}'
            if page.next_cursor is None:
                break
            if "limit" in self.query:
                self._cut(f"{len(page.data)} spans came, which is the limit")
                return
            query["cursor"] = page.next_cursor
        newest = self._page(path, {**self.query, "order": "desc", "limit": "1"}).data
        if newest and bytes(newest[0]) not in ends:
            self.report.notes.append("more spans came in while they were read; read once more")

    def _page(self, path: str, query: Mapping[str, str]) -> _Page:
        body = self._get(path, query)
        try:
            return msgspec.json.decode(body, type=_Page)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._fail("what it answers is no JSON of traces; look whether this is the query API")

    def _get(self, path: str, query: Mapping[str, str], *, lenient: bool = False) -> bytes:
        """The body of an answer; with `lenient` that of a refusal too, and of what is no JSON."""
        import http.client
        import urllib.error

        url = f"{self._root}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        try:
            with self._opener.open(url, timeout=_TIMEOUT_S) as answer:
                body: bytes = answer.read(self.most_bytes + 1)
        except urllib.error.HTTPError as error:
            with error:
                body = error.read(1 << 16)
            if not lenient:
                self._fail(f"it answered {error.code} {error.reason}{_why(body)}")
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            self._fail(f"no answer ({reason}); look whether the server runs there")
        if len(body) > self.most_bytes:
            self._fail(f"an answer of more than {self.most_bytes} bytes; ask for less by limit=")
        return body

    def _fail(self, text: str) -> NoReturn:
        raise InputError(f"{self.address}: {text}")


def _line(raw: msgspec.Raw) -> bytes:
    return b'{"data":[' + bytes(raw) + b"]}"


def _micro(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _why(body: bytes) -> str:
    """What a refusal says of its reason, as far as it says it in JSON."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    errors = told.get("errors")
    first = errors[0].get("msg") if isinstance(errors, list) and errors else told.get("detail")
    return f": {first}"[:300] if first else ""
