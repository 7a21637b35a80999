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
    try:
        from stagetrace.commandline import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        # Pressed while the program was still being loaded.
        sys.stderr.write("stagetrace: stopped; nothing was done\n")
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
