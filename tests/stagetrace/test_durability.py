"""When the caller of a traced agent waits for the store."""

from __future__ import annotations

import pytest

import stagetrace
from tracer.store import read_spans
from tracer.stored import STATUS_ERROR


def spans_on_disk(folder):
    files = [path for path in folder.rglob("*.jsonl") if path.stat().st_size]
    return [span for path in files for span in read_spans(path)]


def names_on_disk(folder):
    return sorted(span.name for span in spans_on_disk(folder))


@pytest.mark.parametrize("effect", ["read", "unknown", "write", "external"])
@pytest.mark.parametrize("durability", ["item", "tool", "span"])
def test_what_is_on_disk_when_a_tool_begins_and_when_it_has_ended(tmp_path, durability, effect):
    seen = []

    @stagetrace.tool(effect=effect)
    def send(text: str) -> str:
        seen.append(names_on_disk(tmp_path))
        return text

    def agent(request: str) -> str:
        with stagetrace.span("think"):
            pass
        answer = send(request)
        seen.append(names_on_disk(tmp_path))
        return answer

    stagetrace.trace(agent, store=tmp_path, durability=durability)("hello")
    writes = effect in ("write", "external")
    at_the_start = ["think"] if durability == "span" or (durability == "tool" and writes) else []
    at_the_end = ["execute_tool send", "think"] if at_the_start else []
    if durability == "item" or not at_the_start:
        # The writer may have come first by itself; it is never waited for.
        assert set(seen[0]) <= {"think"}
        assert set(seen[1]) <= {"think", "execute_tool send"}
    else:
        assert seen == [at_the_start, at_the_end]
    assert "execute_tool send" in names_on_disk(tmp_path)


def test_a_tool_whose_arguments_do_not_fit_leaves_no_open_span(tmp_path):
    @stagetrace.tool(effect="write")
    def send(text: str) -> str:
        return text

    def agent(request: str) -> str:
        with pytest.raises(TypeError):
            send()  # type: ignore[call-arg]
        assert "execute_tool send" not in names_on_disk(tmp_path)
        return "done"

    stagetrace.trace(agent, store=tmp_path)("hello")
    (span,) = [one for one in spans_on_disk(tmp_path) if one.name == "execute_tool send"]
    assert span.status == STATUS_ERROR
    assert "stagetrace.ended_by" not in span.attributes
