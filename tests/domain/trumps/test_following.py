"""T6.1 to T6.3: what must be followed. Level 7, hearts are trumps, unless a case says otherwise."""

import pytest

from domain.trumps.following import refusal
from domain.trumps.order import order_of
from domain.trumps.throwing import must_read_lead

LEGAL = None
FOLLOWS = [
    ("T6.1 the suit is followed with any card of it", "AS", "3S 9S KD", "3S", LEGAL),
    ("T6.1 the suit must be followed", "AS", "3S 9S KD", "KD", "must_follow_suit"),
    ("T6.1 a level card of the suit led is no card of the suit", "AS", "7S KD", "KD", LEGAL),
    ("T6.1 trumps led: a level card must follow", "AH", "7S KD", "KD", "must_follow_suit"),
    ("T6.1 trumps led: a joker follows", "AH", "BJ KD", "BJ", LEGAL),
    ("T6.1 as many cards as were led", "AS AS", "3S 3S 9S", "9S", "wrong_number"),
    ("T6.1 only held cards", "AS", "3S", "4S", "not_in_hand"),
    ("T6.1 not a card held once played twice", "AS AS", "3S 4S", "3S 3S", "not_in_hand"),
    ("T6.1 not held comes before the wrong number", "AS AS", "3S 4S", "KD", "not_in_hand"),
    ("T6.1 too few of the suit: all of them and any others", "AS AS KS", "3S 4S 9D KD", "3S 4S KD", LEGAL),
    ("T6.1 too few of the suit: not one may be kept", "AS AS KS", "3S 4S 9D KD", "3S 9D KD", "must_follow_suit"),
    ("T6.1 just enough of the suit: all of them, whatever their shape", "AS AS KS", "3S 4S 9S KD", "3S 4S 9S", LEGAL),
    ("T6.2 a pair must be followed with a pair", "AS AS", "3S 3S 9S KS", "9S KS", "must_follow_pair"),
    ("T6.2 which pair is free", "AS AS", "3S 3S KS KS 9S", "3S 3S", LEGAL),
    ("T6.2 without a pair any cards of the suit", "AS AS", "3S 9S KS", "9S KS", LEGAL),
    ("T6.2 a single may break a pair", "AS", "3S 3S 9S", "3S", LEGAL),
    ("T6.2 two thrown singles ask for no pair", "AS KS", "3S 3S 9S", "3S 9S", LEGAL),
    ("T6.2 two level cards of different suits are no pair", "AH AH", "7S 7C 3H 3H", "7S 7C", "must_follow_pair"),
    (
        "T6.2 a tractor must be followed with a tractor",
        "9S 9S TS TS",
        "3S 3S 4S 4S KS KS",
        "3S 3S KS KS",
        "must_follow_tractor",
    ),
    (
        "T6.2 the tractor that must be played may be the lower",
        "9S 9S TS TS",
        "3S 3S 4S 4S JS JS QS QS",
        "3S 3S 4S 4S",
        LEGAL,
    ),
    ("T6.2 a tractor may be cut out of a longer one", "9S 9S TS TS", "2S 2S 3S 3S 4S 4S", "3S 3S 4S 4S", LEGAL),
    (
        "T6.2 over the gap of the level it is a tractor",
        "9S 9S TS TS",
        "6S 6S 8S 8S KS KS",
        "6S 6S KS KS",
        "must_follow_tractor",
    ),
    ("T6.2 jokers and level cards are no tractor", "3H 3H 4H 4H", "BJ BJ LJ LJ 9H 9H", "BJ BJ 9H 9H", LEGAL),
    (
        "T6.2 no tractor: pairs up to the pairs led",
        "9S 9S TS TS",
        "2S 2S 4S 4S 6S KS",
        "2S 2S 6S KS",
        "must_follow_pair",
    ),
    ("T6.2 no tractor and one pair: the pair and any cards", "9S 9S TS TS", "2S 2S 4S 6S KS", "2S 2S 6S KS", LEGAL),
    (
        "T6.2 a shorter tractor stands in",
        "9S 9S TS TS JS JS",
        "2S 2S 3S 3S 5S 5S KS KS",
        "2S 2S 5S 5S KS KS",
        "must_follow_tractor",
    ),
    ("T6.2 a shorter tractor and a pair", "9S 9S TS TS JS JS", "2S 2S 3S 3S 5S 5S KS KS", "2S 2S 3S 3S KS KS", LEGAL),
    (
        "T6.2 after it the pairs still count",
        "9S 9S TS TS JS JS",
        "2S 2S 3S 3S 5S 5S KS AS",
        "2S 2S 3S 3S KS AS",
        "must_follow_pair",
    ),
    (
        "T6.3 four led: a tractor of three goes before two of two",
        "9S 9S TS TS JS JS QS QS",
        "2S 2S 3S 3S 4S 4S 6S 6S 8S 8S AS",
        "2S 2S 3S 3S 6S 6S 8S 8S",
        "must_follow_tractor",
    ),
    (
        "T6.3 four led: three and a pair",
        "9S 9S TS TS JS JS QS QS",
        "2S 2S 3S 3S 4S 4S 6S 6S 8S 8S AS",
        "2S 2S 3S 3S 4S 4S 8S 8S",
        LEGAL,
    ),
    (
        "T6.3 four led, two and two held: both",
        "9S 9S TS TS JS JS QS QS",
        "2S 2S 3S 3S 6S 6S 8S 8S KS KS",
        "2S 2S 3S 3S 6S 6S KS KS",
        "must_follow_tractor",
    ),
    (
        "T6.3 five led, two and three held: both",
        "2S 2S 3S 3S 4S 4S 5S 5S 6S 6S",
        "9S 9S TS TS QS QS KS KS AS AS 8S 8S 8H",
        "TS TS 8S 8S QS QS KS KS AS AS",
        "must_follow_tractor",
    ),
    (
        "T6.2 a throw of a pair and a single asks for one pair",
        "AS AS KS",
        "3S 3S 4S 9S",
        "3S 4S 9S",
        "must_follow_pair",
    ),
    (
        "T6.2 a throw of two pairs asks for two pairs",
        "AS AS QS QS",
        "3S 3S 5S 5S 9S JS",
        "3S 3S 9S JS",
        "must_follow_pair",
    ),
    ("T6.2 two thrown pairs ask for no tractor", "AS AS QS QS", "3S 3S 4S 4S 9S 9S", "3S 3S 9S 9S", LEGAL),
    ("T6.2 no more pairs than led need to be broken", "AS AS KS QS", "3S 3S 5S 5S 9S JS", "3S 3S 9S JS", LEGAL),
    ("T6.4 none of the suit: anything, a trump", "AS", "3H KD", "3H", LEGAL),
    ("T6.4 none of the suit: anything, a discard", "AS", "3H KD", "KD", LEGAL),
]


@pytest.mark.parametrize(
    ("lead", "holding", "cards", "rule"), [case[1:] for case in FOLLOWS], ids=[case[0] for case in FOLLOWS]
)
def test_t6_following(lead: str, holding: str, cards: str, rule: str | None) -> None:
    order = order_of("7", "H")
    refused = refusal(order, must_read_lead(order, lead.split()), holding.split(), cards.split())
    assert (refused.rule if refused else None) == rule


def test_a_refusal_says_what_and_which_clause() -> None:
    order = order_of("7", "H")
    refused = refusal(order, must_read_lead(order, ["AS", "AS"]), ["3S", "3S", "9S", "KS"], ["9S", "KS"])
    assert refused is not None
    assert refused.clause == "T6.2"
    assert refused.en == "This hand can follow with 1 pairs in 黑桃 spades beside tractors; the play has 0."
