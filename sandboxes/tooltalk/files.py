"""Reading ToolTalk's JSON files, with an error that names the file when one does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sandboxes.data import folder_of
from tracer.errors import DataMissingError
from tracer.limits import json_value
from tracer.records import Json

SPLITS = ("easy", "hard")
DATABASES = (
    "Account",
    "Alarm",
    "Calendar",
    "Email",
    "HistoricWeather",
    "Message",
    "Reminder",
    "Weather",
)
_MEND = "copy the files of microsoft/ToolTalk at e05f4ce (2024-05-31) again, unchanged"


def read_databases(folder: Path) -> dict[str, dict[str, dict[str, Json]]]:
    """The eight databases: name to user (or city) to what is stored there.

    Raises:
        DataMissingError: A file is absent or holds something else.
    """
    databases = folder_of(folder, "tooltalk", "databases")
    return {name: _database(databases / f"{name}.json") for name in DATABASES}


def _database(path: Path) -> dict[str, dict[str, Json]]:
    document = _read(path)
    if not all(isinstance(entry, dict) for entry in document.values()):
        raise DataMissingError(f"{path}: an entry is no JSON object; {_MEND}")
    return document


def read_conversations(folder: Path, split: str) -> dict[str, Mapping[str, Json]]:
    """The conversations of a split by file name, in the order of their names.

    Raises:
        DataMissingError: There is none, or one lacks a part.
    """
    conversations = folder_of(folder, "tooltalk", split)
    paths = sorted(conversations.glob("*.json"), key=lambda path: path.name)
    if not paths:
        raise DataMissingError(f"{conversations}: there is no conversation; {_MEND}")
    return {path.stem: _conversation(path) for path in paths}


def _conversation(path: Path) -> Mapping[str, Json]:
    document = _read(path)
    for part in ("user", "metadata", "conversation"):
        if part not in document:
            raise DataMissingError(f"{path}: the conversation has no {part!r}; {_MEND}")
    return document


def _read(path: Path) -> dict[str, Json]:
    try:
        document = json_value(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataMissingError(
            f"{path}: this file of the ToolTalk data is missing; {_MEND}"
        ) from error
    except (OSError, ValueError) as error:
        raise DataMissingError(f"{path}: cannot be read ({error}); {_MEND}") from error
    if not isinstance(document, dict):
        raise DataMissingError(f"{path}: holds no JSON object; {_MEND}")
    return document
