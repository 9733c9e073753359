"""Laws that whole random matches keep, in every ruleset."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.climbing import rulesets
from domain.climbing.scoring import expected_sum
from domain.simulate import simulate
from domain.table import Table, evolve, replay
from schemas.envelope import read_line
from schemas.events import ContributionScored, Finished, HandScored, HandStarted, Played, SeedRevealed
from schemas.notation import PACK

RULESETS = [ruleset.id for ruleset in rulesets.all_rulesets()]
SEEDS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
SOME = settings(max_examples=15)


@pytest.mark.parametrize("ruleset", RULESETS)
@SOME
@given(seed=SEEDS)
def test_cards_are_conserved_at_every_event(ruleset: str, seed: str) -> None:
    """What is held and what was played are always the two packs."""
    table: Table | None = None
    played: Counter[str] = Counter()
    for recorded in simulate(ruleset, 2, seed):
        table = evolve(table, recorded)
        if isinstance(recorded.event, HandStarted):
            played.clear()
        elif isinstance(recorded.event, Played):
            played.update(recorded.event.cards)
        if table.hand and table.hand.dealt:
            held = Counter(card for holding in table.hand.holdings for card in holding)
            assert held + played == Counter(PACK)


@pytest.mark.parametrize("ruleset", RULESETS)
@SOME
@given(seed=SEEDS)
def test_every_hand_ends_with_a_finish_order_and_a_score_that_adds_up(ruleset: str, seed: str) -> None:
    rules = rulesets.get(ruleset)
    given_at_once = [0, 0, 0, 0]
    out: list[int] = []
    ended = 0
    for recorded in simulate(ruleset, 2, seed):
        event = recorded.event
        if isinstance(event, HandStarted):
            given_at_once, out = [0, 0, 0, 0], []
        elif isinstance(event, ContributionScored):
            assert sum(event.points) == 0
            given_at_once = [a + b for a, b in zip(given_at_once, event.points, strict=True)]
        elif isinstance(event, Finished):
            out.append(event.seat)
            assert event.position == len(out)
        elif isinstance(event, HandScored):
            ended += 1
            assert sorted(event.finish) == [0, 1, 2, 3]
            assert list(event.finish[: len(out)]) == out
            assert given_at_once == list(event.contribution)
            assert sum(event.score) == expected_sum(rules, event.outcome, event.multiplier)
            assert list(event.score) == [
                base * event.multiplier + more for base, more in zip(event.base, event.contribution, strict=True)
            ]
    assert ended == 2


@pytest.mark.parametrize("ruleset", RULESETS)
@SOME
@given(seed=SEEDS, data=st.data())
def test_a_replay_from_the_stored_lines_equals_the_live_table_at_every_version(
    ruleset: str, seed: str, data: st.DataObject
) -> None:
    live: list[Table] = []
    lines: list[bytes] = []
    for recorded in simulate(ruleset, 1, seed):
        live.append(evolve(live[-1] if live else None, recorded))
        lines.append(recorded.line)
    version = data.draw(st.integers(1, len(lines)))
    assert replay(map(read_line, lines[:version])) == live[version - 1]


@pytest.mark.parametrize("ruleset", RULESETS)
@SOME
@given(seed=SEEDS)
def test_the_seed_of_a_hand_stays_secret_until_it_is_over(ruleset: str, seed: str) -> None:
    """No byte of the record before the reveal holds the seed."""
    lines: list[bytes] = []
    for recorded in simulate(ruleset, 2, seed):
        if isinstance(recorded.event, SeedRevealed):
            assert not any(recorded.event.seed.encode() in line for line in lines)
        lines.append(recorded.line)
