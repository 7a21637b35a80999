"""`stagetrace models`: which models there are, where their weights come from, and fetching them."""

from __future__ import annotations

from typing import Annotated

import typer

from stagetrace import console, settings

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    help="List the models and fetch the weights that come as packages.",
)


@app.callback()
def default(context: typer.Context) -> None:
    """List the models and fetch the weights that come as packages."""
    if context.invoked_subcommand is None:
        list_models(as_json=False)


@app.command("list")
def list_models(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """List chat models, retrievers and weights: role, package, licence, whether they are here."""
    from assistants import encoders
    from assistants.base import COMBINERS, MODELS, RETRIEVERS, Places
    from assistants.models import weights

    folders = settings.model_folders()
    rows = []
    for weight in weights.known():
        found = weights.locate(weight.name, folders)
        rows.append(
            {
                "name": weight.name,
                "role": weight.role,
                "package": weight.package,
                "licence": weight.licence,
                "here": "yes" if found else "no",
            }
        )
    places = Places(folders=folders)
    brought = [
        {
            "name": encoder.name,
            "role": encoder.role,
            "package": f"bring it: {encoder.hub}",
            "licence": encoder.licence,
            "here": "yes" if encoders.is_here(encoder.name, places) else "no",
        }
        for encoder in encoders.known()
        if not encoder.embedded
    ]
    retrievers = [*RETRIEVERS.names(), *(f"{name}:OTHER" for name in COMBINERS.names())]
    if as_json:
        console.say_json(
            {"models": MODELS.names(), "retrievers": retrievers, "weights": [*rows, *brought]}
        )
        return
    rows += brought
    console.say("chat models: " + ", ".join(MODELS.names()))
    console.say("retrievers: " + ", ".join(retrievers))
    console.say()
    heads = {key: key for key in ("name", "role", "package", "licence", "here")}
    for line in console.columns(rows, heads):
        console.say(line)
    console.say()
    console.say("fetch with: stagetrace models fetch NAME")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Name of the weights, as `models list` prints it.")],
    allow_unverified_native: Annotated[
        bool,
        typer.Option(
            "--allow-unverified-native",
            help="Also take native code that could not be matched to its publisher.",
        ),
    ] = False,
) -> None:
    """Fetch the weights of a model from its package, check their sha256, keep them in the cache."""
    from assistants.models import weights

    folder = weights.fetch(
        name,
        settings.cache_folder() / "models",
        progress=console.note,
        unverified_native=allow_unverified_native,
    )
    console.say(f"{name}: {folder}")
