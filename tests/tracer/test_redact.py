"""No secret reaches a store, a log or an export; nothing that grading needs is touched."""

from __future__ import annotations

import base64
import json
import logging
import random
import string

import pytest

from sandboxes.base import SANDBOXES
from tests.tracer.graphs import ScriptedModel, State, line_graph
from tests.tracer.test_export import Receiver
from tracer.export import export_otlp
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import Request, Tool
from tracer.redact import FAILED, Redactor, TraceRedactor
from tracer.spans import item_span, set_answer
from tracer.store import FileSink, read_spans
from tracer.testing import MemorySink
from tracer.wrap import wrap_tool

_ALNUM = string.ascii_letters + string.digits
_B64 = _ALNUM + "-_"


def _run(rng: random.Random, letters: str, n: int) -> str:
    """Random letters with at least two digits and both cases, as issuers make them."""
    body = [rng.choice(letters) for _ in range(n - 4)]
    return "".join([*body, "a", "Z", "7", "3"])


FAMILIES = {
    "openai": lambda r: "sk-proj-" + _run(r, _B64, 40),
    "anthropic": lambda r: "sk-ant-api03-" + _run(r, _B64, 60),
    "github": lambda r: "ghp_" + _run(r, _ALNUM, 36),
    "github fine": lambda r: "github_pat_" + _run(r, _ALNUM, 60),
    "gitlab": lambda r: "glpat-" + _run(r, _B64, 20),
    "aws": lambda r: "AKIA" + "".join(r.choices(string.ascii_uppercase + string.digits, k=16)),
    "slack": lambda r: f"xoxb-{r.randrange(10**11)}-{r.randrange(10**12)}-" + _run(r, _ALNUM, 24),
    "google": lambda r: "AIza" + _run(r, _B64, 35),
    "stripe": lambda r: "sk_live_" + _run(r, _ALNUM, 24),
    "huggingface": lambda r: "hf_" + _run(r, _ALNUM, 34),
    "jwt": lambda r: ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256"}', f'{{"sub":"{_run(r, _ALNUM, 12)}"}}', _run(r, _ALNUM, 32))
    ),
    "url": lambda r: f"https://bot:{_run(r, _ALNUM, 14)}@mail.example/inbox",
    "header": lambda r: "Authorization: Basic " + base64.b64encode(r.randbytes(24)).decode(),
    "pem": lambda r: (
        "-----BEGIN PRIVATE KEY-----\n"
        + "\n".join(base64.b64encode(r.randbytes(48)).decode() for _ in range(4))
        + "\n-----END PRIVATE KEY-----"
    ),
    "telegram": lambda r: f"{r.randrange(10**9, 10**10)}:AA" + _run(r, _B64, 33),
    # No pattern was written for this one: the issuer is made up.
    "unseen": lambda r: "qvtx_prod_" + _run(r, _ALNUM, 28),
}


def needles(secret: str) -> list[bytes]:
    """What of a secret must not be found, however it is escaped."""
    if secret.startswith("https://"):
        return [secret.split(":")[2].split("@")[0].encode()]
    if secret.startswith("Authorization"):
        return [secret.rsplit(" ", 1)[1].encode()]
    if secret.startswith("-----"):
        return [line.encode() for line in secret.splitlines()[1:-1]]
    return [secret.encode()]


class TellingModel(ScriptedModel):
    api_key: str = ""

    @property
    def _identifying_params(self):
        return {"api_key": self.api_key}


def plant(recorder: Recorder, secrets: list[str]) -> None:
    """One run with a secret in each of twelve places and more."""
    s = iter(secrets)
    request = Request("i1", f"Please log in with {next(s)} and look.")

    def fail(**arguments):
        raise ValueError(f"refused: {arguments}")

    def chat(state: State):
        model = TellingModel(api_key=next(s))
        return {"answer": model.invoke(f"Use {next(s)} now.").content}

    send = wrap_tool(
        Tool("send", "", {}, True, lambda **a: {"echo": a, "token": next(s)}), recorder
    )
    broken = wrap_tool(Tool("broken", "", {}, True, fail), recorder)
    with item_span(recorder, request) as item:
        trace_graph(line_graph(chat), recorder).invoke(
            {"question": "q"}, {"metadata": {"auth": next(s)}}
        )
        send.run(body=f"here it is: {next(s)}", headers={"X-Api-Key": next(s)})
        send.run(raw=json.dumps({"deep": [{"text": next(s)}]}))
        with pytest.raises(ValueError, match="refused"):
            broken.run(note=next(s))
        span = recorder.start("chain", f"step {next(s)}", {"my.key": next(s), "list": [next(s)]})
        span.event(f"event {next(s)}", {"text": next(s), "deep": {"password": next(s)}})
        span.fail(f"status {next(s)}")
        span.end()
        set_answer(item, f"Done with {next(s)}.")


