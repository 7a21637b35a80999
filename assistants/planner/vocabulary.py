"""Everyday verbs and nouns of office work, grouped by what they ask for; no benchmark's names."""

from __future__ import annotations

from assistants.words import stem, word_set

_VERBS = {
    "send": "send write mail email e-mail message tell ask inform notify remind text ping thank",
    "reply": "reply respond answer",
    "forward": "forward relay fwd pass",
    "delete": "delete remove erase trash bin discard clear",
    "move": "move file archive put",
    "flag": "flag star mark unflag",
    "create": "create schedule book add arrange organise organize plan make set put invite",
    "update": "update change reschedule postpone rename extend shift push move set reassign assign",
    "cancel": "cancel scrap call",
    "share": "share",
    "complete": "complete finish tick close",
    "plot": "plot chart graph draw",
    "read": "find search list show look check read get fetch tell see count give open summarise "
    "summarize who what when where which how whose is are do does did has have was were",
}
ACTIONS: dict[str, frozenset[str]] = {
    action: frozenset(stem(verb) for verb in verbs.split()) for action, verbs in _VERBS.items()
}
"""Action to the stems of the verbs that ask for it; a verb may ask for several."""

PHRASES = {
    "get rid of": "delete",
    "call off": "cancel",
    "set up": "create",
    "pass on": "forward",
    "pass along": "forward",
    "get back to": "reply",
    "write back": "reply",
    "tick off": "complete",
    "bring forward": "update",
    "put off": "update",
}
"""Verbs of several words that stand together."""

_NOUNS = {
    "mail": "mail mails email emails e-mail message messages inbox letter",
    "thread": "thread threads conversation",
    "event": "event events meeting meetings appointment appointments calendar call sync review "
    "interview invite invitation session",
    "time": "time slot slots free availability available",
    "person": "person people directory contact contacts address addresses colleague employee",
    "list": "list lists members member",
    "todo": "todo todos to-do to-dos task tasks reminder",
    "file": "file files document documents attachment pdf",
    "folder": "folder folders",
    "customer": "customer customers client clients lead leads",
}
NOUNS: dict[str, str] = {
    stem(noun): kind for kind, nouns in _NOUNS.items() for noun in nouns.split()
}
"""Stem of a noun to its kind."""

DETERMINERS = word_set(
    """a an the my your his her its our their this that these those last latest newest recent
    first next all every each of from any no some one two three another new old short quick
    with by am be been being has had have was were is are i we they he she it which who"""
)
"""A verb form right after one of these is no order: a noun, or part of a statement."""

LEADERS = word_set(
    """please to you and then kindly just can could would will should must also now so or me us
    i'd i'll let's go"""
)
"""A verb form right after one of these, or at the start, is an order."""

NEGATIONS = word_set("not don't dont never no without leave keep instead needn't nothing")

NEWEST = word_set("last latest newest recent")
OLDEST = word_set("first oldest earliest")
EVERY = word_set("all every each both")
SELF = word_set("me myself i my mine us")


def actions_of(word: str) -> list[str]:
    """The actions that a verb form asks for; a form of several actions gives several.

    Example:
        >>> actions_of("forwarding"), actions_of("move"), actions_of("lamp")
        (['forward'], ['move', 'update'], [])
    """
    root = stem(word.lower())
    return [action for action, stems in ACTIONS.items() if root in stems]
