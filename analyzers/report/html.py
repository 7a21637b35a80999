"""The whole analysis as one HTML file that asks for nothing else and runs nothing from the data."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from analyzers.report.anchors import Anchors
from analyzers.report.drilldown import Drilldown, drilldown, single
from analyzers.report.figure import plots_possible
from analyzers.report.html_figures import Figures, figures_of
from analyzers.report.html_view import BlockView, view_of
from analyzers.report.item_states import Items, items_of
from analyzers.report.layout import Group, grouped
from analyzers.report.material import Material
from analyzers.report.pair_choice import Pair, differing_pairs
from analyzers.report.palette import declarations
from tracer.printable import printable
from tracer.records import Json, Trace
from tracer.registry import missing_extra

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
MEGABYTES = 5.0
"""Most that a report weighs."""
_SMALLEST = 1_200
"""Bytes that few drill-downs are under; bounds how many traces are held."""
_SPARE = 4_000
"""Bytes kept free for what is known only at the end."""
_LINK = 24
"""Bytes of a link in the item table beside its anchor."""

Key: TypeAlias = tuple[str, str, int]
"""Item, condition and run."""
Fetch: TypeAlias = Callable[[Mapping[int, set[Key]]], Mapping[tuple[int, Key], Trace]]
"""Gives those of the wanted traces that exist, by number of the block and key."""
Wordings: TypeAlias = Mapping[tuple[str, str], Mapping[str, Json]]
"""Item and condition to the stored record of the wording."""


@dataclass(slots=True)
class _Block:
    """One block on its way into the page."""

    number: int
    material: Material
    anchors: Anchors
    groups: tuple[Group, ...]
    items: Items
    pairs: list[Pair]
    """Pairs that differ, the most instructive first; single traces where there is one condition."""
    figures: Figures
    details: dict[tuple[str, str], str] = field(default_factory=dict)
    """Item and condition to the finished drill-down."""

    @property
    def baseline(self) -> str:
        return self.material.report.comparison.baseline

    @property
    def alone(self) -> bool:
        return not self.material.report.comparison.conditions

    @property
    def only(self) -> str:
        """The condition of a block that has but one."""
        items = self.material.report.comparison.items
        return next((name for name, number in items.items() if number), self.baseline)


def render_html(
    materials: Sequence[Material],
    fetch: Fetch,
    *,
    wordings: Wordings | None = None,
    megabytes: float = MEGABYTES,
    plots: bool | None = None,
) -> str:
    """The page.

    Args:
        materials: The blocks, in order.
        fetch: Gives traces for the drill-downs; asked once.
        wordings: Stored records of the variants, for their gates.
        megabytes: How large the page may become; drill-downs fill what the tables leave.
        plots: Draw plots; by default where matplotlib is installed.

    Raises:
        MissingExtraError: jinja2 is not installed.

    Source:
        Ours. Without script and style everything can still be read; texts from traces are escaped
        by the template engine and never rendered as Markdown or HTML.
    """
    environment = _environment()
    draw = plots_possible() if plots is None else plots
    blocks = [_block(number, material, draw=draw) for number, material in enumerate(materials)]
    budget = int(megabytes * 1_000_000)
    room = budget - len(_page(environment, blocks).encode()) - _SPARE
    most = max(0, room // _SMALLEST)
    candidates = _in_turn([[(block, pair) for pair in block.pairs] for block in blocks])[:most]
    wanted: dict[int, set[Key]] = {}
    for block, pair in candidates:
        wanted.setdefault(block.number, set()).update(_keys(block, pair))
    traces = fetch(wanted)
    piece = environment.get_template("pair.html")
    for block, pair in candidates:
        view = _view(block, pair, traces, wordings or {})
        if view is None:
            continue
        text = piece.render(d=view)
        size = len(text.encode()) + len(view.anchor) + _LINK
        if size <= room:
            room -= size
            block.details[pair.key] = text
    return _page(environment, blocks)


def _block(number: int, material: Material, *, draw: bool) -> _Block:
    comparison = material.report.comparison
    references = material.report.subject.references
    groups = grouped(comparison.conditions, material.axes, references)
    items = items_of(material)
    prefix = "" if number == 0 else f"b{number + 1}-"
    block = _Block(
        number,
        material,
        Anchors(number),
        groups,
        items,
        differing_pairs(items.rows, comparison.conditions),
        figures_of(material, groups, prefix=prefix, draw=draw),
    )
    if block.alone:
        block.pairs = [Pair(one.item, block.only, one.base) for one in items.rows if one.base.runs]
    return block


def _in_turn(queues: Sequence[Sequence[tuple[_Block, Pair]]]) -> list[tuple[_Block, Pair]]:
    """One of each block in turn, so that no block crowds out another."""
    return [one for one in chain.from_iterable(zip_longest(*queues)) if one is not None]


def _keys(block: _Block, pair: Pair) -> Iterator[Key]:
    run = pair.state.first_run
    yield pair.item, pair.condition, run
    if not block.alone:
        yield pair.item, block.baseline, run


def _view(
    block: _Block, pair: Pair, traces: Mapping[tuple[int, Key], Trace], wordings: Wordings
) -> Drilldown | None:
    found = [traces.get((block.number, key)) for key in _keys(block, pair)]
    runs = block.material.report.subject.runs
    shared: dict[str, Any] = {
        "anchors": block.anchors,
        "run": runs[0] if runs else "RUN",
        "state": pair.state,
        "item": pair.item,
        "condition": pair.condition,
    }
    variant = found[0]
    if variant is None:
        return None
    if block.alone:
        return single(variant, **shared)
    base = found[1]
    if base is None:
        return None
    wording = wordings.get(pair.key)
    return drilldown(base, variant, wording=wording, baseline=block.baseline, **shared)


def _page(environment: Environment, blocks: Sequence[_Block]) -> str:
    from markupsafe import Markup

    views: list[BlockView] = [
        view_of(
            block.material,
            block.items,
            block.groups,
            block.anchors,
            block.figures,
            details=block.details,
            differing=len(block.pairs),
        )
        for block in blocks
    ]
    style, script = _style(), _source("report.js")
    return environment.get_template("report.html").render(
        blocks=views,
        style=Markup(style),
        script=Markup(script),
        policy=content_policy(style, script),
    )


def content_policy(style: str, script: str) -> str:
    """What the page may load and run: its own style and script, by their digests."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _style() -> str:
    return (
        f":root{{{declarations(dark=False)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{declarations(dark=True)}}}}}\n"
        + _source("report.css")
    )


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise missing_extra("jinja2", "analysis", "the HTML report") from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["breakable"] = _breakable
    return environment


def _shown(value: object) -> object:
    """Every text that is no markup of ours with its control characters shown."""
    from markupsafe import Markup

    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, one_line=False)
    return value


def _breakable(text: str) -> str:
    """A name that may be broken after its underscores."""
    from markupsafe import Markup, escape

    parts = [escape(printable(part)) for part in text.split("_")]
    return Markup("_<wbr>").join(parts)
