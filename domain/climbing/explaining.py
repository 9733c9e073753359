"""The explanation of a score in words (C7): every number of a settlement, with its clause and the play that earned it."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from domain.climbing.bombs import BombPlay, Factor, Group, shares
from domain.climbing.ruleset import Four, Outcome
from domain.seats import SEATS, side_of
from schemas.explanation import Why
from schemas.readings import Pattern, Reading

OUTCOMES: Final[dict[Outcome, str]] = {"double": "双扣", "single": "单扣", "draw": "平扣"}
PATTERNS: Final[dict[Pattern, str]] = {
    "single": "单张",
    "pair": "对子",
    "triple": "三张",
    "straight": "顺子",
    "pair_run": "连对",
    "triple_run": "连三张",
    "full_house": "三带二",
    "bomb": "炸弹",
    "chain": "连炸",
    "three_jokers": "三王炸",
    "four_jokers": "四王炸",
}
_PLACES: Final = (("1st", "头游"), ("2nd", "二游"), ("3rd", "三游"), ("4th", "末游"))


def bomb_words(reading: Reading) -> tuple[str, str]:
    """A bomb in English and Chinese: pattern, top rank where known, cards, stars where the ruleset has them."""
    stars = (f", {reading.stars} stars", f"{reading.stars}星") if reading.stars else ("", "")
    if reading.pattern in ("three_jokers", "four_jokers"):
        return reading.pattern.replace("_", " ") + stars[0], PATTERNS[reading.pattern] + stars[1]
    rank = (f" to {reading.rank}", reading.rank) if reading.rank else ("", "")
    english = f"{reading.pattern} of {reading.cards}{rank[0]}{stars[0]}"
    return english, f"{PATTERNS[reading.pattern]}{rank[1]}({reading.cards}张){stars[1]}"


def _earned_words(earned_by: BombPlay | Group) -> tuple[str, str]:
    if isinstance(earned_by, BombPlay):
        return bomb_words(earned_by.reading)
    events = [str(bomb.event) for bomb in earned_by.bombs if bomb.event is not None]
    listed = f" (plays {', '.join(events)})" if events else ""
    number = len(earned_by.bombs)
    return f"{number} bombs together worth {earned_by.stars} stars{listed}", f"{number}个炸弹累加为{earned_by.stars}星"


def outcome(name: Outcome, finish: Sequence[int]) -> Iterator[Why]:
    """How the hand ended for each seat: `amount` is the finish position, 1 to 4."""
    winners = side_of(finish[0])
    for seat in SEATS:
        position = finish.index(seat)
        english, chinese = _PLACES[position]
        result, result_zh = ("won", "胜方") if side_of(seat) == winners else ("lost", "负方")
        en = f"{name}; finished {english}, side {result}"
        yield Why("outcome", "C5.4", seat, position + 1, None, en, f"{OUTCOMES[name]},{chinese},{result_zh}")


def base(name: Outcome, points: Four) -> Iterator[Why]:
    """Base points of each seat."""
    for seat in SEATS:
        yield Why("base", "C6.1", seat, points[seat], None, f"base points of a {name}", f"{OUTCOMES[name]}底分")


def multiplier(factors: Sequence[Factor]) -> Iterator[Why]:
    """Each factor with the play that earned it, or that there is none."""
    for factor in factors:
        english, chinese = _earned_words(factor.earned_by)
        seat, play = factor.earned_by.seat, factor.earned_by.event
        yield Why(
            "multiplier",
            "C6.2",
            seat,
            factor.amount,
            play,
            f"{english}: x{factor.amount}",
            f"{chinese}:×{factor.amount}",
        )
    if not factors:
        yield Why("multiplier", "C6.2", None, 1, None, "no bomb raised the multiplier", "无炸弹加倍")


def contribution(bomb: BombPlay, points: int) -> Iterator[Why]:
    """What a bomb gave each seat at once; each other player lost `points`."""
    english, chinese = bomb_words(bomb.reading)
    for seat, amount in enumerate(shares(bomb.seat, points)):
        who, who_zh = (
            ("played it", "打出") if seat == bomb.seat else (f"played by seat {bomb.seat}", f"{bomb.seat}号打出")
        )
        en = f"contribution for {english}, {who}"
        yield Why("contribution", "C6.3", seat, amount, bomb.event, en, f"贡献分:{chinese},{who_zh}")


def accumulation(group: Group) -> Iterator[Why]:
    """What accumulation added for each seat at the end of the hand."""
    english, chinese = _earned_words(group)
    for seat, amount in enumerate(shares(group.seat, group.points)):
        en = f"accumulation of seat {group.seat}: {english}, beyond what they gave at once"
        yield Why("accumulation", "C6.4", seat, amount, group.event, en, f"{group.seat}号{chinese},补差")


def total(base_points: Four, factor: int, contributed: Four, score: Four) -> Iterator[Why]:
    """The sum of each seat."""
    for seat in SEATS:
        sum_of = f"{base_points[seat]} x {factor} + ({contributed[seat]}) = {score[seat]}"
        sum_zh = f"{base_points[seat]}×{factor}+({contributed[seat]})={score[seat]}"
        yield Why(
            "sum", "C6.5", seat, score[seat], None, f"base x multiplier + contribution: {sum_of}", f"总分:{sum_zh}"
        )


def coins_text(amount: Decimal) -> str:
    """Coins as plain decimal text without needless zeros: `1950`, `-37.5`."""
    return format(amount.normalize(), "f")


def coins(seat: int, amount: Decimal, play: int | None, words: tuple[str, str]) -> Why:
    """One movement of game coins."""
    return Why("coins", "C6.6", seat, coins_text(amount), play, *words)
