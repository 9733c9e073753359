"""Cards as text: rank then suit, `3S TH QD AC 2S`, little joker `LJ`, big joker `BJ` (C1).

The two copies of a card in the two packs are the same text. Sets of cards are written with spaces between.
"""

from collections.abc import Iterable
from typing import Final

from schemas.text import printable, quoted, shortened

RANKS: Final = ("3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "LJ", "BJ")
"""Ranks of the climbing family from low to high (C1)."""

SUITS: Final = ("S", "H", "C", "D")
"""Spades, hearts, clubs, diamonds."""

JOKERS: Final = ("LJ", "BJ")

CARDS: Final = (*(rank + suit for rank in RANKS[:13] for suit in SUITS), *JOKERS)
"""The 54 distinct cards of one pack, in ascending order of rank."""

PACK: Final = tuple(card for card in CARDS for _ in range(2))
"""The 108 cards of two packs with jokers, in notation order (C1)."""

ORDER: Final = {card: position for position, card in enumerate(CARDS)}
"""Where a card stands in notation order; also the test whether a text is a card."""

MOST_TOLD: Final = 120
"""Characters of cards that a message tells at most; 33 cards, which a hand of trumps has with the kitty, take fewer."""


class Unreadable(ValueError):
    """Text that is not what it should be (as opposed to a play that a rule refuses). The message says which part.

    It is one line that can be printed, though it may quote what somebody wrote.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def rank_of(card: str) -> str:
    """The rank of a card: `"TH"` -> `"T"`, `"BJ"` -> `"BJ"`."""
    return card if card in JOKERS else card[0]


def parse_cards(text: str) -> tuple[str, ...]:
    """Read cards separated by spaces, as written. Raises Unreadable naming the first thing that is no card."""
    cards = tuple(text.split())
    for card in cards:
        if card not in ORDER:
            raise Unreadable(f"{quoted(card)} is not a card; write rank then suit, like 3S TH QD AC 2S, LJ or BJ")
    return cards


def format_cards(cards: Iterable[str]) -> str:
    """Cards as text in notation order, separated by spaces."""
    return " ".join(sorted(cards, key=ORDER.__getitem__))


def told(cards: Iterable[str]) -> str:
    """Cards as a message tells them: as `format_cards` writes them, of more than any hand can hold the beginning."""
    return shortened(format_cards(cards), MOST_TOLD)
