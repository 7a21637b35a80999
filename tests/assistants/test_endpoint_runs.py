"""Whole runs against an endpoint over HTTP: seeds, limits, prices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stagetrace.commandline import run
from tracer.store import read_run

pytest.importorskip("langgraph")


@pytest.fixture
def endpoint(fault_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """An endpoint that answers everything, named by the environment."""
    with fault_server("ok") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("STAGETRACE_CACHE", str(tmp_path / "cache"))
        yield server


@pytest.fixture
def asking(tmp_path: Path) -> list[str]:
    """A run of four small questions."""
    with (tmp_path / "tasks.jsonl").open("w") as tasks:
        for number in range(4):
            task = {"item": f"i{number}", "text": f"What is {number} + 1?", "answers": ["many"]}
            tasks.write(json.dumps(task) + "\n")
    return ["run", f"tasks:{tmp_path}", "--assistant", "llm", "--model", "openai:m"]


def chat_attributes(folder: Path, name: str) -> list[Any]:
    """An attribute of every chat span, in the order of the file."""
    found = []
    for line in "".join(p.read_text() for p in folder.glob("traces/*.jsonl")).splitlines():
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    values = {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}
                    if values.get("gen_ai.operation.name") == "chat":
                        found.append(values.get(name))
    return found


def test_each_replicate_has_a_seed_of_its_own_which_is_recorded(
    endpoint: Any, asking: list[str], tmp_path: Path
) -> None:
    runs = []
    for number in range(2):
        out = tmp_path / f"run-{number}"
        assert run([*asking, "--limit", "2", "--replicates", "2", "--out", str(out)]) == 0
        runs.append([int(seed) for seed in chat_attributes(out, "gen_ai.request.seed")])
    sent = [request["seed"] for request in endpoint.requests]
    assert len(set(runs[0])) == 4
    assert runs[0] == runs[1]
    assert sent == runs[0] + runs[1]
    manifest = json.loads((out / "run.json").read_text())
    assert (manifest["seed"], manifest["tool_call_mode"]) == (0, "native")


def test_another_seed_of_the_run_gives_other_seeds(
    endpoint: Any, asking: list[str], tmp_path: Path
) -> None:
    for seed in ("1", "2"):
        out = str(tmp_path / f"run-{seed}")
        assert run([*asking, "--limit", "1", "--seed", seed, "--out", out]) == 0
    assert endpoint.requests[0]["seed"] != endpoint.requests[1]["seed"]


def test_temperature_is_sent_and_recorded(endpoint: Any, asking: list[str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run([*asking, "--limit", "1", "--temperature", "0.7", "--out", str(out)]) == 0
    assert endpoint.requests[0]["temperature"] == 0.7
    assert chat_attributes(out, "gen_ai.request.temperature") == [0.7]


def test_run_ends_when_the_money_is_spent_and_goes_on_later(
    endpoint: Any, asking: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"openai:m": {"input": 1000000, "output": 0}}')
    out = str(tmp_path / "run")
    money = ["--prices", str(prices), "--max-cost", "6"]
    going = [*asking[:-1], "openai:m?stream=off", "--out", out]
    assert run([*going, *money]) == 1
    assert "6.0000 is spent, --max-cost is 6" in capsys.readouterr().err
    assert len(read_run(out).done) == 2
    assert run(["run", out, "--resume"]) == 0
    assert len(read_run(out).done) == 4


def test_run_ends_when_its_time_is_over(
    endpoint: Any, asking: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert run([*asking, "--limit", "2", "--max-time", "0.001", "--out", out]) == 1
    assert "--max-time is 0.001" in capsys.readouterr().err
    assert endpoint.requests == []
    assert run(["run", out, "--resume"]) == 0


def test_limits_of_an_endpoint_are_kept_to_and_recorded(
    endpoint: Any, asking: list[str], tmp_path: Path
) -> None:
    """That they hold between processes is tested with the throttle."""
    out = tmp_path / "run"
    limits = ["--concurrency", "1", "--requests-per-minute", "6000"]
    assert run([*asking, *limits, "--out", str(out)]) == 0
    assert len(endpoint.requests) == 4
    assert {path.name for path in (tmp_path / "cache").glob("endpoints/*/*")} == {"place-0", "next"}
    choice = json.loads((out / "run.json").read_text())["config"]["choice"]
    assert (choice["at_once"], choice["per_minute"]) == (1, 6000.0)


def test_concurrency_without_an_endpoint_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    going = ["run", "office", "--concurrency", "2", "--out", str(tmp_path / "run")]
    assert run(going) == 2
    assert "'extractive' has none" in capsys.readouterr().err
