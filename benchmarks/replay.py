"""How fast stored traces are read back: our arms beside the plain loop over orjson, one run.

    python benchmarks/replay.py make STORE --spans 200000   # once; 15 s, 800 MB
    python benchmarks/replay.py run STORE --rounds 3
    python benchmarks/replay.py run STORE --phoenix         # and Phoenix's read-back beside them

The store, the job and the plain loops are those of `replay_throughput.py`, looked for in the folder
that `STAGETRACE_BENCH` names, else beside the project. The job: for each wording the traces, tool
calls, mean tool latency and Recall@5 of all spans; a digest proves that every arm gave the same
answer. Each arm runs in a process of its own; figures are spans for each CPU second.

`--phoenix` starts the server of `.venv-phoenix` (`make .venv-phoenix/.done`), sends it the first
spans of the store, waits until it has taken them in, and has its own client read them back. It gets
a part only, since it takes in about 170 spans a CPU second; its rate is about the same for any
number. Reading back is the work of the client and of the server, so the CPU of both counts; that of
the client alone stands beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

BASE = "orjson"
TIMES_PHOENIX = {"own lines": 50.0, "512-span lines": 50.0, "columns": 500.0}
GOALS = {"own lines": 2.0, "512-span lines": 2.0, "foreign, full checks": 0.8, "columns": 20.0}
MEMORY_MB = 100
KEYS = (
    "openinference.span.kind",
    "stagetrace.variant",
    "stagetrace.gold",
    *(f"retrieval.documents.{i}.document.id" for i in range(5)),
)


def load_bench() -> ModuleType:
    """The bench as a module."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "bench"
    path = Path(os.environ.get("STAGETRACE_BENCH", beside)) / "replay_throughput.py"
    if not path.exists():
        sys.exit(f"{path}: not found; set STAGETRACE_BENCH to the folder of replay_throughput.py")
    spec = importlib.util.spec_from_file_location("replay_throughput", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: cannot be loaded")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    return bench


Row = tuple[str, str, int, int, dict[str, Any]]


def answer(bench: ModuleType, rows: Iterator[Row]) -> list[int]:
    """The job over ids, start, end and the attributes of each span."""
    found = bench.Agg()
    for trace, _, started, ended, given in rows:
        found.n += 1
        kind = given.get("openinference.span.kind")
        if kind == "TOOL":
            found.tools[trace] = found.tools.get(trace, 0) + 1
            found.lat[trace] = found.lat.get(trace, 0) + ended - started
        elif kind == "RETRIEVER":
            gold = given["stagetrace.gold"]
            found.hit[trace] = int(
                any(given[f"retrieval.documents.{i}.document.id"] == gold for i in range(5))
            )
        elif kind == "AGENT":
            found.variant[trace] = given["stagetrace.variant"]
    return bench.digest(found.answer(), found.n)


def quickly(file: str) -> Callable[[ModuleType, Path], list[int]]:
    """The arm that reads a few attributes of OTLP JSON lines."""

    def arm(bench: ModuleType, store: Path) -> list[int]:
        from tracer.quick import scan

        return answer(bench, scan(store / file, KEYS))

    return arm


def checked(bench: ModuleType, store: Path) -> list[int]:
    """The arm that reads all of every span, by trace, with every check on ids and parents."""
    from tracer.formats.otlp_json import latest
    from tracer.formats.report import Report
    from tracer.grouping import grouped
    from tracer.structure import structure

    report = Report()

    def rows() -> Iterator[Row]:
        for group in grouped([store / "spans.jsonl"], report):
            spans = latest(group)
            found = structure(spans)
            assert not found.orphans
            for span in spans:
                yield (
                    span.trace_id,
                    span.span_id,
                    span.started_ns,
                    span.ended_ns or 0,
                    span.attributes,
                )

    result = answer(bench, rows())
    assert not report.counts
    return result


def folded(bench: ModuleType, store: Path) -> list[int]:
    """The arm that folds every trace, as the analyzers see it; its job counts traces and calls."""
    from tracer.formats.report import Report
    from tracer.store import read_traces

    traces = calls = 0
    for trace in read_traces(store / "spans.jsonl", Report()):
        traces += 1
        calls += len(trace.calls)
    return [traces, calls]


def columns(bench: ModuleType, store: Path) -> list[int]:
    """The arm over our columns, by Polars as it reads them."""
    import polars as pl

    spans = pl.scan_parquet(store / "columns" / "*.parquet")
    tool = pl.col("step") == "tool"
    found_gold = pl.col("doc_ids").list.contains(pl.col("gold").cast(pl.String))
    by_trace = spans.group_by("trace_id").agg(
        pl.col("variant").drop_nulls().first(),
        tool.sum().cast(pl.Int64).alias("calls"),
        (pl.col("end_ns") - pl.col("start_ns")).filter(tool).sum().alias("took"),
        found_gold.fill_null(False).any().alias("hit"),
        pl.len().cast(pl.Int64).alias("spans"),
    )
    found = (
        by_trace.group_by("variant")
        .agg(
            pl.len().cast(pl.Int64).alias("traces"),
            pl.col("calls", "took", "spans").sum(),
            pl.col("hit").cast(pl.Int64).sum(),
        )
        .collect()
        .to_dicts()
    )
    result = {
        row["variant"]: [row["traces"], row["calls"], row["took"] // row["calls"], row["hit"]]
        for row in found
    }
    return bench.digest(result, sum(row["spans"] for row in found))


ARMS: dict[str, Callable[[ModuleType, Path], list[int]]] = {
    BASE: lambda bench, store: bench.l_orjson(str(store)),
    "512-span lines": quickly("spans.jsonl"),
    "own lines": quickly("own.otlp.jsonl"),
    "foreign, full checks": checked,
    "foreign, folded": folded,
    "columns": columns,
}


def make(bench: ModuleType, store: Path, spans: int) -> None:
    """The store: the bench's own files, the same spans as our store writes them, and columns."""
    from tracer.columns import write_columns
    from tracer.export_json import json_span
    from tracer.formats.otlp_json import encode_line
    from tracer.formats.report import Report
    from tracer.grouping import grouped

    bench.make(str(store), spans)
    with (store / "own.otlp.jsonl").open("wb") as out:
        for found in grouped([store / "spans.jsonl"], Report()):
            out.write(encode_line(found[0].resource, [json_span(one) for one in found], "0"))
    began = time.process_time()
    extra = {"variant": "stagetrace.variant", "gold": "stagetrace.gold"}
    write_columns([store / "spans.jsonl"], store / "columns", extra)
    took = time.process_time() - began
    size = sum(file.stat().st_size for file in (store / "columns").glob("*.parquet"))
    packed = (store / "spans.jsonl.zst").stat().st_size
    print(
        f"columns: {size / 1e6:.1f} MB, {size / packed:.2f} of zstd lines (goal: at most 1), made "
        f"in {took:.1f} CPU s"
    )


def one(name: str, store: Path) -> None:
    """Run one arm and print what it took; imports are not what is measured."""
    if name == "columns":
        import polars  # noqa: F401
    else:
        import orjson  # noqa: F401

        import tracer.quick
        import tracer.store  # noqa: F401

    bench = load_bench()
    before = time.process_time()
    found = ARMS[name](bench, store)
    took = time.process_time() - before
    with Path("/proc/self/status").open() as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps({"cpu": took, "answer": found, "peak_mb": peak / 1024}))


READ_BACK = """
import json, os, sys, time
from phoenix.client import Client
client = Client(base_url=sys.argv[1])
before = time.process_time()
found = client.spans.get_spans_dataframe(
    project_identifier="default", limit=int(sys.argv[2]), timeout=600
)
print(json.dumps({"spans": len(found), "cpu": time.process_time() - before}))
"""
"""Phoenix's own way; imports are not what is measured."""


@contextlib.contextmanager
def phoenix_server() -> Iterator[tuple[Path, str, int]]:
    """The Python, the address and the process id of a server with an empty folder."""
    python = Path(__file__).resolve().parents[1] / ".venv-phoenix" / "bin" / "python"
    if not python.exists():
        sys.exit("Phoenix is not installed: make .venv-phoenix/.done")
    with socket.socket() as one, socket.socket() as two, tempfile.TemporaryDirectory() as folder:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        port, grpc = one.getsockname()[1], two.getsockname()[1]
        one.close()
        two.close()
        told = {"WORKING_DIR": folder, "HOST": "127.0.0.1", "PORT": port, "GRPC_PORT": grpc}
        process = subprocess.Popen(
            [str(python.with_name("phoenix")), "serve"],
            env={
                **os.environ,
                "PHOENIX_TELEMETRY_ENABLED": "false",
                **{f"PHOENIX_{name}": str(value) for name, value in told.items()},
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/healthz"):
                    break
                if process.poll() is not None:
                    sys.exit("Phoenix ended by itself")
                time.sleep(1)
            yield python, url, process.pid
        finally:
            process.terminate()
            process.wait(60)


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def taken_in(url: str) -> int:
    """Spans that a Phoenix has, as its page counts them."""
    question = json.dumps({"query": "{projects{edges{node{recordCount}}}}"}).encode()
    post = urllib.request.Request(
        f"{url}/graphql", data=question, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(post) as answer:
        projects = json.load(answer)["data"]["projects"]["edges"]
    return sum(project["node"]["recordCount"] for project in projects)


def phoenix(store: Path, spans: int, rounds: int) -> float:
    """Spans that are read back from Phoenix for each CPU second of its client and server."""
    from tracer.export import export_otlp

    with phoenix_server() as (python, url, pid), tempfile.TemporaryDirectory() as folder:
        part, sent = Path(folder) / "part.jsonl", 0
        with (store / "spans.jsonl").open("rb") as lines, part.open("wb") as out:
            while sent < spans and (line := lines.readline()):
                out.write(line)
                sent += line.count(b'"traceId"')
        began = cpu_of(pid)
        assert export_otlp(part, url, timeout_s=120).delivered == sent

        def read_back() -> dict[str, float]:
            said = subprocess.run(
                [str(python), "-c", READ_BACK, url, str(2 * sent)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            found: dict[str, float] = json.loads(said.splitlines()[-1])
            return found

        # A question while it still takes spans in is answered with a part, without a word.
        while taken_in(url) < sent:
            time.sleep(2)
        took_in = cpu_of(pid) - began
        assert read_back()["spans"] == sent
        before = cpu_of(pid)
        cpu = statistics.median(read_back()["cpu"] for _ in range(rounds))
        server = (cpu_of(pid) - before) / rounds
    print(
        f"{'Phoenix, read back':22} {sent / (cpu + server) / 1e3:8.1f} k spans/CPU s of client and "
        f"server, {sent / cpu / 1e3:.1f} k of the client; {sent} spans, taken in with "
        f"{took_in:.0f} CPU s"
    )
    return sent / (cpu + server)


def run(store: Path, rounds: int, of_phoenix: int = 0) -> int:
    """Every arm in turn, as ratios to the plain loop; 1 when a goal is missed."""
    peer = phoenix(store, of_phoenix, rounds) if of_phoenix else None
    spans = json.loads((store / "meta.json").read_text())["spans"]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ARMS}
    for _ in range(rounds):
        for name in ARMS:
            said = subprocess.run(
                [sys.executable, __file__, "one", str(store), "--arm", name],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            found[name].append(json.loads(said.splitlines()[-1]))
    base = statistics.median(one["cpu"] for one in found[BASE])
    missed = 0
    for name, results in found.items():
        cpu = statistics.median(one["cpu"] for one in results)
        peak = max(one["peak_mb"] for one in results)
        goal = GOALS.get(name)
        ratio = base / cpu
        if name not in ("foreign, folded",) and results[0]["answer"] != found[BASE][0]["answer"]:
            sys.exit(f"{name}: another answer than {BASE}")
        judged = ""
        if goal is not None:
            good = ratio >= goal and (name == "columns" or peak <= MEMORY_MB)
            memory = "" if name == "columns" else f", {MEMORY_MB} MB"
            judged = f"  goal {goal:.1f} x{memory}: {'met' if good else 'MISSED'}"
            missed += not good
        if peer is not None and name in TIMES_PHOENIX:
            times, least = spans / cpu / peer, TIMES_PHOENIX[name]
            judged += f"  {times:.0f} x Phoenix, goal {least:.0f}: "
            judged += "met" if times >= least else "MISSED"
            missed += times < least
        figure = f"{spans / cpu / 1e3:8.0f} k spans/CPU s {ratio:6.2f} x {peak:6.0f} MB"
        print(f"{name:22} {figure}{judged}")
    return int(bool(missed))


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("make", "run", "one"))
    parser.add_argument("store", type=Path)
    parser.add_argument("--spans", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arm", default=BASE)
    parser.add_argument("--phoenix", action="store_true", help="read back from a Phoenix too")
    parser.add_argument("--phoenix-spans", type=int, default=4096)
    given = parser.parse_args()
    if given.what == "make":
        make(load_bench(), given.store, given.spans)
        return 0
    if given.what == "one":
        one(given.arm, given.store)
        return 0
    return run(given.store, given.rounds, given.phoenix_spans if given.phoenix else 0)


if __name__ == "__main__":
    sys.exit(main())
