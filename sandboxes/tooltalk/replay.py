"""Conversations as the answer key has them, and calls played over them turn by turn.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/evaluation/tool_executor.py` and `evaluate_openai.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sandboxes.tooltalk.state import Databases, World
from sandboxes.tooltalk.toolkit import call_tool, tool_specs
from tracer.records import Change, Json

UNREADABLE = "Failed to parse API call"
UNFINISHED = "The call did not come back"
"""Ours: the exception of a call whose end nobody saw; the published executor has no such call."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call with what became of it, or a call of the answer key."""

    name: str
    arguments: Mapping[str, Json] | None
    """With the session's token where the tool needs a login; None: unreadable."""
    response: Json = None
    exception: str | None = None
    error_type: str | None = None
    """Class of the exception; None for the benchmark's own texts."""
    changes: tuple[Change, ...] = ()
    user: str | None = None
    """Who was signed in, for a call that was executed and needs a login."""

    @property
    def action(self) -> bool:
        """Whether the benchmark calls the tool an action; False for a name it does not know."""
        spec = tool_specs().get(self.name)
        return spec is not None and spec.writes


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """What the user says and what the assistant should do then."""

    text: str
    reply: str
    calls: tuple[Made, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of the benchmark."""

    now: str
    location: str
    user: Mapping[str, Json]
    signed_in: bool
    turns: tuple[GoldTurn, ...]
    """One for each time the assistant is asked."""
    closing: tuple[str, ...]
    """What the user says last, which no assistant answers."""


def read_conversation(document: Mapping[str, Json]) -> Conversation:
    """The conversation of a file; user texts in a row are one turn, line by line."""
    turns, said = [], []
    for entry in document["conversation"]:
        if entry["role"] == "user":
            said.append(entry["text"])
            continue
        calls = tuple(_gold_call(call) for call in entry.get("apis") or ())
        turns.append(GoldTurn("\n".join(said), entry["text"], calls))
        said = []
    metadata, user = document["metadata"], document["user"]
    return Conversation(
        now=metadata["timestamp"],
        location=metadata.get("location", ""),
        user=user,
        signed_in=user.get("session_token") is not None,
        turns=tuple(turns),
        closing=tuple(said),
    )


def _gold_call(call: Mapping[str, Json]) -> Made:
    request = call["request"]
    return Made(request["api_name"], request["parameters"], call["response"], call["exception"])


def begin(world: World, conversation: Conversation, turn: int = 0) -> None:
    """The state in which the published run asks for a turn: all earlier gold calls are done."""
    world.begin(conversation.now, conversation.user)
    for earlier in conversation.turns[:turn]:
        for call in earlier.calls:
            execute(world, call.name, call.arguments)
    world.take_changes()


def execute(world: World, name: str, arguments: Mapping[str, Json] | None) -> Made:
    """Make one call; whatever goes wrong is in the result."""
    if arguments is None:
        return Made(name, None, exception=UNREADABLE)
    spec = tool_specs().get(name)
    if spec is None:
        return Made(name, arguments, exception=f"API {name} not found")
    user = None
    if spec.login and world.session is not None:
        arguments = {**arguments, "session_token": world.session}
        user = world.username()
    try:
        response = call_tool(world, spec, **arguments)
    except Exception as error:  # the published rule: any exception is shown to the agent as text
        own = type(error).__module__ == "builtins"
        kind = type(error).__name__ if own else None
        return Made(name, arguments, None, str(error), kind, world.take_changes(), user)
    return Made(name, arguments, response, changes=world.take_changes(), user=user)


Asked = tuple[str, Mapping[str, Json] | None]
"""Name and arguments of a call; None where the arguments are unreadable."""


def play(
    originals: Databases,
    conversation: Conversation,
    turns: Sequence[Sequence[Asked | Made]],
    *,
    forcing: bool = True,
) -> list[list[Made]]:
    """What becomes of the calls, turn by turn.

    Args:
        originals: The databases.
        conversation: The conversation.
        turns: The calls of each turn; a `Made` among them is kept as it is and not executed.
        forcing: Whether each turn begins where the answer key would be; else where the last ended.
    """
    return list(_played(World(originals), conversation, turns, forcing))


def _played(
    world: World,
    conversation: Conversation,
    turns: Sequence[Sequence[Asked | Made]],
    forcing: bool,
) -> Iterator[list[Made]]:
    for turn, calls in enumerate(turns):
        if forcing or turn == 0:
            begin(world, conversation, turn)
        yield [call if isinstance(call, Made) else execute(world, *call) for call in calls]
