"""An agent made by `langchain.agents.create_agent`, traced by one line.

python examples/create_agent.py TRACES
"""

from __future__ import annotations

import sys

from fake_endpoint import fake_endpoint
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

import stagetrace


def search_mail(query: str) -> str:
    """Search the mailbox."""
    return f"1 mail about {query!r}: the review is on Friday at ten."


def main(store: str) -> None:
    """Ask one question and print the answer."""
    with fake_endpoint() as url:
        model = ChatOpenAI(model="small", base_url=url, api_key="none")
        agent = stagetrace.trace(create_agent(model, [search_mail]), store=store, name="mail-agent")
        result = agent.invoke({"messages": [("user", "When is the review?")]})
    print(result["messages"][-1].content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stagetrace-traces")
