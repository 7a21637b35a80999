"""How the writer refers to what a file holds already; the reader's side is `test_references`."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import example, given

from tracer.references import KEY, Definitions
from tracer.stored import StoredSpan
from tracer.templates import Rendered, Written, _split

letters = st.text("ab", max_size=200)


@given(letters, st.text("ab", min_size=1, max_size=8))
@example("a" * 500, "aaab")
@example("ab" * 300, "ab" * 40 + "a")
@example("", "ab")
@example("abab", "ab")
def test_a_text_is_split_as_by_python(text, document):
    assert _split(text, document) == text.split(document)


def test_many_beginnings_that_are_no_document_do_not_make_it_slow():
    document = "-" * 64 + "x" * 1000
    text = "-" * 5000 + document + "-" * 100
    assert _split(text, document) == text.split(document)


def test_a_text_that_quotes_documents_is_given_as_gaps_and_references():
    written, definitions = Written(), {}
    documents = [{"id": "a", "content": "first " * 60}, {"id": "b", "content": "second " * 60}]
    written.quotable(documents)
    written.define(Rendered(None, 0, documents), definitions)
    text = "Use:\n" + "\n---\n".join(d["content"] for d in documents) + "\nNow."
    template = written.text(text, definitions)
    assert sum(len(str(one)) for one in definitions.values()) < 1200
    pieces = definitions[template[KEY]][KEY]
    assert [piece for piece in pieces if isinstance(piece, str)] == ["Use:\n", "\n---\n", "\nNow."]
    assert _filled(definitions, template) == text


def test_what_is_forgotten_is_defined_anew():
    written, first, again, third = Written(), {}, {}, {}
    value = Rendered(None, 0, {"b": 1, "a": "x" * 400})
    digest = written.define(value, first)
    assert written.define(value, again) == digest
    assert again == {}
    written.forget()
    assert written.define(value, third) == digest
    assert third == first
    assert _filled(third, {KEY: digest}) == {"b": 1, "a": "x" * 400}


def _filled(definitions, template):
    from tracer.attributes import DEFS
    from tracer.limits import json_text

    reader = Definitions()
    reader.take(StoredSpan("1" * 32, "1" * 16, "s", attributes={DEFS: json_text(definitions)}))
    return reader.fill(template)
