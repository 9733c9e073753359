"""Rooms and streams by themselves: looking back, and clients that are too slow."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from starlette.types import Message

from domain.simulate import simulate
from domain.table import Table, evolve
from schemas.envelope import Recorded
from services.eventstore.errors import BrokenLog
from services.tables import streams
from services.tables.room import BOOKMARK, RECENT, Room
from services.tables.streams import BEHIND, EventStream


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


class Client:
    """A client that accepts messages only while `open` is set."""

    def __init__(self) -> None:
        self.open, self.got = asyncio.Event(), b""
        self.more = asyncio.Event()

    async def send(self, message: Message) -> None:
        self.got += message.get("body", b"")
        self.more.set()
        await self.open.wait()

    async def until(self, text: bytes, times: int = 1) -> None:
        """Wait until it got a text so many times."""
        while self.got.count(text) < times:
            self.more.clear()
            await self.more.wait()

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}


async def follow(room: Room, client: Client, after: int | None, stopping: Callable[[], bool] = lambda: False) -> Any:
    return asyncio.create_task(
        EventStream(room, lambda _: "spectator", after, stopping)({"type": "http"}, client.receive, client.send)
    )


async def test_a_client_that_falls_behind_is_let_go_and_told_so() -> None:
    room, client = room_of(10), Client()
    client.open.set()
    following = await follow(room, client, None)
    await client.until(b"snapshot")
    client.open.clear()
    room.merge(match()[10:11], 11)
    await client.until(b"id: 11\n")
    room.merge(match()[11 : 12 + BEHIND], 12 + BEHIND)
    client.open.set()
    await following
    assert client.got.rstrip().splitlines()[-2] == b"event: too-slow"
    assert client.got.count(b"id: ") == 2
    assert not room.listeners


async def test_much_to_catch_up_with_is_not_being_slow() -> None:
    room, client = room_of(len(match())), Client()
    client.open.set()
    await (await follow(room, client, 0))
    ids = [int(line[4:]) for line in client.got.splitlines() if line.startswith(b"id: ")]
    assert ids == list(range(1, len(match()) + 1))
    assert b"too-slow" not in client.got


async def test_a_quiet_stream_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comment is no message: it has no empty line after it."""
    monkeypatch.setattr(streams, "HEARTBEAT", 0.01)
    room, client, stop = room_of(10), Client(), asyncio.Event()
    client.open.set()
    following = await follow(room, client, 10, stop.is_set)
    await client.until(b": still here\n", 3)
    stop.set()
    room.wake()
    await following
    assert b"\n\n" not in client.got
