"""Relative clauses, links between clauses, order: eWAVE 185, 198, 204, 214, 217 and 224."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, after, delete, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_DAYTIMES = word_set("morning evening afternoon night")
_DOUBLED = {"but": "still", "so": "therefore"}
_DEFINITE = word_set("the this that these those all both")
_LONGEST_BLOCK = 6


def that_after_comma(parsed: Parsed) -> Iterator[Found]:
    """Puts that for which after a comma."""
    for token in parsed.tokens:
        previous = parsed.previous(token)
        clause = parsed.head(token).dep == "relcl"
        if token.lower == "which" and clause and previous is not None and previous.text == ",":
            yield Found(token.index, (replace(token, "that"),))


def chopped_preposition(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the preposition at the end of a relative clause."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if token.dep != "prep" or verb.dep != "relcl" or token.index < verb.index:
            continue
        right = [t for t in parsed.children(token) if t.index > token.index]
        last = max(t.index for t in parsed.subtree(verb) if t.dep != "punct")
        if not right and token.index == last:
            yield Found(verb.index, (delete(parsed, token),))


def than_what(parsed: Parsed) -> Iterator[Found]:
    """Puts what after than and as before a clause that lacks its object."""
    for mark in parsed.tokens:
        verb = parsed.head(mark)
        previous = parsed.previous(mark)
        if mark.lower not in ("than", "as") or mark.dep not in ("mark", "prep"):
            continue
        subject = parsed.child(verb, "nsubj")
        objects = parsed.child(verb, "dobj", "acomp", "attr", "ccomp", "xcomp", "prep")
        if verb.dep != "advcl" or subject is None or objects is not None or previous is None:
            continue
        # "As soon as he calls" compares times, "as he calls" after a comma gives a reason.
        compared = mark.lower == "than" or previous.tag.startswith("VB")
        if compared and parsed.subtree(subject)[0].index == mark.index + 1:
            yield Found(verb.index, (after(mark, "what"),))


def two_conjunctions(parsed: Parsed) -> Iterator[Found]:
    """Puts still after but, and therefore after so, between two clauses."""
    for token in parsed.tokens:
        previous, following = parsed.previous(token), parsed.next(token)
        if token.lower not in _DOUBLED or previous is None or following is None:
            continue
        verb = parsed.head(token)
        joins = token.dep == "cc" and any(
            other.tag.startswith("VB") and other.index > token.index
            for other in parsed.children(verb, "conj")
        )
        leads = token.dep == "advmod" and any(
            other.index < token.index for other in parsed.children(verb, "ccomp")
        )
        doubled = following.lower in ("still", "yet", "therefore", "that", "far")
        if (joins or leads) and verb.tag.startswith("VB") and not doubled:
            yield Found(verb.index, (after(token, _DOUBLED[token.lower]),))


def postposed_relator(parsed: Parsed) -> Iterator[Found]:
    """Says "morning time" for "in the morning", and "the folder under" for "under the folder"."""
    for token in parsed.tokens:
        noun = parsed.child(token, "pobj") if token.dep == "prep" else None
        if noun is None or noun.protected:
            continue
        phrase = parsed.subtree(noun)
        whole = [t.lower for t in phrase]
        if token.lower == "in" and noun.lower in _DAYTIMES and whole == ["the", noun.lower]:
            yield Found(noun.index, (Edit(token.start, noun.end, f"{noun.text} time"),))
        elif token.lower in ("under", "behind") and whole == ["the", noun.lower]:
            yield Found(noun.index, (delete(parsed, token), after(noun, token.lower)))


def wider_fronting(parsed: Parsed) -> Iterator[Found]:
    """Moves the verb with all before it behind its object, which so comes first.

    The object is never moved itself, so that the literals in it are not touched.
    """
    for sentence in parsed.sentences():
        root = parsed.root(sentence)
        block = parsed.tokens[sentence[0].index : root.index + 1]
        following = parsed.next(root)
        if following is None or not _movable(parsed, root, block):
            continue
        phrase = _object(parsed, root, following)
        if phrase:
            words = parsed.text[block[0].start : root.end]
            words = words if block[0].text == "I" else words[0].lower() + words[1:]
            gone = Edit(block[0].start, phrase[0].start, "")
            yield Found(root.index, (gone, after(phrase[-1], words)))


def _movable(parsed: Parsed, root: Token, block: tuple[Token, ...]) -> bool:
    """Whether a sentence is one clause whose verb, with a short start, can change its place."""
    clauses = parsed.children(root, "conj", "advcl", "ccomp", "xcomp", "parataxis", "neg")
    plain = all(t.dep != "punct" and not t.tag.startswith("W") and not t.protected for t in block)
    return root.tag.startswith("VB") and not clauses and plain and len(block) <= _LONGEST_BLOCK


def _object(parsed: Parsed, root: Token, following: Token) -> list[Token]:
    """The definite object, or the prepositional phrase after a command, right after the verb."""
    noun = parsed.child(root, "dobj")
    if noun is not None and noun.index > root.index:
        phrase = _until(parsed, parsed.subtree(noun), ("to", "with", "by"))
        definite = phrase[0].lower in _DEFINITE or phrase[0].tag == "PRP$"
        fit = definite and not any(t.dep in ("relcl", "acl", "conj") for t in phrase)
        return phrase if fit and phrase[0] is following and phrase[-1].index >= noun.index else []
    if noun is None and following.dep == "prep" and root.tag == "VB" and following.lower == "to":
        phrase = _until(parsed, parsed.subtree(following), ("with", "by"))
        return phrase if len(phrase) > 1 and phrase[0] is following else []
    return []


def _until(parsed: Parsed, phrase: list[Token], words: tuple[str, ...]) -> list[Token]:
    """The start of a phrase without gaps, up to a preposition that belongs to the verb."""
    kept: list[Token] = []
    for token in phrase:
        gap = bool(kept) and token.index != kept[-1].index + 1
        if gap or (kept and token.lower in words) or (token.dep == "punct" and token.text in ".?!"):
            break
        kept.append(token)
    return kept


THAT_AFTER_COMMA = Feature(
    185,
    "that in a non-restrictive clause",
    that_after_comma,
    {"black_south_african": "C", "nigerian": "B"},
    (
        ("The memo, which Kay wrote, is late.", "The memo, that Kay wrote, is late."),
        ("The bid, which won, was ours.", "The bid, that won, was ours."),
    ),
)
CHOPPED_PREPOSITION = Feature(
    198,
    "preposition chopping in relative clauses",
    chopped_preposition,
    {"indian": "A", "singapore": "C", "black_south_african": "C"},
    (
        ("Find the client that you talked to.", "Find the client that you talked."),
        ("This is the file I asked for.", "This is the file I asked."),
    ),
)
THAN_WHAT = Feature(
    204,
    "than what / as what",
    than_what,
    {"indian": "C", "black_south_african": "B", "nigerian": "A"},
    (
        ("It cost more than we planned.", "It cost more than what we planned."),
        ("He did as Kay asked.", "He did as what Kay asked."),
    ),
)
TWO_CONJUNCTIONS = Feature(
    214,
    "two conjunctions in a row between clauses",
    two_conjunctions,
    {"indian": "B", "black_south_african": "B", "nigerian": "B"},
    (
        ("It is late, but send it.", "It is late, but still send it."),
        ("He agreed, so we signed.", "He agreed, so therefore we signed."),
    ),
)
POSTPOSED_RELATOR = Feature(
    217,
    "postposed or suffix-like relator",
    postposed_relator,
    {"indian": "C", "black_south_african": "C", "nigerian": "A"},
    (
        ("Send it in the morning.", "Send it morning time."),
        ("It is under the folder.", "It is the folder under."),
    ),
    guard="time",
)
WIDER_FRONTING = Feature(
    224,
    "wider fronting",
    wider_fronting,
    {"indian": "A", "black_south_african": "A"},
    (
        ("I need the signed contract by Friday.", "The signed contract I need by Friday."),
        ("You sent the draft to Kay?", "The draft you sent to Kay?"),
    ),
)
