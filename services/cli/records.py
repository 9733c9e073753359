"""`export` and `verify`: a match as a file, and whether it is as it should be."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.options import (
    AsJson,
    Data,
    Token,
    Url,
    console,
    plain,
    print_json,
    settings,
    telling,
    verdict,
    write_out,
    wrong_use,
)


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
    write_out(out, content)
    typer.echo(f"{out}: {len(content):,} bytes; check it with: shuangkou verify {out}", err=True)


def verify(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE|FILE...", help="Table ids, match files, receipts 桌号、比赛文件或回执."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every table, in the stream and in all its copies 全部牌桌及其副本.")
    ] = False,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="It must be signed by this key: a file, or the key itself 公钥 (repeatable)."),
    ] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option("--checkpoints", help="A copy of the checkpoint log to compare with 检查点日志的副本."),
    ] = None,
    nats: Annotated[str | None, typer.Option("--nats", help="NATS URL, for --all.")] = None,
    db: Annotated[str | None, typer.Option("--db", help="Database URL of the views, for --all.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Check matches: chain, signatures, shuffle, every play and every score; names the first fault by table, event and clause 核验.

    Receipts are checked too, and the matches against them. Keys that come in a file prove only that all of it is of one hand: pin
    the key that you know with --key. With --all the stream is also compared with its archive, the audit timeline and the ledger,
    and what rulings posted with the cases.

    Example: shuangkou verify match.ndjson receipt.json --key public-keys.json
    """
    from time import perf_counter

    from services.cli.verifying import known_from, trust_of, verify_places

    if every == bool(places) or (every and key):
        raise wrong_use("verify takes either tables, files and perhaps --key, or --all")
    began = perf_counter()
    given = settings(url=url, token=token, data=data, nats=nats, db=db)
    trust = trust_of(key or [], given)
    log = known_from(checkpoints, given, trust, strict=every)
    if every:
        from services.cli.reconciling import verify_all

        verify_all(given, log.known, json=json)
        return
    found = verify_places(places or [], given, trust, log)
    took = perf_counter() - began
    with telling(fault=not found.clean):
        if json:
            print_json(_all_as_json(found))
        else:
            _print(found, took, "a key you know" if key else f"a key of the data folder {given.data.resolve()}")


def _print(found: Any, took: float, known: str) -> None:
    """Print what was found; `known` says what a key is that is known."""
    for note in found.notes:
        console.print(plain(note), markup=False, soft_wrap=True)
    for each in found.receipts:
        _print_receipt(each, known)
    for place, report in zip(found.places, found.reports, strict=True):
        _print_report(place, report, known)
    if not found.reports:
        return
    hands, events = (sum(getattr(report, what) for report in found.reports) for what in ("hands", "events"))
    bad = sum(not report.clean for report in found.reports)
    console.print(
        f"{len(found.reports)} 桌 tables, {hands} 局 hands, {events} 事件 events, {took:.1f} s:",
        verdict(bad),
        soft_wrap=True,
    )


def _print_report(place: str, report: Any, known: str) -> None:
    where = "" if place == report.table else f"{plain(place)}: "
    for fault in report.faults:
        console.print(f"✗ {where}{fault}", style="red", markup=False, soft_wrap=True)
    if report.clean:
        checks = "链 chain, 洗牌 shuffle, 出牌 plays, 计分 scores"
        console.print(f"✓ {where}{report.table}: {checks}", style="green", markup=False, soft_wrap=True)
    if report.signed:
        console.print(f"  {_signed(report.signed, known)}", markup=False, soft_wrap=True)
    for note in report.notes:
        console.print(f"  {plain(note)}", markup=False, soft_wrap=True)


def _signed(signed: Any, known: str) -> str:
    who = known if signed.pinned else None
    text = f"签名 signed by key {signed.key} of {signed.name}, {_pinned(who)}; {signed.receipts} 回执 receipts"
    if signed.checkpoint:
        text += f"; 检查点 checkpoint over {signed.log_size} leaves covers it up to event {signed.checkpoint}"
    return text


def _pinned(known: str | None) -> str:
    if known:
        return f"已核对公钥 which is {known}"
    return "未核对公钥 a key that came with the file: compare it with one you have from elsewhere (--key)"


def _print_receipt(checked: Any, known: str) -> None:
    receipt, name = checked.receipt.receipt, f"回执 receipt {checked.receipt.receipt.number}"
    if checked.fault:
        console.print(f"✗ {name}: {plain(checked.fault)}", style="red", markup=False, soft_wrap=True)
        return
    console.print(f"✓ {name}", style="green", soft_wrap=True)
    scores = ", ".join(
        f"{plain(player)} {score:+d}" for player, score in zip(receipt.players, receipt.score, strict=True)
    )
    where = f"桌 table {receipt.table}, 第 {receipt.hand} 局 hand, 事件 events {receipt.first} to {receipt.last}"
    console.print(f"  {where}, {receipt.ended}, {receipt.time}: {scores}", markup=False, soft_wrap=True)
    signer = f"key {receipt.key} of {checked.receipt.name}, {_pinned(known if checked.pinned else None)}"
    console.print(f"  签名 signed by {signer}", markup=False, soft_wrap=True)
    if checked.note:
        console.print(f"  {plain(checked.note)}", markup=False, soft_wrap=True)


def _all_as_json(found: Any) -> dict[str, Any]:
    reports = [{"place": place, **_as_json(each)} for place, each in zip(found.places, found.reports, strict=True)]
    receipts = [_receipt_as_json(each) for each in found.receipts]
    return {"tables": reports, "receipts": receipts, "notes": found.notes, "clean": found.clean}


def _as_json(report: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(report), "clean": report.clean}


def _receipt_as_json(checked: Any) -> dict[str, Any]:
    return {
        **checked.receipt.receipt.model_dump(),
        "fault": checked.fault,
        "note": checked.note,
        "pinned": checked.pinned,
    }
