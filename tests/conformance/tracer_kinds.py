"""Cases of faults in tracers: which check answers which part and input.

Each check plays what the case gives through a whole agent and looks at every output there is: the
store, a live export, an export afterwards, what the commands print, and the log.
"""

from __future__ import annotations

import ast
import contextlib
import json
import logging
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from opentelemetry import trace as ot

from stagetrace import settings
from stagetrace.commandline import run
from tests.tracer.graphs import State
from tests.tracer.test_export import Receiver
from tests.tracer.test_redact import needles
from tracer.content import Content
from tracer.export import export_otlp
from tracer.langgraph import trace_graph
from tracer.limits import EXPORT_VALUE_BYTES, VALUE_BYTES
from tracer.live_export import LiveExporter
from tracer.record import Recorder
from tracer.records import Request, Tool, Trace
from tracer.spans import item_span, set_answer
from tracer.store import FileSink, read_spans, read_traces
from tracer.stored import StoredSpan
from tracer.wrap import wrap_tool

Case = Mapping[str, Any]
Said = Callable[[], str]
_TOOL = "use_it"
_MARK = ".truncated"


class _Asking(BaseChatModel):
    """Asks for one tool call with the given arguments, then repeats whatever it was told."""

    arguments: dict[str, Any]

    @property
    def _llm_type(self) -> str:
        return "asking"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        if messages[-1].type == "tool":
            reply = AIMessage(f"It said {messages[-1].content!r} to {self.arguments}.")
        else:
            call = {"name": _TOOL, "args": self.arguments, "id": "call-1"}
            reply = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _agent(arguments: dict[str, Any], act: Callable[..., Any]) -> Any:
    """agent -> tool -> agent; what the tool raises is told to the model."""
    properties: dict[str, Any] = {key: {} for key in arguments}
    schema = {"type": "object", "title": _TOOL, "properties": properties}
    tool = StructuredTool(name=_TOOL, description="Use it.", args_schema=schema, func=act)
    model = _Asking(arguments=arguments)
    graph = StateGraph(State)
    graph.add_node("agent", lambda state, config: {"messages": [_ask(model, state, config)]})
    graph.add_node("tools", ToolNode([tool], handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges(
        "agent", lambda state: "tools" if state["messages"][-1].tool_calls else END
    )
    graph.add_edge("tools", "agent")
    return graph.compile()


def _ask(model: BaseChatModel, state: Any, config: Any) -> Any:
    return model.invoke(state["messages"], config)


class _Played:
    """One run of an agent and everything that came out of it."""

    def __init__(self, place: Path, said: Said) -> None:
        self.path = place / "t.otlp.jsonl"
        self._said = said
        self._live: list[bytes] = []
        self._log = _Kept()

    @contextlib.contextmanager
    def recording(self, content: bool | Content = True) -> Iterator[Recorder]:
        """A recorder with a live exporter beside it that is to send every word."""
        receiver = Receiver()
        exporter = LiveExporter(receiver.url, content=True, queue_bytes=2**28, exit_s=60)
        root = logging.getLogger()
        level, _ = root.level, root.addHandler(self._log)
        root.setLevel(logging.DEBUG)
        try:
            with Recorder(FileSink(self.path), content=content, beside=[exporter]) as recorder:
                yield recorder
            count = exporter.close()
            assert count.delivered == recorder.made
        finally:
            root.setLevel(level)
            root.removeHandler(self._log)
            receiver.close()
        self._live = [request.SerializeToString() for request in receiver.requests]
        self.sent = receiver.spans()

    def spans(self) -> list[StoredSpan]:
        return list(read_spans(self.path))

    def trace(self) -> Trace:
        (trace,) = read_traces(self.path)
        return trace

    def outputs(self) -> dict[str, bytes]:
        """Every byte of store, exports, commands and log, by where it came out."""
        receiver = Receiver()
        try:
            export_otlp(self.path, receiver.url)
        finally:
            receiver.close()
        self._said()
        report = self.path.with_name("report")
        into = ("--out", str(report))
        for arguments in (
            ["show", str(self.path)],
            ["show", str(self.path), "i1", "--full"],
            ["show", str(self.path), "i1", "--json"],
            ["analyze", str(self.path), "--resamples", "10"],
            ["analyze", str(self.path), *("--resamples", "10", "--format", "html"), *into],
        ):
            assert run(arguments) == 0, arguments
        return {
            "report": b"".join(one.read_bytes() for one in report.rglob("*") if one.is_file()),
            "store": self.path.read_bytes(),
            "live export": b"".join(self._live),
            "export": b"".join(one.SerializeToString() for one in receiver.requests),
            "commands": self._said().encode(),
            "log": "\n".join(self._log.lines).encode(),
        }


class _Kept(logging.Handler):
    """Keeps what is logged, exceptions with it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter().format(record))


def _play(played: _Played, arguments: dict[str, Any], content: bool | Content = True) -> None:
    """The agent's one call fails and repeats its arguments; so do history, answer and item."""

    def act(**given: Any) -> str:
        raise ValueError(
            f"refused: {given} {json.dumps(given)} {' '.join(map(str, _texts(given)))}"
        )

    with (
        played.recording(content) as recorder,
        item_span(recorder, Request("i1", "Do it.")) as item,
    ):
        result = trace_graph(_agent(arguments, act), recorder, name="demo").invoke(
            {"messages": [("user", f"Use {_TOOL}.")]}
        )
        set_answer(item, result["messages"][-1].content)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, whatever it is made of."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _kept(whole: Any, kept: Any) -> bool:
    """Whether `kept` is what is left of the arguments when the secrets are gone."""
    if isinstance(kept, Mapping):
        return all(_kept(whole[key], inner) for key, inner in kept.items())
    return bool(whole == kept)


def _secret_arguments(case: Case, folder: Path, said: Said) -> None:
    """What of the arguments is not named as kept is in no output; names and the rest are."""
    given = case["input"]["tool_args"]
    others = case["right"].get("other_args_kept", {})
    texts = [text for key, value in given.items() if key not in others for text in _texts(value)]
    hidden = [needle for text in texts for needle in needles(text) if others or len(needle) >= 6]
    assert hidden
    with tempfile.TemporaryDirectory() as place:
        played = _Played(Path(place), said)
        _play(played, given)
        found = {
            where: needle
            for where, data in played.outputs().items()
            for needle in hidden
            if needle in data
        }
        assert found == {}
        (call,) = played.trace().calls
        assert (call.name, call.status) == (_TOOL, "error")
        assert call.arguments is not None
        assert set(call.arguments) == set(given)
        assert _kept(call.arguments, others)


def _asked(option: str) -> bool | Content:
    """What is recorded under an option: `content off`, or a variable of the environment."""
    name, equals, value = option.partition("=")
    if not (equals and name.isupper()):
        assert re.search(r"\b(off|false|no)\b", option, re.IGNORECASE), option
        return False
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        return settings.content()


def _content_off(case: Case, folder: Path, said: Said) -> None:
    """The marked text is in no output; names, ids and counts stay."""
    content = _asked(case["input"]["option"])
    right = case["right"]
    marks = [key.removeprefix("occurrences_of_") for key in right if key.startswith("occurr")]
    assert all(
        mark in case["input"]["do"] and right[f"occurrences_of_{mark}"] == 0 for mark in marks
    )
    assert marks
    with tempfile.TemporaryDirectory() as place:
        played = _Played(Path(place), said)
        _play(played, {"text": " ".join(marks), "deep": {"list": marks}}, content)
        for where, data in played.outputs().items():
            assert [mark for mark in marks if mark.encode() in data] == [], where
        names = {span.attributes.get("gen_ai.tool.name") for span in played.spans()}
        assert (_TOOL in names) is right["tool_names_kept"]
        (call,) = played.trace().calls
        assert (call.arguments, call.status, call.error_type) == (None, "error", "ValueError")


def _long_result(case: Case, folder: Path, said: Said) -> None:
    """Whole in the store as far as that takes it; else cut between letters, with a mark."""
    count = case["input"]["tool_result_chars"]
    for letter in ("x", "\N{GRINNING FACE}"):
        text = "-" + letter * (count - 1)
        size = len(text.encode())
        with tempfile.TemporaryDirectory() as place:
            played = _Played(Path(place), said)
            with played.recording() as recorder, item_span(recorder, Request("i1", "Do it.")):
                wrap_tool(Tool(_TOOL, "", {}, False, partial(str, text)), recorder).run()
            (call,) = played.trace().calls
            assert isinstance(call.result, str)
            if size <= VALUE_BYTES:
                assert call.result == text
            else:
                # What is cut is the JSON text of the result.
                assert json.dumps(text, ensure_ascii=False).startswith(call.result)
            if letter == "x":
                assert (call.result == text) is case["right"]["store"].startswith("whole")
            sent = next(one for one in played.sent if one.name == f"execute_tool {_TOOL}")
            pairs = {pair.key: pair.value.string_value for pair in sent.attributes}
            part = pairs["output.value"]
            # Protobuf takes no half character; here neither one is replaced nor all are gone.
            assert part == text[: len(part)]
            assert (part != text) is (size > EXPORT_VALUE_BYTES)
            if part != text:
                assert len(part.encode()) > EXPORT_VALUE_BYTES - 4
                assert json.loads(pairs["output.value" + _MARK])["length"] == size
    assert case["right"]["cut_inside_code_point"] is False
    assert str(count) in case["right"]["live_export"]


def _described(value: Any) -> Any:
    """The Python value that a text such as `the integer 2**70` or `a Python set {1}` describes."""
    if not isinstance(value, str):
        return value
    power = re.fullmatch(r"the integer (-?)(\d+)\*\*(\d+)", value)
    if power:
        return (-1 if power[1] else 1) * int(power[2]) ** int(power[3])
    made = re.fullmatch(r"a Python \w+ (.+)", value)
    if made or value.startswith(("b'", 'b"')):
        return ast.literal_eval(made[1] if made else value)
    return value


def _values(case: Case, folder: Path, said: Said) -> None:
    """Each value is on the span, on its event and on what is sent, whichever way it was set."""
    given = {key: _described(value) for key, value in case["input"]["values"].items()}
    with tempfile.TemporaryDirectory() as place:
        played = _Played(Path(place), said)
        with played.recording() as recorder, item_span(recorder, Request("i1", "Do it.")):
            with recorder.span("chain", "all"):
                ot.get_current_span().set_attributes(given)
                ot.get_current_span().add_event("event", given)
            with recorder.span("chain", "each"):
                for key, value in given.items():
                    ot.get_current_span().set_attribute(key, value)
        spans = [span for span in played.spans() if span.name in ("all", "each")]
        (event,) = next(span for span in spans if span.name == "all").events
        sent = [one for one in played.sent if one.name in ("all", "each")]
        found = [span.attributes for span in spans] + [event.attributes]
        assert len(found) == 3
        for attributes in found:
            lost = [
                key
                for key, value in given.items()
                if attributes.get(key) is None or (attributes[key] == "" != value)
            ]
            assert len(lost) == case["right"]["lost_values"], lost
            for key, wanted in case["right"].items():
                if key in given:
                    _is_written(attributes[key], wanted)
            for key, value in given.items():
                if isinstance(value, str | int | float | bytes) and not isinstance(value, bool):
                    assert attributes[key] in (value, str(value)), key
    for one in sent:
        assert set(given) <= {pair.key for pair in one.attributes}


def _is_written(value: Any, wanted: str) -> None:
    form, _, rest = wanted.partition("text ")
    assert isinstance(value, str), wanted
    if form == "JSON ":
        assert json.loads(value) == json.loads(rest)
    else:
        assert value == rest


CHECKS: Mapping[tuple[str, frozenset[str]], Callable[[Case, Path, Said], None]] = {
    ("tracer", frozenset({"tool_args"})): _secret_arguments,
    ("tracer", frozenset({"tool_args", "then"})): _secret_arguments,
    ("tracer", frozenset({"option", "do"})): _content_off,
    ("tracer", frozenset({"tool_result_chars", "limit"})): _long_result,
    ("tracer", frozenset({"values"})): _values,
}

IN_WORDS: Mapping[tuple[str, frozenset[str]], str] = {
    ("tracer", frozenset({"do"})): "tests/tracer/test_bug_cases.py",
}
"""Cases of an agent that is run in one way, told in words."""
