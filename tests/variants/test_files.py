from __future__ import annotations

import json

import pytest

from tracer.errors import VariantError
from variants.files import read_variants, write_variants
from variants.make import make_variant


def test_what_is_written_is_read_again(task, tmp_path):
    made = [make_variant(task, c) for c in ("base", "typos", "dialect_singapore", "indirect")]
    path = tmp_path / "v.jsonl"
    assert write_variants(path, made) == 4
    assert read_variants(path) == made
    assert list(tmp_path.iterdir()) == [path]


def test_literals_are_written_with_their_places(task, tmp_path):
    path = tmp_path / "v.jsonl"
    variant = make_variant(task, "dialect_singapore")
    write_variants(path, [variant])
    document = json.loads(path.read_text())
    for literal in document["protected"]:
        for side, text in (("base", variant.base_text), ("variant", variant.text)):
            assert [text[a:b] for a, b in literal[side]] == [literal["text"]] * len(literal[side])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a JSON object"),
        ("[]", "is not of type 'object'"),
        ('{"item_id": "a", "condition": "formal"}', "'text' is a required property"),
        ('{"item_id": "a", "condition": "formal", "text": 3}', "text: 3 is not of type"),
        ('{"item_id": "a", "condition": "formal", "text": "x", "density": NaN}', "NaN is no JSON"),
        ('{"item_id": "a", "condition": "formal", "text": "x", "status": "ok"}', "status: 'ok'"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    path = tmp_path / "v.jsonl"
    path.write_text('{"item_id": "b", "condition": "formal", "text": "x"}\n' + line + "\n")
    with pytest.raises(VariantError, match=r"v\.jsonl:2: ") as caught:
        read_variants(path)
    assert said in str(caught.value)


def test_a_slot_that_comes_twice_is_refused(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text('{"item_id": "b", "condition": "formal", "text": "x"}\n' * 2)
    with pytest.raises(VariantError, match="line 1 already"):
        read_variants(path)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "v.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VariantError, match="no readable file of variants"):
        read_variants(path)
