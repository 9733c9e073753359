"""T4: which suit a card belongs to and how high it is."""

import pytest

from domain.trumps.order import order_of, points_in
from schemas.notation import CARDS, PACK, Unreadable

HEARTS_TRUMP = "BJ | LJ | 7H | 7S 7C 7D | AH | KH | QH | JH | TH | 9H | 8H | 6H | 5H | 4H | 3H | 2H"
NO_TRUMP = "BJ | LJ | 7S 7H 7C 7D"
PLAIN_SPADES = "AS | KS | QS | JS | TS | 9S | 8S | 6S | 5S | 4S | 3S | 2S"


@pytest.mark.parametrize(
    ("trump", "suit", "ranking"),
    [("H", "T", HEARTS_TRUMP), (None, "T", NO_TRUMP), ("H", "S", PLAIN_SPADES), (None, "S", PLAIN_SPADES)],
    ids=["T4.1 trumps", "T4.2 no trump", "T4.3 plain suit", "T4.3 plain suit without trumps"],
)
def test_t4_cards_from_high_to_low(trump: str | None, suit: str, ranking: str) -> None:
    order = order_of("7", trump)
    groups = [group.split() for group in ranking.split(" | ")]
    assert {card for group in groups for card in group} == {card for card in CARDS if order.suit[card] == suit}
    heights = [{order.strength[card] for card in group} for group in groups]
    assert all(len(height) == 1 for height in heights)
    assert [height.pop() for height in heights] == sorted((order.strength[group[0]] for group in groups), reverse=True)


def test_t4_3_aces_as_level_rank_leave_the_king_highest() -> None:
    order = order_of("A", "C")
    assert order.sorted(["2S", "KS", "QS", "AS"]) == ("KS", "QS", "2S", "AS")
    assert order.suit["AS"] == "T"


def test_t7_1_both_packs_hold_200_points() -> None:
    assert points_in(PACK) == 200
    assert points_in(["5S", "TH", "KD", "AS", "LJ"]) == 25


@pytest.mark.parametrize(("level", "trump", "field"), [("1", "H", "level"), ("LJ", None, "level"), ("7", "T", "trump")])
def test_what_is_no_level_or_trump_is_named(level: str, trump: str | None, field: str) -> None:
    with pytest.raises(Unreadable, match=f"^{field}: "):
        order_of(level, trump)
