"""WorkBench over its real files: one published rule a test."""

from __future__ import annotations

import csv
import inspect
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.base import SANDBOXES
from sandboxes.workbench import BRIEFING, Workbench
from sandboxes.workbench.calls import call_string, parse, replace_newlines, tool_of
from sandboxes.workbench.grade import Verdict, grade_calls
from sandboxes.workbench.patterns import compiled
from sandboxes.workbench.tasks import protected_literals
from sandboxes.workbench.toolkit import tool_specs, writing_tools
from tests.conformance.cases import read_json, read_lines
from tracer.errors import DataMissingError, InputError, UnknownNameError
from tracer.records import Call, GoldCall, Json, Outcome, Request, Task, Trace

LIMIT = "Agent stopped due to iteration limit or time limit."


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "workbench"


@pytest.fixture(scope="module")
def box(folder: Path) -> Workbench:
    return Workbench("email", data=lambda name: str(folder))


@pytest.fixture(scope="module")
def tasks(box: Workbench) -> list[Task]:
    return list(box.tasks())


@pytest.fixture
def use(box: Workbench, tasks: list[Task]):
    """Call a tool on fresh tables: `use("send_email", recipient=...)`."""
    box.reset(tasks[0])
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    return lambda tool, /, **arguments: tools[tool].run(**arguments)


def verdict(box: Workbench, predicted: list[str], gold: list[str], error: str = "") -> Verdict:
    return grade_calls(predicted, gold, error, box._originals)


def true_flags(box: Workbench, task: Task, predicted: list[str], error: str = "") -> frozenset[str]:
    flags = verdict(box, predicted, task.detail["gold"], error).flags
    return frozenset(name for name, value in flags.items() if value)


def trace_of(task: Task, calls: list[Call], **fields: Json) -> Trace:
    request = Request(task.item, task.text, suite=task.suite)
    return Trace("0" * 32, request, calls=tuple(calls), **fields)


def calls_of(texts: list[str]) -> list[Call]:
    """Call strings as calls of a trace."""
    calls = []
    for text in texts:
        read = parse(replace_newlines(text))
        calls.append(
            Call(tool_of(text), None, status="malformed", error="unreadable", raw=text)
            if read is None
            else Call(read.name, read.keywords)
        )
    return calls


# Tasks


def test_the_email_part_has_ninety_tasks_in_nine_clusters_of_ten(tasks: list[Task]) -> None:
    assert len(tasks) == 90
    assert set(Counter(task.cluster for task in tasks).values()) == {10}
    assert (tasks[0].item, tasks[-1].item) == ("workbench-email-00", "workbench-email-89")


def test_gold_calls_are_counted_as_published(tasks: list[Task]) -> None:
    names = Counter(call.name for task in tasks for call in task.calls or ())
    assert names == {
        "email.forward_email": 51,
        "email.delete_email": 29,
        "email.reply_email": 20,
        "email.send_email": 10,
    }
    assert Counter(task.groups["gold_length"] for task in tasks) == {
        "0": 1,
        "1": 74,
        "2": 12,
        "3": 2,
        "6": 1,
    }


def test_every_protected_literal_stands_in_the_request(tasks: list[Task]) -> None:
    for task in tasks:
        assert task.protected, task.item
        assert all(literal in task.text for literal in task.protected)


def test_names_subjects_and_numbers_are_protected(tasks: list[Task]) -> None:
    assert tasks[10].protected == ("yuki", "3")
    assert tasks[70].protected == ("Update on feedback discussion", "amir", "akira")
    assert tasks[80].protected == ("sofia", "Got it, thank you!")


def test_a_body_is_protected_in_the_spelling_of_the_request(tasks: list[Task]) -> None:
    body = (tasks[20].calls or ())[0].arguments["body"]
    assert "\n" in body
    assert body.replace("\n", "\\n") in tasks[20].protected


def test_addresses_and_days_are_protected() -> None:
    call = GoldCall("x", {"when": "2023-11-29 10:00:00"})
    query = "Write to Ana@b.co before 2023-11-29 10:00:00 or Friday, ask ana for 12.5"
    assert protected_literals(query, [call], ["ana"]) == [
        "Ana@b.co",
        "2023-11-29 10:00:00",
        "Friday",
        "ana",
        "12.5",
    ]


# The sandbox


