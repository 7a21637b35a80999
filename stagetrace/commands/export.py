"""`stagetrace export`: send stored spans to a Collector, Jaeger or Phoenix."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stagetrace import console


class Protocol(StrEnum):
    """How OTLP is spoken."""

    http = "http"
    grpc = "grpc"


def export(
    traces: Annotated[Path, typer.Argument(help="Run folder, or folder or file of traces.")],
    otlp: Annotated[
        str, typer.Option(help="Address of the receiver, such as http://127.0.0.1:4318.")
    ],
    protocol: Annotated[Protocol, typer.Option(help="OTLP over HTTP or gRPC.")] = Protocol.http,
    content: Annotated[
        bool | None,
        typer.Option(
            "--content/--no-content",
            help="Send requests, answers, arguments and documents, or leave them out; by default "
            "they are sent, but for enronqa.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Send stored spans with their own ids and times; nothing is taken out of the store."""
    from stagetrace.suite import sends_content
    from tracer.export import export_otlp

    if content is None:
        content = sends_content(traces)
        if not content:
            console.note("mails of real people: content is left out; --content sends it")
    sent = export_otlp(traces, otlp, protocol=protocol.value, content=content)
    if as_json:
        console.say_json(asdict(sent))
    else:
        console.say(
            f"{sent.made} spans = {sent.delivered} delivered + {sent.rejected} rejected "
            f"+ {sent.dropped} dropped"
        )
    if sent.delivered < sent.made:
        raise typer.Exit(1)