@pytest.mark.parametrize("family", FAMILIES)
def test_fresh_canaries_leave_no_byte_in_store_log_or_export(family, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    rng = random.Random()
    secrets = [FAMILIES[family](rng) for _ in range(20)]
    path = tmp_path / "t.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder:
        plant(recorder, secrets)
    receiver = Receiver()
    export_otlp(path, receiver.url)
    receiver.close()
    sent = b"".join(request.SerializeToString() for request in receiver.requests)
    everything = path.read_bytes() + sent + caplog.text.encode()
    found = [s for s in secrets for needle in needles(s) if needle in everything]
    assert found == []
    assert recorder.redactor.redacted
    assert len(list(read_spans(path))) == recorder.made


def test_a_secret_known_by_its_name_is_gone_wherever_it_is_repeated(recorder, sink):
    secret = "hunter2-test"
    tool = wrap_tool(Tool("login", "", {}, False, lambda **a: f"welcome {a['password']}"), recorder)
    with item_span(recorder, Request("i1", f"My word is {secret}")) as item:
        tool.run(user="ann", password=secret)
        recorder.start("chat", "chat m", {"input.value": f"then {secret}"}).end(
            RuntimeError(f"no {secret}")
        )
        set_answer(item, f"You are in with {secret}")
    assert secret.encode() not in sink.data
    tokens = {t.split("]")[0] for t in sink.data.decode().split("[redacted:")[1:]}
    assert len(tokens) == 1


def test_other_arguments_are_kept(recorder, sink):
    key = "sk-test-0000000000000000000000000000beef"
    wrap_tool(Tool("t", "", {}, False, lambda **a: 1), recorder).run(query="x", api_key=key)
    (span,) = sink.spans()
    arguments = json.loads(span.attributes["gen_ai.tool.call.arguments"])
    assert arguments["query"] == "x"
    assert arguments["api_key"].startswith("[redacted:api_key:")
    assert key.encode() not in sink.data


def test_equal_secrets_of_a_run_have_equal_tokens_and_other_runs_others():
    one, other = Redactor(), Redactor()
    text = "password=abc12345"
    assert one.text(text) == one.text(text) != other.text(text)


TELLING = """api_key|api key|X-API-Key|apiKey|APIKEY|Authorization|access_token|DB_PASSWORD|auth
client-secret|Set-Cookie|clientSecret|private_key|session_token"""


@pytest.mark.parametrize("name", TELLING.replace("\n", "|").split("|"))
def test_values_under_telling_names_are_replaced(name):
    trace = TraceRedactor(Redactor())
    for value in ({name: "zzzz-yyyy"}, {"a": [{name: "zzzz-yyyy"}]}):
        assert "zzzz" not in json.dumps(trace.value(value))
    for text in (
        json.dumps({name: "zzzz-yyyy1"}),
        json.dumps(json.dumps({"deep": {name: "zzzz-yyyy1"}})),
        f"call({name}='zzzz-yyyy1', n=3)",
        f"{name}=zzzz-yyyy1&x=2",
        f"{name}: zzzz-yyyy1",
        f"login: bobby {name}: zzzz-yyyy1",
    ):
        assert "zzzz" not in TraceRedactor(Redactor()).text(text), text


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=900, input_tokens: 12345678",
        "Secretary: Ann Miller1234",
        "The token: see below",
        "keyboard: mechanical2000",
        "see task-force-2001-planning-meeting-notes",
        "call_f9Kq27LmX0pZr4TnB81wQz and run-0f8fad5b-d9cb-469f-a165-70867728950e",
        "sha256:" + "0f8fad5b" * 8,
        "<17543214.1075840331274.JavaMail.evans@thyme>",
        "next_page_token=CAUQAA12345678",
    ],
)
def test_what_is_no_secret_stays(text):
    assert Redactor().text(text) == text


