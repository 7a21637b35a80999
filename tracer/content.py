"""Which words of a run are recorded: all, some, or none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tracer import attributes as names
from tracer.attributes import is_content, lookup

_INPUTS: Final = frozenset(
    {
        names.INPUT_VALUE,
        names.INPUT_MESSAGES,
        names.SYSTEM_INSTRUCTIONS,
        names.TOOL_ARGUMENTS,
        names.TOOL_PARAMETERS_OI,
        names.TOOL_RAW,
        names.QUERY_TEXT,
        names.RERANK_QUERY,
    }
)
_TOOLS: Final = frozenset({names.TOOL_DEFINITIONS})
# The history that a model is given repeats what it and the tools said before.
_REPEATS_OUTPUTS: Final = frozenset({names.INPUT_MESSAGES})


@dataclass(frozen=True, slots=True)
class Content:
    """What is recorded of inputs, outputs and the tools that are offered."""

    inputs: bool = True
    outputs: bool = True
    tools: bool = True

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.inputs and self.outputs and self.tools

    def hides(self, key: str, value: object = "") -> bool:
        """Whether an attribute is left out; texts under keys of the user's own go with any part.

        Example:
            >>> Content(outputs=False).hides("gen_ai.tool.call.result")
            True
            >>> Content(outputs=False).hides("stagetrace.retrieval.ids")
            False
        """
        if self.whole or not is_content(key, value):
            return False
        if key in _TOOLS:
            return not self.tools
        if key in _INPUTS:
            return not self.inputs or (not self.outputs and key in _REPEATS_OUTPUTS)
        return not self.outputs or (lookup(key) is None and not self.inputs)


EVERYTHING: Final = Content()
NOTHING: Final = Content(inputs=False, outputs=False, tools=False)


def content_of(wanted: bool | Content) -> Content:
    """A plain yes or no as what is recorded."""
    if isinstance(wanted, Content):
        return wanted
    return EVERYTHING if wanted else NOTHING


def most_private(choices: Iterable[bool | Content]) -> Content:
    """What every one of the choices allows.

    Example:
        >>> most_private([True, Content(inputs=False)])
        Content(inputs=False, outputs=True, tools=True)
    """
    out = EVERYTHING
    for choice in map(content_of, choices):
        out = Content(
            out.inputs and choice.inputs,
            out.outputs and choice.outputs,
            out.tools and choice.tools,
        )
    return out
