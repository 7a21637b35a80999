"""Runs made by hand, the page over them, and the browser that opens it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from analyzers.blocks import Blocks
from analyzers.compare import compare
from analyzers.report.html import render_html
from analyzers.report.json_text import report_document
from analyzers.report.material import Breakdown, Material, RunFacts
from analyzers.report.subject import Subject
from analyzers.report.tables import OVERVIEW, build_report
from analyzers.score import ScoreRow
from tracer.records import (
    Call,
    CallVerdict,
    Change,
    GoldCall,
    ModelCall,
    Outcome,
    Passage,
    Request,
    Retrieval,
    Trace,
)

VOID = {"meta", "input", "wbr", "br", "link", "img"}


class Page(HTMLParser):
    """Elements in order, ids, links, and the cells of every table row."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.rows: dict[str, list[tuple[str, str]]] = {}
        """Id of a row, or of its head cell, to `data-v` and text of its cells."""
        self.title = ""
        self._row: list[tuple[str, str]] | None = None
        self._row_id = ""
        self._open: list[str] = []
        self.feed(text)

    @property
    def ids(self) -> list[str]:
        return [values["id"] for _, values in self.elements if "id" in values]

    @property
    def targets(self) -> set[str]:
        links = [values["href"] for _, values in self.elements if "href" in values]
        return {link[1:] for link in links if link.startswith("#")}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.elements.append((tag, values))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self._row, self._row_id = [], values.get("id", "")
        if tag in ("td", "th") and self._row is not None:
            self._row.append((values.get("data-v", ""), ""))
            if tag == "th" and values.get("id"):
                self._row_id = values["id"]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag == "tr" and self._row is not None:
            self.rows[self._row_id or str(len(self.rows))] = self._row
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "title" and "svg" not in self._open:
            self.title += data
        if self._row:
            value, text = self._row[-1]
            self._row[-1] = (value, text + data)


FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
CONDITIONS = (
    "base",
    "explicit",
    "indirect",
    "formal",
    "casual",
    "terse",
    "verbose",
    "calm",
    "charged",
    "fluent_native",
    "non_grammatical",
    "dialect_indian",
    "dialect_singapore",
    "dialect_black_south_african",
    "dialect_nigerian",
)
AXES = {
    "explicit": "directness",
    "indirect": "directness",
    "formal": "formality",
    "casual": "formality",
    "verbose": "verbosity",
    "dialect_singapore": "dialect",
}
HARM = {"indirect": 0.5, "formal": 0.4, "verbose": 0.3, "dialect_singapore": 0.2}


