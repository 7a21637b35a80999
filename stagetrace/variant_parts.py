"""From names on the command line of `vary` to the parts that variants are made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from assistants.base import EMBEDDERS
from stagetrace import parts, settings
from tracer.errors import InputError
from tracer.protocols import ChatModel, Embedder
from variants.base import Helpers, Rater, Scorer, Translator
from variants.cassette import Cassette
from variants.gates.classifier import FolderClassifier
from variants.noise.round_trip import OpusMt, RecordedTranslator
from variants.raters import ModelRater, RecordedRater

REWRITE_TOKENS = 384
"""Room for six rewrites in one answer, for models that are set up for short ones."""
_LABELS = {"formality": ("formal",), "politeness": ("polite", "somewhat polite")}


@runtime_checkable
class _ShortSpoken(Protocol):
    """A model with a limit on its answers that can be raised."""

    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Names:
    """The parts of one `vary` as they were named; kept beside unfinished work."""

    rewriter: str | None = None
    temperature: float = 0.0
    """Of the rewriter's sampling; a rater answers at 0."""
    rater: str | None = None
    translator: str | None = None
    embedder: str | None = None
    formality: Path | None = None
    politeness: Path | None = None
    cassette: Path | None = None
    profile: Literal["ours", "s2_released"] = "ours"
    prompt: int = 0


def helpers(names: Names) -> Helpers:
    """The parts, built; what is not named is not built.

    Raises:
        InputError: A name cannot be read, or its weights or file are not there.
    """
    models: dict[tuple[str, float], ChatModel] = {}
    return Helpers(
        rewriter=_model(names.rewriter, names.cassette, models, names.temperature)
        if names.rewriter
        else None,
        rater=_rater(names.rater, names.cassette, models) if names.rater else None,
        translator=_translator(names.translator) if names.translator else None,
        embedder=_embedder(names.embedder) if names.embedder else None,
        scorers=_scorers(names),
        profile=names.profile,
        prompt=names.prompt,
    )


def _model(
    name: str,
    cassette: Path | None,
    built: dict[tuple[str, float], ChatModel],
    temperature: float = 0.0,
) -> ChatModel:
    """The chat model of a name, once for rewriter and rater where both are the same."""
    key = (name, temperature)
    if key not in built:
        model = parts.chat_model(name, temperature=temperature)
        if isinstance(model, _ShortSpoken):
            model.answer_tokens = max(model.answer_tokens, REWRITE_TOKENS)
        built[key] = Cassette(model, cassette) if cassette else model
    return built[key]


def _rater(name: str, cassette: Path | None, built: dict[tuple[str, float], ChatModel]) -> Rater:
    scheme, _, rest = name.partition(":")
    if scheme == "verdicts":
        return RecordedRater(Path(rest))
    return ModelRater(_model(name, cassette, built))


def _translator(name: str) -> Translator:
    scheme, _, rest = name.partition(":")
    if scheme == "recorded" and rest:
        return RecordedTranslator(Path(rest))
    if scheme == "opus-mt" and rest:
        return OpusMt(Path(rest))
    raise InputError(f"--translator {name!r}: give recorded:FILE or opus-mt:FOLDER")


def _embedder(name: str) -> Embedder:
    return EMBEDDERS.get(name)(folders=settings.model_folders())


def _scorers(names: Names) -> Mapping[str, Scorer]:
    folders = {"formality": names.formality, "politeness": names.politeness}
    return {
        dimension: FolderClassifier(folder, _LABELS[dimension])
        for dimension, folder in folders.items()
        if folder is not None
    }
