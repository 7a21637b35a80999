"""Hands the command line to one command."""

from __future__ import annotations

import sys

from stagetrace import rooms


def main() -> None:
    """Run the command line and end the process with its status."""
    hidden = rooms.shadowed()
    if hidden:
        sys.stderr.write(f"stagetrace: {hidden}\n")
        sys.exit(2)
    from stagetrace.commandline import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
