"""T5.1, T5.2, T5.7: what cards of one suit are."""

import pytest

from domain.trumps.order import order_of
from domain.trumps.parts import read_lead

SPLITS = [
    ("T5.1 a single", "7", "H", "9S", "single 9S"),
    ("T5.1 a pair is two identical cards", "7", "H", "9S 9S", "pair 9S 9S"),
    ("T5.1 two pairs in a row are a tractor", "7", "H", "4S 4S 3S 3S", "tractor 3S 3S 4S 4S"),
    ("T5.1 pairs with a gap are no tractor", "7", "H", "2S 2S 4S 4S", "pair 4S 4S / pair 2S 2S"),
    ("T5.2 the level rank is skipped: 6 6 8 8 at level 7", "7", "H", "6S 6S 8S 8S", "tractor 6S 6S 8S 8S"),
    ("T5.2 6 6 8 8 at another level is no tractor", "9", "H", "6S 6S 8S 8S", "pair 8S 8S / pair 6S 6S"),
    ("T5.2 trumps skip it as well", "7", "H", "6H 6H 8H 8H", "tractor 6H 6H 8H 8H"),
    ("T5.2 A is not below 2", "7", "H", "AS AS 2S 2S", "pair AS AS / pair 2S 2S"),
    ("T5.2 level cards are in no tractor", "7", "H", "7H 7H AH AH", "pair 7H 7H / pair AH AH"),
    ("T5.2 jokers are in no tractor", "7", "H", "LJ LJ BJ BJ", "pair BJ BJ / pair LJ LJ"),
    ("T5.1 level cards of two suits are no pair", "7", "H", "7S 7C", "single 7S / single 7C"),
    (
        "T5.7 longest tractor first",
        "7",
        "H",
        "2S 2S 3S 3S 4S 4S JS JS QS QS",
        "tractor 2S 2S 3S 3S 4S 4S / tractor JS JS QS QS",
    ),
    (
        "T5.7 of equal length the higher",
        "7",
        "H",
        "2S 2S 3S 3S JS JS QS QS",
        "tractor JS JS QS QS / tractor 2S 2S 3S 3S",
    ),
    ("T5.7 then pairs, then singles", "7", "H", "KS 9S 8S 8S 4S 4S", "pair 8S 8S / pair 4S 4S / single KS / single 9S"),
    ("the contract's example", "7", "H", "6S 6S 8S 8S 9S", "tractor 6S 6S 8S 8S / single 9S"),
]


@pytest.mark.parametrize(
    ("level", "trump", "cards", "parts"), [case[1:] for case in SPLITS], ids=[case[0] for case in SPLITS]
)
def test_t5_7_cards_split_in_one_way(level: str, trump: str, cards: str, parts: str) -> None:
    lead = read_lead(order_of(level, trump), cards.split())
    assert lead is not None
    assert " / ".join(f"{part.kind} {' '.join(part.cards)}" for part in lead.parts) == parts


@pytest.mark.parametrize(
    ("cards", "suit"),
    [("AS KS", "S"), ("AS KH", None), ("AH 7S BJ", "T"), ("AS 7S", None), ("", None)],
    ids=["a plain suit", "two suits", "T4.4 trumps are one suit", "T4.4 a level card is no spade", "no cards"],
)
def test_t5_1_a_lead_is_of_one_suit(cards: str, suit: str | None) -> None:
    lead = read_lead(order_of("7", "H"), cards.split())
    assert (lead.suit if lead else None) == suit
