"""What the benchmark says of the calls of a whole conversation: matches, flags, counts, errors.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/evaluation/tool_executor.py` and `calculate_error_types.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sandboxes.tooltalk.match import holds, official_matches
from sandboxes.tooltalk.replay import UNFINISHED, UNREADABLE, Made
from sandboxes.tooltalk.similarity import Similarity, Texts
from sandboxes.tooltalk.strict import most_pairs, strict_matches
from tracer.records import Comparison, Json

ERROR_TYPES = ("over-trigger", "bad planning", "bad call")
Timing = Literal["in_turn", "early", "late"]


class GraderCrashError(Exception):
    """The published grader ends with an exception on these calls."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One call that was made."""

    made: Made
    turn: int
    gold: int | None
    """Index of the gold call it serves."""
    bad: bool
    """An action that nobody asked for."""
    timing: Timing | None
    """Against the turn of the gold call it serves, else of one left with the same arguments."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What all rates are made of."""

    predictions: int
    ground_truths: int
    matches: int
    actions: int
    valid_actions: int
    bad_actions: int

    @property
    def precision(self) -> float:
        """Matched over made; 0.0 when nothing was made."""
        return self.matches / self.predictions if self.predictions else 0.0

    @property
    def recall(self) -> float:
        """Matched over required; 0.0 when nothing is required, which no conversation has."""
        return self.matches / self.ground_truths if self.ground_truths else 0.0

    @property
    def action_precision(self) -> float:
        """Matched actions over actions; 1.0 when there was none."""
        return self.valid_actions / self.actions if self.actions else 1.0

    @property
    def bad_action_rate(self) -> float:
        """Bad actions over actions; 0.0 when there was none."""
        return self.bad_actions / self.actions if self.actions else 0.0

    @property
    def success(self) -> bool:
        """Every required call was made, and no bad action."""
        return self.matches == self.ground_truths and self.bad_actions == 0

    @property
    def soft_success(self) -> float:
        """Recall times the share of actions that were not bad."""
        return self.recall * (1 - self.bad_action_rate)

    def metrics(self) -> dict[str, Json]:
        """All of it under the published names."""
        names = (*self.__slots__, *_RATES)
        return {name: getattr(self, name) for name in names}


