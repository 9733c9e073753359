"""`tables`, `show` and `replay`: what is on, a table at any event, a match step by step."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from services.cli.options import (
    AnyViewer,
    AsJson,
    Data,
    Token,
    Url,
    Viewer,
    console,
    plain,
    print_json,
    print_table,
    settings,
    telling,
)

Place = Annotated[str, typer.Argument(help="Table id or match file 桌号或文件.")]


def tables(url: Url = None, token: Token = None, data: Data = None, json: AsJson = False) -> None:
    """List the tables, the latest moved first 所有牌桌.

    Example: shuangkou tables
    """
    from rich.table import Table

    from services.cli.cards import STATUS
    from services.client import Client

    with Client(settings(url=url, token=token, data=data)) as client:
        found = client.get("/tables", limit=1000)["tables"]
    if json:
        print_json(found)
        return
    found = plain(found)
    if not found:
        console.print("还没有牌桌 There are no tables yet: try `shuangkou play --ruleset huopin`.")
        return
    narrow = console.width < NARROW
    listed = Table(box=None, pad_edge=False)
    names = ("桌 table", "规则 rules", "状态" if narrow else "状态 status", "局" if narrow else "局 hand")
    for name in (*names, "玩家 players, 总分 scores", "最近 moved"):
        listed.add_column(name, overflow="fold", no_wrap="players" not in name)
    for row in found:
        status, moved = STATUS[row["status"]], row["moved"][5:19].replace("T", " ")
        hand = f"{row['hand']}/{row['hands']}" if row["hands"] else str(row["hand"])
        cells = (status.partition(" ")[0], hand) if narrow else (status, hand)
        listed.add_row(
            row["table"], row["title_zh"], *cells, _players(row, narrow=narrow), moved[:-3] if narrow else moved
        )
    print_table(listed)


HANDHELD: Final = 64
"""On a terminal with fewer columns than this, the cards of a seat get lines of their own."""
NARROW: Final = 120
"""On a terminal with fewer columns than this, the list of tables leaves away what one can do without."""


def _players(row: dict[str, Any], *, narrow: bool) -> str:
    """Who plays, with their scores; on a narrow terminal two a line."""
    said = [f"{name} {row['scores'].get(name, 0):+d}" for name in row["players"] if name]
    return ", ".join(said[:2]) + ((",\n" if narrow else ", ") if said[2:] else "") + ", ".join(said[2:])


def show(
    table: Place,
    viewer: AnyViewer = None,
    at: Annotated[int | None, typer.Option("--at", min=1, help="After this event 事件号 (default: now).")] = None,
    options: Annotated[
        bool, typer.Option("--options", help="Also how that event came about: holdings, legal options, reasons 局面.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="So many options at most.")] = 20,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show a table as somebody sees it, now or after any event 查看牌桌; with --options also why that event was legal.

    Example: shuangkou show t-4kq7 --as auditor --at 57

    Example: shuangkou show match.ndjson --at 57 --options
    """
    from services.cli import cards, situations

    given = settings(url=url, token=token, data=data)

    def tell(view: Any, found: Any) -> None:
        if json:
            print_json({**view, "situation": found} if options else view)
            return
        console.print(cards.view(plain(view), narrow=console.width < HANDHELD))
        if options:
            console.print(situations.panel(plain(found)))

    if file_at(table) is None:
        tell(*_of_table(given, table, viewer, at, limit if options else 0))
        return
    with looked_at(table, given) as looked:
        tell(*_of_lines(table, looked.lines, viewer or "auditor", at, limit if options else 0))


def _of_table(given: Any, table: str, viewer: str | None, at: int | None, limit: int) -> tuple[Any, Any]:
    """The view of a table and the situation of its event, from its service; no situation with a limit of 0."""
    from services.client import Client

    role = "auditor" if limit or viewer not in {None, "spectator"} else "operator"
    with Client(given, role) as client:
        view = client.get(f"/tables/{table}", as_=viewer, at=at)
        where = f"/tables/{table}/situations/{view['version']}"
        return view, client.get(where, as_=viewer, limit=limit) if limit else None


