"""Everyday verbs and nouns of office work, grouped by what they ask for; no benchmark's names."""

from __future__ import annotations

from assistants.words import stem, word_set

_VERBS = {
    "send": "send write mail email e-mail message tell ask inform notify remind text ping thank",
    "reply": "reply respond answer",
    "forward": "forward relay fwd pass",
    "delete": "delete remove erase trash bin discard clear strike",
    "move": "move file archive put lay",
    "flag": "flag star mark unflag",
    "create": "create schedule book add arrange organise organize plan make set put invite enter "
    "note reserve give write assign hold",
    "update": "update change reschedule postpone rename extend shift push move set reassign assign "
    "put",
    "cancel": "cancel scrap call strike drop",
    "share": "share",
    "complete": "complete finish tick close",
    "plot": "plot chart graph draw",
    "read": "find search list show look check read get fetch tell see count give open summarise "
    "summarize look track hunt dig pick who what when where which how whose is are do does did has "
    "have was were",
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
    "put away": "move",
    "look up": "read",
    "look for": "read",
}
"""Verbs of several words that stand together."""

PARTED: tuple[tuple[str, str, str], ...] = (
    ("give let grant", "access", "share"),
    ("have let make", "start|begin|end|last|finish", "update"),
    ("give", "more|longer|less", "update"),
    ("send pass hand let", "on to", "forward"),
    ("send pass hand let", "as a forward", "forward"),
    ("mark set", "as done", "complete"),
    ("put set", "flag on", "flag"),
    ("take strike", "off the calendar", "cancel"),
    ("strike", "from the calendar", "cancel"),
    ("put", "away", "move"),
    ("take lay put", "archive", "move"),
    ("bring", "forward to", "update"),
    ("let", "know", "send"),
)
"""Verbs whose meaning stands in words further on: verbs, those words, and what both ask for."""

_NOUNS = {
    "mail": "mail mails email emails e-mail message messages inbox letter",
    "thread": "thread threads conversation",
    "event": "event events meeting meetings appointment appointments calendar call sync review "
    "interview invite invitation session",
    "time": "time slot slots free availability available",
    "person": "person people directory contact contacts address addresses colleague employee phone "
    "telephone role",
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

INDEFINITE = word_set("a an another two three both some new")
"""After a verb of several meanings these mean that something is made."""
DEFINITE = word_set("the my our your his her its their this that it them")
"""After a verb of several meanings these mean that something is there already."""

LEADERS = word_set(
    """please to you and then kindly just can could would will should must also now so or me us
    i'd i'll let's go"""
)
"""A verb form right after one of these, or at the start, is an order."""

QUESTION_WORDS = word_set("who whom whose what when where which how whether if")

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