_RATES = (
    "precision",
    "recall",
    "action_precision",
    "bad_action_rate",
    "success",
    "soft_success",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a conversation."""

    mode: str
    calls: tuple[Judged, ...]
    """In the order made."""
    gold_turns: tuple[int, ...]
    """Turn of each gold call."""
    gold_names: tuple[str, ...]
    counts: Counts
    comparisons: tuple[Comparison, ...]

    @property
    def served(self) -> set[int]:
        """Indexes of the gold calls that were made."""
        return {call.gold for call in self.calls if call.gold is not None}

    def error_types(self, turns: int) -> dict[str, int]:
        """How often which kind of error was made; nothing where the conversation succeeded.

        Args:
            turns: Assistant turns of the conversation.
        """
        found: Counter[str] = Counter()
        for turn in range(0 if self.counts.success else turns):
            found.update(self._errors_of(turn))
        return {kind: found[kind] for kind in ERROR_TYPES}

    def _errors_of(self, turn: int) -> Iterable[str]:
        calls = [call for call in self.calls if call.turn == turn]
        if turn not in self.gold_turns:
            return ["over-trigger"] * sum(call.bad for call in calls)
        missed = Counter(
            name
            for index, (name, due) in enumerate(zip(self.gold_names, self.gold_turns, strict=True))
            if due == turn and index not in self.served
        )
        stray = Counter(call.made.name for call in calls if call.gold is None)
        if not missed and not stray:
            return []
        if missed.keys() != stray.keys():
            return ["bad planning"]
        # The published code sees a tool called too often, and not one called too seldom.
        often = any(missed[name] < stray[name] for name in missed)
        seldom = self.mode != "official" and missed != stray
        return ["bad planning" if often or seldom else "bad call"]


def judge(
    made: Sequence[Sequence[Made]],
    gold: Sequence[Sequence[Made]],
    mode: str,
    similarity: Similarity,
) -> Verdict:
    """The verdict on calls against the answer key, both turn by turn.

    Args:
        made: Calls with what became of them.
        gold: Calls of the answer key.
        mode: `official` or `strict`.
        similarity: Likeness of two texts.

    Raises:
        GraderCrashError: In the mode `official`, where the published grader crashes.
    """
    calls = [(turn, call) for turn, calls in enumerate(made) for call in calls]
    keys = [(turn, call) for turn, calls in enumerate(gold) for call in calls]
    texts = Texts(similarity)
    rule = official_matches if mode == "official" else strict_matches

    def fits(call: int, key: int) -> bool:
        texts.call, texts.gold = call, key
        return rule(calls[call][1], keys[key][1], texts)

    pairing = _first_that_fits if mode == "official" else _most
    served = pairing(len(calls), len(keys), fits)
    judged = []
    for index, (turn, call) in enumerate(calls):
        due = keys[served[index]][0] if index in served else _due(call, turn, keys, served)
        judged.append(
            Judged(
                call,
                turn,
                served.get(index),
                bad=call.action and index not in served and _counts_as_bad(call, mode),
                timing=None if due is None else _timing(turn, due),
            )
        )
    return Verdict(
        mode,
        tuple(judged),
        tuple(turn for turn, _ in keys),
        tuple(call.name for _, call in keys),
        _count(judged, len(keys)),
        tuple(texts.comparisons),
    )


def _first_that_fits(calls: int, keys: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    """Each call takes the first gold call that is left and that it serves, as published."""
    left, served = list(range(keys)), {}
    for call in range(calls):
        try:
            hit = next((key for key in left if fits(call, key)), None)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise GraderCrashError(f"{type(error).__name__}: {error}") from error
        if hit is not None:
            left.remove(hit)
            served[call] = hit
    return served


def _most(calls: int, keys: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    return most_pairs(range(calls), range(keys), fits)


def _counts_as_bad(call: Made, mode: str) -> bool:
    """Whether an action that serves nothing is a bad one.

    The published code lets a failed action pass; `strict` counts it, if it was executed at all.
    """
    if mode == "official":
        return call.exception is None
    return call.exception not in (UNREADABLE, UNFINISHED)


def _due(
    call: Made, turn: int, keys: Sequence[tuple[int, Made]], served: Mapping[int, int]
) -> int | None:
    """The turn of the first gold call left that has the same arguments, whatever became of it.

    Source:
        Ours: a call made late mostly fails, because its gold call has been done by then.
    """
    taken = set(served.values())
    return next(
        (
            due
            for index, (due, gold) in enumerate(keys)
            if index not in taken and due != turn and _same_request(call, gold)
        ),
        None,
    )


def _same_request(call: Made, gold: Made) -> bool:
    if call.name != gold.name or call.arguments is None:
        return False
    # The token of another turn may be another one.
    token = {"session_token": call.arguments.get("session_token")}
    wanted = gold.arguments or {}
    return holds(call, Made(gold.name, {**wanted, **(token if "session_token" in wanted else {})}))


def _timing(turn: int, due: int) -> Timing:
    if turn == due:
        return "in_turn"
    return "early" if turn < due else "late"


def _count(calls: Sequence[Judged], required: int) -> Counts:
    actions = [call for call in calls if call.made.action]
    return Counts(
        predictions=len(calls),
        ground_truths=required,
        matches=sum(call.gold is not None for call in calls),
        actions=len(actions),
        valid_actions=sum(call.gold is not None for call in actions),
        bad_actions=sum(call.bad for call in actions),
    )


def summary(conversations: Sequence[Counts]) -> dict[str, float]:
    """The published summary of a split: sums first, then ratios; success is a mean.

    Where the published code divides by zero (no call, no action anywhere), the values of a single
    conversation without calls stand.

    Source:
        ToolTalk at e05f4ce, `evaluate_openai.py`; Lost in the Request does not say whether it
        averages over conversations, so both are offered.
    """
    fields = Counts.__slots__
    total = Counts(*(sum(getattr(one, field) for one in conversations) for field in fields))
    number = len(conversations) or 1
    return {
        "precision": total.precision,
        "recall": total.recall,
        "action_precision": total.action_precision,
        "bad_action_rate": total.bad_action_rate,
        "success_rate": sum(one.success for one in conversations) / number,
        "recall_mean": sum(one.recall for one in conversations) / number,
        "bad_action_rate_mean": sum(one.bad_action_rate for one in conversations) / number,
    }
