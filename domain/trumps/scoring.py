"""The result of a hand: the attackers' points, the kitty, and the row of the table they lead to (T7)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from domain.seats import SEATS, side_of
from domain.trumps.order import Order
from domain.trumps.parts import split
from domain.trumps.ruleset import Row, TrumpsRuleset
from schemas.explanation import Why
from schemas.notation import format_cards


@dataclass(frozen=True, slots=True)
class Earned:
    """Points that the attackers got before the last trick's kitty: in a trick, by a penalty, or as a sum told from outside.

    A penalty is below 0 when an attacker's throw failed (T5.5). `trick` is the number of the trick and `play` the version of the event,
    where there are any.
    """

    kind: Literal["trick", "penalty", "points"]
    amount: int
    trick: int | None = None
    play: int | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """How many levels each side rises by the table (T7.4); the end of the levels is not in it (T7.5)."""

    declarers: int
    attackers: int


@dataclass(frozen=True, slots=True)
class Result:
    """A scored hand. `taken` are the attackers' points before the kitty, `multiplier` what the kitty counted (0: the declaring side won
    the last trick), `points` the attackers' points in the end; `declarers` and `attackers` what each player of the side gets."""

    taken: int
    kitty: int
    multiplier: int
    points: int
    row: Row
    levels: Levels
    take_over: bool
    declarers: int
    attackers: int
    why: tuple[Why, ...]

    def scores(self, declarer: int) -> tuple[int, int, int, int]:
        """The points of the four seats when this seat was declarer."""
        south, east, north, west = (
            self.declarers if side_of(seat) == side_of(declarer) else self.attackers for seat in SEATS
        )
        return south, east, north, west


def kitty_multiplier(ruleset: TrumpsRuleset, order: Order, winning: Sequence[str]) -> int:
    """How many times the kitty counts when the attackers win the last trick with this play (T7.2)."""
    parts = split(order, winning)
    longest = max((len(part.cards) for part in parts if part.kind == "tractor"), default=0)
    if longest:
        return ruleset.kitty_tractor_card * longest
    return ruleset.kitty_pair if any(part.kind == "pair" for part in parts) else ruleset.kitty_single


def result(
    ruleset: TrumpsRuleset,
    order: Order,
    earned: Iterable[Earned],
    kitty: int,
    last_play: Sequence[str],
    last_won_by: Literal["declarers", "attackers"],
) -> Result:
    """The result of a hand. `kitty` are the points in the buried cards, `last_play` the winning play of the last trick."""
    earned = tuple(earned)
    taken = sum(item.amount for item in earned)
    multiplier = kitty_multiplier(ruleset, order, last_play) if last_won_by == "attackers" else 0
    points = max(taken + kitty * multiplier, ruleset.least_points)
    row = ruleset.results.row(points)
    take_over = points >= ruleset.results.take_over
    levels = Levels(0, row.levels) if take_over else Levels(row.levels, 0)
    why = (
        *map(_earned_why, earned),
        *_kitty_why(kitty, multiplier, last_play),
        _total_why(points, taken + kitty * multiplier),
        *_row_why(row, levels, take_over),
    )
    return Result(taken, kitty, multiplier, points, row, levels, take_over, row.each, -row.each, why)


def _earned_why(item: Earned) -> Why:
    where_en = "" if item.trick is None else f" in trick {item.trick}"
    where_zh = "" if item.trick is None else f"第{item.trick}轮"
    if item.kind == "penalty":
        whose_en, whose_zh = ("the declaring side", "庄家方") if item.amount > 0 else ("an attacker", "抓分方")
        en = f"{item.amount:+d} for the attackers: {whose_en} failed a throw{where_en}"
        return Why(
            "penalty", "T5.5", None, item.amount, item.play, en, f"{where_zh}{whose_zh}甩牌失败, 抓分{item.amount:+d}"
        )
    if item.kind == "trick":
        return Why(
            "trick",
            "T7.1",
            None,
            item.amount,
            item.play,
            f"the attackers took {item.amount}{where_en}",
            f"{where_zh}抓{item.amount}分",
        )
    en = f"the attackers took {item.amount} in tricks and penalties"
    return Why("points", "T7.1", None, item.amount, item.play, en, f"抓分与罚分共{item.amount}分")


def _kitty_why(kitty: int, multiplier: int, last_play: Sequence[str]) -> Iterator[Why]:
    yield Why("kitty", "T7.2", None, kitty, None, f"the kitty holds {kitty} points", f"底牌有{kitty}分")
    if multiplier:
        cards = format_cards(last_play)
        yield Why(
            "multiplier",
            "T7.2",
            None,
            multiplier,
            None,
            f"the attackers won the last trick with {cards}: the kitty counts {multiplier} times, {kitty * multiplier} points",
            f"抓分方以 {cards} 抠底, 底分×{multiplier}, 得{kitty * multiplier}分",
        )
    else:
        yield Why(
            "multiplier",
            "T7.2",
            None,
            0,
            None,
            "the declaring side won the last trick: the kitty counts nothing",
            "庄家方赢最后一轮, 底分不计",
        )


def _total_why(points: int, counted: int) -> Why:
    floor_en = "" if points == counted else f" ({counted} counts as {points})"
    floor_zh = "" if points == counted else f" ({counted}按{points}计)"
    return Why("total", "T7.3", None, points, None, f"T = {points}{floor_en}", f"总分T = {points}{floor_zh}")


def _row_why(row: Row, levels: Levels, take_over: bool) -> Iterator[Why]:
    side_en, side_zh = ("the attackers", "抓分方") if take_over else ("the declaring side", "庄家方")
    rise = levels.attackers + levels.declarers
    yield Why(
        "row",
        "T7.4",
        None,
        row.points,
        None,
        f"the row of the table from {row.points} points on",
        f"适用{row.points}分起一档",
    )
    yield Why("levels", "T7.4", None, rise, None, f"{side_en} rise by {rise} levels", f"{side_zh}升{rise}级")
    next_en = "the attackers take over declaring" if take_over else "the declaring side keeps declaring"
    yield Why("next_declarer", "T1.6", None, int(take_over), None, next_en, "抓分方上台" if take_over else "庄家方连庄")
    yield Why(
        "score",
        "T7.4",
        None,
        row.each,
        None,
        f"each player of the declaring side {row.each:+d}, each attacker {-row.each:+d}",
        f"庄家方每人{row.each:+d}, 抓分方每人{-row.each:+d}",
    )
