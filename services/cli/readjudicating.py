"""`readjudicate`: the same deals and plays under other rules."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from services.cli.looking import Place, looked_at
from services.cli.options import AsJson, Data, Token, Url, console, plain, print_json, print_table, settings, wrong_use

if TYPE_CHECKING:
    from domain.judged import HandVerdict, Illegal
    from domain.readjudicate import Readjudication

STATUS: Final = {
    "legal": ("全部合规 every act is legal", "green"),
    "illegal": ("有违规 illegal acts; taken as recorded from there on, the score is what would come of it", "red"),
    "stopped": ("无法继续 cannot be gone on with", "yellow"),
    "unfinished": ("未完 unfinished in the record", "yellow"),
}
NUMBERS: Final = {
    "outcome": "结局 outcome",
    "base": "底分 base",
    "multiplier": "倍数 multiplier",
    "contribution": "贡献分 contribution",
    "score": "得分 scores",
    "coins": "游戏币 coins",
    "kitty_points": "底牌分 kitty points",
    "taken": "抓分 points taken",
    "points": "总分 points",
    "row": "档 row",
    "levels": "升级 levels",
    "take_over": "上台 take over",
    "next_declarer": "下局庄家 next declarer",
    "match_won": "整场获胜 match won",
    "most": "最多可得 most",
}
"""What the numbers of a result are, in words."""


def readjudicate(
    place: Place,
    ruleset: Annotated[str, typer.Option("--ruleset", metavar="ID[@VERSION]", help="The other rules 另一套规则.")],
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Only this hand 只看第几局.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Judge the deals and plays of a match by other rules of its family: what becomes illegal, what scores differ 换规则重新裁定.

    Example: shuangkou readjudicate match.ndjson --ruleset jj@1
    """
    from domain.hands import get_ruleset
    from domain.readjudicate import readjudicate as judge
    from schemas.envelope import read_line

    name, at, version = ruleset.partition("@")
    if at and not version.isdecimal():
        raise wrong_use(f"--ruleset takes ID or ID@VERSION, like huopin@1, not {ruleset!r}")
    other = get_ruleset(name, int(version) if at else None)
    with looked_at(place, settings(url=url, token=token, data=data)) as looked:
        _tell(judge([read_line(line) for line in looked.lines], other), hand, json=json)


def _tell(found: "Readjudication", hand: int | None, *, json: bool) -> None:
    if hand is not None and hand not in {each.hand for each in found.hands}:
        raise wrong_use(f"--hand: {found.table} has hands 1 to {len(found.hands)}")
    hands = [each for each in found.hands if hand in {None, each.hand}]
    if json:
        print_json(_as_json(found, hands))
        return
    console.print(f"{found.table}: {found.recorded} → {found.other}", highlight=False)
    for each in hands:
        _print(each)
    _print_totals(found)


def _as_json(found: "Readjudication", hands: "list[HandVerdict]") -> dict[str, Any]:
    return {
        "table": found.table,
        "recorded": found.recorded,
        "other": found.other,
        "same": found.same,
        "hands": [
            {**asdict(each), "differs": {name: list(both) for name, both in each.differs.items()}} for each in hands
        ],
        "counted": list(found.counted),
        "totals": {player: {"recorded": was, "other": would} for player, (was, would) in found.totals.items()},
    }


def _print(each: "HandVerdict") -> None:
    from rich.text import Text

    from services.cli import cards

    console.print(f"\n第 {each.hand} 局 hand:", Text(*STATUS[each.status]), highlight=False, soft_wrap=True)
    for note in each.notes:
        where = f"事件 event {note.version}: " if note.version else ""
        console.print(f"  {where}{note.zh} {note.en} [{note.clause}]", style="yellow", markup=False, soft_wrap=True)
    for illegal in each.illegal:
        console.print(f"  ✗ {_illegal(illegal)}", style="red", markup=False, soft_wrap=True)
    for play in each.readings:
        was, would = cards.reading(asdict(play.recorded)), cards.reading(asdict(play.other))
        shown = cards.cards(play.cards)
        console.print(
            f"  ≠ 事件 event {play.version}: 座 {play.seat} ", shown, f": {was} → {would}", sep="", soft_wrap=True
        )
    for line in _numbers(each):
        console.print(f"  {line}", highlight=False, soft_wrap=True)


def _illegal(illegal: "Illegal") -> str:
    from schemas.notation import format_cards

    seat = "" if illegal.seat is None else f"座 {illegal.seat} "
    what = f"{seat}{illegal.act} {format_cards(illegal.cards)}".rstrip()
    return f"事件 event {illegal.version}: {what}: {illegal.refusal}"


def _numbers(each: "HandVerdict") -> Iterator[str]:
    """The numbers that differ, and the scores if nothing does."""
    if each.recorded is None:
        return
    if each.other is None:
        yield f"得分 scores: {_by_name(each, each.recorded.score)} → -"
    elif not each.differs:
        yield f"得分 scores: {_by_name(each, each.recorded.score)}; 不变 the same"
    for name, (was, would) in each.differs.items():
        yield f"{NUMBERS.get(name, name)}: {_by_name(each, was)} → {_by_name(each, would)}"


def _by_name(each: "HandVerdict", value: object) -> str:
    """A number; numbers by seat with the players who sat there in this hand."""
    if not isinstance(value, tuple) or len(value) != len(each.players):
        return "-" if value is None else str(value)
    return ", ".join(f"{plain(player)} {number}" for player, number in zip(each.players, value, strict=True))


def _print_totals(found: "Readjudication") -> None:
    from rich.table import Table

    if found.same:
        console.print("\n没有不同 nothing differs", style="green")
        return
    if not found.counted:
        console.print("\n没有两套规则下都合规且已计分的局 no hand is legal by both rules and scored")
        return
    listed = Table(box=None)
    for name in ("玩家 player", "记录 recorded", found.other, "差 difference"):
        listed.add_column(name, justify="left" if "player" in name else "right")
    for player, (was, would) in found.totals.items():
        listed.add_row(plain(player), f"{was:+d}", f"{would:+d}", f"{would - was:+d}")
    hands = ", ".join(map(str, found.counted))
    console.print(f"\n两套规则下都合规的各局 over the hands legal by both rules ({hands}):")
    print_table(listed)
