"""Two traces side by side: where they part, and where it starts to matter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.alignment import align
from analyzers.diff import ANSWER, END_STATE, LOST, MISSING, UNSUPPORTED, WRONG, diff_traces
from analyzers.steps import Step, steps_of
from tracer.records import (
    Call,
    CallVerdict,
    Change,
    GoldCall,
    ModelCall,
    Outcome,
    Passage,
    Request,
    Retrieval,
    Trace,
)

READ, WRITE = GoldCall("search"), GoldCall("move", writes=True)


def run(calls, *, condition="base", success=True, answer="done", verdicts=None):
    """A tools run: each call is a name and its arguments; `None` in verdicts serves nothing."""
    made = tuple(
        Call(name, arguments, kind="write" if name == "move" else "read", sequence=2 * place)
        for place, (name, arguments) in enumerate(calls)
    )
    gold = {"search": 0, "move": 1}
    judged = verdicts or [gold.get(name) for name, _ in calls]
    return Trace(
        condition,
        Request("t1", condition, condition=condition),
        answer=answer,
        calls=made,
        model_calls=tuple(ModelCall("rules", sequence=2 * n + 1) for n in range(len(calls))),
        outcome=Outcome(
            "strict",
            required_calls=(READ, WRITE),
            calls=tuple(
                CallVerdict(call.kind, False, matched)
                for call, matched in zip(made, judged, strict=True)
            ),
            success=success,
        ),
    )


SEARCH, MOVE = ("search", {"query": "Ostrava invoice"}), ("move", {"id": 17, "to": "Projects"})


def signs(found):
    return "".join(row.sign for row in found.rows)


def test_a_trace_beside_itself_is_the_same_in_every_step():
    found = diff_traces(run([SEARCH, MOVE]), run([SEARCH, MOVE]))
    assert signs(found) == "====="
    assert (found.first_diverging, found.first_harmful, found.stage) == (None, None, "")


def test_a_reordered_query_diverges_and_the_missing_call_harms():
    other = ("search", {"query": "invoice Ostrava"})
    found = diff_traces(run([SEARCH, MOVE]), run([other], success=False))
    assert (found.first_diverging.number, found.first_diverging.why) == (1, "arguments")
    assert (found.first_harmful.base.name, found.first_harmful.harm) == ("move", MISSING)
    assert found.stage == "call"
    (changed,) = found.first_diverging.changed
    assert (changed.name, changed.base, changed.variant) == (
        "query",
        "Ostrava invoice",
        "invoice Ostrava",
    )


def test_equal_arguments_are_counted_and_not_listed():
    wrong = ("move", {"id": 17, "to": "Inbox"})
    found = diff_traces(run([MOVE]), run([wrong], verdicts=[None], success=False))
    row = found.first_harmful
    assert (row.sign, row.harm, row.same, [c.name for c in row.changed]) == ("~", WRONG, 1, ["to"])


def test_an_extra_write_is_an_unsupported_one():
    found = diff_traces(
        run([SEARCH, MOVE]), run([SEARCH, MOVE, MOVE], verdicts=[0, 1, None], success=False)
    )
    assert (found.first_harmful.sign, found.first_harmful.harm) == ("+", UNSUPPORTED)
    assert found.stage == "act"


def test_the_same_call_at_another_place_is_no_loss():
    found = diff_traces(run([SEARCH, MOVE]), run([MOVE, SEARCH]))
    moved = [row for row in found.rows if row.sign == ">"]
    assert len(moved) == 1
    assert moved[0].why == "place"
    assert found.first_harmful is None


def test_repeats_of_a_call_are_rows_of_their_own_and_pair_by_their_arguments():
    one, two = ("search", {"query": "a"}), ("search", {"query": "b"})
    found = diff_traces(run([one, two]), run([two]))
    tools = [row for row in found.rows if row.step.kind == "tool"]
    assert [row.sign for row in tools] == ["-", "="]


def test_without_gold_there_is_divergence_and_no_harm():
    bare = replace(run([SEARCH, MOVE]), outcome=None)
    found = diff_traces(bare, replace(run([SEARCH]), outcome=None))
    assert not found.graded
    assert found.first_diverging is not None
    assert found.first_harmful is None


def test_a_failure_that_no_step_explains_stands_at_the_state():
    found = diff_traces(run([SEARCH, MOVE]), run([SEARCH, MOVE], success=False))
    assert (found.state_harm, found.stage) == (END_STATE, "outcome")


def test_state_changes_are_compared_row_by_row():
    def changed(key, folder):
        change = Change("replace", "mail", key, {"folder": "Inbox"}, {"folder": folder})
        return replace(run([MOVE]), calls=(Call("move", {}, kind="write", changes=(change,)),))

    assert [r.sign for r in diff_traces(changed("1", "A"), changed("1", "A")).state] == ["="]
    assert [r.sign for r in diff_traces(changed("1", "A"), changed("1", "B")).state] == ["~"]
    assert [r.sign for r in diff_traces(changed("1", "A"), changed("2", "A")).state] == ["-", "+"]


def read(ids, *, right, query="q"):
    """A reading run whose gold is the document g."""
    return Trace(
        "r",
        Request("q1", query),
        answer="yes" if right else "no",
        retrievals=(Retrieval(query, tuple(Passage(i, 1.0) for i in ids)),),
        outcome=Outcome("strict", relevant=(("g",),), gold_answers=("yes",), answer_correct=right),
    )


def test_gold_that_leaves_the_list_harms_before_the_answer_does():
    found = diff_traces(read("agb", right=True), read("abc", right=False))
    assert (found.first_harmful.step.kind, found.first_harmful.harm) == ("retrieval", LOST)
    assert found.stage == "retrieval"


def test_a_wrong_answer_with_the_evidence_there_is_the_answers_fault():
    found = diff_traces(read("agb", right=True), read("bga", right=False))
    assert (found.first_harmful.harm, found.stage) == (ANSWER, "answer")
    assert found.first_diverging.why == "documents"


def test_only_the_list_that_was_shown_can_lose_the_gold():
    """A first search that misses does no harm when the re-ranker's list still holds the gold."""
    base = read("agb", right=True)
    shown = Retrieval("q", (Passage("g"),), stage="rerank", sequence=1)
    other = replace(
        read("abc", right=True), retrievals=(*read("abc", right=True).retrievals, shown)
    )
    both = replace(base, retrievals=(*base.retrievals, shown))
    assert diff_traces(both, other).first_harmful is None


