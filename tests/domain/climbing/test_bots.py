"""The two players: one may do anything legal, the other is sensible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import counts_of
from domain.climbing.bots import greedy_choice, random_choice
from schemas.notation import PACK, parse_cards
from schemas.readings import Reading
from tests.domain.climbing.kit import IDS, read, tables

MANY = "3S 3H 4S 5S 5H 7S 8S TS TH JS QS KS"
"""Twelve cards without a bomb: nobody is about to go out."""


def greedy(
    ruleset_id: str, holding: str, lead: str | None, *, partner: bool = False, opponents_left: int = 20
) -> str | None:
    against = read(ruleset_id, lead) if lead else None
    chosen = greedy_choice(
        tables(ruleset_id), parse_cards(holding), against, partner_leads=partner, opponents_left=opponents_left
    )
    return " ".join(chosen) if chosen else None


@pytest.mark.parametrize("ruleset_id", IDS)
def test_it_leaves_the_partners_winning_play_alone(ruleset_id: str) -> None:
    assert greedy(ruleset_id, MANY, "9", partner=True) is None
    assert greedy(ruleset_id, MANY, "9", partner=False) == "TS"


@pytest.mark.parametrize("ruleset_id", IDS)
def test_it_goes_out_over_its_partner_when_it_can(ruleset_id: str) -> None:
    assert greedy(ruleset_id, "KS KH", "99", partner=True) == "KS KH"


@pytest.mark.parametrize("ruleset_id", IDS)
def test_it_saves_bombs_until_somebody_is_near_the_end(ruleset_id: str) -> None:
    holding = f"{MANY} AS AH AC AD"
    assert greedy(ruleset_id, holding, "2") is None
    assert greedy(ruleset_id, holding, "2", opponents_left=3) == "AS AH AC AD"


@pytest.mark.parametrize("ruleset_id", IDS)
def test_it_does_not_break_a_bomb_for_a_cheap_play(ruleset_id: str) -> None:
    assert greedy(ruleset_id, f"{MANY} AS AH AC AD", "Q") == "KS"
    assert greedy(ruleset_id, f"{MANY} AS AH AC AD", "K") is None


def test_it_spares_wildcards() -> None:
    assert greedy("huopin", f"{MANY} BJ", "99") == "TS TH"
    assert greedy("huopin", f"{MANY} BJ", "QQ") is None


@pytest.mark.parametrize("ruleset_id", IDS)
@given(
    cards=st.permutations(PACK).map(lambda pack: tuple(pack[:14])),
    led=st.sampled_from([None, "3", "44", "555", "34567", "3333"]),
    number=st.integers(0, 10_000),
    partner=st.booleans(),
)
def test_whatever_they_choose_is_legal(
    ruleset_id: str, cards: tuple[str, ...], led: str | None, number: int, partner: bool
) -> None:
    engine = tables(ruleset_id)
    lead: Reading | None = read(ruleset_id, led) if led else None
    for chosen in (
        random_choice(engine, cards, lead, lambda below: number % below),
        greedy_choice(engine, cards, lead, partner_leads=partner, opponents_left=number % 28),
    ):
        if chosen is None:
            assert lead is not None
        else:
            assert engine.read(counts_of(chosen), lead)
            assert not set(chosen) - set(cards)
