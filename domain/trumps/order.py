"""Which suit a card belongs to and how high it is, under a level and a trump suit (T4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final

from domain.trumps.ruleset import LEVELS
from schemas.notation import CARDS, JOKERS, ORDER, SUITS, Unreadable, rank_of
from schemas.text import quoted

TRUMPS: Final = "T"
"""The suit that all trumps form together (T4.4)."""

LADDER: Final = len(LEVELS) - 1
"""Strengths below this are the rungs of a suit without the level rank; only cards on a rung are in tractors (T5.2)."""

LEVEL_CARD: Final = LADDER
TRUMP_LEVEL_CARD: Final = LADDER + 1
LITTLE_JOKER: Final = LADDER + 2
BIG_JOKER: Final = LADDER + 3

POINTS: Final[Mapping[str, int]] = MappingProxyType(
    {card: {"5": 5, "T": 10, "K": 10}.get(rank_of(card), 0) for card in CARDS}
)
"""What each card counts in a trick: 200 in both packs together (T7.1)."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The cards under one level and trump. There is one object for each (`order_of`), so orders compare by identity.

    `suit` gives the suit of a card, `S H C D` or `T` for trumps. `strength` gives its height within that suit: equal cards and equal
    level cards have the same, a higher one wins.
    """

    level: str
    trump: str | None
    suit: Mapping[str, str] = field(repr=False)
    strength: Mapping[str, int] = field(repr=False)

    def of_suit(self, suit: str, cards: Iterable[str]) -> tuple[str, ...]:
        """The cards of one suit, in the order given."""
        return tuple(card for card in cards if self.suit[card] == suit)

    def sorted(self, cards: Iterable[str]) -> tuple[str, ...]:
        """From high to low within each suit, suits S H C D T; of equal cards the first in notation order first."""
        place = {suit: at for at, suit in enumerate((*SUITS, TRUMPS))}
        return tuple(sorted(cards, key=lambda card: (place[self.suit[card]], -self.strength[card], ORDER[card])))

    def common_suit(self, cards: Iterable[str]) -> str | None:
        """The one suit of all these cards; None when there are several, or no cards."""
        suits = {self.suit[card] for card in cards}
        return suits.pop() if len(suits) == 1 else None


@cache
def order_of(level: str, trump: str | None) -> Order:
    """The order for a level rank and a trump suit (None: no trump). Raises Unreadable naming the one that does not exist."""
    if level not in LEVELS:
        raise Unreadable(f"level: {quoted(level)} is not a level; levels: {' '.join(LEVELS)}")
    if trump is not None and trump not in SUITS:
        raise Unreadable(f"trump: {quoted(trump)} is not a suit; suits: {' '.join(SUITS)}, or null for no trump")
    ladder = [rank for rank in LEVELS if rank != level]

    def strength(card: str) -> int:
        if card in JOKERS:
            return BIG_JOKER if card == "BJ" else LITTLE_JOKER
        if card[0] == level:
            return TRUMP_LEVEL_CARD if card[1] == trump else LEVEL_CARD
        return ladder.index(card[0])

    def suit(card: str) -> str:
        return TRUMPS if card in JOKERS or card[0] == level or card[1] == trump else card[1]

    return Order(
        level,
        trump,
        MappingProxyType({card: suit(card) for card in CARDS}),
        MappingProxyType({card: strength(card) for card in CARDS}),
    )


def points_in(cards: Iterable[str]) -> int:
    """The points these cards count (T7.1)."""
    return sum(POINTS[card] for card in cards)
