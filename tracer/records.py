"""What travels between the rooms: frozen records of plain values, no OpenTelemetry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
"""A value that JSON can hold: None, bool, int, float, str, list or dict of these."""

Form: TypeAlias = Literal["question", "actions", "conversation"]
"""What a task asks for: an answer from documents, calls to tools, or several turns of both."""

CallKind: TypeAlias = Literal["read", "write", "unknown"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for, before it is made."""

    name: str
    arguments: Mapping[str, Json] | None
    """None when the model's text could not be read as arguments; never the same as {}."""
    call_id: str = ""
    raw: str | None = None
    """The text as the model gave it, kept where `arguments` is None."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A document as a retriever returns it, or as a reader is shown it."""

    doc_id: str
    score: float | None = None
    """Higher is better. None when the retriever gives no score."""
    text: str | None = None
    """None when content was not captured."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a chat model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that an assistant message asks for."""
    tool_call_id: str = ""
    """For role tool: the call this message answers."""
    name: str = ""
    """For role tool: the tool's name."""
    documents: tuple[Passage, ...] = ()
    """Documents shown with a user message; adapters of text models render them into the prompt."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat model gave back."""

    message: Message
    finish_reason: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    response_id: str = ""
    model: str = ""
    """The model as the endpoint names it; empty: as asked for."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model's weights come from, so that no run can be mistaken for another's."""

    provider: str
    """`stagetrace` for our programs, `local` for embedded weights, `openai` for an endpoint."""
    source: str
    """Package==version, file name or endpoint host; `built in` for our programs."""
    sha256: str = ""
    """Digest of the weights, empty where there are none."""
    baseline: bool = False
    """True for a program that is no language model; tables say so."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a sandbox's state."""

    op: Literal["add", "remove", "replace"]
    entity: str
    """Table, such as `mail`."""
    key: str
    """Id of the row."""
    before: Mapping[str, Json] | None = None
    """The row before; for `replace` only the fields that changed."""
    after: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a sandbox or of a user."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of the arguments, type object."""
    writes: bool
    """Whether it can change the world."""
    run: Callable[..., Json]
    """Called with the arguments by keyword; an exception is the tool's own error."""


