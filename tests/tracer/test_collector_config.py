"""The Collector's configuration by its structure; by a real Collector where `OTELCOL` names one."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

PATH = Path(__file__).parents[2] / "collector-config.yaml"
PARTS = ("receivers", "processors", "exporters", "connectors", "extensions")
QUEUE = {
    "enabled",
    "storage",
    "sizer",
    "queue_size",
    "block_on_overflow",
    "batch",
}
KEYS = {
    "receivers/otlp": {"protocols"},
    "receivers/otlp/protocols": {"grpc", "http"},
    "receivers/otlp/protocols/grpc": {"endpoint", "max_recv_msg_size_mib"},
    "receivers/otlp/protocols/http": {"endpoint"},
    "processors/memory_limiter": {"check_interval", "limit_percentage", "spike_limit_percentage"},
    "processors/redaction": {"allow_all_keys", "blocked_key_patterns", "blocked_values", "summary"},
    "processors/transform": {"error_mode", "trace_statements"},
    "exporters/file": {"path", "format", "append", "flush_interval"},
    "exporters/otlp_grpc": {"endpoint", "tls", "retry_on_failure", "sending_queue"},
    "exporters/otlp_grpc/tls": {"insecure"},
    "exporters/otlp_grpc/retry_on_failure": {"enabled", "max_elapsed_time"},
    "exporters/otlp_grpc/sending_queue": QUEUE,
    "exporters/otlp_grpc/sending_queue/batch": {"flush_timeout", "sizer", "max_size"},
    "extensions/health_check": {"endpoint"},
    "extensions/file_storage": {"directory", "create_directory", "fsync", "compaction"},
    "extensions/file_storage/compaction": {"on_rebound", "cleanup_on_start"},
}
"""What each component of 0.159 takes, as far as it is used here."""


@pytest.fixture(scope="module")
def config():
    return yaml.safe_load(PATH.read_text())


def kind(name):
    return name.partition("/")[0]


def pipelines(config):
    return config["service"]["pipelines"]


def test_the_first_line_names_the_oldest_collector():
    assert "0.159" in PATH.read_text().splitlines()[0]


def test_the_shape_is_that_of_a_collector(config):
    component = {"type": "object", "additionalProperties": {"type": ["object", "null"]}}
    names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    pipeline = {
        "type": "object",
        "properties": {"receivers": names, "processors": names, "exporters": names},
        "required": ["receivers", "exporters"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {
            **dict.fromkeys(PARTS, component),
            "service": {
                "type": "object",
                "properties": {
                    "extensions": names,
                    "pipelines": {
                        "type": "object",
                        "patternProperties": {"^(traces|logs)/": pipeline},
                        "additionalProperties": False,
                    },
                },
                "required": ["pipelines"],
                "additionalProperties": False,
            },
        },
        "required": [*PARTS, "service"],
        "additionalProperties": False,
    }
    jsonschema.validate(config, schema)


def test_every_component_is_defined_and_used(config):
    used = {part: set() for part in PARTS}
    for pipeline in pipelines(config).values():
        for part in ("receivers", "processors", "exporters"):
            used[part] |= set(pipeline.get(part, ()))
    connectors = set(config["connectors"])
    used["connectors"] = connectors & used["receivers"] & used["exporters"]
    used["extensions"] = set(config["service"]["extensions"])
    for part in ("receivers", "exporters"):
        used[part] -= connectors
    assert {part: set(config[part]) for part in PARTS} == used


def test_a_connector_ends_one_pipeline_and_begins_another(config):
    for name in config["connectors"]:
        for part in ("receivers", "exporters"):
            assert sum(name in one[part] for one in pipelines(config).values()) == 1


def test_memory_is_limited_first_and_redaction_comes_before_every_exporter(config):
    for pipeline in pipelines(config).values():
        processors = [kind(name) for name in pipeline.get("processors", ())]
        if any(name not in config["connectors"] for name in pipeline["receivers"]):
            assert processors[0] == "memory_limiter"
        if any(name not in config["connectors"] for name in pipeline["exporters"]):
            assert "redaction" in processors


def test_the_archive_is_neither_sampled_nor_shortened_and_nothing_is_batched_in_memory(config):
    archive = pipelines(config)["traces/archive"]["processors"]
    assert {kind(name) for name in archive} == {"redaction"}
    used = {kind(name) for one in pipelines(config).values() for name in one.get("processors", ())}
    assert not used & {"batch", "tail_sampling", "probabilistic_sampler"}
    assert config["exporters"]["file/archive"]["append"] is True
    assert "rotation" not in config["exporters"]["file/archive"]


def test_what_is_sent_waits_on_disk_in_batches_below_four_mebibytes(config):
    exporter = config["exporters"]["otlp_grpc/jaeger"]
    queue = exporter["sending_queue"]
    assert queue["storage"] in config["service"]["extensions"]
    assert config["extensions"][queue["storage"]]["fsync"] is True
    assert (queue["block_on_overflow"], queue["sizer"]) == (True, "bytes")
    assert queue["batch"]["max_size"] < 4 * 2**20
    assert exporter["retry_on_failure"]["max_elapsed_time"] == "0s"


def values(node, path=()):
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from values(inner, (*path, key))
    elif isinstance(node, list):
        for inner in node:
            yield from values(inner, path)
    else:
        yield path, node


def test_only_this_machine_is_listened_on_and_no_secret_stands_in_it(config):
    for path, value in values(config):
        if path[-1] == "endpoint":
            assert re.fullmatch(r"(http://)?(127\.0\.0\.1|localhost):\d+", value), path
        assert not re.search(r"(?i)^(headers|token|password|api_key)$", str(path[-1])), path


def test_every_key_is_one_that_its_component_takes(config):
    def look(node, path):
        if isinstance(node, dict) and path in KEYS:
            assert set(node) <= KEYS[path], path
            for key, inner in node.items():
                look(inner, f"{path}/{key}")

    for part in PARTS:
        for name, settings in config[part].items():
            path = f"{part}/{kind(name)}"
            assert path in KEYS or not settings, path
            look(settings, path)


def test_token_counts_are_not_taken_for_tokens(config):
    patterns = config["processors"]["redaction/secrets"]["blocked_key_patterns"]
    for key in ("gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.request.max_tokens"):
        assert not any(re.search(pattern, key) for pattern in patterns)
    for key in ("api_key", "http.request.header.authorization", "x.access_token", "db.password"):
        assert any(re.search(pattern, key) for pattern in patterns)


@pytest.mark.skipif("OTELCOL" not in os.environ, reason="OTELCOL names no Collector binary")
def test_a_real_collector_takes_it():
    subprocess.run([os.environ["OTELCOL"], "validate", "--config", str(PATH)], check=True)