NAMES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=7)


def tools(pairs):
    return [Step("tool", name, {"n": number}) for name, number in pairs]


@given(NAMES, NAMES)
def test_every_step_of_both_sides_stands_in_the_alignment_once_and_in_order(left, right):
    pairs = align(tools(left), tools(right))
    assert [p.left for p in pairs if p.left is not None] == list(range(len(left)))
    assert sorted(p.right for p in pairs if p.right is not None) == list(range(len(right)))
    straight = [p.right for p in pairs if p.right is not None and not p.moved]
    assert straight == sorted(straight)
    for pair in pairs:
        if pair.left is not None and pair.right is not None:
            assert left[pair.left][0] == right[pair.right][0]


@given(NAMES)
def test_equal_lists_are_aligned_one_to_one(names):
    assert [(p.left, p.right) for p in align(tools(names), tools(names))] == [
        (n, n) for n in range(len(names))
    ]


def test_long_traces_are_aligned_by_names(monkeypatch):
    from analyzers import alignment

    monkeypatch.setattr(alignment, "_MOST_CELLS", 3)
    names = [("a", 1), ("b", 1), ("c", 1)]
    assert len(align(tools(names), tools(names[1:]))) == 3


def test_nodes_are_steps_only_when_they_are_handed_in():
    trace = run([SEARCH])
    assert [step.kind for step in steps_of(trace)] == ["tool", "chat", "answer"]
    kinds = [step.kind for step in steps_of(trace, [(0, "ask", "1")])]
    assert sorted(kinds) == ["answer", "chat", "node", "tool"]


@pytest.mark.parametrize("side", ["base", "variant"])
def test_an_empty_trace_can_be_compared(side):
    empty = Trace("e", Request("t1", ""))
    pair = (empty, run([SEARCH])) if side == "base" else (run([SEARCH]), empty)
    assert diff_traces(*pair).first_diverging is not None
