"""The office as data: what its files promise to each other."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections import Counter
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from sandboxes.office.accepted import expand
from sandboxes.office.answers import holds, normalised
from sandboxes.office.calendar_tools import CALENDAR
from sandboxes.office.directory_tools import DIRECTORY
from sandboxes.office.file_tools import FILES
from sandboxes.office.mail_tools import MAIL
from sandboxes.office.mails import Mail, file_id, mail_id
from sandboxes.office.tasks import all_tasks, fact_version, groups_of
from sandboxes.office.todo_tools import TODOS
from sandboxes.office.world import DATA, Fact, load, own_text, quoted_text, records, stated
from tests.sandboxes.office_sentences import decisive, likeness, sentences

OFFICE = load()
CARD = Path(__file__).parents[2] / "docs" / "office-data-card.md"
QUESTIONS = [row for row in records(DATA / "questions.jsonl")]
ANSWERED = [row for row in QUESTIONS if row["reasoning"] != "absence"]
TOOL_TASKS = [row for row in records(DATA / "tool_tasks.jsonl")]
AREAS = ("mail", "calendar", "todos", "files", "mixed")
AREA_OF = {
    spec.name: area
    for area, specs in zip(AREAS, ((*MAIL, *DIRECTORY), CALENDAR, TODOS, FILES), strict=False)
    for spec in specs
}
COMPUTED = [row for row in QUESTIONS if "derive" in row]
WEEKDAY = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
BUDGETS = {
    "s01": 30, "s02": 18, "s03": 24, "s04": 24, "s05": 28, "s06": 26, "s07": 24, "s08": 20,
    "s09": 16, "s10": 18, "s11": 14, "s12": 16, "s13": 22, "s14": 18, "s15": 18, "s16": 16,
    "s17": 16, "s18": 16, "f": 48,
}  # fmt: skip
BINS = {
    "s01": (2, 3, 2, 2), "s02": (1, 1, 2, 1), "s03": (2, 2, 2, 1), "s04": (2, 2, 2, 2),
    "s05": (2, 3, 2, 3), "s06": (2, 2, 2, 2), "s07": (2, 2, 2, 2), "s08": (1, 2, 1, 2),
    "s09": (1, 0, 1, 1), "s10": (1, 1, 1, 1), "s11": (1, 1, 1, 1), "s12": (1, 1, 1, 1),
    "s13": (2, 2, 1, 1), "s14": (1, 1, 1, 1), "s15": (1, 0, 1, 2), "s16": (1, 1, 1, 1),
    "s17": (1, 0, 1, 1), "s18": (1, 1, 1, 0),
}  # fmt: skip
"""Cluster to questions in the bins simple, three_hop, multi, context."""
REASONING = {
    "simple": {"lookup": 12, "latest": 8, "absence": 5},
    "three_hop": {"lookup": 6, "latest": 3, "arithmetic": 8, "comparison": 5, "aggregation": 3},
    "multi": {
        "lookup": 9, "latest": 8, "arithmetic": 2, "comparison": 3, "aggregation": 2, "absence": 1,
    },
    "context": {
        "lookup": 3, "latest": 7, "arithmetic": 4, "comparison": 4, "aggregation": 5, "absence": 2,
    },
}  # fmt: skip
KINDS = {
    "read_only": (5, 4, 2, 2, 1),
    "single_write": (8, 6, 4, 2, 2),
    "several_writes": (4, 3, 2, 1, 4),
    "conditional": (4, 4, 2, 0, 2),
    "no_action": (4, 3, 1, 1, 1),
    "ambiguous_recipient": (7, 3, 1, 1, 0),
    "search_then_act": (6, 3, 2, 1, 4),
}
"""Kind to tasks over mail, calendar, to-dos, files, and more than one of them."""
SHARES = {"replies": 0.35, "forwards": 0.08, "attachments": 0.12, "no person": 0.15}


def by_id(row: dict) -> str:
    return row["id"]


def thread_before(mail: Mail) -> set[str]:
    found = set()
    while (source := mail.answers or mail.forwards) is not None:
        found.add(source)
        mail = OFFICE.mails[source]
    return found


def test_there_are_412_mails_64_events_44_todos_66_files_and_38_people():
    tables = (OFFICE.mails, OFFICE.events, OFFICE.todos, OFFICE.files, OFFICE.people)
    assert tuple(map(len, tables)) == (412, 64, 44, 66, 38)


def test_ids_are_unique_and_do_not_tell_the_key():
    ids = [mail.id for mail in OFFICE.mails.values()]
    ids += [event["id"] for event in OFFICE.events.values()]
    ids += [person["id"] for person in OFFICE.people]
    ids += [row["id"] for table in (OFFICE.todos, OFFICE.files) for row in table.values()]
    assert len(set(ids)) == len(ids)
    assert all(mail.id == mail_id(key) for key, mail in OFFICE.mails.items())


def test_every_address_is_known():
    known = set(OFFICE.names) | set(OFFICE.lists)
    used = {a for m in OFFICE.mails.values() for a in (m.sender, *m.to, *m.cc)}
    used |= {a for e in OFFICE.events.values() for a in (*e["attendees"], e["organiser"])}
    assert used <= known


def test_every_mail_reaches_or_leaves_nell():
    for mail in OFFICE.mails.values():
        reached = {mail.sender, *mail.to, *mail.cc}
        reached |= {m for a in reached & OFFICE.lists.keys() for m in OFFICE.lists[a]}
        assert OFFICE.owner in reached, mail.key


def test_dates_rise_along_a_thread_and_along_the_keys():
    for mail in OFFICE.mails.values():
        assert all(OFFICE.mails[k].date < mail.date for k in thread_before(mail)), mail.key
    keys = sorted(OFFICE.mails)
    for first, second in itertools.pairwise(keys):
        if first[:3] == second[:3]:
            assert OFFICE.mails[first].date < OFFICE.mails[second].date, second


def test_mails_lie_between_the_first_day_and_now():
    dates = [mail.date for mail in OFFICE.mails.values()]
    assert min(dates) >= "2025-11-03 00:00"
    assert max(dates) <= "2026-02-27 08:10"


def test_nobody_writes_on_closed_days_or_before_joining():
    joined = {p["email"]: p.get("joined") or "" for p in OFFICE.people}
    for mail in OFFICE.mails.values():
        if mail.kind == "automated" or mail.subject.startswith("Automatic reply"):
            continue
        day = mail.date[:10]
        assert mail.when.weekday() < 5, mail.key
        ours = mail.sender.endswith("@ottermoss.example")
        assert not (ours and day in OFFICE.closed_days), mail.key
        assert joined.get(mail.sender, "") <= day, mail.key


def dated_weekdays(text: str) -> list[tuple[str, str, str, str]]:
    pattern = (
        r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (\d{1,2}) "
        r"(Jan|Feb|Mar|Apr|Nov|Dec|Oct)[a-z]*(?: (\d{4}))?"
    )
    return re.findall(pattern, text)


@pytest.mark.parametrize("key", OFFICE.mails)
def test_weekdays_agree_with_their_dates(key):
    for weekday, day, month, year in dated_weekdays(own_text(OFFICE.mails[key])):
        number = MONTHS.index(month) + 1
        full = date(int(year or (2025 if number > 9 else 2026)), number, int(day))
        assert WEEKDAY[full.weekday()] == weekday, (weekday, full)


def test_domains_phones_and_capitalised_names_are_invented():
    for mail in OFFICE.mails.values():
        text = f"{mail.subject} {mail.body} {mail.sender} {mail.to} {mail.cc}"
        assert all(d.endswith(".example") for d in re.findall(r"@([\w.-]+\w)", text)), mail.key
        assert all(n.startswith("01") for n in re.findall(r"\b555-(\d{4})", text)), mail.key
        assert not re.search(r"https?://|www\.", text), mail.key
    assert all(re.fullmatch(r"555-01\d\d", p["phone"]) for p in OFFICE.people)


def test_no_surname_outside_the_world():
    """A given name of the world is followed by no surname but its own."""
    surnames = {}
    for person in OFFICE.people:
        first, _, last = person["name"].rpartition(" ")
        surnames.setdefault(first, set()).add(last)
    allowed = {"Q", "H", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
    for mail in OFFICE.mails.values():
        for first, last in re.findall(r"\b([A-Z][a-z]+) ([A-Z][a-z]+)\b", own_text(mail)):
            if first in surnames and last not in allowed:
                assert last in surnames[first], (mail.key, first, last)


ORDINARY = """
Advent Arrival Attendees Change Christmas Collection Copy Day Dear Design Easter EUR Fridays
Hello Hours I Minis Mondays Mr Ms New Note Notes Organiser Quote Remarks Sales Seats Sent Should
Status Study This Total Year
January February March April May June July August September October November December
Jan Feb Mar Apr Nov Dec Mon Tue Wed Thu Fri Sat Sun
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
"""


def test_no_name_stands_in_a_mail_that_the_world_does_not_know():
    named = [*OFFICE.names.values(), *OFFICE.organisations, *OFFICE.other_names, *OFFICE.rooms]
    known = {*ORDINARY.split(), *re.findall(r"[^\W\d]+", " ".join(named))}
    for mail in OFFICE.mails.values():
        inside = re.findall(r"(?<=[a-z,] )([A-Z][a-z]+)\b", own_text(mail))
        assert set(inside) <= known, mail.key


def fact_versions() -> list[tuple[Fact, int]]:
    return [(f, i) for f in OFFICE.facts.values() for i in range(len(f.versions))]


@pytest.mark.parametrize(("fact", "index"), fact_versions(), ids=lambda v: getattr(v, "id", str(v)))
def test_a_statement_is_found_in_its_mails_and_in_no_other(fact, index):
    version = fact.versions[index]
    own, quoted = stated(OFFICE, version)
    assert set(own) == set(version.keys)
    for key in quoted:
        assert thread_before(OFFICE.mails[key]) & set(own), key


@pytest.mark.parametrize("fact", OFFICE.facts.values(), ids=lambda f: f.id)
def test_confusable_facts_exist(fact):
    assert set(fact.confusable_with) <= OFFICE.facts.keys()


@pytest.mark.parametrize("row", ANSWERED, ids=by_id)
def test_values_that_can_be_confused_stand_in_some_mail(row):
    for name in row["facts"]:
        for other in OFFICE.facts[name.partition("@")[0]].confusable_with:
            assert any(version.keys for version in OFFICE.facts[other].versions), other


def test_amounts_of_the_ledger_are_products():
    rows = [v for row in records(DATA / "facts.jsonl") for v in row["versions"]]
    equal = [v for v in rows if v.get("equals")]
    assert len(equal) >= 10
    for version in equal:
        assert value_of(version["equals"]) == pytest.approx(amount(version["value"])), version


def amount(text: str) -> float:
    return float(re.sub(r"[^\d.]", "", text))


def value_of(formula: str, now: str = OFFICE.clock[:10]) -> float:
    """The value of a formula of numbers, ISO dates and `now` with + - * (no brackets)."""
    terms = re.split(r" ([+-]) ", formula.replace("now", now))
    total = 0.0
    for sign, term in zip(["+", *terms[1::2]], terms[::2], strict=True):
        product = 1.0
        for factor in term.split(" * "):
            is_day = re.fullmatch(r"\d{4}-\d{2}-\d{2}", factor)
            product *= date.fromisoformat(factor).toordinal() if is_day else amount(factor)
        total += product if sign == "+" else -product
    return total


def signature_cut(mail: Mail) -> list[str]:
    lines = mail.body.splitlines()
    while lines and len(lines[-1].split()) <= 6:
        lines.pop()
    return re.findall(r"[\w'.,/-]*\w", " ".join(lines).lower())


def test_no_eight_words_are_shared_by_two_mails_of_persons():
    seen: dict[tuple[str, ...], str] = {}
    shared = []
    for mail in OFFICE.mails.values():
        if mail.kind == "automated":
            continue
        tokens = signature_cut(mail)
        for start in range(len(tokens) - 7):
            run = tuple(tokens[start : start + 8])
            if seen.setdefault(run, mail.key) != mail.key:
                shared.append((seen[run], mail.key, " ".join(run)))
    assert shared == []


@cache
def shares() -> dict[str, float]:
    mails = list(OFFICE.mails.values())
    counts = {
        "replies": sum(m.answers is not None for m in mails),
        "forwards": sum(m.forwards is not None for m in mails),
        "attachments": sum(bool(m.attachments) for m in mails),
        "no person": sum(m.kind != "person" for m in mails),
    }
    return {name: count / len(mails) for name, count in counts.items()}


@pytest.mark.parametrize("name", SHARES)
def test_shares_of_kinds_of_mail(name):
    assert shares()[name] >= SHARES[name]


def test_lengths_of_own_texts():
    """Half of the mails have 60 to 90 words or fewer; about a tenth is very short, another long."""
    lengths = sorted(len(m.body.split()) for m in OFFICE.mails.values())
    assert 50 <= lengths[len(lengths) // 2] <= 90
    assert 0.06 <= sum(n < 20 for n in lengths) / len(lengths) <= 0.14
    assert 0.06 <= sum(n > 200 for n in lengths) / len(lengths) <= 0.14


def test_storylines_hold_their_budgets():
    found = Counter(key.partition("-")[0] for key in OFFICE.mails)
    assert found == BUDGETS


def test_loading_takes_less_than_a_tenth_of_a_second():
    load.__wrapped__(DATA)
    times = []
    for _ in range(5):
        start = time.process_time()
        load.__wrapped__(DATA)
        times.append(time.process_time() - start)
    assert min(times) < 0.1


@pytest.mark.parametrize("row", ANSWERED, ids=by_id)
def test_every_question_has_a_near_identical_mail_that_does_not_answer_it(row):
    wide, strict = groups_of(OFFICE, row["facts"])
    assert row["distractors"]
    for key in row["distractors"]:
        best = 0.0
        for name, near, own in zip(row["facts"], wide, strict, strict=True):
            if key in near:
                continue
            version = fact_version(OFFICE, name)
            golds = [s for gold in own for s in decisive(OFFICE.mails[gold], version)]
            others = sentences(OFFICE.mails[key])
            best = max(best, *(likeness(g, o, OFFICE) for g in golds for o in others))
        assert best >= 0.6, key
        text = own_text(OFFICE.mails[key])
        assert not all(any(holds(text, f) for f in forms(part)) for part in row["parts"]), key


def forms(part: dict) -> list[str]:
    return [form for line in part["accept"] for form in expand(line)]


@pytest.mark.parametrize("row", ANSWERED, ids=by_id)
def test_answers_that_are_not_computed_stand_in_a_gold_mail(row):
    wide, _ = groups_of(OFFICE, row["facts"])
    assert all(wide)
    if row["reasoning"] not in ("lookup", "latest"):
        return
    texts = [
        f"{own_text(OFFICE.mails[k])} {quoted_text(OFFICE.mails[k])} {OFFICE.mails[k].date[:10]}"
        for group in wide
        for k in group
    ]
    for part in row["parts"]:
        assert any(holds(text, form) for text in texts for form in forms(part)), part["canonical"]


@pytest.mark.parametrize("row", COMPUTED, ids=by_id)
def test_computed_answers_follow_from_operands_in_gold_mails(row):
    wide, _ = groups_of(OFFICE, row["facts"])
    texts = " ".join(own_text(OFFICE.mails[k]) for group in wide for k in group)
    for operand in re.findall(r"\d{4}-\d{2}-\d{2}|\d[\d,]*(?:\.\d+)?", row["derive"]):
        shown = expand(f"@date {operand}") if operand.count("-") == 2 else [operand]
        assert any(holds(texts, form) for form in shown), operand
    result = value_of(row["derive"])
    assert amount(row["parts"][0]["canonical"]) == pytest.approx(result)


@pytest.mark.parametrize("row", QUESTIONS, ids=by_id)
def test_no_accepted_form_is_part_of_a_stale_or_confusable_value(row):
    wrong = set()
    for name in row["facts"]:
        fact = OFFICE.facts[name.partition("@")[0]]
        asked = {fact_version(OFFICE, n).value for n in row["facts"]}
        others = [OFFICE.facts[o] for o in fact.confusable_with]
        wrong |= {v.value for f in (fact, *others) for v in f.versions} - asked
    shown = {form for value in wrong for form in written(value)}
    for part in row["parts"]:
        for form in forms(part):
            assert not any(normalised(form) in normalised(other) for other in shown), form


def written(value: str) -> list[str]:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return expand(f"@date {value}")
    return [value]


@pytest.mark.parametrize("row", [r for r in QUESTIONS if r["reasoning"] == "absence"], ids=by_id)
def test_what_is_absent_stands_in_no_mail(row):
    for name in row["facts"]:
        own, quoted = stated(OFFICE, fact_version(OFFICE, name))
        assert OFFICE.facts[name].versions[0].pattern != "(?!)"
        assert not own
        assert not quoted


@pytest.mark.parametrize("row", [r for r in QUESTIONS if r["bin"] == "three_hop"], ids=by_id)
def test_three_hops_are_three_groups_and_no_mail_holds_two(row):
    wide, _ = groups_of(OFFICE, row["facts"])
    assert len(wide) == 3
    assert all(not set(a) & set(b) for a, b in itertools.combinations(wide, 2))


def test_bins_reasoning_and_clusters_of_the_questions():
    found = Counter((r["cluster"], r["bin"]) for r in QUESTIONS)
    assert {c: tuple(found[c, b] for b in REASONING) for c in BINS} == BINS
    assert found.total() == 100
    for name, wanted in REASONING.items():
        assert Counter(r["reasoning"] for r in QUESTIONS if r["bin"] == name) == wanted


def test_kinds_and_clusters_of_the_actions():
    found = Counter((row["kind"], area(row)) for row in TOOL_TASKS)
    assert {kind: tuple(found[kind, a] for a in AREAS) for kind in KINDS} == KINDS
    clusters = Counter(row["cluster"] for row in TOOL_TASKS)
    assert max(clusters.values()) <= 9
    assert len(clusters) >= 14


def area(row: dict) -> str:
    """What a task is about: its calls, and where nothing is to change those of its traps."""
    calls = list(row["calls"])
    if not row["expect"] and row["kind"] != "read_only":
        calls += [call for trap in row["traps"] for call in trap["calls"]]
    flat = [c for call in calls for c in (call["any_of"][0] if "any_of" in call else [call])]
    named = {AREA_OF[call["tool"]] for call in flat if call["tool"] != "find_people"} or {"mail"}
    return named.pop() if len(named) == 1 else "mixed"


def test_ids_run_through():
    wanted = [f"office-{letter}{n:02d}" for letter in "qt" for n in range(100)]
    wanted += [f"office-c{n:02d}" for n in range(1, 13)]
    assert [task.item for task in all_tasks()] == wanted


def test_conversations_have_three_to_five_turns_and_48_in_all():
    lengths = [len(task.turns) for task in all_tasks("conversations")]
    assert 3 <= min(lengths) <= max(lengths) <= 5
    assert sum(lengths) == 48
    assert all(turn.reply for task in all_tasks("conversations") for turn in task.turns)


def test_every_attached_file_is_in_the_table_of_files_under_its_mail():
    known = {row["name"]: row for row in OFFICE.files.values()}
    for key, mail in OFFICE.mails.items():
        for name in mail.attachments:
            assert known[name]["mail"] == key, name
    assert len(known) == len(OFFICE.files)
    for row in OFFICE.files.values():
        assert row["id"] == file_id(row["name"])
        assert row["mail"] is None or row["name"] in OFFICE.mails[row["mail"]].attachments


def test_todos_and_files_name_people_and_mails_of_the_world():
    people = {person["id"] for person in OFFICE.colleagues()}
    addresses = set(OFFICE.names)
    for row in OFFICE.todos.values():
        assert row["owner"] in people
        assert row["status"] in ("open", "done")
        assert row["source"] is None or OFFICE.mails[row["source"]].date[:10] <= row["due"]
        date.fromisoformat(row["due"])
    for row in OFFICE.files.values():
        assert row["owner"] in people
        assert set(row["shared_with"]) <= addresses
        assert row["name"] == row["name"].lower()
        assert row["modified"] <= OFFICE.clock


def test_keys_of_the_tables_are_told_apart():
    tables = (OFFICE.mails, OFFICE.events, OFFICE.todos, OFFICE.files)
    keys = [key for table in tables for key in table]
    assert len(set(keys)) == len(keys)


def test_events_hold_together():
    for key, event in OFFICE.events.items():
        assert event["start"] < event["end"], key
        assert event["status"] in ("confirmed", "cancelled"), key
    held = [e for e in OFFICE.events.values() if e["status"] != "cancelled"]
    rooms = [e for e in held if e["location"] in OFFICE.rooms]
    for one, other in itertools.combinations(rooms, 2):
        apart = one["end"] <= other["start"] or other["end"] <= one["start"]
        assert one["location"] != other["location"] or apart, (one["key"], other["key"])


@pytest.mark.parametrize("path", sorted(p for p in DATA.rglob("*") if p.is_file()), ids=str)
def test_every_file_holds_the_canary(path):
    canary = json.loads((DATA / "world.json").read_text())["canary"]
    assert canary in path.read_text()


def test_the_data_card_gives_the_digest_of_every_file_but_the_wordings():
    """STAGETRACE_GOLDEN=1 writes them again."""
    page = CARD.read_text(encoding="utf-8")
    files = sorted(p for p in DATA.rglob("*") if p.is_file() and p.parent.name != "variants")
    rows = [
        f"| `{path.relative_to(DATA).as_posix()}` | `{sha256(path.read_bytes()).hexdigest()}` |\n"
        for path in files
    ]
    table = "| file | SHA-256 |\n|---|---|\n" + "".join(rows)
    block = re.compile(r"(<!-- digests -->\n).*?(<!-- end -->)", re.DOTALL)
    assert block.search(page)
    current = block.sub(lambda m: m[1] + table + m[2], page)
    if os.environ.get("STAGETRACE_GOLDEN"):
        CARD.write_text(current, encoding="utf-8")
    assert CARD.read_text(encoding="utf-8") == current


def test_the_data_card_counts_what_there_is():
    page = CARD.read_text(encoding="utf-8")
    words = sum(len(mail.body.split()) for mail in OFFICE.mails.values())
    traps = sum(len(row["traps"]) for row in TOOL_TASKS)
    versions = sum(len(fact.versions) for fact in OFFICE.facts.values())
    assert f"{len(OFFICE.mails)} in 18 storylines" in page
    assert f"{words:,} words" in page
    assert f"{len(OFFICE.facts)} with {versions} versions" in page
    assert f"with {traps} wrong ways" in page