def test_it_is_filed_under_its_name(folder: Path) -> None:
    sandbox = SANDBOXES.get("workbench")("email", mode=None, data=lambda name: str(folder))
    assert (sandbox.name, sandbox.mode) == ("workbench:email", "official")
    assert sandbox.data_version == "v1 (2024-07-23, 42f1b6d)"
    assert len(sandbox.schema_hash) == 64


def test_the_briefing_says_who_and_when() -> None:
    assert all(word in BRIEFING for word in ("Sam", "Thursday", "2023-11-30", "00:00:00"))


def test_an_unknown_part_is_answered_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'email'"):
        Workbench("emails", data=lambda name: str(folder))


def test_an_unknown_mode_names_the_modes(folder: Path) -> None:
    with pytest.raises(InputError, match="official, strict, revised"):
        Workbench("email", mode="nonsense", data=lambda name: str(folder))


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="STAGETRACE_DATA"):
        Workbench("email", data=lambda name: str(tmp_path / "nowhere"))


def copied(folder: Path, target: Path) -> Path:
    """The data folder, copied so that one file can be spoiled."""
    shutil.copytree(folder, target / "workbench")
    return target / "workbench"


def test_an_absent_file_is_named(tmp_path: Path, folder: Path) -> None:
    spoiled = copied(folder, tmp_path)
    (spoiled / "raw/email_addresses.csv").unlink()
    with pytest.raises(DataMissingError, match=r"email_addresses\.csv.*missing; copy the files"):
        Workbench("email", data=lambda name: str(spoiled))


def test_wrong_columns_are_named(tmp_path: Path, folder: Path) -> None:
    spoiled = copied(folder, tmp_path)
    (spoiled / "sandbox/emails.csv").write_text("id,text\n1,hello\n")
    with pytest.raises(DataMissingError, match=r"emails\.csv: columns \['id', 'text'\]"):
        Workbench("email", data=lambda name: str(spoiled))


@pytest.mark.parametrize(
    ("answer", "domains"),
    [
        ("['email.fly.func()']", "['email']"),
        ("[1]", "['email']"),
        ("[]", "['mail']"),
        ("[", "['email']"),
    ],
)
def test_an_unreadable_answer_is_named(
    tmp_path: Path, folder: Path, answer: str, domains: str
) -> None:
    spoiled = copied(folder, tmp_path)
    path = spoiled / "queries_and_answers/email_queries_and_answers.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ["query", "answer", "base_template", "chosen_template", "domains"],
                ["q", answer, "", "", domains],
            ]
        )
    with pytest.raises(DataMissingError, match="row 0 cannot be read"):
        list(Workbench("email", data=lambda name: str(spoiled)).tasks())


def test_a_reset_restores_the_state_in_under_a_millisecond(box: Workbench, use) -> None:
    fresh = box.state_digest()
    use("send_email", recipient="a@b.c", subject="s", body="b")
    assert box.state_digest() != fresh
    started = time.perf_counter()
    for _ in range(100):
        box.reset(next(iter(box.tasks())))
    assert (time.perf_counter() - started) / 100 < 0.001
    assert box.state_digest() == fresh
    assert box.take_changes() == ()


def test_two_sandboxes_stand_side_by_side(box: Workbench, use, folder: Path) -> None:
    other = Workbench("email", data=lambda name: str(folder))
    use("delete_email", email_id="00000479")
    assert box.state_digest() != other.state_digest()


def test_changes_are_row_diffs_and_are_taken_once(box: Workbench, use) -> None:
    use("delete_email", email_id="00000479")
    use("send_email", recipient="A@B.C", subject="s", body="b")
    removed, overwritten, added = box.take_changes()
    assert (removed.op, removed.key) == ("remove", "00000479")
    assert (overwritten.op, overwritten.key) == ("remove", "00000436")
    assert added.after == {
        "email_id": "500",
        "inbox/outbox": "outbox",
        "sender/recipient": "a@b.c",
        "subject": "s",
        "sent_datetime": "2023-11-30 00:00:00",
        "body": "b",
    }
    assert box.take_changes() == ()


def test_sending_and_deleting_the_sent_mail_gives_the_first_digest(box: Workbench, use) -> None:
    fresh = box.state_digest()
    use("send_email", recipient="a@b.c", subject="s", body="b")
    use("delete_email", email_id="500")
    assert box.state_digest() == fresh


# Tools


