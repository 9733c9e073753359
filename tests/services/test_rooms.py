"""Rooms by themselves: looking back, and what comes twice or wrong."""

from functools import cache

import pytest

from domain.simulate import simulate
from domain.table import Table, evolve
from schemas.envelope import Recorded
from services.eventstore.errors import BrokenLog
from services.tables.room import BOOKMARK, RECENT, Room


@cache
def match() -> tuple[Recorded, ...]:
    return tuple(simulate("basic", 4, "rooms"))


def room_of(number: int) -> Room:
    room = Room(match()[0].table)
    room.merge(match()[:number], number)
    return room


def test_a_look_back_gives_every_state_as_it_was() -> None:
    """From the recent ones, from a bookmark and from the beginning alike."""
    states: list[Table] = []
    for recorded in match():
        states.append(evolve(states[-1] if states else None, recorded))
    assert len(states) > RECENT + 3 * BOOKMARK
    room = room_of(len(states))
    for first, last in ((1, len(states)), (1, 1), (BOOKMARK, BOOKMARK + 1), (len(states) - RECENT, len(states))):
        assert [step.table for step in room.steps(first, last)] == states[first - 1 : last]
    for version in range(1, len(states) + 1, 17):
        assert room.at(version) == states[version - 1]


def test_events_may_come_twice_and_from_two_sides() -> None:
    room = room_of(20)
    room.merge(match()[10:30], 30)
    room.merge(match()[:25], 25)
    assert (room.version, room.head.sequence) == (30, 30)
    room.merge(match()[35:], 99)
    assert room.version == 30, "an event that does not follow yet is not taken"


def test_a_broken_record_closes_the_room_and_says_where() -> None:
    room = room_of(20)
    wrong = match()[20]
    broken = Recorded(
        wrong.table, wrong.version, wrong.time, wrong.command, "f" * 64, wrong.event, wrong.line, wrong.hash
    )
    with pytest.raises(BrokenLog, match=f"{wrong.table}:21 is not chained"):
        room.merge((broken,), 21)
    with pytest.raises(BrokenLog):
        room.merge((match()[20],), 21)
    assert room.version == 20
