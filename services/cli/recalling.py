"""`recall`: hands that were played, found and told again."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

import typer

from services.cli.options import AsJson, Data, Token, Url, console, plain, print_json, print_table, settings, wrong_use

STATUS: Final = {
    "playing": "进行中 playing",
    "complete": "完成 complete",
    "interrupted": "中断 interrupted",
    "void": "作废 void",
}
KIND: Final = {
    "deal": ("发牌 deal", "dim"),
    "choice": ("选择 choice", "bold"),
    "automatic": ("托管 automatic", "bold yellow"),
    "result": ("结果 result", "cyan"),
    "end": ("结局 end", "bold green"),
    "table": ("桌 table", "dim"),
}
"""What an event of a hand was, in words."""


def recall(
    hand: Annotated[str | None, typer.Argument(metavar="TABLE/HAND", help="A hand to tell again 桌号/局.")] = None,
    player: Annotated[str | None, typer.Option("--player", help="Hands of this player 玩家.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Hands of this table 桌号.")] = None,
    since: Annotated[str | None, typer.Option("--from", help="From this time on (UTC), like 2026-12-01T03 起.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Up to this time 止.")] = None,
    receipt: Annotated[
        str | None,
        typer.Option("--receipt", help="By the number of its receipt, or the hash of its last event 回执号."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many, the latest ones.")] = 50,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Recall a hand as it was played, or find hands by player, table, time or receipt 牌局回看.

    Example: shuangkou recall --player ann --from 2026-12-01; shuangkou recall t-4kq7/2
    """
    from services.client import Client, Failed

    if hand is not None and (player or table or since or until or receipt):
        raise wrong_use("recall takes either TABLE/HAND, or options to find hands by")
    if hand is not None and not hand.rpartition("/")[2].isdecimal():
        raise wrong_use("a hand is named by its table and its number, like t-4kq7/2")
    with Client(settings(url=url, token=token, data=data), "auditor") as client:
        if hand is None:
            asked = {"player": player, "table": table, "from": since, "to": until, "receipt": receipt, "limit": limit}
            found = client.get("/recall", **asked)
            if receipt and not found["hands"]:
                raise Failed("There is no hand with this receipt. 没有此回执的牌局。")
            if receipt:
                hand = found["hands"][0]["id"]
        told = client.get(f"/recall/{hand}") if hand is not None else None
    if json:
        print_json(told or found)
    elif told is not None:
        _print_hand(plain(told))
    else:
        _print_list(plain(found))


def _print_list(found: Mapping[str, Any]) -> None:
    from rich.table import Table

    listed = Table(box=None)
    for name in ("局 hand", "回执 receipt"):
        listed.add_column(name, no_wrap=True)
    for name in ("状态 status", "时间 time", "规则 rules", "玩家 players"):
        listed.add_column(name, overflow="fold", min_width=len("2026-12-02") if "time" in name else None)
    for each in found["hands"]:
        ruleset = f"{each['ruleset']}@{each['ruleset_version']}"
        status = STATUS[each["status"]] + (" 有裁决 ruled on" if each["rulings"] else "")
        players = ", ".join(each["players"])
        listed.add_row(each["id"], each["receipt"], status, _span(each["started"], each["ended"]), ruleset, players)
    print_table(listed)
    console.print(f"{found['note_zh']} {found['note_en']}", markup=False, soft_wrap=True)
    console.print(
        f"保存 kept for {found['kept_years']} 年 years" + ("; 还有更多 there are more" if found["next"] else "")
    )


def _span(started: str, ended: str | None) -> str:
    """From when to when, the date of the end only where it is another one."""
    begin, end = (each[:19].replace("T", " ") for each in (started, ended or ""))
    return f"{begin} – {(end[11:] if end[:10] == begin[:10] else end) or '…'}"


def _print_hand(told: Mapping[str, Any]) -> None:
    from rich.panel import Panel

    from services.cli.disputing import OUTCOME

    hand, ruleset = told["found"], told["ruleset"]
    facts = (
        f"{told['note_zh']} {told['note_en']}",
        f"局 hand {hand['id']}, {STATUS[hand['status']]}"
        + (f", 回执 receipt {hand['receipt']}" if hand["receipt"] else ""),
        *(
            f"裁决 ruling {each['dispute']} ({each['ruled'][:16].replace('T', ' ')}): {OUTCOME[each['outcome']]}: {each['reason']}"
            for each in hand["rulings"] or ()
        ),
        f"{hand['started']} – {hand['ended'] or '…'}",
        f"{ruleset['title_zh']} {ruleset['title_en']} ({ruleset['id']}@{ruleset['version']})",
        f"软件 software {told['software']}, 显示 shown by {told['shown_by']}",
        f"视角 seen as {told['viewer']}; 保存至 kept until {hand['kept']['until']} at least",
    )
    console.print(Panel("\n".join(facts), title="回放 REPLAY", border_style="yellow"))
    print_table(_players(told))
    print_table(_steps(told))


def _players(told: Mapping[str, Any]) -> Any:
    from rich.table import Table

    listed = Table("座 seat", "玩家 player", "本桌 at this table", "账户 account: 前 before → 后 after", box=None)
    for each in told["players"]:
        after = "…" if each["after"] is None else f"{each['after']:+d}"
        accounts = [
            f"{_signed(held['before'])} → {_signed(held['after'])} {held['unit']} (本局 this hand {_signed(held['change'])})"
            for held in each["balances"] or ()
        ]
        missing = "尚未入账 not posted yet" if each["balances"] is None else "-"
        listed.add_row(
            str(each["seat"]), each["player"], f"{each['before']:+d} → {after}", "\n".join(accounts) or missing
        )
    return listed


def _signed(amount: int | str) -> str:
    return f"{Decimal(amount):+f}"


def _steps(told: Mapping[str, Any]) -> Any:
    from rich.table import Table
    from rich.text import Text

    from services.cli.cards import event_words

    listed = Table(box=None)
    for name in ("时间 time", "类 kind", "玩家 player"):
        listed.add_column(name, no_wrap=True)
    listed.add_column("事件 event", overflow="fold")
    for step in told["steps"]:
        words, style = KIND[step["kind"]]
        who = f"{step['player']} ({step['seat']})" if step["player"] else ""
        listed.add_row(step["time"][11:23], Text(words, style=style), who, event_words(step["event"]))
    return listed
