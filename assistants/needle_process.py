"""The process that Needle runs in, by itself: nothing of ours is imported, no secret is passed on.

Run as `python -I needle_process.py FOLDER`, FOLDER holding the package `needle`. Each line in is
a JSON object: `{"system", "tools", "text"}` begins a conversation, `{"text"}` goes on with it. Each
line out is what the engine gave back, or `{"broken"}`.
"""

from __future__ import annotations

import json
import os
import sys

MOST_TOKENS = 512
OFF = {"NEEDLE_TELEMETRY": "0", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"}
"""Of the environment: the package tells its makers of each use where this is not set."""


def serve(folder: str) -> None:
    """Answer lines until there are no more."""
    # Set before the import, whoever started this process.
    os.environ.update(OFF)
    sys.path.insert(0, folder)
    import needle  # type: ignore[import-not-found]  # the user's, with native code

    engine = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if "tools" in order:
                if engine is not None:
                    engine.close()
                engine = needle.Needle(
                    tools=json.dumps(order["tools"]), system=order["system"], auto_date=False
                )
                engine.reset()
            reply = engine.complete(order["text"], MOST_TOKENS)  # type: ignore[union-attr]  # begun
        except Exception as error:
            reply = {"broken": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
