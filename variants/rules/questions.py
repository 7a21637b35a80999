"""Word order and tags of questions and requests: eWAVE 165, 166, 227, 228 and 229."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Finder, Found, after, before, delete, replace
from variants.inflect import inflect
from variants.parsed import Parsed, Token
from variants.sentences import (
    AUXILIARIES,
    Inversion,
    asks,
    final_mark,
    first_word,
    is_command,
    is_statement,
    subject,
    wh_question,
    yes_no_question,
)

_ASKING = frozenset(
    {"tell", "know", "ask", "wonder", "check", "find", "see", "show", "say", "confirm"}
)
_DO = {"VBD": "did", "VBZ": "does", "VBP": "do", "VB": "do"}
_FINITE = {"did": "VBD", "does": "VBZ"}


def uninvert_yes_no(parsed: Parsed) -> Iterator[Found]:
    """Puts the finite verb of a yes/no question behind its subject; a plain do falls away."""
    for sentence in parsed.sentences():
        if asks(sentence):  # without the mark, what is left would read as a permission
            yield from _uninvert(parsed, yes_no_question(parsed, sentence))


def uninvert_wh(parsed: Parsed) -> Iterator[Found]:
    """Puts the finite verb of a question with a question word behind its subject."""
    for sentence in parsed.sentences():
        yield from _uninvert(parsed, wh_question(parsed, sentence))


def invert_indirect(parsed: Parsed) -> Iterator[Found]:
    """Puts the finite verb of an indirect question, else a do, before its subject."""
    for verb in parsed.tokens:
        if verb.dep not in ("ccomp", "advcl", "dobj", "pcomp") or not verb.tag.startswith(
            ("VB", "MD")
        ):
            continue
        noun = subject(parsed, verb)
        if parsed.head(verb).lemma not in _ASKING or noun is None or noun.index > verb.index:
            continue
        phrase = parsed.subtree(noun)
        word = next(
            (t for t in parsed.subtree(verb) if t.tag.startswith("W") and t.lower != "that"), None
        )
        if word is None or word.index >= phrase[0].index or parsed.child(verb, "neg"):
            continue
        # "Tell me when he calls" may ask for a signal instead of a time.
        if word.lower == "when" and verb.tag in ("VBZ", "VBP") and verb.lemma != "be":
            continue
        edits = _inverted(parsed, verb, phrase[0])
        if edits:
            yield Found(verb.index, edits)


def can_or_not(parsed: Parsed) -> Iterator[Found]:
    """Ends the last command or can-question of a request with the tag "can or not?"."""
    for sentence in reversed(parsed.sentences()):
        inversion = yes_no_question(parsed, sentence)
        asked = inversion is not None and first_word(sentence).lower == "can"
        if not asked and not is_command(parsed, sentence):
            continue
        edits = [_tag(sentence, ", can or not?")]
        if asked:
            edits.append(delete(parsed, first_word(sentence)))
        yield Found(parsed.root(sentence).index, tuple(edits))
        return


def invariant_tag(words: str) -> Finder:
    """A rule that ends the last statement of a request with a tag question."""

    def find(parsed: Parsed) -> Iterator[Found]:
        sentence = parsed.sentences()[-1] if parsed.tokens else []
        if sentence and is_statement(parsed, sentence):
            yield Found(parsed.root(sentence).index, (_tag(sentence, f", {words}?"),))

    return find


def _tag(sentence: list[Token], words: str) -> Edit:
    mark = final_mark(sentence)
    if mark is not None:
        return Edit(mark.start, mark.end, words)
    return Edit(sentence[-1].end, sentence[-1].end, words)


def _uninvert(parsed: Parsed, inversion: Inversion | None) -> Iterator[Found]:
    if inversion is None:
        return
    auxiliary, verb = inversion.auxiliary, inversion.verb
    if not inversion.do_support:
        taken = Edit(auxiliary[0].start, delete(parsed, auxiliary[-1]).end, "")
        moved = parsed.text[auxiliary[0].start : auxiliary[-1].end].lower()
        yield Found(verb.index, (taken, after(inversion.subject_end, moved)))
        return
    tag = _FINITE.get(auxiliary[0].lower)
    form = inflect(verb.lemma, tag) if tag else verb.text
    if form is not None and verb.tag in ("VB", "VBP"):
        yield Found(verb.index, (delete(parsed, auxiliary[0]), replace(verb, form)))


def _inverted(parsed: Parsed, verb: Token, first: Token) -> tuple[Edit, ...]:
    auxiliary = parsed.child(verb, "aux", "auxpass")
    if auxiliary is None and verb.lemma == "be":
        auxiliary = verb
    if auxiliary is not None:
        if auxiliary.lower not in AUXILIARIES or auxiliary.index < first.index:
            return ()
        return (delete(parsed, auxiliary), before(first, auxiliary.lower))
    word = _DO.get(verb.tag)
    return (before(first, word), replace(verb, verb.lemma)) if word else ()


INVERTED_INDIRECT = Feature(
    227,
    "inversion in an indirect question",
    invert_indirect,
    {"indian": "A", "singapore": "A", "black_south_african": "A", "nigerian": "B"},
    (
        ("Tell me when Kay sent it.", "Tell me when did Kay send it."),
        ("Find out what the price is.", "Find out what is the price."),
    ),
)
UNINVERTED_WH = Feature(
    228,
    "no inversion in a wh-question",
    uninvert_wh,
    {"indian": "A", "singapore": "A", "black_south_african": "C"},
    (
        ("What did Kay send?", "What Kay sent?"),
        ("When is the call?", "When the call is?"),
    ),
)
UNINVERTED_YES_NO = Feature(
    229,
    "no inversion in a yes/no question",
    uninvert_yes_no,
    {"indian": "A", "singapore": "A", "black_south_african": "C"},
    (
        ("Did Kay reply?", "Kay replied?"),
        ("Is the room booked?", "The room is booked?"),
    ),
)
CAN_OR_NOT = Feature(
    166,
    "can or not",
    can_or_not,
    {"singapore": "A"},
    (
        ("Can you send the file?", "You send the file, can or not?"),
        ("Forward it to Kay.", "Forward it to Kay, can or not?"),
    ),
)
IS_IT_TAG = Feature(
    165,
    "invariant tag",
    invariant_tag("is it"),
    {"singapore": "A"},
    (
        ("Kay sent the contract.", "Kay sent the contract, is it?"),
        ("The meeting moved.", "The meeting moved, is it?"),
    ),
    guard="turns a statement into a question",
)
ISNT_IT_TAG = Feature(
    165,
    "invariant tag",
    invariant_tag("isn't it"),
    {"indian": "A", "black_south_african": "B"},
    (
        ("Kay sent the contract.", "Kay sent the contract, isn't it?"),
        ("The meeting moved.", "The meeting moved, isn't it?"),
    ),
    guard="turns a statement into a question",
)
