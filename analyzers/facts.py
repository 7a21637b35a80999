"""What analyses need of each trace beside its scores, noted while it passes by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analyzers.error_codes import Fault, candidates, fault_of
from analyzers.score import ScoreRow
from tracer.records import Passage, Trace


@dataclass(frozen=True, slots=True)
class Facts:
    """A run in a few numbers; its texts are let go."""

    item: str
    condition: str
    replicate: int
    axis: str
    words: int
    """Words of the request, separated by blanks."""
    base_words: int
    """Words of the original; 0 where it is not recorded."""
    fault: Fault = ""
    candidates: tuple[str, ...] = ()
    """Codes of error that a deterministic sign points to."""
    listed: int | None = None
    """Length of the list that the reader was shown."""
    before: tuple[int, ...] | None = None
    """Rank of each relevant group before re-ranking, 0 where it is not listed; None without one."""
    after: tuple[int, ...] | None = None
    """The same in the list that the re-ranker made."""

    @property
    def padding(self) -> float | None:
        """Words of the request over words of the original."""
        return self.words / self.base_words if self.base_words else None


@dataclass(frozen=True, slots=True)
class Slot:
    """What was stored of one wording when it was made."""

    head_verb: str = ""
    """Main verb of the original."""
    main_verb: str = ""
    """Main verb of the wording; empty where nobody parsed it."""
    occurs: bool | None = None
    """Whether a form of the head verb stands in the wording; None where nobody looked."""
    features: int | None = None
    """Places changed by dialect features."""
    density: float | None = None
    generator: str = ""


@dataclass(slots=True)
class Notes:
    """The facts of all traces of a block."""

    facts: list[Facts] = field(default_factory=list)
    slots: dict[tuple[str, str], Slot] = field(default_factory=dict)
    """By item and condition."""
    codes: dict[tuple[str, str, int], str] = field(default_factory=dict)
    """Codes of error by a labeller or a reviewer, by item, condition and replicate."""
    coder: str = ""
    """Who gave them."""

    def note(self, trace: Trace, condition: str, rows: Sequence[ScoreRow]) -> None:
        """Keep what is needed of a trace.

        Args:
            trace: The trace.
            condition: The name it goes by in tables.
            rows: Its scores.
        """
        value = {row.metric: row.value for row in rows}
        right = value.get("answer_accuracy", value.get("am"))
        fault = fault_of(trace, right=right, recall=value.get("recall@5"))
        before, after = _reranked(trace)
        request = trace.request
        shown = [one for one in trace.retrievals if not one.internal]
        passages = shown[-1].passages if shown else None
        self.facts.append(
            Facts(
                request.item,
                condition,
                request.replicate,
                request.axis,
                len(request.text.split()),
                len(request.base_text.split()),
                fault,
                candidates(trace, fault),
                None if passages is None else len(passages),
                before,
                after,
            )
        )

    def axes(self) -> Mapping[str, str]:
        """Condition to its axis."""
        return {fact.condition: fact.axis for fact in self.facts}


def _reranked(trace: Trace) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    groups = trace.outcome.relevant if trace.outcome is not None else None
    reranked = [one for one in trace.retrievals if one.stage == "rerank"]
    first = [one for one in trace.retrievals if not one.internal and one.stage == "retrieval"]
    if not groups or not reranked or not first:
        return None, None
    return _ranks(first[-1].passages, groups), _ranks(reranked[-1].passages, groups)


def _ranks(
    passages: Sequence[Passage] | None, groups: Sequence[Sequence[str]]
) -> tuple[int, ...] | None:
    if passages is None:
        return None
    place: dict[str, int] = {}
    for rank, passage in enumerate(passages, start=1):
        place.setdefault(passage.doc_id, rank)
    return tuple(min((place[d] for d in group if d in place), default=0) for group in groups)
