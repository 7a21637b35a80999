"""What kind of sentence a parse shows: command, question with its inverted verb, statement."""

from __future__ import annotations

from dataclasses import dataclass

from variants.parsed import Parsed, Token
from variants.words import word_set

AUXILIARIES = word_set(
    """am is are was were do does did have has had can could will would shall should may might
    must"""
)
SUBJECTS = ("nsubj", "nsubjpass", "expl")
_PLURAL_SUBJECTS = word_set("we you they these those many few several both")
_COMPLEMENTS = ("attr", "acomp", "prep", "advmod", "xcomp", "ccomp", "oprd", "npadvmod")
_LEADS = frozenset(
    {"please", "kindly", "now", "then", "also", "so", "and", "next", "just", "ok", "okay", ","}
)


@dataclass(frozen=True, slots=True)
class Inversion:
    """A question whose finite verb stands before its subject."""

    auxiliary: tuple[Token, ...]
    """The verb, with `n't` when it is negated."""
    subject_end: Token
    """Last word of the subject."""
    verb: Token
    """Main verb of the clause; the auxiliary itself for a question with be alone."""

    @property
    def do_support(self) -> bool:
        """Whether the auxiliary is a plain do, which falls away with the inversion."""
        return self.auxiliary[0].lemma == "do" and len(self.auxiliary) == 1


def asks(sentence: list[Token]) -> bool:
    """Whether a sentence ends with a question mark."""
    return sentence[-1].text.endswith("?") and not sentence[-1].protected


def final_mark(sentence: list[Token]) -> Token | None:
    """The punctuation at the end of a sentence, when there is one outside protected spans."""
    last = sentence[-1]
    return last if not last.protected and set(last.text) <= set(".!?") else None


def first_word(sentence: list[Token]) -> Token:
    """The first word that is not a lead such as "please" or "then"."""
    return next((token for token in sentence if token.lower not in _LEADS), sentence[0])


def is_command(parsed: Parsed, sentence: list[Token]) -> bool:
    """Whether the main verb is an imperative."""
    root = parsed.root(sentence)
    if root.tag != "VB" or parsed.child(root, *SUBJECTS, "aux", "auxpass"):
        return False
    clause = first_word(sentence)
    return clause.index == root.index or (
        clause.dep in ("mark", "advmod") and clause.head != root.index
    )


def subject(parsed: Parsed, verb: Token) -> Token | None:
    """The subject of a verb."""
    return parsed.child(verb, *SUBJECTS)


def is_statement(parsed: Parsed, sentence: list[Token]) -> bool:
    """Whether a sentence is declarative: subject before finite verb, no question mark."""
    root = parsed.root(sentence)
    found = subject(parsed, root)
    return not asks(sentence) and found is not None and found.index < root.index


def yes_no_question(parsed: Parsed, sentence: list[Token]) -> Inversion | None:
    """The inversion of a yes/no question, also of "can you ..." without a mark at its end."""
    first = first_word(sentence)
    following = parsed.next(first)
    unmarked = (
        final_mark(sentence) is None
        and first.tag == "MD"
        and following is not None
        and following.lower == "you"
    )
    if not (asks(sentence) or unmarked) or first.lower not in AUXILIARIES or first.protected:
        return None
    return _inversion(parsed, sentence, first)


def wh_question(parsed: Parsed, sentence: list[Token]) -> Inversion | None:
    """The inversion of a question with a question word that is not its subject."""
    if not asks(sentence):
        return None
    word = next((token for token in sentence[:3] if token.tag.startswith("W")), None)
    if word is None:
        return None
    root = parsed.root(sentence)
    known = [t for t in parsed.children(root, "aux", "auxpass") if t.index > word.index]
    auxiliary = known[0] if known else root
    if auxiliary.lower not in AUXILIARIES or (auxiliary is root and root.lemma != "be"):
        return None
    return _inversion(parsed, sentence, auxiliary)


def _inversion(parsed: Parsed, sentence: list[Token], auxiliary: Token) -> Inversion | None:
    root = parsed.root(sentence)
    found = next((t for t in parsed.children(root, *SUBJECTS) if t.index > auxiliary.index), None)
    if found is None or (auxiliary.index == root.index and root.lemma != "be"):
        return None
    negation = parsed.next(auxiliary)
    negated = negation is not None and negation.lower == "n't"
    moved = (auxiliary, negation) if negated and negation is not None else (auxiliary,)
    phrase = _subject_phrase(parsed, root, found)
    follows = root.index > found.index
    if phrase[0].index != moved[-1].index + 1 or (follows and phrase[-1].index >= root.index):
        return None
    return Inversion(moved, phrase[-1], root)


def _subject_phrase(parsed: Parsed, root: Token, found: Token) -> list[Token]:
    phrase = [t for t in parsed.subtree(found) if t.text not in "?.!"]
    complements = [t for t in parsed.children(root, *_COMPLEMENTS) if t.index > found.index]
    asked = any(t.tag.startswith("W") and t.index < root.index for t in parsed.sentence_of(root))
    if root.index < found.index and not complements and not asked:
        # "Is the room booked?": what follows the noun is the predicate, whatever the parser says.
        phrase = [token for token in phrase if token.index <= found.index]
    return phrase


def be_for(parsed: Parsed, noun: Token, *, past: bool = False) -> str:
    """The form of be that agrees with a subject."""
    plural = (
        noun.lower in _PLURAL_SUBJECTS
        or noun.tag in ("NNS", "NNPS")
        or parsed.child(noun, "conj") is not None
    )
    if past:
        return "were" if plural else "was"
    if noun.lower == "i" and not plural:
        return "am"
    return "are" if plural else "is"


def have_for(parsed: Parsed, noun: Token) -> str:
    """The form of present have that agrees with a subject."""
    return "has" if be_for(parsed, noun) == "is" else "have"


def do_for(parsed: Parsed, noun: Token) -> str:
    """The form of present do that agrees with a subject."""
    return "does" if be_for(parsed, noun) == "is" else "do"


def has_word(sentence: list[Token], *words: str) -> bool:
    """Whether one of these words, in lower case, stands in a sentence."""
    return any(token.lower in words for token in sentence)
