"""Rendering of documents, names of tools on the wire, calls read back."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from assistants.chat_format import ToolNames, read_call, wire_messages
from assistants.prompts import render_documents
from tracer.records import Message, Passage, ToolCall

PASSAGES = st.lists(
    st.builds(
        Passage,
        st.from_regex(r"m-[0-9]{1,3}", fullmatch=True),
        st.none(),
        st.lists(st.sampled_from(["alpha", "beta", "gamma"]), max_size=40).map(" ".join),
    ),
    max_size=6,
)


@given(PASSAGES, st.integers(1, 60))
def test_documents_keep_to_the_budget(passages: list[Passage], budget: int) -> None:
    shown = render_documents(passages, budget_words=budget)
    assert len(re.findall("alpha|beta|gamma", shown)) <= budget


@given(PASSAGES)
def test_documents_that_fit_are_whole_and_in_order(passages: list[Passage]) -> None:
    shown = render_documents(passages, budget_words=10_000)
    assert "more words" not in shown
    assert re.findall(r"\[\d+\] (\S+)", shown) == [p.doc_id for p in passages]


def test_what_a_short_document_leaves_goes_to_the_long_one() -> None:
    shown = render_documents(
        [Passage("a", text="one"), Passage("b", text=" ".join(["w"] * 20))], budget_words=10
    )
    assert shown.count("w") - shown.count("words") == 9


@given(st.lists(st.text(min_size=1, max_size=80), unique=True, max_size=8))
def test_tool_names_come_back_from_the_wire(names: list[str]) -> None:
    wire = ToolNames(names)
    sent = [wire.sent(name) for name in names]
    assert len(set(sent)) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in sent)
    assert [wire.ours(name) for name in sent] == names


def test_arguments_that_are_no_object_are_kept_as_text() -> None:
    names = ToolNames(["a.b"])
    assert read_call("a_b", "[1]", "c", names) == ToolCall("a.b", None, "c", raw="[1]")
    assert read_call("a_b", '{"x": 1', "c", names).raw == '{"x": 1'
    assert read_call("a_b", "", "c", names) == ToolCall("a.b", {}, "c")


def test_documents_stand_before_the_question() -> None:
    message = Message("user", "When?", documents=(Passage("m-1", 1.0, "At noon."),))
    (wire,) = wire_messages([message], ToolNames([]), budget_words=50)
    assert wire["content"] == "Mails:\n\n[1] m-1\nAt noon.\n\nQuestion: When?"
