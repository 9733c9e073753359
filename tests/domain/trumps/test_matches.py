"""Whole matches from fixed seeds: every choice legal, no card or point lost, and an end."""

from collections import Counter
from dataclasses import replace

import pytest

from domain.trumps.rulesets import NINGXIA
from schemas.notation import PACK
from tests.domain.trumps.playing import cards_of, match

RANDOM, SENSIBLE, MIXED = (), (0, 1, 2, 3), (0, 2)


@pytest.mark.parametrize("seats", [RANDOM, SENSIBLE, MIXED], ids=["random", "sensible", "mixed"])
@pytest.mark.parametrize("number", range(3))
def test_a_match_keeps_its_cards_and_points_and_ends(number: int, seats: tuple[int, ...]) -> None:
    won = None
    for standing, played in match(NINGXIA, f"{number:064x}", seats):
        won = standing.won
        assert cards_of(played) == Counter(PACK)
        assert played.points == 200
        assert max(played.hand.failed) <= NINGXIA.failed_throws
        assert sum(played.settled.score) == 0
    assert won in (0, 1)


def test_t1_2_a_match_that_defends_a_ends_with_declarers_at_a() -> None:
    *_, (standing, played) = match(replace(NINGXIA, match_end="defend_A"), "7" * 64, SENSIBLE)
    assert standing.won == played.settled.declarer % 2
    assert standing.levels[standing.won] == played.order.level == "A"
    assert not played.settled.take_over


def test_sensible_players_beat_random_ones_and_never_fail_a_throw() -> None:
    hands = [each for number in range(4) for each in match(NINGXIA, f"{number + 100:064x}", MIXED)]
    assert [standing.won for standing, _ in hands if standing.won is not None] == [0, 0, 0, 0]
    assert not any(played.hand.failed[seat] for _, played in hands for seat in MIXED)


def test_random_players_meet_failed_throws_counters_and_every_kind_of_lead() -> None:
    hands = [played for number in range(8) for _, played in match(NINGXIA, f"{number + 200:064x}", RANDOM)]
    assert any(sum(played.hand.failed) for played in hands)
    assert any(played.counters for played in hands)
    assert {len(lead.cards) for played in hands for lead in played.leads} >= {1, 2, 4}
