"""Cases of trace inputs: what a good reader says of each file, read from its sidecar."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.cases import specs_folder
from tracer.errors import TraceFormatError
from tracer.fold import fold
from tracer.formats.otlp_json import latest
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.records import Call, Trace
from tracer.references import restored
from tracer.stored import StoredSpan
from tracer.structure import structure

SUFFIX = ".expected.json"
_DESCRIBING = frozenset({"file", "what", "producer", "note", "roots_note"})
_OUTPUTS = frozenset({"output_checks", "redaction_default", "redaction_optional"})
"""Of what is made from an input; tests of outputs hold them."""


def inputs_folder() -> Path | None:
    """The folder of the cases; None when there are no specs at all."""
    folder = specs_folder()
    return None if folder is None else folder / "trace-inputs"


def sidecars() -> list[Path]:
    """The cases, found by listing the folder."""
    folder = inputs_folder()
    return [] if folder is None else sorted(folder.glob(f"*{SUFFIX}"))


class Reading:
    """One input as our reader gives it."""

    def __init__(self, path: Path) -> None:
        self.report = Report()
        self.error: str | None = None
        self.raw: list[StoredSpan] = []
        self.traces: dict[str, Trace] = {}
        try:
            self.raw = list(read_file(path, self.report))
            if len(self.report.runs) > 1:
                self.report.warn("several_runs")
            groups: dict[str, list[StoredSpan]] = {}
            for span in self.raw:
                groups.setdefault(span.trace_id, []).append(span)
            self.traces = {key: fold(spans, self.report) for key, spans in groups.items()}
        except TraceFormatError as error:
            self.error = error.kind
        self.spans = latest(restored(self.raw))
        self.shapes = {
            key: structure([span for span in self.spans if span.trace_id == key])
            for key in self.traces
        }

    def facts(self) -> dict[str, Any]:
        """Every field that a sidecar may name, as we say it."""
        calls = [call for trace in self.traces.values() for call in trace.calls]
        calls.sort(key=lambda call: call.started_ns)
        models = [call for trace in self.traces.values() for call in trace.model_calls]
        runs: dict[str, int] = {}
        for trace in self.traces.values():
            if trace.run:
                runs[trace.run] = runs.get(trace.run, 0) + 1
        outcome = "ok_with_warnings" if self.report.counts else "ok"
        return {
            "outcome": "error" if self.error else outcome,
            "error": self.error,
            "span_count": len(self.spans),
            "raw_span_count": len(self.raw),
            "trace_count": len(self.traces),
            "roots": [
                {"trace_id": span.trace_id, "span_id": span.span_id, "name": span.name}
                for span in self.spans
                if not span.parent_id
            ],
            "orphans": [one for shape in self.shapes.values() for one in shape.orphans],
            "cyclic": [one for shape in self.shapes.values() for one in shape.cyclic],
            "tool_calls": [_call(call) for call in calls],
            "retrievals": [
                _retrieval(one) for trace in self.traces.values() for one in trace.retrievals
            ],
            "warnings": self.report.kinds,
            "bad_lines": [line for _, line in self.report.bad_lines],
            "llm_calls": len(models),
            "usage": {
                "input_tokens": sum(call.input_tokens or 0 for call in models),
                "output_tokens": sum(call.output_tokens or 0 for call in models),
            },
            "agent_invocations": sum(trace.agent_runs for trace in self.traces.values()),
            "final_answer": next((trace.answer for trace in self.traces.values()), None),
            "tool_calls_by_trace": {
                key: [_call(call) for call in trace.calls] for key, trace in self.traces.items()
            },
            "requested_calls": [
                {"name": call.name, "arguments": call.arguments, "call_id": call.call_id}
                for model in models
                for call in model.requested_calls
            ],
            "resource_of": {s.span_id: s.resource.get("service.name") for s in self.spans},
            "start_ns": {span.span_id: span.started_ns for span in self.spans},
            "attribute_count": {span.span_id: len(span.attributes) for span in self.spans},
            "runs": runs,
            "attributes": {span.span_id: span.attributes for span in self.spans},
        }


def _call(call: Call) -> dict[str, Any]:
    return {
        "name": call.name,
        "arguments": None if call.arguments is None else dict(call.arguments),
        "call_id": call.call_id or None,
        "status": call.status,
        "error_type": call.error_type,
        "error_message": call.error,
        "arguments_from": call.arguments_from or None,
        "raw": call.raw,
        "raw_kept": call.raw is not None,
        "arguments_error": call.arguments_error,
        "depth_agents": call.agents,
    }


def _retrieval(one: Any) -> dict[str, Any]:
    documents = None
    if one.passages is not None:
        documents = [{"id": p.doc_id or None, "score": p.score} for p in one.passages]
    return {"query": one.query, "documents": documents}


def differences(expected: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    """Where a reading differs from a sidecar; fields that the sidecar does not name are free."""
    wanted = dict(expected)
    if "warnings_one_of" in wanted:
        wanted.pop("warnings", None)
        wanted.pop("outcome", None)
    found = []
    for key, value in wanted.items():
        if key in _DESCRIBING | _OUTPUTS or key in ("alternative", "tool_calls_alternative"):
            continue
        good = _holds(key, value, facts)
        if not good and key == "tool_calls" and "tool_calls_alternative" in wanted:
            good = _holds(key, wanted["tool_calls_alternative"], facts)
        if not good:
            got = facts["attributes" if key == "attribute_checks" else key] if key in facts else "?"
            found.append(f"{key}: {json.dumps(value)} expected, got {got!r}"[:1500])
    if found and "alternative" in wanted:
        return differences(wanted["alternative"], facts)
    return found


def _holds(key: str, value: Any, facts: Mapping[str, Any]) -> bool:
    if key == "warnings_one_of":
        kinds = facts["warnings"]
        outcome = "ok_with_warnings" if kinds else "ok"
        return sorted(kinds) in [sorted(one) for one in value] and facts["outcome"] == outcome
    if key == "attribute_checks":
        return all(
            _same(facts["attributes"].get(span_id, {}).get(name), wanted)
            for span_id, checks in value.items()
            for name, wanted in checks.items()
        )
    if key in ("warnings", "orphans", "cyclic"):
        return sorted(facts[key]) == sorted(value)
    if key == "roots":
        by_id = [(one["trace_id"], one["span_id"], one["name"]) for one in facts[key]]
        return sorted(by_id) == sorted((r["trace_id"], r["span_id"], r["name"]) for r in value)
    if key in ("tool_calls", "requested_calls", "retrievals"):
        return _lists(facts[key], value)
    if key == "tool_calls_by_trace":
        return all(_lists(facts[key].get(trace, []), calls) for trace, calls in value.items())
    if key in ("resource_of", "start_ns", "attribute_count"):
        return all(facts[key].get(one) == wanted for one, wanted in value.items())
    assert key in facts, f"the sidecar names {key!r}, which nothing here checks"
    return _same(facts[key], value)


def _lists(got: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> bool:
    return len(got) == len(wanted) and all(map(_entry, got, wanted))


def _entry(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    for key, value in wanted.items():
        if key == "arguments_error":
            if bool(got[key]) is not bool(value):
                return False
        elif not _same(got[key], value):
            return False
    return True


def _same(got: Any, wanted: Any) -> bool:
    """Equal in value and type, all the way down."""
    if isinstance(wanted, Mapping):
        return (
            isinstance(got, Mapping)
            and set(got) == set(wanted)
            and all(_same(got[key], value) for key, value in wanted.items())
        )
    if isinstance(wanted, list):
        return (
            isinstance(got, list | tuple)
            and len(got) == len(wanted)
            and all(map(_same, got, wanted))
        )
    return type(got) is type(wanted) and bool(got == wanted)


def check_case(sidecar: Path) -> None:
    """Raise where the reader says something else than the sidecar.

    Raises:
        AssertionError: It does, or the input is absent.
    """
    expected = json.loads(sidecar.read_text(encoding="utf-8"))
    path = sidecar.with_name(sidecar.name.removesuffix(SUFFIX))
    assert path.exists(), f"{path}: absent, its sidecar is there"
    found = differences(expected, Reading(path).facts())
    assert not found, os.linesep.join([path.name, *found])
