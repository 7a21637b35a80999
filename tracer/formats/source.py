"""Bytes of an input, unpacked, with limits that a bomb or an endless input meets early."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol, cast

from tracer.errors import TraceFormatError
from tracer.formats.address import address_of, download
from tracer.formats.report import Report
from tracer.registry import missing_extra

STDIN: Final = "-"
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 256 * 1024
BUFFER: Final = 4 * 2**20
"""Of a file that is read: lines of a Collector are long, and one that fits in is one copy."""
_FREE_BYTES: Final = 8 * 2**20
"""So much may come out of anything, before the ratio is looked at."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a reader stops."""

    ratio: int = 200
    """Unpacked bytes for each packed one."""
    unpacked_bytes: int | None = None
    """Unpacked bytes of one file; None: any number."""
    line_bytes: int = 512 * 2**20
    """One line."""
    document_bytes: int = 2 * 2**30
    """An input that can only be read as a whole, such as one indented object."""


@contextmanager
def open_source(
    path: Path | str, report: Report, limits: Limits | None = None
) -> Iterator[io.BufferedReader]:
    """The unpacked bytes of a file, of what a server answers, or of standard input for `-`.

    Raises:
        InputError: The path is an address, and its server has nothing to read.
        TraceFormatError: The file cannot be opened, or a limit is met while it is read.
    """
    name = str(path)
    limits = limits or Limits()
    raw: IO[bytes]
    try:
        if address := address_of(path):
            raw = download(address, report, limits.document_bytes)
        else:
            raw = sys.stdin.buffer if name == STDIN else Path(path).open("rb", BUFFER)  # noqa: SIM115
    except OSError as error:
        raise TraceFormatError(
            f"{path}: cannot be read ({error.strerror or error}); name a run folder or a file of "
            "OTLP JSON lines"
        ) from error
    try:
        yield _unpacked(raw, report, limits, 0)
    except OSError as error:
        raise TraceFormatError(
            f"{path}: cannot be read ({error.strerror or error}); name a run folder or a file of "
            "OTLP JSON lines"
        ) from error
    finally:
        if name != STDIN:
            raw.close()


def _unpacked(
    raw: IO[bytes] | io.RawIOBase, report: Report, limits: Limits, depth: int
) -> io.BufferedReader:
    file = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw), _CHUNK)
    head = file.peek(4)[:4]
    if depth > 1 or not head.startswith((_GZIP, _ZSTD)):
        return file
    how = _GZIP_HOW if head.startswith(_GZIP) else _zstd_how()
    return _unpacked(_Packed(file, how, report, limits), report, limits, depth + 1)


class _Decoder(Protocol):
    """Unpacks bytes as they come; what `zlib` and `zstandard` share."""

    @property
    def eof(self) -> bool:
        """Whether a member has ended."""

    @property
    def unused_data(self) -> bytes:
        """What stands behind its end."""

    def decompress(self, data: bytes, /) -> bytes:
        """The next unpacked bytes."""


@dataclass(frozen=True, slots=True)
class _How:
    """One way of packing."""

    make: Callable[[], _Decoder]
    damage: type[Exception]
    bite: int
    """Packed bytes at a time: few, so that a bomb is met before much of it is unpacked."""


_GZIP_HOW: Final = _How(lambda: zlib.decompressobj(31), zlib.error, 4096)


def _zstd_how() -> _How:
    try:
        import zstandard
    except ImportError:
        raise missing_extra("zstandard", "analysis", "reading zstd files") from None
    return _How(lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError, 1024)


def unpack_record(data: bytes, report: Report, limits: Limits) -> bytes:
    """A record that a Collector packed by itself; as it is where it is not packed.

    Raises:
        TraceFormatError: A limit is met.
    """
    if not data.startswith((_GZIP, _ZSTD)):
        return data
    return _unpacked(io.BytesIO(data), report, limits, 0).read()


class _Packed(io.RawIOBase):
    """The unpacked side of a packed stream, member after member."""

    def __init__(self, file: io.BufferedReader, how: _How, report: Report, limits: Limits) -> None:
        self._file = file
        self._how = how
        self._decoder = how.make()
        self._report = report
        self._limits = limits
        self._waiting = memoryview(b"")
        self._taken = 0
        self._given = 0
        self._begun = False
        self._ended = False

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` as far as there is something; 0 at the end."""
        while not self._waiting and not self._ended:
            self._fill()
        size = min(len(buffer), len(self._waiting))
        buffer[:size] = self._waiting[:size]
        self._waiting = self._waiting[size:]
        return size

    def _fill(self) -> None:
        data = self._file.read(self._how.bite)
        if not data:
            self._ended = True
            if self._begun and not self._decoder.eof:
                self._report.warn("truncated_gzip")
            return
        self._taken += len(data)
        parts: list[bytes] = []
        try:
            while data:
                if self._decoder.eof:
                    if not data.strip(b"\0"):
                        break
                    self._decoder = self._how.make()
                self._begun = True
                parts.append(self._decoder.decompress(data))
                data = self._decoder.unused_data if self._decoder.eof else b""
        except self._how.damage as error:
            self._ended = True
            self._report.warn("truncated_gzip", f"the packed data is damaged ({error})")
        self._waiting = memoryview(b"".join(parts))
        self._given += len(self._waiting)
        self._check()

    def _check(self) -> None:
        limit = self._limits.unpacked_bytes
        if limit is not None and self._given > limit:
            self._report.refuse(
                "limit_exceeded",
                f"more than {limit} bytes unpacked (limit unpacked_bytes); unpack it first, or "
                "raise the limit",
            )
        if self._given > _FREE_BYTES and self._given > self._limits.ratio * self._taken:
            self._report.refuse(
                "limit_exceeded",
                f"{self._given} bytes came out of {self._taken} (limit ratio, "
                f"{self._limits.ratio} to 1); if it is no bomb, unpack it first",
            )