def test_declared_fixtures_stay_by_name_and_by_value():
    redactor = Redactor(exempt_names={"password"}, exempt={"sk-test-00000000000000000000"})
    trace = TraceRedactor(redactor)
    value = {"password": "badpass1", "text": "password: badpass1, sk-test-00000000000000000000"}
    trace.learn(value)
    assert trace.value(value) == value


def test_a_failing_rule_lets_nothing_through():
    def broken(text: str) -> str:
        raise RuntimeError("rule")

    sink = MemorySink()
    redactor = Redactor(extra=broken)
    with (
        Recorder(sink, redactor=redactor) as recorder,
        recorder.span("tool", "t", {"text": "PLAIN-WORDS", "deep": {"a": "PLAIN-WORDS"}}),
    ):
        pass
    assert b"PLAIN-WORDS" not in sink.data
    assert redactor.failures > 0
    (span,) = sink.spans()
    assert span.attributes["text"] == FAILED


def test_personal_data_is_masked_on_demand_and_equal_values_stay_equal():
    text = "Ann <ann@x.org>, ANN@x.org, 4111 1111 1111 1111, +49 30 1234567, (713) 853-3233"
    assert Redactor().text(text) == text
    masked = Redactor(mask=("email", "card", "phone")).text(text)
    assert not any(word in masked for word in ("x.org", "4111 1111", "1234567", "853-3233"))
    first, second = masked.split("[redacted:email:")[1:]
    assert first[:8] == second[:8]
    date = "On 2001-12-05 10:30:00 we sold 1234567890123 units."
    assert Redactor(mask=("card", "phone")).text(date) == date
    with pytest.raises(ValueError, match="fax"):
        Redactor(mask=("fax",))


def _untouched(texts) -> list[str]:
    trace = TraceRedactor(Redactor(salt=b"s"))
    return [text for text in texts if trace.text(text) != text]


def test_ids_message_ids_and_digests_of_the_enron_mails_are_never_touched(data_dir):
    path = data_dir / "enronqa" / "enron_emails.jsonl"
    mails = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = ("email_id", "mailbox", "message_id", "calo_path", "x_filename", "x_folder", "date")
    ids = [str(mail[key]) for mail in mails for key in keys if mail.get(key)]
    assert len(ids) > 5000
    assert _untouched(ids) == []
    trace = TraceRedactor(Redactor(salt=b"s"))
    for mail in mails:
        row = {key: mail[key] for key in keys}
        assert trace.value(row) == row


@pytest.mark.parametrize("suite", ["office", "workbench:all"])
def test_nothing_of_a_suite_is_touched(suite, data_dir):
    name, _, part = suite.partition(":")
    box = SANDBOXES.get(name)(part, mode=None, data=lambda folder: str(data_dir / folder))
    trace = TraceRedactor(Redactor(salt=b"s"))
    for task in box.tasks():
        texts = [task.item, task.cluster, *(turn.text for turn in task.turns), *task.answers]
        assert _untouched(texts) == []
        for call in task.calls or ():
            assert trace.value(dict(call.arguments)) == dict(call.arguments)
        corpus = box.corpus(task)
        if corpus is not None:
            assert _untouched(corpus.documents) == []
            assert _untouched(corpus.documents.values()) == []


def test_the_fixtures_that_tooltalk_declares_are_never_touched(data_dir):
    box = SANDBOXES.get("tooltalk")("all", mode=None, data=lambda folder: str(data_dir / folder))
    redactor = Redactor(salt=b"s")
    redactor.exempt(box.secrets(), box.synthetic_arguments)
    for task in box.tasks():
        trace = TraceRedactor(redactor)
        for call in task.calls or ():
            arguments = dict(call.arguments)
            trace.learn(arguments)
            assert trace.value(arguments) == arguments
        for turn in task.turns:
            assert trace.text(turn.text) == turn.text
            assert trace.text(turn.reply) == turn.reply


def test_content_is_searched_once_a_distinct_string():
    calls = []

    def count(text: str) -> str:
        calls.append(text)
        return text

    redactor = Redactor(extra=count)
    with Recorder(MemorySink(), redactor=redactor) as recorder, recorder.span("agent", "a"):
        for _ in range(50):
            recorder.start("tool", "t", {"text": "the same words again"}).end()
    assert calls.count("the same words again") == 1
