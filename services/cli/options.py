"""Options that many commands share, and how results are printed."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
import typer
from rich.console import Console

if TYPE_CHECKING:
    from services.settings import Settings

Url = Annotated[str | None, typer.Option("--url", help="Address of the table service 服务地址.")]
Token = Annotated[str | None, typer.Option("--token", help="Bearer token 令牌.")]
Data = Annotated[Path | None, typer.Option("--data", help="Data folder of `up` 数据目录 (default ./data).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Viewer = Annotated[
    Literal["0", "1", "2", "3", "spectator", "auditor"],
    typer.Option("--as", help="Who looks 视角: a seat, spectator or auditor."),
]
AnyViewer = Annotated[
    Literal["0", "1", "2", "3", "spectator", "auditor"] | None,
    typer.Option("--as", help="Who looks 视角: a seat, spectator or auditor (default: what the token may see)."),
]

console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 160)
"""Where results go; without a terminal it prints plain text."""


def settings(**given: Any) -> "Settings":
    """The settings of this run: what was given on the command line, else the environment, else the defaults."""
    from services.settings import Settings

    return Settings(**{name: value for name, value in given.items() if value is not None})


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def wrong_use(message: str) -> typer.Exit:
    """Say what was used wrongly; the exit status is 2."""
    typer.echo(f"shuangkou: {message}", err=True)
    return typer.Exit(2)
