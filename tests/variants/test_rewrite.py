from __future__ import annotations

import json
import random
from types import ModuleType

import pytest

from tracer.records import Task, Turn
from variants.base import POLES, Helpers
from variants.cassette import Cassette
from variants.framings import item_number
from variants.gating import gates_of
from variants.make import make_variant
from variants.produce import Plan, produce
from variants.prompts import CRITERIA, PROMPTS
from variants.rewrite import RETRIES, candidates_of, single_of

TEXT = "Send the 3 invoices from Kay to Jeff."


def _task(item: str = "t1") -> Task:
    return Task(item, "s", "actions", (Turn(TEXT),), protected=("Kay", "Jeff"))


def _array(*texts: str) -> str:
    return json.dumps(list(texts))


GOOD = "Kindly see to it that Jeff receives the 3 invoices from Kay."


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ('["a b", "c d"]', ["a b", "c d"]),
        ('Here you are:\n```json\n["a", " A ", "b"]\n```', ["a", "b"]),
        ('["a", 3, null, "", "b"]', ["a", "b"]),
        (json.dumps([str(n) for n in range(9)]), ["0", "1", "2", "3", "4", "5"]),
        ("", []),
        ("1. a\n2. b", []),
        ('{"a": "b"}', []),
        ('["a", "b', []),
        ("[" * 100_000, []),
    ],
)
def test_answers_are_read_as_json_arrays_or_not_at_all(answer, texts):
    assert candidates_of(answer) == texts


@pytest.mark.parametrize(
    ("answer", "texts"),
    [("a b", ["a b"]), ('"a"', ["a"]), ('["a", "b"]', ["a"]), ("```\na\n```", ["a"]), ("", [])],
)
def test_a_plain_rewrite_is_the_answer_itself(answer, texts):
    assert single_of(answer) == texts


def test_the_framing_is_named_by_the_item_and_moves_with_each_attempt(scripted: ModuleType):
    model = scripted.ScriptedModel(lambda asked: "nothing of use")
    variant = make_variant(_task(), "formal", helpers=Helpers(rewriter=model))
    menu = POLES.get("formal").framings
    start = item_number("t1")
    wanted = [menu[(start + attempt) % len(menu)] for attempt in range(RETRIES + 1)]
    assert [next(f for f in menu if f": {f}." in asked) for asked in model.asked] == wanted
    assert variant.status == "failed"
    assert variant.reason == (
        "no candidate: 4 answers without a rewrite, the last one: 'nothing of use'"
    )


@pytest.mark.parametrize("answer", ["", "[]", "not JSON", '{"x": 1}', "null", "[1, 2]"])
@pytest.mark.parametrize("condition", ["formal", "indirect", "verbose"])
def test_a_useless_answer_is_asked_again_and_then_a_recorded_failure(
    answer, condition, scripted: ModuleType
):
    model = scripted.ScriptedModel(lambda asked: answer)
    variant = make_variant(_task(), condition, helpers=Helpers(rewriter=model))
    assert len(model.asked) == 4
    assert variant.status == "failed"
    assert variant.reason.startswith("no candidate")
    assert variant.model == "scripted"


def test_a_retry_takes_what_the_next_framing_brings(scripted: ModuleType):
    answers = iter(["sorry", _array("Kindly send them."), _array(GOOD)])
    model = scripted.ScriptedModel(lambda asked: next(answers))
    variant = make_variant(_task(), "formal", helpers=Helpers(rewriter=model))
    assert (variant.status, variant.text, variant.attempt) == ("admitted", GOOD, 2)
    assert len(variant.prompt_sha256) == 64
    assert variant.framing in POLES.get("formal").framings


def test_a_rejected_slot_keeps_the_text_that_got_furthest(scripted: ModuleType):
    model = scripted.ScriptedModel(lambda asked: _array("Kindly do.", TEXT))
    variant = make_variant(_task(), "formal", helpers=Helpers(rewriter=model))
    assert variant.status == "failed"
    assert variant.reason.startswith(("numbers", "unchanged"))
    assert {verdict.name for verdict in variant.gates} >= {"numbers", "unchanged"}


