"""The group of commands, and the one place where errors become a line and an exit status."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
import typer.core
from typer.exceptions import TyperException
from typer.main import get_command

import stagetrace
from stagetrace import commands, console
from tracer.errors import InputError, StagetraceError, UnknownNameError
from tracer.registry import nearest

DONE, FINDINGS, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
_ORDER = (
    "trace",
    "run",
    "vary",
    "grade",
    "analyze",
    "diff",
    "show",
    "export",
    "suites",
    "models",
    "data",
)


class Commands(typer.core.TyperGroup):
    """The files of `stagetrace/commands`, each imported only when its command is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands in the order of the work."""
        names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
        return sorted(names, key=lambda name: (*_ORDER, name).index(name))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C is said, since typer makes a status of it without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            console.fail("stopped; what was being done is not finished")
            raise

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one file.

        Raises:
            UnknownNameError: There is no such file; the nearest names are offered.
        """
        known = self.list_commands(ctx)
        if cmd_name not in known:
            raise UnknownNameError(f"unknown command {cmd_name!r}; {nearest(cmd_name, known)}")
        module = importlib.import_module(f"stagetrace.commands.{cmd_name}")
        app = getattr(module, "app", None)
        if app is None:
            app = _app()
            app.command(name=cmd_name)(getattr(module, cmd_name))
        command = get_command(app)
        command.name = cmd_name
        return command


def _app() -> typer.Typer:
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _version(asked: bool) -> None:
    if asked:
        console.say(f"stagetrace {stagetrace.__version__}")
        raise typer.Exit


APP = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@APP.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """See at which stage an agent breaks when the same request is said in other words."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        0 done, 1 findings or failed items, 2 bad usage or input, 130 interrupted.
    """
    try:
        status = get_command(APP).main(
            args=list(arguments) or ["--help"], prog_name="stagetrace", standalone_mode=False
        )
    except typer.Abort:
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except TyperException as error:
        console.fail(error.format_message())
        return BAD_INPUT
    except InputError as error:
        console.fail(str(error))
        return BAD_INPUT
    except StagetraceError as error:
        console.fail(str(error))
        return FINDINGS
    return status if isinstance(status, int) else DONE
