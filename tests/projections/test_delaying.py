"""Who looks late sees all hands, but nothing of the last K events; or nothing of a hand until it is over."""

from collections.abc import Sequence
from functools import cache
from typing import Literal

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.hands import all_rulesets
from domain.simulate import simulate
from domain.table import OVER, Table, evolve
from projections.delaying import calm_after, visible_version
from projections.viewing import event_for, view_for
from schemas.envelope import Recorded
from schemas.events import Dealt, HandStarted
from schemas.trumps import CardsDealt
from tests.kit.late import opened_with
from tests.projections.test_viewing import other_world

RULESETS = [ruleset.id for ruleset in all_rulesets()]
Delay = int | Literal["hand"]
DELAYS: st.SearchStrategy[Delay] = st.one_of(st.integers(1, 60), st.just(10_000), st.just("hand"))


@cache
def match(ruleset: str, seed: int, delayed: Delay | None) -> list[Recorded]:
    return opened_with(simulate(ruleset, 2, f"late {seed}"), delayed=delayed)


def heads(recorded: Sequence[Recorded]) -> list[tuple[Table, int]]:
    """The table after each event, and how far who looks late may see then."""
    table: Table | None = None
    calm, found = 0, []
    for each in recorded:
        table = evolve(table, each)
        calm = calm_after(calm, table)
        found.append((table, visible_version(table, calm)))
    return found


def sent(recorded: Sequence[Recorded]) -> list[bytes]:
    """Everything that a late viewer was sent by the time of the last of these events."""
    tables = heads(recorded)
    seen = tables[-1][1]
    return [
        orjson.dumps(event_for(table, each, "delayed")) + view_for(table, "delayed").model_dump_json().encode()
        for (table, _), each in zip(tables[:seen], recorded[:seen], strict=True)
    ]


@settings(max_examples=40)
@given(ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 20), delayed=DELAYS)
def test_it_never_goes_back_and_is_never_ahead(ruleset: str, seed: int, delayed: Delay) -> None:
    before = 0
    for table, visible in heads(match(ruleset, seed, delayed)):
        assert before <= visible <= table.version
        assert visible == table.version or table.playing, "nothing is hidden while no hand is played"
        before = visible


@settings(max_examples=40)
@given(
    ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 20), delayed=DELAYS, cut=st.floats(0, 1, exclude_max=True)
)
def test_nothing_of_the_last_events_of_a_hand_is_seen(ruleset: str, seed: int, delayed: Delay, cut: float) -> None:
    """Told by the events alone: where the hand began, and whether it is over."""
    played = match(ruleset, seed, delayed)
    head = 1 + int(cut * len(played))
    began = max((each.version for each in played[:head] if isinstance(each.event, HandStarted)), default=None)
    over = max((each.version for each in played[:head] if isinstance(each.event, OVER)), default=0)
    if began is None or over > began:
        return
    delay = 10**6 if delayed == "hand" else delayed
    seen = heads(played[:head])[-1][1]
    assert seen == max(began - 1, head - delay)


@settings(max_examples=40)
@given(ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 20), delay=st.integers(1, 60), cut=st.floats(0, 1))
def test_no_card_dealt_in_the_last_events_is_sent(ruleset: str, seed: int, delay: int, cut: float) -> None:
    """Every card in a late view of the running hand was dealt at least K events ago."""
    played = match(ruleset, seed, delay)
    head = 1 + int(cut * (len(played) - 1))
    table = heads(played[:head])[-1][0]
    if not table.playing or table.hand is None:
        return
    dealt = sum(
        sum(map(len, each.event.holdings)) if isinstance(each.event, Dealt) else len(each.event.cards)
        for each in played[: max(head - delay, 0)]
        if isinstance(each.event, Dealt | CardsDealt) and each.event.hand == table.hands
    )
    views = [orjson.loads(line[line.index(b'}{"table"') + 1 :]) for line in sent(played[:head])]
    shown = [
        sum(len(seat["holding"] or ()) for seat in view["seats"])
        for view in views
        if view["hand"] is not None and view["hand"]["number"] == table.hands
    ]
    assert max(shown, default=0) <= dealt + 8 * bool(dealt), "with the kitty, which its taker holds for a while"


@settings(max_examples=40)
@given(
    ruleset=st.sampled_from([each for each in RULESETS if each != "ningxia"]),
    seed=st.integers(0, 20),
    cut=st.floats(0, 1, exclude_max=True),
    otherwise=st.integers(0, 10**6),
)
def test_until_the_hand_is_over_it_may_have_been_dealt_otherwise(
    ruleset: str, seed: int, cut: float, otherwise: int
) -> None:
    """Two hands that differ only in cards nobody has seen: with `hand`, a late viewer gets the same bytes."""
    played = match(ruleset, seed, "hand")
    first = next(index for index, each in enumerate(played) if isinstance(each.event, Dealt))
    last = next(index for index, each in enumerate(played) if isinstance(each.event, OVER))
    prefix = played[: first + 1 + int(cut * (last - first - 1))]
    other = other_world(prefix, "spectator", otherwise)
    assert sent(other) == sent(prefix)


@settings(max_examples=40)
@given(ruleset=st.sampled_from(RULESETS), seed=st.integers(0, 20), delay=st.integers(1, 60), cut=st.floats(0, 1))
def test_what_was_sent_follows_from_what_is_old_enough(ruleset: str, seed: int, delay: int, cut: float) -> None:
    """A table that stopped K events ago, seen by an auditor, holds all that a late viewer knows."""
    played = match(ruleset, seed, delay)
    head = 1 + int(cut * (len(played) - 1))
    if not heads(played[:head])[-1][0].playing:
        return
    known = sent(played[:head])
    began = max(each.version for each in played[:head] if isinstance(each.event, HandStarted))
    old = played[: max(head - delay, began - 1)]
    tables = [table for table, _ in heads(old)]
    assert known == [
        orjson.dumps(event_for(table, each, "auditor"))
        + view_for(table, "auditor").model_dump_json().encode().replace(b'"viewer":"auditor"', b'"viewer":"delayed"')
        for table, each in zip(tables, old, strict=True)
    ]


def test_a_table_without_the_option_shows_nothing_late() -> None:
    for table, visible in heads(match("basic", 0, None)):
        assert not table.playing or visible < table.version


@pytest.mark.parametrize("delayed", [1, 5, "hand"])
def test_when_the_hand_is_over_all_of_it_is_seen(delayed: Delay) -> None:
    played = match("huopin", 1, delayed)
    over = next(each.version for each in played if isinstance(each.event, OVER))
    assert heads(played[: over - 1])[-1][1] == (over - 1 - delayed if delayed != "hand" else 5)
    assert heads(played[:over])[-1][1] == over
