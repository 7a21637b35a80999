"""What tracing costs: our arms beside the untraced agent and the peers, as ratios of one run.

    python benchmarks/tracing.py                            # our arms, sync
    python benchmarks/tracing.py --mode async               # 32 at once; also: threads
    .venv-bench/bin/python benchmarks/tracing.py --peers    # beside the peers (make bench-peers)
    python benchmarks/tracing.py --floor                    # one manual span against the SDK's

The agent, the peers' arms and the workers are those of `tracing_overhead.py`, looked for in the
folder that `STAGETRACE_BENCH` names, else beside the project; our arms are added here, and its five
equal documents are made different, since equal ones flatter whoever writes a text once. Every
figure is a ratio to the untraced agent of the same round; the arms take turns in a new order each
round, and many short rounds tell more than a few long ones. This agent has no tool that is known
to write, so `item` and `tool` do the same work: where their figures differ, the run was too short.
`--fresh` gives each run documents of its own, so that no text was searched for secrets before.
Where the untraced agent's wall time is over 1.2 of its CPU time, the machine was busy with other
things and nothing is judged.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

PEERS = ("openinference", "openllmetry", "langfuse", "mlflow", "langsmith")
OURS: dict[str, dict[str, Any]] = {
    "stagetrace-item": {"durability": "item"},
    "stagetrace-tool": {"durability": "tool"},
    "stagetrace-span": {"durability": "span"},
    "stagetrace-off": {},
}
"""`off`: stagetrace is imported and nothing is wrapped, so no handler is installed."""
GOALS = {
    "stagetrace-tool": {"path": 1.20, "agent": 1.20, "total": 1.40, "wall": 1.40},
    "stagetrace-span": {"path": 1.35, "agent": 1.35},
}
FRESH = "STAGETRACE_BENCH_FRESH"
"""Tells the workers that no text shall come twice."""
KB_GOAL = {"sync": 40, "async": 50, "threads": 50}
BUSY = 1.2


def load_bench() -> ModuleType:
    """The bench as a module whose workers are started through this file."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "bench"
    path = Path(os.environ.get("STAGETRACE_BENCH", beside)) / "tracing_overhead.py"
    if not path.exists():
        sys.exit(f"{path}: not found; set STAGETRACE_BENCH to the folder of tracing_overhead.py")
    spec = importlib.util.spec_from_file_location("tracing_overhead", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: cannot be loaded")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    bench.__file__ = __file__
    return bench


def work(arm: str, exporter: str) -> None:
    """Serve as one worker of the bench, with our arms known and five different documents."""
    bench = load_bench()
    facts: dict[str, Any] = {}
    build = bench.build_agent

    def build_agent() -> tuple[Any, Any]:
        graph, question = _varied(build, fresh=FRESH in os.environ)
        if OURS.get(arm):
            graph = _traced(graph, arm, facts)
        return graph, question

    def arm_ours(self: Any) -> None:
        import stagetrace

        self.peer_version = f"stagetrace {stagetrace.__version__}"
        self.flush = lambda: facts["recorder"].flush() if facts else None
        self.extra_spans = lambda: facts["recorder"].stored if facts else 0

    for name in OURS:
        setattr(bench.Arm, "arm_" + name.replace("-", "_"), arm_ours)
    peak = bench.peak
    bench.build_agent = build_agent
    bench.peak = lambda: {"peak": peak(), **_writer_facts(facts)}
    bench.worker(arm, exporter)


def _varied(build: Any, *, fresh: bool = False) -> tuple[Any, Any]:
    """The bench's agent, with a text of its own in each document; `fresh`: in each run anew."""
    import langchain_core.documents as documents

    count = itertools.count()
    notes = [f"Note {n}: the thread of week {n * 7 % 53} went to room {n}. " for n in range(90)]
    texts = ["".join(notes[n * 9 :] + notes[: n * 9])[:2048] for n in range(5)]
    plain = documents.Document

    def varied(page_content: str, metadata: dict[str, Any]) -> Any:
        text = texts[int(metadata["doc_id"][1:])]
        if fresh:
            number = next(count)
            cut = number * 131 % len(text)
            text = f"{text[:cut]}Number {number}. {text[cut:]}"
        return plain(text, metadata=metadata)

    documents.Document = varied  # type: ignore[assignment,misc] # build_agent imports it from here
    try:
        return build()
    finally:
        documents.Document = plain  # type: ignore[misc]


def _traced(graph: Any, arm: str, facts: dict[str, Any]) -> Any:
    from tracer.langgraph import trace_graph
    from tracer.record import Recorder
    from tracer.store import FileSink

    path = Path(tempfile.mkdtemp(prefix="stagetrace-bench-")) / "bench.otlp.jsonl"
    facts["path"] = path
    facts["recorder"] = Recorder(FileSink(path), run="bench", **OURS[arm])
    return trace_graph(graph, facts["recorder"], name="bench")


def _writer_facts(facts: dict[str, Any]) -> dict[str, float]:
    """CPU of the writer thread and bytes on disk, so far."""
    if not facts:
        return {"writer": 0.0, "bytes": 0}
    thread = facts["recorder"]._thread
    clock = time.pthread_getcpuclockid(thread.ident)
    return {"writer": time.clock_gettime(clock), "bytes": facts["path"].stat().st_size}


def run_arms(
    bench: ModuleType, arms: list[str], mode: str, blocks: int, per: int
) -> dict[str, Any]:
    """Median ratios of every arm to the untraced one."""
    workers = {}
    for arm in arms:
        worker = bench.Proc(arm, "pb")
        if "ready" in worker.hello:
            workers[arm] = worker
        else:
            print(f"  {arm} left out: {str(worker.hello)[-300:]}", file=sys.stderr)
    rows: dict[str, list[dict[str, Any]]] = {arm: [] for arm in workers}
    names = list(workers)
    order = random.Random(0)
    for _ in range(blocks + 1):
        for arm in order.sample(names, len(names)):
            rows[arm].append(workers[arm].ask(mode=mode, n=per))
    for worker in workers.values():
        worker.close()
    base = rows["none"][1:]
    return {arm: _ratios(rows[arm], base, per) for arm in names}


def _ratios(rows: list[dict[str, Any]], base: list[dict[str, Any]], per: int) -> dict[str, float]:
    median = statistics.median
    for before, row in itertools.pairwise(rows):
        then, now = before["peak"], row["peak"]
        row["agent"] = row["cpu"] - (now.get("writer", 0) - then.get("writer", 0)) / per
        row["kb"] = (now.get("bytes", 0) - then.get("bytes", 0)) / per / 1000
    rows = rows[1:]
    pairs = list(zip(rows, base, strict=True))
    keys = {"path": "path", "agent": "agent", "total": "cpu", "wall": "wall"}
    out = {
        name: median(
            row[key] / (plain["cpu"] if name == "agent" else plain[key]) for row, plain in pairs
        )
        for name, key in keys.items()
    }
    out |= {
        f"added_{name}_us": median(row[key] - plain[key] for row, plain in pairs) * 1e6
        for name, key in (("path", "path"), ("total", "cpu"))
    }
    out["p99_wall"] = max(row["lat"] for row in rows) / max(plain["lat"] for plain in base)
    out["kB"] = median(row["kb"] for row in rows)
    out["spans"] = median(row["spans"] for row in rows)
    out["peak_mb"] = rows[-1]["peak"]["peak"] / 2**20
    out["wall_of_cpu"] = median(row["wall"] / row["cpu"] for row in rows)
    return out


def floor(reps: int = 15, n: int = 2000) -> dict[str, float]:
    """Microseconds of one span with 10 attributes, ours and the SDK's, in turn."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    from tracer.record import Recorder
    from tracer.store import FileSink

    class Nowhere(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Nowhere(), max_queue_size=65536))
    tracer = provider.get_tracer("floor")
    folder = Path(tempfile.mkdtemp(prefix="stagetrace-bench-"))
    recorder = Recorder(FileSink(folder / "floor.otlp.jsonl"), durability="item")
    facts = {f"gen_ai.attr{i}": (f"value number {i}" if i % 2 else i) for i in range(10)}
    root = recorder.start("agent", "root")

    def sdk() -> None:
        for _ in range(n):
            tracer.start_span("s", attributes=facts).end()

    def ours() -> None:
        for _ in range(n):
            recorder.start("chain", "s", facts, parent=root).end()

    times: dict[str, list[tuple[float, float]]] = {"sdk": [], "ours": []}
    for rep in range(reps + 1):
        for name, work_ in (("sdk", sdk), ("ours", ours)):
            path, total = time.thread_time(), time.process_time()
            work_()
            path = time.thread_time() - path
            provider.force_flush()
            recorder.flush()
            if rep:
                times[name].append((path / n * 1e6, (time.process_time() - total) / n * 1e6))
    root.end()
    recorder.close()
    out = {
        f"{name}_{what}_us": statistics.median(row[at] for row in rows)
        for name, rows in times.items()
        for at, what in enumerate(("path", "total"))
    }
    out["path_ratio"] = out["ours_path_us"] / out["sdk_path_us"]
    out["total_ratio"] = out["ours_total_us"] / out["sdk_total_us"]
    return out


def show(title: str, results: dict[str, dict[str, float]]) -> None:
    """One table, an arm a row."""
    columns = list(next(iter(results.values())))
    print(
        f"\n{title}\n| arm | " + " | ".join(columns) + " |\n|---" * 1 + "|---" * len(columns) + "|"
    )
    for arm, row in results.items():
        print(f"| {arm} | " + " | ".join(f"{row[column]:.2f}" for column in columns) + " |")


def judge(results: dict[str, dict[str, float]], mode: str) -> int:
    """Say whether the goals hold; 1 when one is missed, 0 when they hold or nothing is judged."""
    busy = results["none"]["wall_of_cpu"]
    if busy > BUSY:
        print(f"not judged: the untraced agent's wall time is {busy:.2f} of its CPU time")
        return 0
    ours = results["stagetrace-tool"]
    missed = [
        f"{arm} {key} {results[arm][key]:.2f} > {goal}"
        for arm, goals in GOALS.items()
        for key, goal in goals.items()
        # The pool's threads do the work there: the calling thread only waits.
        if results[arm][key] > goal and (mode, key) != ("threads", "path")
    ]
    if ours["kB"] > KB_GOAL[mode]:
        missed.append(f"{ours['kB']:.1f} kB > {KB_GOAL[mode]}")
    for key, share in (("added_path_us", 1 / 8), ("added_total_us", 1 / 3)):
        peers = [results[peer][key] for peer in PEERS if peer in results]
        if peers and ours[key] > share * min(peers):
            missed.append(
                f"{key} {ours[key]:.0f} > {share:.3f} of the best peer's {min(peers):.0f}"
            )
    if results["stagetrace-off"]["total"] > 1.02:
        missed.append(f"off {results['stagetrace-off']['total']:.3f} > 1.02")
    print("goals missed: " + "; ".join(missed) if missed else "all goals hold")
    return bool(missed)


def main() -> int:
    """Run what the command line asks for."""
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], sys.argv[3])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", choices=list(KB_GOAL), default="sync")
    parser.add_argument(
        "--peers", action="store_true", help="also run the peers that are installed"
    )
    parser.add_argument("--floor", action="store_true", help="one manual span against the SDK's")
    parser.add_argument(
        "--fresh", action="store_true", help="new documents in each run, so that nothing is known"
    )
    parser.add_argument("--blocks", type=int, default=24)
    parser.add_argument("--per", type=int, default=6)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    asked = parser.parse_args()
    if asked.fresh:
        os.environ[FRESH] = "1"
    if asked.floor:
        results = {"one span, 10 attributes": floor()}
        show("microseconds", results)
        status = 0
    else:
        arms = ["none", *OURS, *(PEERS if asked.peers else ())]
        results = run_arms(load_bench(), arms, asked.mode, asked.blocks, asked.per)
        show(f"{asked.mode}, {asked.blocks} x {asked.per} invocations, ratios to none", results)
        status = judge(results, asked.mode)
    if asked.out:
        asked.out.write_text(json.dumps(results, indent=1) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
