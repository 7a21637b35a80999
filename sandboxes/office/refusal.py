"""Why a tool did not do what was asked; it becomes the tool's result."""


class Refusal(Exception):  # noqa: N818 (a refusal is an answer of the tool, not an error of ours)
    """The tool's own error, such as `no mail ID m-000000`."""
