"""Every rewrite of the office keeps its request, and differs from the base and from its like."""

from __future__ import annotations

import pytest

from sandboxes.office import OfficeSandbox, authored
from sandboxes.office.tasks import all_tasks
from sandboxes.office.world import DATA
from tests.sandboxes.rewrite_checks import (
    POLES,
    Finding,
    by_turn,
    check_base,
    check_pole,
    check_together,
    contrast,
    expected_items,
    frame,
    opening,
    words,
)
from tracer.records import Task, Turn

TASKS = {task.item: task for task in all_tasks()}
REWRITES = authored(DATA / "variants")


def rejections(found: list[Finding]) -> list[str]:
    return [str(finding) for finding in found if not finding.only_read]


@pytest.mark.parametrize("pole", POLES)
def test_every_item_has_one_admissible_text(pole):
    asked = expected_items(pole, TASKS.values())
    assert rejections(list(check_pole(pole, REWRITES.get(pole, {}), asked))) == []


def test_poles_are_told_apart_by_more_than_a_word():
    assert rejections(list(check_together(REWRITES))) == []


def test_base_texts_have_frames_of_their_own():
    assert rejections(list(check_base(TASKS.values()))) == []


@pytest.mark.parametrize("pole", POLES)
def test_records_name_framing_and_verb(pole):
    for item, record in by_turn(REWRITES[pole], {})[0].items():
        assert record["framing"], item
        assert record["main_verb"], item
    assert {record["condition"] for record in REWRITES[pole].values()} == {pole}


def test_the_sandbox_ships_them():
    assert OfficeSandbox("", data=str).rewrites() == REWRITES


def test_contrast_is_a_share_of_tokens():
    assert contrast("move the mail", "move the mail") == 0
    assert contrast("move the mail", "Please, move the mail!") == 0.25
    assert contrast("a b", "c d") == 1


def test_frame_masks_literals_and_nouns_and_collapses_runs():
    base = "Forward invoice OM-1191 to Dorothea Pymhurst."
    shape = frame(base, ["OM-1191", "Dorothea Pymhurst"], ["invoice"])
    assert shape == "forward N L to L"


def test_words_are_cut_at_their_edges():
    assert words("“Well,” (he said) 9.20!") == ["well", "he", "said", "9.20"]
    assert opening("Oh, and the mail") == "oh and"


BASE = Task("x", "office", "actions", (Turn("Forward the 2 mails from Tom to Kezia Plumbtree."),),
            protected=("2", "Tom", "Kezia Plumbtree"), groups={"head_verb": "forward"})  # fmt: skip


@pytest.mark.parametrize(
    ("pole", "text", "check"),
    [
        ("indirect", "", "D1 empty"),
        ("indirect", "forward the 2 mails from Tom  to Kezia Plumbtree.", "D2 unchanged"),
        ("indirect", "Kezia Plumbtree lacks the two mails that Tom wrote to us.", "D3 numbers"),
        ("indirect", "Kezia lacks the 2 mails that Tom wrote to us.", "D5 literal"),
        ("indirect", "Please forward the 2 mails from Tom to Kezia Plumbtree.", "contrast"),
        ("formal", "I'd be glad if Kezia Plumbtree received the 2 mails of Tom.", "contraction"),
        ("formal", "Kindly see to it that Kezia Plumbtree receives the 2 of Tom", "end"),
        ("casual", "hey shoot the 2 from tom over to Kezia plumbtree", "lower case"),
        ("verbose", "Kezia Plumbtree ought to have those 2 of Tom.", "length"),
        ("terse", "Kindly forward the 2 mails from Tom over to Kezia Plumbtree.", "length"),
        ("charged", "Kezia Plumbtree ought to have those 2 of Tom.", "affect"),
        ("non_grammatical", "Kezia Plumbtree the 2 of Tom you sending it.", "profile"),
        ("calm", "Forward the 2 mails from Tom to Kezia Plumbtree.", "D2 unchanged"),
    ],
)
def test_each_check_rejects_what_it_is_for(pole, text, check):
    rows = {"x": {"text": text, "main_verb": "lack", "framing": "wish"}}
    assert check in {f.check for f in check_pole(pole, rows, {"x": BASE})}


def test_openings_may_not_repeat_three_times_in_a_row():
    tasks = {f"x{n}": BASE for n in range(3)}
    rows = {
        item: {"text": f"Nobody has {word} of the 2, Tom, Kezia Plumbtree.", "main_verb": "have"}
        for item, word in zip(tasks, ("seen any", "kept one", "heard"), strict=True)
    }
    assert "opening" in {f.check for f in check_pole("indirect", rows, tasks)}


def test_a_text_may_not_serve_two_poles():
    rows = {"x": {"text": "The same words."}}
    found = check_together({"formal": rows, "verbose": rows})
    assert "two poles" in {f.check for f in found}
