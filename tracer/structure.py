"""How the spans of one trace hang together: roots, orphans, cycles, clocks; in linear time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracer.stored import StoredSpan


@dataclass(frozen=True, slots=True)
class Structure:
    """What is special about the parents of a trace's spans; each list in the order of the spans."""

    roots: tuple[str, ...]
    """Spans that name no parent."""
    orphans: tuple[str, ...]
    """Spans whose parent is named and not there; they are no roots."""
    cyclic: tuple[str, ...]
    """Spans that are their own ancestors."""
    skewed: tuple[str, ...]
    """Spans that start before their parent; links on a cycle are not compared."""
    backwards: tuple[str, ...]
    """Spans that end before they start."""
    unfinished: tuple[str, ...]
    """Spans without an end."""


def structure(spans: Sequence[StoredSpan]) -> Structure:
    """How the spans of one trace, each id once, hang together.

    Example:
        >>> structure([StoredSpan("1" * 32, "a" * 16, "s", "a" * 16, ended_ns=1)]).cyclic
        ('aaaaaaaaaaaaaaaa',)
    """
    by_id = {span.span_id: span for span in spans}
    cyclic = _cyclic(spans, by_id)
    roots: list[str] = []
    orphans: list[str] = []
    skewed: list[str] = []
    backwards: list[str] = []
    unfinished: list[str] = []
    for span in spans:
        started, ended = span.started_ns, span.ended_ns
        if ended is None:
            unfinished.append(span.span_id)
        elif ended < started:
            backwards.append(span.span_id)
        if not span.parent_id:
            roots.append(span.span_id)
            continue
        parent = by_id.get(span.parent_id)
        if parent is None:
            orphans.append(span.span_id)
        elif started and started < parent.started_ns and span.span_id not in cyclic:
            skewed.append(span.span_id)
    return Structure(
        roots=tuple(roots),
        orphans=tuple(orphans),
        cyclic=tuple(span.span_id for span in spans if span.span_id in cyclic) if cyclic else (),
        skewed=tuple(skewed),
        backwards=tuple(backwards),
        unfinished=tuple(unfinished),
    )


def _cyclic(spans: Sequence[StoredSpan], by_id: dict[str, StoredSpan]) -> set[str]:
    """Ids that are reached again by going up from themselves."""
    done: set[str] = set()
    found: set[str] = set()
    # Parents end after their children, so from the back most parents are known already.
    for span in reversed(spans):
        parent = span.parent_id
        if parent in done or parent not in by_id:
            done.add(span.span_id)
            continue
        path: dict[str, None] = {}
        at = span.span_id
        while at in by_id and at not in done and at not in path:
            path[at] = None
            at = by_id[at].parent_id
        if at in path:
            walked = list(path)
            found.update(walked[walked.index(at) :])
        done.update(path)
    return found
