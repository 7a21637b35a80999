"""Pronouns in another form or put in: eWAVE 7, 8, 34, 39 and 194."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Finder, Found, after, before, replace
from variants.parsed import Parsed, Token
from variants.sentences import asks
from variants.words import word_set

_SEVERAL = word_set("team everyone everybody committee folks colleagues guys both department")
_MEN = word_set("man boy gentleman brother father")
_WOMEN = word_set("woman girl lady sister mother")
_PEOPLE = word_set("person client customer manager colleague engineer lawyer trader supplier")
_TRANSITIVE = word_set(
    """send write meet get make receive sign forward mention need want draft book order see read
    ask approve find file attach pay"""
)


def me_first(parsed: Parsed) -> Iterator[Found]:
    """Turns "Kay and I" into "me and Kay"."""
    for first, joint, last in _pairs(parsed):
        if first.lower == "i":
            yield Found(first.index, (Edit(first.start, first.end, "me"),))
            continue
        phrase = parsed.subtree(first)
        edits = [
            Edit(parsed.tokens[joint.index - 1].end, last.end, ""),
            before(phrase[0], "me and"),
        ]
        opens = parsed.previous(phrase[0]) is None
        if opens and not phrase[0].protected and not phrase[0].tag.startswith("NNP"):
            lower = phrase[0].text[0].lower() + phrase[0].text[1:]
            edits[1] = Edit(phrase[0].start, phrase[0].end, "me and " + lower)
        yield Found(first.index, tuple(edits))


def myself_last(parsed: Parsed) -> Iterator[Found]:
    """Turns "Kay and I" into "Kay and myself"."""
    for first, _, last in _pairs(parsed):
        pronoun = first if first.lower == "i" else last
        yield Found(first.index, (Edit(pronoun.start, pronoun.end, "myself"),))


def plural_you(words: str) -> Finder:
    """A rule that says `words` for you where several people are spoken to."""

    def find(parsed: Parsed) -> Iterator[Found]:
        several = any(token.lower in _SEVERAL for token in parsed.tokens)
        for token in parsed.tokens if several else ():
            if token.lower == "you" and token.dep in ("nsubj", "nsubjpass", "dobj"):
                yield Found(token.index, (replace(token, words),))

    return find


def question_word_all(parsed: Parsed) -> Iterator[Found]:
    """Puts all after who or what where the question asks for one or more."""
    for sentence in parsed.sentences():
        root = parsed.root(sentence)
        word = sentence[0]
        if not asks(sentence) or root.lemma == "be" or word.lower not in ("who", "what"):
            continue
        if word.dep in ("nsubj", "dobj") and parsed.head(word) is root:
            yield Found(word.index, (after(word, "all"),))


def resumptive_pronoun(parsed: Parsed) -> Iterator[Found]:
    """Puts a pronoun at the place of the missing object of a relative clause."""
    for verb in parsed.tokens:
        noun = parsed.head(verb)
        subject = parsed.child(verb, "nsubj")
        if verb.dep != "relcl" or subject is None or subject.tag.startswith("W"):
            continue
        objects = parsed.children(verb, "dobj", "ccomp", "xcomp", "attr", "acomp")
        marked = len(objects) == 1 and objects[0].lower in ("that", "which", "who", "whom")
        bare = not objects and verb.lemma in _TRANSITIVE and not _stranded(parsed, verb)
        passive = parsed.child(verb, "auxpass") is not None
        if (marked or bare) and not passive and not noun.protected:
            yield Found(verb.index, (after(verb, _pronoun(noun)),))


def _pairs(parsed: Parsed) -> Iterator[tuple[Token, Token, Token]]:
    """Coordinated subjects with I in them: first conjunct, joint, last conjunct."""
    for first in parsed.tokens:
        if first.dep not in ("nsubj", "nsubjpass"):
            continue
        joint, last = parsed.child(first, "cc"), parsed.child(first, "conj")
        if (
            joint is None
            or last is None
            or joint.lower != "and"
            or "i"
            not in (
                first.lower,
                last.lower,
            )
        ):
            continue
        verb = parsed.head(first)
        finite = [verb, *parsed.children(verb, "aux", "auxpass")]
        alone = last.index == joint.index + 1 and len(parsed.children(first, "conj")) == 1
        if alone and not any(token.lower == "am" for token in finite):
            yield first, joint, last


def _stranded(parsed: Parsed, verb: Token) -> bool:
    return any(parsed.child(p, "pobj", "pcomp") is None for p in parsed.children(verb, "prep"))


def _pronoun(noun: Token) -> str:
    if noun.tag == "NNS" or noun.lemma in _PEOPLE:
        return "them"
    if noun.lemma in _MEN:
        return "him"
    return "her" if noun.lemma in _WOMEN else "it"


ME_FIRST = Feature(
    7,
    "object form in a coordinated subject",
    me_first,
    {"indian": "C", "singapore": "B", "black_south_african": "A", "nigerian": "A"},
    (
        ("Kay and I need the deck.", "Me and Kay need the deck."),
        ("Did Kay and I agree on a date?", "Did me and Kay agree on a date?"),
    ),
)
MYSELF_LAST = Feature(
    8,
    "myself in a coordinated subject",
    myself_last,
    {"indian": "C", "black_south_african": "B", "nigerian": "A"},
    (
        ("Kay and I need the deck.", "Kay and myself need the deck."),
        ("Tell Jeff that Sam and I agreed.", "Tell Jeff that Sam and myself agreed."),
    ),
)
YOU_PEOPLE = Feature(
    34,
    "second person plural form",
    plural_you("you people"),
    {"black_south_african": "B", "nigerian": "B"},
    (
        ("Did you send it, team?", "Did you people send it, team?"),
        ("What did you decide in the committee?", "What did you people decide in the committee?"),
    ),
    guard="addressee",
)
QUESTION_WORD_ALL = Feature(
    39,
    "additional plural element in a question word",
    question_word_all,
    {"indian": "A"},
    (
        ("Who replied?", "Who all replied?"),
        ("What did Kay send?", "What all did Kay send?"),
    ),
    guard="number",
)
RESUMPTIVE = Feature(
    194,
    "resumptive pronoun",
    resumptive_pronoun,
    {"indian": "A", "black_south_african": "A", "nigerian": "C"},
    (
        ("The file that Kay sent is missing.", "The file that Kay sent it is missing."),
        ("Who is the man I met?", "Who is the man I met him?"),
    ),
)
