"""Recorded calls played again: what is asked for, how a run ends, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistants.base import MODELS, AgentError
from tracer.errors import InputError
from tracer.protocols import Prompted
from tracer.records import Json, Message, Request, Task, Tool, Turn

USER = (Message("user", "please"),)
DELETE = 'email.delete_email.func(email_id="1")'


def write(path: Path, *rows: dict[str, Json]) -> str:
    base = {"domain": "email", "task_index": 0, "predicted": [], "error": ""}
    path.write_text("".join(json.dumps(base | row) + "\n" for row in rows))
    return str(path)


def task(index: int = 0) -> Task:
    detail = {"domain": "email", "task_index": index}
    return Task(f"item-{index}", "suite", "actions", (Turn("please"),), detail=detail)


def begun(argument: str, condition: str = "base"):
    model = MODELS.get("recorded")(argument)
    assert isinstance(model, Prompted)
    model.begin(task(), Request("item-0", "please", condition=condition))
    return model


def asked(tmp_path: Path, *texts: str):
    model = begun(write(tmp_path / "calls.jsonl", {"predicted": list(texts)}))
    tool = Tool("email.delete_email", "", {"properties": {"email_id": {}}}, True, lambda: None)
    return model.chat(USER, [tool]).message.tool_calls


def test_all_calls_are_asked_for_in_order_then_a_text_ends_the_run(tmp_path: Path) -> None:
    texts = [DELETE, DELETE.replace("1", "2")]
    model = begun(write(tmp_path / "calls.jsonl", {"predicted": texts, "model": "m"}))
    reply = model.chat(USER)
    assert [call.arguments for call in reply.message.tool_calls] == [
        {"email_id": "1"},
        {"email_id": "2"},
    ]
    assert (reply.finish_reason, reply.model) == ("tool_calls", "m")
    last = model.chat((*USER, reply.message, Message("tool", "done")))
    assert (last.message.tool_calls, last.finish_reason) == ((), "stop")


def test_call_ids_differ(tmp_path: Path) -> None:
    calls = asked(tmp_path, DELETE, DELETE)
    assert len({call.call_id for call in calls}) == 2


def test_an_error_comes_after_the_calls(tmp_path: Path) -> None:
    row = {"predicted": [DELETE], "error": "limit reached"}
    model = begun(write(tmp_path / "calls.jsonl", row))
    reply = model.chat(USER)
    with pytest.raises(AgentError, match=r"^limit reached$"):
        model.chat((*USER, reply.message))


def test_an_error_without_calls_comes_at_once(tmp_path: Path) -> None:
    model = begun(write(tmp_path / "calls.jsonl", {"error": "too long"}))
    with pytest.raises(AgentError, match=r"^too long$"):
        model.chat(USER)


def test_a_run_without_calls_answers_in_words(tmp_path: Path) -> None:
    assert begun(write(tmp_path / "calls.jsonl", {})).chat(USER).message.tool_calls == ()


def test_a_raw_line_break_becomes_one_of_the_text(tmp_path: Path) -> None:
    (call,) = asked(tmp_path, 'email.send_email.func(body="a\nb")')
    assert call.arguments == {"body": "a\nb"}
    assert call.raw is None


def test_an_unreadable_string_is_a_malformed_call(tmp_path: Path) -> None:
    text = 'email.send_email.func(body="say "x"")'
    (call,) = asked(tmp_path, text)
    assert (call.name, call.arguments, call.raw) == ("email.send_email", None, text)


def test_a_string_with_escapes_keeps_its_spelling(tmp_path: Path) -> None:
    text = r'email.send_email.func(body="say \"x\"")'
    (call,) = asked(tmp_path, text)
    assert call.arguments == {"body": 'say "x"'}
    assert call.raw == text


def test_arguments_by_position_take_the_tools_names(tmp_path: Path) -> None:
    (call,) = asked(tmp_path, 'email.delete_email.func("1")')
    assert call.arguments == {"email_id": "1"}


@pytest.mark.parametrize(
    "text",
    ['email.fly.func("1")', 'email.delete_email.func("1", "2")', "email.fly.func(a=b'x')"],
)
def test_arguments_that_fit_no_tool_or_no_json_are_malformed(tmp_path: Path, text: str) -> None:
    (call,) = asked(tmp_path, text)
    assert (call.arguments, call.raw) == (None, text)


def test_unknown_tools_stay(tmp_path: Path) -> None:
    (call,) = asked(tmp_path, 'directory.find.func(name="x")')
    assert (call.name, call.arguments) == ("directory.find", {"name": "x"})


def test_one_run_of_several_is_chosen(tmp_path: Path) -> None:
    path = write(
        tmp_path / "calls.jsonl",
        {"model": "a", "tool_selection": "all"},
        {"model": "b", "tool_selection": "all", "predicted": [DELETE]},
        {"model": "b", "tool_selection": "domains"},
    )
    model = begun(f"{path}?model=b&tool_selection=all")
    assert len(model.chat(USER).message.tool_calls) == 1
    assert model.name == f"recorded:{path}?model=b&tool_selection=all"
    assert model.source.source == "recorded calls of b"
    assert len(model.source.sha256) == 64


def test_two_runs_of_one_item_are_refused_with_the_choices(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.jsonl", {"model": "a"}, {"model": "b"})
    with pytest.raises(InputError, match=r"lines 1 and 2 .* model=a&.*model=b&"):
        begun(path)


def test_a_filter_that_leaves_nothing_is_refused_with_the_choices(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.jsonl", {"model": "a"})
    with pytest.raises(InputError, match="no row with model='z'; the file holds: model=a"):
        begun(f"{path}?model=z")


def test_an_unknown_filter_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.jsonl", {})
    with pytest.raises(InputError, match="did you mean 'model'"):
        begun(f"{path}?modell=z")


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"domain": "email"}', '{"domain": "email", "task_index": 0, "predicted": [1]}'],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(InputError, match=r"calls\.jsonl:2: no row of recorded calls"):
        begun(str(path))


@pytest.mark.parametrize("argument", ["", "nowhere.jsonl"])
def test_an_absent_file_is_refused_with_the_syntax(argument: str) -> None:
    with pytest.raises(InputError, match="recorded:FILE"):
        begun(argument)


def test_another_wording_is_refused(tmp_path: Path) -> None:
    """The recorded run never saw it, so it would look as good as the original."""
    with pytest.raises(InputError, match="--conditions base"):
        begun(write(tmp_path / "calls.jsonl", {}), condition="typos")


def test_an_item_without_a_run_is_refused(tmp_path: Path) -> None:
    model = MODELS.get("recorded")(write(tmp_path / "calls.jsonl", {}))
    with pytest.raises(InputError, match="no recorded run of item-7"):
        model.begin(task(7), Request("item-7", "please"))


def test_a_model_that_was_not_begun_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="begin"):
        MODELS.get("recorded")(write(tmp_path / "calls.jsonl", {})).chat(USER)
