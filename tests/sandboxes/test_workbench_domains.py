"""The calendar, analytics, project and customer tools of WorkBench: one published rule a test."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sandboxes.workbench import Workbench
from sandboxes.workbench.grade import MODES
from sandboxes.workbench.moments import moment
from sandboxes.workbench.toolkit import MOST_CALLS, MOST_CHARACTERS
from tracer.records import Change, Json

Use = Callable[..., Json]
EVENT = {
    "event_name": "Sync",
    "participant_email": "LENA.SCHMIDT@ATLAS.COM",
    "event_start": "2023-12-04 10:00:00",
    "duration": "30",
}
TASK = {
    "task_name": "T",
    "assigned_to_email": "AMIR.ALI@atlas.com",
    "list_name": "Backlog",
    "due_date": "2023-12-10",
    "board": "Design",
}
CUSTOMER = {"customer_name": "N", "assigned_to_email": "A@B.C", "status": "Lead"}


@pytest.fixture(scope="module")
def worlds(data_dir: Path) -> dict[str, Workbench]:
    return {mode: Workbench("all", mode=mode, data=lambda n: str(data_dir / n)) for mode in MODES}


@pytest.fixture
def box(worlds: dict[str, Workbench]) -> Workbench:
    worlds["official"].reset(next(iter(worlds["official"].tasks())))
    return worlds["official"]


@pytest.fixture
def use(box: Workbench) -> Use:
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    return lambda tool, /, **arguments: tools[tool].run(**arguments)


def without(record: dict[str, str], field: str) -> dict[str, str]:
    return {key: value for key, value in record.items() if key != field}


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("create_event", without(EVENT, "event_name"), "Event name not provided."),
        ("create_event", without(EVENT, "participant_email"), "Participant email not provided."),
        ("create_event", without(EVENT, "event_start"), "Event start not provided."),
        ("create_event", without(EVENT, "duration"), "Event duration not provided."),
        ("update_event", {"event_id": "zz", "field": "a", "new_value": "b"}, "Event not found."),
        ("delete_event", {"event_id": "zz"}, "Event not found."),
        ("search_events", {"query": "zzzz"}, "No events found."),
        ("get_event_information_by_id", {"event_id": "zz", "field": "a"}, "Event not found."),
        ("create_plot", {}, "Start date not provided."),
        ("create_plot", {"time_min": "x"}, "End date not provided."),
        ("create_plot", {"time_min": "x", "time_max": "y"}, "Value to plot must be one of"),
        (
            "create_plot",
            {"time_min": "x", "time_max": "y", "value_to_plot": "total_visits"},
            "Plot type must be one of",
        ),
        ("get_visitor_information_by_id", {}, "Visitor ID not provided."),
        ("get_visitor_information_by_id", {"visitor_id": "zz"}, "Visitor not found."),
        ("create_task", without(TASK, "board"), "Missing task details."),
        (
            "create_task",
            {**TASK, "assigned_to_email": "x@y.z", "list_name": "q"},
            "Assignee email not valid.",
        ),
        ("create_task", {**TASK, "list_name": "backlog", "board": "q"}, "List not valid."),
        ("create_task", {**TASK, "board": "design"}, "Board not valid."),
        (
            "update_task",
            {"task_id": "zz", "field": "board", "new_value": "q"},
            "Board not valid.",
        ),
        ("update_task", {"task_id": "zz", "field": "q", "new_value": "q"}, "Task not found."),
        ("update_task", {"task_id": "00000001", "field": "q", "new_value": "q"}, "Field not valid"),
        ("search_tasks", {}, "No search parameters provided."),
        ("search_customers", {"customer_name": ""}, "No search parameters provided. Please"),
        (
            "update_customer",
            {"customer_id": "zz", "field": "status", "new_value": "won"},
            "Status not valid.",
        ),
        (
            "update_customer",
            {"customer_id": "zz", "field": "q", "new_value": "q"},
            "Customer not found.",
        ),
        (
            "update_customer",
            {"customer_id": "00000001", "field": "q", "new_value": "q"},
            "Field not valid.",
        ),
        ("add_customer", without(CUSTOMER, "status"), "Please provide all required fields"),
    ],
)
def test_what_is_wrong_is_answered_in_words(
    box: Workbench, use: Use, tool: str, arguments: dict[str, Json], answer: str
) -> None:
    fresh = box.state_digest()
    assert use(tool, **arguments).startswith(answer)
    assert box.state_digest() == fresh


def test_new_rows_get_the_largest_id_plus_one(use: Use) -> None:
    assert [use("create_event", **EVENT), use("create_event", **EVENT)] == ["00000300", "00000301"]
    assert use("create_task", **TASK) == "00000300"
    assert use("add_customer", **CUSTOMER) == "00000200"


def test_addresses_are_lowered(box: Workbench, use: Use) -> None:
    use("create_event", **EVENT)
    use("create_task", **TASK)
    use("add_customer", **CUSTOMER, customer_email="X@Y.Z")
    event, task, customer = box.take_changes()
    assert (event.after or {})["participant_email"] == "lena.schmidt@atlas.com"
    assert (task.after or {})["assigned_to_email"] == "amir.ali@atlas.com"
    assert (customer.after or {})["assigned_to_email"] == "a@b.c"
    assert (customer.after or {})["customer_email"] == "x@y.z"


def test_absent_fields_of_a_customer_are_missing_and_notes_are_empty(
    box: Workbench, use: Use
) -> None:
    use("add_customer", **CUSTOMER)
    (change,) = box.take_changes()
    after = change.after or {}
    assert after["notes"] == ""
    assert {key for key, value in after.items() if value is None} == {
        "customer_email",
        "customer_phone",
        "last_contact_date",
        "product_interest",
        "follow_up_by",
    }


def test_empty_fields_of_the_files_are_missing(use: Use) -> None:
    found = use("search_customers", customer_name="Taylor Jackson")
    assert found[0]["customer_phone"] is None


def test_events_are_found_by_pattern_in_name_or_participant_first_five(use: Use) -> None:
    found = use("search_events", query="SYNC|lena")
    assert len(found) == 5
    assert all(
        re.search("sync|lena", event["event_name"] + event["participant_email"], re.IGNORECASE)
        for event in found
    )


def test_events_are_bounded_by_their_start(use: Use) -> None:
    found = use("search_events", time_min="2023-11-30 09:30:00", time_max="2023-11-30 12:30:00")
    assert {event["event_start"][:10] for event in found} == {"2023-11-30"}
    assert "2023-11-30 09:30:00" in {event["event_start"] for event in found}


def test_a_time_that_cannot_be_read_raises(use: Use) -> None:
    for bound in ("soon", "today", "now"):
        with pytest.raises(ValueError, match="cannot be read as a time"):
            use("search_events", time_min=bound)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-11-29", "2023-11-29T00:00:00"),
        ("2023-11-29 10:30", "2023-11-29T10:30:00"),
        ("11/29/2023", "2023-11-29T00:00:00"),
        ("Nov 29, 2023", "2023-11-29T00:00:00"),
        ("2023-11", "2023-11-01T00:00:00"),
    ],
)
def test_times_are_read_in_several_spellings(text: str, iso: str) -> None:
    assert moment(text).isoformat() == iso


def test_tasks_are_found_by_all_patterns_without_a_cap(use: Use) -> None:
    found = use("search_tasks", board="front|back", list_name="BACKLOG")
    assert len(found) > 5
    assert {task["list_name"] for task in found} == {"Backlog"}
    assert use("search_tasks", task_name="zzzz") == []


def test_customers_are_bounded_by_days_first_five(use: Use) -> None:
    found = use(
        "search_customers", last_contact_date_min="2023-11-29", last_contact_date_max="2023-11-30"
    )
    assert len(found) == 5
    assert {one["last_contact_date"] for one in found} <= {"2023-11-29", "2023-11-30"}
    assert use("search_customers", follow_up_by_min="2999-01-01") == []


def test_a_plot_is_a_path(box: Workbench, use: Use) -> None:
    arguments = {"time_min": "a", "time_max": "b"}
    path = use("create_plot", **arguments, value_to_plot="user_engaged", plot_type="line")
    assert path == "plots/a_b_user_engaged_line.png"
    (change,) = box.take_changes()
    assert change == Change("add", "plots", path, after={"file_path": path})


def test_counts_a_day(use: Use) -> None:
    total = use("total_visits_count")
    assert sum(total.values()) == 1000
    assert list(total) == sorted(total)
    sources = ("direct", "referral", "search engine", "social media")
    counts = [use("traffic_source_count", traffic_source=source) for source in sources]
    assert {day: sum(count[day] for count in counts) for day in total} == total
    assert set(use("traffic_source_count", traffic_source="none").values()) == {0}
    engaged = use("engaged_users_count")
    assert engaged.keys() == total.keys()
    assert all(engaged[day] <= total[day] for day in total)


def test_a_change_of_a_field_notes_what_was_there(box: Workbench, use: Use) -> None:
    use("update_task", task_id="00000149", field="list_name", new_value="Completed")
    (change,) = box.take_changes()
    assert change == Change(
        "replace",
        "project_tasks",
        "00000149",
        before={"list_name": "Backlog"},
        after={"list_name": "Completed"},
    )
    use("update_task", task_id="00000149", field="list_name", new_value="Completed")
    assert box.take_changes() == ()


def test_a_number_is_written_as_text(box: Workbench, use: Use) -> None:
    """As the call string of the same call would have it."""
    use("create_event", **{**EVENT, "duration": 30})
    (change,) = box.take_changes()
    assert (change.after or {})["duration"] == "30"


# Changes as data


def random_call(rng: random.Random) -> tuple[str, dict[str, str]]:
    """A writing call that mostly changes something."""
    mail, event, customer = (f"{rng.randrange(last):08d}" for last in (500, 301, 201))
    return rng.choice(
        [
            ("send_email", {"recipient": "a@b.c", "subject": "s", "body": str(rng.random())}),
            ("delete_email", {"email_id": rng.choice([mail, "500", "501"])}),
            ("forward_email", {"email_id": mail, "recipient": "a@b.c"}),
            ("reply_email", {"email_id": mail, "body": "b"}),
            ("create_event", EVENT),
            ("delete_event", {"event_id": event}),
            ("update_event", {"event_id": event, "field": "duration", "new_value": "45"}),
            ("create_task", TASK),
            ("update_task", {"task_id": event, "field": "board", "new_value": "Design"}),
            ("delete_task", {"task_id": event}),
            ("add_customer", CUSTOMER),
            ("update_customer", {"customer_id": customer, "field": "status", "new_value": "Won"}),
            ("delete_customer", {"customer_id": customer}),
        ]
    )


def contents(box: Workbench) -> dict[tuple[str, str], dict[str, Json]]:
    tables = [box._state.table(name) for name in box._originals]
    return {
        (table.spec.name, table.key_of(row)): table.record(row)
        for table in tables
        if table.spec.compared
        for row in table.entries
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(5))
def test_the_changes_make_the_new_state_from_the_old(
    worlds: dict[str, Workbench], mode: str, seed: int
) -> None:
    box = worlds[mode]
    box.reset(next(iter(box.tasks())))
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    rebuilt = contents(box)
    rng = random.Random(seed)
    for _ in range(60):
        digest = box.state_digest()
        name, arguments = random_call(rng)
        tools[name].run(**arguments)
        changes = box.take_changes()
        assert bool(changes) == (box.state_digest() != digest)
        for change in changes:
            place = (change.entity, change.key)
            if change.op == "remove":
                assert rebuilt.pop(place) == change.before
            else:
                old = rebuilt.get(place, {})
                assert {key: old[key] for key in change.before or {}} == (change.before or {})
                rebuilt[place] = {**old, **(change.after or {})}
    assert rebuilt == contents(box)


# Limits


def test_an_argument_that_is_too_long_is_refused(box: Workbench, use: Use) -> None:
    fresh = box.state_digest()
    with pytest.raises(ValueError, match="give at most"):
        use("send_email", recipient="a@b.c", subject="s", body="x" * MOST_CHARACTERS)
    assert box.state_digest() == fresh


def test_an_answer_that_is_too_long_is_refused(use: Use) -> None:
    for _ in range(9):
        use("create_task", **{**TASK, "task_name": "x" * (MOST_CHARACTERS - 100)})
    with pytest.raises(ValueError, match="ask for less"):
        use("search_tasks", list_name="Backlog")


def test_calls_are_counted(use: Use) -> None:
    for _ in range(MOST_CALLS):
        use("delete_email")
    with pytest.raises(ValueError, match="over 1000 calls"):
        use("delete_email")
