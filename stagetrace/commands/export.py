"""`stagetrace export`: send stored spans to a Collector, Jaeger or Phoenix, or write files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stagetrace import console
from tracer.errors import InputError

if TYPE_CHECKING:
    from tracer.export import ExportCount
    from tracer.stored import StoredSpan


class Protocol(StrEnum):
    """How OTLP is spoken."""

    http = "http"
    grpc = "grpc"


def export(
    traces: Annotated[
        Path, typer.Argument(help="Run folder, folder or file of traces, or address of a server.")
    ],
    otlp: Annotated[
        str | None,
        typer.Option(help="Send to this receiver, such as http://127.0.0.1:4318.", metavar="URL"),
    ] = None,
    protocol: Annotated[Protocol, typer.Option(help="OTLP over HTTP or gRPC.")] = Protocol.http,
    jaeger_json: Annotated[
        Path | None, typer.Option(help="Write one JSON object for Jaeger's upload.", metavar="FILE")
    ] = None,
    otlp_json: Annotated[
        Path | None, typer.Option(help="Write OTLP JSON lines.", metavar="FILE")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(help="Write Parquet columns into a folder.", metavar="DIR")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add each metric's value, linked to its trace.")
    ] = False,
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

    targets = {"--jaeger-json": jaeger_json, "--otlp-json": otlp_json, "--parquet": parquet}
    chosen = [name for name, path in targets.items() if path is not None]
    if len(chosen) + (otlp is not None) != 1:
        raise InputError(
            "export: name one of --otlp URL, --jaeger-json FILE, --otlp-json FILE, --parquet DIR"
        )
    if content is None:
        content = sends_content(traces)
        if not content:
            console.note("mails of real people: content is left out; --content sends it")
    more = _score_spans(traces) if scores else ()
    if otlp is not None:
        _send(traces, otlp, protocol, content, more, as_json)
        return
    path = targets[chosen[0]]
    assert path is not None
    count = _write(chosen[0], path, traces, content, more)
    if as_json:
        console.say_json({"path": str(path), "spans": count})
    else:
        console.say(f"{count} spans written to {path}")


def _score_spans(traces: Path) -> Iterable[StoredSpan]:
    from stagetrace.score_export import trace_scores
    from tracer.export_scores import score_spans

    return score_spans(trace_scores(traces))


def _send(
    traces: Path,
    url: str,
    protocol: Protocol,
    content: bool,
    more: Iterable[StoredSpan],
    as_json: bool,
) -> None:
    from tracer.export import export_otlp

    sent = export_otlp(traces, url, protocol=protocol.value, content=content, more=more)
    if as_json:
        console.say_json(asdict(sent))
    else:
        console.say(_sum(sent))
    if sent.delivered < sent.made:
        raise typer.Exit(1)


def _sum(sent: ExportCount) -> str:
    return (
        f"{sent.made} spans = {sent.delivered} delivered + {sent.rejected} rejected "
        f"+ {sent.dropped} dropped"
    )


def _write(target: str, path: Path, traces: Path, content: bool, more: Iterable[StoredSpan]) -> int:
    from tracer.export_json import UPLOAD_BYTES, write_jaeger_json, write_otlp_json
    from tracer.outgoing import outgoing

    spans = chain(outgoing(traces), more)
    if target == "--parquet":
        from tracer.columns import export_columns
        from tracer.outgoing import without_content

        return export_columns(spans if content else map(without_content, spans), path)
    if target == "--otlp-json":
        return write_otlp_json(path, spans, content=content)
    count = write_jaeger_json(path, spans, content=content)
    if path.stat().st_size > UPLOAD_BYTES:
        console.note(
            f"{path}: larger than {UPLOAD_BYTES >> 20} MiB, which Jaeger's page may refuse; export "
            "fewer traces, or send them by --otlp"
        )
    return count
