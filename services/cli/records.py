"""`export` and `verify`: a match as a file, and whether it is as it should be."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

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
