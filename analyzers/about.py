"""What a table's footer says of the wordings and of the choices made."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import Study
from analyzers.scoring import ABOUT

CREDIT = (
    "dialect features: eWAVE 3.0 (ewave-atlas.org, ed. Kortmann, Lunkenheimer and Ehret, CC BY "
    "3.0); rules are ours"
)
OURS = (
    "ours, where the papers leave it open: Holm over the conditions, the test over clusters, the "
    "smallest difference, the one added to the bootstrap's p, copies of a mail as one document"
)


def features_a_request(study: Study, condition: str) -> tuple[float | None, float | None]:
    """Places that dialect features changed, a request on average, and the density asked for."""
    slots = [
        slot
        for (_, name), slot in study.block.notes.slots.items()
        if name == condition and slot.features is not None
    ]
    if not slots:
        return None, None
    densities = {slot.density for slot in slots}
    density = densities.pop() if len(densities) == 1 else None
    return sum(slot.features or 0 for slot in slots) / len(slots), density


def dialect_words(study: Study, condition: str) -> str:
    """How a dialect row reads: features of a variety, and no speakers of it.

    Source:
        Lost in the Request, section 2.1.2: stress tests, not samples of how people write.
    """
    name = condition.removeprefix("dialect_").partition("@")[0]
    variety = name.replace("_", " ").title()
    density = features_a_request(study, condition)[1]
    asked = "" if density is None else f", density {density:g}"
    return f"rule-based features of {variety} English{asked}, not speakers"


def about_lines(study: Study) -> Iterable[str]:
    """Model source, way of scoring, dialect rows with the features a request, and credits."""
    subject = study.subject
    if subject.model_source:
        source = subject.model_source
        digest = len(source) == 64
        yield f"model source: {f'sha256 {source[:12]}' if digest else source}"
    if subject.scoring in ABOUT:
        yield f"em, answer_f1, am: {ABOUT[subject.scoring]}"
    if subject.prices:
        yield f"cost: {subject.prices}"
    dialects = [n for n in study.comparison.conditions if n.startswith("dialect_")]
    for name in dialects:
        features, _ = features_a_request(study, name)
        many = "" if features is None else f"; {features:.1f} features a request"
        yield f"{name.removeprefix('dialect_')}: {dialect_words(study, name)}{many}"
    if dialects:
        yield CREDIT
    yield OURS
