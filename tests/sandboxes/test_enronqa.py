"""EnronQA: the row layout, stable ids, gold sets, mailboxes, the sample and its manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandboxes.enronqa import EnronQA
from sandboxes.enronqa.classify import Label, by_rules
from sandboxes.enronqa.mailbox import equal_mails, normal_body, parts_of
from sandboxes.enronqa.sample import Design, draw
from sandboxes.enronqa.wording import identifying, kept, literals
from stagetrace.commandline import run
from tracer.errors import DataMissingError, InputError
from tracer.records import Request, Task, Trace
from tracer.store import read_run

ROWS = Path(__file__).parent.parent / "data" / "enronqa"
SMALL = Design(per_bin=2, min_mails=4)


def rows(name: str = "train") -> list[dict[str, Any]]:
    text = (ROWS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def write(folder: Path, rows: list[dict[str, Any]], name: str = "train.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def box(path: Path = ROWS) -> EnronQA:
    return EnronQA(str(path), data=str)


def task(item: str) -> Task:
    return next(task for task in box().tasks() if task.item == item)


def test_ids_are_split_path_and_index() -> None:
    items = [task.item for task in box().tasks()]
    assert "train/tolmay-b/inbox/1./2" in items
    assert "dev/yelt-c/inbox/1./0" in items
    assert len(items) == len(set(items)) == 19


def test_parquet_gives_the_same_tasks(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name in ("train", "dev"):
        table = arrow.Table.from_pylist(rows(name))
        parquet.write_table(table, tmp_path / f"{name}-00000-of-00001.parquet")
    assert [(t.item, t.turns, t.answers, t.relevant) for t in box(tmp_path).tasks()] == [
        (t.item, t.turns, t.answers, t.relevant) for t in box().tasks()
    ]


def test_gold_is_every_copy_of_the_mail_and_strictly_the_one() -> None:
    suite = box()
    asked = task("train/tolmay-b/inbox/3./0")
    assert asked.relevant == (("tolmay-b/inbox/3.", "tolmay-b/inbox/4."),)
    verdict = suite.grade(asked, Trace("t", Request(asked.item, asked.text), answer="4 percent"))
    assert verdict.relevant_strict == (("tolmay-b/inbox/3.",),)
    assert verdict.answer_correct is True


def test_a_copy_in_another_mailbox_is_no_gold() -> None:
    suite = box()
    corpus = suite.corpus(task("train/yelt-c/inbox/3./0"))
    assert corpus is not None
    assert list(corpus.documents) == [f"yelt-c/inbox/{n}." for n in (1, 2, 3, 4)]


def test_the_gold_answer_comes_first_and_alternates_count() -> None:
    asked = task("train/tolmay-b/inbox/1./0")
    assert asked.answers == (
        "The mast for the Pelorus is 11.4 m long.",
        "11.4 metres",
        "It measures 11.4 m",
    )
    assert asked.cluster == "tolmay-b"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([["a"], ["b", "c"]], [("g0", "a"), ("g1", "b", "c")]),
        (["a", "b"], [("g0", "a"), ("g1", "b")]),
        ([["a", "b"]], [("g0", "a"), ("g1", "b")]),
        (None, [("g0",), ("g1",)]),
    ],
)
def test_alternates_may_lie_either_way(tmp_path: Path, given: Any, read: Any) -> None:
    row = {**rows()[0], "questions": ["q?", "r?"], "gold_answers": ["g0", "g1"]}
    folder = write(tmp_path, [{**row, "alternate_answers": given}])
    assert [task.answers for task in box(folder).tasks()] == read


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gold_answers": ["only one"]}, "train.jsonl:1: gold_answers: 1 for 3 questions"),
        ({"path": None}, "train.jsonl:1: no column 'path'"),
        ({"email": None}, "train.jsonl:1: no column 'email'"),
        ({"alternate_answers": [["a"]] * 2}, "alternate_answers: 2 for 3 questions"),
        ({"split": "holdout"}, "which split is it?"),
    ],
)
def test_a_row_that_does_not_fit_is_named(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        box(write(tmp_path, [{**rows()[0], **change}]))
    assert said in str(caught.value)


def test_a_path_stands_in_a_split_once(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"train.jsonl:2: path .* stands in the split 'train' twice"
    ):
        box(write(tmp_path, rows()[:1] * 2))


def test_a_file_without_a_split_asks_for_it_and_nothing_is_answered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Name the file train, dev or test"):
        box(write(tmp_path / "a", rows()[:1], "mails.jsonl"))
    with pytest.raises(DataMissingError, match="give enronqa:PATH your own copy"):
        box(tmp_path / "none")


def test_head_and_body() -> None:
    assert parts_of("From: a\nTo: b\n\nHello\n") == ("From: a\nTo: b", "Hello")
    assert parts_of("Hello: you\nall") == ("", "Hello: you\nall")
    assert normal_body("A: b\n=====\n Two\nLAMPS ") == "two lamps"


def test_mails_without_a_body_are_not_equal() -> None:
    groups = equal_mails({"1": "Subject: a\n=====\n", "2": "Subject: b\n=====\n"})
    assert groups == {"1": ("1",), "2": ("2",)}


def test_words_that_point_at_the_mail_are_logged() -> None:
    mail = rows()[0]["email"]
    question = "What did Dara say about the Pelorus in the email?"
    assert identifying(question, mail) == ("dara", "pelorus")
    assert kept(("dara", "pelorus"), "how long is the pelorus one") == ("pelorus",)
    asked = task("train/tolmay-b/inbox/1./0")
    dropped = Trace("t", Request(asked.item, "how long is it?"), answer="")
    assert box().grade(asked, dropped).flags["identifying_kept"] is False


def test_literals_are_names_numbers_and_quotes() -> None:
    text = 'Did Dara Finch-Oake send "Slip plan" to b@c.example for 11.4 m by Monday?'
    assert literals(text) == ("Dara Finch-Oake", "Slip plan", "b@c.example", "11.4", "Monday")


@pytest.mark.parametrize(
    ("question", "bin_", "reasoning"),
    [
        ("How many tins of Harbour Grey are in order 88?", "simple", "quantity"),
        (
            "Which slip is free, according to the mail that Corin sent after the fair?",
            "simple",
            "thing",
        ),
        ("Who brings the mast, and when does it leave Mastworks?", "multi-question", "person"),
        ("What does the Pelorus need? What does she cost?", "multi-question", "quantity"),
        (
            "Why does the rigger who fitted the Sandpiper bring a mast that leaves Mastworks?",
            "3-hop",
            "cause",
        ),
        ("Who minds the crane while I am away?", "context-dependent", "person"),
        ("Is the Marigold on slip 2?", "simple", "yes or no"),
        ("When does she need them, and what do they open?", None, "time"),
    ],
)
def test_the_rules_put_a_question_into_its_bin(
    question: str, bin_: str | None, reasoning: str
) -> None:
    label = by_rules(question, "")
    assert (label.bin, label.reasoning) == (bin_, reasoning)


# The sample


def test_a_sample_takes_one_question_a_mail_and_drops_what_it_should() -> None:
    manifest = draw(ROWS, SMALL)
    items = [row["item"] for row in manifest["items"]]
    assert len({item.rsplit("/", 1)[0] for item in items}) == len(items)
    assert manifest["counts"]["left_out"]["refusal"] == 1
    assert manifest["counts"]["left_out"]["same text"] == 1
    assert all(row["bin"] for row in manifest["items"])


def test_the_manifest_holds_every_parameter_and_digest() -> None:
    manifest = draw(ROWS, SMALL)
    assert manifest["design"] == {
        "split": "train",
        "per_bin": 2,
        "min_mails": 4,
        "near_duplicate": 0.8,
        "allocation": "proportional",
        "seed": 0,
    }
    assert set(manifest["files"]) == {"train.jsonl", "dev.jsonl"}
    assert manifest["classifier"] == "rules of stagetrace"


def test_the_same_rows_in_another_order_give_the_same_sample(tmp_path: Path) -> None:
    other = write(tmp_path, rows()[::-1])
    mine = write(tmp_path / "b", rows())
    assert draw(other / "train.jsonl", SMALL)["items"] == draw(mine, SMALL)["items"]


def test_another_seed_gives_another_sample() -> None:
    drawn = {
        json.dumps(draw(ROWS, Design(per_bin=2, min_mails=4, seed=n))["items"]) for n in range(9)
    }
    assert len(drawn) > 1


def test_small_mailboxes_and_near_duplicates_are_left_out() -> None:
    big = draw(ROWS, Design(per_bin=20, min_mails=6, near_duplicate=0.5))
    assert big["counts"]["users"] == 1
    assert big["counts"]["left_out"]["small mailbox"] > 0
    with pytest.raises(InputError, match="lower --min-mails"):
        draw(ROWS, Design(min_mails=25))


def test_strata_share_a_bin_as_they_are_told() -> None:
    def label(question: str, mail: str) -> Label:
        return Label(1, 1, False, "a" if "Harbour" in question or "harbour" in question else "b")

    proportional = draw(ROWS, Design(per_bin=2, min_mails=1), label, "mine")
    assert proportional["counts"]["reasoning"] == {"b": 2}
    manifest = draw(ROWS, Design(per_bin=2, min_mails=1, allocation="equal"), label, "mine")
    assert manifest["counts"]["reasoning"] == {"a": 1, "b": 1}
    assert manifest["classifier"] == "mine"


def own_classifier(question: str, mail: str) -> Label:
    """Everything is simple."""
    return Label(1, 1, False, "thing")


def test_a_sample_is_drawn_run_and_refused_when_the_data_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = write(tmp_path / "data", rows()), tmp_path / "sample.json"
    drawing = ["data", "sample", str(data), "--out", str(out), "--per-bin", "2", "--min-mails", "4"]
    assert run([*drawing, "--classifier", "tests.sandboxes.test_enronqa:own_classifier"]) == 0
    assert run(drawing) == 0
    items = [row["item"] for row in json.loads(out.read_text())["items"]]
    suite = box(out)
    assert [task.item for task in suite.tasks()] == items
    assert next(iter(suite.tasks())).groups["bin"] == "simple"
    folder = tmp_path / "run"
    going = ["run", f"enronqa:{out}", "--assistant", "rag", "--model", "gold"]
    assert run([*going, "--out", str(folder)]) == 0
    outcomes = [trace.outcome for trace in read_run(folder).traces()]
    assert all(outcome and outcome.answer_correct for outcome in outcomes)
    write(data, rows()[::-1])
    with pytest.raises(InputError, match=r"train.jsonl: not the file that the sample was drawn"):
        box(out)
