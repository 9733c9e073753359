"""T2: declaring trumps, and turning the kitty. The level rank is 7."""

import pytest

from domain.trumps.bidding import Declaration, declarations, read_declaration, refusal_to_declare, turn_kitty
from domain.trumps.rulesets import NINGXIA

WEAKEST_FIRST = ["7S", "7D 7D", "7C 7C", "7H 7H", "7S 7S", "LJ LJ", "BJ BJ"]


def declared(seat: int, cards: str) -> Declaration:
    """A declaration that must be one."""
    read = read_declaration(NINGXIA, "7", seat, cards.split())
    assert read is not None
    return read


def test_t2_2_declarations_from_weakest_to_strongest() -> None:
    strengths = [declared(0, cards).strength for cards in WEAKEST_FIRST]
    assert strengths == sorted(set(strengths))


def test_t2_2_single_level_cards_are_equally_strong() -> None:
    assert {declared(0, card).strength for card in ("7S", "7H", "7C", "7D")} == {1}


@pytest.mark.parametrize(("cards", "trump"), [("7D", "D"), ("7H 7H", "H"), ("LJ LJ", None), ("BJ BJ", None)])
def test_t2_2_the_suit_declared_becomes_trumps_and_jokers_mean_no_trump(cards: str, trump: str | None) -> None:
    assert declared(0, cards).trump == trump


@pytest.mark.parametrize("cards", ["8S", "8S 8S", "7S 7H", "LJ", "BJ", "LJ BJ", "7S 7S LJ", ""])
def test_t2_2_everything_else_is_no_declaration(cards: str) -> None:
    assert read_declaration(NINGXIA, "7", 0, cards.split()) is None


HOLDING = ["7S", "7S", "7H", "7D", "7D", "LJ", "LJ", "BJ", "9S"]
DISPUTES = [
    ("T2.2 the first single", "7S", None, None),
    ("T2.2 a card not dealt yet", "7C", None, "not_in_hand"),
    ("T2.2 a pair of which one is held", "7H 7H", None, "not_in_hand"),
    ("T2.2 one joker", "LJ", None, "no_declaration"),
    ("T2.3 a single never replaces a single", "7S", (1, "7D"), "too_weak"),
    ("T2.3 the weakest pair replaces a single", "7D 7D", (1, "7S"), None),
    ("T2.3 diamonds do not replace clubs", "7D 7D", (1, "7C 7C"), "too_weak"),
    ("T2.3 spades replace hearts", "7S 7S", (1, "7H 7H"), None),
    ("T2.3 little jokers replace spades", "LJ LJ", (1, "7S 7S"), None),
    ("T2.3 little jokers do not replace big ones", "LJ LJ", (1, "BJ BJ"), "too_weak"),
    ("T2.3 a partner may be overruled", "7S 7S", (2, "7H 7H"), None),
    ("T2.4 who declared one level card may add its twin", "7S 7S", (0, "7S"), None),
    ("T2.4 but no other pair", "7D 7D", (0, "7S"), "own_declaration"),
    ("T2.4 nor jokers", "LJ LJ", (0, "7S"), "own_declaration"),
    ("T2.4 nobody overrules their own pair", "LJ LJ", (0, "7S 7S"), "own_declaration"),
    ("T2.4 nor repeats their own single", "7S", (0, "7S"), "own_declaration"),
]


@pytest.mark.parametrize(
    ("cards", "in_force", "rule"), [case[1:] for case in DISPUTES], ids=[case[0] for case in DISPUTES]
)
def test_t2_who_may_declare_what(cards: str, in_force: tuple[int, str] | None, rule: str | None) -> None:
    force = None if in_force is None else declared(*in_force)
    refused = refusal_to_declare(NINGXIA, "7", 0, HOLDING, cards.split(), force)
    assert (refused.rule if refused else None) == rule


def test_t2_the_options_are_what_is_not_refused_weakest_first() -> None:
    def offered(in_force: Declaration | None) -> list[str]:
        return [" ".join(option.cards) for option in declarations(NINGXIA, "7", 0, HOLDING, in_force)]

    assert offered(None) == ["7S", "7H", "7D", "7D 7D", "7S 7S", "LJ LJ"]
    assert offered(declared(1, "7H 7H")) == ["7S 7S", "LJ LJ"]
    assert offered(declared(0, "7D")) == ["7D 7D"]
    assert offered(declared(3, "BJ BJ")) == []


@pytest.mark.parametrize(
    ("kitty", "trump", "position", "by"),
    [
        ("AS 7D 7H KC", "D", 1, "level_card"),
        ("BJ LJ 7C AS", "C", 2, "level_card"),
        ("9S KD KH 2C", "D", 1, "highest_card"),
        ("2S AC KH AD", "C", 1, "highest_card"),
        ("LJ BJ 2S 3D", "D", 3, "highest_card"),
    ],
    ids=[
        "T2.5 the first level card",
        "T2.5 jokers aside",
        "T2.5 of equal ones the first turned",
        "T2.5 A is high",
        "T2.5 2 is low",
    ],
)
def test_t2_5_nobody_declared_and_the_kitty_is_turned(kitty: str, trump: str, position: int, by: str) -> None:
    turned = turn_kitty(NINGXIA, "7", kitty.split())
    assert (turned.trump, turned.position, turned.by) == (trump, position, by)
