"""Strict JSON of any value, and cuts with a mark."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracer.limits import Snapshot, cut, json_text


class Loud:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class LoudMapping(dict):
    def items(self):
        raise RuntimeError("no items")


def strictly(text: str) -> object:
    def fail(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=fail)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": float("nan")}, {"a": {"$float": "NaN"}}),
        ([float("-inf")], [{"$float": "-Infinity"}]),
        (2**70, {"$int": str(2**70)}),
        (b"ab", "YWI="),
        ("a\ud83d", "a\ufffd"),
        ({"k\ud83d": 1}, {"k\ufffd": 1}),
        ((1, 2), [1, 2]),
        ({3: "x"}, {"3": "x"}),
    ],
)
def test_what_json_cannot_hold_is_tagged(value, expected):
    assert strictly(json_text(value)) == expected


@pytest.mark.parametrize(
    "value", [threading.Lock(), Loud(), LoudMapping(a=1), {1, "a"}, lambda: 0, [Loud(), object()]]
)
def test_an_object_of_any_kind_gives_strict_json(value):
    strictly(json_text(value))


def test_deep_nesting_is_cut_without_recursion_error():
    deep: list = []
    for _ in range(50_000):
        deep = [deep]
    assert "$deep" in json_text({"deep": deep, "n": float("nan")})


def test_a_snapshot_keeps_the_value_of_its_moment():
    value = {"a": [1]}
    snapshot = Snapshot(value)
    value["a"].append(2)
    assert snapshot.text() == '{"a":[1]}'


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=4
        )
    ),
    max_leaves=15,
)


@given(json_values)
def test_json_values_come_back_as_they_were(value):
    assert strictly(json_text(value)) == value


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 30))
def test_a_cut_stays_within_the_limit_and_is_a_prefix(text, limit):
    short, mark = cut(text, limit)
    assert len(short.encode()) <= limit
    assert text.startswith(short)
    assert (mark is None) == (short == text)
    if mark is not None:
        assert json.loads(mark)["length"] == len(text.encode())
