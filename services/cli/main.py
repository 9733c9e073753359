"""The command line. Every command lives in a module of its own; here they get their names, and their errors get their words."""

import os
import sys
from collections.abc import Callable
from errno import ENOSPC
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from schemas.text import printable

COMMANDS: Final = {
    "up": "services.cli.up:up",
    "serve": "services.cli.processes:serve",
    "project": "services.cli.processes:project",
    "play": "services.cli.play:play",
    "simulate": "services.cli.simulate:simulate",
    "tables": "services.cli.looking:tables",
    "show": "services.cli.looking:show",
    "replay": "services.cli.looking:replay",
    "export": "services.cli.records:export",
    "verify": "services.cli.records:verify",
    "restore": "services.cli.restoring:restore",
    "recall": "services.cli.recalling:recall",
    "keys": "services.cli.keys:keys",
    "checkpoints": "services.cli.checkpoints:checkpoints",
    "explain": "services.cli.books:explain",
    "ledger": "services.cli.books:ledger",
    "readjudicate": "services.cli.readjudicating:readjudicate",
    "whatif": "services.cli.whatif:whatif",
    "dispute": "services.cli.disputing:dispute",
    "access-log": "services.cli.accesses:access_log",
    "rules": "services.cli.rules:rules",
    "rulesets": "services.cli.rulesets:rulesets",
    "bench": "services.cli.bench:bench",
}
"""Every command and the function that does it; it is imported when it is wanted, so that `rules` starts quickly."""


class Lazy(TyperGroup):
    """Finds a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (typer's interface)
        """The names, in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | TyperGroup | None:  # noqa: ARG002
        """The command of this name, or None."""
        where = COMMANDS.get(cmd_name)
        if where is None:
            return None
        module, _, function = where.partition(":")
        return _command(cmd_name, getattr(import_module(module), function))


def _command(name: str, function: Callable[..., Any] | typer.Typer) -> TyperCommand | TyperGroup:
    if isinstance(function, typer.Typer):
        group = get_command(function)
        if not isinstance(group, TyperGroup):
            raise TypeError(f"{name} is not a group of commands")
        group.name = name
        return group
    single = typer.Typer(add_completion=False)
    single.command(name)(function)
    command = get_command(single)
    if not isinstance(command, TyperCommand):
        raise TypeError(f"{name} is not a single command")
    return command


app = typer.Typer(
    cls=Lazy, no_args_is_help=True, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("shuangkou"))
        raise typer.Exit


@app.callback()
def shuangkou(
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version 版本.")
    ] = False,
) -> None:
    """双扣 Shuangkou: an event-sourced game service with replay, ledger and proofs.

    Start with [bold]shuangkou up[/bold]; every command has --help with an example.
    """


def main() -> None:
    """Run the command line. Exit status: 0 done (also for a reader that has seen enough), 1 refused or a fault found, 2 wrong use."""
    _mend_streams()
    status = _run()
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"shuangkou: standard output 标准输出: {error.strerror}", file=sys.stderr)
            status = status or 1
    sys.exit(status)


def _mend_streams() -> None:
    """Let output that is closed lead nowhere, and escape what it cannot write: neither may look like a fault that was found."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (it stays open)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run() -> int:
    """The exit status of the command, after its errors were said."""
    try:
        app()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return 0
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("SHUANGKOU_DEBUG"):
            raise
        print(f"shuangkou: {_said(error)}", file=sys.stderr)
        return 2 if type(error).__name__ == "UnknownRuleset" else 1
    return 0


def _said(error: Exception) -> str:
    said = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename:
        said = f"{error.filename}: {error.strerror}"
    elif isinstance(error, OSError) and error.errno == ENOSPC:  # files that were asked for are named already
        said = f"standard output, or the disk of the data folder 标准输出或磁盘: {error.strerror}"
    elif type(error).__name__ not in KNOWN:
        said = f"{type(error).__name__}: {said} (SHUANGKOU_DEBUG=1 shows where)"
    return "\n".join(map(printable, said.split("\n")))


KNOWN: Final = frozenset(
    (
        "BrokenLog",
        "CannotRestore",
        "CheckpointFault",
        "Failed",
        "NotRunning",
        "ProjectionFault",
        "Refused",
        "StartFailed",
        "StillRunning",
        "StorageFull",
        "Unavailable",
        "UnknownRuleset",
        "Unreadable",
        "VaultAway",
        "WrongServer",
        "WrongStream",
    )
)
"""Errors whose message is meant for people as it is."""


if __name__ == "__main__":
    main()