@dataclass(frozen=True, slots=True)
class GoldCall:
    """A call that the answer key asks for."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    writes: bool = False
    optional: bool = False
    """Matched when made, not counted as required when not."""
    turn: int | None = None
    """User turn it is due in, counted from 0; None where the suite does not tell turns apart."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One user turn of a task."""

    text: str
    reply: str = ""
    """The answer key's assistant text, for teacher forcing."""


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a suite: the original wording and what is expected; never on an agent's spans."""

    item: str
    suite: str
    form: Form
    turns: tuple[Turn, ...]
    """One turn for single requests."""
    cluster: str = ""
    """What rises and falls together with this item: a template, a conversation, a thread."""
    protected: tuple[str, ...] = ()
    """Literals that every variant must keep: names, ids, dates, gold arguments."""
    answers: tuple[str, ...] = ()
    """Gold answers, the canonical one first."""
    relevant: tuple[tuple[str, ...], ...] | None = None
    """Groups of document ids; a group is found when any member is. None: no retrieval gold."""
    calls: tuple[GoldCall, ...] | None = None
    """Required calls in order; () when no action is wanted, None without gold calls."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """What tables can be broken down by: bin, reasoning, kind, head_verb."""
    detail: Mapping[str, Json] = field(default_factory=dict)
    """The suite's own record of what is expected; only that suite's grader reads it."""

    @property
    def text(self) -> str:
        """The first user turn, which for single requests is the request."""
        return self.turns[0].text


@dataclass(frozen=True, slots=True)
class Request:
    """A user's request in one wording."""

    item: str
    text: str
    suite: str = ""
    condition: str = "base"
    axis: str = "base"
    """Axis of the condition: directness, formality, dialect ...; `base` for the original."""
    replicate: int = 0
    turn: int = 0
    base_text: str = ""
    """The original wording."""
    cluster: str = ""
    history: tuple[Message, ...] = ()
    """Earlier turns of a conversation."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One ranked list as a retriever or re-ranker emitted it."""

    query: str | None
    passages: tuple[Passage, ...] | None
    """Best first; None when the documents were not captured."""
    ranker: str = ""
    top_k: int | None = None
    stage: Literal["retrieval", "rerank"] = "retrieval"
    internal: bool = False
    """True below another retrieval: not shown to the reader."""
    sequence: int = 0
    span_id: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was made."""

    name: str
    arguments: Mapping[str, Json] | None
    """None: not captured or not readable; never the same as {}."""
    result: Json = None
    error: str | None = None
    """The exception's text; None when the tool came back."""
    error_type: str | None = None
    status: Literal["ok", "error", "unfinished", "malformed"] = "ok"
    """`malformed`: asked for in a text that is no call; it was never executed."""
    kind: CallKind = "unknown"
    turn: int = 0
    call_id: str = ""
    raw: str | None = None
    changes: tuple[Change, ...] = ()
    state_before: str | None = None
    """Digest of the sandbox's state before the call; None for reading tools and foreign traces."""
    state_after: str | None = None
    sequence: int = 0
    started_ns: int = 0
    ended_ns: int | None = None
    span_id: str = ""
    arguments_from: Literal["", "llm_span", "llm_event"] = ""
    """Where the arguments were found when the call's own span has none that can be read."""
    arguments_error: str = ""
    """Why `raw` gives no arguments; empty where it does."""
    agents: int = 0
    """Number of agent runs it lies in."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a chat model."""

    model: str
    provider: str = ""
    source: str = ""
    sha256: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    finish_reasons: tuple[str, ...] = ()
    requested_calls: tuple[ToolCall, ...] = ()
    input_messages: Json = None
    output_messages: Json = None
    error: str | None = None
    sequence: int = 0
    started_ns: int = 0
    ended_ns: int | None = None
    span_id: str = ""


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """What the sandbox's grader says of one call, in trace order."""

    kind: CallKind
    failed: bool
    matched: int | None = None
    """Index of the gold call it serves; None when it serves none."""
    counted: bool = True
    """False for a call outside the gold scope, such as a read where gold lists only writes."""
    timing: Literal["in_turn", "early", "late"] | None = None
    """When it was made against the turn its gold call is due in; None where it serves none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts that a grader compared by similarity."""

    call: int
    """Index of the call in trace order."""
    gold: int
    """Index of the gold call."""
    argument: str
    score: float
    threshold: float
    """The texts are alike when the score is at least this."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The sandbox's verdict on a run, by the benchmark's own rules."""

    mode: str
    """Grading mode: official, strict or revised."""
    data_version: str = ""
    schema_hash: str = ""
    gold_scope: Literal["all", "writes"] = "all"
    relevant: tuple[tuple[str, ...], ...] | None = None
    relevant_strict: tuple[tuple[str, ...], ...] | None = None
    """As `relevant`, without members that only quote the value or copy the document."""
    gold_answers: tuple[str, ...] = ()
    answer_correct: bool | None = None
    """By the suite's own matcher; None when no answer is asked."""
    answer_matcher: str = ""
    required_calls: tuple[GoldCall, ...] | None = None
    calls: tuple[CallVerdict, ...] = ()
    similarity: str = ""
    """Name of the text similarity the grader used; empty where it uses none."""
    comparisons: tuple[Comparison, ...] = ()
    """Every comparison of texts that the grader made, in order."""
    state_before: str | None = None
    state_after: str | None = None
    state_expected: str | None = None
    success: bool | None = None
    unwanted_side_effect: bool | None = None
    unwanted_changes: int | None = None
    failed_to_act: bool | None = None
    asked_back: bool | None = None
    errored: bool = False
    """The agent itself raised or hit its limit; an outcome, not a failure of the harness."""
    flags: Mapping[str, bool] = field(default_factory=dict)
    """Further diagnostics under the benchmark's own names."""
    grader_error: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of one request, folded from its spans."""

    trace_id: str
    request: Request
    answer: str | None = None
    retrievals: tuple[Retrieval, ...] = ()
    calls: tuple[Call, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    outcome: Outcome | None = None
    """From the done-record; None for traces that nobody graded."""
    run: str = ""
    assistant: str = ""
    assistant_kind: str = ""
    """`rag`, `tools`, `llm` or empty when unknown."""
    error: str | None = None
    """The agent's own exception."""
    error_type: str | None = None
    status: Literal["ok", "error", "unfinished"] = "ok"
    spans: int = 0
    started_ns: int = 0
    ended_ns: int | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    """The task's breakdown labels, joined by item."""
    warnings: tuple[str, ...] = ()
    """What was odd about its spans, each text beginning with its class."""
    agent_runs: int = 0
    """Agents that ran, each counted once however many spans tell of it."""


@dataclass(frozen=True, slots=True)
class Done:
    """The done-record of one item in one condition: only what has one is finished."""

    item: str
    condition: str
    replicate: int
    status: Literal["ok", "failed", "interrupted"]
    """`ok`: the agent ran and was graded, also when it raised; `failed`: endpoint, harness or
    grader broke, so there is no score; `interrupted`: stopped by the user, to be run again."""
    trace_id: str
    """The trace that counts; others of the same item, condition and replicate are superseded."""
    request: Request
    outcome: Outcome | None = None
    error_class: str = ""
    error: str = ""
    spans: int = 0
    attempt: int = 0
    started_ns: int = 0
    ended_ns: int = 0
    input_tokens: int = 0
    """Of all calls of models, as far as they tell."""
    output_tokens: int = 0
