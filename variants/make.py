"""One request in one condition: the candidate, its gates, the variant or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import get_args

from tracer.errors import MissingExtraError, VariantError
from tracer.records import Json, Task
from variants.base import FeatureUse, Gated, Generator, Helpers, Span, Variant, Verdict
from variants.conditions import BASE, DIALECT, available, axis_of, conditions, known, needs_model
from variants.features import DIALECTS
from variants.framings import framed
from variants.gates.capitalised import missing_capitalised
from variants.gating import rejection, run_gates
from variants.noise.round_trip import round_trip
from variants.noise.typos import released_typos, typos
from variants.parse import head_verb, parse
from variants.parsed import Parsed
from variants.protect import protected_spans, texts
from variants.rewrite import Candidate, rewrite
from variants.transduce import Tier, transduce
from variants.words import opening

__all__ = ["available", "axis_of", "base_text", "conditions", "make_variant", "needs_model"]

TURN_BREAK = "\n\n"
"""What stands between the user turns of a conversation in `text` and `base_text`."""


def make_variant(
    task: Task,
    condition: str,
    *,
    seed: int = 0,
    authored: Mapping[str, Json] | None = None,
    density: float = 1.0,
    tier: Tier | None = None,
    helpers: Helpers | None = None,
    openings: Mapping[str, int] | None = None,
) -> Variant:
    """The task's request in a condition; a slot that cannot be filled says why.

    The result depends on these arguments alone, not on what was made before.

    Args:
        task: The item; of a conversation every user turn is put into other words.
        condition: One of `conditions()`.
        seed: Start of the draws of typos, dialects and equal candidates.
        authored: A wording that somebody wrote for this slot, with at least `text`, or `turns` for
            a conversation; it is gated, and taken before anything is made.
        density: For dialects, the share of eligible places that are changed.
        tier: For dialects, `safe+guarded` also applies rules that need a rater of intent; by
            default it is used where a rater is at hand.
        helpers: Models, raters and scorers that are handed in.
        openings: For a rewriter, how often earlier items took each opening.

    Raises:
        UnknownNameError: There is no such condition.
        VariantError: `authored` has no text.
        EndpointError: A model cannot be asked.
    """
    slot = _Slot(task, known(condition), seed, helpers or Helpers())
    if condition == BASE:
        return slot.base()
    if authored is not None:
        return slot.authored(authored)
    if condition == "typos":
        return slot.typos()
    if condition.startswith(DIALECT):
        rated = slot.helpers.rater is not None
        return slot.dialect(density, tier or ("safe+guarded" if rated else "safe"))
    if condition == "rtt":
        return slot.round_trip()
    if slot.helpers.rewriter is not None:
        return slot.rewritten(openings or {})
    return slot.framed()


def base_text(task: Task) -> str:
    """The original wording as a variant stores it: the turns with a blank line between them."""
    return TURN_BREAK.join(turn.text for turn in task.turns)


class _Slot:
    """An item and a condition, with what every outcome of them shares."""

    def __init__(self, task: Task, condition: str, seed: int, helpers: Helpers) -> None:
        self.task = task
        self.condition = condition
        self.seed = seed
        self.helpers = helpers
        self.turns = tuple(turn.text for turn in task.turns)
        self.text = base_text(task)
        self.spans = [protected_spans(turn, task.protected) for turn in self.turns]
        self.protected = tuple(
            dict.fromkeys(
                literal
                for turn, spans in zip(self.turns, self.spans, strict=True)
                for literal in texts(turn, spans)
            )
        )
        self.head_verb = task.groups.get("head_verb", "")

    def base(self) -> Variant:
        """The original wording, which passes no gate."""
        return Variant(
            self.task.item,
            BASE,
            text=self.text,
            base_text=self.text,
            generator="base",
            status="admitted",
            opening=opening(self.text),
            protected=self.protected,
            head_verb=self.head_verb,
            main_verb=self.head_verb,
            turns=self._turns(self.turns),
        )

    def failed(self, reason: str, generator: Generator = "llm", **facts: Json) -> Variant:
        """An empty slot."""
        return self._variant(("",), generator, status="failed", reason=reason, **facts)

    def authored(self, record: Mapping[str, Json]) -> Variant:
        """A wording that somebody wrote, behind the gates."""
        given = record.get("turns") or [record.get("text")]
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
            raise VariantError(
                f"wording of {self.task.item!r} in {self.condition!r} has no text but {given!r}; "
                'write it as {"text": "..."}'
            )
        generator = record.get("generator", "authored")
        if generator not in get_args(Generator):
            raise VariantError(
                f"wording of {self.task.item!r} in {self.condition!r} "
                f"has the generator {generator!r}; known: {', '.join(get_args(Generator))}"
            )
        if len(given) != len(self.turns):
            return self.failed(
                f"turns: {len(given)} in the wording, {len(self.turns)} in the task", generator
            )
        uses = tuple(
            FeatureUse(use["ewave"], use["count"], tuple((low, high) for low, high in use["spans"]))
            for use in record.get("features", ())
        )
        return self._gated(
            tuple(given),
            generator,
            uses,
            framing=str(record.get("framing", "")),
            head_verb=str(record.get("head_verb", self.head_verb)),
            main_verb=str(record.get("main_verb", "")),
            model=str(record.get("model", "")),
            prompt_sha256=str(record.get("prompt_sha256", "")),
        )

    def framed(self) -> Variant:
        """The request in a framing written by hand: the first of its rotation that clears."""
        candidates = framed(self.task, self.condition)
        if not candidates:
            return self.failed(
                f"no wording: {self.condition!r} needs a model or a text written for this item"
            )
        verb = self._base_verb()
        made = []
        for attempt, one in enumerate(candidates):
            made.append(
                self._gated(
                    (one.text,),
                    "authored",
                    framing=one.framing,
                    attempt=attempt,
                    candidate_index=one.index,
                    head_verb=verb,
                    main_verb=one.main_verb,
                )
            )
            if made[-1].status == "admitted":
                return made[-1]
        return made[0]

    def typos(self) -> Variant:
        """The request with typos outside its literals; a turn without a free word stays."""
        if self.helpers.profile == "s2_released":
            made = [
                released_typos(turn, item=self._key(number), seed=self.seed)
                for number, turn in enumerate(self.turns)
            ]
            return self._damaged(tuple(made), "typo")
        damaged = [
            typos(turn, item=self._key(number), seed=self.seed, given=self.task.protected)
            for number, turn in enumerate(self.turns)
        ]
        if not any(damaged):
            return self.failed("no word: every word holds an operative literal", "typo")
        kept = tuple(new or old for new, old in zip(damaged, self.turns, strict=True))
        return self._damaged(kept, "typo")

    def dialect(self, density: float, tier: Tier) -> Variant:
        """The request with the features of a dialect; a turn without a place stays."""
        name = self.condition.removeprefix(DIALECT)
        dialect = DIALECTS.get(name)
        made: list[str] = []
        uses: list[FeatureUse] = []
        start = 0
        for number, (turn, spans) in enumerate(zip(self.turns, self.spans, strict=True)):
            done = transduce(
                _parsed(turn, spans),
                dialect,
                item=self._key(number),
                protected=spans,
                seed=self.seed,
                density=density,
                tier=tier,
            )
            made.append(done.text)
            uses += [_moved(use, start) for use in done.uses]
            start += len(turn) + len(TURN_BREAK)
        verb = self._base_verb()
        if not uses:
            return self._variant(
                tuple(made),
                "transducer",
                status="failed",
                reason="no_feature",
                density=density,
                head_verb=verb,
            )
        # No rule replaces a main verb by another one, so the variant keeps the base's.
        return self._gated(
            tuple(made),
            "transducer",
            _together(uses),
            density=density,
            head_verb=verb,
            main_verb=verb,
        )

    def round_trip(self) -> Variant:
        """The request translated there and back."""
        translator = self.helpers.translator
        if translator is None:
            return self.failed(
                "no translator: round trips need a translation model or a stored wording"
            )
        made = tuple(round_trip(turn, translator) for turn in self.turns)
        return self._damaged(made, "rtt", model=translator.name)

    def _damaged(self, made: tuple[str, ...], generator: Generator, **facts: Json) -> Variant:
        """A text whose surface was damaged; typos leave the main verb the verb it was."""
        verb = self._base_verb()
        kept = verb if generator == "typo" else _verb_of(made[0], protected_spans(made[0]))
        return self._gated(made, generator, head_verb=verb, main_verb=kept, **facts)

    def rewritten(self, openings: Mapping[str, int]) -> Variant:
        """The request in the words of a model; every turn must clear the gates."""
        model = self.helpers.rewriter
        assert model is not None
        chosen: list[Candidate] = []
        for number, turn in enumerate(self.turns):
            context = self.turns[:number]
            done = rewrite(
                turn,
                self.condition,
                item=self._key(number),
                model=model,
                gate=partial(self._verdicts, number, context),
                seed=self.seed,
                openings=openings,
                context=context,
                prompt=self.helpers.prompt,
            )
            if done.chosen is None:
                return self.failed(done.reason, model=model.name)
            chosen.append(done.chosen)
            if done.reason:
                return self._of_candidates(chosen, model.name, status="failed", reason=done.reason)
        return self._of_candidates(chosen, model.name, status="admitted", reason="")

    def _of_candidates(self, chosen: list[Candidate], model: str, **outcome: Json) -> Variant:
        first = chosen[0]
        made = tuple(candidate.text for candidate in chosen)
        text = TURN_BREAK.join(made)
        return self._variant(
            made,
            "llm",
            gates=_merged([candidate.verdicts for candidate in chosen]),
            soft=tuple(missing_capitalised(self.text, text, case=self.condition != "casual")),
            framing=first.framing,
            attempt=max(candidate.attempt for candidate in chosen),
            candidate_index=first.index,
            prompt_sha256=first.prompt_sha256,
            opening_uses=first.opening_uses,
            head_verb=self._base_verb(),
            main_verb=_verb_of(made[0], protected_spans(made[0], self.protected)),
            model=model,
            **outcome,
        )

    def _verdicts(self, number: int, context: tuple[str, ...], text: str) -> tuple[Verdict, ...]:
        """The gates of one turn that a model rewrote."""
        turn, spans = self.turns[number], self.spans[number]
        return run_gates(
            Gated(
                turn,
                text,
                self.condition,
                "llm",
                protected=texts(turn, spans),
                item=self.task.item,
                context=context,
                helpers=self.helpers,
            )
        )

    def _gated(
        self,
        made: tuple[str, ...],
        generator: Generator,
        features: tuple[FeatureUse, ...] = (),
        **facts: Json,
    ) -> Variant:
        text = TURN_BREAK.join(made)
        verdicts = run_gates(
            Gated(
                self.text,
                text,
                self.condition,
                generator,
                protected=self.protected,
                features=features,
                item=self.task.item,
                helpers=self.helpers,
            )
        )
        reason = rejection(verdicts)
        return self._variant(
            made,
            generator,
            status="failed" if reason else "admitted",
            reason=reason,
            gates=verdicts,
            features=features,
            soft=tuple(missing_capitalised(self.text, text, case=self.condition != "casual")),
            **facts,
        )

    def _variant(self, made: tuple[str, ...], generator: Generator, **facts: Json) -> Variant:
        text = TURN_BREAK.join(made)
        shared: dict[str, Json] = {
            "head_verb": self.head_verb,
            "protected": self.protected,
            "seed": self.seed,
        }
        return Variant(
            self.task.item,
            self.condition,
            text=text,
            base_text=self.text,
            generator=generator,
            opening=opening(text),
            turns=self._turns(made),
            **(shared | facts),
        )

    def _turns(self, made: tuple[str, ...]) -> tuple[str, ...]:
        return made if len(self.turns) > 1 and len(made) == len(self.turns) else ()

    def _key(self, turn: int) -> str:
        """What names a turn in draws; a single request has the item's own id."""
        return self.task.item if len(self.turns) == 1 else f"{self.task.item}#{turn}"

    def _base_verb(self) -> str:
        return self.head_verb or _verb_of(self.turns[0], self.spans[0])


