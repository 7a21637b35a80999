"""Clauses and prepositions: eWAVE 195, 205, 213, 215, 216 and 234."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, after, before, delete
from variants.parsed import Parsed, Token

_MOTION = frozenset({"go", "come", "return", "travel", "drive", "fly", "head"})
_CHAINED = frozenset({"go", "come", "return"})
_DOUBLED = {"although": "but", "though": "but", "because": "so"}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def one_relative(parsed: Parsed) -> Iterator[Found]:
    """Puts `one` at the end of a relative clause in the place of its subject pronoun."""
    for verb in parsed.tokens:
        pronoun = parsed.child(verb, "nsubj", "nsubjpass") if verb.dep == "relcl" else None
        if pronoun is None or pronoun.lower not in ("that", "who", "which"):
            continue
        clause = [token for token in parsed.subtree(verb) if token.dep != "punct"]
        previous = parsed.previous(pronoun)
        closed = clause[-1].index - clause[0].index + 1 == len(clause)
        if clause[0] is pronoun and closed and previous is not None and previous.text != ",":
            yield Found(
                parsed.head(verb).index, (delete(parsed, pronoun), after(clause[-1], "one"))
            )


def got_existential(parsed: Parsed) -> Iterator[Found]:
    """Puts got in the place of "there is", and of "is there" in a question."""
    for there in parsed.tokens:
        if there.lower != "there" or there.dep != "expl":
            continue
        verb = parsed.head(there)
        following = parsed.next(verb if verb.index > there.index else there)
        if (
            verb.lemma != "be"
            or verb.tag not in ("VBZ", "VBP")
            or abs(verb.index - there.index) != 1
        ):
            continue
        if following is None or following.lower in ("n't", "not") or following.dep == "punct":
            continue
        start, end = min(there.start, verb.start), max(there.end, verb.end)
        capital = parsed.text[start].isupper()
        yield Found(verb.index, (Edit(start, end, "Got" if capital else "got"),))


def chained_verbs(parsed: Parsed) -> Iterator[Found]:
    """Leaves out `to` and the joining word in "go to the archive and find"."""
    for verb in parsed.tokens:
        goal = _goal(parsed, verb) if verb.lemma in _CHAINED else None
        if goal is None:
            continue
        for second in parsed.children(verb, "conj", "xcomp", "advcl"):
            joint = parsed.previous(second)
            if second.tag == "VB" and joint is not None and joint.lower in ("and", "to"):
                yield Found(verb.index, (delete(parsed, goal), delete(parsed, joint)))
                break


def double_correlative(parsed: Parsed) -> Iterator[Found]:
    """Puts but or so before the main clause that follows although or because."""
    for sentence in parsed.sentences():
        mark = sentence[0]
        clause = parsed.head(mark)
        if mark.lower not in _DOUBLED or mark.dep != "mark" or clause.dep != "advcl":
            continue
        end = parsed.subtree(clause)[-1]
        comma = end if end.text == "," else parsed.next(end)
        main = parsed.next(comma) if comma is not None and comma.text == "," else None
        if main is not None and main.lower not in ("but", "so", "then"):
            yield Found(clause.index, (before(main, _DOUBLED[mark.lower]),))


def omitted_preposition(parsed: Parsed) -> Iterator[Found]:
    """Leaves out to after a verb of motion, of after out, on before a weekday."""
    for token in parsed.tokens:
        previous, following = parsed.previous(token), parsed.next(token)
        if token.dep != "prep" or previous is None or following is None:
            continue
        goal = parsed.head(token).lemma in _MOTION and token.lower == "to"
        out_of = token.lower == "of" and previous.lower == "out"
        weekday = token.lower == "on" and following.lower.startswith(_WEEKDAYS)
        if goal or out_of or weekday:
            yield Found(token.index, (delete(parsed, token),))


def focus_like(parsed: Parsed) -> Iterator[Found]:
    """Puts like before the first object or predicate of a sentence that holds no literal."""
    for sentence in parsed.sentences():
        for token in sentence:
            if token.dep not in ("dobj", "acomp") or token.tag in ("PRP", "WP", "WDT"):
                continue
            phrase = parsed.subtree(token)
            if parsed.head(token).index < phrase[0].index and not any(t.protected for t in phrase):
                yield Found(token.index, (before(phrase[0], "like"),))
                break


def _goal(parsed: Parsed, verb: Token) -> Token | None:
    return next((p for p in parsed.children(verb, "prep") if p.lower == "to"), None)


ONE_RELATIVE = Feature(
    195,
    "one as relativiser",
    one_relative,
    {"singapore": "A"},
    (
        ("The email that came today is here.", "The email came today one is here."),
        ("Who is the person who called?", "Who is the person called one?"),
    ),
)
GOT_EXISTENTIAL = Feature(
    205,
    "existential with get",
    got_existential,
    {"singapore": "A"},
    (
        ("There is a reply from Kay.", "Got a reply from Kay."),
        ("Is there a deadline?", "Got a deadline?"),
    ),
)
CHAINED_VERBS = Feature(
    213,
    "chained motion and activity verbs",
    chained_verbs,
    {"indian": "C", "singapore": "A", "black_south_african": "C"},
    (
        ("Go to the archive and find the memo.", "Go the archive find the memo."),
        ("Come to my office to sign it.", "Come my office sign it."),
    ),
)
DOUBLE_CORRELATIVE = Feature(
    215,
    "correlative doubling",
    double_correlative,
    {"indian": "B", "singapore": "B", "black_south_african": "A", "nigerian": "C"},
    (
        ("Although it is late, send it.", "Although it is late, but send it."),
        ("Because Kay agreed, we signed.", "Because Kay agreed, so we signed."),
    ),
)
OMITTED_PREPOSITION = Feature(
    216,
    "omitted preposition of place or time",
    omitted_preposition,
    {"indian": "C", "singapore": "A", "black_south_african": "C", "nigerian": "B"},
    (
        ("He came out of the meeting.", "He came out the meeting."),
        ("Send it on Monday.", "Send it Monday."),
    ),
)
FOCUS_LIKE = Feature(
    234,
    "focus like",
    focus_like,
    {"indian": "B", "singapore": "B", "black_south_african": "B"},
    (
        ("He wants the summary.", "He wants like the summary."),
        ("It is urgent.", "It is like urgent."),
    ),
    guard="overlaps the casual pole",
)
