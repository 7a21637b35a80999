"""A tiny endpoint that speaks as an OpenAI-compatible one does, so that the examples need no key.

It asks for the first tool it is offered, once, and then answers with what the tool said.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}


def reply_to(request: Mapping[str, Any]) -> dict[str, Any]:
    """The assistant's message for a request."""
    last = request["messages"][-1]
    tools = request.get("tools")
    if tools and last["role"] == "user":
        function = tools[0]["function"]
        wanted = {name: last["content"] for name in function["parameters"].get("properties", {})}
        call = {"name": function["name"], "arguments": json.dumps(wanted)}
        return {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
    return {"content": f"I found this: {last['content']}"}


def response_to(request: Mapping[str, Any]) -> dict[str, Any]:
    """The words as a whole object of the Responses API."""
    asked = {"messages": [{"role": "user", "content": request["input"]}]}
    words = {"type": "output_text", "text": reply_to(asked)["content"], "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "content": [words]}
    whole = {"id": "r1", "object": "response", "created_at": 1, "model": request["model"]}
    counts = {"input_tokens": USAGE["prompt_tokens"], "output_tokens": USAGE["completion_tokens"]}
    return {**whole, "status": "completed", "output": [message], "usage": counts}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            self._send("application/json", json.dumps(response_to(request)))
            return
        message = {"role": "assistant", **reply_to(request)}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        whole = {"id": "r1", "created": 1, "model": request["model"]}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            body = json.dumps(
                {**whole, "object": "chat.completion", "choices": [choice], "usage": USAGE}
            )
            self._send("application/json", body)
            return
        deltas: list[dict[str, Any]] = []
        if message.get("tool_calls"):
            deltas.append({"tool_calls": [{"index": 0, **message["tool_calls"][0]}]})
        else:
            deltas += [{"content": word + " "} for word in str(message["content"]).split()]
        pieces = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        pieces.append({"index": 0, "delta": {}, "finish_reason": reason})
        chunks = [
            {**whole, "object": "chat.completion.chunk", "choices": [piece]} for piece in pieces
        ]
        chunks.append({**whole, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
        lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        self._send("text/event-stream", lines + "data: [DONE]\n\n")

    def _send(self, kind: str, body: str) -> None:
        raw = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def fake_endpoint() -> Iterator[str]:
    """The address of an endpoint that runs inside the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