@lru_cache(maxsize=64)
def _parsed(text: str, spans: tuple[Span, ...]) -> Parsed:
    """The parse of a turn, which the conditions of one item share."""
    return parse(text, spans)


def _verb_of(text: str, spans: tuple[Span, ...]) -> str:
    """The lemma of a text's main predicate; empty where no parser is installed."""
    try:
        return head_verb(_parsed(text, spans))
    except MissingExtraError:
        return ""


def _moved(use: FeatureUse, start: int) -> FeatureUse:
    return FeatureUse(use.ewave, use.count, tuple((a + start, b + start) for a, b in use.spans))


def _together(uses: list[FeatureUse]) -> tuple[FeatureUse, ...]:
    """One entry a feature, the places of all turns in it."""
    spans: dict[int, list[Span]] = {}
    for use in uses:
        spans.setdefault(use.ewave, []).extend(use.spans)
    return tuple(FeatureUse(n, len(found), tuple(found)) for n, found in sorted(spans.items()))


def _merged(turns: list[tuple[Verdict, ...]]) -> tuple[Verdict, ...]:
    """One verdict a gate: the first that fails, else the first turn's."""
    worst: dict[str, Verdict] = {}
    for verdicts in turns:
        for verdict in verdicts:
            known_verdict = worst.get(verdict.name)
            if known_verdict is None or (known_verdict.passed and not verdict.passed):
                worst[verdict.name] = verdict
    return tuple(worst.values())
