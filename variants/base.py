"""What a variant, a pole, a dialect, a noise and a gate are, and where they are filed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from tracer.records import Json
from tracer.registry import Registry

Generator: TypeAlias = Literal["base", "llm", "transducer", "typo", "rtt", "authored", "human"]
Span: TypeAlias = tuple[int, int]
"""Start and end of characters, end excluded."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one gate said of one candidate."""

    name: str
    passed: bool
    filtered: bool
    """True when a failed verdict rejects the candidate; False when it is only recorded."""
    score: float | None = None
    reason: str = ""
    rater: str = ""


@dataclass(frozen=True, slots=True)
class FeatureUse:
    """One dialect feature that was realised."""

    ewave: int
    count: int
    spans: tuple[Span, ...] = ()
    """In the base text."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One slot: an item's request in one condition, or the reason why there is none."""

    item_id: str
    condition: str
    text: str
    base_text: str
    generator: Generator
    status: Literal["admitted", "failed"]
    reason: str = ""
    """Why a failed slot failed: the gate's name and what it found, or `no_feature`."""
    seed: int = 0
    density: float | None = None
    framing: str = ""
    attempt: int = 0
    candidate_index: int = 0
    opening: str = ""
    gates: tuple[Verdict, ...] = ()
    features: tuple[FeatureUse, ...] = ()
    soft: tuple[str, ...] = ()
    """Capitalised tokens of the base that the text lacks; recorded, never a reason to reject."""
    protected: tuple[str, ...] = ()
    head_verb: str = ""
    main_verb: str = ""
    prompt_sha256: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Pole:
    """One end of a style axis."""

    axis: str
    name: str
    contrastive: bool
    instruction: str
    """What the pole must show, in our words."""
    framings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gated:
    """What a gate looks at."""

    base: str
    candidate: str
    condition: str
    generator: Generator
    protected: tuple[str, ...] = ()
    features: tuple[FeatureUse, ...] = ()
    facts: Mapping[str, Json] = field(default_factory=dict)


class Gate(Protocol):
    """A check of one candidate."""

    def __call__(self, gated: Gated) -> Verdict:
        """The verdict with its reason when it fails."""
        ...


POLES: Registry[Pole] = Registry("pole", "variants.styles")
GATES: Registry[Gate] = Registry("gate", "variants.gates")
