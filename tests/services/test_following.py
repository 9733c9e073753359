"""Following a room by itself, without a network: who is too slow, who only has much to read, and who looks late."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import pytest

from domain.simulate import simulate
from schemas.envelope import Recorded
from schemas.events import HandScored, HandStarted
from services.tables import following
from services.tables.following import BEHIND, End, Follower, Framing
from services.tables.pipes import Pipe
from services.tables.room import Room
from services.tables.showing import LATE, Sight
from tests.kit.late import opened_with

SPECTATOR = Sight(lambda _: "spectator", "spectator")
PLAIN = Framing(lambda message: b"%d " % message.id, b"hello ", b"beat ")


class Plain(Pipe):
    """A pipe without a system's buffers."""

    def narrow(self) -> None:
        """There is nothing to do."""


class Client(asyncio.Transport):
    """A connection that is full when nobody reads at the other end: whatever is written while `open` is not set fills it."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.more, self.got = asyncio.Event(), asyncio.Event(), b""
        self.open.set()
        self.pipe = Plain(self, lambda: not self.open.is_set(), self.open.wait)

    def write(self, data: Any) -> None:
        self.got += data
        self.more.set()

    def is_closing(self) -> bool:
        return False

    @property
    def ids(self) -> list[int]:
        return [int(word) for word in self.got.split() if word.isdigit()]

    async def until(self, text: bytes, times: int = 1) -> None:
        """Wait until it got a text so many times."""
        while self.got.count(text) < times:
            self.more.clear()
            await self.more.wait()


@cache
def match(delayed: int | Literal["hand"] | None = None) -> tuple[Recorded, ...]:
    """A match of some hands, at a table with this option."""
    return tuple(opened_with(simulate("basic", 4, "follow"), delayed=delayed))


def room_of(number: int) -> Room:
    room = Room(match()[0].table)
    room.merge(match()[:number], number)
    return room


def follow(
    room: Room,
    client: Client,
    after: int | None,
    sight: Sight = SPECTATOR,
    stopping: Callable[[], bool] = lambda: False,
) -> "asyncio.Task[End]":
    return asyncio.create_task(Follower(room, sight, after, client.pipe, PLAIN, stopping).run())


async def resting() -> None:
    """Let a follower come to rest that has sent everything."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_client_that_falls_behind_is_let_go_and_told_so() -> None:
    room, client = room_of(10), Client()
    ending = follow(room, client, None)
    await client.until(b"10 ")
    await resting()
    room.merge(match()[10:11], 11)
    await client.until(b"11 ")
    client.open.clear()  # it reads no more
    room.merge(match()[11:12], 12)
    room.merge(match()[12 : 12 + BEHIND], 12 + BEHIND)
    assert await ending is End.SLOW
    assert client.got == b"hello 10 11 "
    assert not room.listeners


async def test_whoever_brought_an_event_is_answered_before_it_is_told() -> None:
    room, client = room_of(10), Client()
    ending = follow(room, client, 10)
    await client.until(b"hello")
    await resting()
    room.merge(match()[10:12], 12)
    room.merge(match()[12:13], 13)
    assert client.ids == []
    await asyncio.sleep(0)
    assert client.ids == [11, 12, 13]
    client.pipe.end()
    assert await ending is End.GONE


async def test_a_crowd_is_told_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that others have their turn."""
    monkeypatch.setattr("services.tables.room.CROWD", 2)
    room, clients = room_of(10), [Client() for _ in range(5)]
    endings = [follow(room, client, 10) for client in clients]
    await resting()
    room.merge(match()[10:11], 11)
    for told in (2, 4, 5):
        await asyncio.sleep(0)
        assert sum(client.ids == [11] for client in clients) == told
    for client in clients:
        client.pipe.end()
    await asyncio.gather(*endings)


async def test_a_client_that_is_full_for_a_while_misses_nothing() -> None:
    room, client = room_of(10), Client()
    ending = follow(room, client, 10)
    await client.until(b"hello")
    for number in range(10, 200):
        if number % 20 == 0:
            client.open.clear()
        if number % 20 == 15:
            client.open.set()
        room.merge(match()[number : number + 1], number + 1)
        if number % 3 == 0:
            await asyncio.sleep(0)
    client.open.set()
    await client.until(b"200 ")
    assert client.ids == list(range(11, 201))
    client.pipe.end()
    assert await ending is End.GONE


async def test_much_to_catch_up_with_is_not_being_slow() -> None:
    room, client = room_of(len(match())), Client()
    assert await follow(room, client, 0) is End.OVER
    assert client.ids == list(range(1, len(match()) + 1))
    assert len(match()) > BEHIND


async def test_much_at_once_is_not_being_slow() -> None:
    """As when the store was away, or a hand is over that is shown late."""
    room, client = room_of(10), Client()
    ending = follow(room, client, 10)
    await client.until(b"hello")
    room.merge(match()[10:], len(match()))
    assert await ending is End.OVER
    assert client.ids == list(range(11, len(match()) + 1))


async def test_a_client_that_never_takes_anything_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "PATIENCE", 0.01)
    room, client = room_of(10), Client()
    client.open.clear()
    assert await follow(room, client, None) is End.SLOW


async def test_a_quiet_stream_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "HEARTBEAT", 0.01)
    room, client, stop = room_of(10), Client(), asyncio.Event()
    ending = follow(room, client, 10, stopping=stop.is_set)
    await client.until(b"beat ", 3)
    stop.set()
    room.wake()
    assert await ending is End.STOPPING
    assert client.ids == []


async def test_a_fault_of_the_record_ends_it_after_what_is_good() -> None:
    room, client = room_of(10), Client()
    ending = follow(room, client, 5)
    with pytest.raises(Exception, match="cannot be continued"):
        room.broken("for this test")
    assert await ending is End.FAULT
    assert client.ids == [6, 7, 8, 9, 10]


async def test_who_looks_late_gets_an_event_when_so_many_more_have_happened() -> None:
    played = match(5)
    began = next(each.version for each in played if isinstance(each.event, HandStarted))
    over = next(each.version for each in played if isinstance(each.event, HandScored))
    room, client = Room(played[0].table), Client()
    room.merge(played[: began - 1], began - 1)
    ending = follow(room, client, None, LATE)
    await client.until(b"%d " % (began - 1))
    await resting()
    for each in played[began - 1 : over - 1]:
        room.merge((each,), each.version)
        await asyncio.sleep(0)
        assert client.ids[-1] == max(began - 1, each.version - 5)
    room.merge(played[over - 1 : over], over)
    await client.until(b"%d " % over)
    assert client.ids == list(range(began - 1, over + 1))
    client.pipe.end()
    await ending


async def test_who_looks_late_at_whole_hands_gets_all_of_it_at_its_end() -> None:
    played = match("hand")
    over = next(each.version for each in played if isinstance(each.event, HandScored))
    room, client = Room(played[0].table), Client()
    room.merge(played[:20], 20)
    ending = follow(room, client, 0, LATE)
    await client.until(b"5 ")
    for each in played[20 : over - 1]:
        room.merge((each,), each.version)
        await asyncio.sleep(0)
    assert client.ids == [1, 2, 3, 4, 5]
    room.merge(played[over - 1 :], len(played))
    assert await ending is End.OVER
    assert client.ids == list(range(1, len(played) + 1))
