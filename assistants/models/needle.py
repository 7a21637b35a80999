"""`local:needle`: a small tool caller whose native code nobody has verified, in its own process."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from assistants import needle_process
from assistants.base import AgentError
from assistants.chat_format import ToolNames
from assistants.json_steps import NATIVE
from assistants.models import weights
from tracer.errors import EndpointError, InputError, ModelWeightsMissingError
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool, ToolCall

NAME = "needle"
LIBRARY = "libneedle3.so"
LIBRARY_SHA256 = "016acf60a979c3f1d34d5e155d29bb74100c7ebeff115ea3c40afebf625070c4"
"""As in the wheel whose digest we know; no publisher's digest of it was found."""


def needle_model(folders: Sequence[Path], *, allowed: bool) -> ChatModel:
    """The model, ready to call tools.

    Args:
        folders: Where its package is looked for before what is installed.
        allowed: The user has allowed native code that was not verified.

    Raises:
        InputError: It was not allowed.
        ModelWeightsMissingError: The package is not here, or is not the one we know.
    """
    if not allowed:
        raise InputError(
            "model 'local:needle' runs native code that could not be matched to its publisher; "
            "allow it with --allow-unverified-native, or choose another model"
        )
    found = weights.require(NAME, folders)
    library = found.path.with_name(LIBRARY)
    if not library.is_file() or _sha256(library) != LIBRARY_SHA256:
        raise ModelWeightsMissingError(
            f"{library}: is not the library of {found.weights.package} for Linux on x86-64; "
            "fetch it with: stagetrace models fetch needle --allow-unverified-native"
        )
    return NeedleModel(found.path.parent.parent, found.source)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class NeedleModel:
    """Calls tools; it writes no answers, so that its last word is what it says of its choice."""

    name = f"local:{NAME}"
    tool_call_mode = NATIVE

    def __init__(self, folder: Path, source: ModelSource) -> None:
        self.source = source
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._home = tempfile.TemporaryDirectory(prefix="stagetrace-needle-")

    def close(self) -> None:
        """End its process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        self._home.cleanup()

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """Its next call or last word; of the conversation it sees this turn of the user's.

        Raises:
            EndpointError: Its process or its code broke.
            AgentError: It came to no end, such as with a call longer than it may be.
        """
        names = ToolNames([tool.name for tool in tools])
        start = max((n for n, m in enumerate(messages) if m.role == "user"), default=0)
        results = _last_results(messages[start:])
        if results and self._process is not None:
            order: dict[str, Json] = {"text": json.dumps(results, ensure_ascii=False)}
        else:
            order = {
                "system": "\n\n".join(m.content for m in messages if m.role == "system"),
                "tools": [_described(tool, names) for tool in tools],
                "text": messages[start].content if messages else "",
            }
        return _reply(self._ask(order), names, len(messages))

    def _ask(self, order: Mapping[str, Json]) -> Mapping[str, Json]:
        process = self._process = self._process or self._started()
        try:
            line = _exchanged(process, json.dumps(order))
            reply: Mapping[str, Json] = json.loads(line)
        except (OSError, ValueError) as error:
            self._process = None
            process.kill()
            process.communicate()
            raise EndpointError(f"model {self.name!r}: its process broke ({error})") from error
        if reply.get("broken"):
            raise EndpointError(f"model {self.name!r}: {reply['broken']}")
        if reply.get("error"):
            raise AgentError(f"model {self.name!r}: {reply['error']}")
        return reply

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-I", needle_process.__file__, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            # Nothing of the user's environment: no keys, no home folder to leave a file in.
            env={**needle_process.OFF, "HOME": self._home.name, "PATH": "/usr/bin:/bin"},
        )


def _exchanged(process: subprocess.Popen[str], line: str) -> str:
    """What comes back for a line."""
    into, out = process.stdin, process.stdout
    if into is None or out is None:
        raise OSError("no pipe")
    _write(into, line)
    return out.readline()


def _write(into: IO[str], line: str) -> None:
    into.write(line + "\n")
    into.flush()


def _described(tool: Tool, names: ToolNames) -> dict[str, Json]:
    return {
        "name": names.sent(tool.name),
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


def _last_results(messages: Sequence[Message]) -> list[str]:
    """What came back since the model was last asked."""
    asked = max((n for n, m in enumerate(messages) if m.role == "assistant"), default=None)
    if asked is None:
        return []
    return [message.content for message in messages[asked + 1 :] if message.role == "tool"]


def _reply(reply: Mapping[str, Json], names: ToolNames, step: int) -> Reply:
    calls = tuple(
        ToolCall(
            names.ours(str(call.get("name"))),
            dict(call.get("arguments") or {}),
            f"needle-{step}-{place}",
        )
        for place, call in enumerate(reply.get("function_calls") or ())
    )
    if calls:
        return Reply(Message("assistant", tool_calls=calls), "tool_calls")
    return Reply(Message("assistant", str(reply.get("reasoning") or "")))
