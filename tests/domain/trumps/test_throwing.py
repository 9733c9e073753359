"""T5.3 to T5.6: throws."""

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domain.trumps.order import order_of
from domain.trumps.rulesets import NINGXIA
from domain.trumps.throwing import beats, judge, must_read_lead, refusal_to_lead
from domain.trumps.trick import winner
from schemas.notation import CARDS, PACK, Unreadable
from tests.domain.trumps import slow
from tests.domain.trumps.strategies import one_suit, orders

HOLDS = None
THROWS = [
    ("T5.4 another holds a J and no beating pair", "9S 8S 8S 4S 4S", ("JS", "", ""), "9S"),
    ("T5.4 another holds Q Q", "9S 8S 8S 4S 4S", ("QS QS", "", ""), "4S 4S"),
    ("T5.4 another holds 5 5 and nothing higher than 9", "9S 8S 8S 4S 4S", ("5S 5S 9S", "", ""), "4S 4S"),
    ("T5.3 nobody beats any part", "9S 8S 8S 4S 4S", ("3S 3S 2S", "AH AH", "BJ BJ"), HOLDS),
    ("T5.3 an equal card does not beat", "AS KS KS", ("AS QS QS", "", ""), HOLDS),
    ("T5.4 only the beaten single", "KS QS QS", ("KS JS", "AS", "3S"), "KS"),
    ("T5.3 the pair must be in one hand", "AS QS QS", ("KS", "KS", ""), HOLDS),
    ("T5.3 a tractor is beaten by a higher one as long", "AS 3S 3S 4S 4S", ("5S 5S 6S 6S", "", ""), "3S 3S 4S 4S"),
    ("T5.3 a longer higher tractor beats as well", "AS 3S 3S 4S 4S", ("4H 5S 5S 6S 6S 8S 8S", "", ""), "3S 3S 4S 4S"),
    ("T5.3 the tractor must be in one hand", "AS 3S 3S 4S 4S", ("5S 5S", "6S 6S", ""), HOLDS),
    ("T5.3 a shorter higher tractor does not beat", "AS 3S 3S 4S 4S 5S 5S", ("JS JS QS QS", "", ""), HOLDS),
    ("T5.3 pairs with a gap do not beat a tractor", "AS 3S 3S 4S 4S", ("6S 6S 9S 9S", "", ""), HOLDS),
    ("T5.3 trumps do not count against a plain throw", "KS QS QS", ("BJ BJ 2H 2H", "7S 7S", ""), HOLDS),
    ("T5.4 a tractor counts by its top pair", "4S 3S 3S 5S 5S 6S 6S 2S", ("9S 9S TS TS AS AS", "", ""), "2S"),
    ("T5.4 the lowest by rank, whatever its kind", "9S 3S 3S 4S 4S", ("5S 5S 6S 6S AS", "", ""), "3S 3S 4S 4S"),
    ("T5.4 equal level cards: first in notation order", "7D 7S", ("7H", "", ""), "7S"),
    ("T5.4 of equal rank the fewest cards", "7S 7S 7D", ("7H 7H", "", ""), "7D"),
]


@pytest.mark.parametrize(("cards", "others", "lead"), [case[1:] for case in THROWS], ids=[case[0] for case in THROWS])
def test_t5_3_and_t5_4_a_throw_is_judged(cards: str, others: tuple[str, ...], lead: str | None) -> None:
    order = order_of("7", "H")
    judgement = judge(NINGXIA, order, must_read_lead(order, cards.split()), [held.split() for held in others])
    assert judgement.holds == (lead is HOLDS)
    assert " ".join(judgement.lead) == (lead or cards)


@pytest.mark.parametrize("cards", ["3S", "3S 3S", "3S 3S 4S 4S"])
def test_t5_3_a_lead_of_one_part_always_holds(cards: str) -> None:
    order = order_of("7", "H")
    assert judge(NINGXIA, order, must_read_lead(order, cards.split()), [["AS", "AS", "KS", "KS"]]).holds


HOLDING = ["9S", "8S", "8S", "AH", "7D", "BJ"]
LEADS = [
    ("T5.1 a single", "9S", 0, None),
    ("T5.3 a throw", "9S 8S 8S", 0, None),
    ("T5.6 a throw after one that failed", "9S 8S 8S", 1, None),
    ("T5.6 a throw after two that failed", "9S 8S 8S", 2, "throw_limit"),
    ("T5.6 a pair after two failed throws", "8S 8S", 2, None),
    ("T5.1 two suits", "9S AH", 0, "mixed_suits"),
    ("T4.4 trumps of several suits are one", "AH 7D BJ", 0, None),
    ("T5.1 a card that is not held", "9S 9S", 0, "not_in_hand"),
    ("T5.1 no card", "", 0, "no_cards"),
]


@pytest.mark.parametrize(("cards", "failed", "rule"), [case[1:] for case in LEADS], ids=[case[0] for case in LEADS])
def test_t5_what_may_be_led(cards: str, failed: int, rule: str | None) -> None:
    refused = refusal_to_lead(NINGXIA, order_of("7", "H"), HOLDING, cards.split(), failed)
    assert (refused.rule if refused else None) == rule


def test_no_lead_at_all_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="one suit"):
        must_read_lead(order_of("7", "H"), ["9S", "AH"])


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_throw_that_holds_is_never_beaten_in_its_suit(data: st.DataObject) -> None:
    order = data.draw(orders)
    held = data.draw(one_suit(order, 8))
    suit = order.suit[held[0]]
    left = list((Counter(card for card in PACK if order.suit[card] == suit) - Counter(held)).elements())
    shuffled = data.draw(st.permutations(left))
    size = data.draw(st.integers(1, 6))
    others = [shuffled[at : at + size] for at in (0, size, 2 * size)]
    safe = [
        part.cards
        for part in must_read_lead(order, held).parts
        if not any(beats(order, cards, part) for cards in others)
    ]
    assume(safe)
    thrown = [card for cards in safe for card in cards]
    assert judge(NINGXIA, order, must_read_lead(order, thrown), others).holds
    for cards in others:
        for play in slow.all_plays(cards, len(thrown)):
            assert winner(order, [thrown, play]) == 0


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_led_after_a_failed_throw_is_one_beatable_part_of_it(data: st.DataObject) -> None:
    order = data.draw(orders)
    lead = must_read_lead(order, data.draw(one_suit(order, 8)))
    held = data.draw(
        st.lists(st.sampled_from([card for card in CARDS if lead.cards.count(card) == 0]), unique=True, max_size=12)
    )
    judgement = judge(NINGXIA, order, lead, [held * 2])
    assert judgement.holds == (judgement.beatable == ())
    if not judgement.holds:
        assert judgement.lead in [part.cards for part in judgement.beatable]
        assert slow.is_subset(judgement.lead, lead.cards)
