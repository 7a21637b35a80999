"""`stagetrace run`: a suite through an assistant under several wordings, into a run folder."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

Durability = Literal["span", "tool", "item"]
_DEFAULT_TIMEOUT_S = 300.0


def run(
    suite: Annotated[
        str, typer.Argument(help="office, workbench:email, tasks:PATH; with --resume a run folder.")
    ],
    assistant: Annotated[
        str,
        typer.Option(
            help="rag, tools, tools-create-agent, llm, or MODULE:ATTR of an agent of your own."
        ),
    ] = "rag",
    model: Annotated[
        str | None,
        typer.Option(help="rules, extractive, gold, local:smollm2, openai:NAME, recorded:FILE."),
    ] = None,
    retriever: Annotated[
        str,
        typer.Option(help="bm25, minilm, splade-tiny, hybrid, rerank:bm25, hyde:bm25, ..."),
    ] = "bm25",
    writer: Annotated[
        str, typer.Option(help="Model that makes up passages for hyde, such as local:smollm2.")
    ] = "",
    model_path: Annotated[
        list[str] | None, typer.Option(help="NAME=DIR: where the files of an encoder lie.")
    ] = None,
    tools: Annotated[
        str | None, typer.Option(help="MODULE:ATTR of tools of your own, for tasks:PATH.")
    ] = None,
    conditions: Annotated[
        str, typer.Option(help="Wordings to run, by commas, or all that need no model.")
    ] = "base",
    variants: Annotated[
        Path | None, typer.Option(help="File of wordings to take before any is made.")
    ] = None,
    replicates: Annotated[int, typer.Option(min=1, help="Runs of each wording.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first items.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes to run in.")] = 1,
    seed: Annotated[int, typer.Option(help="Start of every random draw.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder; by default a new one.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run folder.")] = False,
    mode: Annotated[str | None, typer.Option(help="Grading: official, strict, revised.")] = None,
    timeout: Annotated[
        float, typer.Option(min=0.001, help="Seconds that one answer may take.")
    ] = _DEFAULT_TIMEOUT_S,
    durability: Annotated[
        Durability, typer.Option(help="When a step waits for the disk.")
    ] = "tool",
    top_k: Annotated[int, typer.Option(min=1, help="Documents that are shown to the reader.")] = 5,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run, and run nothing.")
    ] = False,
    temperature: Annotated[
        float, typer.Option(min=0.0, help="Of sampling, for openai: and local: models.")
    ] = 0.0,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Requests under way at the model's endpoint, over all workers."),
    ] = None,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.001, help="Requests begun there in a minute.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Begin nothing more once so many are used.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0.0, help="The same for money, by --prices.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="JSON file: model to its input and output price.")
    ] = None,
    max_time: Annotated[float | None, typer.Option(min=0.001, help="The same for seconds.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Keep the model's replies, for --model cassette:FILE.")
    ] = None,
    otlp: Annotated[
        str, typer.Option(help="Also send the spans to this OTLP endpoint, as they are stored.")
    ] = "",
    allow_unverified_native: Annotated[
        bool,
        typer.Option(
            "--allow-unverified-native",
            help="Allow local:needle, whose native code could not be matched to its publisher.",
        ),
    ] = False,
) -> int:
    """Run a suite through an assistant, store every span, grade every item.

    Go on with a run that was stopped: stagetrace run --resume RUN
    """
    from assistants.budget import Budget, read_price
    from stagetrace.run_config import Config, config_of
    from stagetrace.sitting import Sitting
    from tracer.errors import InputError
    from tracer.store import VARIANTS, RunStore, read_manifest

    def budget(model_name: str) -> Budget:
        price = read_price(prices, model_name) if prices else None
        return Budget(max_tokens, max_cost, price, max_time)

    if resume:
        folder = out or Path(suite)
        config = config_of(read_manifest(folder), folder)
        if (folder / VARIANTS).exists():
            # The same words as before, also where another version would make others.
            config = dataclasses.replace(config, variants=str(folder / VARIANTS))
        spending = budget(config.choice.model)
        return Sitting(
            config, workers, lambda manifest: RunStore.resume(folder), otlp, spending
        ).run()
    from stagetrace.parts import DEFAULT_MODELS, KINDS, Choice

    if record is not None and record.exists():
        raise InputError(f"--record {record}: is there already; name a new file")
    kind = KINDS.get(assistant, "user")
    folder = out or _new_folder(suite, assistant)
    choice = Choice(
        suite=suite,
        assistant=assistant,
        model=model or DEFAULT_MODELS[kind],
        retriever=retriever,
        mode=mode,
        top_k=top_k,
        seed=seed,
        timeout_s=timeout,
        run=folder.name,
        tools=tools,
        writer=writer,
        model_paths=tuple(model_path or ()),
        record=str(record.absolute()) if record else "",
        at_once=concurrency,
        per_minute=requests_per_minute,
        temperature=temperature,
        unverified_native=allow_unverified_native,
    )
    config = Config(
        choice, conditions, str(variants) if variants else None, replicates, limit, durability
    )
    try:
        sitting = Sitting(
            config,
            workers,
            lambda manifest: RunStore.create(folder, manifest),
            otlp,
            budget(choice.model),
        )
        return sitting.say_plan() if dry_run else sitting.run()
    finally:
        if out is None:
            # A folder that nothing was written to is not left behind; others cannot be removed so.
            with contextlib.suppress(OSError):
                folder.rmdir()
                folder.parent.rmdir()


def _new_folder(suite: str, assistant: str) -> Path:
    """A new folder below `runs`: date, suite, assistant, and a number where that is taken.

    It is made here, so that of two runs that start at once each has its own.

    Raises:
        StoreError: It cannot be made.
    """
    from tracer.errors import StoreError

    today = datetime.now(UTC).astimezone().strftime("%m%d")
    plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{suite}-{assistant}").strip("-").lower()[:60]
    first = Path("runs") / f"{today}-{plain}"
    folder, number = first, 1
    while True:
        try:
            folder.mkdir(parents=True, mode=0o700)
        except FileExistsError:
            number += 1
            folder = first.with_name(f"{first.name}-{number}")
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot be made ({error.strerror}); name a folder by --out"
            ) from error
        else:
            return folder