def test_the_least_used_opening_is_taken(scripted: ModuleType):
    other = "Might the 3 invoices from Kay be sent to Jeff?"
    model = scripted.ScriptedModel(lambda asked: _array(GOOD, other))
    helpers = Helpers(rewriter=model)
    first = make_variant(_task(), "formal", helpers=helpers, openings={"kindly see": 2})
    assert (first.text, first.opening_uses) == (other, 0)
    second = make_variant(_task(), "formal", helpers=helpers, openings={"might the": 4})
    assert (second.text, second.opening_uses) == (GOOD, 0)


def test_ties_are_drawn_by_seed_item_and_attempt_alone(scripted: ModuleType):
    texts = [f"{word} send the 3 invoices from Kay to Jeff." for word in ("So", "Now", "Yes", "Do")]
    helpers = Helpers(rewriter=scripted.ScriptedModel(lambda asked: _array(*texts)))
    made = {n: make_variant(_task(f"t{n}"), "formal", helpers=helpers).text for n in range(20)}
    random.seed(5)
    again = {n: make_variant(_task(f"t{n}"), "formal", helpers=helpers).text for n in range(20)}
    assert made == again
    assert len(set(made.values())) > 2


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("batch", [1, 5])
def test_order_of_items_and_workers_change_nothing(workers, batch, scripted: ModuleType):
    def answer(asked: str) -> str:
        return _array(GOOD, "Might the 3 invoices from Kay go to Jeff?", "Now, the 3 to Jeff.")

    def run(tasks: list[Task], workers: int) -> list[object]:
        helpers = Helpers(rewriter=scripted.ScriptedModel(answer))
        plan = Plan(["formal", "casual", "typos"], seed=3, batch=batch, workers=workers)
        return list(produce(tasks, plan, helpers=helpers))

    tasks = [_task(f"t{n:02}") for n in range(10)]
    straight = run(tasks, 1)
    assert run(random.Random(1).sample(tasks, 10), workers) == straight
    # Frozen counters spread the openings over the items.
    chosen = [v.opening for v in straight if v.condition == "formal"]  # type: ignore[attr-defined]
    assert batch > 1 or len(set(chosen[:3])) == 3


def test_stored_slots_are_not_made_again(scripted: ModuleType):
    tasks = [_task(f"t{n}") for n in range(4)]
    whole = scripted.ScriptedModel(lambda asked: _array(GOOD, "Might the 3 go from Kay to Jeff?"))
    plan = Plan(["formal"], seed=1)
    all_made = list(produce(tasks, plan, helpers=Helpers(rewriter=whole)))
    rest = scripted.ScriptedModel(whole.answer)
    resumed = list(produce(tasks, plan, helpers=Helpers(rewriter=rest), done=all_made[:2]))
    assert resumed == all_made
    assert len(rest.asked) == 2


def test_gate_c_is_never_called_for_verbose_and_reference_poles(scripted: ModuleType):
    rater = scripted.ScriptedRater(lambda gate, gated: True)
    model = scripted.ScriptedModel(lambda asked: _array(GOOD))
    helpers = Helpers(rewriter=model, rater=rater)
    for pole in ("verbose", "explicit", "terse", "calm", "fluent_native"):
        assert make_variant(_task(), pole, helpers=helpers).status == "admitted"
    assert set(rater.asked) == {"intent", "style"}
    make_variant(_task(), "formal", helpers=helpers)
    assert rater.asked[-1] == "human_likeness"


def test_gate_c_never_rejects_non_grammatical(scripted: ModuleType):
    rater = scripted.ScriptedRater(lambda gate, gated: gate != "human_likeness")
    model = scripted.ScriptedModel(lambda asked: _array("The 3 invoices from Kay, Jeff them get."))
    helpers = Helpers(rewriter=model, rater=rater)
    kept = make_variant(_task(), "non_grammatical", helpers=helpers)
    assert kept.status == "admitted"
    told = next(verdict for verdict in kept.gates if verdict.name == "human_likeness")
    assert (told.passed, told.filtered) == (False, False)
    assert make_variant(_task(), "casual", helpers=helpers).reason.startswith("human_likeness")


@pytest.mark.parametrize("gate", ["intent", "style"])
def test_a_no_rejects_and_is_asked_in_order(gate, scripted: ModuleType):
    rater = scripted.ScriptedRater(lambda name, gated: name != gate)
    model = scripted.ScriptedModel(lambda asked: _array(GOOD))
    variant = make_variant(_task(), "formal", helpers=Helpers(rewriter=model, rater=rater))
    assert variant.reason == f"{gate}: the rater says no"
    assert next(v.rater for v in variant.gates if v.name == gate) == "told"


