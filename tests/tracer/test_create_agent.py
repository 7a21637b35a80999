"""What `langchain.agents.create_agent` makes, and other runnables, as spans."""

from __future__ import annotations

import asyncio

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.runnables import RunnableGenerator

from tests.tracer.graphs import ScriptedModel
from tests.tracer.test_langgraph import tree
from tracer.langgraph import trace_graph


@pytest.mark.parametrize("entry", ["invoke", "ainvoke", "stream", "astream"])
def test_an_agent_of_create_agent_is_one_tree(entry, recorder, sink):
    """Its model and tool steps, with two calls at once; the middleware between has no span."""

    def look(what: str) -> str:
        """Look something up."""
        return f"seen {what}"

    class Binding(ScriptedModel):
        def bind_tools(self, tools, **kwargs):
            return self

    asked = {"messages": [("user", "Where is it?")]}
    agent = create_agent(
        Binding(), [look], middleware=[ModelCallLimitMiddleware(run_limit=5)], name="mail"
    )
    traced = trace_graph(agent, recorder)

    async def stream():
        return [step async for step in traced.astream(asked)]

    {
        "invoke": lambda: traced.invoke(asked),
        "ainvoke": lambda: asyncio.run(traced.ainvoke(asked)),
        "stream": lambda: list(traced.stream(asked)),
        "astream": lambda: asyncio.run(stream()),
    }[entry]()
    root = "invoke_agent mail"
    steps = [path for path in tree(sink) if "Middleware" not in path]
    assert steps == sorted(
        [root]
        + [f"{root}/node model", f"{root}/node model/chat scripted-1"] * 2
        + [f"{root}/node tools", f"{root}/node tools/execute_tool look"] * 2
    )
    (span,) = [span for span in sink.spans() if span.name == root]
    assert span.attributes["input.value"] == "Where is it?"
    assert span.attributes["output.value"] == "All done."


def test_the_pieces_of_a_streamed_chain_are_joined_on_its_span(recorder, sink):
    async def words(_):
        for word in ("On ", "Friday"):
            yield word

    async def stream():
        chain = trace_graph(RunnableGenerator(words), recorder, name="chain")
        return [piece async for piece in chain.astream("When?")]

    assert asyncio.run(stream()) == ["On ", "Friday"]
    (span,) = sink.spans()
    assert span.attributes["output.value"] == "On Friday"
