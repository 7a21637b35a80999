"""What the benchmark takes for an e-mail address."""

from __future__ import annotations

import re

from tracer.records import Json

_ADDRESS = re.compile(r"^[\w\-\d\.]+@[\w\-\d\.]+$")


def is_address(text: Json) -> bool:
    """Whether a text passes the published pattern, which asks for no domain ending.

    Raises:
        TypeError: It is no text.

    Example:
        >>> is_address("lena@harbour"), is_address("lena")
        (True, False)
    """
    return _ADDRESS.match(text) is not None
