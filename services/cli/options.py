"""Options that many commands share, and how results are printed."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import orjson
import typer
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from schemas.text import printable

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

console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 160, markup=False, emoji=False)
"""Where results go; without a terminal it prints plain text. Text is printed as it is: a name may well look like markup."""


def settings(**given: Any) -> "Settings":
    """The settings of this run: what was given on the command line, else the environment, else the defaults.

    A setting that cannot be is wrong use, and named.
    """
    from pydantic import ValidationError

    from services.settings import Settings

    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        where = f"--{name}" if given.get(name) is not None else f"SHUANGKOU_{name.upper()}"
        raise wrong_use(f"{where}: {first['msg']}: {first['input']!r}. 设置无效。") from None


def plain(value: Any) -> Any:
    """A value as JSON has it, with every text in it printable: for lines that show what others wrote, as players' names."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


WORD: Final = 16
"""A word in a table may be broken when it is wider than so many columns of the terminal."""


def print_table(table: Table) -> None:
    """Print a table of which nothing is cut: what a terminal is too narrow for makes its lines longer than the terminal's."""
    wide = console.options.update(max_width=1000)
    needed = 0
    for column in table.columns:
        column.overflow = "fold"
        sizes = [Measurement.get(console, wide, each) for each in (column.header, *column.cells)]
        most = max(size.maximum if column.no_wrap else min(size.minimum, WORD) for size in sizes)
        column.min_width = max(most, column.min_width or 0)
        needed += column.min_width + (2 if table.box is None else 3)
    if needed > console.width:
        table.width = needed
    console.print(table, crop=False)


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def write_out(path: Path, content: bytes) -> None:
    """Write what was asked for into a file. Raises Failed naming it, as when the disk is full."""
    from services.client import Failed

    try:
        path.write_bytes(content)
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}. 无法写入文件。") from None


@contextmanager
def telling(*, fault: bool) -> Iterator[None]:
    """What is printed here is of something with a fault or without: with one the exit status is 1, also when nobody reads to the end."""
    try:
        yield
    except (BrokenPipeError, SystemExit):
        if not fault:
            raise
    if fault:
        raise typer.Exit(1)


def verdict(bad: int) -> Text:
    """The last words of a verification: how many tables have a fault."""
    return Text(f"{bad} 有问题 with a fault", "bold red") if bad else Text("没有问题 no fault", "green")


def wrong_use(message: str) -> typer.Exit:
    """Say what was used wrongly; the exit status is 2."""
    typer.echo(f"shuangkou: {message}", err=True)
    return typer.Exit(2)
