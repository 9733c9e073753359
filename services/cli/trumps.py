"""Tables and events of trump games as one sees them in a terminal."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

PHASE: Final = {
    "dealing": "发牌 dealing",
    "declaring": "亮主 declaring",
    "burying": "扣底 burying",
    "countering": "反底 countering",
    "playing": "出牌 playing",
    "over": "结束 over",
}
KIND: Final = {
    "single": "单张 single",
    "pair": "对子 pair",
    "tractor": "拖拉机 tractor",
    "throw": "甩牌 throw",
    "follow": "跟牌 follow",
    "trump": "毙牌 trump",
    "discard": "垫牌 discard",
}
SUIT: Final = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}

Cards = Callable[[Any], Text]
"""Shows cards: `services.cli.cards.cards`."""


def trump(suit: str | None, *, known: bool = True) -> str:
    """The trump suit: `♠`, `无主 none`, or `?` before trumps are made."""
    return (SUIT[suit] if suit else "无主 none") if known else "?"


def facts(hand: Mapping[str, Any], cards: Cards) -> Text:
    """How a hand stands."""
    where = f", 第 {hand['trick']} 轮 trick" if hand["trick"] else f", 已发 dealt {hand['dealt']}"
    if hand["result"] is not None:
        where = ""
    even, odd = map(_rank, hand["levels"])
    text = Text(
        f"第 {hand['number']} 局 hand, {PHASE[hand['phase']]}{where}, 抓分 attackers' points {hand['attackers']}\n"
        f"打 level {_rank(hand['level'])} (座 0/2 {even}, 座 1/3 {odd}), 庄 declarer {_seat(hand['declarer'])}, "
        f"主 trump {trump(hand['trump'], known=hand['trump_known'])}"
    )
    declared, turned = hand["declared"], hand["turned"]
    if declared is not None:
        text.append(f" (座 {declared['seat']} ").append_text(cards(declared["cards"])).append(")")
    elif turned is not None:
        text.append(" (翻底 turned ").append_text(cards(turned["cards"])).append(")")
    if any(hand["failed"]):
        failed = ", ".join(f"座 {seat} ×{number}" for seat, number in enumerate(hand["failed"]) if number)
        text.append(f"\n甩牌失败 failed throws {failed}")
    if hand["kitty"] is not None:
        text.append(f"\n底牌 kitty (座 {hand['burier']} 扣 buried) ")
        text.append_text(cards(hand["kitty"]))
    return text


def trick(hand: Mapping[str, Any], cards: Cards) -> list[RenderableType]:
    """The plays of the present trick; the one that wins so far is marked."""
    if not hand["plays"]:
        return []
    table = Table(box=None, padding=(0, 1), show_header=False, title="本轮 this trick", title_justify="left")
    for _ in range(4):
        table.add_column()
    for place, play in enumerate(hand["plays"]):
        mark = "★" if place == hand["winning"] else ""
        table.add_row(mark, f"座 {play['seat']}", cards(play["cards"]), KIND[play["kind"]])
    return [table]


def result(found: Mapping[str, Any]) -> Text:
    """How a hand ended, if it was settled or left."""
    scores = ", ".join(f"{player} {score:+d}" for player, score in zip(found["players"], found["score"], strict=True))
    if "most" in found:
        return Text(f"逃跑 {found['player']} (座 seat {found['seat']}) left, M = {found['most']}: {scores}", "yellow")
    side = "抓分方上台 attackers take over" if found["take_over"] else "庄家方连庄 declaring side keeps"
    rise = ", ".join(
        f"{name}升 {levels} 级 {en} {levels:+d}"
        for name, en, levels in zip(("庄家方", "抓分方"), ("declarers", "attackers"), found["levels"], strict=True)
        if levels
    )
    counted = f"{found['taken']} + 底 kitty {found['kitty_points']}×{found['multiplier']}"
    return Text(
        f"抓分 T = {found['points']} ({counted}), {side}{', ' + rise if rise else ''}\n得分 scores: {scores}", "green"
    )


def _rank(name: str) -> str:
    return "10" if name == "T" else name


def _seat(seat: int | None) -> str:
    return "?" if seat is None else f"座 {seat}"


def _some(cards: Cards, names: Any) -> Text:
    """Cards, those that the viewer does not see only counted."""
    if names is None:
        return Text("(暗 hidden)", "dim")
    text = cards([name for name in names if name])
    hidden = sum(not name for name in names)
    return text.append(f" +{hidden} 暗 hidden", "dim") if hidden else text


def event_words(kind: str, data: Mapping[str, Any], cards: Cards) -> Text | None:
    """One line about an event of a trump game, as a viewer sees it; None for other events."""
    say = WORDS.get(kind)
    if say is None:
        return None
    text = Text(say(data))
    if "cards" in data and kind != "throw-failed":
        text.append(" ").append_text(_some(cards, data["cards"]))
    if kind == "throw-failed":
        text.append(" ").append_text(cards(data["cards"])).append(", 只出 only led ").append_text(cards(data["led"]))
    if kind == "cards-played":
        text.append(f"  {KIND[data['kind']]}")
    return text


WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "deal-begun": lambda data: (
        f"开始发牌 deal begins, 打 level {_rank(data['level'])}, 庄 declarer {_seat(data['declarer'])}"
    ),
    "cards-dealt": lambda data: f"发牌 dealt {data['first'] + 1}-{data['first'] + len(data['cards'])}:",
    "trump-declared": lambda data: f"座 {data['seat']} 亮主 declares {trump(data['trump'])}:",
    "declaration-declined": lambda data: f"座 {data['seat']} 不亮 declines to declare",
    "kitty-turned": lambda data: f"翻底定主 kitty turned, 主 trump {trump(data['trump'])}:",
    "declarer-named": lambda data: f"座 {data['seat']} 坐庄 is declarer ({data['by']})",
    "kitty-taken": lambda data: f"座 {data['seat']} 拿底 takes the kitty:",
    "kitty-buried": lambda data: f"座 {data['seat']} 扣底 buries:",
    "kitty-countered": lambda data: f"座 {data['seat']} 反底 counters, 主 trump {trump(data['trump'])}:",
    "counter-declined": lambda data: f"座 {data['seat']} 不反 declines to counter",
    "throw-failed": lambda data: f"座 {data['seat']} 甩牌失败 throw fails ({data['points']:+d}):",
    "cards-played": lambda data: f"座 {data['seat']} 出 plays",
    "points-taken": lambda data: (
        f"座 {data['seat']} 得 wins the trick with {data['points']} 分 points, 抓分 attackers {data['attackers']}"
    ),
    "hand-settled": lambda data: f"本局结束 hand settled, T = {data['points']}: {data['score']}",
    "level-raised": lambda data: (
        f"座 {data['side']}/{data['side'] + 2} 升级 level {_rank(data['before'])} → {_rank(data['after'])}"
    ),
    "hand-escaped": lambda data: f"{data['player']} 逃跑 leaves the hand, M = {data['most']}: {data['score']}",
}
"""One line about an event, by its type."""
