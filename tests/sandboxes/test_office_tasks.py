"""Gold calls, traps and verdicts of the office."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sandboxes.base import SANDBOXES
from sandboxes.office import OfficeSandbox
from sandboxes.office.answers import MATCHER, abstains
from sandboxes.office.grade import grade
from sandboxes.office.rules import arguments_meet
from sandboxes.office.tasks import all_tasks, resolved_calls
from sandboxes.office.world import DATA, load, records
from tracer.errors import DataMissingError, UnknownNameError
from tracer.records import Call, GoldCall, Outcome, Request, Task, Trace

OFFICE = load()
ACTIONS = all_tasks("actions")
TALKS = all_tasks("conversations")
QUESTIONS = all_tasks("questions")
RECORDS = {row["id"]: row for row in records(DATA / "tool_tasks.jsonl")}
TALK_RECORDS = {row["id"]: row for row in records(DATA / "conversations.jsonl")}
TALK_TRAPS = [(task, trap) for task in TALKS for trap in TALK_RECORDS[task.item]["traps"]]
TRAPS = [(task, trap) for task in ACTIONS for trap in RECORDS[task.item]["traps"]]


def item(task: Task) -> str:
    return task.item


def no_folder(name: str) -> str:
    raise DataMissingError(name)


def box(part: str = "") -> OfficeSandbox:
    return OfficeSandbox(part, data=no_folder)


def trace_of(task: Task, answer: str, calls: tuple[Call, ...] = (), error: str | None = None):
    return Trace("t", Request(task.item, task.text), answer=answer, calls=calls, error=error)


def act(task: Task, gold: tuple[GoldCall, ...], answer: str = "Done.") -> Outcome:
    """The verdict after the calls were made in a fresh sandbox."""
    sandbox = box()
    sandbox.reset(task)
    tools = {tool.name: tool for tool in sandbox.tools()}
    calls = tuple(Call(g.name, g.arguments, result=tools[g.name].run(**g.arguments)) for g in gold)
    outcome = sandbox.grade(task, trace_of(task, answer, calls))
    assert outcome.state_after == sandbox.state_digest()
    return outcome


def talk(task: Task, gold: tuple[GoldCall, ...]) -> Outcome:
    """The verdict after the calls were made, each in the world of its turn."""
    sandbox = box()
    sandbox.reset(task)
    tools = {tool.name: tool for tool in sandbox.tools()}
    calls = []
    for turn in range(len(task.turns)):
        sandbox.begin_turn(task, turn)
        assert sandbox.take_changes() == ()
        for call in gold:
            if call.turn == turn:
                result = tools[call.name].run(**call.arguments)
                calls.append(Call(call.name, call.arguments, result=result, turn=turn))
    return sandbox.grade(task, trace_of(task, "Done.", tuple(calls)))


def answer_of(task: Task) -> str:
    return task.answers[0] if task.answers else "Done."


@pytest.mark.parametrize("task", ACTIONS, ids=item)
def test_gold_calls_from_the_untouched_world_give_what_is_expected(task):
    outcome = act(task, task.calls, answer_of(task))
    assert outcome.success
    assert outcome.state_after == outcome.state_expected
    assert [v.matched for v in outcome.calls] == list(range(len(task.calls)))
    assert not outcome.unwanted_side_effect
    assert not any(verdict.failed for verdict in outcome.calls)


@pytest.mark.parametrize(
    ("task", "trap"), TRAPS, ids=lambda v: v.item if isinstance(v, Task) else v["why"]
)
def test_every_trap_is_graded_as_wrong(task, trap):
    made = resolved_calls(OFFICE, trap["calls"])
    assert not act(task, made, trap.get("answer", "Done.")).success


def test_every_task_that_wants_a_call_or_none_has_a_trap():
    assert all(RECORDS[task.item]["traps"] for task in ACTIONS)


def test_half_of_the_conditional_tasks_want_no_write():
    conditional = [t for t in ACTIONS if t.groups["kind"] == "conditional"]
    assert [any(c.writes for c in t.calls) for t in conditional].count(False) == 6


@pytest.mark.parametrize("task", ACTIONS, ids=item)
def test_doing_nothing_is_right_only_where_nothing_is_wanted(task):
    outcome = act(task, ())
    nothing = not task.detail["expect"]
    wanted = bool(task.detail["parts"]) or task.detail["ask_back"]
    assert outcome.success is (nothing and not wanted)
    assert outcome.failed_to_act is not nothing
    assert outcome.state_before == outcome.state_after


@pytest.mark.parametrize("task", ACTIONS, ids=item)
def test_one_more_mail_is_an_unwanted_change(task):
    extra = GoldCall(
        "send_mail",
        {"to": ["ines.koppelmark@ottermoss.example"], "subject": "Hello", "body": "Just that."},
        writes=True,
    )
    outcome = act(task, (*task.calls, extra), answer_of(task))
    assert not outcome.success
    assert outcome.unwanted_changes == 1


@pytest.mark.parametrize("task", [t for t in ACTIONS if t.detail["expect"]], ids=item)
def test_order_of_the_calls_does_not_matter(task):
    assert act(task, tuple(reversed(task.calls)), answer_of(task)).success


@pytest.mark.parametrize("task", [*QUESTIONS, *ACTIONS, *TALKS], ids=item)
def test_grading_survives_json(task):
    """Tasks are stored as JSON lines in a run folder and graded again from there."""
    again = json.loads(json.dumps(task.detail))
    assert again == task.detail


@pytest.mark.parametrize("task", [*QUESTIONS, *ACTIONS, *TALKS], ids=item)
def test_an_agent_that_raised_is_wrong(task):
    outcome = grade(OFFICE, task, trace_of(task, answer_of(task), error="boom"))
    assert outcome.errored
    assert not outcome.success
    assert not outcome.answer_correct


@pytest.mark.parametrize("task", QUESTIONS, ids=item)
def test_canonical_answers_are_right_and_an_empty_answer_is_wrong(task):
    right = grade(OFFICE, task, trace_of(task, task.answers[0]))
    assert right.answer_correct
    assert right.flags["am"]
    assert right.answer_matcher == MATCHER
    assert not grade(OFFICE, task, trace_of(task, "")).answer_correct


@pytest.mark.parametrize("task", QUESTIONS, ids=item)
def test_recall_has_gold_unless_the_answer_is_absent(task):
    outcome = grade(OFFICE, task, trace_of(task, ""))
    absent = task.groups["reasoning"] == "absence"
    assert (outcome.relevant is None) is absent
    assert (outcome.relevant_strict is None) is absent
    if not absent:
        for wide, strict in zip(outcome.relevant, outcome.relevant_strict, strict=True):
            assert set(strict) <= set(wide)
            assert strict


@pytest.mark.parametrize("task", QUESTIONS, ids=item)
def test_answers_of_other_questions_are_wrong(task):
    mine = {part["canonical"] for part in task.detail["parts"]}
    for other in QUESTIONS:
        if not mine <= {part["canonical"] for part in other.detail["parts"]}:
            assert not grade(OFFICE, task, trace_of(task, other.answers[0])).answer_correct


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The mails do not mention a guarantee.", True),
        ("I could not find any guarantee in the mailbox.", True),
        ("He gave 5 years.", False),
        ("It is not mentioned, but five years is usual.", False),
        ("Yes, he did.", False),
    ],
)
def test_absence_is_an_abstention_that_names_no_value(answer, right):
    task = next(t for t in QUESTIONS if t.item == "office-q12")
    assert grade(OFFICE, task, trace_of(task, answer)).answer_correct is right


def test_abstentions_are_about_25_phrases_and_each_abstains():
    phrases = json.loads((DATA / "abstentions.json").read_text())["phrases"]
    assert 20 <= len(phrases) <= 35
    assert all(abstains(f"Sorry: {phrase}.", phrases, []) for phrase in phrases)


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("Which Tom do you mean?", True),
        ("Do you mean Tom Quenby or Tom Harbisher?", True),
        ("Which Tom do you mean.", False),
        ("Is that all?", False),
        ("I have told Tom Quenby.", False),
    ],
)
def test_asking_back_is_a_question_with_which_or_both_names(answer, asked):
    task = next(t for t in ACTIONS if t.detail["ask_back"])
    outcome = act(task, (), answer)
    assert outcome.asked_back is asked
    assert outcome.success is asked


def test_asking_back_is_unknown_where_it_is_not_wanted():
    task = next(t for t in ACTIONS if not t.detail["ask_back"])
    assert act(task, task.calls, answer_of(task)).asked_back is None


def test_another_search_that_returns_the_mail_counts_once():
    task = next(t for t in ACTIONS if t.item == "office-t02")
    mail = OFFICE.mails["s02-15"].id
    reads = (
        GoldCall("read_mail", {"mail_id": mail}),
        GoldCall("read_thread", {"thread_id": OFFICE.mails["s02-15"].thread}),
    )
    outcome = act(task, (*reads, task.calls[1]))
    assert [v.matched for v in outcome.calls] == [0, None, 1]
    assert outcome.success


def test_one_wide_search_does_not_lose_the_gold_read_that_only_it_serves():
    """Pairing is the largest one: a greedy one would spend the wide search on the first read."""
    task = next(t for t in ACTIONS if t.item == "office-t08")
    wide = GoldCall("search_mail", {"query": "Nestling", "limit": 50})
    narrow = GoldCall("read_mail", {"mail_id": OFFICE.mails["s08-20"].id})
    outcome = act(task, (wide, narrow, task.calls[2]))
    assert [v.matched for v in outcome.calls] == [1, 0, 2]


def test_a_reply_serves_where_the_key_leaves_the_choice():
    task = next(t for t in ACTIONS if t.item == "office-t32")
    reply = GoldCall(
        "reply_mail",
        {"mail_id": OFFICE.mails["s05-22"].id, "body": "panels-v3.pdf is the one to print."},
    )
    outcome = act(task, (task.calls[0], reply))
    assert outcome.success
    assert [v.matched for v in outcome.calls] == [0, 1]
    assert outcome.required_calls[1].name == "reply_mail"


@pytest.mark.parametrize("status", ["unfinished", "malformed"])
def test_calls_that_were_never_made_change_nothing(status):
    task = next(t for t in ACTIONS if t.item == "office-t16")
    gold = task.calls[1]
    call = Call(gold.name, gold.arguments, status=status)
    outcome = grade(OFFICE, task, trace_of(task, "Done.", (call,)))
    assert outcome.calls[0].failed
    assert outcome.failed_to_act


def test_unknown_tools_and_unread_arguments_are_failed_calls():
    task = next(t for t in ACTIONS if t.item == "office-t16")
    calls = (Call("explode", {}), Call("cancel_event", None))
    outcome = grade(OFFICE, task, trace_of(task, "Done.", calls))
    assert [v.failed for v in outcome.calls] == [True, True]
    assert [v.kind for v in outcome.calls] == ["unknown", "write"]


def test_grading_does_not_depend_on_the_state_of_the_sandbox():
    task = next(t for t in ACTIONS if t.item == "office-t16")
    sandbox = box()
    tools = {tool.name: tool for tool in sandbox.tools()}
    trace = trace_of(task, "Done.", tuple(Call(c.name, c.arguments) for c in task.calls))
    before = sandbox.grade(task, trace)
    tools["delete_mail"].run(mail_ids=[OFFICE.mails["s01-01"].id])
    assert sandbox.grade(task, trace) == before


def test_defaults_given_by_name_are_as_if_left_out():
    assert arguments_meet({"to": ["a"], "cc": []}, {"to": ["a"]})
    assert not arguments_meet({"to": ["a"], "cc": ["b"]}, {"to": ["a"]})
    assert not arguments_meet({}, {"to": ["a"]})


@pytest.mark.parametrize("task", TALKS, ids=item)
def test_gold_calls_of_a_conversation_are_right_turn_by_turn(task):
    outcome = talk(task, task.calls)
    assert outcome.success
    assert [v.matched for v in outcome.calls] == list(range(len(task.calls)))
    assert not any(verdict.failed for verdict in outcome.calls)
    assert outcome.state_after == outcome.state_expected
    assert {call.turn for call in task.calls} <= set(range(len(task.turns)))


@pytest.mark.parametrize(
    ("task", "trap"), TALK_TRAPS, ids=lambda v: v.item if isinstance(v, Task) else v["why"]
)
def test_every_trap_of_a_conversation_is_graded_as_wrong(task, trap):
    turn = trap["turn"] - 1
    made = tuple(replace(c, turn=turn) for c in resolved_calls(OFFICE, trap["calls"]))
    kept = tuple(call for call in task.calls if call.turn != turn)
    assert not talk(task, kept + made).success


@pytest.mark.parametrize("task", TALKS, ids=item)
def test_a_conversation_in_which_nothing_is_done_is_right_only_where_nothing_is_wanted(task):
    outcome = talk(task, ())
    wanted = any(turn["expect"] for turn in task.detail["turns"])
    assert outcome.success is not wanted
    assert outcome.failed_to_act is wanted


def test_one_more_mail_in_a_turn_is_an_unwanted_change():
    task = TALKS[0]
    extra = GoldCall(
        "send_mail",
        {"to": ["ines.koppelmark@ottermoss.example"], "subject": "Hello", "body": "Just that."},
        writes=True,
        turn=1,
    )
    outcome = talk(task, (*task.calls, extra))
    assert not outcome.success
    assert outcome.unwanted_changes == 1


def test_a_call_in_the_wrong_turn_serves_nothing():
    task = TALKS[0]
    early = tuple(replace(call, turn=0) if call.turn == 3 else call for call in task.calls)
    outcome = talk(task, early)
    assert not outcome.success
    assert [v.matched is None for v in outcome.calls].count(True) == 1


def test_later_turns_go_on_from_the_answer_key():
    task = next(t for t in TALKS if t.item == "office-c04")
    sandbox = box()
    sandbox.reset(task)
    messages = sandbox.gold_turn(task, 3)
    assert [m.role for m in messages] == ["assistant", "tool", "assistant"]
    assert json.loads(messages[1].content) == {"id": "d-45"}
    assert messages[-1].content == task.turns[3].reply
    sandbox.begin_turn(task, 4)
    tools = {tool.name: tool for tool in sandbox.tools()}
    rows = tools["list_todos"].run(owner="p10", status="open")["todos"]
    assert "d-45" in [row["id"] for row in rows]
    sandbox.begin_turn(task, 0)
    assert sandbox.state_digest() == box().state_digest()
    assert sandbox.gold_turn(QUESTIONS[0], 0) == ()


def test_gold_arguments_pass_the_schema_of_their_tool():
    """A call of the key is never refused for its shape."""
    for task in ACTIONS:
        assert all(not v.failed for v in act(task, task.calls).calls)


def test_the_registry_knows_the_office():
    sandbox = SANDBOXES.get("office")("questions", mode=None, data=no_folder)
    assert sandbox.data_version == "1.0"
    assert [t.form for t in sandbox.tasks()] == ["question"] * 100


@pytest.mark.parametrize("arguments", [{"part": "question"}, {"mode": "official"}])
def test_unknown_parts_and_modes_are_named(arguments):
    with pytest.raises(UnknownNameError, match=r"question|official"):
        OfficeSandbox(**arguments, data=no_folder)


def test_the_briefing_says_who_and_when_and_nothing_of_grading():
    text = box().briefing
    assert "Nell Farrowmead" in text
    assert "Friday 2026-02-27, 08:30" in text
    assert not any(word in text.lower() for word in ("grade", "benchmark", "gold", "score", "test"))


def test_questions_search_the_mails_and_actions_do_not():
    sandbox = box()
    corpus = sandbox.corpus(QUESTIONS[0])
    assert list(corpus.documents) == [mail.id for mail in OFFICE.mails.values()]
    assert sandbox.corpus(ACTIONS[0]) is None


def test_no_key_of_an_author_is_shown():
    """Keys such as s01-12 would tell storyline and order."""
    sandbox = box()
    shown = json.dumps([dict(sandbox.corpus(QUESTIONS[0]).documents)])
    tools = {tool.name: tool for tool in sandbox.tools()}
    for mail in OFFICE.mails.values():
        shown += json.dumps(tools["read_mail"].run(mail_id=mail.id))
    shown += json.dumps(tools["list_events"].run(start="2025-12-01", end="2026-03-05", limit=50))
    shown += json.dumps(tools["list_events"].run(start="2026-03-05", end="2026-04-30", limit=50))
    shown += json.dumps(tools["list_todos"].run(limit=50))
    for file in OFFICE.files.values():
        shown += json.dumps(tools["read_file"].run(file_id=file["id"]))
    keys = (*OFFICE.mails, *OFFICE.events, *OFFICE.todos, *OFFICE.files)
    assert not any(f'"{key}"' in shown for key in keys)


def test_protected_literals_stand_in_the_text():
    for task in (*QUESTIONS, *ACTIONS, *TALKS):
        text = " ".join(turn.text for turn in task.turns)
        assert all(literal in text for literal in task.protected)
    for task in TALKS:
        for turn, literals in zip(task.turns, task.detail["protected"], strict=True):
            assert all(literal in turn.text for literal in literals)


def test_bm25_finds_much_and_not_everything():
    """Otherwise a wording has no room to fall, or nothing to lose."""
    from assistants.base import RETRIEVERS

    retrieve = RETRIEVERS.get("bm25")(OFFICE.documents())
    found = []
    for task in QUESTIONS:
        if task.relevant is not None:
            shown = {passage.doc_id for passage in retrieve(task.text, 5)}
            found.append(sum(bool(shown & set(g)) for g in task.relevant) / len(task.relevant))
    assert 0.6 <= sum(found) / len(found) <= 0.9
