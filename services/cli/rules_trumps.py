"""The trump family's operations of the rules filter: split, throw, follow, winner, result. One line in, one answer out."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Final, Literal

from domain.trumps.escape import ALL_POINTS
from domain.trumps.following import refusal
from domain.trumps.order import Order, order_of, points_in
from domain.trumps.parts import Lead, read_lead
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.rulesets import UnknownRuleset, get
from domain.trumps.scoring import Earned, result
from domain.trumps.throwing import judge
from domain.trumps.trick import winner
from schemas.notation import Unreadable, format_cards, parse_cards
from schemas.text import quoted

Line = dict[str, object]
Cards = tuple[str, ...]

MIXED_SUITS: Final = "mixed_suits"


def op_split(line: Line) -> Line:
    """Split cards of one suit into parts."""
    order = _order(line)
    cards = _cards(line, "cards")
    _check_supply("cards", cards)
    lead = read_lead(order, cards)
    if lead is None:
        return {"legal": False, "reason": MIXED_SUITS}
    parts = [{"kind": part.kind, "cards": " ".join(part.cards)} for part in lead.parts]
    return {"legal": True, "suit": lead.suit, "parts": parts}


def op_throw(line: Line) -> Line:
    """Judge a throw against what the three others hold."""
    order = _order(line)
    cards = _cards(line, "cards")
    others = _list_of_cards(line, "others", 3, may_be_empty=True)
    _check_supply("cards and others", cards, *others)
    lead = read_lead(order, cards)
    if lead is None:
        return {"legal": False, "reason": MIXED_SUITS}
    judgement = judge(_ruleset(line), order, lead, others)
    if judgement.holds:
        return {"legal": True, "holds": True}
    return {"legal": True, "holds": False, "lead": " ".join(judgement.lead)}


def op_follow(line: Line) -> Line:
    """Say whether cards may follow a lead."""
    order = _order(line)
    lead = _lead(order, _cards(line, "lead"), "lead")
    hand = _cards(line, "hand", may_be_empty=True)
    _check_supply("lead and hand", lead.cards, hand)
    cards = _cards(line, "cards", may_be_empty=True)
    refused = refusal(order, lead, hand, cards)
    return {"legal": True} if refused is None else {"legal": False, "reason": refused.rule}


def op_winner(line: Line) -> Line:
    """Say which of four plays wins the trick, and the points in it."""
    order = _order(line)
    plays = _list_of_cards(line, "plays", 4)
    _check_supply("plays", *plays)
    lead = _lead(order, plays[0], "plays: the first")
    for place, cards in enumerate(plays):
        if len(cards) != len(lead.cards):
            raise ValueError(f"plays: play {place} has {len(cards)} cards, but {len(lead.cards)} were led")
    return {"winner": winner(order, plays), "points": sum(map(points_in, plays))}


def op_result(line: Line) -> Line:
    """The result of a hand by the attackers' points before the kitty, the kitty and the winning play of the last trick."""
    order = _order(line)
    last = _lead(order, _cards(line, "last_trick"), "last_trick")
    _check_supply("last_trick", last.cards)
    points, kitty = _points(line, "points"), _points(line, "kitty")
    if not -ALL_POINTS <= points <= 2 * ALL_POINTS:
        raise ValueError(
            f"points: two packs hold {ALL_POINTS}, and penalties never come to as many again; not {points}"
        )
    if not 0 <= kitty <= ALL_POINTS:
        raise ValueError(f"kitty: cannot hold {kitty} points")
    scored = result(
        _ruleset(line), order, (Earned("points", points),), kitty, last.cards, _side(line, "last_trick_won_by")
    )
    return {
        "points": scored.points,
        "declarers": scored.declarers,
        "attackers": scored.attackers,
        "levels": {"declarers": scored.levels.declarers, "attackers": scored.levels.attackers},
        "take_over": scored.take_over,
        "why": [asdict(reason) for reason in scored.why],
    }


OPS: Final[Mapping[str, Callable[[Line], Line]]] = MappingProxyType(
    {"split": op_split, "throw": op_throw, "follow": op_follow, "winner": op_winner, "result": op_result}
)
"""Every operation by its name. Each raises ValueError, naming the field, for a line that is not valid."""


def _field(line: Line, name: str) -> object:
    if name not in line:
        raise ValueError(f"{name}: is missing")
    return line[name]


def _text(line: Line, name: str) -> str:
    value = _field(line, name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: must be a text, not {quoted(value)}")  # noqa: TRY004 - every fault of a line is a ValueError
    return value


def _ruleset(line: Line) -> TrumpsRuleset:
    try:
        return get(_text(line, "ruleset"))
    except UnknownRuleset as error:
        raise ValueError(f"ruleset: {error}") from None


def _order(line: Line) -> Order:
    _ruleset(line)
    return order_of(_text(line, "level"), None if _field(line, "trump") is None else _text(line, "trump"))


def _read(name: str, text: str, *, may_be_empty: bool) -> Cards:
    try:
        cards = parse_cards(text)
    except Unreadable as error:
        raise ValueError(f"{name}: {error}") from None
    if not cards and not may_be_empty:
        raise ValueError(f"{name}: names no card")
    return cards


def _cards(line: Line, name: str, *, may_be_empty: bool = False) -> Cards:
    return _read(name, _text(line, name), may_be_empty=may_be_empty)


def _list_of_cards(line: Line, name: str, number: int, *, may_be_empty: bool = False) -> list[Cards]:
    value = _field(line, name)
    if not isinstance(value, list) or len(value) != number or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{name}: must be a list of {number} texts")
    return [_read(name, item, may_be_empty=may_be_empty) for item in value]


def _check_supply(names: str, *sets: Iterable[str]) -> None:
    for card, number in Counter(card for cards in sets for card in cards).items():
        if number > 2:
            raise ValueError(
                f"{names}: {format_cards([card] * number)} is {number} times the same card; two packs hold it twice"
            )


def _lead(order: Order, cards: Cards, name: str) -> Lead:
    lead = read_lead(order, cards)
    if lead is None:
        raise ValueError(f"{name}: {' '.join(cards)} are of several suits; all must be of one, trumps being one suit")
    return lead


def _points(line: Line, name: str) -> int:
    value = _field(line, name)
    if not isinstance(value, int) or isinstance(value, bool) or value % 5:
        raise ValueError(f"{name}: must be a whole number of points, a multiple of 5, not {quoted(value)}")
    return value


def _side(line: Line, name: str) -> Literal["declarers", "attackers"]:
    value = _field(line, name)
    if value == "declarers":
        return "declarers"
    if value == "attackers":
        return "attackers"
    raise ValueError(f'{name}: must be "declarers" or "attackers", not {quoted(value)}')
