"""T7: points, the kitty and the result."""

from typing import Literal

import pytest

from domain.trumps.order import order_of
from domain.trumps.rulesets import NINGXIA
from domain.trumps.scoring import Earned, kitty_multiplier, result

Side = Literal["declarers", "attackers"]

HEARTS = order_of("7", "H")


@pytest.mark.parametrize(
    ("winning", "multiplier"),
    [
        ("AS", 2),
        ("AS KS", 2),
        ("4S 4S", 4),
        ("AS 4S 4S", 4),
        ("4S 4S AS AS", 4),
        ("4S 4S 3S 3S", 8),
        ("6S 6S 8S 8S", 8),
        ("4S 4S 3S 3S 2S 2S", 12),
        ("4S 4S 3S 3S 2S 2S 9S 9S TS TS AS", 12),
        ("BJ BJ LJ LJ", 4),
    ],
)
def test_t7_2_how_many_times_the_kitty_counts(winning: str, multiplier: int) -> None:
    assert kitty_multiplier(NINGXIA, HEARTS, winning.split()) == multiplier


TABLE = [
    *((points, 3, 0, 6, False) for points in (0,)),
    *((points, 2, 0, 4, False) for points in (5, 20, 35)),
    *((points, 1, 0, 2, False) for points in (40, 60, 75)),
    *((points, 0, 0, 0, True) for points in (80, 100, 115)),
    *((points, 0, 1, -2, True) for points in (120, 155)),
    *((points, 0, 2, -4, True) for points in (160, 190, 195)),
    *((points, 0, 3, -6, True) for points in (200, 235)),
    *((points, 0, 4, -8, True) for points in (240, 275)),
    (440, 0, 9, -18, True),
]


@pytest.mark.parametrize(("points", "declarers", "attackers", "each", "take_over"), TABLE)
def test_t7_4_the_result_table(points: int, declarers: int, attackers: int, each: int, take_over: bool) -> None:
    scored = result(NINGXIA, HEARTS, [Earned("points", points)], 0, ["AS"], "declarers")
    assert (scored.levels.declarers, scored.levels.attackers) == (declarers, attackers)
    assert (scored.declarers, scored.attackers, scored.take_over) == (each, -each, take_over)
    assert scored.scores(1) == (-each, each, -each, each)
    assert sum(scored.scores(0)) == 0


@pytest.mark.parametrize(
    ("taken", "kitty", "by", "points"),
    [
        (95, 15, "attackers", 155),
        (95, 15, "declarers", 95),
        (-20, 0, "declarers", 0),
        (-20, 5, "attackers", 0),
        (-20, 10, "attackers", 20),
    ],
    ids=[
        "T7.2 won with 4 4",
        "T7.2 the declaring side won the last trick",
        "T7.3 below 0 counts as 0",
        "T7.3 the kitty is added before",
        "T7.3 and can lift it above 0",
    ],
)
def test_t7_3_the_points_that_count(taken: int, kitty: int, by: Side, points: int) -> None:
    assert result(NINGXIA, HEARTS, [Earned("points", taken)], kitty, ["4S", "4S"], by).points == points


def test_t7_the_explanation_names_tricks_penalties_kitty_multiplier_and_row() -> None:
    earned = [
        Earned("trick", 25, 3, 41),
        Earned("penalty", 10, 4, 46),
        Earned("penalty", -10, 9, 66),
        Earned("trick", 70, 12, 80),
    ]
    scored = result(NINGXIA, HEARTS, earned, 15, ["4S", "4S"], "attackers")
    assert [(reason.kind, reason.clause, reason.amount, reason.play) for reason in scored.why] == [
        ("trick", "T7.1", 25, 41),
        ("penalty", "T5.5", 10, 46),
        ("penalty", "T5.5", -10, 66),
        ("trick", "T7.1", 70, 80),
        ("kitty", "T7.2", 15, None),
        ("multiplier", "T7.2", 4, None),
        ("total", "T7.3", 155, None),
        ("row", "T7.4", 120, None),
        ("levels", "T7.4", 1, None),
        ("next_declarer", "T1.6", 1, None),
        ("score", "T7.4", -2, None),
    ]
    assert scored.why[1].en == "+10 for the attackers: the declaring side failed a throw in trick 4"
    assert scored.why[5].zh == "抓分方以 4S 4S 抠底, 底分×4, 得60分"
