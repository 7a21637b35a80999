"""Ids of traces and spans."""

from __future__ import annotations

import random
from typing import Protocol


class Ids(Protocol):
    """Makes ids of traces and spans."""

    def trace_id(self) -> int:
        """A number of 128 bits, not 0."""
        ...

    def span_id(self) -> int:
        """A number of 64 bits, not 0."""
        ...


class RandomIds:
    """Random ids; a recorder takes new ones in a forked child."""

    def __init__(self) -> None:
        # Seeded by the operating system. To ask that for each id lets go of the interpreter's
        # lock, and the calling thread waits until the writer gives it back.
        self._bits = random.Random().getrandbits

    def trace_id(self) -> int:
        """A number of 128 bits, not 0."""
        return self._bits(128) or 1

    def span_id(self) -> int:
        """A number of 64 bits, not 0."""
        return self._bits(64) or 1
