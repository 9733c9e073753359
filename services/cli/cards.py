"""Cards, readings and tables as one sees them in a terminal, Chinese and English side by side."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from domain.trumps.order import TRUMPS, order_of
from schemas.notation import ORDER, rank_of
from services.cli import trumps

SUIT: Final = {"S": ("♠", "bold"), "H": ("♥", "bold red"), "C": ("♣", "bold"), "D": ("♦", "bold red")}
JOKER: Final = {"LJ": ("小王", "bold cyan"), "BJ": ("大王", "bold magenta")}
NOTED: Final = re.compile(r"\b(?:[2-9TJQKA][SHCD]|LJ|BJ)\b", re.ASCII)
PATTERN: Final = {
    "single": "单张 single",
    "pair": "对子 pair",
    "triple": "三张 triple",
    "straight": "顺子 straight",
    "pair_run": "连对 pair run",
    "triple_run": "连三张 triple run",
    "full_house": "三带二 full house",
    "bomb": "炸弹 bomb",
    "chain": "连炸 chain",
    "three_jokers": "三王炸 three jokers",
    "four_jokers": "四王炸 four jokers",
}
OUTCOME: Final = {"double": "双扣 double", "single": "单扣 single", "draw": "平扣 draw"}
STATUS: Final = {
    "seating": "等人 seating",
    "waiting": "待开局 waiting",
    "playing": "进行中 playing",
    "closed": "已结束 closed",
}


PLACES: Final = frozenset(("outcome", "row", "levels", "next_declarer"))
"""Lines of an explanation whose number is no amount."""


def card(name: str) -> Text:
    """One card: `7♠`, `10♥`, `大王`."""
    if name in JOKER:
        return Text(*JOKER[name])
    symbol, style = SUIT[name[1]]
    return Text(("10" if name[0] == "T" else name[0]) + symbol, style=style)


def in_words(text: str) -> str:
    """A text in which cards stand in notation, with the cards as one shows them: `TS` is `10♠`."""
    return NOTED.sub(lambda found: card(found[0]).plain, text)


def cards(names: Iterable[str]) -> Text:
    """Cards in order of rank, those of one rank together."""
    text = Text()
    last = None
    for name in sorted(names, key=ORDER.__getitem__):
        rank = rank_of(name)
        text.append(" " if last == rank else "  " if last else "")
        text.append_text(card(name))
        last = rank
    return text


def by_rank(names: Iterable[str]) -> Text:
    """Cards in order of rank, each rank once before its suits: `7♠♥♦  10♣  小王`, for where there is little room."""
    text = Text()
    last = None
    for name in sorted(names, key=ORDER.__getitem__):
        if name in JOKER:
            text.append("  " if last else "").append_text(card(name))
        else:
            text.append("" if last == rank_of(name) else f"{'  ' if last else ''}{rank(name[0])}")
            text.append(*SUIT[name[1]])
        last = rank_of(name)
    return text


def by_suit(level: str, trump: str | None) -> Callable[[Iterable[str]], Text]:
    """Shows cards as one holds them in a trump game: the trumps first, then suit by suit, from high to low."""
    order = order_of(level, trump)

    def show(names: Iterable[str]) -> Text:
        text = Text()
        last = None
        for name in sorted(order.sorted(names), key=lambda card: order.suit[card] != TRUMPS):
            suit = order.suit[name]
            text.append(" " if last == suit else "  " if last else "")
            text.append_text(card(name))
            last = suit
        return text

    return show


def in_suits(level: str, trump: str | None) -> Callable[[Iterable[str]], Text]:
    """As `by_suit`, each suit once before its ranks, for where there is little room: `大王 2♥ ♣ K Q 8  ♠ 10 9`."""
    order = order_of(level, trump)

    def show(names: Iterable[str]) -> Text:
        held = order.sorted(names)
        text = Text()
        for suit in sorted(dict.fromkeys(order.suit[name] for name in held), key=lambda suit: suit != TRUMPS):
            own = trump if suit == TRUMPS else suit
            group = [name for name in held if order.suit[name] == suit]
            row = [name for name in group if name not in JOKER and name[1] == own]
            parts = [card(name) for name in group if name not in row]
            if row:
                symbol, style = SUIT[row[0][1]]
                parts.append(Text(" ".join((symbol, *(rank(name[0]) for name in row))), style))
            text.append("  " if text else "").append_text(Text(" ").join(parts))
        return text

    return show


def shower(hand: Mapping[str, Any] | None) -> Callable[[Iterable[str]], Text]:
    """How the cards of a hand are shown, by its view: by suits in trump games once the level is known, else by ranks."""
    return by_suit(hand["level"], hand["trump"]) if hand is not None and hand.get("level") else cards


def reading(value: Mapping[str, Any]) -> str:
    """A reading in words, with what its wildcards stood for."""
    words = f"{PATTERN[value['pattern']]} {rank(value['rank'])}, {value['cards']} 张 {'card' if value['cards'] == 1 else 'cards'}"
    if value["stars"]:
        words += f", {value['stars']}★"
    if value["stands_for"]:
        words += f" (百搭 wild: {' '.join(map(rank, value['stands_for']))})"
    return words


def rank(name: str) -> str:
    """A rank as people say it."""
    return {"T": "10", "LJ": "小王", "BJ": "大王"}.get(name, name)


def _closely(hand: Mapping[str, Any] | None) -> Callable[[Iterable[str]], Text]:
    """As `shower`, in little room."""
    return in_suits(hand["level"], hand["trump"]) if hand is not None and hand.get("level") else by_rank


def view(shown: Mapping[str, Any], *, narrow: bool = False) -> RenderableType:
    """A table as a viewer sees it; on a narrow terminal with the cards below the players, not beside them."""
    return Panel(lines(shown, narrow=narrow), expand=False)


def lines(shown: Mapping[str, Any], *, narrow: bool = False, plays: int | None = None) -> Group:
    """A table as a viewer sees it, without a frame; of a trick all plays or the latest so many."""
    hand = shown["hand"]
    head = Text.assemble(
        (f"{shown['table']}", "bold"), f"  {shown['title_zh']} {shown['title_en']}  事件 event {shown['version']}"
    )
    if shown["closed"]:
        head.append("  已结束 closed", "yellow")
    if hand is None:
        return Group(head, *_seats(shown, narrow))
    if hand["family"] == "trumps":
        show = shower(hand)
        facts, trick = trumps.facts(hand, show), trumps.trick(hand, show)
    else:
        facts, trick = _facts(hand), _trick(hand, plays)
    return Group(head, facts, *_seats(shown, narrow), *trick, *_result(hand))


def _facts(hand: Mapping[str, Any]) -> Text:
    text = Text(f"第 {hand['number']} 局 hand, 第 {hand['trick']} 轮 trick, ×{hand['multiplier']}")
    if hand["face_up"]:
        text.append(", 明牌 face-up ")
        text.append_text(card(hand["face_up"]["card"]))
    return text


def _seats(shown: Mapping[str, Any], narrow: bool) -> list[RenderableType]:
    hand = shown["hand"]
    show = _closely(hand) if narrow else shower(hand)
    table = Table(box=None, padding=(0, 1))
    climbs = shown["family"] == "climbing"
    names = ("", "座 seat", "玩家 player", "余 left", *(("名次",) if climbs else ()), "总分 score", "手牌 holding")
    for name in names[:-1] if narrow else names:
        table.add_column(name, overflow="fold")
    holdings = []
    for seat in shown["seats"]:
        turn = "▶" if hand and seat["seat"] in hand.get("waiting", [hand["turn"]]) else ""
        held = Text("-", "dim") if seat["holding"] is None else show(seat["holding"])
        place = (f"{seat['finish'] or ''}",) if climbs else ()
        row = (turn, str(seat["seat"]), _player(seat), str(seat["cards"]), *place, str(seat["score"]))
        table.add_row(*row, *(() if narrow else (held,)))
        if narrow and seat["holding"]:
            holdings.append(Text.assemble((f"座 {seat['seat']}  ", "dim"), held))
    return [table, *holdings]


def _player(seat: Mapping[str, Any]) -> Text:
    """Who sits on a seat, and whether the table plays for them or they want it dissolved."""
    text = Text(seat["player"] or "-")
    if seat["away"]:
        text.append(" 托管 away", "yellow")
    if seat["vote"]:
        text.append(" 要解散 dissolve", "yellow")
    return text


def _trick(hand: Mapping[str, Any], latest: int | None) -> list[RenderableType]:
    if not hand["plays"]:
        return []
    shown = hand["plays"][-latest:] if latest else hand["plays"]
    more = "" if len(shown) == len(hand["plays"]) else f", 最后 the last {len(shown)} / {len(hand['plays'])}"
    table = Table(box=None, padding=(0, 1), show_header=False, title=f"本轮 this trick{more}", title_justify="left")
    for _ in range(3):
        table.add_column(overflow="fold")
    for play in shown:
        if play["cards"]:
            table.add_row(f"座 {play['seat']}", cards(play["cards"]), reading(play["reading"]))
        else:
            table.add_row(f"座 {play['seat']}", Text("过 pass", "dim"), "")
    return [table]


def _result(hand: Mapping[str, Any]) -> list[RenderableType]:
    result = hand["result"]
    if result is None:
        return []
    if "reason" in result:
        return [Text("全体同意解散 dissolved by all", "yellow")]
    if hand["family"] == "trumps":
        return [trumps.result(result)]
    if "outcome" not in result:
        return [Text(f"逃跑 abandoned by {result['player']} (座 seat {result['seat']})", "yellow")]
    scores = ", ".join(f"{player} {score:+d}" for player, score in zip(result["players"], result["score"], strict=True))
    finish = " ".join(map(str, result["finish"]))
    return [Text(f"{OUTCOME[result['outcome']]}, 名次 finish {finish}, ×{result['multiplier']}: {scores}", "green")]


def event_words(event: Mapping[str, Any], hand: Mapping[str, Any] | None = None) -> Text:
    """One line about an event, as a viewer sees it; `hand` is the view of the hand then, which tells how its cards are sorted."""
    data, kind = event["data"], str(event["type"]).split(".")[1]
    text = Text(f"{event['version']:>4}  ")
    if kind == "played":
        text.append(f"座 {data['seat']} 出 plays ")
        text.append_text(cards(data["cards"]))
        text.append(f"  {reading(data['reading'])}")
        return text
    said = trumps.event_words(kind, data, shower(hand))
    return text.append_text(said) if said is not None else text.append(_WORDS[kind](data))


_WORDS: Final[dict[str, Any]] = {
    "table-opened": lambda data: f"开桌 table opened, {data['ruleset']}@{data['ruleset_version']}",
    "player-seated": lambda data: f"{data['player']} 入座 takes seat {data['seat']}",
    "player-left": lambda data: f"{data['player']} 离座 leaves seat {data['seat']}",
    "hand-started": lambda data: f"第 {data['hand']} 局开始 hand starts, 承诺 commitment {data['commitment'][:12]}…",
    "dealt": lambda data: f"发牌 dealt, 首家 leader 座 {data['leader']}",
    "seats-swapped": lambda data: f"换座 seats {data['seats'][0]} and {data['seats'][1]} swap",
    "passed": lambda data: f"座 {data['seat']} 过 passes",
    "trick-won": lambda data: (
        f"座 {data['seat']} 得轮 wins the trick"
        + (f", 座 {data['leads']} 接风 catches the wind" if data["caught_wind"] else "")
    ),
    "contribution-scored": lambda data: f"贡献分 contribution, {data['stars']}★: {data['points']}",
    "finished": lambda data: f"座 {data['seat']} 走完 goes out, 第 {data['position']} 名",
    "hand-scored": lambda data: f"{OUTCOME[data['outcome']]} ×{data['multiplier']}: {data['score']}",
    "hand-abandoned": lambda data: f"{data['player']} 逃跑 abandons the hand",
    "hand-voided": lambda data: f"本局作废 hand void ({data['reason']})",
    "timed-out": lambda data: f"{data['player']} (座 {data['seat']}) 超时托管 timed out, the table plays",
    "player-returned": lambda data: f"{data['player']} (座 {data['seat']}) 取消托管 takes over again",
    "dissolve-voted": lambda data: (
        f"{data['player']} (座 {data['seat']}) 解散 dissolve: {'同意 agrees' if data['agree'] else '不同意 refuses'}"
    ),
    "seed-committed": lambda data: f"第 {data['hand']} 局种子承诺 seed committed {data['commitment'][:12]}…",
    "salt-given": lambda data: f"{data['player']} (座 {data['seat']}) 加随机数 gives a salt {data['salt']!r}",
    "seed-revealed": lambda data: f"公布种子 seed revealed {data['seed'][:12]}…",
    "table-closed": lambda data: f"本桌结束 table closed ({data['reason']})",
}


def event_style(kind: str) -> str:
    """How a line about an event of this type stands out."""
    green = dict.fromkeys(("hand-scored", "hand-settled"), "green")
    return {**green, "trick-won": "dim", "passed": "dim", "cards-dealt": "dim", "points-taken": "dim"}.get(kind, "")


def counted(kind: str, amount: int | str) -> str:
    """The number of a line of an explanation; none where it is a place or a level, which its words say already."""
    if kind == "multiplier":
        return f"×{amount}"
    return "" if kind in PLACES else str(amount)
