"""The benchmark's own way of saying no."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818  an answer of the world, no fault of a program
    """A tool does not do what it is asked; the text is the published one."""
