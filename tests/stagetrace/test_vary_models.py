"""`vary` with models, translators and readers; and work that was stopped."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from stagetrace import console
from stagetrace.commandline import run
from stagetrace.review import agreements, review, verdict_file
from stagetrace.suite import open_suite
from stagetrace.unfinished import Unfinished
from stagetrace.variant_parts import Names, helpers
from tests.assistants.fault_server import GOOD, FaultServer
from tracer.errors import InputError, ModelWeightsMissingError
from variants.base import Variant, Verdict
from variants.files import read_variants

MODULE = """
import json
from tracer.records import Message, ModelSource, Reply


class Model:
    name = "mine"
    source = ModelSource("test", "built in")

    def chat(self, messages, tools=()):
        asked = messages[-1].content
        if "yes or no?" in asked:
            return Reply(Message("assistant", "yes"))
        request = asked.rpartition("Request: ")[2]
        return Reply(Message("assistant", json.dumps(["So, " + request, "Hm, " + request])))


model = Model()
"""


@pytest.fixture
def own_model(tmp_path, monkeypatch):
    (tmp_path / "vary_own_model.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "vary_own_model:model"


def _vary(capsys, *arguments):
    status = run(["vary", *map(str, arguments)])
    return status, capsys.readouterr()


def test_a_named_model_writes_and_judges(tmp_path, capsys, own_model):
    out = tmp_path / "v.jsonl"
    common = ["office", "--conditions", "formal,casual", "--limit", 3, "--rewriter", own_model]
    status, _ = _vary(capsys, *common, "--rater", own_model, "--out", out)
    assert status == 0
    made = read_variants(out)
    assert {variant.generator for variant in made} == {"llm"}
    assert {variant.model for variant in made} == {"mine"}
    assert {"intent", "style", "human_likeness"} <= {v.name for v in made[0].gates}
    assert {v.opening.split()[0] for v in made if v.condition == "formal"} == {"so", "hm"}
    again = tmp_path / "w.jsonl"
    _vary(capsys, *common, "--rater", own_model, "--workers", 3, "--batch", 1, "--out", again)
    assert again.read_bytes() == out.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*unfinished*")) == []


def test_without_a_rater_it_says_that_nobody_judges(tmp_path, capsys, own_model):
    out = tmp_path / "v.jsonl"
    _, said = _vary(
        capsys,
        "office",
        "--conditions",
        "calm",
        "--limit",
        1,
        "--rewriter",
        own_model,
        "--out",
        out,
    )
    assert "no --rater" in said.err


def test_a_cassette_holds_the_answers(tmp_path, capsys, own_model):
    tape, out = tmp_path / "tape.jsonl", tmp_path / "v.jsonl"
    common = ["office", "--conditions", "formal", "--limit", 2, "--rewriter", own_model]
    _vary(capsys, *common, "--cassette", tape, "--out", out)
    asked = len(tape.read_text().splitlines())
    _vary(capsys, *common, "--cassette", tape, "--out", tmp_path / "w.jsonl")
    assert len(tape.read_text().splitlines()) == asked > 0
    assert (tmp_path / "w.jsonl").read_bytes() == out.read_bytes()


def _variant(item: str, **more: object) -> Variant:
    return replace(Variant(item, "formal", "b", "a", "llm", "admitted"), **more)  # type: ignore[arg-type]


def test_work_that_was_stopped_is_gone_on_with(tmp_path):
    out, plan = tmp_path / "v.jsonl", {"seed": 1}
    first = Unfinished(out, plan)
    assert list(first.keep(iter([_variant("x"), _variant("y")]))) != []
    with first.path.open("a") as file:
        file.write('{"item_id": "z", "condi')  # the line that was being written
    second = Unfinished(out, plan)
    assert [variant.item_id for variant in second.done] == ["x", "y"]
    list(second.keep(iter([*second.done, _variant("z")])))
    assert [variant.item_id for variant in Unfinished(out, plan).done] == ["x", "y", "z"]
    with pytest.raises(InputError, match="seed 1 there, 2 here"):
        Unfinished(out, {"seed": 2})
    Unfinished.forget(out)
    assert Unfinished(out, {"seed": 2}).done == []


def test_a_stopped_command_leaves_the_bytes_of_a_whole_one(tmp_path, capsys, monkeypatch):
    common = ["office", "--conditions", "typos,dialect_indian", "--limit", 4]
    whole, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    _vary(capsys, *common, "--out", whole)
    keep = Unfinished.keep

    def stopping(self, variants):
        for count, variant in enumerate(keep(self, variants)):
            yield variant
            if count == 4:
                raise KeyboardInterrupt

    monkeypatch.setattr(Unfinished, "keep", stopping)
    status, _ = _vary(capsys, *common, "--out", out)
    assert status == 130
    assert not out.exists()
    monkeypatch.setattr(Unfinished, "keep", keep)
    _, said = _vary(capsys, *common, "--out", out)
    assert "5 slots were made before" in said.err
    assert out.read_bytes() == whole.read_bytes()


def test_coverage_is_printed_for_every_dialect_and_tier(capsys):
    status, said = _vary(capsys, "office", "--coverage", "--limit", 4)
    assert status == 0
    assert len(said.out.splitlines()) == 1 + 4 * 2
    _, said = _vary(capsys, "office", "--coverage", "--limit", 4, "--json")
    assert {row["tier"] for row in json.loads(said.out)["coverage"]} == {"safe", "safe+guarded"}


@pytest.mark.parametrize(
    ("names", "error", "said"),
    [
        (Names(translator="deepl"), InputError, "recorded:FILE or opus-mt:FOLDER"),
        (Names(translator="opus-mt:/nowhere"), ModelWeightsMissingError, "opus-mt-en-af"),
        (Names(rater="verdicts:/nowhere"), InputError, "no readable file of verdicts"),
        (Names(rewriter="opnai:x"), InputError, "did you mean 'openai'"),
    ],
)
def test_parts_that_are_not_there_are_said_before_any_work(names, error, said):
    with pytest.raises(error, match=said):
        helpers(names)


def _read(variants, path, answers, reviewer="ann"):
    typed = iter(answers)

    def ask(prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration as end:
            raise EOFError from end

    return review(variants, path, reviewer=reviewer, ask=ask)


def test_a_person_is_asked_once_and_can_leave_at_any_time(tmp_path, capsys):
    path = tmp_path / "v.verdicts.jsonl"
    variants = [_variant("x"), _variant("y", text="c"), _variant("z", condition="dialect_indian")]
    assert _read(variants, path, ["y", "what?", "n", "skip", "q"]) == 3
    assert _read(variants, path, ["y", "y", "y", "n"]) == 4
    assert _read(variants, path, ["y"]) == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["verdict"] for row in rows] == ["yes", "no", "skip", "yes", "yes", "yes", "no"]
    assert {(row["rater"], row["reviewer"]) for row in rows} == {("human", "ann")}
    assert rows[-1]["gate"] == "intent"
    assert "candidate  b" in capsys.readouterr().out


def test_agreement_of_two_raters_with_kappa(tmp_path):
    judged = (Verdict("intent", True, True, rater="model"),)
    variants = [_variant(f"i{n}", text=f"t{n}", gates=judged) for n in range(4)]
    path = tmp_path / "v.verdicts.jsonl"
    _read(variants, path, [word for n in range(4) for word in ("n" if n == 0 else "y", "y", "y")])
    _read(variants, path, [w for n in range(4) for w in ("n" if n < 2 else "y", "y", "y")], "bob")
    rows = {
        (row.gate, row.first, row.second): row
        for row in agreements(variants, map(json.loads, path.read_text().splitlines()))
    }
    both = rows["intent", "human:ann", "human:bob"]
    assert (both.texts, both.agreement) == (4, 0.75)
    assert both.kappa == pytest.approx(0.5)
    assert rows["intent", "human:ann", "model"].kappa == pytest.approx(0.0)
    assert rows["style", "human:ann", "human:bob"].kappa is None


def test_review_on_the_command_line(tmp_path, capsys, monkeypatch):
    out = tmp_path / "v.jsonl"
    _vary(capsys, "office", "--conditions", "typos", "--limit", 2, "--out", out)
    answers = iter(["y", "n"])
    monkeypatch.setattr(console, "ask", lambda text: next(answers))
    status, said = _vary(capsys, "office", "--review", out, "--reviewer", "ann")
    assert status == 0
    assert "2 answers kept in" in said.out
    assert len(verdict_file(out).read_text().splitlines()) == 2
    status, said = _vary(capsys, "office", "--review", out, "--json")
    assert json.loads(said.out) == []


def test_the_rewriter_draws_at_its_temperature_and_the_rater_at_none(tmp_path, capsys, monkeypatch):
    task = next(iter(open_suite("office", None).tasks()))
    said = {"role": "assistant", "content": f"Please, {task.text}"}
    answer = GOOD | {"choices": [{"index": 0, "finish_reason": "stop", "message": said}]}
    with FaultServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        _vary(
            *(capsys, "office", "--conditions", "explicit", "--limit", 1, "--temperature", "0.7"),
            *("--rewriter", "openai:m", "--rater", "openai:m", "--out", tmp_path / "v.jsonl"),
        )
    drawn = [request["temperature"] for request in server.requests]
    judged = ["yes or no?" in request["messages"][-1]["content"] for request in server.requests]
    assert set(zip(judged, drawn, strict=True)) == {(False, 0.7), (True, 0.0)}
