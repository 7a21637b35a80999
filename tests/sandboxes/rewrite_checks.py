"""Checks of the rewrites written by hand: run on every edit, by the tests and by the writer.

`python tests/sandboxes/rewrite_checks.py indirect` lists what is wrong with one pole, by item;
without a pole it lists all. Lines that begin with `read` are for reading, all others reject.
"""

from __future__ import annotations

import re
import string
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sandboxes.office import authored
from sandboxes.office.tasks import all_tasks
from sandboxes.office.world import DATA, read_text
from tracer.records import Json, Task

CONTRASTIVE = ("indirect", "formal", "casual", "verbose", "charged", "non_grammatical")
REFERENCE = ("explicit", "terse", "calm", "fluent_native")
POLES = (*CONTRASTIVE, *REFERENCE)
REFERENCE_ENDS = (0, 2, 5, 7)
"""Last digits of the items that have a text in the reference poles."""
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
LEAST_CONTRAST = 1 / 3
LEAST_REFERENCE_CONTRAST = 1 / 10
MOST_TERSE = 0.9
LEAST_VERBOSE = 1.5
MOST_OPENINGS = 0.10
MOST_QUESTIONS = 1 / 3
CONTRACTION = re.compile(
    r"\b\w+(?:n['\u2019]t|['\u2019](?:re|ve|ll|d|m))\b"
    r"|\b(?:it|that|there|what|who|let|he|she)['\u2019]s\b",
    re.IGNORECASE,
)
CASUAL = """
hey hiya yo ok okay cool pls plz thx ta cheers u ur gonna gotta wanna dunno lemme gimme cant wont
dont im ive whats wheres hows thats its quick thing stuff ping grab pop shoot chuck stick bump nudge
lol hmm oh btw fyi asap any got right so n mind reckon bit real like just mate
"""
CASUAL_WORDS = set(CASUAL.split())
AFFECT = """
rest aches aching aflutter afraid agitated agonising agony alarmed amazed anger angry annoy annoyed
annoys anxious appalled ashamed awful baffled beside bitter blush bored breaks bursting calm
cheers comforted concerned content crazy cross crushed curiosity cursing daren't dead delighted
depresses despair desperate disgusts dismay drained dread dreading drives dying ecstatic edge
elated embarrassed embarrassing enrages envious exasperate exasperated excited exhaust exhausted
fear fed fits flap flustered frantic frazzled fretting fright frightens frustrating fumes fuming
furious gasp giddy glad goodness grateful grieves groaning grumpy guilty gutted happy hassled
hate heart heartbreaking heavens hooray hopeless hopelessly horrified horrifying impatient
incensed indignant infuriates infuriating irks irritated itching jittery joy jumping laughed
livid loathe longing losing mad miffed miserable moon mortified moved muddle nails nerve nerves
nervous nightmares numb outrage overjoyed overwhelmed palpitations panic panicked panicking
paranoid patience phew pleased pleases pride proud quaking racing rage relief relieved resent
sad scare
scared shaken shaking shames shock shudder sick sorry sour spinning stressed stunned stupid
suffering sweat sweating tears tense tenterhooks terrible terribly terrified terrifies thankful
thrilled tickled tired tizzy tormented trembling uneasy unsure upset wait weary weep weight wits
worn worried worries worry wreck wretched
"""
AFFECT_WORDS = set(AFFECT.split())
PROFILES = (
    "topic-fronting",
    "question-inversion",
    "word-order and tense shifts",
    "clause reordering",
    "fragments or run-ons",
    "spelling combined with rebuilding",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check has to say."""

    check: str
    item: str
    text: str
    only_read: bool = False

    def __str__(self) -> str:
        return f"{'read ' if self.only_read else ''}{self.item} {self.check}: {self.text}"


def words(text: str) -> list[str]:
    """Tokens by white space, edge punctuation cut, lower case."""
    cut = string.punctuation + "\u201c\u201d\u2018\u2019\u2013\u2014\u2026"
    return [word for raw in text.split() if (word := raw.strip(cut).lower())]


def contrast(base: str, text: str) -> float:
    """Token edit distance divided by the longer length."""
    left, right = words(base), words(text)
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1] / max(len(left), len(right), 1)


def frame(text: str, protected: Iterable[str], nouns: Iterable[str]) -> str:
    """The skeleton of a text: literals as L, the world's nouns as N, runs collapsed, lower case."""
    lowered = text.lower()
    for literal in sorted(protected, key=len, reverse=True):
        lowered = re.sub(rf"(?<!\w){re.escape(literal.lower())}(?!\w)", " \0 ", lowered)
    known = set(nouns)
    shape: list[str] = []
    for word in words(lowered):
        mark = "L" if "\0" in word else "N" if word.removesuffix("'s") in known else word
        if not (mark in "LN" and shape and shape[-1] == mark):
            shape.append(mark)
    return " ".join(shape)


def nouns() -> set[str]:
    """The content nouns of the world."""
    return {line for line in read_text(DATA / "nouns.txt").split("\n") if line and line[0] != "#"}


def opening(text: str) -> str:
    """The first two word tokens."""
    return " ".join(words(text)[:2])


def by_turn(
    rows: Mapping[str, Mapping[str, Json]], tasks: Mapping[str, Task]
) -> tuple[dict[str, Mapping[str, Json]], dict[str, Task]]:
    """The rewrites and the tasks with each turn of a conversation as an item of its own."""
    texts: dict[str, Mapping[str, Json]] = {}
    for item, row in rows.items():
        if "turns" not in row:
            texts[item] = row
            continue
        turns = zip(row["turns"], row["framings"], row["main_verbs"], strict=True)
        for number, (text, framing, verb) in enumerate(turns):
            texts[f"{item}.{number}"] = {"text": text, "framing": framing, "main_verb": verb}
    singles: dict[str, Task] = {}
    for item, task in tasks.items():
        if len(task.turns) == 1:
            singles[item] = task
            continue
        for number, turn in enumerate(task.turns):
            name = f"{item}.{number}"
            singles[name] = replace(
                task,
                item=name,
                turns=(turn,),
                protected=tuple(task.detail["protected"][number]),
                groups={"head_verb": task.detail["head_verbs"][number]},
            )
    return texts, singles


def expected_items(pole: str, tasks: Iterable[Task]) -> dict[str, Task]:
    """The items that must have a text in a pole."""
    if pole in CONTRASTIVE:
        return {task.item: task for task in tasks}
    return {
        task.item: task
        for task in tasks
        if task.form != "conversation" and int(task.item[-2:]) % 10 in REFERENCE_ENDS
    }


def check_base(tasks: Iterable[Task]) -> Iterator[Finding]:
    """Base texts that share a frame."""
    yield from _frames({task.item: task.text for task in tasks}, {t.item: t for t in tasks})


def check_pole(
    pole: str, rows: Mapping[str, Mapping[str, Json]], tasks: Mapping[str, Task]
) -> Iterator[Finding]:
    """Everything that can be said of one pole by itself."""
    rows, tasks = by_turn(rows, tasks)
    for item in sorted(tasks.keys() - rows.keys()):
        yield Finding("missing", item, f"no text in {pole}")
    for item in sorted(rows.keys() - tasks.keys()):
        yield Finding("unknown", item, "no such item")
    known = {item: rows[item] for item in sorted(rows.keys() & tasks.keys())}
    for item, row in known.items():
        yield from _single(pole, row, tasks[item])
    texts = {item: row["text"] for item, row in known.items()}
    yield from _frames(texts, tasks)
    yield from _openings(texts)
    if pole == "indirect":
        asked = [item for item, text in texts.items() if text.rstrip().endswith("?")]
        if len(asked) > MOST_QUESTIONS * len(texts):
            yield Finding("questions", "-", f"{len(asked)} of {len(texts)} end in a question mark")


def check_together(poles: Mapping[str, Mapping[str, Mapping[str, Json]]]) -> Iterator[Finding]:
    """Texts under two poles, and words that give one pole away."""
    poles = {pole: by_turn(rows, {})[0] for pole, rows in poles.items()}
    seen: dict[str, str] = {}
    for pole, rows in poles.items():
        for item, row in sorted(rows.items()):
            text = " ".join(row["text"].lower().split())
            if text in seen:
                yield Finding("two poles", item, f"{pole} says the same as {seen[text]}")
            seen[text] = f"{pole} {item}"
    counts = {
        pole: Counter(word for row in rows.values() for word in set(words(row["text"])))
        for pole, rows in poles.items()
    }
    for pole, rows in poles.items():
        others = [other for other in poles if other != pole]
        total = sum(len(poles[other]) for other in others)
        for word, count in sorted(counts[pole].items()):
            elsewhere = sum(counts[other][word] for other in others)
            told = count >= 0.30 * len(rows) and total and elsewhere < 0.05 * total
            of_the_pole = {"casual": CASUAL_WORDS, "charged": AFFECT_WORDS}.get(pole, set())
            if told and word not in of_the_pole:
                yield Finding("tic", "-", f"{word!r} in {count} of {len(rows)} texts of {pole}")


def _single(pole: str, row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    text, base = row["text"], task.text
    if not text.strip():
        yield Finding("D1 empty", task.item, "no text")
        return
    if " ".join(text.split()).casefold() == " ".join(base.split()).casefold():
        yield Finding("D2 unchanged", task.item, text)
    lost = Counter(NUMBER.findall(base)) - Counter(NUMBER.findall(text))
    if lost:
        yield Finding("D3 numbers", task.item, f"lost {sorted(lost)}")
    for word in re.findall(r"(?<=\s)[A-Z][\w'-]+", base):
        if word.lower().removesuffix("'s") not in text.lower():
            yield Finding("D4 capitals", task.item, f"lost {word!r}", only_read=True)
    for literal in task.protected:
        same_case = pole != "casual" and literal != literal.lower()
        if (literal if same_case else literal.lower()) not in (text if same_case else text.lower()):
            yield Finding("D5 literal", task.item, f"lost {literal!r}")
    distance = contrast(base, text)
    least = LEAST_CONTRAST if pole in CONTRASTIVE else LEAST_REFERENCE_CONTRAST
    if distance < least:
        yield Finding("contrast", task.item, f"{distance:.2f}, at least {least:.2f}")
    if pole in _MARKERS:
        yield from _MARKERS[pole](row, task)


def _indirect(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    if row["main_verb"] == task.groups["head_verb"]:
        yield Finding("verb", task.item, f"main verb {row['main_verb']!r} is the head verb")


def _formal(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    found = CONTRACTION.search(row["text"])
    if found:
        yield Finding("contraction", task.item, found[0])
    if row["text"].rstrip()[-1] not in ".?":
        yield Finding("end", task.item, "ends neither in . nor in ?")


def _casual(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    loud = [w for w in row["text"].split() if w != w.lower() and not re.search(r"\d", w)]
    if loud:
        yield Finding("lower case", task.item, f"{loud} outside ids and file names")


def _verbose(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    ratio = len(words(row["text"])) / len(words(task.text))
    if ratio < LEAST_VERBOSE:
        yield Finding("length", task.item, f"{ratio:.1f} x the base, at least {LEAST_VERBOSE}")


def _terse(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    ratio = len(words(row["text"])) / len(words(task.text))
    if ratio > MOST_TERSE:
        yield Finding("length", task.item, f"{ratio:.2f} x the base, at most {MOST_TERSE}")


def _charged(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    if not AFFECT_WORDS & set(words(row["text"])):
        yield Finding("affect", task.item, f"no word of the affect list: {row['text']}")


def _non_grammatical(row: Mapping[str, Json], task: Task) -> Iterator[Finding]:
    if row["framing"] not in PROFILES:
        yield Finding("profile", task.item, f"{row['framing']!r} is none of the six profiles")


_MARKERS = {
    "indirect": _indirect,
    "formal": _formal,
    "casual": _casual,
    "verbose": _verbose,
    "terse": _terse,
    "charged": _charged,
    "non_grammatical": _non_grammatical,
}


def _frames(texts: Mapping[str, str], tasks: Mapping[str, Task]) -> Iterator[Finding]:
    known = nouns()
    frames = {item: frame(text, tasks[item].protected, known) for item, text in texts.items()}
    items = sorted(frames)
    for index, item in enumerate(items):
        for other in items[:index]:
            if frames[item] == frames[other]:
                yield Finding("frame", item, f"that of {other}: {frames[item]}")
            elif (shared := _overlap(frames[item], frames[other])) >= 0.8:
                yield Finding("frame", item, f"{shared:.2f} of {other}", only_read=True)


def _overlap(left: str, right: str) -> float:
    def trigrams(text: str) -> set[tuple[str, ...]]:
        parts = text.split()
        return set(zip(parts, parts[1:], parts[2:], strict=False))

    a, b = trigrams(left), trigrams(right)
    return len(a & b) / max(min(len(a), len(b)), 1)


def _openings(texts: Mapping[str, str]) -> Iterator[Finding]:
    items = sorted(texts)
    most = max(2, int(MOST_OPENINGS * len(items)))
    for start, count in Counter(opening(text) for text in texts.values()).items():
        if count > most:
            yield Finding("opening", "-", f"{start!r} opens {count} texts, at most {most}")
    for first, second, third in zip(items, items[1:], items[2:], strict=False):
        if opening(texts[first]) == opening(texts[second]) == opening(texts[third]):
            yield Finding("opening", third, f"third in a row with {opening(texts[third])!r}")


def findings(pole: str = "") -> list[Finding]:
    """All findings of one pole, or of all with those that look across poles."""
    tasks = {task.item: task for task in all_tasks()}
    poles = authored(DATA / "variants")
    chosen = [pole] if pole else list(POLES)
    found = [
        finding
        for name in chosen
        for finding in check_pole(name, poles.get(name, {}), expected_items(name, tasks.values()))
    ]
    return found + list(check_together(poles))


if __name__ == "__main__":
    found = findings(*sys.argv[1:2])
    for finding in sorted(found, key=lambda f: (f.only_read, f.item, f.check)):
        print(finding)  # noqa: T201 (a script of the writers)
    sys.exit(1 if any(not f.only_read for f in found) else 0)
