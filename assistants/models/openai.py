"""`openai:NAME`: any model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from assistants.base import MODELS
from assistants.chat_format import ToolNames
from assistants.completions_api import Completions
from assistants.endpoint import LONGEST_WAIT_S, Asking, check_address, connect
from assistants.json_steps import MODE, read_step, step_messages, step_schema
from assistants.model_options import API, STREAM, TOOLS, split_name
from assistants.responses_api import Responses
from assistants.throttle import Throttle
from tracer.errors import EndpointError, InputError
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool

TIMEOUT_S = 120.0
BUDGET_WORDS = 4_000
"""Most words of documents in one prompt."""


class Api(Protocol):
    """One of the forms in which an endpoint can be asked."""

    @property
    def path(self) -> str:
        """Below the endpoint's address."""
        ...

    @property
    def optional(self) -> Sequence[str]:
        """Parameters that may be left out where they are refused."""
        ...

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        names: ToolNames,
        *,
        schema: Mapping[str, Json] | None,
        budget_words: int,
    ) -> dict[str, Json]:
        """What is sent of messages, tools, and the schema that the answer is held to."""
        ...

    def streamed(self) -> dict[str, Json]:
        """What asks for an answer in pieces."""
        ...

    def send(self, client: Any, request: Mapping[str, Json]) -> Any:
        """The whole answer."""
        ...

    def reply(self, answer: Any, names: ToolNames) -> Reply:
        """The answer as a reply."""
        ...


@MODELS.add("openai")
def openai_model(
    argument: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    temperature: float = 0.0,
    timeout_s: float = TIMEOUT_S,
    longest_wait_s: float = LONGEST_WAIT_S,
    at_once: int | None = None,
    per_minute: float | None = None,
    places: Path | None = None,
) -> ChatModel:
    """The model `argument` at an endpoint that speaks OpenAI's API.

    Args:
        argument: The model's name, as the endpoint knows it. After it may stand options, such as
            `NAME?api=responses&stream=on`: `api=chat|responses`, `stream=off|on` for answers piece
            by piece, `tools=native|json_schema` for how calls are got out of it.
        base_url: Address of the endpoint; None for OpenAI's own.
        api_key: Sent to that address only; None for endpoints that ask for none.
        temperature: Of sampling.
        timeout_s: Of one request.
        longest_wait_s: Between two attempts.
        at_once: Requests under way at a time, over all workers.
        per_minute: Requests begun in a minute, over all workers.
        places: Folder in which processes agree on these two.

    Raises:
        InputError: No model is named, or the address may not be used.
        MissingExtraError: The packages `openai` or `tenacity` are not installed.
    """
    name, options = split_name("openai", argument, {**STREAM, **API, **TOOLS})
    if not name:
        raise InputError("model 'openai' needs the name of a model: openai:NAME")
    if base_url is None and api_key is None:
        raise InputError(
            f"model 'openai:{name}': neither OPENAI_BASE_URL nor OPENAI_API_KEY is set; "
            "set the first for an endpoint of your own, the second for OpenAI's"
        )
    host = check_address(base_url) if base_url else "api.openai.com"
    api: Api = Responses() if options["api"] == "responses" else Completions()
    folder = places / host.replace(":", "-") if places else None
    asking = Asking(
        f"endpoint {host}, model {name!r}",
        api.path,
        api.optional,
        longest_wait_s=longest_wait_s,
        throttle=Throttle(folder, at_once, per_minute) if folder else None,
    )
    return OpenAIModel(
        name,
        connect(base_url, api_key or "none", timeout_s),
        host,
        api,
        asking,
        temperature=temperature,
        stream=options["stream"] == "on",
        tool_call_mode=options["tools"],
    )


class OpenAIModel:
    """Asks the endpoint in one of its forms."""

    def __init__(
        self,
        model: str,
        client: Any,
        host: str,
        api: Api,
        asking: Asking,
        *,
        temperature: float,
        stream: bool,
        tool_call_mode: str,
    ) -> None:
        self.name = f"openai:{model}"
        self.source = ModelSource("openai", host)
        self.tool_call_mode = tool_call_mode
        self._about = f"endpoint {host}, model {model!r}"
        self._api = api
        self._asking = asking
        self._stream = stream
        self._model = model
        self._client = client
        self._temperature = temperature
        self._seed = 0

    @property
    def retries(self) -> int:
        """Times it has asked again so far."""
        return self._asking.retries

    @property
    def refused(self) -> Sequence[str]:
        """Parameters that the endpoint does not take; they are not sent again."""
        return self._asking.refused

    @property
    def on_wait(self) -> Callable[[str], None] | None:
        """Told in a line why and how long it waits."""
        return self._asking.on_wait

    @on_wait.setter
    def on_wait(self, told: Callable[[str], None] | None) -> None:
        self._asking.on_wait = told

    @property
    def on_event(self) -> Callable[[str, Mapping[str, Json]], None] | None:
        """Told what happens while the endpoint is asked."""
        return self._asking.on_event

    @on_event.setter
    def on_event(self, told: Callable[[str, Mapping[str, Json]], None] | None) -> None:
        self._asking.on_event = told

    @property
    def settings(self) -> Mapping[str, Json]:
        """What the next request asks for; what the endpoint has refused is not in it."""
        wanted = {"temperature": self._temperature, "seed": self._seed, "stream": self._stream}
        return {key: value for key, value in wanted.items() if key not in self.refused}

    def reseed(self, seed: int) -> None:
        """Send this seed with the next requests."""
        self._seed = seed % 2**31

    def close(self) -> None:
        """Close the connections; the model cannot be asked afterwards."""
        self._client.close()

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The endpoint's next message.

        Raises:
            EndpointError: It is down, refuses the request, or answers what cannot be read.
        """
        names = ToolNames([tool.name for tool in tools])
        stepwise = bool(tools) and self.tool_call_mode == MODE
        request = self._api.request(
            step_messages(messages, tools) if stepwise else messages,
            () if stepwise else tools,
            names,
            schema=step_schema(tools) if stepwise else None,
            budget_words=BUDGET_WORDS,
        )
        request |= {"model": self._model, "temperature": self._temperature, "seed": self._seed}
        if self._stream:
            request |= self._api.streamed()
        answer = self._asking.ask(lambda sent: self._api.send(self._client, sent), request)
        reply = self._read(answer, names)
        return stepped(reply) if stepwise else reply

    def _read(self, answer: Any, names: ToolNames) -> Reply:
        try:
            return self._api.reply(answer, names)
        except EndpointError as error:
            raise EndpointError(f"{self._about}: {error}") from error
        except (AttributeError, IndexError, TypeError) as error:
            raise EndpointError(
                f"{self._about}: the answer is no {_FORMS[self._api.path]}; "
                f"check that OPENAI_BASE_URL ends where {self._api.path} begins"
            ) from error


_FORMS = {"/chat/completions": "chat completion", "/responses": "response"}


def stepped(reply: Reply) -> Reply:
    """A reply whose text is one step, with the call or answer that it says."""
    message = read_step(reply.message.content, reply.response_id)
    reason = "tool_calls" if message.tool_calls else reply.finish_reason
    return replace(reply, message=message, finish_reason=reason)