def _of_lines(place: str, lines: Sequence[bytes], eyes: Any, at: int | None, limit: int) -> tuple[Any, Any]:
    """The view of a match and the situation of its event; no situation with a limit of 0."""
    from domain.audit import situation_at
    from domain.table import replay as replayed
    from projections.viewing import view_for
    from schemas.envelope import read_line
    from schemas.notation import Unreadable
    from services.situations import seen

    recorded = [read_line(line) for line in lines]
    version = len(recorded) if at is None else at
    if version > len(recorded):
        raise Unreadable(f"{place}: there is no event {version}; the file has events 1 to {len(recorded)}")
    view = view_for(replayed(recorded[:version]), eyes).model_dump(mode="json")
    if not limit:
        return view, None
    found = situation_at(recorded, version, limit)
    before = replayed(recorded[: found.first - 1]) if found.first > 1 else None
    return view, seen(found, before, eyes).model_dump(mode="json")


def replay(
    table: Place,
    viewer: Viewer = "auditor",
    at: Annotated[int, typer.Option("--at", min=1, help="Begin at this event 起始事件.")] = 1,
    url: Url = None,
    token: Token = None,
    data: Data = None,
) -> None:
    """Step through a match in the terminal, forward and back 回放; without a terminal it prints the steps.

    Example: shuangkou replay match.ndjson --as 2
    """
    from services.cli.replaying import Replay, ReplayApp, print_steps

    with looked_at(table, settings(url=url, token=token, data=data)) as looked:
        steps = Replay.of(looked.lines, viewer)
        start = min(at, len(steps.recorded)) - 1
        if console.is_terminal:
            ReplayApp(steps, start, looked.wrong).run()
        else:
            print_steps(steps, console)


@dataclass(frozen=True, slots=True)
class Looked:
    """A record that somebody looks at: its recorded lines, and what is wrong with it in words, None when nothing is."""

    lines: Sequence[bytes]
    wrong: str | None


@contextmanager
def looked_at(place: str, given: Any) -> Iterator[Looked]:
    """A match file, or a table by its service, to be shown to somebody. Raises Unreadable or Failed.

    It is verified first. What has a fault is shown all the same, as somebody may have to look at it; but the fault is said before and after
    on standard error, and the exit status is 1.
    """
    from domain.verify import verify_file
    from schemas.matchfile import read_match
    from schemas.notation import Unreadable
    from services.client import Failed

    content = content_of(place, given)
    try:
        lines = read_match(content).lines
    except Unreadable as error:
        raise Unreadable(f"{place}: {error}") from None
    fault = next(iter(verify_file(content).faults), None)
    wrong = f"此记录有误, 所示不可信 THIS RECORD IS WRONG, do not trust what is shown: {fault}" if fault else None
    _warn(wrong)
    try:
        with telling(fault=fault is not None):
            yield Looked(lines, wrong)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if fault is None:
            raise
        raise Failed(f"{place}: 无法显示 it cannot be shown: {error}") from None
    finally:
        _warn(wrong)


def _warn(wrong: str | None) -> None:
    from rich.console import Console

    if wrong is not None:
        screen = Console(stderr=True, markup=False, emoji=False)
        screen.print(f"✗ {wrong}", style="bold red", highlight=False, soft_wrap=True)


def content_of(place: str, given: Any) -> bytes:
    """What stands in a file, or the match file of a table by its service. Raises Failed."""
    from services.client import Client

    path = file_at(place)
    if path is not None:
        return path.read_bytes()
    with Client(given, "auditor") as client:
        return client.answer(f"/tables/{place}/export").content


def file_at(place: str) -> Path | None:
    """The file that is meant; None when a table's id is. Raises Failed for what can be neither."""
    from schemas.envelope import TABLE_ID
    from services.client import Failed

    path = Path(place)
    if path.is_file():
        return path
    if not TABLE_ID.fullmatch(place):
        raise Failed(f"{place}: there is no such file, and it is no table's id. 没有这个文件。")
    return None
