"""`ledger` and `explain`: what everybody won and lost, and where every number comes from."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from services.cli.options import AsJson, Data, Token, Url, console, plain, print_json, print_table, settings, wrong_use

if TYPE_CHECKING:
    from rich.text import Text

KINDS: Final = {
    "contribution": "贡献分 contribution",
    "base": "底分×倍数 base × multiplier",
    "coins": "游戏币 coins",
    "fee": "台费 fee",
    "settled": "结算 settled",
    "escape": "逃跑 escape",
    "ruling": "裁决 ruling",
}
"""What the entries of the ledger are, in words."""
UNITS: Final = {"points": "分 points", "coins": "币 coins"}
Unit = Literal["points", "coins"]


def ledger(
    player: Annotated[str | None, typer.Option("--player", help="Statement of a player 玩家对账单.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only this table 桌号.")] = None,
    unit: Annotated[Unit | None, typer.Option("--unit", help="Only points or only coins 单位.")] = None,
    hands: Annotated[bool, typer.Option("--hands", help="One line a hand, with the balance before 每局一行.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="The latest so many lines 行数.")] = 1000,
    before: Annotated[int | None, typer.Option("--before", min=1, help="Only lines before this number 此前.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show balances, or a statement with running balance and the event behind every entry 账本.

    Example: shuangkou ledger --player ann --hands
    """
    from services.client import Client

    asked = {"player": player, "table": table, "unit": unit, "before": before, "limit": limit}
    with Client(settings(url=url, token=token, data=data)) as client:
        found = client.get("/ledger", by="hand" if hands else None, **asked)
    if json:
        print_json(found)
    else:
        shown = plain(found)
        _print_lines(shown, of_one=player is not None)
        _print_balances(shown)
    if (stale := _stale(found["view"])) is not None:
        typer.echo(stale, err=True)
    if player is None:
        _check_sums(found["balances"])


def _stale(view: dict[str, Any]) -> str | None:
    """What to say of a ledger that lags behind the stream, None when it does not."""
    if not view["stale"]:
        return None
    since = f" since {view['behind_since']}" if view["behind_since"] else ""
    return (
        f"The ledger is behind{since}: it has seen {view['upto']:,} of {view['of']:,} events, so these are not the latest numbers. "
        "Its log in the data folder, logs/ledger.log, says why. 账本落后,数字不是最新的。"
    )


