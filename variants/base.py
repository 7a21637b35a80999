"""What a variant, a pole, a dialect, a noise and a gate are, and where they are filed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from tracer.protocols import ChatModel, Embedder
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
    turns: tuple[str, ...] = ()
    """The user turns of a conversation, which `text` holds with a blank line between them."""
    opening_uses: int = 0
    """How often earlier items of the suite had taken this opening when it was chosen."""


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
class Rating:
    """One answer of a rater."""

    yes: bool
    error: str = ""
    """Why there was no usable answer; it then counts as a no."""


class Rater(Protocol):
    """Whoever answers the questions of gates A, B and C: a model, a file of verdicts."""

    name: str
    """Stored with each verdict; `human` is reserved for `vary --review`."""

    def rate(self, gate: str, gated: Gated) -> Rating:
        """Yes or no to the question of `intent`, `style` or `human_likeness`."""
        ...


class Translator(Protocol):
    """Texts from one language into another."""

    name: str

    def translate(self, texts: Sequence[str], src: str, tgt: str) -> list[str]:
        """One translation a text, in order."""
        ...


class Scorer(Protocol):
    """A number in [0, 1] for a text, such as the chance that it is formal."""

    name: str

    def score(self, text: str) -> float:
        """How much of it the text shows."""
        ...


@dataclass(frozen=True, slots=True)
class Helpers:
    """Parts that are handed in: nothing here is made by the room itself."""

    rewriter: ChatModel | None = None
    rater: Rater | None = None
    translator: Translator | None = None
    embedder: Embedder | None = None
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    """`formality` and `politeness` to a classifier; ours stand in where none is named."""
    profile: Literal["ours", "s2_released"] = "ours"
    """`s2_released` makes typos and readability as the scripts of the second paper do."""
    prompt: int = 0
    """For the conditions of the second paper: 1 to 3 takes this prompt, 0 rotates by item."""


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
    item: str = ""
    context: tuple[str, ...] = ()
    """Earlier turns of the conversation, in the same wording."""
    helpers: Helpers = field(default_factory=Helpers)


class Gate(Protocol):
    """A check of one candidate."""

    def __call__(self, gated: Gated) -> Verdict:
        """The verdict with its reason when it fails."""
        ...


POLES: Registry[Pole] = Registry("pole", "variants.styles")
GATES: Registry[Gate] = Registry("gate", "variants.gates")
