"""The event store on JetStream: append with a version check, read a table, follow the whole log.

    store = await JetStreamStore.connect("nats://127.0.0.1:4222")
    head = await store.append("t-1", Head(0, 0), [NewEvent("opened.v1", b'{"seats":4}')])
    head = await store.append("t-1", head, [NewEvent("closed.v1", b"{}")])
    async for records in store.tail(after=0): ...

Nothing is locked and nothing is cached here: any number of tables can be written at once, by any number of processes; the server's
version check decides. An append whose answer was lost is settled by reading what the server holds, so it is recorded once or not at all.
"""

import asyncio
import base64
import logging
import secrets
import urllib.request
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple, Self

import orjson

from services.eventstore import tailing, wire
from services.eventstore.errors import EMPTY, BrokenLog, Conflict, Head, StoreError, Unavailable, WrongServer
from services.eventstore.link import ApiError, Link, Lost, answer
from services.eventstore.wire import Layout, StoredRecord, Write

log = logging.getLogger(__name__)

OLDEST = (2, 12)
"""The first server with atomic batches."""
NOT_FOUND, NO_STREAM = 10037, 10059
SETTLE = frozenset((10071, 10164, 10201))
"""Wrong last sequence, the same while another write is in flight, duplicate id in a batch: somebody wrote, perhaps we."""
AGAIN = frozenset((10175, 10176, 10177, 10210, 10211))
READ = 1000
"""Messages asked for at once when reading a table."""


class NewEvent(NamedTuple):
    """An event to record: its type's stored name and its bytes."""

    topic: str
    data: bytes


class JetStreamStore:
    """One stream as an event store. Made by `connect`; all methods may be called concurrently.

    `within` is how long, in seconds, a call may take before it raises Unavailable.
    """

    def __init__(self, link: Link, layout: Layout, within: float = 5.0) -> None:
        self.link, self.layout, self.within = link, layout, within

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        stream: str = "SK",
        prefix: str = "sk.table",
        create: bool = True,
        replicas: int | None = None,
        monitor: str | None = None,
        within: float = 5.0,
        **options: Any,
    ) -> Self:
        """Connect, check the server and the stream, and create the stream when there is none (and `create` is set).

        `monitor` is the server's monitoring URL (http://127.0.0.1:8222); with it the server must sync to disk before it answers.
        `options` go to nats-py (user, password, tls, …). Raises Unavailable, WrongServer or WrongStream.
        """
        layout = Layout(stream, prefix)
        link = await Link.open(url, within, **options)
        store = cls(link, layout, within)
        try:
            check_version(link.client.connected_server_version)
            if monitor is not None:
                await asyncio.to_thread(check_sync, monitor)
            await store._ensure_stream(create, replicas)
        except BaseException:
            await link.close()
            raise
        return store

    async def close(self) -> None:
        """Disconnect. Open calls raise Unavailable."""
        await self.link.close()

    async def append(
        self, key: str, expected: Head, events: Sequence[NewEvent], *, within: float | None = None, repeat: bool = True
    ) -> Head:
        """Record events as the next of table `key`, all or none. Returns the new head.

        `expected` is the head the events were decided on. An append that is recorded already, byte for byte, returns the head it had then
        (with `repeat` unset that is a Conflict, unless this very call sent it). Raises Conflict, Unavailable, TooLarge, StorageFull.
        """
        if not events:
            return expected
        first = expected.version + 1
        writes = [
            self.layout.event(key, version, event.topic, event.data, expected.sequence if version == first else None)
            for version, event in enumerate(events, first)
        ]
        sequences = await self.write(writes, within=within, repeat=repeat)
        return Head(writes[-1].version, sequences[-1])

    async def write(self, writes: Sequence[Write], *, within: float | None = None, repeat: bool = True) -> list[int]:
        """Write messages to any subjects of the stream, all or none, each subject's first with its version check. Returns sequences."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + (self.within if within is None else within)
        if len(writes) > wire.MAX_BATCH:
            raise wire.TooLarge(f"{len(writes)} events in one append; {wire.MAX_BATCH} is the most. Nothing was recorded")
        unknown, pause, why = False, 0.01, "no answer in time"
        while True:
            left = deadline - loop.time()
            try:
                if left <= 0 or (unknown and not await self.link.wait_back(left)):
                    raise Unavailable(why, unknown=unknown)
                if unknown and (landed := await self._settle(writes, left, ours=True)):
                    return landed
                return await self._send(writes, left)
            except Lost as lost:
                unknown, why = True, str(lost)
            except Unavailable as error:
                if error.unknown or not (self.link.connected or unknown) or loop.time() + pause > deadline:
                    raise Unavailable(str(error.args[0]) if not unknown else why, unknown=unknown) from None
                why = "the stream is not served"
            except ApiError as error:
                if error.number in SETTLE:
                    if landed := await self._settle_patiently(writes, deadline, ours=unknown or repeat):
                        return landed
                elif error.code != 503 and error.number not in AGAIN:
                    raise
                why = str(error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.25)
