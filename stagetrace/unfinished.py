"""Slots that a stopped `vary` had made, kept beside its output until all are there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from tracer.errors import InputError
from tracer.limits import json_value
from tracer.records import Json
from variants.base import Variant
from variants.files import from_json, to_json


class Unfinished:
    """A journal of one flushed line a slot, under the plan that it belongs to.

    Args:
        out: The file that is to be written.
        plan: Everything that decides what is made; another plan cannot go on with the journal.

    Raises:
        InputError: There is a journal of another plan.
    """

    def __init__(self, out: Path, plan: Mapping[str, Json]) -> None:
        self.path = _path(out)
        self._plan = json.loads(json.dumps(plan, sort_keys=True))
        self.done: list[Variant] = []
        if self.path.exists():
            self.done = self._read()
        # What is written again is whole: a line that was cut off by a crash is dropped.
        part = self.path.with_name(self.path.name + ".part")
        with part.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"plan": self._plan}) + "\n")
            for variant in self.done:
                file.write(json.dumps(to_json(variant), ensure_ascii=True) + "\n")
        part.replace(self.path)

    def keep(self, variants: Iterator[Variant]) -> Iterator[Variant]:
        """The variants, each noted before it is handed on."""
        known = {(variant.item_id, variant.condition) for variant in self.done}
        with self.path.open("a", encoding="utf-8") as file:
            for variant in variants:
                if (variant.item_id, variant.condition) not in known:
                    file.write(json.dumps(to_json(variant), ensure_ascii=True) + "\n")
                    file.flush()
                yield variant

    @staticmethod
    def forget(out: Path) -> None:
        """Remove the journal of an output that now holds all of it."""
        _path(out).unlink(missing_ok=True)

    def _read(self) -> list[Variant]:
        lines: list[str] = []
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
            plan = json_value(lines[0])["plan"]
        except (OSError, ValueError, KeyError, TypeError):
            plan = None
        if plan != self._plan:
            raise InputError(
                f"{self.path}: holds slots of another plan{_differences(plan, self._plan)}; give "
                "the same options to go on, or delete it to begin anew"
            )
        # The last piece is empty, or a line that was being written.
        try:
            return [from_json(json_value(line)) for line in lines[1:-1]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{self.path}: a slot cannot be read ({error}); delete the file to begin anew"
            ) from error


def _path(out: Path) -> Path:
    return out.with_name(out.name + ".unfinished")


def _differences(old: Json, new: Mapping[str, Json]) -> str:
    if not isinstance(old, Mapping):
        return ""
    told = [
        f"{key} {old.get(key)!r} there, {value!r} here"
        for key, value in new.items()
        if old.get(key) != value
    ]
    return f" ({'; '.join(told)})" if told else ""
