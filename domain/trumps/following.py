"""Whether a play may follow a lead (T6.1 to T6.4)."""

from collections import Counter
from collections.abc import Sequence

from domain.refusal import Refusal
from domain.trumps.filling import filling
from domain.trumps.order import TRUMPS, Order
from domain.trumps.parts import Lead
from schemas.notation import format_cards, told

SUIT_WORDS = {"S": "黑桃 spades", "H": "红桃 hearts", "C": "梅花 clubs", "D": "方块 diamonds", TRUMPS: "主牌 trumps"}
"""Suits in words for people."""


def missing(holding: Sequence[str], cards: Sequence[str]) -> tuple[str, ...]:
    """The cards that the holding lacks, in notation order."""
    return tuple(format_cards((Counter(cards) - Counter(holding)).elements()).split())


def not_in_hand(holding: Sequence[str], cards: Sequence[str], clause: str) -> Refusal | None:
    """The refusal of cards that are not held, or None when all are."""
    if all(holding.count(card) >= cards.count(card) for card in cards):
        return None
    lacking = told(missing(holding, cards))
    return Refusal("not_in_hand", clause, f"This hand does not hold {lacking}.", f"手中没有 {lacking}。")


def refusal(order: Order, lead: Lead, holding: Sequence[str], cards: Sequence[str]) -> Refusal | None:
    """Why these cards may not follow the lead out of this holding, or None when they may.

    The first rule that applies, in this order: `not_in_hand`, `wrong_number`, `must_follow_suit`, `must_follow_tractor`,
    `must_follow_pair`.
    """
    if lacking := not_in_hand(holding, cards, "T6.1"):
        return lacking
    if len(cards) != lead.shape.size:
        return _wrong_number(lead.shape.size, len(cards))
    held = order.of_suit(lead.suit, holding)
    played = order.of_suit(lead.suit, cards)
    if len(played) < min(len(held), lead.shape.size):
        return _must_follow_suit(lead, len(held), len(played))
    if len(held) <= lead.shape.size:
        return None
    best, reached = filling(order, lead.shape, held), filling(order, lead.shape, played)
    if reached.tractors != best.tractors:
        return _must_follow_tractor(lead, best.tractors, reached.tractors)
    if reached.pairs != best.pairs:
        return _must_follow_pair(lead, best.pairs, reached.pairs)
    return None


def _wrong_number(needed: int, given: int) -> Refusal:
    return Refusal(
        "wrong_number",
        "T6.1",
        f"{needed} cards were led; play {needed}, not {given}.",
        f"首家出{needed}张, 须跟{needed}张, 不是{given}张。",
    )


def _must_follow_suit(lead: Lead, held: int, played: int) -> Refusal:
    must = min(held, lead.shape.size)
    suit = SUIT_WORDS[lead.suit]
    return Refusal(
        "must_follow_suit",
        "T6.1",
        f"{must} cards of {suit} must be played, out of {held} held; there are only {played}.",
        f"须跟{must}张{suit} (手中{held}张), 只跟了{played}张。",
    )


def _must_follow_tractor(
    lead: Lead, best: tuple[tuple[int, ...], ...], reached: tuple[tuple[int, ...], ...]
) -> Refusal:
    suit = SUIT_WORDS[lead.suit]
    return Refusal(
        "must_follow_tractor",
        "T6.2",
        f"This hand can follow with tractors of {_lengths(best)} pairs in {suit}; the play has {_lengths(reached)}.",
        f"手中{suit}可跟拖拉机 ({_lengths(best)}对), 所出只有 ({_lengths(reached)}对)。",
    )


def _must_follow_pair(lead: Lead, best: int, reached: int) -> Refusal:
    suit = SUIT_WORDS[lead.suit]
    return Refusal(
        "must_follow_pair",
        "T6.2",
        f"This hand can follow with {best} pairs in {suit} beside tractors; the play has {reached}.",
        f"手中{suit}可跟{best}个对子, 所出只有{reached}个。",
    )


def _lengths(used: tuple[tuple[int, ...], ...]) -> str:
    return "+".join(str(length) for lengths in used for length in lengths) or "0"
