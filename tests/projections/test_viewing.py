"""Hidden cards never leave early (C5.7): two hands that differ only in cards a viewer has not seen look the same, byte for byte."""

import random
from collections.abc import Sequence

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.climbing.hand import Hand
from domain.climbing.rulesets import all_rulesets, get
from domain.seats import SEATS, partner_of
from domain.simulate import simulate
from domain.table import Table, evolve, refusal
from projections.viewing import ALL_SEEING, event_for, view_for
from schemas.canonical import GENESIS
from schemas.commands import Bury, Counter, Declare, Decline, Pass, Play
from schemas.envelope import Recorded, record
from schemas.events import Dealt, HandScored, SeatsSwapped
from schemas.notation import ORDER, PACK
from schemas.views import VIEWERS, Viewer

RULESETS = [ruleset.id for ruleset in all_rulesets()]
OUTSIDE = ("spectator", *ALL_SEEING)
"""Viewers who have no seat."""


def states(recorded: Sequence[Recorded]) -> list[Table]:
    tables: list[Table] = []
    for each in recorded:
        tables.append(evolve(tables[-1] if tables else None, each))
    return tables


def seen(recorded: Sequence[Recorded], viewer: Viewer) -> list[bytes]:
    """All that a viewer who sits on this seat at the end is sent: every event and the view after it.

    Players keep their own eyes when seats are swapped.
    """
    tables = states(recorded)
    player = None if viewer in OUTSIDE else tables[-1].players[int(viewer)]
    sent = []
    for table, each in zip(tables, recorded, strict=True):
        eyes = viewer
        if player is not None:
            seat = table.seat_of(player)
            eyes = "spectator" if seat is None else VIEWERS[seat]
        sent.append(orjson.dumps(event_for(table, each, eyes)))
        sent.append(view_for(table, eyes).model_dump_json().encode())
    return sent


def other_world(recorded: Sequence[Recorded], viewer: Viewer, seed: int) -> list[Recorded]:
    """The same hand dealt otherwise, where this viewer cannot know: cards that hidden seats still hold change hands among them."""
    table = states(recorded)[-1]
    hand = table.hand
    assert isinstance(hand, Hand)
    assert hand.dealt is not None
    own = set(SEATS) if viewer in ALL_SEEING else set() if viewer == "spectator" else {int(viewer)}
    if own and get(table.ruleset).open_partner_hands:
        own |= {partner_of(seat) for seat in own}
    public = hand.dealt.face_up.card if hand.dealt.face_up else None
    places = [
        (seat, index)
        for seat in SEATS
        if seat not in own
        for index, card in enumerate(hand.holdings[seat])
        if card != public
    ]
    cards = [hand.holdings[seat][index] for seat, index in places]
    random.Random(seed).shuffle(cards)
    held = [list(holding) for holding in hand.holdings]
    for (seat, index), card in zip(places, cards, strict=True):
        held[seat][index] = card
    return dealt_again(recorded, {player: held[seat] for seat, player in enumerate(hand.players)}, table)


def dealt_again(recorded: Sequence[Recorded], held: dict[str, list[str]], table: Table) -> list[Recorded]:
    assert isinstance(table.hand, Hand)
    assert table.hand.dealt is not None
    swapped = table.hand.players != table.hand.seated
    dealt = table.hand.dealt
    new = []
    for seat, player in enumerate(table.hand.seated):
        now = table.hand.players.index(player) if swapped else seat
        gone = list(dealt.holdings[seat])
        for card in table.hand.holdings[now]:
            gone.remove(card)
        new.append(tuple(sorted([*gone, *held[player]], key=ORDER.__getitem__)))
    again: list[Recorded] = []
    for each in recorded:
        event = each.event
        if isinstance(event, Dealt):
            event = event.model_copy(update={"holdings": tuple(new)})
        prev = again[-1].hash if again else GENESIS
        again.append(record(each.table, each.version, prev, each.time, each.command, event))
    return again


@pytest.mark.parametrize("ruleset", RULESETS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    cut=st.floats(0, 1, exclude_max=True),
    viewer=st.sampled_from(VIEWERS),
    otherwise=st.integers(0, 10**6),
)
def test_hands_that_differ_in_unseen_cards_look_the_same(
    ruleset: str, seed: int, cut: float, viewer: Viewer, otherwise: int
) -> None:
    match = list(simulate(ruleset, 1, f"leak {seed}"))
    first = next(index for index, each in enumerate(match) if isinstance(each.event, Dealt))
    if isinstance(match[first + 1].event, SeatsSwapped):
        first += 1
    last = next(index for index, each in enumerate(match) if isinstance(each.event, HandScored))
    prefix = match[: first + 1 + int(cut * (last - first))]
    other = other_world(prefix, viewer, otherwise)
    assert seen(other, viewer) == seen(prefix, viewer)
    assert told(other, viewer, otherwise) == told(prefix, viewer, otherwise)


def told(recorded: Sequence[Recorded], viewer: Viewer, seed: int) -> list[object]:
    """What a player is told who tries all kinds of things: allowed, or which rule says no and in which words."""
    if viewer in OUTSIDE:
        return []
    table, chance, seat = states(recorded)[-1], random.Random(seed), int(viewer)
    held = table.hand.holdings[seat] if table.hand else ()
    answers: list[object] = []
    for size in (0, 1, 1, 2, 2, 3, 5, 8):
        for cards in (chance.sample(held, min(size, len(held))), chance.sample(PACK, size)):
            answers += [refusal(table, kind(seat, tuple(cards))) for kind in (Play, Declare, Bury, Counter)]
    return [*answers, refusal(table, Pass(seat)), refusal(table, Decline(seat))]


def test_the_law_above_would_find_a_leak() -> None:
    """The other world differs: an auditor, who sees everything, can tell the two apart."""
    match = list(simulate("huopin", 1, "control"))[:20]
    other = other_world(match, "spectator", 1)
    assert seen(other, "spectator") == seen(match, "spectator")
    assert seen(other, "auditor") != seen(match, "auditor")


def test_c5_7_partners_see_each_other_only_once_they_are_partners() -> None:
    """Between the deal and the change of seats another sits opposite; nobody's cards are shown then."""
    found = 0
    for seed in range(40):
        match = list(simulate("jj", 1, f"swap {seed}"))
        tables = states(match)
        at = next((index for index, each in enumerate(match) if isinstance(each.event, SeatsSwapped)), None)
        if at is None:
            continue
        found += 1
        for seat in SEATS:
            before, after = view_for(tables[at - 1], VIEWERS[seat]), view_for(tables[at], VIEWERS[seat])
            assert [each.holding is not None for each in before.seats] == [each == seat for each in SEATS]
            assert [each.holding is not None for each in after.seats] == [each % 2 == seat % 2 for each in SEATS]
            dealt = event_for(tables[at - 1], match[at - 1], VIEWERS[seat])["data"]["holdings"]
            assert [holding is not None for holding in dealt] == [each == seat for each in SEATS]
    assert found
