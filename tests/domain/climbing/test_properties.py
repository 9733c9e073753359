"""The tables against a slow reader written straight from the rules, and the laws that every ruleset keeps."""

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.cards import counts_of, counts_of_ranks, pick, present
from domain.climbing.strength import beats, strength
from schemas.notation import PACK, RANKS, rank_of
from tests.domain.climbing import reference
from tests.domain.climbing.kit import IDS, plays, short, tables

each_ruleset = pytest.mark.parametrize("ruleset_id", IDS)


@each_ruleset
@given(play=plays().filter(bool), lead=plays().filter(bool))
def test_c3_the_tables_agree_with_the_slow_reader(
    ruleset_id: str, play: tuple[str, ...], lead: tuple[str, ...]
) -> None:
    engine = tables(ruleset_id)
    counts = counts_of_ranks(play)
    meanings = reference.meanings(ruleset_id, play)
    assert {short(reading) for reading in engine.readings(counts)} == meanings
    leading = engine.read(counts, None)
    assert (leading and short(leading)) == reference.read(ruleset_id, play, None)
    against = engine.read(counts_of_ranks(lead), None)
    if against:
        expected = reference.read(ruleset_id, play, short(against))
        following = engine.read(counts, against)
        assert (following and short(following)) == expected
        assert engine.read_reason(counts, against) == (
            None if expected else "does_not_beat" if meanings else "no_pattern"
        )


@each_ruleset
@given(play=plays().filter(bool))
def test_c3_8_what_wildcards_stand_for_makes_the_reading(ruleset_id: str, play: tuple[str, ...]) -> None:
    """Put what the wildcards stood for in their place and the slow reader finds the same reading among natural cards."""
    for reading in tables(ruleset_id).readings(counts_of_ranks(play)):
        if not reading.stands_for or all(rank in ("LJ", "BJ") for rank in play):
            continue
        wild = sorted((rank for rank in play if rank in reference.WILD[ruleset_id]), reverse=True)
        kept = wild[: len(wild) - len(reading.stands_for)]
        fixed = [rank for rank in play if rank not in reference.WILD[ruleset_id]]
        replaced = Counter([*fixed, *kept, *reading.stands_for])
        assert short(reading) in set(reference.natural(ruleset_id, replaced))
        assert list(reading.stands_for) == sorted(reading.stands_for, key=RANKS.index)


@each_ruleset
@settings(max_examples=25)
@given(data=st.data())
def test_c3_options_are_the_legal_subsets_of_a_holding(ruleset_id: str, data: st.DataObject) -> None:
    """Trying every subset of ranks: each legal one is an option exactly once, with the reading that holds, weakest first."""
    engine = tables(ruleset_id)
    ranks = data.draw(plays().map(lambda play: play[:11]))
    lead_cards = data.draw(st.none() | plays().filter(bool))
    lead = engine.read(counts_of_ranks(lead_cards), None) if lead_cards else None
    holding = counts_of_ranks(ranks)
    subsets = product(*(range(number + 1) for _, number in present(holding)))
    every = (
        counts_of_ranks(
            RANKS[rank] for (rank, _), number in zip(present(holding), subset, strict=True) for _ in range(number)
        )
        for subset in subsets
    )
    legal = {counts: reading for counts in every if counts and (reading := engine.read(counts, lead))}
    options = engine.options(holding, lead)
    assert len(options) == len({option.counts for option in options})
    assert {option.counts: option.reading for option in options} == legal
    for weaker, stronger in pairwise(options):
        assert not beats(engine.ruleset, weaker.reading, stronger.reading)
    assert sorted(engine.hints(holding, lead)) == sorted(options)


@each_ruleset
@settings(max_examples=15)
@given(cards=st.permutations(PACK).map(lambda pack: pack[:27]))
def test_c1_3_order_and_suits_do_not_matter(ruleset_id: str, cards: list[str]) -> None:
    """Every option of a full holding can be picked from it, in any order and suit, and reads the same."""
    engine = tables(ruleset_id)
    for option in engine.options(counts_of(cards), None)[::7]:
        picked = pick(cards, option.counts)
        other = pick(cards[::-1], option.counts)
        assert sorted(map(rank_of, picked)) == sorted(map(rank_of, other))
        assert engine.read(counts_of(picked), None) == engine.read(counts_of(other[::-1]), None) == option.reading


@each_ruleset
@given(several=st.lists(plays().filter(bool), min_size=3, max_size=12))
def test_c4_bombs_are_in_a_strict_total_order(ruleset_id: str, several: list[tuple[str, ...]]) -> None:
    """Of two different bombs one beats the other, never both; the order is that of the rules."""
    engine = tables(ruleset_id)
    bombs = [reading for play in several for reading in engine.readings(counts_of_ranks(play)) if reading.is_bomb]
    for one, other in product(bombs, bombs):
        assert beats(engine.ruleset, one, other) == (strength(engine.ruleset, one) > strength(engine.ruleset, other))
        expected = reference.bomb_order(ruleset_id, short(one)) > reference.bomb_order(ruleset_id, short(other) or ())
        assert beats(engine.ruleset, one, other) == expected


@each_ruleset
@given(play=plays().filter(bool))
def test_every_reading_has_an_example(ruleset_id: str, play: tuple[str, ...]) -> None:
    engine = tables(ruleset_id)
    assert all(engine.is_reading(reading) for reading in engine.readings(counts_of_ranks(play)))
