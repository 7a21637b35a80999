"""Traces and scores made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from analyzers.score import ScoreRow
from tracer.records import Call, CallVerdict, GoldCall, ModelCall, Outcome, Request, Trace

MakeTrace = Callable[..., Trace]
MakeRows = Callable[..., list[ScoreRow]]


@pytest.fixture
def make_trace() -> MakeTrace:
    """A graded run of a tools assistant whose gold is one read and one write.

    `made` lists the calls: `read`, `write` (both right), `wrong` (an unsupported write).
    """

    def build(
        item: str = "t1",
        condition: str = "base",
        made: Sequence[str] = ("read", "write"),
        *,
        replicate: int = 0,
        cluster: str = "",
        axis: str = "base",
        groups: Mapping[str, str] | None = None,
    ) -> Trace:
        verdicts = {
            "read": CallVerdict("read", failed=False, matched=0),
            "write": CallVerdict("write", failed=False, matched=1),
            "wrong": CallVerdict("write", failed=False),
        }
        wrote, harmed = "write" in made, "wrong" in made
        return Trace(
            trace_id=f"{item}-{condition}-{replicate}",
            request=Request(
                item,
                "do it",
                suite="office",
                condition=condition,
                axis=axis,
                replicate=replicate,
                cluster=cluster,
            ),
            answer="done",
            calls=tuple(Call(name, {}, kind=verdicts[name].kind) for name in made),
            model_calls=(ModelCall("rules", input_tokens=10, output_tokens=3),),
            outcome=Outcome(
                mode="strict",
                data_version="0.1",
                required_calls=(GoldCall("read"), GoldCall("write", writes=True)),
                calls=tuple(verdicts[name] for name in made),
                success=wrote and not harmed,
                unwanted_side_effect=harmed,
                failed_to_act=not wrote and not harmed,
            ),
            assistant="tools",
            assistant_kind="tools",
            spans=4,
            started_ns=0,
            ended_ns=2_000_000,
            groups=groups or {},
        )

    return build


@pytest.fixture
def make_rows() -> MakeRows:
    """Rows of one metric from condition to item to the values of its runs."""

    def build(
        table: Mapping[str, Mapping[str, Sequence[float | None]]],
        metric: str = "success",
        clusters: Mapping[str, str] | None = None,
    ) -> list[ScoreRow]:
        return [
            ScoreRow(
                "r",
                "office",
                item,
                (clusters or {}).get(item, ""),
                condition,
                replicate,
                metric,
                value,
                reason="" if value is not None else "no gold write",
            )
            for condition, items in table.items()
            for item, runs in items.items()
            for replicate, value in enumerate(runs)
        ]

    return build
