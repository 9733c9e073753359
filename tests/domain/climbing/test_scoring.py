"""Sections 5.4, 6 and 7 of the climbing rules, clause by clause (docs/rules/climbing.md)."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.climbing import rulesets
from domain.climbing.bombs import MOST_BOMBS, MOST_GROUPS, accumulate
from domain.climbing.scoring import (
    BombPlay,
    CoinRoom,
    Settlement,
    contribution_for,
    expected_sum,
    finish_now,
    outcome_of,
    settle,
)
from schemas.readings import Reading
from tests.domain.climbing.kit import IDS

DOUBLE, SINGLE, DRAW = (0, 2, 1, 3), (0, 1, 2, 3), (0, 1, 3, 2)


def bomb(seat: int, level: int, event: int | None = None, cards: int | None = None) -> BombPlay:
    """A bomb of so many cards and as many stars."""
    return BombPlay(seat, Reading("bomb", "7", cards or level, 1, level), event)


def joker_bomb(seat: int, number: int, stars: int = 0) -> BombPlay:
    return BombPlay(seat, Reading("three_jokers" if number == 3 else "four_jokers", "BJ", number, 1, stars))


def score(ruleset_id: str, finish: tuple[int, ...], *bombs: BombPlay) -> Settlement:
    return settle(rulesets.get(ruleset_id), finish, bombs)


@pytest.mark.parametrize(
    ("out", "order"),
    [
        ((), None),
        ((0,), None),
        ((0, 1), None),
        ((0, 2), (0, 2, 3, 1)),
        ((3, 1), (3, 1, 2, 0)),
        ((0, 1, 2), (0, 1, 2, 3)),
        ((0, 3, 1), (0, 3, 1, 2)),
    ],
)
def test_c5_4_a_double_ends_at_once(out: tuple[int, ...], order: tuple[int, ...] | None) -> None:
    assert finish_now(out) == order


def test_c5_4_outcomes() -> None:
    assert [outcome_of(finish) for finish in (DOUBLE, SINGLE, DRAW)] == ["double", "single", "draw"]
    with pytest.raises(ValueError, match="each of the seats"):
        outcome_of((0, 1, 2, 2))


@pytest.mark.parametrize(
    ("ruleset_id", "double", "single", "draw"),
    [
        ("basic", (4, -4, 4, -4), (2, -2, 2, -2), (0, 0, 0, 0)),
        ("jinbao", (4, -4, 4, -4), (2, -2, 2, -2), (0, 0, 0, 0)),
        ("jj", (6, -6, 6, -6), (3, -3, 3, -3), (1, -1, 1, -1)),
        ("huopin", (4, -4, 4, -4), (2, -2, 2, -2), (1, 0, 1, 0)),
        ("qianbian", (4, -4, 4, -4), (2, -2, 2, -2), (1, 0, 1, 0)),
    ],
)
def test_c6_1_base_points(ruleset_id: str, double: object, single: object, draw: object) -> None:
    assert [score(ruleset_id, finish).base for finish in (DOUBLE, SINGLE, DRAW)] == [double, single, draw]


@pytest.mark.parametrize("ruleset_id", ["basic", "jinbao"])
@pytest.mark.parametrize(
    ("bombs", "factor"),
    [
        ([bomb(0, 0, cards=4)], 1),
        ([bomb(0, 0, cards=5)], 2),
        ([bomb(2, 0, cards=6), bomb(0, 0, cards=5)], 3),
        ([bomb(0, 0, cards=7)], 4),
        ([bomb(0, 0, cards=8)], 5),
        ([joker_bomb(2, 4)], 4),
        ([bomb(1, 0, cards=8)], 1),
    ],
)
def test_c6_2_largest_of_the_winning_side_by_size(ruleset_id: str, bombs: list[BombPlay], factor: int) -> None:
    assert score(ruleset_id, SINGLE, *bombs).multiplier == factor


def test_c6_2_three_jokers_earn_nothing_in_jinbao() -> None:
    assert score("jinbao", SINGLE, joker_bomb(0, 3)).multiplier == 1


def test_c6_2_every_bomb_multiplies_in_jj() -> None:
    """The published example: one bomb of 7 stars, one of 6 and a double are 6 x 3 x 2 = 36 each."""
    assert score("jj", DOUBLE, bomb(0, 7), bomb(1, 6)).score == (36, -36, 36, -36)
    assert score("jj", DOUBLE, bomb(0, 5), bomb(0, 4)).multiplier == 1
    assert score("jj", DOUBLE, bomb(3, 8), bomb(1, 11, cards=24)).multiplier == 16


@pytest.mark.parametrize(("stars", "factor"), [(4, 1), (5, 2), (6, 4), (7, 8), (8, 16), (13, 16)])
@pytest.mark.parametrize("ruleset_id", ["huopin", "qianbian"])
def test_c6_2_largest_of_the_winning_side_by_stars(ruleset_id: str, stars: int, factor: int) -> None:
    assert score(ruleset_id, SINGLE, bomb(2, stars), bomb(1, 14)).multiplier == factor


@pytest.mark.parametrize(
    ("stars", "huopin", "qianbian"),
    [(5, 0, 0), (6, 2, 2), (7, 4, 4), (8, 6, 6), (9, 6, 7), (10, 6, 8), (11, 6, 9), (12, 6, 10), (14, 6, 10)],
)
def test_c6_3_contribution(stars: int, huopin: int, qianbian: int) -> None:
    assert contribution_for(rulesets.get("huopin"), stars) == huopin
    assert contribution_for(rulesets.get("qianbian"), stars) == qianbian
    assert contribution_for(rulesets.get("jj"), stars) == 0
    assert score("huopin", DRAW, bomb(3, stars)).contribution == (-huopin, -huopin, -huopin, 3 * huopin)


@pytest.mark.parametrize(
    ("levels", "values"),
    [
        ([4, 4, 4], [5]),
        ([4] * 4, [6]),
        ([4] * 5, [7]),
        ([4] * 6, [8]),
        ([5, 5], [6]),
        ([5, 5, 5], [7]),
        ([6, 6], [7]),
        ([6] * 3, [8]),
        ([7, 7], [8]),
        ([5, 4, 4, 4], [6]),
        ([4, 4, 5], [4]),
        ([4, 5], []),
        ([4, 4], [4]),
        ([4] * 6 + [6], [9]),
    ],
)
def test_c6_4_bombs_of_one_player_add_up(levels: list[int], values: list[int]) -> None:
    """Groups of two bombs or more; single bombs stand for themselves."""
    groups = accumulate(rulesets.get("qianbian"), [bomb(1, level) for level in levels])
    assert [group.stars for group in groups] == values


def test_c6_4_the_difference_is_given_and_nothing_taken_back() -> None:
    four = score("qianbian", DRAW, *(bomb(1, 4, event) for event in (9, 12, 15, 20)))
    assert four.contribution == (-2, 6, -2, -2)
    assert [(group.seat, group.points, group.event) for group in four.groups] == [(1, 2, 20)]
    two_of_seven = score("qianbian", DRAW, bomb(1, 7), bomb(1, 7))
    assert two_of_seven.contribution == (-8, 24, -8, -8)
    assert two_of_seven.groups == ()


def test_c6_4_a_group_of_the_winners_multiplies() -> None:
    assert score("qianbian", SINGLE, *[bomb(0, 4)] * 6).multiplier == 16
    assert score("qianbian", SINGLE, *[bomb(1, 4)] * 6).multiplier == 1
    assert score("qianbian", SINGLE, bomb(0, 5), bomb(2, 5)).multiplier == 2
    assert score("huopin", SINGLE, *[bomb(0, 4)] * 6).multiplier == 1


def test_c6_6_coins() -> None:
    """The published example: N 500, base x multiplier 4, fee 50: winners +2000, losers -2000, and each pays the fee."""
    room = CoinRoom(Decimal(500), Decimal(50))
    double = settle(rulesets.get("qianbian"), DOUBLE, [], room)
    assert double.coins == tuple(map(Decimal, (1950, -2050, 1950, -2050)))
    seven = settle(rulesets.get("qianbian"), DRAW, [bomb(1, 7)], CoinRoom(Decimal(10), correction=Decimal("0.5")))
    # 4 points x 0.5 x 1.5 x 10 = 30 from each other player, and base points of a draw for the side of the first.
    assert seven.coins == tuple(map(Decimal, (10 - 30, 90, 10 - 30, -30)))
    with pytest.raises(ValueError, match="huopin has no game coins"):
        settle(rulesets.get("huopin"), DOUBLE, [], room)


@pytest.mark.parametrize("ruleset_id", IDS)
@given(
    finish=st.permutations(range(4)),
    played=st.lists(st.tuples(st.integers(0, 3), st.integers(4, 8)), max_size=9),
)
def test_c7_every_number_is_explained(ruleset_id: str, finish: list[int], played: list[tuple[int, int]]) -> None:
    """For each seat the explanation alone gives the score: base x the factors + contributions; every bomb is named by its event."""
    ruleset = rulesets.get(ruleset_id)
    bombs = [bomb(seat, level, event) for event, (seat, level) in enumerate(played, start=100)]
    settled = settle(ruleset, finish, bombs)
    factor = 1
    for why in settled.why:
        factor *= int(why.amount) if why.kind == "multiplier" else 1
    for seat in range(4):
        own = [why for why in settled.why if why.seat == seat]
        amounts = {kind: sum(int(why.amount) for why in own if why.kind == kind) for kind in ("base", "sum", "outcome")}
        given_points = sum(int(why.amount) for why in own if why.kind in ("contribution", "accumulation"))
        assert amounts["outcome"] == finish.index(seat) + 1
        assert amounts["base"] * factor + given_points == amounts["sum"] == settled.score[seat]
    earned = [
        why
        for why in settled.why
        if why.kind in ("contribution", "accumulation") or (why.amount != 1 and why.kind == "multiplier")
    ]
    assert all(why.play is not None and why.play >= 100 for why in earned)
    assert all(why.clause and why.en and why.zh for why in settled.why)
    assert sum(settled.score) == expected_sum(ruleset, settled.outcome, settled.multiplier)


@given(
    finish=st.permutations(range(4)),
    bombs=st.lists(st.builds(bomb, st.integers(0, 3), st.integers(4, 13)), max_size=MOST_BOMBS),
    factor=st.sampled_from(["0.5", "500"]),
    correction=st.sampled_from(["0", "1", "2.5"]),
)
def test_c6_6_no_hand_moves_more_coins_than_is_said(
    finish: list[int], bombs: list[BombPlay], factor: str, correction: str
) -> None:
    """Also with more bombs than two packs can hold, for players and for the house."""
    ruleset, room = rulesets.get("qianbian"), CoinRoom(Decimal(factor), Decimal(50), Decimal(correction))
    settlement = settle(ruleset, finish, bombs, room)
    assert len(settlement.groups) <= MOST_GROUPS
    assert settlement.coins is not None
    assert all(abs(coins) <= room.most(ruleset) for coins in settlement.coins)
    assert abs(sum(settlement.coins, Decimal(0))) <= room.most(ruleset)
