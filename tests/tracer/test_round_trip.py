"""Whatever an agent does is read back from the store as it was: every record, every value.

What JSON has no word for comes back as the store says that it writes it, `json_text`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from tracer.limits import json_text
from tracer.record import Recorder
from tracer.records import (
    Call,
    CallVerdict,
    Change,
    Comparison,
    Done,
    GoldCall,
    Message,
    ModelCall,
    ModelSource,
    Outcome,
    Passage,
    Reply,
    Request,
    Retrieval,
    Task,
    Tool,
    ToolCall,
    Turn,
)
from tracer.secret_shapes import secret_kind
from tracer.spans import agent_span, item_span, node_span, set_answer
from tracer.store import RunStore, read_run
from tracer.wrap import wrap_model, wrap_reranker, wrap_retriever, wrap_tool

texts = st.text(max_size=20) | st.sampled_from(
    ["", "\x00", "\u202e\x1b[1m", "\u2028", '{"a": 1', "null"]
)
# What stands under the name of a secret is not read back.
keys = texts.filter(lambda name: not secret_kind(name))
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts | st.floats(-1e300, 1e300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
odd = plain | st.floats() | st.integers() | st.sampled_from(["\ud800x", 2**70, -(2**64)])
values = odd | st.lists(odd, max_size=2) | st.dictionaries(keys, odd, max_size=2)
rows = st.dictionaries(keys, plain, max_size=2)
shares = st.floats(0, 1)
changes = st.builds(
    Change,
    st.sampled_from(["add", "remove", "replace"]),
    texts,
    texts,
    st.none() | rows,
    st.none() | rows,
)
passages = st.lists(
    st.builds(Passage, texts, st.none() | st.floats(-1e9, 1e9), st.none() | texts), max_size=4
)
asked = st.builds(
    ToolCall,
    texts.map("asked {}".format),
    st.dictionaries(keys, plain, max_size=3),
    st.uuids().map(str),
)
replies = st.builds(
    Reply,
    st.builds(Message, st.just("assistant"), texts, st.lists(asked, max_size=2).map(tuple)),
    st.sampled_from(["stop", "tool_calls", "length"]),
    st.none() | st.integers(0, 2**40),
    st.none() | st.integers(0, 2**40),
    texts,
)
step = st.one_of(
    st.tuples(
        *(st.just("tool"), texts, st.dictionaries(keys, values, max_size=3), values),
        *(st.booleans(), st.booleans(), st.lists(changes, max_size=2)),
    ),
    st.tuples(st.just("chat"), replies, texts),
    st.tuples(st.just("retrieval"), texts, passages, st.integers(1, 100)),
    st.tuples(st.just("rerank"), texts, passages, st.integers(1, 100)),
)
gold = st.builds(GoldCall, texts, rows, st.booleans(), st.booleans(), st.none() | st.integers(0, 9))
groups = st.lists(st.lists(texts, max_size=2).map(tuple), max_size=2).map(tuple)
maybe = st.none() | st.booleans()
outcomes = st.builds(
    Outcome,
    mode=texts,
    gold_scope=st.sampled_from(["all", "writes"]),
    relevant=st.none() | groups,
    relevant_strict=st.none() | groups,
    gold_answers=st.lists(texts, max_size=2).map(tuple),
    answer_correct=maybe,
    required_calls=st.none() | st.lists(gold, max_size=2).map(tuple),
    calls=st.lists(
        st.builds(
            CallVerdict,
            st.sampled_from(["read", "write", "unknown"]),
            st.booleans(),
            st.none() | st.integers(0, 5),
            st.booleans(),
            st.sampled_from([None, "in_turn", "early", "late"]),
        ),
        max_size=2,
    ).map(tuple),
    comparisons=st.lists(
        st.builds(Comparison, st.integers(0, 9), st.integers(0, 9), texts, shares, shares),
        max_size=2,
    ).map(tuple),
    state_before=st.none() | texts,
    success=maybe,
    unwanted_side_effect=maybe,
    unwanted_changes=st.none() | st.integers(0, 9),
    failed_to_act=maybe,
    asked_back=maybe,
    errored=st.booleans(),
    flags=st.dictionaries(texts, st.booleans(), max_size=2),
    grader_error=st.none() | texts,
)
requests = st.builds(
    Request,
    item=texts.filter(bool),
    text=texts,
    suite=texts,
    condition=texts,
    axis=texts,
    replicate=st.integers(0, 99),
    base_text=texts,
    cluster=texts,
    history=st.lists(
        st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), max_size=2
    ).map(tuple),
)


def stored(value: Any) -> Any:
    """A value as the store writes it."""
    return json.loads(json_text(value))


class World:
    """Gives the changes that a call is said to have made."""

    name = "world"

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()

    def state_digest(self) -> str:
        return "digest"

    def take_changes(self) -> tuple[Change, ...]:
        taken, self.changes = self.changes, ()
        return taken


class Scripted:
    """A model with one reply."""

    name = "scripted"
    source = ModelSource("provider", "built in", "0" * 64)

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def chat(self, messages: Any, tools: Any = ()) -> Reply:
        return self._reply


class Said:
    """What was done, as records."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.calls: list[Call] = []
        self.models: list[ModelCall] = []
        self.retrievals: list[Retrieval] = []

    def tool(
        self,
        name: str,
        arguments: dict[str, Any],
        result: Any,
        writes: bool,
        fails: bool,
        changed: list[Change],
    ) -> None:
        world = World()

        def act(**_: Any) -> Any:
            world.changes = tuple(changed)
            if fails:
                raise LookupError(f"no {name}")
            return result

        tool = wrap_tool(Tool(name, "", {}, writes, act), self._recorder, world)
        with suppress(LookupError):
            tool.run(**arguments)
        self.calls.append(
            Call(
                name,
                stored(arguments),
                None if fails else stored(result),
                error=f"no {name}" if fails else None,
                error_type="LookupError" if fails else None,
                status="error" if fails else "ok",
                kind="write" if writes else "read",
                changes=tuple(changed),
            )
        )

    def chat(self, reply: Reply, text: str) -> None:
        wrap_model(Scripted(reply), self._recorder).chat([Message("user", text)])
        source = Scripted.source
        self.models.append(
            ModelCall(
                "scripted",
                source.provider,
                source.source,
                source.sha256,
                reply.input_tokens,
                reply.output_tokens,
                (reply.finish_reason,),
                reply.message.tool_calls,
            )
        )

    def retrieval(self, query: str, found: list[Passage], k: int) -> None:
        wrap_retriever(lambda *_: found, self._recorder, ranker="x")(query, k)
        self.retrievals.append(Retrieval(query, tuple(found), "x", k))

    def rerank(self, query: str, found: list[Passage], k: int) -> None:
        wrap_reranker(lambda *_: found, self._recorder, model="x")(query, found[::-1], k)
        # The texts stand where the documents came from.
        ranked = tuple(replace(one, text=None) for one in found)
        self.retrievals.append(Retrieval(query, ranked, "x", k, "rerank"))


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)
@given(
    request=requests,
    answer=texts,
    steps=st.lists(step, max_size=5),
    outcome=outcomes,
    labels=st.dictionaries(texts, texts, max_size=2),
)
def test_any_trace_is_read_back_from_the_store(
    tmp_path_factory, request, answer, steps, outcome, labels
):
    folder = tmp_path_factory.mktemp("any") / "run"
    task = Task(request.item, "s", "actions", (Turn(request.text),), groups=labels)
    with RunStore.create(folder, {"run": "r"}) as store:
        store.write_tasks([task])
        with Recorder(store.sink("0"), run="r") as recorder:
            said = Said(recorder)
            with (
                item_span(recorder, request, run="r", assistant_kind="tools") as item,
                agent_span(recorder, "agent", "tools", request),
                node_span(recorder, "only"),
            ):
                for kind, *given_ in steps:
                    getattr(said, kind)(*given_)
                set_answer(item, answer)
            recorder.flush()
            key = (request.item, request.condition, request.replicate)
            store.add_done(Done(*key, "ok", item.trace_id, request, outcome, spans=recorder.made))
    (trace,) = read_run(folder).traces()
    assert (trace.request, trace.outcome, trace.groups) == (request, outcome, labels)
    assert (trace.answer, trace.assistant_kind, trace.run) == (answer, "tools", "r")
    assert trace.spans == 3 + len(steps)
    assert trace.agent_runs == 1
    assert [told(call, Call) for call in trace.calls] == [told(one, Call) for one in said.calls]
    assert [told(one, ModelCall) for one in trace.model_calls] == [
        told(one, ModelCall) for one in said.models
    ]
    assert [told(one, Retrieval) for one in trace.retrievals] == [
        told(one, Retrieval) for one in said.retrievals
    ]
    assert trace.warnings == ()


def told(record: Any, kind: type) -> Any:
    """A record without ids, times and places, and without the messages that were sent."""
    other: dict[str, Any] = {"span_id": "", "sequence": 0}
    if kind is not Retrieval:
        other |= {"started_ns": 0, "ended_ns": None}
    if kind is Call:
        other |= {"state_before": None, "state_after": None, "agents": 0}
    if kind is ModelCall:
        other |= {"input_messages": None, "output_messages": None}
    return replace(record, **other)
