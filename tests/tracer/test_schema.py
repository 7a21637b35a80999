"""Every stored line is strict JSON of the published schema; attributes have their types."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import tracer.attributes
from tests.tracer.graphs import agent_graph
from tracer.attributes import ATTRIBUTES, SCHEMA_VERSION, lookup
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import Outcome, Request
from tracer.spans import item_span, set_outcome
from tracer.testing import MemorySink

SCHEMA = json.loads(Path(tracer.attributes.__file__).with_name("schema.json").read_text())
TYPES = {
    "string": str,
    "int": int,
    "double": float,
    "bool": bool,
    "string[]": list,
    "double[]": list,
    "json": str,
}


@pytest.fixture(scope="module")
def written():
    sink = MemorySink()
    odd = {"a": float("nan"), "b": [1.0], "c": b"x", "d": {"e": 2**70}}
    request = Request("i1", "q", suite="office")
    with Recorder(sink, run="r1") as recorder, item_span(recorder, request) as item:
        trace_graph(agent_graph(), recorder).invoke({"question": "Where?"})
        recorder.start("chain", "odd", odd).end(ValueError("x"))
        set_outcome(item, Outcome("strict", success=False))
    return sink


def test_the_schema_has_the_version_of_the_writer():
    assert SCHEMA["x-schema-version"] == SCHEMA_VERSION
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_line_is_strict_json_of_the_schema(written):
    def fail(name):
        raise ValueError(name)

    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in written.lines():
        assert list(validator.iter_errors(json.loads(line, parse_constant=fail))) == []


def test_every_attribute_of_ours_is_listed_with_its_type(written):
    for span in written.spans():
        own = {k: v for k, v in span.attributes.items() if k not in "abcd"}
        for key, value in {**own, **span.resource}.items():
            attribute = lookup(key)
            assert attribute is not None, key
            assert type(value) is TYPES[attribute.type], key
            if attribute.type == "json":
                json.loads(value)


def test_identity_comes_first_in_the_table():
    assert next(a.key for a in ATTRIBUTES.values() if a.identity) == "stagetrace.run.id"
