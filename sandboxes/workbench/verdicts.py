"""What is said of each single call: its kind, whether it failed, which gold call it serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandboxes.workbench.calls import parse, replace_newlines
from sandboxes.workbench.tables import CASED
from sandboxes.workbench.toolkit import ToolSpec, tool_specs
from tracer.records import Call, CallKind, CallVerdict, GoldCall, Json


def call_verdicts(
    calls: Sequence[Call], texts: Sequence[str], gold: Sequence[GoldCall]
) -> tuple[CallVerdict, ...]:
    """What is said of each call.

    Args:
        calls: Calls in trace order.
        texts: The same calls as call strings.
        gold: Writing calls of the answer key; each is served by the first call that equals it.

    Source:
        Ours; the published code compares end states only. Names and keyword arguments are compared
        without case, except values of status, list_name and board.
    """
    specs = tool_specs()
    left = {index: _comparable(call.name, call.arguments) for index, call in enumerate(gold)}
    verdicts = []
    for call, text in zip(calls, texts, strict=True):
        kind = kind_of(call.name)
        failed = call.error is not None or call.status in ("error", "malformed")
        made = _comparable(call.name, _arguments(call, text, specs.get(call.name)))
        served = (index for index, wanted in left.items() if wanted == made)
        matched = next(served, None) if kind == "write" and call.status == "ok" else None
        if matched is not None:
            del left[matched]
        counted = kind == "write" or (call.status == "malformed" and kind == "unknown")
        verdicts.append(CallVerdict(kind, failed, matched, counted))
    return tuple(verdicts)


def kind_of(name: str) -> CallKind:
    """Whether a tool reads or writes; unknown for a name that no tool of the benchmark has."""
    spec = tool_specs().get(name)
    if spec is None:
        return "unknown"
    return "write" if spec.writes else "read"


def _arguments(call: Call, text: str, spec: ToolSpec | None) -> Mapping[str, Json]:
    """The arguments as the replay reads them, else as the agent gave them."""
    parsed = parse(replace_newlines(text))
    parameters = list(spec.parameters["properties"]) if spec else []
    read = parsed.arguments(parameters) if parsed else None
    return call.arguments or {} if read is None else read


def _comparable(name: str, arguments: Mapping[str, Json]) -> tuple[str, dict[str, Json]]:
    cased = CASED | ({"new_value"} if arguments.get("field") in CASED else set())
    folded = {
        key: value.lower() if isinstance(value, str) and key not in cased else value
        for key, value in arguments.items()
    }
    return name, folded
