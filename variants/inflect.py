"""Word forms of English."""

from __future__ import annotations

from functools import cache

from tracer.registry import missing_extra


@cache
def inflect(lemma: str, tag: str) -> str | None:
    """The form of a lemma with a Penn tag, such as VBD; None when there is none.

    Raises:
        MissingExtraError: lemminflect is not installed.

    Example:
        >>> inflect("send", "VBD")
        'sent'
    """
    try:
        from lemminflect import getInflection
    except ImportError as error:
        raise missing_extra("lemminflect", "variants", "inflecting verbs for a dialect") from error
    forms: tuple[str, ...] = getInflection(lemma, tag=tag)
    return forms[0] if forms else None
