"""An async web handler that streams an agent's answer; twenty requests at once.

    python examples/web_streams.py TRACES

Each request is a trace of its own, and the handler's log lines carry its id.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

from fake_endpoint import fake_endpoint
from opentelemetry import trace as otel
from react_graph import build

import stagetrace

REQUESTS = 20
log = logging.getLogger("handler")


class WithTraceId(logging.Filter):
    """Puts the current trace's id on each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        record.trace_id = f"{otel.get_current_span().get_span_context().trace_id:032x}"
        return True


async def handle(agent: Any, number: int, writer: asyncio.StreamWriter) -> None:
    """Stream the answer to one request, under a span of the handler's own."""
    with stagetrace.span(f"GET /ask/{number}"):
        log.warning("request %d", number)
        question = {"messages": [("user", f"When is review {number}?")]}
        async for step in agent.astream(question):
            writer.write(f"{sorted(step)}\n".encode())
            await writer.drain()
    writer.close()


async def serve(agent: Any) -> int:
    """Serve the requests, all at once; the number of streams that came through whole."""

    async def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await handle(agent, int(await reader.readline()), writer)

    server = await asyncio.start_server(on_connect, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def ask(number: int) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{number}\n".encode())
        steps = (await reader.read()).decode().splitlines()
        writer.close()
        return len(steps) == 3

    async with server:
        return sum(await asyncio.gather(*(ask(number) for number in range(REQUESTS))))


def main(store: str) -> None:
    """Serve twenty streams and say how many came through."""
    logging.basicConfig(format="%(trace_id)s %(message)s")
    logging.getLogger().handlers[0].addFilter(WithTraceId())
    with fake_endpoint() as url:
        agent = stagetrace.trace(build(url), store=store, name="mail-agent")
        print(f"{asyncio.run(serve(agent))} of {REQUESTS} streams")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stagetrace-traces")
