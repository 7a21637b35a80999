"""How office answers and values are compared."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.matching import meets, pair_up
from sandboxes.office.accepted import expand, in_words
from sandboxes.office.answers import holds, normalised, part_held, part_held_plainly
from sandboxes.office.export import jsonl
from sandboxes.office.mails import read_mails
from sandboxes.office.tasks import alternatives
from sandboxes.tokens import tokens
from tracer.errors import DataMissingError


def part(*accept: str, reject: tuple[str, ...] = ()) -> dict:
    return {"canonical": accept[0], "accept": list(accept), "reject": list(reject)}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("@eur 62.00", "Each costs EUR 62."),
        ("@eur 62.00", "€62.00 apiece"),
        ("@eur 62.00", "62 euros"),
        ("@eur 395.60", "It came to 395.6 in the end."),
        ("@eur 395.60", "EUR 395.60."),
        ("@eur 20412.00", "20,412"),
        ("@eur 20412.00", "a total of 20412.00"),
        ("@date 2026-03-09", "by 9 March"),
        ("@date 2026-03-09", "on the 9th of March 2026"),
        ("@date 2026-03-09", "March 9th"),
        ("@date 2026-03-09", "2026-03-09"),
        ("@time 15:00", "at 3 p.m."),
        ("@time 15:00", "at 3pm"),
        ("@time 15:00", "at 15:00."),
        ("@time 14:30", "2:30 pm"),
        ("@count 43 lamps", "forty-three lamps"),
        ("@count 43 lamps", "lamps: 43"),
        ("C22", "The stand is C22, a corner."),
        ("OM-1187", "invoice OM-1187"),
        ("Skerry", "the Hotel Skerry"),
        ("rev 2", "driver DR-8 rev 2"),
    ],
)
def test_right_phrasings_are_taken(line, answer):
    assert part_held(answer, part(line))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("@eur 62.00", "EUR 62,000"),
        ("@eur 62.00", "62"),
        ("@eur 62.00", "EUR 162.00"),
        ("@eur 1000.00", "10,000"),
        ("@eur 1000.00", "EUR 1,000.50"),
        ("@date 2026-03-09", "19 March"),
        ("@date 2026-03-09", "9 May"),
        ("@time 15:00", "5 pm"),
        ("@count 43 lamps", "143 lamps"),
        ("@count 43 lamps", "43 shades"),
        ("C22", "C220"),
        ("rev 2", "rev 23"),
        ("OM-1187", "OM-11870"),
    ],
)
def test_wrong_values_that_hold_the_right_digits_are_refused(line, answer):
    assert not part_held(answer, part(line))


def test_plain_containment_takes_what_the_safe_match_refuses():
    assert part_held_plainly("19 March", part("@date 2026-03-09"))
    assert not part_held("19 March", part("@date 2026-03-09"))


def test_a_rejected_pattern_refuses_an_accepted_form():
    assert not part_held("Quenby and Harbisher", part("Quenby", reject=("Harbisher",)))


def test_an_unknown_macro_is_named():
    with pytest.raises(ValueError, match="@sum"):
        expand("@sum 3")


@pytest.mark.parametrize("number", [-1, 1000])
def test_words_go_up_to_999(number):
    with pytest.raises(ValueError, match="0 to 999"):
        in_words(number)


@given(st.text(max_size=60))
def test_tokens_and_normalisation_take_any_text(text):
    assert holds(text, text) is bool(tokens(text))
    assert normalised(normalised(text)) == normalised(text)


@given(st.integers(0, 10_000_000))
def test_grouping_commas_and_zeros_do_not_matter(cents):
    whole, rest = divmod(cents, 100)
    assert tokens(f"{whole:,}.{rest:02d}") == tokens(f"{whole}.{rest:02d}")
    assert holds(f"€{whole:,}.{rest:02d}", f"EUR {cents / 100:.2f}")


@pytest.mark.parametrize(
    ("value", "rule", "met"),
    [
        ("Wren", {"rule": "ci", "value": "wren"}, True),
        ("2026-03-04T11:00", "2026-03-04 11:00", True),
        ("2026-03-04 11:01", "2026-03-04 11:00", False),
        (["b", "a"], {"rule": "set", "value": ["a", "b"]}, True),
        (["a", "b", "n"], {"rule": "set", "value": ["a", "b"], "may": ["n"]}, True),
        (["a"], {"rule": "set", "value": ["a", "b"]}, False),
        (["a", "b", "c"], {"rule": "set", "value": ["a", "b"]}, False),
        ("a", {"rule": "set", "value": ["a"]}, False),
        (12, {"rule": "number", "value": 12.0}, True),
        ("1,000.00", {"rule": "number", "value": 1000}, True),
        (True, {"rule": "number", "value": 1}, False),
        ("2026-03-04", {"rule": "date", "value": "2026-03-04 00:00"}, True),
        ("soon", {"rule": "date", "value": "2026-03-04"}, False),
        ("gate 4 by March 9", {"rule": "regex", "value": "gate 4"}, True),
        (4, {"rule": "regex", "value": "4"}, False),
        ("Pack the crates for the fair", {"rule": "similar", "value": "pack fair crates"}, True),
        ("Buy milk", {"rule": "similar", "value": "pack the fair crates"}, False),
        (None, {"rule": "any"}, True),
        (True, {"rule": "equal", "value": True}, True),
        (1, True, False),
        (None, "", False),
    ],
)
def test_rules(value, rule, met):
    assert meets(value, rule) is met


def test_an_unknown_rule_is_named():
    with pytest.raises(ValueError, match="fuzzy"):
        meets("x", {"rule": "fuzzy", "value": "x"})


@given(st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 3), max_size=6))
def test_pairing_by_equality_is_the_overlap_of_multisets(left, right):
    pairs = pair_up(left, right, lambda a, b: a == b)
    assert all(left[i] == right[j] for i, j in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    assert len(pairs) == sum(min(left.count(n), right.count(n)) for n in set(left))


def test_choices_multiply():
    calls = [{"any_of": [[1], [2]]}, {"any_of": [[3], []]}]
    assert list(alternatives(calls)) == [[1, 3], [1], [2, 3], [2]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("=== s01-01\nDate: x\nno colon here\n---\nHi", "no known header"),
        ("=== s01-01\nDate: 2026-01-05 10:00\n---\nHi", "lacks the headers"),
        ("=== s01-01\nDate: x", "no line '---'"),
    ],
)
def test_a_broken_mail_is_named_with_its_file(tmp_path, text, problem):
    path = tmp_path / "s01.mail"
    path.write_text(text)
    with pytest.raises(DataMissingError, match=problem) as caught:
        read_mails([path], owner="n", names={}, lists=(), automated=())
    assert "s01-01" in str(caught.value)
    assert str(path) in str(caught.value)


HEAD = "Date: 2026-01-0{day} 10:00\nFrom: {sender}\nTo: b@x.example\nSubject: S\n"


def write(day: int, sender: str, more: str, body: str) -> str:
    return f"=== k-{day}\n{HEAD.format(day=day, sender=sender)}{more}---\n{body}\n\n"


def test_quotes_threads_and_folders_are_derived(tmp_path):
    path = tmp_path / "k.mail"
    path.write_text(
        write(1, "a@x.example", "Attach: plan.pdf, list.pdf\n", "one\ntwo\nthree")
        + write(2, "n@x.example", "Answers: k-1 (2 lines)\n", "yes")
        + write(3, "bot@x.example", "Forwards: k-1\n", "look")
    )
    mails = read_mails(
        [path],
        owner="n@x.example",
        names={"a@x.example": "Ann"},
        lists=["b@x.example"],
        automated=["bot@x.example"],
    )
    first, answer, forward = mails.values()
    assert first.attachments == ("plan.pdf", "list.pdf")
    assert answer.quoted == "On 1 January 2026 at 10:00, Ann wrote:\n> one\n> two"
    assert forward.quoted.endswith("\n\none\ntwo\nthree")
    assert {m.thread for m in mails.values()} == {first.id}
    assert [m.folder for m in mails.values()] == ["inbox", "sent", "inbox"]
    assert [m.kind for m in mails.values()] == ["list", "list", "automated"]


def test_an_answer_to_a_mail_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "k.mail"
    path.write_text(write(2, "a@x.example", "Answers: k-1 (2 lines)\n", "yes"))
    with pytest.raises(DataMissingError, match="'k-1'"):
        read_mails([path], owner="", names={}, lists=(), automated=())


def test_the_suite_is_written_as_json_lines(tmp_path):
    files = {path.name: path for path in jsonl(tmp_path / "office")}
    rows = {n: [json.loads(line) for line in p.read_text().splitlines()] for n, p in files.items()}
    assert len(rows["mails.jsonl"]) == 412
    assert len(rows["questions.jsonl"]) == len(rows["tool_tasks.jsonl"]) == 100
    assert len(rows["conversations.jsonl"]) == 12
    assert (len(rows["todos.jsonl"]), len(rows["files.jsonl"])) == (44, 66)
    assert len(rows["variants-indirect.jsonl"]) >= 48
    attached = {f["id"] for row in rows["mails.jsonl"] for f in row["attachments"]}
    assert attached <= {row["id"] for row in rows["files.jsonl"]}
    first = rows["questions.jsonl"][0]
    assert first["groups"]
    assert not any(form.startswith("@") for p in first["parts"] for form in p["accept"])
