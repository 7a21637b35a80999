from __future__ import annotations

import pytest

from variants.parse import head_verb, parse
from variants.protect import protected_spans


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Forward the note to Kay.", "forward"),
        ("please email the deck to her", "email"),
        ("can you forward my last email from kofi to nia", "forward"),
        ("If it is there, forward it.", "forward"),
        ("I need to reply to Kay.", "reply"),
        ("Mail from Kay is late.", "be"),
    ],
)
def test_the_head_verb_is_found(text, verb):
    assert head_verb(parse(text, protected_spans(text))) == verb


def test_a_protected_span_is_one_token_at_its_own_place():
    text = "Forward 'the big plan' to Ana María by Thursday 5 March"
    spans = protected_spans(text)
    parsed = parse(text, spans)
    held = [(token.start, token.end) for token in parsed.tokens if token.protected]
    assert held == list(spans)
    assert all(parsed.text[t.start : t.end] == t.text for t in parsed.tokens)


def test_the_noun_after_a_command_is_its_object():
    parsed = parse("Email the new deck to her.")
    (noun,) = [token for token in parsed.tokens if token.text == "deck"]
    assert noun.dep == "dobj"
    assert parsed.head(noun).text == "Email"


@pytest.mark.parametrize("text", ["", "   ", "\n", "?", "'open"])
def test_odd_texts_are_parsed_too(text):
    assert parse(text, protected_spans(text)).text == text
