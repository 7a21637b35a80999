"""`stagetrace analyze`: at which stage each wording hurts, with paired statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stagetrace import console
from stagetrace.analysis_format import Format
from stagetrace.options import InspectCondition
from tracer.printable import printable

if TYPE_CHECKING:
    from analyzers.analysis import Study
    from analyzers.blocks import Block
    from analyzers.effect import Effect
    from analyzers.fail_if import FailIf
    from analyzers.report.tables import Report


def analyze(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Run folders, files of traces, or addresses of a Jaeger or Phoenix.",
        ),
    ],
    baseline: Annotated[
        str, typer.Option(help="The condition that the others are compared with.")
    ] = "base",
    by: Annotated[
        str,
        typer.Option(
            metavar="LABEL",
            help="Break the tables down by a label of the items, by `axis` or by `quartile` of "
            "padding.",
        ),
    ] = "",
    analysis: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="Further analyses; `all`, or `list` to see their names."
        ),
    ] = "",
    metrics: Annotated[
        str, typer.Option(metavar="NAME,...", help="Metrics to show; `all` for every one.")
    ] = "",
    conditions: Annotated[
        str, typer.Option(metavar="NAME,...", help="Conditions to compare; all by default.")
    ] = "",
    form: Annotated[
        Format, typer.Option("--format", help="How the tables are written.")
    ] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a file there instead of stdout.")
    ] = None,
    strict_pairs: Annotated[
        bool, typer.Option("--strict-pairs", help="Refuse when a condition lacks an item.")
    ] = False,
    resamples: Annotated[
        int, typer.Option(min=1, help="Resamples of the paired bootstrap.")
    ] = 10_000,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the bootstrap; that of the run by default.")
    ] = None,
    report_mb: Annotated[
        float, typer.Option(min=0.1, help="Largest size of the HTML report in megabytes.")
    ] = 5.0,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPR",
            help="End with status 1 where it holds: 'success@indirect < -0.05 and p < 0.05'.",
        ),
    ] = None,
    scoring: Annotated[
        str, typer.Option(help="How answers are compared: squad, nfkc or s2_released.")
    ] = "squad",
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="Have a chat model mark the answers.")
    ] = "",
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Prices of tokens by model, for `cost`.")
    ] = None,
    label: Annotated[
        str, typer.Option(metavar="MODEL", help="Have a chat model code the wrong answers.")
    ] = "",
    review: Annotated[
        bool, typer.Option("--review", help="Go through the codes of wrong answers by hand.")
    ] = False,
    inspect_condition: InspectCondition = "condition",
    codes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where codes are kept; in the run folder by default."),
    ] = None,
) -> int:
    """Show at which stage each wording hurts: paired differences, intervals, tests."""
    _need_analysis()
    if analysis == "list":
        return _list_analyses()
    from analyzers.analysis import Evidence, run_analyses
    from analyzers.fail_if import FailIf
    from stagetrace.analysis_output import write

    wanted = _analyses(analysis, errors=bool(label) or review or codes is not None)
    gates = [FailIf(text) for text in fail_if or ()]
    names = _metric_names(metrics)
    found = _read(
        runs,
        # An analysis or a gate may ask for any metric, whatever is shown.
        None if wanted or gates or by in _BY_WORDING else names,
        scoring=scoring,
        prices=prices,
        judge=judge,
        parsed="verbs" in wanted,
        condition_key=inspect_condition,
    )
    if label or review or codes is not None:
        _code(found, runs, codes, label, review)
    having = _having(found, by)
    studies = [
        _study(
            block,
            baseline=baseline,
            conditions=_listed(conditions),
            resamples=resamples,
            seed=seed,
            strict=strict_pairs,
        )
        for block in found
    ]
    reports = [
        _report(study, by=by if study.block in having else "", metrics=names) for study in studies
    ]
    for block in found:
        for warning, number in block.warnings.items():
            about = printable(f"{block.subject.suite}: {warning}")
            console.note(f"note: {number} traces of {about}")
    if form is Format.HTML and not as_json:
        _write_page(studies, reports, runs, out, report_mb)
    else:
        from analyzers.analysis import Evidence, run_analyses

        panels = run_analyses(wanted, Evidence(tuple(studies)))
        write(reports, panels, Format.JSON if as_json else form, out)
    return _checked(gates, studies)


_BY_WORDING = ("axis", "quartile")
"""What tables can be broken down by beside the labels of items."""


def _list_analyses() -> int:
    from analyzers.analysis import ANALYSES

    for name in ANALYSES.names():
        first = (ANALYSES.get(name).__doc__ or "").strip().splitlines()[0]
        console.say(f"{name:<14}{first}")
    return 0


def _analyses(text: str, *, errors: bool) -> list[str]:
    """The analyses asked for, checked; coding errors asks for their table too.

    Raises:
        UnknownNameError: There is no such analysis.
    """
    from analyzers.analysis import ANALYSES

    names = _listed(text) or []
    if names == ["all"]:
        names = ANALYSES.names()
    for name in names:
        ANALYSES.get(name)
    return [*names, "errors"] if errors and "errors" not in names else names


def _read(
    runs: Sequence[Path],
    metrics: Sequence[str] | None,
    *,
    scoring: str,
    prices: Path | None,
    judge: str,
    parsed: bool,
    condition_key: str,
) -> list[Block]:
    from analyzers.blocks import Blocks
    from analyzers.prices import read_prices
    from analyzers.scoring import Scoring
    from stagetrace.analysis_input import read_all

    chosen = Scoring(scoring, read_prices(prices) if prices is not None else None)
    model = None
    if judge:
        from stagetrace.parts import chat_model

        model = chat_model(judge)
    blocks = Blocks(metrics, chosen)
    read_all(blocks, runs, judge=model, parsed=parsed, condition_key=condition_key)
    return blocks.blocks()


def _code(
    blocks: Sequence[Block], runs: Sequence[Path], path: Path | None, label: str, review: bool
) -> None:
    from analyzers.error_labels import ModelLabeller
    from stagetrace.error_coding import code_errors, codes_file

    labeller = None
    if label:
        from stagetrace.parts import chat_model

        labeller = ModelLabeller(chat_model(label))
    code_errors(blocks, runs, codes_file(runs, path), labeller=labeller, by_hand=review)


def _checked(gates: Sequence[FailIf], studies: Sequence[Study]) -> int:
    """1 when a gate is met or cannot be decided, with the cells named; else 0."""
    blocks = [(study.title, study.comparison) for study in studies]
    status = 0
    for gate in gates:
        for failing in gate.check(blocks):
            status = 1
            where = f"{failing.where}: " if failing.where else ""
            console.fail(f"--fail-if {gate.text!r}: {where}{failing.words}")
    return status


def _need_analysis() -> None:
    """Say which extra is missing before anything is read.

    Raises:
        MissingExtraError: numpy or scipy is not installed.
    """
    from tracer.registry import missing_extra

    for package in ("numpy", "scipy"):
        if find_spec(package) is None:
            raise missing_extra(package, "analysis", "stagetrace analyze")


def _having(blocks: Sequence[Block], label: str) -> list[Block]:
    """The blocks whose items carry the label; all of them for what wordings differ in.

    Raises:
        UnknownNameError: No block's items do.
    """
    if label in _BY_WORDING:
        return list(blocks)
    having = [block for block in blocks if label in block.labels.names()]
    if label and not having:
        blocks[0].labels.of(label)
    return having


def _listed(text: str) -> list[str] | None:
    names = [name.strip() for name in text.split(",") if name.strip()]
    return names or None


def _metric_names(text: str) -> list[str] | None:
    """The metrics asked for, checked; None for the usual ones.

    Raises:
        UnknownNameError: There is no such metric.
    """
    from analyzers.base import METRICS
    from analyzers.report.tables import STAGES

    names = _listed(text)
    if names == ["all"]:
        return sorted(METRICS.names(), key=lambda name: STAGES.index(METRICS.get(name).stage))
    for name in names or ():
        METRICS.get(name)
    return names


def _study(
    block: Block,
    *,
    baseline: str,
    conditions: Sequence[str] | None,
    resamples: int,
    seed: int | None,
    strict: bool,
) -> Study:
    from analyzers.analysis import Study
    from analyzers.compare import compare

    return Study(
        block,
        compare(
            block.rows,
            baseline=baseline,
            conditions=conditions or _in_table_order(row.condition for row in block.rows),
            resamples=resamples,
            seed=seed if seed is not None else block.subject.seed or 0,
            strict=strict,
        ),
    )


def _report(study: Study, *, by: str, metrics: Sequence[str] | None) -> Report:
    from analyzers.about import about_lines
    from analyzers.report.tables import build_report

    block = study.block
    return build_report(
        block.subject,
        study.comparison,
        metrics=metrics,
        groups=_groups(study, by),
        label=by,
        labels=block.labels.names(),
        about=about_lines(study),
    )


def _groups(study: Study, by: str) -> Sequence[Effect]:
    """Effects within each value of a label, each axis, or each quartile of padding."""
    from analyzers.breakdown import breakdown
    from analyzers.report.tables import OVERVIEW

    comparison = study.comparison
    metrics = [name for name in OVERVIEW if name in comparison.metrics]
    if by == "axis":
        return study.by_axis(metrics)
    if by == "quartile":
        from analyzers.padding import by_quartile

        return [effect for name in metrics for effect, _, _ in by_quartile(study, name)]
    if not by:
        return ()
    return breakdown(
        study.block.rows,
        study.block.labels.of(by),
        baseline=comparison.baseline,
        conditions=comparison.conditions,
        resamples=comparison.resamples,
        seed=comparison.seed,
    )


def _in_table_order(found: Iterable[str]) -> list[str]:
    """Conditions by axis as in all tables; those of nobody's list come last, as they appeared."""
    from variants.conditions import conditions

    order = {name: place for place, name in enumerate(conditions())}
    return sorted(
        dict.fromkeys(found), key=lambda name: order.get(name.partition("@")[0], len(order))
    )


def _write_page(
    studies: Sequence[Study],
    reports: Sequence[Report],
    runs: Sequence[Path],
    out: Path | None,
    megabytes: float,
) -> None:
    """Write the HTML report and name its path.

    Raises:
        InputError: It cannot be written.
    """
    from stagetrace.report_page import report_folder, report_page, write_page

    folder = report_folder(runs, out)
    path = write_page(folder, report_page(studies, reports, runs, megabytes=megabytes))
    if find_spec("matplotlib") is None:
        console.note("plots left out: pip install 'stagetrace[report]'")
    console.say(printable(f"report: {path} ({path.stat().st_size / 1e3:,.0f} kB)"))
