"""The public stream: every event of every table as a spectator sees it, on JetStream, for whoever wants to build on it.

Event n of the public stream (`SK_PUBLIC`, one subject a table: `sk.public.<id>`) is event n of the record with what is hidden taken out,
in the same order and with the same number. So nothing has to be written down about how far it got: the stream itself says it, and a
publisher that is killed goes on after the last event that is there. Each event is written with the version check of its subject and
the message id `<table>:<version>`; of two publishers, one writes it and the other finds it written.

It stops, and says so, when the record cannot be what was published before. Removing the public stream and publishing it anew is always
possible: nothing is in it that the record does not hold.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple

import orjson

from domain.table import Table, evolve
from projections.viewing import event_for
from schemas.canonical import GENESIS
from schemas.envelope import Recorded, read_line
from schemas.notation import Unreadable
from services import store
from services.eventstore.core import JetStreamStore
from services.eventstore.errors import BrokenLog, Conflict, StoreError, Unavailable
from services.eventstore.wire import StoredRecord, Write
from services.settings import Settings
from services.store import NotRunning
from services.tables.metrics import Metrics

log = logging.getLogger(__name__)

BATCH: Final = 100
"""Events written at once while catching up; few, since the clients of the same process wait meanwhile."""
KEEP: Final = 5000
"""Tables kept in memory; the others come back from the record."""
PAUSE: Final = (0.1, 0.5, 1.0, 2.0)
"""Seconds before the first, second, … try after something failed; the last for all that follow."""
ANEW: Final = "`shuangkou serve spectate --rebuild` removes the public stream and publishes it anew"


class _Known(NamedTuple):
    """A table as of its last published event, and that event's place in either stream."""

    table: Table
    sequence: int


class Publisher:
    """Writes the public stream of a record. `connect` opens it. `published` is the last event that is there, `fault` why it stopped."""

    def __init__(self, record: JetStreamStore, connect: Callable[[], Awaitable[JetStreamStore]]) -> None:
        self.record, self.connect = record, connect
        self.published = 0
        self.fault: BrokenLog | None = None
        self._tables: OrderedDict[str, _Known] = OrderedDict()

    async def run(self) -> None:
        """Publish what there is and what comes, over lost connections and restarts of the server, until a fault or cancelled."""
        failures = 0
        while self.fault is None:
            before = self.published
            try:
                await self._publish()
            except BrokenLog as error:
                self.fault = error
                log.error("nothing more is published: %s", error)  # noqa: TRY400 (the message says it all)
            except (StoreError, NotRunning) as error:
                failures = 0 if self.published > before else failures + 1
                level = logging.INFO if isinstance(error, Unavailable | Conflict) else logging.WARNING
                log.log(level, "publishing begins anew after event %d: %s", self.published, error)
                self._tables.clear()
                await asyncio.sleep(PAUSE[min(failures, len(PAUSE) - 1)])

    async def _publish(self) -> None:
        public = await self.connect()
        try:
            self.published = await self._agreed(public)
            async for records in self.record.tail(self.published, batch=BATCH):
                for start in range(0, len(records), BATCH):
                    await self._pass_on(public, records[start : start + BATCH])
        finally:
            await public.close()

    async def _agreed(self, public: JetStreamStore) -> int:
        """The last event that is published, which must be the event with that number in the record. Raises BrokenLog."""
        last = await public.last_sequence()
        if last == 0:
            return 0
        if await self.record.last_sequence() < last:
            raise BrokenLog(f"the record ends before event {last}, which was published: restore the record, or {ANEW}")
        ours = await public.fetch(public.layout.events, last, 1)
        theirs = await self.record.fetch(self.record.layout.events, last, 1)
        if not ours or not theirs:
            raise StoreError(f"event {last} cannot be read yet")
        if ours[0][:3] != theirs[0][:3]:
            raise BrokenLog(f"event {last} of the record is not what was published under this number: {ANEW}")
        return last

    async def _pass_on(self, public: JetStreamStore, records: Sequence[StoredRecord]) -> None:
        writes = [await self._write(public, record) for record in records]
        numbers = await public.write(_first_only(writes))
        if numbers != [record.sequence for record in records]:
            raise BrokenLog(f"the public stream is out of step with the record at event {records[0].sequence}: {ANEW}")
        self.published = numbers[-1]
        for record in records:
            if self._tables[record.key].table.closed:
                self._tables.move_to_end(record.key, last=False)
        while len(self._tables) > KEEP:
            self._tables.popitem(last=False)

    async def _write(self, public: JetStreamStore, record: StoredRecord) -> Write:
        """The public event of a record, to be written after the one before it on its table."""
        known = self._tables.get(record.key)
        if known is None and record.version > 1:
            known = await self._recall(record)
        after, recorded = _follow(known, record)
        self._tables[record.key] = after
        self._tables.move_to_end(record.key)
        data = orjson.dumps(event_for(after.table, recorded, "spectator"))
        place = known.sequence if known else 0
        return public.layout.event(record.key, record.version, record.topic, data, place)

    async def _recall(self, record: StoredRecord) -> _Known:
        """A table as it was before this event, from the record."""
        known: _Known | None = None
        for each in await self.record.read(record.key):
            if each.version == record.version:
                break
            known, _ = _follow(known, each)
        if known is None or known.table.version != record.version - 1:
            raise StoreError(f"the events of table {record.key} before {record.version} cannot be read yet")
        return known


def _follow(known: _Known | None, record: StoredRecord) -> tuple[_Known, Recorded]:
    """A table after one more event. Raises BrokenLog for an event that cannot be read or cannot follow."""
    name = f"event {record.key}:{record.version} (event {record.sequence} of the record)"
    before = known.table if known else None
    try:
        recorded = read_line(record.data)
        after = evolve(before, recorded)
    except (Unreadable, ValueError) as error:
        raise BrokenLog(f"{name}: {error}") from None
    if recorded.prev != (before.head if before else GENESIS):
        raise BrokenLog(f"{name} is not chained to the event before it")
    return _Known(after, record.sequence), recorded


def _first_only(writes: Sequence[Write]) -> list[Write]:
    """In a batch only the first write on a subject carries its version check."""
    seen: set[str] = set()
    made = []
    for write in writes:
        made.append(write._replace(expected=None) if write.subject in seen else write)
        seen.add(write.subject)
    return made


@asynccontextmanager
async def publishing(settings: Settings, record: JetStreamStore, metrics: Metrics) -> AsyncIterator[None]:
    """Publish while the block runs."""

    async def connect() -> JetStreamStore:
        return await store.connect_public(settings, await record.replicas())

    publisher = Publisher(record, connect)
    metrics.of_publisher(lambda: publisher.published, lambda: publisher.fault is not None)
    task = asyncio.create_task(publisher.run(), name="publisher")
    task.add_done_callback(_complain)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _complain(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and task.exception() is not None:
        log.critical("nothing more is published", exc_info=task.exception())


async def remove(settings: Settings) -> None:
    """Remove the public stream with its consumers, so that it is published anew. Raises like `store.connect_public`."""
    public = await store.connect_public(settings, None)
    try:
        await public.link.api(f"STREAM.DELETE.{public.layout.stream}", None, public.within)
    finally:
        await public.close()
