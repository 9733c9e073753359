"""What must hold when the server dies, restarts or is not there: nothing acknowledged is lost, nothing is recorded twice or late."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
import uvloop
from eventsourcing.persistence import IntegrityError, OperationalError, StoredEvent

from services.eventstore.core import Conflict, Head, JetStreamStore, NewEvent, StoredRecord, Unavailable
from services.eventstore.factory import JetStreamFactory
from services.eventstore.server import EmbeddedServer
from tests.kit.nats import freeze, thaw

NEW = Head(0, 0)


@pytest.fixture
async def store(own_nats_server: EmbeddedServer) -> AsyncIterator[JetStreamStore]:
    opened = await JetStreamStore.connect(own_nats_server.url)
    yield opened
    await opened.close()


async def everything(store: JetStreamStore, after: int = 0) -> list[StoredRecord]:
    return [record async for records in store.tail(after, live=False) for record in records]


async def disconnected(store: JetStreamStore) -> None:
    gone = asyncio.Event()
    store.link.drops.add(gone.set)
    if store.link.connected:
        await gone.wait()


async def restart(server: EmbeddedServer, *, kill: bool, down: float = 0.0) -> None:
    await asyncio.to_thread(server.kill if kill else server.stop)
    await asyncio.sleep(down)
    await asyncio.to_thread(server.start)


async def test_with_nats_down_an_append_fails_at_once_and_is_not_recorded_later(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    """No ghost writes: what was refused while disconnected does not turn up after the reconnect."""
    head = await store.append("a", NEW, [NewEvent("t", b"1")])
    await asyncio.to_thread(own_nats_server.stop)
    await disconnected(store)
    for _ in range(5):
        async with asyncio.timeout(0.5):
            with pytest.raises(Unavailable, match="nothing was recorded") as refused:
                await store.append("a", head, [NewEvent("t", b"ghost")])
        assert not refused.value.unknown
    with pytest.raises(Unavailable):
        await store.append("b", NEW, [NewEvent("t", b"ghost"), NewEvent("t", b"ghost")])
    with pytest.raises(Unavailable):
        await store.read("a")
    await asyncio.to_thread(own_nats_server.start)
    assert await store.link.wait_back(5)
    assert await store.append("a", head, [NewEvent("t", b"2")]) == Head(2, 2)
    assert [record.data for record in await everything(store)] == [b"1", b"2"]


async def test_nobody_at_the_address_is_said_in_time() -> None:
    with pytest.raises(Unavailable, match=r"no answer from nats://127\.0\.0\.1:9 in 0\.3 s"):
        await JetStreamStore.connect("nats://127.0.0.1:9", within=0.3)


async def test_an_append_cut_off_by_a_crash_is_settled_when_the_server_is_back(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    """Its outcome is unknown at first: the same call finds out, and the event is there exactly once."""
    head = await store.append("a", NEW, [NewEvent("t", b"1")])
    freeze(own_nats_server)
    appending = asyncio.create_task(store.append("a", head, [NewEvent("t", b"2")], within=10))
    await asyncio.sleep(0.1)
    await restart(own_nats_server, kill=True)
    assert (await appending).version == 2
    assert [record.data for record in await everything(store)] == [b"1", b"2"]


async def test_an_append_without_an_answer_says_that_its_outcome_is_unknown(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    head = await store.append("a", NEW, [NewEvent("t", b"1")])
    freeze(own_nats_server)
    with pytest.raises(Unavailable, match="may or may not") as lost:
        await store.append("a", head, [NewEvent("t", b"2")], within=0.3)
    assert lost.value.unknown
    thaw(own_nats_server)  # now it lands, late
    repeated = await store.append("a", head, [NewEvent("t", b"2")])
    assert repeated == Head(2, 2) == await store.head("a")


async def writer(store: JetStreamStore, key: str, told: dict[tuple[str, int], bytes], stop: asyncio.Event) -> None:
    """Append one or three events at a time for ever, repeating the same append until its outcome is known."""
    head, turn = NEW, 0
    while not stop.is_set():
        turn += 1
        events = [NewEvent("t", f"{key}.{turn}.{n}".encode()) for n in range(1 if turn % 3 else 3)]
        while True:
            try:
                head = await store.append(key, head, events, within=3)
                break
            except Unavailable:
                await asyncio.sleep(0.02)
        told.update({(key, head.version - len(events) + 1 + n): event.data for n, event in enumerate(events)})


async def follower(store: JetStreamStore, seen: list[StoredRecord]) -> None:
    """Follow the log until the event that says it is the last."""
    async with aclosing(store.tail(0)) as tail:  # type: ignore[type-var]
        async for records in tail:
            seen.extend(records)
            if records[-1].key == "end":
                break


async def test_crashes_in_the_middle_of_appends_lose_double_and_reorder_nothing(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    """kill -9 and clean restarts under eight writers and two followers: every acknowledged event is there once, where it was told."""
    told: dict[tuple[str, int], bytes] = {}
    stop, chance = asyncio.Event(), random.Random(7)
    other = await JetStreamStore.connect(own_nats_server.url)
    seen: tuple[list[StoredRecord], list[StoredRecord]] = ([], [])
    followers = [asyncio.create_task(follower(store, seen[0])), asyncio.create_task(follower(other, seen[1]))]
    writers = [asyncio.create_task(writer((store, other)[n % 2], f"t{n}", told, stop)) for n in range(8)]
    for turn in range(6):
        await asyncio.sleep(chance.uniform(0.1, 0.3))
        await restart(own_nats_server, kill=turn % 3 != 2, down=chance.choice([0, 0.2]))
    await asyncio.sleep(0.3)
    stop.set()
    await asyncio.gather(*writers)
    await store.append("end", NEW, [NewEvent("t", b"end")])
    told["end", 1] = b"end"
    records = await everything(store)
    assert [record.sequence for record in records] == list(range(1, len(records) + 1))
    assert {(record.key, record.version): record.data for record in records} == told
    assert len(records) == len(told)
    await asyncio.gather(*followers)
    assert seen == (records, records)
    await other.close()


async def test_a_follower_outlives_the_loss_of_its_consumer(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    head = await store.append("a", NEW, [NewEvent("t", b"1")])
    async with aclosing(store.tail(0)) as tail:  # type: ignore[type-var]
        assert [record.sequence for record in await anext(tail)] == [1]
        names = await store.link.api(f"CONSUMER.NAMES.{store.layout.stream}", None, 5)
        for name in names["consumers"]:
            await store.link.api(f"CONSUMER.DELETE.{store.layout.stream}.{name}", None, 5)
        head = await store.append("a", head, [NewEvent("t", b"2")])
        assert [record.sequence for record in await anext(tail)] == [2]
    names = await store.link.api(f"CONSUMER.NAMES.{store.layout.stream}", None, 5)
    assert not names["consumers"], "an ended tail leaves no consumer behind"


async def test_a_follower_that_starts_while_nats_is_down_waits_for_it(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    await store.append("a", NEW, [NewEvent("t", b"1")])
    await asyncio.to_thread(own_nats_server.kill)
    await disconnected(store)
    tail = store.tail(0)
    waiting: asyncio.Future[Any] = asyncio.ensure_future(anext(tail))
    await asyncio.sleep(0.2)
    await asyncio.to_thread(own_nats_server.start)
    assert [record.sequence for record in await waiting] == [1]
    await tail.aclose()  # type: ignore[attr-defined]


async def test_two_writers_that_both_lost_their_answer_do_not_both_win(
    own_nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    other = await JetStreamStore.connect(own_nats_server.url)
    freeze(own_nats_server)
    racing = [
        asyncio.create_task(one.append("a", NEW, [NewEvent("t", data)], within=10))
        for one, data in ((store, b"1"), (other, b"2"))
    ]
    await asyncio.sleep(0.1)
    await restart(own_nats_server, kill=True)
    outcomes = await asyncio.gather(*racing, return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Head) for outcome in outcomes) == 1
    assert len(await everything(store)) == 1
    await other.close()


def test_the_library_sees_its_own_errors_and_recovers(own_nats_server: EmbeddedServer) -> None:
    factory = JetStreamFactory({"NATS_URL": own_nats_server.url, "NATS_TIMEOUT": "2", "ORIGINATOR_ID_TYPE": "text"})
    recorder = factory.application_recorder()
    event = StoredEvent("a", 1, "t", b"1")
    assert recorder.insert_events([event]) == [1]
    own_nats_server.stop()
    with pytest.raises(OperationalError, match="unavailable"):
        recorder.insert_events([StoredEvent("a", 2, "t", b"2")])
    own_nats_server.start()
    with recorder.subscribe(gt=None) as subscription:
        assert next(subscription).state == b"1"
        own_nats_server.kill()
        own_nats_server.start()
        while True:
            try:
                recorder.insert_events([StoredEvent("a", 2, "t", b"2")])
                break
            except OperationalError:
                continue
        assert next(subscription).state == b"2"
    with pytest.raises(IntegrityError):
        recorder.insert_events([event])
    factory.close()


def test_two_factories_on_one_stream_see_each_others_events(own_nats_server: EmbeddedServer) -> None:
    """Remembered heads go out of date when somebody else writes; the version check and a second look put it right."""
    one, two = (JetStreamFactory({"NATS_URL": own_nats_server.url, "ORIGINATOR_ID_TYPE": "text"}) for _ in range(2))
    first, second = one.application_recorder(), two.application_recorder()
    first.insert_events([StoredEvent("a", 0, "t", b"0")])
    second.insert_events([StoredEvent("a", 1, "t", b"1")])
    first.insert_events([StoredEvent("a", 2, "t", b"2"), StoredEvent("b", 1, "t", b"1")])
    with pytest.raises(IntegrityError, match="version"):
        second.insert_events([StoredEvent("a", 2, "t", b"2")])
    with pytest.raises(IntegrityError, match="version"):
        second.insert_events([StoredEvent("a", 4, "t", b"4")])
    assert [event.state for event in second.select_events("a")] == [b"0", b"1", b"2"]
    assert [event.state for event in second.select_events("a", gt=1)] == [b"2"]
    one.close()
    two.close()


def test_a_program_that_forgot_to_close_ends_all_the_same(own_nats_server: EmbeddedServer) -> None:
    """nats-py's reconnect loop can swallow the cancellation that ends a program; with NATS down it would then run for ever."""

    async def forgetful() -> None:
        await JetStreamStore.connect(own_nats_server.url)
        await asyncio.to_thread(own_nats_server.kill)
        await asyncio.sleep(0.3)

    uvloop.run(asyncio.wait_for(forgetful(), 5))