@pytest.mark.parametrize("name", sorted(tool_specs()))
def test_the_schema_names_the_parameters_of_the_function(name: str) -> None:
    spec = tool_specs()[name]
    assert (
        list(spec.parameters["properties"]) == list(inspect.signature(spec.function).parameters)[1:]
    )


def test_there_are_27_tools_and_14_write() -> None:
    assert (len(tool_specs()), len(writing_tools())) == (27, 14)


def test_tools_and_parameters_are_those_of_the_benchmark(folder: Path) -> None:
    """Order of parameters too: published strings hold arguments without a name."""
    published = read_json(folder / "tool_schemas.json")["tools"]
    assert {tool["name"]: (list(tool["parameters"]), tool["is_action"]) for tool in published} == {
        name: (list(spec.parameters["properties"]), spec.writes)
        for name, spec in tool_specs().items()
    }


@pytest.mark.parametrize("name", sorted(set(tool_specs()) - writing_tools()))
def test_a_reading_tool_changes_nothing(box: Workbench, use, name: str) -> None:
    fresh = box.state_digest()
    use(name.split(".")[1])
    assert box.state_digest() == fresh
    assert box.take_changes() == ()


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("send_email", {}, "Recipient, subject, or body not provided."),
        ("send_email", {"recipient": "a", "subject": "s", "body": ""}, "Recipient, subject, or"),
        ("send_email", {"recipient": "ab.c", "subject": "s", "body": "b"}, "Invalid recipient"),
        ("forward_email", {"email_id": "00000001"}, "Email ID or recipient not provided."),
        ("forward_email", {"email_id": "zz", "recipient": "a"}, "Email not found."),
        ("forward_email", {"email_id": "00000001", "recipient": "a"}, "Invalid recipient"),
        ("reply_email", {"email_id": "00000001"}, "Email ID or body not provided."),
        ("reply_email", {"email_id": "zz", "body": "b"}, "Email not found."),
        ("delete_email", {}, "Email ID not provided."),
        ("delete_email", {"email_id": 479}, "Email not found."),
        ("get_email_information_by_id", {}, "Email ID not provided."),
        ("get_email_information_by_id", {"email_id": "00000010"}, "Field not provided."),
        (
            "get_email_information_by_id",
            {"email_id": "00000010", "field": "sender"},
            "Field not found.",
        ),
        (
            "get_email_information_by_id",
            {"email_id": "zz", "field": "sender"},
            "Email not found.",
        ),
        ("search_emails", {"query": "zzzz"}, "No emails found."),
        ("find_email_address", {}, "Name not provided."),
    ],
)
def test_what_is_wrong_is_answered_in_words(
    use, tool: str, arguments: dict[str, Json], answer: str
) -> None:
    assert use(tool, **arguments).startswith(answer)


def test_a_search_gives_the_five_newest_first(use) -> None:
    found = use("search_emails")
    times = [mail["sent_datetime"] for mail in found]
    assert len(found) == 5
    assert times == sorted(times, reverse=True)
    assert found[0]["email_id"] == "00000436"


def test_a_search_takes_whole_days_inclusive(use) -> None:
    found = use("search_emails", date_min="2023-11-29", date_max="2023-11-29 00:00:00")
    assert {mail["sent_datetime"][:10] for mail in found} == {"2023-11-29"}
    assert found == use("search_emails", date_min="November 29, 2023", date_max="2023/11/29")


def test_a_day_that_cannot_be_read_raises(use) -> None:
    with pytest.raises(ValueError, match="write YYYY-MM-DD"):
        use("search_emails", date_min="soon")


def test_a_null_query_raises(use) -> None:
    with pytest.raises(TypeError):
        use("search_emails", query=None)


def test_a_search_that_mixes_sent_and_stored_mails_raises(use) -> None:
    use("send_email", recipient="a@b.c", subject="Update", body="b")
    with pytest.raises(TypeError):
        use("search_emails", query="update")


def test_a_search_that_finds_only_sent_mails_shows_their_time_as_text(use) -> None:
    use("send_email", recipient="a@b.c", subject="zzq", body="b")
    use("send_email", recipient="d@b.c", subject="zzq", body="b")
    found = use("search_emails", query="zzq")
    assert [mail["sent_datetime"] for mail in found] == ["2023-11-30 00:00:00"] * 2


def test_new_ids_have_no_leading_zeros(use) -> None:
    for expected in ("500", "501"):
        use("send_email", recipient="a@b.c", subject="s", body="b")
        answer = use("get_email_information_by_id", email_id=expected, field="email_id")
        assert answer == {"email_id": expected}


