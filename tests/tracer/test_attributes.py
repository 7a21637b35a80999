"""The table of span attributes."""

import pytest

from tracer.attributes import ATTRIBUTES, IDENTITY, is_content, lookup


@pytest.mark.parametrize("key", ATTRIBUTES)
def test_every_attribute_says_what_it_is(key):
    attribute = ATTRIBUTES[key]
    assert attribute.note.endswith(".")
    assert attribute.kinds
    assert key.startswith("stagetrace.") == (attribute.convention == "stagetrace 2")
    assert lookup(key.replace("{i}", "7")) is attribute


def test_identity_is_never_content():
    assert not any(is_content(key) for key in IDENTITY)


def test_words_are_content_and_ids_are_not():
    assert is_content("gen_ai.tool.call.arguments")
    assert is_content("somebody.else")
    assert not is_content("stagetrace.retrieval.ids", ["a"])
    assert not is_content("gen_ai.input.messages.truncated", "{}")
