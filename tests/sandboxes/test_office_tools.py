"""The tools of the office: what each does to the world, and what none ever does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandboxes.office.calendar_tools import CALENDAR
from sandboxes.office.directory_tools import DIRECTORY
from sandboxes.office.file_tools import FILES
from sandboxes.office.mail_tools import MAIL
from sandboxes.office.state import State
from sandboxes.office.todo_tools import TODOS
from sandboxes.office.tools import SPECS, bind
from sandboxes.office.world import load
from tracer.records import Json

OFFICE = load()
NELL = OFFICE.owner
TOM_Q, TOM_H = "tom.quenby@ottermoss.example", "tom.harbisher@ottermoss.example"
NOTE = {"to": [TOM_Q], "subject": "x", "body": "y"}
MEETING = {"title": "x", "start": "2026-03-02 10:00", "end": "2026-03-02 10:30"}
READS = [spec.name for spec in SPECS if not spec.writes]


def mail(key: str) -> str:
    return OFFICE.mails[key].id


def event(key: str) -> str:
    return OFFICE.events[key]["id"]


def todo(key: str) -> str:
    return OFFICE.todos[key]["id"]


def file(key: str) -> str:
    return OFFICE.files[key]["id"]


class Desk:
    """A state with its tools as methods by name."""

    def __init__(self) -> None:
        self.state = State(OFFICE)
        self.tools = {tool.name: tool for tool in bind(self.state)}

    def __getattr__(self, name: str) -> Callable[..., Json]:
        return self.tools[name].run


@pytest.fixture
def desk() -> Desk:
    return Desk()


def sent(desk: Desk, result: Json) -> Json:
    return desk.read_mail(mail_id=result["id"])


def test_there_are_28_tools_of_which_13_read():
    groups = (MAIL, CALENDAR, DIRECTORY, TODOS, FILES)
    assert tuple(map(len, groups)) == (10, 7, 2, 5, 4)
    assert sum(not spec.writes for spec in SPECS) == 13
    assert len({spec.name for spec in SPECS}) == len(SPECS) == 28


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: s.name)
def test_schemas_are_closed_and_every_argument_is_described(spec):
    assert spec.parameters["additionalProperties"] is False
    assert all(p["description"] for p in spec.parameters["properties"].values())
    json.dumps(spec.parameters)


def test_search_wants_all_words_and_gives_the_newest_first(desk):
    rows = desk.search_mail(query="invoice OM-1191")["mails"]
    assert rows[0]["id"] == mail("s02-15")
    dates = [row["date"] for row in desk.search_mail(query="lamps")["mails"]]
    assert dates == sorted(dates, reverse=True)
    assert desk.search_mail(query="invoice zebra") == {"mails": []}


def test_lists_are_cut_at_the_limit_and_say_so(desk):
    cut = desk.search_mail(query="lamps", limit=3)
    assert len(cut["mails"]) == 3
    assert cut["more"] is True
    assert len(desk.search_mail(query="lamps")["mails"]) == 10
    assert "more" not in desk.search_mail(query="OM-1191", limit=50)


def test_search_filters(desk):
    rows = desk.search_mail(
        query="", from_address=TOM_H, after="2025-12-01", before="2025-12-31", limit=50
    )["mails"]
    assert rows
    assert all(r["from"] == TOM_H and r["date"].startswith("2025-12") for r in rows)
    with_files = desk.search_mail(query="", has_attachment=True, limit=50)["mails"]
    assert all(desk.read_mail(mail_id=r["id"])["attachments"] for r in with_files)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("read_mail", {"mail_id": "m-000000"}, "no mail m-000000"),
        ("read_thread", {"thread_id": "m-000000"}, "no thread"),
        ("read_event", {"event_id": "e-99"}, "no event e-99"),
        ("list_members", {"list_address": "crew@ottermoss.example"}, "no list"),
        ("send_mail", {"to": ["tom"], "subject": "x", "body": "y"}, "bad address"),
        ("send_mail", {"to": [TOM_Q], "subject": " ", "body": "y"}, "empty subject or body"),
        ("send_mail", {"to": [TOM_Q], "subject": "x", "body": ""}, "empty subject or body"),
        ("send_mail", {"to": [], "subject": "x", "body": "y"}, "to"),
        ("send_mail", NOTE | {"attachments": ["f-1"]}, "no file"),
        ("create_event", MEETING | {"end": "2026-03-02 09:00"}, "end before start"),
        ("create_event", MEETING | {"start": "2026-02-26 10:00"}, "in the past"),
        ("create_event", MEETING | {"start": "soon"}, "is no time"),
        ("create_event", MEETING | {"start": "2026-02-30 10:00"}, "is no time"),
        ("create_event", MEETING | {"end": "2027-03-02 10:30"}, "longer than"),
        ("create_todo", {"title": " ", "owner": "p06"}, "empty title"),
        ("create_todo", {"title": "x", "owner": "Tom"}, "no colleague"),
        ("create_todo", {"title": "x", "owner": "x06"}, "no colleague"),
        ("create_todo", {"title": "x", "owner": "p06", "due": "soon"}, "is no day"),
        ("update_todo", {"todo_id": "d-99", "title": "x"}, "no to-do d-99"),
        ("update_todo", {"todo_id": "d-01", "status": "late"}, "late"),
        ("delete_todo", {"todo_id": "d-99"}, "no to-do d-99"),
        ("list_todos", {"owner": "nobody"}, "no colleague"),
        ("read_file", {"file_id": "f-1"}, "no file"),
        ("share_file", {"file_id": "f-1", "addresses": [TOM_Q]}, "no file"),
        ("share_file", {"file_id": file("f-panels-v3"), "addresses": ["tom"]}, "bad address"),
        ("share_file", {"file_id": file("f-panels-v3"), "addresses": []}, "addresses"),
        ("move_file", {"file_id": file("f-panels-v3"), "folder": " / "}, "empty folder"),
        ("move_mail", {"mail_ids": ["m-000000"], "folder": "attic"}, "attic"),
        ("flag_mail", {"mail_ids": ["m-000000"], "flagged": "yes"}, "flagged"),
        ("search_mail", {"query": "x", "shape": "round"}, "shape"),
        ("search_mail", {}, "query"),
        ("search_mail", {"query": "x", "limit": True}, "limit"),
    ],
)  # fmt: skip
def test_errors_are_results_and_change_nothing(desk, name, arguments, text):
    before = desk.state.digest()
    result = desk.tools[name].run(**arguments)
    assert text in result["error"]
    assert desk.state.digest() == before
    assert desk.state.take_changes() == ()


def test_a_sent_mail_is_in_sent_and_found_at_once(desk):
    result = desk.send_mail(to=[TOM_Q], subject="Bench 3", body="Is it free, quixotically?")
    assert result == {"id": "m-n001"}
    row = sent(desk, result)
    assert (row["folder"], row["from"], row["date"]) == ("sent", NELL, OFFICE.clock)
    assert desk.search_mail(query="quixotically")["mails"][0]["id"] == "m-n001"
    assert desk.send_mail(to=[TOM_Q], subject="Again", body="And now?") == {"id": "m-n002"}


def test_equal_calls_give_equal_states():
    digests = set()
    for _ in range(2):
        desk = Desk()
        desk.send_mail(to=[TOM_Q], subject="Bench", body="Free?")
        desk.cancel_event(event_id=event("e-open-0305"))
        digests.add(desk.state.digest())
    assert len(digests) == 1


def test_a_reply_goes_to_the_sender_without_attachments(desk):
    row = sent(desk, desk.reply_mail(mail_id=mail("s01-12"), body="Thank you."))
    assert row["to"] == ["beatrix.hollowmay@corvane-library.example"]
    assert row["cc"] == []
    assert row["attachments"] == []
    assert row["answers"] == mail("s01-12")
    assert row["thread"] == OFFICE.mails["s01-12"].thread


def test_a_reply_to_all_reaches_everybody_but_nell(desk):
    row = sent(desk, desk.reply_mail(mail_id=mail("s01-12"), body="Thanks.", reply_all=True))
    assert TOM_H in row["cc"]
    assert NELL not in row["cc"]


def test_a_forward_carries_text_and_attachments(desk):
    row = sent(desk, desk.forward_mail(mail_id=mail("s02-15"), to=[TOM_H]))
    assert row["forwards"] == mail("s02-15")
    assert OFFICE.mails["s02-15"].body in row["quoted"]
    assert [f["name"] for f in row["attachments"]] == ["om-1191.pdf"]


def test_a_known_file_can_be_attached(desk):
    file = desk.read_mail(mail_id=mail("s05-22"))["attachments"][0]
    result = desk.send_mail(to=[TOM_Q], subject="x", body="y", attachments=[file["id"]])
    assert sent(desk, result)["attachments"] == [file]


def test_deleting_with_one_unknown_id_deletes_nothing(desk):
    before = desk.state.digest()
    assert "error" in desk.delete_mail(mail_ids=[mail("s01-01"), "m-000000"])
    assert desk.state.digest() == before


def test_a_deleted_mail_is_searched_only_in_the_bin_and_can_come_back(desk):
    before = desk.state.digest()
    gone = mail("s02-15")
    assert desk.delete_mail(mail_ids=[gone]) == {"deleted": 1}
    assert gone not in [r["id"] for r in desk.search_mail(query="OM-1191")["mails"]]
    assert gone in [r["id"] for r in desk.search_mail(query="OM-1191", folder="bin")["mails"]]
    desk.move_mail(mail_ids=[gone], folder="inbox")
    assert desk.state.digest() == before
    assert desk.state.difference() == ()


def test_moving_the_start_keeps_the_duration(desk):
    desk.update_event(event_id=event("e-ops-0304"), start="2026-03-04 11:00")
    row = desk.read_event(event_id=event("e-ops-0304"))
    assert (row["start"], row["end"]) == ("2026-03-04 11:00", "2026-03-04 11:45")


def test_a_series_changes_from_the_named_event_on(desk):
    desk.update_event(event_id=event("e-ops-0311"), start="2026-03-11 10:30", scope="series")
    starts = [
        desk.read_event(event_id=event(f"e-ops-{d}"))["start"] for d in ("0304", "0311", "0318")
    ]
    assert starts == ["2026-03-04 09:30", "2026-03-11 10:30", "2026-03-18 10:30"]


def test_attendees_replace_the_list(desk):
    desk.update_event(event_id=event("e-fair"), attendees=[TOM_Q])
    assert desk.read_event(event_id=event("e-fair"))["attendees"] == [TOM_Q]


def test_a_cancelled_event_stays_and_frees_its_room(desk):
    wanted = {"title": "x", "start": "2026-03-05 10:00", "end": "2026-03-05 10:30"}
    assert "room taken" in desk.create_event(**wanted, location="Wren")["error"]
    assert desk.cancel_event(event_id=event("e-open-0305")) == {"cancelled": 1}
    assert desk.read_event(event_id=event("e-open-0305"))["status"] == "cancelled"
    assert desk.create_event(**wanted, location="Wren") == {"id": "e-65"}
    assert "already" in desk.cancel_event(event_id=event("e-open-0305"))["error"]


def test_only_rooms_can_be_taken_and_other_names_of_rooms_are_known(desk):
    wanted = {"title": "x", "start": "2026-03-05 10:00", "end": "2026-03-05 10:30"}
    assert "error" in desk.create_event(**wanted, location="the small meeting room")
    assert "id" in desk.create_event(**wanted, location="Workshop")
    assert "id" in desk.create_event(**wanted, location="Workshop")


def test_inviting_sends_no_mail(desk):
    desk.create_event(
        title="x", start="2026-03-05 15:00", end="2026-03-05 15:30", attendees=[TOM_Q]
    )
    assert [c.entity for c in desk.state.take_changes()] == ["event"]


def test_free_time_is_free_on_weekdays_between_eight_and_six(desk):
    dilip = "dilip.overwater@ottermoss.example"
    slots = desk.find_free_time(
        attendees=[dilip], start="2026-03-05 12:00", end="2026-03-09 18:00", minutes=60
    )["slots"]
    assert slots[0] == {"start": "2026-03-05 13:45", "end": "2026-03-05 14:45"}
    assert len(slots) == 5
    assert all(s["start"][11:] >= "08:00" and s["end"][11:] <= "18:00" for s in slots)


def test_todos_are_listed_by_the_day_they_are_due(desk):
    rows = desk.list_todos(limit=50)["todos"]
    assert len(rows) == 44
    assert [row["due"] for row in rows] == sorted(row["due"] for row in rows)
    assert desk.list_todos(limit=3)["more"] is True


@pytest.mark.parametrize("who", ["p10", "bastian.oll@ottermoss.example", "Bastian Oll"])
def test_todos_are_filtered_by_owner_status_and_day(desk, who):
    rows = desk.list_todos(owner=who, status="open", due_before="2026-03-06")["todos"]
    assert [row["id"] for row in rows] == [todo("d-instalment-two")]


def test_a_new_todo_is_open_and_its_owner_an_id(desk):
    assert desk.create_todo(title="x", owner=TOM_Q, due="2026-03-05 09:00") == {"id": "d-45"}
    row = desk.list_todos(owner="p06", due_before="2026-03-06")["todos"][0]
    assert (row["owner"], row["due"], row["status"]) == ("p06", "2026-03-05", "open")


def test_a_todo_is_completed_once(desk):
    key = todo("d-islands")
    assert desk.complete_todo(todo_id=key) == {"id": key, "status": "done"}
    assert "already done" in desk.complete_todo(todo_id=key)["error"]
    desk.update_todo(todo_id=key, status="open")
    assert desk.state.difference() == ()


def test_a_deleted_todo_is_gone_and_its_number_is_not_given_again(desk):
    assert desk.create_todo(title="x", owner="p06") == {"id": "d-45"}
    assert desk.delete_todo(todo_id="d-45") == {"deleted": 1}
    assert "no to-do" in desk.complete_todo(todo_id="d-45")["error"]
    assert desk.create_todo(title="y", owner="p06") == {"id": "d-46"}
    assert desk.delete_todo(todo_id=todo("d-islands")) == {"deleted": 1}
    kinds = {(change.op, change.key) for change in desk.state.difference()}
    assert kinds == {("add", "d-46"), ("remove", todo("d-islands"))}


def test_changes_are_told_from_a_snapshot_on(desk):
    desk.create_todo(title="x", owner="p06")
    desk.delete_todo(todo_id=todo("d-islands"))
    since = desk.state.snapshot()
    desk.update_todo(todo_id="d-45", due="2026-03-05")
    (change,) = desk.state.difference(since)
    assert (change.op, change.key, change.after) == ("replace", "d-45", {"due": "2026-03-05"})
    desk.state.reset()
    back = {(change.op, change.key) for change in desk.state.difference(since)}
    assert back == {("remove", "d-45"), ("add", todo("d-islands"))}


def test_files_are_searched_by_name_folder_owner_and_first_lines(desk):
    assert [f["name"] for f in desk.search_files(query="panels-v3")["files"]] == ["panels-v3.pdf"]
    names = {f["name"] for f in desk.search_files(query="plate museum")["files"]}
    assert names == {"plate-drawing.pdf", "plate-drawing-v2.pdf"}
    inside = desk.search_files(query="", folder="orders", limit=50)["files"]
    assert inside
    assert all(f["folder"].startswith("orders/") for f in inside)
    assert desk.search_files(query="zebra") == {"files": []}


def test_a_file_is_shared_once_and_keeps_who_had_it(desk):
    key = file("f-panels-v3")
    before = desk.read_file(file_id=key)["shared_with"]
    assert desk.share_file(file_id=key, addresses=[TOM_Q, before[0]]) == {
        "id": key,
        "added": [TOM_Q],
    }
    assert desk.read_file(file_id=key)["shared_with"] == [*before, TOM_Q]
    assert "already shared" in desk.share_file(file_id=key, addresses=[TOM_Q])["error"]


def test_a_file_moves_to_another_folder(desk):
    moved = desk.move_file(file_id=file("f-cr-4"), folder="/shop/declined/")
    assert moved["folder"] == desk.read_file(file_id=file("f-cr-4"))["folder"] == "shop/declined"


def test_tom_gives_both_toms(desk):
    found = desk.find_people(query="Tom")["people"]
    assert {p["email"] for p in found} == {TOM_Q, TOM_H}


def test_members_of_the_workshop_list(desk):
    members = desk.list_members(list_address="workshop@ottermoss.example")["members"]
    assert [m.split("@")[0] for m in members] == ["tom.quenby", "joris.eekmoor", "ruben.ashgarth"]


def test_reset_restores_the_world_whole(desk):
    before = desk.state.digest()
    desk.delete_mail(mail_ids=[mail("s01-01")])
    desk.cancel_event(event_id=event("e-fair"))
    desk.send_mail(to=[TOM_Q], subject="x", body="y")
    assert desk.state.digest() != before
    desk.state.reset()
    assert desk.state.digest() == before
    assert desk.state.difference() == desk.state.take_changes() == ()


def test_two_states_stand_side_by_side():
    one, other = Desk(), Desk()
    before = other.state.digest()
    one.delete_mail(mail_ids=[mail("s01-01")])
    assert other.state.digest() == before


def test_results_are_copies(desk):
    before = desk.state.digest()
    row = desk.read_mail(mail_id=mail("s01-12"))
    row["to"].append("mallory@nowhere.example")
    row["folder"] = "bin"
    assert desk.state.digest() == before
    assert "mallory@nowhere.example" not in desk.read_mail(mail_id=mail("s01-12"))["to"]


WORDS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["m-n001", mail("s01-12"), event("e-fair"), NELL, "sales@ottermoss.example", "bin",
         "../../etc/passwd", "'; drop table mail; --", "\x00", "\ud800", "2026-03-05 10:00",
         "9999-12-31 23:59", "0001-01-01 00:00", "series", "Wren", "{}", "%s%n"]
    ),
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(WORDS, st.booleans(), st.integers(), st.none(), st.floats()),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@st.composite
def hostile_calls(draw):
    spec = draw(st.sampled_from(SPECS))
    names = list(spec.parameters["properties"])
    chosen = draw(st.lists(st.sampled_from([*names, "self", "state", "__class__"]), unique=True))
    required = [n for n in spec.parameters["required"] if draw(st.integers(0, 9))]
    return spec.name, {name: draw(VALUES) for name in {*chosen, *required}}


_watched: list[str] = []
_watching = False


def _hook(name: str, arguments: object) -> None:
    if _watching and name.split(".")[0] in (
        "open",
        "os",
        "socket",
        "subprocess",
        "exec",
        "compile",
    ):
        _watched.append(f"{name} {arguments!r}")


sys.addaudithook(_hook)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(hostile_calls(), max_size=4))
def test_hostile_arguments_never_raise_and_reach_nothing_outside(calls):
    global _watching
    desk = Desk()
    desk.search_mail()  # builds the validators, which may read files once
    for name, arguments in calls:
        before = desk.state.digest()
        _watched.clear()
        _watching = True
        try:
            result = desk.tools[name].run(**arguments)
        finally:
            _watching = False
        assert _watched == []
        json.dumps(result)
        if name in READS or "error" in result:
            assert desk.state.digest() == before
    desk.state.reset()
    assert desk.state.digest() == State(OFFICE).digest()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(sorted(OFFICE.mails)), min_size=1, max_size=5, unique=True))
def test_changes_tell_the_difference_from_the_untouched_world(keys):
    desk = Desk()
    desk.delete_mail(mail_ids=[mail(key) for key in keys])
    assert {c.key for c in desk.state.difference()} == {mail(key) for key in keys}
    assert all(c.after == {"folder": "bin"} for c in desk.state.difference())
    desk.state.take_changes()
    assert desk.state.take_changes() == ()
