"""WorkBench's known faults in pairs, `official` shows and `strict` mends them; and `revised`."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.workbench import Workbench
from sandboxes.workbench.grade import MODES, Verdict, grade_calls
from sandboxes.workbench.replay import attempt_of
from tracer.errors import UnknownNameError
from tracer.records import Call, Json, Outcome, Request, Task, Trace

LIMIT = "Agent stopped due to iteration limit or time limit."
SENT = 'email.send_email.func(recipient="{}@atlas.com", subject="s", body="b")'
PLOT = (
    'analytics.create_plot.func(time_min="2023-11-01", time_max="2023-11-29", '
    'value_to_plot="total_visits", plot_type="{}")'
)
TASK = (
    'project_management.create_task.func(task_name="{}", assigned_to_email="amir.ali@atlas.com", '
    'list_name="Backlog", due_date="2023-12-10", board="Design")'
)
EVENT = (
    'calendar.create_event.func(event_name="{}", participant_email="a@b.c", '
    'event_start="2023-12-04 10:00:00", duration="30")'
)
CUSTOMER = (
    'customer_relationship_manager.add_customer.func(customer_name="{}", '
    'assigned_to_email="a@b.c", status="Lead")'
)

Boxes = Callable[..., Workbench]


@pytest.fixture(scope="module")
def boxes(data_dir: Path) -> Boxes:
    """Sandboxes by mode and part, made once."""

    @functools.cache
    def make(mode: str, part: str = "all") -> Workbench:
        return Workbench(part, mode=mode, data=lambda name: str(data_dir / name))

    return make


def use(box: Workbench) -> Callable[..., Json]:
    """Call a tool on fresh tables: `call("send_email", recipient=...)`."""
    box.reset(next(iter(box.tasks())))
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    return lambda tool, /, **arguments: tools[tool].run(**arguments)


def task_of(box: Workbench, item: str) -> Task:
    return next(task for task in box.tasks() if task.item == item)


def graded(box: Workbench, task: Task, calls: Sequence[Call], **fields: Json) -> Outcome:
    request = Request(task.item, task.text, suite=task.suite)
    return box.grade(task, Trace("0" * 32, request, calls=tuple(calls), **fields))


def verdict(box: Workbench, predicted: list[str], gold: list[str], error: str = "") -> Verdict:
    return grade_calls(predicted, gold, error, box._originals, box.mode)


def correct(box: Workbench, predicted: list[str], gold: list[str]) -> bool:
    return verdict(box, predicted, gold).flags["correct"]


def gold_calls(task: Task) -> list[Call]:
    return [Call(call.name, call.arguments) for call in task.calls or ()]


# All modes


@pytest.mark.parametrize("mode", MODES)
def test_the_answer_key_succeeds_for_all_690_tasks(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    tasks = list(box.tasks())
    assert len(tasks) == 690
    for task in tasks:
        outcome = graded(box, task, gold_calls(task))
        assert outcome.mode == mode
        assert outcome.success, task.item
        assert not outcome.unwanted_side_effect, task.item
        assert not outcome.failed_to_act, task.item
        assert outcome.state_after == outcome.state_expected, task.item


@pytest.mark.parametrize("mode", MODES)
def test_reaching_the_state_with_an_error_has_a_flag_of_its_own(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    task = task_of(box, "workbench-email-70")
    outcome = graded(box, task, gold_calls(task), error=LIMIT, status="error")
    assert (outcome.success, outcome.errored, outcome.unwanted_side_effect) == (False, True, False)
    assert outcome.flags["errored_but_correct"]
    assert not graded(box, task, gold_calls(task)).flags["errored_but_correct"]
    assert not graded(box, task, [], error=LIMIT).flags["errored_but_correct"]


@pytest.mark.parametrize("mode", MODES)
def test_the_wrong_person_is_wrong(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    gold = [SENT.format("amir.ali"), SENT.format("akira.sato")]
    assert not correct(box, [gold[0], SENT.format("yuki.tanaka")], gold)


@pytest.mark.parametrize("mode", MODES)
def test_changing_nothing_where_a_change_is_wanted_fails_to_act(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    task = task_of(box, "workbench-email-70")
    outcome = graded(box, task, [Call("email.search_emails", {"query": "feedback"})])
    assert (outcome.success, outcome.failed_to_act, outcome.unwanted_side_effect) == (
        False,
        True,
        False,
    )


@pytest.mark.parametrize("mode", MODES)
def test_case_matters_in_status_list_and_board_only(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    gold = [
        'customer_relationship_manager.add_customer.func(customer_name="Ann", '
        'assigned_to_email="a@b.c", status="Lead")'
    ]
    assert correct(box, [gold[0].replace("Ann", "ANN")], gold)
    assert not correct(box, [gold[0].replace("Lead", "LEAD")], gold)


@pytest.mark.parametrize("mode", MODES)
def test_both_spellings_of_a_line_break_are_one(boxes: Boxes, mode: str) -> None:
    """The request says backslash and n, the answer key breaks the line."""
    box = boxes(mode)
    task = task_of(box, "workbench-email-20")
    (gold,) = task.calls or ()
    copied = {key: value.replace("\n", "\\n") for key, value in gold.arguments.items()}
    assert copied != gold.arguments
    assert graded(box, task, [Call(gold.name, copied)]).success


# Fault: the order of independent creations decides


CREATIONS = {
    "mails": [SENT.format("amir.ali"), SENT.format("akira.sato")],
    "plots": [PLOT.format("bar"), PLOT.format("line")],
    "tasks": [TASK.format("one"), TASK.format("two")],
    "events": [EVENT.format("one"), EVENT.format("two")],
    "customers": [CUSTOMER.format("one"), CUSTOMER.format("two")],
}


@pytest.mark.parametrize("gold", CREATIONS.values(), ids=CREATIONS)
def test_official_wants_new_rows_in_the_order_of_the_key(boxes: Boxes, gold: list[str]) -> None:
    assert not correct(boxes("official"), gold[::-1], gold)
    assert verdict(boxes("official"), gold[::-1], gold).flags["unwanted_side_effects"]


@pytest.mark.parametrize("gold", CREATIONS.values(), ids=CREATIONS)
def test_strict_takes_new_rows_in_any_order(boxes: Boxes, gold: list[str]) -> None:
    assert correct(boxes("strict"), gold[::-1], gold)
    assert not correct(boxes("strict"), gold[:1], gold)
    assert not correct(boxes("strict"), [*gold, gold[0]], gold)


@given(st.randoms())
def test_strict_takes_every_order_of_all_creations(boxes: Boxes, rng: random.Random) -> None:
    gold = [text for pair in CREATIONS.values() for text in pair]
    shuffled = gold[:]
    rng.shuffle(shuffled)
    assert correct(boxes("strict"), shuffled, gold)


def test_swapped_recipients_of_two_forwards(boxes: Boxes) -> None:
    for mode, expected in (("official", False), ("strict", True)):
        task = task_of(boxes(mode), "workbench-email-70")
        assert graded(boxes(mode), task, gold_calls(task)[::-1]).success is expected


def test_what_was_created_and_taken_back_counts_in_no_id(boxes: Boxes) -> None:
    """A mail that was sent and deleted moves the ids of later ones."""
    gold = [SENT.format("amir.ali")]
    predicted = [
        EVENT.format("slip"),
        'calendar.delete_event.func(event_id="00000300")',
        SENT.format("yuki.tanaka"),
        SENT.format("amir.ali"),
        'email.delete_email.func(email_id="500")',
    ]
    assert not correct(boxes("official"), predicted, gold)
    assert correct(boxes("strict"), predicted, gold)


# Fault: quotes are not escaped, so the call is lost


def test_a_mail_with_a_quote_in_it_is_lost(boxes: Boxes) -> None:
    arguments = {"recipient": "a@b.c", "subject": "s", "body": 'They said "no".'}
    for mode, success in (("official", True), ("strict", False)):
        task = task_of(boxes(mode), "workbench-email-10")
        assert not task.calls
        outcome = graded(boxes(mode), task, [Call("email.send_email", arguments)])
        assert outcome.success is success
        assert outcome.unwanted_side_effect is not success


def test_strict_takes_arguments_as_they_were_given(boxes: Boxes) -> None:
    body = 'a "quote", a back\\slash, a \t tab, \x00'
    arguments = {"recipient": "a@b.c", "subject": "s", "body": body}
    box = boxes("strict")
    attempt = attempt_of(Call("email.send_email", arguments))
    found = grade_calls([], [], "", box._originals, "strict", [attempt]).after
    assert found.table("email").entries[-1].values[-1] == body


# Fault: calls that fail are passed over


FAILED = {
    "unreadable": 'email.send_email.func(recipient="a@b.c", subject="s", body="say "x"")',
    "unknown tool": 'email.archive_email.func(email_id="00000001")',
    "unknown argument": 'email.delete_email.func(email_id="00000001", folder="x")',
    "raises": SENT.format("a").replace('"b"', f'"{"x" * 300_000}"'),
}


@pytest.mark.parametrize("failed", FAILED.values(), ids=FAILED)
def test_a_failed_action(boxes: Boxes, failed: str) -> None:
    gold = [SENT.format("amir.ali")]
    assert correct(boxes("official"), [failed, *gold], gold)
    for mode in ("strict", "revised"):
        found = verdict(boxes(mode), [failed, *gold], gold)
        assert (found.flags["correct"], found.reached, found.failed) == (False, True, True)
    assert not verdict(boxes("strict"), [failed, *gold], gold).flags["unwanted_side_effects"]


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_in_words_is_no_failure(boxes: Boxes, mode: str) -> None:
    gold = [SENT.format("amir.ali")]
    assert correct(boxes(mode), ['email.delete_email.func(email_id="zz")', *gold], gold)


@pytest.mark.parametrize("query", ["(", 'say "x"'])
def test_a_failed_read_counts_in_revised_only(boxes: Boxes, query: str) -> None:
    read = f'calendar.search_events.func(query="{query}")'
    gold = [SENT.format("amir.ali")]
    found = {mode: correct(boxes(mode), [read, *gold], gold) for mode in MODES}
    assert found == {"official": True, "strict": True, "revised": False}


@pytest.mark.parametrize("mode", MODES)
def test_a_read_whose_arguments_were_not_captured_is_no_failure(boxes: Boxes, mode: str) -> None:
    box = boxes(mode)
    task = task_of(box, "workbench-email-70")
    outcome = graded(box, task, [Call("email.search_emails", None), *gold_calls(task)])
    assert outcome.success


# Fault: a call of a tool that was not offered is made by the grader


def test_a_call_that_never_happened(boxes: Boxes) -> None:
    """Offered e-mail tools only, the assistant asked for a calendar tool, which came back."""
    call = Call(
        "calendar.delete_event", {"event_id": "00000013"}, error="no such tool", status="error"
    )
    for mode, harmed in (("official", True), ("strict", False)):
        task = task_of(boxes(mode), "workbench-email-10")
        outcome = graded(boxes(mode), task, [call])
        assert outcome.unwanted_side_effect is harmed
        assert outcome.flags["failed_action"] is not harmed
        assert not outcome.success


# Fault: a send overwrites a row after a deletion


@pytest.mark.parametrize(("mode", "kept"), [("official", False), ("strict", True)])
def test_a_send_after_a_deletion(boxes: Boxes, mode: str, kept: bool) -> None:
    box = boxes(mode)
    call = use(box)
    call("delete_email", email_id="00000479")
    call("send_email", recipient="a@b.c", subject="s", body="b")
    found = call("get_email_information_by_id", email_id="00000436", field="email_id")
    assert (found == {"email_id": "00000436"}) is kept
    removed = [change.key for change in box.take_changes() if change.op == "remove"]
    assert removed == (["00000479"] if kept else ["00000479", "00000436"])


def test_deleting_the_overwritten_mail_before_or_after_the_send(boxes: Boxes) -> None:
    """One deletion and one mail: which comes first decides what is lost."""
    gold = ['email.delete_email.func(email_id="00000479")', SENT.format("amir.ali")]
    assert not correct(boxes("official"), gold[::-1], gold)
    assert correct(boxes("strict"), gold[::-1], gold)


# Fault: a search after a send raises


def test_a_search_that_finds_sent_and_stored_mails(boxes: Boxes) -> None:
    subject = "Update on Annual Budget Planning Session"
    call = use(boxes("official"))
    call("send_email", recipient="a@b.c", subject=subject, body="b")
    with pytest.raises(TypeError):
        call("search_emails", query=subject)
    call = use(boxes("strict"))
    call("send_email", recipient="a@b.c", subject=subject, body="b")
    times = [mail["sent_datetime"] for mail in call("search_emails", query=subject)]
    assert len(times) > 1
    assert times == sorted(times, reverse=True)
    assert "2023-11-30 00:00:00" in times


# Fault: an unknown field adds a column


def test_a_field_that_no_event_has(boxes: Boxes) -> None:
    call = use(boxes("official"))
    change = {"event_id": "00000013", "field": "room", "new_value": "12"}
    assert call("update_event", **change) == "Event updated successfully."
    other = {"event_id": "00000275", "field": "room"}
    assert call("get_event_information_by_id", **other) == {"room": "na"}
    call = use(boxes("strict"))
    fresh = boxes("strict").state_digest()
    assert call("update_event", **change) == "Field not valid."
    assert call("get_event_information_by_id", **other) == "Field not found."
    assert boxes("strict").state_digest() == fresh


# Fault: an absent field breaks the search


def test_a_customer_without_a_product(boxes: Boxes) -> None:
    added = {"customer_name": "Ann", "assigned_to_email": "a@b.c", "status": "Lead"}
    call = use(boxes("official"))
    call("add_customer", **added)
    with pytest.raises(ValueError, match="product_interest"):
        call("search_customers", product_interest="software")
    call = use(boxes("strict"))
    call("add_customer", **added)
    found = call("search_customers", product_interest="software")
    assert {one["product_interest"] for one in found} == {"Software"}
    assert call("search_customers", customer_name="ann$")[0]["product_interest"] is None


# Fault: a read changes what later reads show


def test_the_mean_duration_without_bounds(boxes: Boxes) -> None:
    for mode, kind in (("official", float), ("strict", str)):
        call = use(boxes(mode))
        bounded = call("get_average_session_duration", time_min="2023-09-01")
        before = call("get_visitor_information_by_id", visitor_id="5895")
        assert type(before[0]["session_duration_seconds"]) is str
        assert call("get_average_session_duration") == bounded
        after = call("get_visitor_information_by_id", visitor_id="5895")
        assert type(after[0]["session_duration_seconds"]) is kind


# Fault: an id comes back after a deletion


@pytest.mark.parametrize(
    ("mode", "ids"),
    [("official", ["00000300", "00000300"]), ("strict", ["00000300", "00000301"])],
)
def test_an_id_after_a_deletion(boxes: Boxes, mode: str, ids: list[str]) -> None:
    call = use(boxes(mode))
    event = {
        "event_name": "e",
        "participant_email": "a@b.c",
        "event_start": "2023-12-04 10:00:00",
        "duration": "30",
    }
    first = call("create_event", **event)
    call("delete_event", event_id=first)
    assert [first, call("create_event", **event)] == ids


# Fault: the label `crm` names no toolkit in the published runs


def test_tools_for_the_label_crm(boxes: Boxes) -> None:
    counts = {}
    for selection in ("domains", "published", "all"):
        box = boxes("official", f"multi_domain@{selection}")
        without = 0
        for task in box.tasks():
            box.reset(task)
            domains = {tool.name.split(".")[0] for tool in box.tools()}
            wanted = {*task.detail["toolkits"], "company_directory"}
            assert domains <= wanted or selection == "all"
            without += not wanted <= domains
        counts[selection] = without
    assert counts == {"domains": 0, "published": 50, "all": 0}


# Tool settings


@pytest.mark.parametrize(
    ("part", "tools"),
    [
        ("email", 7),
        ("calendar", 6),
        ("analytics", 7),
        ("project_management", 6),
        ("crm", 5),
        ("email@domains", 7),
        ("email@all", 27),
        ("all@all", 27),
    ],
)
def test_which_tools_are_offered(boxes: Boxes, part: str, tools: int) -> None:
    box = boxes("official", part)
    assert box.name == f"workbench:{part}"
    for task in box.tasks():
        assert task.suite == box.name
        box.reset(task)
        if "@all" in part or not part.startswith("all"):
            assert len(box.tools()) == tools
    assert "company_directory.find_email_address" in {tool.name for tool in box.tools()}


@pytest.mark.parametrize("part", ["email@", "email@every", "mail@all", "@all"])
def test_an_unknown_selection_says_what_there_is(boxes: Boxes, part: str) -> None:
    with pytest.raises(UnknownNameError, match="one of domains, all, published"):
        boxes("official", part)


# The revision of 2026


def test_revised_compares_rows_as_sets_with_their_ids(boxes: Boxes) -> None:
    box = boxes("revised")
    plots, mails = CREATIONS["plots"], CREATIONS["mails"]
    assert correct(box, plots[::-1], plots)
    assert not correct(box, mails[::-1], mails)


def test_revised_takes_a_plot_up_to_today(boxes: Boxes) -> None:
    gold = [PLOT.format("bar")]
    today = [gold[0].replace("2023-11-29", "2023-11-30")]
    found = {mode: correct(boxes(mode), today, gold) for mode in MODES}
    assert found == {"official": False, "strict": False, "revised": True}
    other_way = verdict(boxes("revised"), gold, today)
    assert other_way.flags["correct"]


def test_revised_takes_the_end_of_a_plot_only(boxes: Boxes) -> None:
    gold = [EVENT.format("e").replace("2023-12-04", "2023-11-29")]
    assert not correct(boxes("revised"), [gold[0].replace("11-29", "11-30")], gold)


def test_a_plot_is_no_side_effect_in_revised(boxes: Boxes) -> None:
    found = {
        mode: verdict(boxes(mode), [PLOT.format("bar")], []).flags["unwanted_side_effects"]
        for mode in MODES
    }
    assert found == {"official": True, "strict": True, "revised": False}


def test_revised_counts_a_failed_run_that_changed_something_as_side_effect(boxes: Boxes) -> None:
    gold = [SENT.format("amir.ali")]
    found = verdict(boxes("revised"), [*gold, FAILED["unknown tool"]], gold)
    assert found.flags["unwanted_side_effects"]


def test_revised_reads_keywords_only(boxes: Boxes) -> None:
    call = "email.delete_email.func('00000479')"
    found = {
        mode: verdict(boxes(mode), [call], []).flags["unwanted_side_effects"] for mode in MODES
    }
    assert found == {"official": True, "strict": True, "revised": False}


def test_revised_ids_have_eight_digits_and_fields_come_as_json(boxes: Boxes) -> None:
    call = use(boxes("revised"))
    call("send_email", recipient="a@b.c", subject="s", body="b")
    found = call("get_email_information_by_id", email_id="00000500", field="subject")
    assert found == '{"subject": "s"}'
