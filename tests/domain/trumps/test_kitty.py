"""T3: burying and counter-burying, as a conversation at the table. The level rank is 7."""

from dataclasses import replace

import pytest

from domain.trumps.bidding import counters, refusal_to_counter
from domain.trumps.kitty import Kitty, asked, bury, counter, decline, is_over, refusal_to_bury, take_up
from domain.trumps.rulesets import NINGXIA
from tests.domain.trumps.test_bidding import declared


def buried(declarer: int, in_force: tuple[int, str] | None) -> Kitty:
    """The declarer has buried for the first time."""
    return bury(take_up(declarer, None if in_force is None else declared(*in_force)))


def asked_in_turn(kitty: Kitty) -> list[int]:
    """Who is asked when everybody declines."""
    seats = []
    while (seat := asked(NINGXIA, kitty)) is not None:
        seats.append(seat)
        kitty = decline(kitty, seat)
    assert is_over(NINGXIA, kitty)
    return seats


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        ("3S 4S 5S 6S 8S 9S TS JS", None),
        ("3S", "wrong_number"),
        ("3S 3S 5S 6S 8S 9S TS JS", "not_in_hand"),
        ("", "wrong_number"),
    ],
)
def test_t3_1_exactly_eight_held_cards_are_buried(cards: str, rule: str | None) -> None:
    refused = refusal_to_bury(
        NINGXIA, ["3S", "4S", "5S", "6S", "8S", "9S", "TS", "JS", "QS", "KS", "AS"], cards.split()
    )
    assert (refused.rule if refused else None) == rule


def test_t3_1_nobody_is_asked_before_the_declarer_has_buried() -> None:
    kitty = take_up(0, declared(0, "7H"))
    assert asked(NINGXIA, kitty) is None
    assert not is_over(NINGXIA, kitty)


def test_t3_2_the_others_are_asked_from_the_seat_after_the_burier() -> None:
    assert asked_in_turn(buried(2, (2, "7H"))) == [3, 0, 1]


def test_t3_2_nobody_is_asked_when_nobody_had_declared() -> None:
    assert asked_in_turn(buried(0, None)) == []


def test_t3_3_who_counters_makes_trumps_and_buries() -> None:
    kitty = counter(buried(0, (0, "7H")), declared(2, "7S 7S"))
    assert (kitty.burier, kitty.buried) == (2, False)
    assert kitty.in_force is not None
    assert kitty.in_force.trump == "S"
    assert asked(NINGXIA, kitty) is None


def test_t3_4_after_a_counter_everybody_is_asked_anew_the_declarer_included() -> None:
    kitty = decline(buried(0, (0, "7H")), 1)
    kitty = bury(counter(kitty, declared(2, "7D 7D")))
    assert asked_in_turn(kitty) == [3, 0, 1]


def test_t3_5_no_trump_is_final_after_a_counter() -> None:
    assert asked_in_turn(bury(counter(buried(0, (0, "7H")), declared(1, "LJ LJ")))) == []


def test_t3_5_no_trump_declared_while_dealing_is_final() -> None:
    assert asked_in_turn(buried(0, (3, "LJ LJ"))) == []


def test_t3_5_where_the_ruleset_lets_it_big_jokers_counter_little_ones() -> None:
    ruleset = replace(NINGXIA, no_trump_is_final=False)
    assert asked(ruleset, buried(0, (3, "LJ LJ"))) == 1
    assert refusal_to_counter(ruleset, "7", 1, ["BJ", "BJ"], ["BJ", "BJ"], declared(3, "LJ LJ")) is None


def test_t3_6_who_declared_is_not_asked_about_their_own_declaration() -> None:
    assert asked_in_turn(buried(0, (2, "7H"))) == [1, 3]


HOLDING = ["7S", "7S", "7D", "7D", "LJ", "LJ", "9S", "9S"]
COUNTERS = [
    ("T3.2 a pair beats a single", "7D 7D", (1, "7S"), None),
    ("T3.2 the higher suit", "7S 7S", (1, "7H 7H"), None),
    ("T3.2 not the lower suit", "7D 7D", (1, "7C 7C"), "too_weak"),
    ("T3.2 jokers beat suits", "LJ LJ", (1, "7S 7S"), None),
    ("T3.2 a single is no counter", "7S", (1, "7D"), "no_counter"),
    ("T3.2 another pair is none", "9S 9S", (1, "7D"), "no_counter"),
    ("T3.2 only held cards", "7H 7H", (1, "7D"), "not_in_hand"),
    ("T3.5 no trump is final", "LJ LJ", (1, "LJ LJ"), "no_trump_is_final"),
    ("T3.6 not one's own declaration", "7S 7S", (0, "7D"), "own_declaration"),
]


@pytest.mark.parametrize(
    ("cards", "in_force", "rule"), [case[1:] for case in COUNTERS], ids=[case[0] for case in COUNTERS]
)
def test_t3_2_what_counters_what(cards: str, in_force: tuple[int, str], rule: str | None) -> None:
    refused = refusal_to_counter(NINGXIA, "7", 0, HOLDING, cards.split(), declared(*in_force))
    assert (refused.rule if refused else None) == rule


def test_t3_2_the_counters_offered_are_pairs_weakest_first() -> None:
    offered = counters(NINGXIA, "7", 0, HOLDING, declared(1, "7H"))
    assert [" ".join(option.cards) for option in offered] == ["7D 7D", "7S 7S", "LJ LJ"]
