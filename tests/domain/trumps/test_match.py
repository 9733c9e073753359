"""T1: levels, who declares, and the end of a match."""

from dataclasses import replace

import pytest

from domain.trumps.match import Standing, after_escape, after_hand, next_declarer, raised, start
from domain.trumps.order import order_of
from domain.trumps.rulesets import NINGXIA, UnknownRuleset, all_rulesets, get
from domain.trumps.scoring import Earned, Result, result
from schemas.notation import Unreadable

DEFEND_A = replace(NINGXIA, match_end="defend_A")


def hand_of(points: int) -> Result:
    """A hand in which the attackers got so many points."""
    return result(NINGXIA, order_of("7", "H"), [Earned("points", points)], 0, ["AS"], "declarers")


def test_t1_1_the_level_rank_is_the_level_of_the_declaring_side() -> None:
    assert [Standing(("5", "9"), declarer).level for declarer in range(4)] == ["5", "9", "5", "9"]


def test_t1_3_both_sides_start_at_2_or_where_the_table_says() -> None:
    assert start(NINGXIA) == Standing(("2", "2"))
    assert start(NINGXIA, "T") == Standing(("T", "T"))
    assert start(DEFEND_A, "A") == Standing(("A", "A"))


@pytest.mark.parametrize(
    ("level", "words"), [("A", "who reaches A has won"), ("LJ", "is not a level"), ("10", "is not a level")]
)
def test_t1_3_a_match_cannot_start_there(level: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        start(NINGXIA, level)


@pytest.mark.parametrize(
    ("points", "declarer"),
    [(0, 2), (75, 2), (80, 1), (120, 1)],
    ids=["T1.6 kept", "T1.6 kept by five", "T1.6 80", "T1.6 120"],
)
def test_t1_6_the_partner_or_the_next_seat_declares(points: int, declarer: int) -> None:
    assert after_hand(NINGXIA, Standing(("5", "9"), 0), 0, hand_of(points)).declarer == declarer
    assert next_declarer(3, take_over=True) == 0


@pytest.mark.parametrize(
    ("points", "levels"),
    [
        (0, ("8", "9")),
        (20, ("7", "9")),
        (40, ("6", "9")),
        (100, ("5", "9")),
        (120, ("5", "T")),
        (160, ("5", "J")),
        (400, ("5", "A")),
    ],
)
def test_t7_4_levels_rise_by_the_table(points: int, levels: tuple[str, str]) -> None:
    assert after_hand(NINGXIA, Standing(("5", "9"), 0), 0, hand_of(points)).levels == levels
    assert after_hand(NINGXIA, Standing(("9", "5"), 3), 3, hand_of(points)).levels == levels[::-1]


def test_t7_5_no_level_is_above_a() -> None:
    assert raised("Q", 3) == "A"
    assert raised("2", 0) == "2"


@pytest.mark.parametrize(
    ("levels", "declarer", "points", "won"),
    [
        (("Q", "2"), 0, 20, 0),
        (("Q", "2"), 0, 40, None),
        (("2", "K"), 0, 120, 1),
        (("2", "K"), 0, 80, None),
        (("2", "J"), 1, 0, 1),
    ],
    ids=[
        "T1.2 A reached",
        "T1.2 only K",
        "T1.2 A reached by attackers",
        "T1.2 taken over without levels",
        "T1.2 side 1 as declarers",
    ],
)
def test_t1_2_reaching_a_wins(levels: tuple[str, str], declarer: int, points: int, won: int | None) -> None:
    assert after_hand(NINGXIA, Standing(levels, declarer), declarer, hand_of(points)).won == won


@pytest.mark.parametrize(
    ("levels", "declarer", "points", "won"),
    [
        (("Q", "2"), 0, 20, None),
        (("A", "2"), 0, 75, 0),
        (("A", "2"), 0, 80, None),
        (("A", "2"), 1, 400, None),
        (("A", "A"), 1, 40, 1),
    ],
    ids=[
        "T1.2 reaching is not enough",
        "T1.2 kept at A",
        "T1.2 lost at A",
        "T1.2 won as attackers at A",
        "T1.2 side 1 keeps",
    ],
)
def test_t1_2_where_a_must_be_defended(levels: tuple[str, str], declarer: int, points: int, won: int | None) -> None:
    assert after_hand(DEFEND_A, Standing(levels, declarer), declarer, hand_of(points)).won == won


def test_t8_6_after_a_void_hand_levels_stay_and_the_same_declarer_declares() -> None:
    assert after_escape(NINGXIA, Standing(("5", "9"), 3), 3) == Standing(("5", "9"), 3)
    assert after_escape(NINGXIA, Standing(("2", "2")), 1) == Standing(("2", "2"), 1)
    assert after_escape(NINGXIA, Standing(("2", "2")), None) == Standing(("2", "2"))
    assert after_escape(replace(NINGXIA, escape_declares_again=False), Standing(("5", "9"), 3), 3).declarer == 0


def test_rulesets_are_found_by_id_and_version() -> None:
    assert get("ningxia") is get("ningxia", 1) is NINGXIA
    assert all_rulesets() == (NINGXIA,)
    with pytest.raises(UnknownRuleset, match="there are ningxia"):
        get("ningxia", 2)
    with pytest.raises(UnknownRuleset, match="'basic'"):
        get("basic")


def test_every_house_choice_is_a_field_with_its_clause() -> None:
    fields = {name: field.metadata for name, field in NINGXIA.__dataclass_fields__.items()}
    assert all(fields[name]["clause"].startswith("T") for name in NINGXIA.house)
    assert len({NINGXIA, DEFEND_A}) == 2
