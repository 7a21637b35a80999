"""A plain function that uses the `openai` client by itself: client, tool and function are wrapped.

python examples/function_agent.py TRACES
"""

from __future__ import annotations

import json
import sys
from typing import Any

from fake_endpoint import fake_endpoint
from openai import OpenAI

import stagetrace

SEARCH = {
    "type": "function",
    "function": {
        "name": "search_mail",
        "description": "Search the mailbox.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}


@stagetrace.tool(effect="read")
def search_mail(query: str) -> str:
    """Search the mailbox."""
    return f"1 mail about {query!r}: the review is on Friday at ten."


def answer(client: Any, question: str) -> str:
    """Ask the model, run the tool it asks for, ask again."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model="small", messages=messages, tools=[SEARCH])
        message = reply.choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            found = search_mail(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})


def main(store: str) -> None:
    """Ask one question and print the answer."""
    with fake_endpoint() as url:
        client = stagetrace.trace(OpenAI(base_url=url, api_key="none"), store=store)

        def mail_agent(question: str) -> str:
            return answer(client, question)

        print(stagetrace.trace(mail_agent, store=store)("When is the review?"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stagetrace-traces")
