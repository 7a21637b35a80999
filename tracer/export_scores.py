"""Scores as spans: one in a trace of its own for each score, linked to the trace it is about.

Source:
    OpenTelemetry GenAI 0.1.0, event `gen_ai.evaluation.result`; OpenInference `annotations.md`:
    an evaluation made later is a carrier span with exactly one link; ids that follow from what is
    scored: ours, so that an export that is repeated sends the same spans.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tracer import attributes as names
from tracer.attributes import SCOPE
from tracer.stored import INTERNAL, StoredEvent, StoredLink, StoredSpan, Value

EVENT: Final = "gen_ai.evaluation.result"


@dataclass(frozen=True, slots=True)
class TraceScore:
    """One value of one metric over one trace."""

    metric: str
    value: float
    trace_id: str
    root_id: str
    """The span that the evaluation is linked to."""
    time_ns: int
    label: str = ""
    explanation: str = ""
    version: str = ""
    """Version of the analyzer."""
    source_digest: str = ""
    """Digest of the file that was scored."""
    identity: Mapping[str, Value] = field(default_factory=dict)
    """Run, item, condition and replicate, as on the trace's own spans."""
    resource: Mapping[str, Value] = field(default_factory=dict)


def score_spans(scores: Iterable[TraceScore]) -> Iterator[StoredSpan]:
    """The evaluation spans of scores, in their order."""
    for score in scores:
        seed = "\n".join((score.trace_id, score.root_id, score.metric, score.version))
        digest = hashlib.sha256(seed.encode()).hexdigest()
        result: dict[str, Value] = {
            "gen_ai.evaluation.name": score.metric,
            "gen_ai.evaluation.score.value": float(score.value),
        }
        flat: dict[str, Value] = {
            "trace.evaluations.0.evaluation.name": score.metric,
            "trace.evaluations.0.evaluation.score": float(score.value),
            "trace.evaluations.0.evaluation.annotator_kind": "CODE",
            "trace.evaluations.0.evaluation.identifier": f"stagetrace/{score.metric}",
        }
        if score.label:
            result["gen_ai.evaluation.score.label"] = score.label
            flat["trace.evaluations.0.evaluation.label"] = score.label
        if score.explanation:
            result["gen_ai.evaluation.explanation"] = score.explanation
            flat["trace.evaluations.0.evaluation.explanation"] = score.explanation
        yield StoredSpan(
            trace_id=digest[:32],
            span_id=digest[32:48],
            name=f"evaluate {score.metric}",
            kind=INTERNAL,
            started_ns=score.time_ns,
            ended_ns=score.time_ns,
            attributes={
                **score.identity,
                names.SPAN_KIND: "EVALUATOR",
                **flat,
                "stagetrace.metric.version": score.version,
                "stagetrace.analyzer.version": score.version,
                **(
                    {"stagetrace.source.file_digest": score.source_digest}
                    if score.source_digest
                    else {}
                ),
            },
            events=(StoredEvent(EVENT, score.time_ns, result),),
            links=(StoredLink(score.trace_id, score.root_id),),
            status=1,
            resource=score.resource,
            scope=SCOPE,
        )