def explain(
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE|FILE", help="Table id or match file 桌号或文件.")
    ] = None,
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Which hand 第几局.")] = None,
    player: Annotated[str | None, typer.Option("--player", help="Only what concerns this player 玩家.")] = None,
    entry: Annotated[
        str | None, typer.Option("--entry", help="An entry of the ledger, by its event 分录: t-4kq7:57.")
    ] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Explain a score, or an entry of the ledger: every number with the event and the clause it comes from 算分说明.

    Example: shuangkou explain t-4kq7 --hand 2 --player ann

    Example: shuangkou explain --entry t-4kq7:57
    """
    given = settings(url=url, token=token, data=data)
    if (entry is None) == (hand is None):
        raise wrong_use("explain takes either TABLE|FILE with --hand, or --entry")
    if entry is not None:
        _explain_entry(entry, table, player, given, json=json)
    elif table is None or hand is None:
        raise wrong_use("explain --hand needs a table or a match file")
    else:
        _explain_hand(table, hand, player, given, json=json)


def _print_lines(found: dict[str, Any], *, of_one: bool) -> None:
    """The statement: one line an entry or a hand."""
    from rich.table import Table

    by_hand = "hands" in found
    lines = found["hands" if by_hand else "entries"]
    if not lines:
        return
    listed = Table(box=None, header_style="bold")
    for name in ("#", *(() if of_one else ("账户 account",)), "时间 time", "局 hand"):
        listed.add_column(name, justify="right" if name == "#" else "left", no_wrap="hand" not in name)
    for name in ("此前 before", "变动 change", "此后 after") if by_hand else ("类 kind", "金额 amount", "余额 balance"):
        listed.add_column(name, justify="left" if "kind" in name else "right")
    listed.add_column("单位 unit")
    listed.add_column("事件 event", no_wrap=True)
    for line in lines:
        listed.add_row(
            str(line["n"]),
            *(() if of_one else (line["account"],)),
            line["time"][5:19].replace("T", " "),
            "" if line["hand"] is None else str(line["hand"]),
            *(_hand_cells(line) if by_hand else _entry_cells(line)),
            UNITS[line["unit"]],
            line["event"],
        )
    print_table(listed)
    if found["next"] is not None:
        console.print(f"更早的 earlier lines: --before {found['next']}", style="dim")
    console.print()


def _hand_cells(line: dict[str, Any]) -> tuple["str | Text", ...]:
    return _signed(line["before"]), _coloured(line["change"]), _signed(line["after"])


def _entry_cells(line: dict[str, Any]) -> tuple["str | Text", ...]:
    return KINDS[line["kind"]], _coloured(line["amount"]), _signed(line["balance"])


def _print_balances(found: dict[str, Any]) -> None:
    """Balances of the accounts, and what they are made of."""
    from rich.table import Table

    listed = Table("账户 account", "余额 balance", "单位 unit", "分录 entries", box=None, header_style="bold")
    for row in found["balances"]:
        listed.add_row(row["account"], _signed(row["balance"]), UNITS[row["unit"]], str(row["entries"]))
    print_table(listed)
    if "hands" in found or found.get("entries"):
        totals = Table("类 kind", "合计 total", "单位 unit", "分录 entries", box=None, header_style="bold")
        for row in found["totals"]:
            totals.add_row(KINDS[row["kind"]], _signed(row["amount"]), UNITS[row["unit"]], str(row["entries"]))
        console.print()
        print_table(totals)


def _check_sums(balances: list[dict[str, Any]]) -> None:
    """All accounts together must have nothing, in each unit. Raises Failed when they do not."""
    from services.client import Failed

    sums = {unit: sum(Decimal(row["balance"]) for row in balances if row["unit"] == unit) for unit in UNITS}
    wrong = [f"{total:+f} {unit}" for unit, total in sums.items() if total]
    if wrong:
        raise Failed(
            f"The books do not balance ({', '.join(wrong)}): somebody wrote into the view of the ledger, or into that of disputes. "
            "`shuangkou verify --all` names it; build it again: shuangkou project ledger (or disputes) --rebuild 账目不平衡。"
        )


def _explain_entry(entry: str, file: str | None, player: str | None, given: Any, *, json: bool) -> None:
    from services.cli.looking import looked_at

    if file is None:
        _tell_trace(_traced_by_service(entry, given), player, json=json)
        return
    with looked_at(file, given) as looked:
        _tell_trace(_traced_in(looked.lines, entry), player, json=json)


def _tell_trace(found: dict[str, Any], player: str | None, *, json: bool) -> None:
    if player is not None:
        account = f"player:{player}"
        for part in found["transactions"]:
            part["why"] = [why for why in part["why"] if why["account"] in {None, account}]
            part["amounts"] = {name: amount for name, amount in part["amounts"].items() if name == account}
    if json:
        print_json(found)
    else:
        _print_trace(plain(found))


def _traced_by_service(entry: str, given: Any) -> Any:
    from services.client import Client

    with Client(given) as client:
        return client.get(f"/ledger/entries/{entry}")


def _traced_in(lines: Sequence[bytes], entry: str) -> dict[str, Any]:
    """The entry explained from a match, without the ledger."""
    from dataclasses import asdict

    from projections.tracing import NothingPosted, trace
    from schemas.envelope import read_line
    from services.client import Failed

    record = list(map(read_line, lines))
    table, _, version = entry.rpartition(":")
    if not version.isdecimal() or table != record[0].table:
        raise wrong_use(f"{entry!r} is no event of {record[0].table}; its events are {record[0].table}:1 and so on")
    try:
        return asdict(trace(record, int(version)))
    except NothingPosted as nothing:
        raise Failed(f"{entry} posted nothing: {nothing}. 没有这条分录。") from None


def _print_trace(found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    hand = "" if found["hand"] is None else f", 第 {found['hand']} 局 hand"
    console.print(
        f"分录 entry {found['entry']} ({found['type']}), 桌 table {found['table']}{hand}, {found['time']}", style="bold"
    )
    for part in found["transactions"]:
        console.print()
        amounts = ", ".join(f"{account} {_signed(amount)}" for account, amount in part["amounts"].items())
        console.print(Text(KINDS[part["kind"]], "bold"), f"{UNITS[part['unit']]}: {amounts}", soft_wrap=True)
        listed = Table(box=None, header_style="bold")
        for name in ("账户 account", "数 amount", "说明 why", "条款 clause", "事件 event"):
            listed.add_column(name, overflow="fold", justify="right" if "amount" in name else "left")
        for why in part["why"]:
            words = why["zh"] if why["zh"] == why["en"] else f"{why['zh']} {why['en']}"
            listed.add_row(why["account"] or "全体 all", str(why["amount"]), words, why["clause"], why["event"] or "")
        print_table(listed)


def _explain_hand(place: str, hand: int, player: str | None, given: Any, *, json: bool) -> None:
    from services.cli.looking import looked_at

    with looked_at(place, given) as looked:
        _tell_hand(place, looked.lines, hand, player, json=json)


def _tell_hand(place: str, lines: Sequence[bytes], hand: int, player: str | None, *, json: bool) -> None:
    from dataclasses import asdict

    from schemas.envelope import read_line
    from schemas.events import HandScored
    from schemas.trumps import HandEscaped, HandSettled
    from services.client import Failed

    recorded = map(read_line, lines)
    scored = next(
        (
            (each, each.event)
            for each in recorded
            if isinstance(each.event, HandScored | HandSettled | HandEscaped) and each.event.hand == hand
        ),
        None,
    )
    if scored is None:
        raise Failed(f"Hand {hand} of {place} has not been scored. 该局尚未计分。")
    where, event = f"{scored[0].table}:{scored[0].version}", scored[1]
    if player is not None and player not in event.players:
        raise wrong_use(f"{player!r} did not play; the players were {', '.join(event.players)}")
    seat = event.players.index(player) if player is not None else None
    why = [each for each in event.why if seat is None or each.seat in {None, seat} or each.kind == "multiplier"]
    if isinstance(event, HandScored):
        finish = event.finish
        why.sort(key=lambda each: -1 if each.seat is None else finish.index(each.seat))
    told = {"event": where, **event.model_dump(), "why": [asdict(each) for each in why]}
    if json:
        print_json(told)
    else:
        print_score(event.TYPE, plain(told))


def print_score(kind: str, told: dict[str, Any]) -> None:
    """How a hand was scored, every number with its clause. `kind` is the type of the event, `told` what it says."""
    from rich.table import Table

    from services.cli.cards import counted

    players = told["players"]
    console.print(f"第 {told['hand']} 局 hand, {_how(kind, told)}, 事件 event {told['event']}", soft_wrap=True)
    scores = (f"{player} (座 {seat}) {told['score'][seat]:+d}" for seat, player in enumerate(players))
    console.print(f"得分 scores: {', '.join(scores)}", soft_wrap=True)
    listed = Table(box=None)
    for name in ("玩家 player", "数 amount", "说明 why", "条款 clause", "事件 event"):
        listed.add_column(name, overflow="fold")
    for each in told["why"]:
        player = players[each["seat"]] if each["seat"] is not None else "全体 all"
        words = f"{each['zh']} {each['en']}"
        listed.add_row(player, counted(each["kind"], each["amount"]), words, each["clause"], str(each["play"] or ""))
    print_table(listed)


def _how(kind: str, told: dict[str, Any]) -> str:
    """How a hand ended, in a few words."""
    from services.cli.cards import OUTCOME

    players = told["players"]
    if kind == "hand-scored":
        finish = " → ".join(f"{players[seat]} (座 {seat})" for seat in told["finish"])
        return f"{OUTCOME[told['outcome']]}, 名次 finish: {finish}"
    if kind == "hand-settled":
        declarer = told["declarer"]
        return f"抓分 attackers' points {told['points']}, 庄家 declarer {players[declarer]} (座 {declarer})"
    return f"逃跑 escape of {told['player']}"


def _signed(amount: int | str) -> str:
    return f"{Decimal(amount):+f}"


def _coloured(amount: int | str) -> "Text":
    from rich.text import Text

    return Text(_signed(amount), "green" if Decimal(amount) > 0 else "red" if Decimal(amount) < 0 else "dim")
