"""Laws that whole random matches keep, in every ruleset."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.climbing import rulesets
from domain.climbing.scoring import expected_sum
from domain.hands import all_rulesets
from domain.simulate import simulate
from domain.table import Table, evolve, replay
from domain.trumps.hand import Hand
from schemas.envelope import read_line
from schemas.events import ContributionScored, Finished, HandScored, HandStarted, Played, SeedRevealed
from schemas.notation import PACK
from schemas.trumps import CardsPlayed, KittyBuried, KittyTaken

CLIMBING = [ruleset.id for ruleset in rulesets.all_rulesets()]
RULESETS = [ruleset.id for ruleset in all_rulesets()]
SEEDS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
SOME = settings(max_examples=15)


@pytest.mark.parametrize("ruleset", RULESETS)
@SOME
@given(seed=SEEDS)
def test_cards_are_conserved_at_every_event(ruleset: str, seed: str) -> None:
    """What is held, was played, lies in the kitty or is not dealt yet are always the two packs."""
    table: Table | None = None
    gone: Counter[str] = Counter()
    for recorded in simulate(ruleset, 2, seed):
        table = evolve(table, recorded)
        match recorded.event:
            case HandStarted():
                gone.clear()
            case Played(cards=cards) | CardsPlayed(cards=cards) | KittyBuried(cards=cards):
                gone.update(cards)
            case KittyTaken(cards=cards):
                gone.subtract(cards if table.hand and gone.total() else ())
            case _:
                pass
        if table.hand is not None:
            here = Counter(card for holding in table.hand.holdings for card in holding) + gone
            assert here <= Counter(PACK)
            assert here.total() == dealt(table)


def dealt(table: Table) -> int:
    """How many cards must be somewhere: those dealt, and the kitty once it was taken."""
    hand = table.hand
    if isinstance(hand, Hand):
        return hand.dealt + (8 if hand.kitty is not None else 0)
    return len(PACK) if hand is not None and hand.dealt else 0


@pytest.mark.parametrize("ruleset", CLIMBING)
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