def test_no_rater_is_troubled_with_a_text_that_is_rejected(scripted: ModuleType):
    rater = scripted.ScriptedRater(lambda gate, gated: True)
    model = scripted.ScriptedModel(lambda asked: _array("Kindly send them."))
    make_variant(_task(), "formal", helpers=Helpers(rewriter=model, rater=rater))
    assert rater.asked == []


def test_dialects_use_guarded_rules_only_where_a_rater_reads_the_intent(scripted: ModuleType):
    task = Task("t", "s", "actions", (Turn("Kay sent the contract."),), protected=("Kay",))
    assert "already" not in make_variant(task, "dialect_nigerian").text
    rater = scripted.ScriptedRater(lambda gate, gated: True)
    rated = make_variant(task, "dialect_nigerian", helpers=Helpers(rater=rater))
    assert "already" in rated.text
    assert rater.asked == ["intent"]


@pytest.mark.parametrize("condition", PROMPTS)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_three_prompts_of_the_second_paper(condition, number, scripted: ModuleType):
    long = "Expeditious transmission of Kay's 3 outstanding invoices to Jeff is solicited."
    model = scripted.ScriptedModel(lambda asked: long)
    variant = make_variant(_task(), condition, helpers=Helpers(rewriter=model, prompt=number))
    assert model.asked[0].startswith(PROMPTS[condition][number - 1])
    assert variant.framing == f"prompt {number}"
    assert variant.status == "admitted"
    dimension = {"less_readable": "readability", "less_formal": "formality"}
    assert dimension.get(condition, "politeness") in {verdict.name for verdict in variant.gates}


def test_prompts_rotate_by_item_when_none_is_named(scripted: ModuleType):
    model = scripted.ScriptedModel(lambda asked: GOOD)
    framings = {
        make_variant(_task(f"t{n}"), "more_polite", helpers=Helpers(rewriter=model)).framing
        for n in range(20)
    }
    assert framings == {"prompt 1", "prompt 2", "prompt 3"}


def test_a_conversation_is_admitted_only_if_all_its_turns_are(scripted: ModuleType):
    talk = Task("c", "s", "conversation", (Turn("Find the 2 memos."), Turn("Send them.")))
    good = {"Find the 2 memos.": "Kindly locate the 2 memos.", "Send them.": "Kindly do send them."}

    def answer(asked: str) -> str:
        return _array(good[asked.rpartition("Request: ")[2]])

    model = scripted.ScriptedModel(answer)
    variant = make_variant(talk, "formal", helpers=Helpers(rewriter=model))
    assert variant.status == "admitted"
    assert variant.turns == tuple(good.values())
    assert "Earlier in the conversation: Find the 2 memos." in model.asked[1]
    bad = scripted.ScriptedModel(lambda asked: _array("Kindly locate the 2 memos."))
    good_first = make_variant(talk, "formal", helpers=Helpers(rewriter=bad))
    assert good_first.status == "admitted"
    none = scripted.ScriptedModel(lambda asked: "" if "Earlier" in asked else answer(asked))
    assert make_variant(talk, "formal", helpers=Helpers(rewriter=none)).status == "failed"


def test_every_pole_has_its_criterion():
    assert set(CRITERIA) == set(POLES.names())


@pytest.mark.parametrize("pole", POLES.names())
def test_gates_of_a_pole_with_a_rater(pole, scripted: ModuleType):
    helpers = Helpers(rater=scripted.ScriptedRater(lambda gate, gated: True))
    named = gates_of(pole, helpers)
    assert {"intent", "style"} <= set(named)
    assert named.index("numbers") < named.index("intent")


def test_a_cassette_gives_stored_answers_without_asking(tmp_path, scripted: ModuleType):
    path = tmp_path / "tape.jsonl"
    model = scripted.ScriptedModel(lambda asked: _array(GOOD))
    first = make_variant(_task(), "formal", helpers=Helpers(rewriter=Cassette(model, path)))
    silent = scripted.ScriptedModel(lambda asked: pytest.fail("asked again"))
    again = make_variant(_task(), "formal", helpers=Helpers(rewriter=Cassette(silent, path)))
    assert again == first
    assert len(model.asked) == len(path.read_text().splitlines()) == 1
