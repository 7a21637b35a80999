"""An endpoint that misbehaves as it is told to, over real HTTP on loopback."""

from __future__ import annotations

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = {
    "id": "r-1",
    "object": "chat.completion",
    "created": 1,
    "model": "served",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello."}}
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


class FaultServer:
    """Answers the n-th request by the n-th step of a plan; the last step goes on for ever.

    A step is `ok`, a status, `reset`, `garbage`, `empty`, `redirect:URL`, `stall` for an answer
    that never comes, a list of chunks to be streamed, which ends early without a final None, or a
    dict to be sent, after its status where it has one.
    """

    def __init__(self, *plan: Any, retry_after: str = "") -> None:
        self.plan = list(plan)
        self.retry_after = retry_after
        self.requests: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> FaultServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                owner.requests.append(json.loads(body))
                owner.headers.append({key.lower(): value for key, value in self.headers.items()})
                step = owner.plan[min(len(owner.requests), len(owner.plan)) - 1]
                if step == "reset":
                    # Linger 0: the kernel sends a reset in the place of an orderly end.
                    self.connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                    )
                    self.close_connection = True
                    self.connection.close()
                    return
                if step == "stall":
                    owner.over.wait(5)
                    self.close_connection = True
                elif isinstance(step, list):
                    self._stream(step)
                else:
                    self._send(step)

            def _stream(self, chunks: list[Any]) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                for chunk in chunks:
                    data = "[DONE]" if chunk is None else json.dumps(chunk)
                    self.wfile.write(f"data: {data}\n\n".encode())
                self.close_connection = True

            def _send(self, step: Any) -> None:
                status, body = 200, json.dumps(GOOD)
                if isinstance(step, int):
                    status, body = step, json.dumps({"error": {"message": f"no {step}"}})
                elif isinstance(step, dict):
                    # A response of OpenAI's says in words how it went.
                    code = step.get("status", 200)
                    status, body = code if isinstance(code, int) else 200, json.dumps(step)
                elif step == "garbage":
                    body = "<html>not json"
                elif step == "empty":
                    body = "{}"
                elif step.startswith("redirect:"):
                    status, body = 307, ""
                self.send_response(status)
                if owner.retry_after:
                    self.send_header("retry-after", owner.retry_after)
                if status == 307:
                    self.send_header("location", step.removeprefix("redirect:"))
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    return

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler
