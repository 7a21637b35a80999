"""A conversation as a task: what is said, what is expected, what a wording must keep."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sandboxes.tooltalk.protected import protected_literals
from sandboxes.tooltalk.replay import Conversation, Made, read_conversation
from sandboxes.tooltalk.state import Databases
from tracer.records import GoldCall, Json, Message, Task, ToolCall, Turn

_TOKEN = "session_token"


def make_task(
    name: str,
    split: str,
    document: Mapping[str, Json],
    *,
    suite: str,
    free: bool,
    names: Sequence[str],
) -> Task:
    """The task of a conversation file.

    Args:
        name: Name of the file without its ending.
        split: `easy` or `hard`.
        document: What the file holds.
        suite: Name of the suite.
        free: Whether the assistant lives with its own earlier turns; the turns then carry no reply
            to put in their place.
        names: Names that are protected wherever they stand.
    """
    conversation = read_conversation(document)
    gold = [call for turn in conversation.turns for call in turn.calls]
    protected = [protected_literals(turn.text, gold, names) for turn in conversation.turns]
    return Task(
        item=f"tooltalk-{split}-{name}",
        suite=suite,
        form="conversation",
        turns=tuple(Turn(turn.text, "" if free else turn.reply) for turn in conversation.turns),
        cluster=name,
        protected=tuple(dict.fromkeys(literal for turn in protected for literal in turn)),
        calls=gold_calls(conversation),
        groups={
            "split": split,
            "suites": "+".join(document.get("suites_used") or ()),
            "gold_length": str(len(gold)),
        },
        detail={
            "conversation": {key: document[key] for key in ("user", "metadata", "conversation")},
            "protected": [list(turn) for turn in protected],
            "free_running": free,
        },
    )


def gold_calls(conversation: Conversation) -> tuple[GoldCall, ...]:
    """The gold calls of all turns as an assistant would make them: without the session's token."""
    return tuple(
        GoldCall(call.name, _sent(call), writes=call.action, turn=number)
        for number, turn in enumerate(conversation.turns)
        for call in turn.calls
    )


def gold_messages(conversation: Conversation, turn: int) -> tuple[Message, ...]:
    """What the answer key's assistant does and says in a turn, as a later turn's history shows it.

    Its calls, what they gave, and its text; the published run shows all three.
    """
    gold = conversation.turns[turn]
    messages: list[Message] = []
    for number, call in enumerate(gold.calls):
        call_id = f"turn-{turn}-{number}"
        result = json.dumps(call.response) if call.exception is None else f"error: {call.exception}"
        asked = ToolCall(call.name, _sent(call), call_id)
        messages += [
            Message("assistant", tool_calls=(asked,)),
            Message("tool", result, tool_call_id=call_id, name=call.name),
        ]
    return (*messages, Message("assistant", gold.reply))


def known_names(databases: Databases) -> list[str]:
    """User names, names of people and cities of the databases."""
    accounts = databases["Account"]
    people = [account["name"] for account in accounts.values() if account.get("name")]
    parts = [part for name in people for part in name.split() if len(part) > 2]
    cities = {*databases["Weather"], *databases["HistoricWeather"]}
    return sorted({*accounts, *people, *parts, *cities})


def _sent(call: Made) -> dict[str, Json]:
    return {name: value for name, value in (call.arguments or {}).items() if name != _TOKEN}
