"""The quick looks that most texts are passed over by let no secret pass."""

from __future__ import annotations

import random
import re

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from tests.tracer.test_redact import FAMILIES, TELLING
from tracer import redact
from tracer import secret_shapes as shapes
from tracer.attributes import ATTRIBUTES
from tracer.limits import Snapshot
from tracer.record import Recorder
from tracer.redact import Redactor, TraceRedactor
from tracer.testing import MemorySink

PATTERNS = {
    f"{kind} {literal}": pattern
    for group in shapes.SHAPES.values()
    for literal, kind, pattern in group
} | {"url": shapes.URL_PASSWORD, "pem": shapes.PEM}


@pytest.mark.parametrize("shape", PATTERNS)
def test_each_shape_passes_the_quick_look(shape):
    @settings(max_examples=20, deadline=None, database=None)
    @given(st.from_regex(PATTERNS[shape]), st.sampled_from(["", "a ", "é"]))
    def passes(text, before):
        raw = f"{before}{text}".encode(errors="surrogatepass")
        assert shapes.may_hold_token(raw)
        assert shapes.may_hold_token(Snapshot({"a": [text]}).packed)

    passes()


@settings(max_examples=60, deadline=None)
@given(st.from_regex(shapes.PREFIXED))
@example("acme_live_f9Kq27LmX0pZr4TnB81w")
@example("a1-b-c_d-" + "a1B2" * 6)
def test_each_prefixed_token_passes_the_quick_look(text):
    match = shapes.PREFIXED.search(text)
    if match is not None and shapes.is_prefixed_secret(match[1], match[2]):
        assert shapes.may_hold_token(text.encode())


WORDS = sorted(
    {*shapes._WORDS, *shapes._PASSWORD_WORDS, "key", "token", "auth", "bearer", "basic"}
    | {*shapes._KEY_BEFORE, "next", "value", "header"}
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.sampled_from(["", "_", "-", " ", "."]),
    st.sampled_from([str.lower, str.upper, str.title]),
)
@example(["token"], "", lambda name: name.replace("k", "\u212a"))
def test_each_name_of_a_secret_passes_the_quick_look(words, between, form):
    name = form(between.join(words))
    if shapes.secret_kind(name):
        assert shapes.may_name(name.encode())
        assert shapes.may_name(Snapshot([{name: 111}, 114]).packed)


def test_what_the_other_tests_find_passes():
    rng = random.Random(3)
    assert all(shapes.may_hold_token(FAMILIES[f](rng).encode()) for f in FAMILIES if f != "header")
    assert all(shapes.may_name(n.encode()) for n in re.split(r"[|\n]", TELLING))


def test_prose_does_not_pass():
    raw = b"Please pass the notes of Thursday on to Ann-Marie; the rest is in room_12. Thanks."
    assert not shapes.may_name(raw)
    assert not shapes.may_hold_token(raw)


def test_no_attribute_of_ours_is_named_like_a_secret():
    """The writer relies on it."""
    assert [name for name in ATTRIBUTES if shapes.secret_kind(name)] == []


def test_texts_without_secrets_are_remembered_within_a_bound(monkeypatch):
    monkeypatch.setattr(redact, "_CLEAN_BYTES", 20_000)
    redactor = Redactor()
    for number in range(500):
        trace = TraceRedactor(redactor)
        assert trace.text(f"note {number} " * 10) == f"note {number} " * 10
        assert sum(map(len, redactor._clean)) <= redactor._clean_bytes <= 20_000
    assert redactor.is_clean(b"note 499 " * 10)
    assert 0 < len(redactor._clean) < 500


def test_what_is_remembered_is_still_searched_for_what_a_trace_names():
    redactor = Redactor(salt=b"s")
    text = "the word is swordfish77, say it"
    value = {"say": [text, "and swordfish77 again"]}
    first = TraceRedactor(redactor)
    assert (first.text(text), first.value(value)) == (text, value)
    second = TraceRedactor(redactor)
    second.learn({"password": "swordfish77"})
    assert "swordfish77" not in second.text(text)
    assert "swordfish77" not in str(second.value(value))
    third = TraceRedactor(redactor)
    assert third.text(text) == text


def _record(redactor, *runs):
    sink = MemorySink()
    with Recorder(sink, redactor=redactor) as recorder:
        for attributes in runs:
            root = recorder.start("agent", "a", parent=None)
            for one in attributes:
                recorder.start("tool", "t", one, parent=root).end()
            root.end()
    return sink


def test_short_values_that_traces_share_are_redacted_where_one_names_them():
    plain = {"text": "open sesame99", "list": ["open sesame99"], "deep": {"a": "open sesame99"}}
    sink = _record(Redactor(), [plain], [{"password": "sesame99"}, plain], [plain])
    spans = [span for span in sink.spans() if "text" in span.attributes]
    found = ["sesame99" in str(span.attributes) for span in spans]
    assert found == [True, False, True]


def test_a_value_is_learned_under_a_telling_name_wherever_it_stood_before():
    sink = _record(Redactor(), [{"text": "sesame-99"}, {"password": "sesame-99"}])
    assert b"sesame-99" not in sink.data


def test_fixtures_that_are_exempt_do_not_hide_what_is_not():
    redactor = Redactor(exempt={"sesame-99"})
    first = TraceRedactor(redactor)
    text = "password: sesame-99, api_key: zzzz-yyyy1"
    assert "sesame-99" in first.text(text)
    assert "zzzz" not in TraceRedactor(redactor).text(text)