def test_a_send_after_a_deletion_overwrites_the_last_row(use) -> None:
    use("delete_email", email_id="00000479")
    use("send_email", recipient="a@b.c", subject="s", body="b")
    answer = use("get_email_information_by_id", email_id="00000436", field="subject")
    assert answer == "Email not found."


def test_a_forward_marks_the_subject_and_a_reply_does_not(use) -> None:
    use("forward_email", email_id="00000010", recipient="A@B.C")
    use("reply_email", email_id="00000010", body="thanks")
    subject = use("get_email_information_by_id", email_id="00000010", field="subject")["subject"]
    read = [
        use("get_email_information_by_id", email_id=key, field="subject")["subject"]
        for key in ("500", "501")
    ]
    assert read == [f"FW: {subject}", subject]


def test_an_array_of_ids_raises(use) -> None:
    with pytest.raises(ValueError, match="one id"):
        use("delete_email", email_id=["00000001", "00000002"])


def test_the_directory_takes_a_pattern(use) -> None:
    assert use("find_email_address", name="PATEL") == [
        "anaya.patel@atlas.com",
        "raj.patel@atlas.com",
    ]
    assert len(use("find_email_address", name="^a.*@")) == 4
    assert use("find_email_address", name="nobody") == []


@pytest.mark.parametrize("pattern", ["(a+)+$", "((a|b)*c?){9}", "a?" * 20 + "a" * 20, "a" * 2000])
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(Exception, match="pattern"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", ["a.*b", "(ab)+", "[(+*]+", r"\(\+\)+", "[[a]"])
def test_a_plain_pattern_is_not_refused(pattern: str) -> None:
    compiled(pattern)


# Call strings


def test_values_are_quoted_without_escaping() -> None:
    text = call_string("email.send_email", {"recipient": "a", "body": 'say "x"', "n": 5})
    assert text == 'email.send_email.func(recipient="a", body="say "x"", n="5")'
    assert parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "email.delete_email",
        'email.delete_email(email_id="1")',
        "email.delete_email.func(email_id=x)",
        "email.delete_email.func(**{'a': 1})",
        "email.delete_email.func(*['a'])",
        "email.delete_email.func(f'{1}')",
        "[email.delete_email.func()][0]",
        "email.delete_email.func(",
        "email.delete_email.func('\0')",
        "email.delete_email.func({[]: 1})",
        "(" * 5000,
        "-" * 100_000,
        "__import__('os').system('true')",
    ],
)
def test_what_is_no_call_with_literals_is_not_read(text: str) -> None:
    assert parse(text) is None


@given(
    st.dictionaries(
        st.sampled_from(["email_id", "body", "recipient"]),
        st.text().filter(lambda text: not set(text) & set('"\\\r\0') and text.isprintable()),
    )
)
def test_writing_down_and_reading_gives_the_arguments_back(arguments: dict[str, str]) -> None:
    read = parse(call_string("email.send_email", arguments))
    assert read is not None
    assert (read.name, read.keywords, read.positional) == ("email.send_email", arguments, ())


@given(st.text())
def test_any_text_is_read_or_refused_quietly(text: str) -> None:
    parse(text)
    parse(f"email.send_email.func({text})")


def test_escapes_are_read_as_python_reads_them() -> None:
    read = parse(replace_newlines('email.send_email.func(body="a\nb\\tc\\d")'))
    assert read is not None
    assert read.keywords == {"body": "a\nb\tc\\d"}


# Grading: the worked examples


def test_gold_calls_are_correct_for_every_task(box: Workbench, tasks: list[Task]) -> None:
    for task in tasks:
        found = true_flags(box, task, task.detail["gold"])
        assert found == {"correct", "exact_match"} | ({"no_actions"} if not task.calls else set())


def test_two_forwards_in_the_other_order_are_wrong(box: Workbench, tasks: list[Task]) -> None:
    gold = tasks[70].detail["gold"]
    assert true_flags(box, tasks[70], gold[::-1]) == {"unwanted_side_effects", "exact_match"}


def test_a_partly_done_job_is_a_side_effect(box: Workbench, tasks: list[Task]) -> None:
    assert true_flags(box, tasks[70], tasks[70].detail["gold"][:1]) == {"unwanted_side_effects"}


def test_a_forward_made_twice_is_wrong(box: Workbench, tasks: list[Task]) -> None:
    gold = tasks[70].detail["gold"]
    assert true_flags(box, tasks[70], [*gold, gold[-1]]) == {"unwanted_side_effects"}


def test_a_deletion_made_twice_is_correct(box: Workbench, tasks: list[Task]) -> None:
    assert true_flags(box, tasks[0], tasks[0].detail["gold"] * 2) == {"correct"}


def test_a_recipient_in_capitals_is_correct(box: Workbench, tasks: list[Task]) -> None:
    upper = [
        text.replace("akira.sato@atlas.com", "AKIRA.SATO@ATLAS.COM")
        for text in tasks[70].detail["gold"]
    ]
    assert true_flags(box, tasks[70], upper) == {"correct", "exact_match"}


def test_a_broken_call_is_passed_over(box: Workbench, tasks: list[Task]) -> None:
    broken = 'email.send_email.func(recipient="a@b.c", subject="s", body="say "x"")'
    assert true_flags(box, tasks[70], [*tasks[70].detail["gold"], broken]) == {"correct"}


def test_an_error_makes_it_wrong_without_side_effect(box: Workbench, tasks: list[Task]) -> None:
    assert true_flags(box, tasks[70], tasks[70].detail["gold"], LIMIT) == {"exact_match"}


SENT = 'email.send_email.func(recipient="a@b.c", subject="s", body="b")'
UNSENT = 'email.delete_email.func(email_id="500")'


def test_a_sent_and_deleted_mail_shows_where_gold_sends(box: Workbench, tasks: list[Task]) -> None:
    after_gold = [*tasks[70].detail["gold"], SENT, UNSENT]
    assert "correct" not in true_flags(box, tasks[70], after_gold)
    assert true_flags(box, tasks[10], [SENT, UNSENT]) == {"correct"}


def test_doing_nothing_is_right_where_nothing_is_wanted(box: Workbench, tasks: list[Task]) -> None:
    assert true_flags(box, tasks[10], []) == {"correct", "exact_match", "no_actions"}
    assert true_flags(box, tasks[10], ['email.delete_email.func(email_id="zz")']) == {"correct"}
    assert true_flags(box, tasks[10], [SENT]) == {"unwanted_side_effects"}


def test_deletions_in_reverse_are_correct(box: Workbench, tasks: list[Task]) -> None:
    gold = tasks[12].detail["gold"]
    assert len(gold) == 3
    assert "correct" in true_flags(box, tasks[12], gold[::-1])


def test_a_day_slip_is_named(box: Workbench) -> None:
    gold = ['analytics.create_plot.func(time_max="2023-11-29")']
    flags = verdict(box, [gold[0].replace("29", "30")], gold, "error").flags
    assert flags["end_date_minor_error"]
    assert not flags["meeting_start_time_error"]


def test_a_start_slip_is_named(box: Workbench) -> None:
    gold = ['calendar.create_event.func(event_start="2023-12-01 13:00:00")']
    flags = verdict(box, [gold[0].replace("13:00", "09:00")], gold, "error").flags
    assert flags["meeting_start_time_error"]


# Grading a trace


def graded(box: Workbench, task: Task, calls: list[Call], **fields: Json) -> Outcome:
    return box.grade(task, trace_of(task, calls, **fields))


def test_a_trace_of_the_gold_calls_succeeds(box: Workbench, tasks: list[Task]) -> None:
    for task in tasks:
        calls = [Call(call.name, call.arguments) for call in task.calls or ()]
        outcome = graded(box, task, calls)
        assert outcome.success
        assert (outcome.unwanted_side_effect, outcome.failed_to_act) == (False, False)
        assert not outcome.errored
        assert outcome.state_after == outcome.state_expected
        assert [call.matched for call in outcome.calls] == list(range(len(calls)))
        assert outcome.gold_scope == "writes"


def test_grading_ignores_the_present_state(box: Workbench, tasks: list[Task], use) -> None:
    calls = calls_of(tasks[0].detail["gold"])
    before = graded(box, tasks[0], calls)
    use("delete_email", email_id="00000479")
    digest = box.state_digest()
    assert graded(box, tasks[0], calls) == before
    assert box.state_digest() == digest


def test_state_digests_are_those_of_the_live_world(box: Workbench, tasks: list[Task], use) -> None:
    outcome = graded(box, tasks[0], calls_of(tasks[0].detail["gold"]))
    assert outcome.state_before == box.state_digest()
    use("delete_email", email_id="00000479")
    assert outcome.state_after == box.state_digest()


def test_only_reading_fails_to_act(box: Workbench, tasks: list[Task]) -> None:
    outcome = graded(box, tasks[0], [Call("email.search_emails", {"query": "nadia"})])
    assert outcome.failed_to_act
    assert not outcome.unwanted_side_effect
    assert [(call.kind, call.counted) for call in outcome.calls] == [("read", False)]


def test_doing_nothing_where_nothing_is_wanted_is_no_failure_to_act(
    box: Workbench, tasks: list[Task]
) -> None:
    assert graded(box, tasks[10], []).failed_to_act is False


def test_each_gold_call_is_served_once(box: Workbench, tasks: list[Task]) -> None:
    gold = calls_of(tasks[0].detail["gold"])
    outcome = graded(box, tasks[0], gold * 2)
    assert [call.matched for call in outcome.calls] == [0, None]


def test_matching_lets_case_and_order_pass(box: Workbench, tasks: list[Task]) -> None:
    first, second = tasks[70].calls or ()
    upper = {key: value.upper() for key, value in second.arguments.items()}
    outcome = graded(box, tasks[70], [Call(second.name, upper), Call(first.name, first.arguments)])
    assert [call.matched for call in outcome.calls] == [1, 0]
    assert outcome.success is False


def test_both_spellings_of_a_line_break_match(box: Workbench, tasks: list[Task]) -> None:
    (gold,) = tasks[20].calls or ()
    literal = {key: value.replace("\n", "\\n") for key, value in gold.arguments.items()}
    for arguments in (literal, gold.arguments):
        outcome = graded(box, tasks[20], [Call(gold.name, arguments)])
        assert outcome.success
        assert outcome.calls[0].matched == 0


def test_a_failed_call_serves_no_gold_call(box: Workbench, tasks: list[Task]) -> None:
    (gold,) = tasks[0].calls or ()
    failed = Call(gold.name, gold.arguments, error="boom", status="error")
    outcome = graded(box, tasks[0], [failed])
    assert outcome.calls[0].failed
    assert outcome.calls[0].matched is None


def test_malformed_and_unknown_calls_are_told_apart(box: Workbench, tasks: list[Task]) -> None:
    malformed = Call("email.delete_email", None, status="malformed", raw="email.delete_email.func(")
    unknown = Call("email.archive_email", {"email_id": "1"}, error="no such tool", status="error")
    outcome = graded(box, tasks[0], [malformed, unknown])
    assert [(c.kind, c.failed, c.counted) for c in outcome.calls] == [
        ("write", True, True),
        ("unknown", True, False),
    ]
    assert outcome.grader_error is None
    assert outcome.flags["no_actions"] is False


def test_the_runs_own_error_makes_it_wrong(box: Workbench, tasks: list[Task]) -> None:
    calls = calls_of(tasks[0].detail["gold"])
    outcome = graded(box, tasks[0], calls, error=LIMIT, status="error")
    assert (outcome.success, outcome.errored, outcome.unwanted_side_effect) == (False, True, False)


@pytest.mark.parametrize("status", ["error", "unfinished"])
def test_an_error_without_a_text_still_counts(
    box: Workbench, tasks: list[Task], status: str
) -> None:
    assert graded(box, tasks[0], calls_of(tasks[0].detail["gold"]), status=status).errored


def test_arguments_that_were_not_captured_cannot_be_graded(
    box: Workbench, tasks: list[Task]
) -> None:
    outcome = graded(box, tasks[0], [Call("email.delete_email", None)])
    assert outcome.success is None
    assert "not captured" in (outcome.grader_error or "")


def test_recorded_runs_graded_as_traces_have_the_published_flags(
    folder: Path, specs_dir: Path
) -> None:
    whole = Workbench("all", data=lambda name: str(folder))
    by_place = {(t.detail["domain"], t.detail["task_index"]): t for t in whole.tasks()}
    for row in read_lines(specs_dir / "golden" / "workbench_model_calls.jsonl"):
        task = by_place[row["domain"], row["task_index"]]
        outcome = graded(whole, task, calls_of(row["predicted"]), error=row["error"] or None)
        assert {key: outcome.flags[key] for key in row["expected"]} == row["expected"], row["id"]
