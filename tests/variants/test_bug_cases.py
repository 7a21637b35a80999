"""Faults of other rewriters that are told in words, each under its number in the list of cases."""

from __future__ import annotations

import pytest

from variants.features import DIALECTS, Dialect
from variants.parse import parse
from variants.transduce import transduce


@pytest.mark.parametrize("name", DIALECTS.names())
def test_bug_085_every_dialect_and_combination_is_built(name: str) -> None:
    listed = DIALECTS.get(name)
    for size in (1, 2, len(listed.features)):
        assert Dialect(name, listed.variety, listed.features[:size]).features
    for feature in listed.features:
        one = Dialect(name, listed.variety, (feature,))
        assert transduce(parse("Send it to Kay."), one, item="x").text
