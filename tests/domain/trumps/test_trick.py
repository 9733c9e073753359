"""T6.4 to T6.6: who wins a trick. Level 7, hearts are trumps unless a case says no trump."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.trumps.order import order_of
from domain.trumps.throwing import must_read_lead
from domain.trumps.trick import height, winner
from schemas.notation import Unreadable
from tests.domain.trumps import slow
from tests.domain.trumps.strategies import one_suit, orders

TRICKS = [
    ("T6.6 the highest of the suit led", "H", "9S / KS / 3S / TS", 1),
    ("T6.6 an equal card played later does not win", "H", "9S / KS / KS / TS", 1),
    ("T6.4 a discard cannot win", "H", "9S / AD / 3S / TS", 3),
    ("T6.4 a trump takes the lead", "H", "AS / 2H / 3S / TS", 1),
    ("T6.6 the higher trump", "H", "AS / 2H / 3H / TS", 2),
    ("T4.1 level cards of the other suits are equal: the first played", "H", "AS / 7D / 7S / 7C", 1),
    ("T4.1 the level card of the trump suit is above them", "H", "AS / 7D / 7H / 7C", 2),
    ("T4.1 little joker above the trump level card", "H", "7H / LJ / AH / 2H", 1),
    ("T4.1 big joker above all", "H", "LJ / BJ / BJ / 7H", 1),
    ("T4.2 no trump: the eight level cards are equal", None, "AS / 7D / 7H / 7S", 1),
    ("T6.6 the higher pair", "H", "9S 9S / KS KS / AS 3S / TS TS", 1),
    ("T6.4 two single trumps do not match a pair", "H", "9S 9S / BJ LJ / 3S 3S / 4S 5S", 0),
    ("T6.4 a pair of trumps does", "H", "9S 9S / 2H 2H / 3S 3S / 4S 5S", 1),
    ("T6.4 level cards of two suits are no pair", "H", "9S 9S / 7S 7C / 3S 3S / 4S 5S", 0),
    ("T6.6 the higher tractor", "H", "9S 9S TS TS / JS JS QS QS / KS KS AS AS / 3S 3S 4S 4S", 2),
    ("T6.4 two pairs do not match a tractor", "H", "9S 9S TS TS / 2H 2H 4H 4H / 3S 3S 4S 4S / KS KS AS QS", 0),
    ("T6.4 a tractor of trumps does", "H", "9S 9S TS TS / 2H 2H 3H 3H / 3S 3S 4S 4S / KS KS AS QS", 1),
    ("T6.4 trump tractor over the level gap", "H", "9S 9S TS TS / 6H 6H 8H 8H / 3S 3S 4S 4S / KS KS AS QS", 1),
    ("T6.4 jokers are no tractor", "H", "9S 9S TS TS / BJ BJ LJ LJ / 3S 3S 4S 4S / KS KS AS QS", 0),
    ("T6.4 a throw is trumped by its shape", "H", "AS KS KS / 2H 3H 3H / 4S 5S 6S / 8S 9S 9S", 1),
    ("T6.4 not by fewer pairs", "H", "AS KS KS / 2H 3H 4H / 4S 5S 6S / 8S 9S 9S", 0),
    ("T6.4 not by trumps and others", "H", "AS KS / 2H 3D / 4S 5S / 8S 9S", 0),
    ("T6.6 a trumped throw goes by its pair, not its single", "H", "AS KS KS / BJ 3H 3H / 2H 4H 4H / 8S 9S 9S", 2),
    ("T6.6 thrown singles go by the highest", "H", "AS KS / 2H 9H / 8H 6H / TH 3H", 3),
    ("T6.6 a pair of trumps also matches two singles", "H", "AS KS / 9H 9H / 8H 2H / 4S 3S", 1),
    (
        "T6.6 the best of several ways: the higher of two tractors",
        "H",
        "3S 3S 4S 4S AS AS / 2H 2H 3H 3H 4H 4H / 4S 5S 6S 8S 9S TS / 5H 5H 6H 6H 2H 2H",
        3,
    ),
    (
        "T6.6 a tractor cut from the top of a longer one",
        "H",
        "3S 3S 4S 4S KS KS / 2H 2H 3H 3H 4H 4H / 4D 5D 6D 8D 9D TD / 3H 3H 4H 4H AH AH",
        1,
    ),
]


@pytest.mark.parametrize(("trump", "plays", "wins"), [case[1:] for case in TRICKS], ids=[case[0] for case in TRICKS])
def test_t6_6_who_wins(trump: str | None, plays: str, wins: int) -> None:
    assert winner(order_of("7", trump), [cards.split() for cards in plays.split(" / ")]) == wins


def test_the_leader_wins_an_unfinished_trick_until_beaten() -> None:
    order = order_of("7", "H")
    assert winner(order, [["9S"]]) == 0
    assert winner(order, [["9S"], ["TS"]]) == 1


def test_a_lead_of_two_suits_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="one suit"):
        winner(order_of("7", "H"), [["9S", "9D"], ["TS", "TD"]])


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_t6_6_the_best_of_all_ways_to_lay_the_cards_out_counts(data: st.DataObject) -> None:
    order = data.draw(orders)
    cards, led = data.draw(one_suit(order, 14)), data.draw(one_suit(order, 14))
    size = min(len(cards), len(led))
    lead = must_read_lead(order, led[:size])
    assert height(order, lead.shape, cards[:size]) == slow.best_height(order, lead.cards, cards[:size])


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_t6_6_a_trick_goes_to_the_first_of_the_highest_matching_plays(data: st.DataObject) -> None:
    order = data.draw(orders)
    led = data.draw(one_suit(order, 4))
    plays = [led, *(play for _ in range(3) if len(play := data.draw(one_suit(order, 4))) == len(led))]

    def rank(cards: list[str]) -> tuple[bool, int]:
        suits = {order.suit[card] for card in cards}
        reached = (
            slow.best_height(order, led, cards) if len(suits) == 1 and suits <= {order.suit[led[0]], "T"} else None
        )
        return (False, -1) if reached is None else (suits != {order.suit[led[0]]}, reached)

    best = max(map(rank, plays))
    assert winner(order, plays) == [rank(cards) for cards in plays].index(best)