def chromium() -> str:
    """The browser, or nothing."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), "")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs a browser where there is none, and say so in one line."""
    missing = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    if chromium():
        reason = f"not installed: {', '.join(missing)}" if missing else ""
    else:
        reason = "no chromium found (Debian: apt-get install chromium)"
    left_out = [item for item in items if reason and item.get_closest_marker("browser")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
        config.stash[_LEFT_OUT] = f"{len(left_out)} browser tests left out: {reason}"


_LEFT_OUT = pytest.StashKey[str]()


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    return [config.stash[_LEFT_OUT]] if _LEFT_OUT in config.stash else []


def acting(item: str, condition: str, made: Sequence[str], *, text: str = "", **more: Any) -> Trace:
    """A graded run whose gold is one read and one write.

    `made` lists the calls: `read`, `write` (both right), `wrong` (a write that nobody asked for).
    """
    verdicts = {
        "read": CallVerdict("read", failed=False, matched=0),
        "write": CallVerdict("write", failed=False, matched=1),
        "wrong": CallVerdict("write", failed=False),
    }
    arguments = {
        "read": {"query": f"invoice {item}" if condition == "base" else f"that paper, {item}"},
        "write": {"mail": 17, "folder": "Projects"},
        "wrong": {"mail": 18, "folder": "Projects"},
    }
    calls = tuple(
        Call(
            name,
            arguments[name],
            result={"mails": ["m-1"]} if name == "read" else "done",
            kind=verdicts[name].kind,
            changes=()
            if name == "read"
            else (
                Change(
                    "replace",
                    "mail",
                    str(arguments[name]["mail"]),
                    {"folder": "Inbox"},
                    {"folder": "Projects"},
                ),
            ),
            sequence=2 * place + 1,
            span_id=f"{place + 2:016x}",
        )
        for place, name in enumerate(made)
    )
    wrote, harmed = "write" in made, "wrong" in made
    base_text = f"Move the invoice {item} to Projects."
    request = Request(
        item,
        text
        or (base_text if condition == "base" else f"It would be kind to move the invoice {item}."),
        suite="office",
        condition=condition,
        base_text=base_text,
        cluster=f"s{sum(map(ord, item)) % 12}",
    )
    return Trace(
        f"{abs(hash_of(item + condition)):032x}",
        request,
        answer="Moved it." if wrote else "I found three messages.",
        calls=calls,
        model_calls=(ModelCall("rules", input_tokens=10, output_tokens=3, span_id="0" * 15 + "1"),),
        outcome=Outcome(
            mode="strict",
            data_version="0.1",
            required_calls=(
                GoldCall("read", {"query": "invoice"}),
                GoldCall("write", {"mail": 17}, writes=True),
            ),
            calls=tuple(verdicts[name] for name in made),
            success=wrote and not harmed,
            unwanted_side_effect=harmed,
            failed_to_act=not wrote and not harmed,
        ),
        assistant="tools",
        assistant_kind="tools",
        spans=4,
        started_ns=0,
        ended_ns=2_000_000,
        groups={"kind": "even" if sum(map(ord, item)) % 2 else "odd"},
        **more,
    )


def hash_of(text: str) -> int:
    """A number that is the same in every process, unlike `hash`."""
    return int.from_bytes(text.encode("utf-8", "surrogatepass")[-12:], "big")


def answering(item: str, condition: str, *, found: bool, right: bool) -> Trace:
    """A graded run that looks one document up and answers."""
    ids = ["m-1", "m-2", "m-gold"] if found else ["m-1", "m-2", "m-3"]
    passages = tuple(Passage(doc_id, 5.0 - rank, "text") for rank, doc_id in enumerate(ids))
    return Trace(
        f"{abs(hash_of(item + condition)):032x}",
        Request(item, f"What about {item}, {condition}?", suite="questions", condition=condition),
        answer="252 lamps" if right else "I do not know",
        retrievals=(Retrieval("what", passages, "bm25", 5, sequence=1, span_id="a" * 16),),
        outcome=Outcome(
            mode="strict",
            relevant=(("m-gold",),),
            gold_answers=("252 lamps",),
            answer_correct=right,
            answer_matcher="part_match",
        ),
        assistant="rag",
        assistant_kind="rag",
    )


def office(
    items: int = 40, conditions: Sequence[str] = CONDITIONS[:7], seed: int = 3
) -> list[Trace]:
    """Runs in which some wordings make the assistant read without writing."""
    rng = random.Random(seed)
    traces = []
    for number in range(items):
        for condition in conditions:
            draw, rate = rng.random(), HARM.get(condition, 0.1)
            made = ["read", "write"] if draw > rate else ["read"] if draw > rate / 4 else ["wrong"]
            traces.append(acting(f"office-t{number:03}", condition, made))
    return traces


SUBJECT = Subject(
    "office",
    "tools",
    "rules",
    "strict",
    "0.1",
    baseline_program=True,
    seed=7,
    runs=("runs/office",),
    spans_made=18_204,
    spans_stored=18_204,
    failed={"indirect": 1},
    references=frozenset({"explicit", "terse", "calm", "fluent_native"}),
)


@dataclass
class Made:
    """A page and what it was made of."""

    page: str
    document: dict[str, Any]
    materials: list[Material]
    traces: list[Trace] = field(default_factory=list)


def make(
    traces: Sequence[Trace],
    *,
    subject: Subject = SUBJECT,
    axes: Mapping[str, str] = AXES,
    failed: frozenset[tuple[str, str]] = frozenset(),
    breakdown_by: str = "",
    resamples: int = 200,
    **more: Any,
) -> Made:
    """The page over traces, as the command makes it over a run."""
    blocks = Blocks()
    blocks.add(subject, traces)
    found = blocks.blocks()
    materials = []
    for block in found:
        comparison = compare(block.rows, resamples=resamples, seed=7)
        report = build_report(block.subject, comparison, labels=block.labels.names())
        materials.append(
            Material(
                report,
                block.rows,
                axes=axes,
                breakdowns=_breakdowns(block, comparison, breakdown_by),
                failed=failed,
                runs=(RunFacts("runs/office", {"started_ns": 1_796_028_296_406_435_267}),),
                warnings=dict(block.warnings),
            )
        )
    keyed = {
        (at, (t.request.item, t.request.condition, t.request.replicate)): t
        for at, _ in enumerate(found)
        for t in traces
    }

    def fetch(wanted: Mapping[int, set[tuple[str, str, int]]]) -> dict[Any, Trace]:
        return {
            (at, k): keyed[at, k] for at, keys in wanted.items() for k in keys if (at, k) in keyed
        }

    page = render_html(materials, fetch, **more)
    document = report_document([material.report for material in materials])
    return Made(page, document, materials, list(traces))


def _breakdowns(block: Any, comparison: Any, label: str) -> list[Breakdown]:
    from analyzers.breakdown import breakdown

    if not label:
        return []
    rows = [row for row in block.rows if row.metric in OVERVIEW]
    return [Breakdown(label, breakdown(rows, block.labels.of(label), resamples=100), ordered=True)]


def make_large(items: int) -> Made:
    """The page over many items under all conditions; scores drawn, traces made when asked for."""
    rng = random.Random(5)
    rows = []
    for number in range(items):
        item = f"office-t{number:05}"
        for condition in CONDITIONS:
            right = rng.random() > HARM.get(condition, 0.1)
            values = {"required_call_recall": 1.0 if right else 0.5, "success": float(right)}
            rows += [
                ScoreRow("r", "office", item, f"s{number % 90}", condition, 0, name, value)
                for name, value in values.items()
            ]
    comparison = compare(rows, resamples=50, seed=7)
    report = build_report(SUBJECT, comparison)

    def fetch(wanted: Mapping[int, set[tuple[str, str, int]]]) -> dict[Any, Trace]:
        made = {"base": ["read", "write"]}
        return {
            (0, key): acting(key[0], key[1], made.get(key[1], ["read", "read", "wrong"]))
            for key in wanted.get(0, ())
        }

    material = Material(report, rows, axes=AXES)
    return Made(render_html([material], fetch), {}, [material])


@pytest.fixture(scope="session")
def usual() -> Made:
    """The page of a usual run: 40 items under seven conditions."""
    return make(office(), failed=frozenset({("office-t003", "indirect")}), breakdown_by="kind")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium(), headless=True, args=list(FLAGS)
        )
        yield opened
        opened.close()


class Opened:
    """A page in the browser, with all that it said and asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("requestfailed", lambda request: self.said.append(f"failed: {request.url[:80]}"))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens HTML text as a file; options go to the browser's context."""
    contexts = []

    def opened(html: str, anchor: str = "", **options: Any) -> Opened:
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(path.as_uri() + anchor)
        return found

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(name="make", scope="session")
def _make() -> Any:
    return make


@pytest.fixture(name="office", scope="session")
def _office() -> Any:
    return office


@pytest.fixture(name="answering")
def _answering() -> Any:
    return answering


@pytest.fixture(name="acting")
def _acting() -> Any:
    return acting


@pytest.fixture
def read() -> Any:
    """Reads a page without a browser."""
    return Page


@pytest.fixture(name="make_large")
def _make_large() -> Any:
    return make_large
