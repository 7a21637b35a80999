"""What leaves the store: spans of the traces that count, and foreign ones without their secrets.

Our own spans were redacted before they were stored; those that others wrote are when they leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from tracer.attributes import SCOPE, is_content
from tracer.formats.report import Report
from tracer.redact import Redactor, TraceRedactor
from tracer.store import read_spans
from tracer.stored import StoredEvent, StoredSpan, Value


def outgoing(
    path: Path | str, report: Report | None = None, *, redactor: Redactor | None = None
) -> Iterator[StoredSpan]:
    """The spans of a run folder, a folder or a file as they may leave this machine.

    Args:
        path: What to read.
        report: Where findings are noted.
        redactor: The rules for spans of others; one of its own by default.

    Raises:
        TraceFormatError: Nothing is there that can be read.
    """
    rules = redactor or Redactor()
    for span in read_spans(path, report):
        yield span if span.scope == SCOPE else without_secrets(span, rules)


def _without_flags(attributes: Mapping[str, Value], rules: Redactor) -> dict[str, Value]:
    """The attributes with what stands behind `--token` and the like in a command line replaced."""
    found = dict(attributes)
    for key, value in attributes.items():
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            flags = [rules.kind_of(one.lstrip("-")) if one[:1] == "-" else "" for one in value]
            found[key] = [
                rules.token(kind, one) if kind else one
                for one, kind in zip(value, ["", *flags], strict=False)
            ]
    return found


def without_secrets(span: StoredSpan, rules: Redactor) -> StoredSpan:
    """The span with its secrets replaced by tokens, wherever they stand on it."""
    span = replace(
        span,
        attributes=_without_flags(span.attributes, rules),
        resource=_without_flags(span.resource, rules),
    )
    secrets = TraceRedactor(rules)
    secrets.learn(dict(span.attributes))
    secrets.learn(dict(span.resource))
    return replace(
        span,
        name=secrets.text(span.name),
        attributes=secrets.value(dict(span.attributes)),
        resource=secrets.value(dict(span.resource)),
        events=tuple(
            StoredEvent(
                secrets.text(event.name), event.time_ns, secrets.value(dict(event.attributes))
            )
            for event in span.events
        ),
        links=tuple(
            replace(link, attributes=secrets.value(dict(link.attributes))) for link in span.links
        ),
        status_message=secrets.text(span.status_message),
    )


def without_content(span: StoredSpan) -> StoredSpan:
    """The span without words of prompts, arguments, results and documents."""

    def kept(attributes: Mapping[str, Value]) -> dict[str, Value]:
        return {key: value for key, value in attributes.items() if not is_content(key, value)}

    return replace(
        span,
        attributes=kept(span.attributes),
        events=tuple(replace(event, attributes=kept(event.attributes)) for event in span.events),
        links=tuple(replace(link, attributes=kept(link.attributes)) for link in span.links),
        status_message="",
    )
