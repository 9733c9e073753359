"""`export`, `verify`, `explain` and `ledger`: what one settles a dispute with."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.looking import Place, lines_of
from services.cli.options import AsJson, Data, Token, Url, console, print_json, settings, wrong_use


def export(
    table: Annotated[str, typer.Argument(help="Table id 桌号.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write (default: standard output).")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
) -> None:
    """Write the match file of a table: header, events as recorded, proof 导出比赛文件.

    Example: shuangkou export t-4kq7 -o match.ndjson
    """
    from services.client import Client

    with Client(settings(url=url, token=token, data=data), "auditor") as client:
        content = client.answer(f"/tables/{table}/export").content
    if out is None:
        sys.stdout.buffer.write(content)
        return
    out.write_bytes(content)
    typer.echo(f"{out}: {len(content):,} bytes; check it with: shuangkou verify {out}", err=True)


def verify(
    place: Annotated[
        str | None, typer.Argument(metavar="TABLE|FILE", help="Table id or match file 桌号或文件.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every table of the stream 全部牌桌.")] = False,
    nats: Annotated[str | None, typer.Option("--nats", help="NATS URL, for --all.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Check a match: chain, shuffle, every play and every score; names the first fault by table, event and clause 核验.

    Example: shuangkou verify match.ndjson
    """
    from time import perf_counter

    from services.cli.verifying import verify_all, verify_one

    if every == (place is not None):
        raise wrong_use("verify takes either a table or file, or --all")
    began = perf_counter()
    given = settings(url=url, token=token, data=data, nats=nats)
    reports = verify_all(given) if every else [verify_one(place or "", given)]
    took = perf_counter() - began
    bad = [report for report in reports if not report.clean]
    if json:
        print_json({"tables": [_as_json(report) for report in reports], "clean": not bad})
    else:
        for report in reports if place else bad:
            _print(report)
        for note in [
            f"{report.table}: {note}" for report in reports if every and report.clean for note in report.notes
        ]:
            console.print(f"  {note}", markup=False, soft_wrap=True)
        hands, events = sum(report.hands for report in reports), sum(report.events for report in reports)
        console.print(
            f"{len(reports)} 桌 tables, {hands} 局 hands, {events} 事件 events, {took:.1f} s: "
            + (f"[bold red]{len(bad)} 有问题 with a fault" if bad else "[green]没有问题 no fault"),
            soft_wrap=True,
        )
    if bad:
        raise typer.Exit(1)


def _print(report: Any) -> None:
    for fault in report.faults:
        console.print(f"✗ {fault}", style="red", markup=False, soft_wrap=True)
    if report.clean:
        checks = "链 chain, 洗牌 shuffle, 出牌 plays, 计分 scores"
        console.print(f"✓ {report.table}: {checks}", style="green", soft_wrap=True)
    for note in report.notes:
        console.print(f"  {note}", markup=False, soft_wrap=True)


def _as_json(report: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(report), "clean": report.clean}


def explain(
    table: Place,
    hand: Annotated[int, typer.Option("--hand", min=1, help="Which hand 第几局.")],
    player: Annotated[str | None, typer.Option("--player", help="Only what concerns this player 玩家.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Explain a score: every number with the event and the clause it comes from 算分说明.

    Example: shuangkou explain t-4kq7 --hand 2 --player ann
    """
    from dataclasses import asdict

    from schemas.envelope import read_line
    from schemas.events import HandScored
    from services.client import Failed

    recorded = map(read_line, lines_of(table, settings(url=url, token=token, data=data)))
    scored = next((each for each in recorded if isinstance(each.event, HandScored) and each.event.hand == hand), None)
    if scored is None or not isinstance(scored.event, HandScored):
        raise Failed(f"Hand {hand} of {table} has not been scored. 该局尚未计分。")
    event = scored.event
    if player is not None and player not in event.players:
        raise wrong_use(f"{player!r} did not play; the players were {', '.join(event.players)}")
    seat = event.players.index(player) if player is not None else None
    why = [each for each in event.why if seat is None or each.seat in {None, seat} or each.kind == "multiplier"]
    why.sort(key=lambda each: -1 if each.seat is None else event.finish.index(each.seat))
    if json:
        print_json(
            {"event": f"{scored.table}:{scored.version}", **event.model_dump(), "why": [asdict(each) for each in why]}
        )
        return
    _print_explanation(f"{scored.table}:{scored.version}", event, why)


def _print_explanation(where: str, event: Any, why: list[Any]) -> None:
    from rich.table import Table

    from services.cli.cards import OUTCOME

    finish = " → ".join(f"{event.players[seat]} (座 {seat})" for seat in event.finish)
    console.print(f"第 {event.hand} 局 hand, {OUTCOME[event.outcome]}, 事件 event {where}")
    console.print(f"名次 finish: {finish}")
    listed = Table(box=None)
    for name in ("玩家 player", "数 amount", "说明 why", "条款 clause", "事件 event"):
        listed.add_column(name, overflow="fold")
    for each in why:
        player = event.players[each.seat] if each.seat is not None else "全体 all"
        listed.add_row(player, str(each.amount), f"{each.zh} {each.en}", each.clause, str(each.play or ""))
    console.print(listed)


def ledger(
    player: Annotated[str | None, typer.Option("--player", help="Statement of a player 玩家对账单.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only this table 桌号.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show balances, or a player's statement with the event behind every entry 账本.

    Example: shuangkou ledger --player ann
    """
    from services.client import Client, Failed

    with Client(settings(url=url, token=token, data=data)) as client:
        found = client.get("/ledger", player=player, table=table)
    if json:
        print_json(found)
    else:
        _print_ledger(found, with_entries=player is not None or table is not None)
    if player is None and sum(row["balance"] for row in found["balances"]):
        raise Failed(
            "The books do not balance: somebody wrote into the view. Build it again: shuangkou project ledger --rebuild"
        )


KINDS = {"base": "底分×倍数 base × multiplier", "contribution": "贡献分 contribution"}
"""What the entries of the ledger are, in words."""


def _print_ledger(found: dict[str, Any], *, with_entries: bool) -> None:
    from rich.table import Table

    if with_entries:
        listed = Table("账户 account", "局 hand", "类 kind", "金额 amount", "余额 balance", box=None)
        listed.add_column("事件 event", no_wrap=True)
        for entry in found["entries"]:
            amounts = (f"{entry['amount']:+d}", f"{entry['balance']:+d}")
            listed.add_row(entry["account"], str(entry["hand"]), KINDS[entry["kind"]], *amounts, entry["event"])
        console.print(listed)
    totals = Table("账户 account", "余额 balance", "分录 entries", box=None)
    for row in found["balances"]:
        totals.add_row(row["account"], f"{row['balance']:+d}", str(row["entries"]))
    console.print(totals)
    if not with_entries:
        total = sum(row["balance"] for row in found["balances"])
        console.print(f"合计 sum {total:+d}" + ("" if total else " ✓ 账目平衡 the books balance"))
