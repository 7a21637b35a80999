"""`stagetrace trace`: run a script with its agents traced, without a line of its code."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from stagetrace import settings
from tracer.errors import InputError

_HOOK = Path(__file__).parent.parent / "zero_code" / "hook"


def trace(
    command: Annotated[
        list[str],
        typer.Argument(help="After --: python my_agent.py ..., my_agent.py, or -m module."),
    ],
    store: Annotated[Path, typer.Option(help="Folder that takes the spans.")] = Path(
        "stagetrace-traces"
    ),
    otlp: Annotated[
        str,
        typer.Option(help="Also send them here; default: OTEL_EXPORTER_OTLP_ENDPOINT, if set."),
    ] = "",
    children: Annotated[
        bool, typer.Option("--children", help="Also trace the Python processes it starts.")
    ] = False,
) -> None:
    """Run a script; its graphs, models, retrievers, tools and openai calls become spans."""
    named = settings.Otlp(otlp) if otlp else settings.otlp_endpoint()
    if named is not None and named.url.startswith("grpc://"):
        named = settings.Otlp("http" + named.url.removeprefix("grpc"), "grpc")
    told = settings.ZeroCode(
        store=str(store.resolve()),
        otlp=named.url if named else "",
        protocol=named.protocol if named else "http",
        children=children,
    )
    line = _line(command)
    sys.stdout.flush()
    os.execvpe(line[0], line, settings.zero_code_environment(told, str(_HOOK)))


def _line(command: list[str]) -> list[str]:
    """The command with an interpreter in front where it has none."""
    if command[0] == "-m" or command[0].endswith(".py"):
        return [sys.executable, *command]
    if shutil.which(command[0]) is None:
        raise InputError(
            f"trace: no program {command[0]!r}; give a command, such as: "
            "stagetrace trace -- python my_agent.py"
        )
    return command
