"""Options in a model's name: `openai:NAME?api=responses&tools=json_schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracer.errors import InputError

STREAM = {"stream": ("off", "on")}
API = {"api": ("chat", "responses")}
TOOLS = {"tools": ("native", "json_schema")}
"""How calls are got out of a model: by the tools it was trained with, or by a schema that its
output is held to."""


def split_name(
    scheme: str, argument: str, known: Mapping[str, Sequence[str]]
) -> tuple[str, dict[str, str]]:
    """Name of the model, and its options, each with its first value where it is not given.

    Args:
        scheme: What stands before the colon, for the message.
        argument: What stands after it.
        known: Option to its values.

    Raises:
        InputError: There is no such option or value.

    Example:
        >>> split_name("openai", "small?stream=on", {**STREAM, **API})
        ('small', {'stream': 'on', 'api': 'chat'})
    """
    name, _, tail = argument.partition("?")
    options = {option: values[0] for option, values in known.items()}
    for pair in filter(None, tail.split("&")):
        option, _, value = pair.partition("=")
        if value not in known.get(option, ()):
            shown = ", ".join(f"{one}={'|'.join(values)}" for one, values in known.items())
            raise InputError(
                f"model '{scheme}:{argument}': after the name there may stand ?{shown} (several "
                f"with & between them), not {pair!r}"
            )
        options[option] = value
    return name, options
