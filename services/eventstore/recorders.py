"""The recorders of the `eventsourcing` library over `core`: thin, synchronous, on the same wire format.

All connections of a process live on one event loop in a thread of its own; any number of threads may call.
"""

import asyncio
import atexit
import re
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar, cast
from uuid import UUID

from eventsourcing import persistence as es
from eventsourcing.persistence import IntegrityError, Notification, StoredEvent, Tracking

from services.eventstore.core import JetStreamStore
from services.eventstore.errors import (
    Conflict,
    Head,
    StorageFull,
    StoreError,
    TooLarge,
    Unavailable,
    WrongServer,
    WrongStream,
)
from services.eventstore.wire import StoredRecord, Write

T = TypeVar("T")
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEADS_KEPT: Final = 100_000
_MEANS: Final[tuple[tuple[type[StoreError], type[es.PersistenceError]], ...]] = (
    (Conflict, IntegrityError),
    (TooLarge, es.DataError),
    (Unavailable, es.OperationalError),
    (StorageFull, es.OperationalError),
    (WrongServer, es.InterfaceError),
    (WrongStream, es.InterfaceError),
    (StoreError, es.InternalError),
)
"""What each fault is called in the library."""


@contextmanager
def library_errors() -> Iterator[None]:
    """Raise the store's faults as the library's, the original as cause."""
    try:
        yield
    except StoreError as error:
        raise next(theirs for ours, theirs in _MEANS if isinstance(error, ours))(str(error)) from error


class Loop:
    """An event loop in a daemon thread (uvloop when it is installed)."""

    _shared: "Loop | None" = None
    _lock: Final = threading.Lock()

    def __init__(self) -> None:
        try:
            import uvloop

            self._loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
        except ImportError:
            self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="eventstore", daemon=True)
        self._thread.start()
        atexit.register(self._stop)

    @classmethod
    def shared(cls) -> "Loop":
        """The loop of this process, started when first asked for."""
        with cls._lock:
            cls._shared = cls._shared or cls()
            return cls._shared

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop's thread; the future holds its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run on the loop and wait. The store's own deadlines end it."""
        with library_errors():
            return self.submit(work).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2)


class JetStreamAggregateRecorder(es.AggregateRecorder):
    """Events of one purpose (snapshots) whose versions may have gaps: one subject for each version."""

    def __init__(self, store: JetStreamStore) -> None:
        self.store, self.loop = store, Loop.shared()

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Record events, all or none. Raises IntegrityError when one of the versions is there already."""
        make = self.store.layout.snapshot
        writes = [make(str(e.originator_id), e.originator_version, e.topic, e.state) for e in stored_events]
        if len({write.subject for write in writes}) < len(writes):
            raise IntegrityError("the same version twice in one call")
        if writes:
            self.loop.run(self.store.write(writes, repeat=False))
        return None

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Read the events of one aggregate by version."""
        pattern = f"{self.store.layout.subject(str(originator_id))}.*"
        found = self.loop.run(self.store.fetch(pattern, 1))
        return _cut(sorted(found, key=lambda record: record.version), originator_id, gt, lte, limit, desc=desc)


class JetStreamApplicationRecorder(es.ApplicationRecorder):
    """Events of an application: one subject for each aggregate; notification ids are stream sequences.

    Heads of aggregates are remembered, so that a save is one message and one answer; the server's version check guards them.
    `uuids` says that ids which look like UUIDs are UUIDs.
    """

    def __init__(self, store: JetStreamStore, *, uuids: bool = True) -> None:
        self.store, self.loop, self.uuids = store, Loop.shared(), uuids
        self._heads: dict[str, Head] = {}

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Record events of any aggregates, all or none. Returns their notification ids; IntegrityError when a version is taken."""
        return self._insert(stored_events, [])[: len(stored_events)]

    def _insert(self, stored_events: Sequence[StoredEvent], more: Sequence[Write]) -> list[int]:
        if not stored_events and not more:
            return []
        try:
            return self._write(stored_events, more, sure=False)
        except IntegrityError:  # what we remembered may be out of date: ask, and let the answer decide
            return self._write(stored_events, more, sure=True)

    def _write(self, stored_events: Sequence[StoredEvent], more: Sequence[Write], *, sure: bool) -> list[int]:
        heads: dict[str, Head] = {}
        writes: list[Write] = []
        for event in stored_events:
            key, version = str(event.originator_id), event.originator_version
            head = heads.get(key)
            expected = None
            if head is None:
                head = self._head(key, version, sure=sure)
                expected = head.sequence
            if version != head.version + 1:
                raise IntegrityError(f"{key} is at version {head.version}: {version} cannot be recorded")
            heads[key] = Head(version, 0)
            writes.append(self.store.layout.event(key, version, event.topic, event.state, expected))
        try:
            sequences = self.loop.run(self.store.write([*writes, *more], repeat=False))
        except es.PersistenceError:
            for key in heads:
                self._heads.pop(key, None)
            raise
        if len(self._heads) > _HEADS_KEPT:
            self._heads.clear()
        for event, sequence in zip(stored_events, sequences, strict=False):
            self._heads[str(event.originator_id)] = Head(event.originator_version, sequence)
        return sequences

    def _head(self, key: str, version: int, *, sure: bool) -> Head:
        """Where an aggregate stands. One nobody heard of is taken for new when its event is a first (0 or 1)."""
        head = None if sure else self._heads.get(key)
        if head is not None and head.version + 1 >= version:
            return head
        if head is None and version <= 1 and not sure:
            return Head(version - 1, 0)
        head = self.loop.run(self.store.head(key))
        return Head(version - 1, 0) if head.sequence == 0 and version <= 1 else head

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Read the events of one aggregate by version."""
        key = str(originator_id)
        head = self._heads.get(key)
        start = head.sequence if head is not None and gt is not None and gt >= head.version else 0
        found = self.loop.run(self.store.read(key, -1 if gt is None else gt, after_sequence=start))
        if found and (head is None or found[-1].version > head.version):
            self._heads[key] = Head(found[-1].version, found[-1].sequence)
        return _cut(found, originator_id, gt, lte, limit, desc=desc)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Read the log from `start` to `stop`, at most `limit` events of the given topics."""
        begin = max((start or 0) + (0 if inclusive_of_start else 1), 1)
        found: list[Notification] = []
        while len(found) < limit and (stop is None or begin <= stop):
            page = self.loop.run(self.store.fetch(self.store.layout.events, begin, limit))
            fit = (r for r in page if (stop is None or r.sequence <= stop) and (not topics or r.topic in topics))
            found += map(self.notification, fit)
            if len(page) < limit:
                break
            begin = page[-1].sequence + 1
        return found[:limit]

    def max_notification_id(self) -> int | None:
        """The sequence of the last event; None when there is none."""
        return self.loop.run(self.store.head_of(self.store.layout.events)).sequence or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "JetStreamSubscription":
        """Follow the log after `gt`, over lost connections and restarts of the server."""
        return JetStreamSubscription(self, gt, topics)

    def notification(self, record: StoredRecord) -> Notification:
        """A record of the stream as the library knows it."""
        key = UUID(record.key) if self.uuids and _UUID.fullmatch(record.key) else record.key
        return Notification(key, record.version, record.topic, record.data, record.sequence)


class JetStreamSubscription(es.Subscription[JetStreamApplicationRecorder]):
    """Iterates over events as they are recorded; `stop` may be called from any thread."""

    def __init__(
        self, recorder: JetStreamApplicationRecorder, gt: int | None = None, topics: Sequence[str] = ()
    ) -> None:
        super().__init__(recorder, gt, topics)
        self._tail = cast("AsyncGenerator[list[StoredRecord], None]", recorder.store.tail(gt or 0))
        self._ready: Iterator[Notification] = iter(())
        self._turn: asyncio.Task[Any] | None = None

    def __next__(self) -> Notification:
        while not self._has_been_stopped:
            for notification in self._ready:
                return notification
            try:
                records = self._recorder.loop.run(self._advance())
            except (CancelledError, StopAsyncIteration):
                break
            fit = (record for record in records if not self._topics or record.topic in self._topics)
            self._ready = map(self._recorder.notification, fit)
        raise StopIteration

    def stop(self) -> None:
        """End the iteration and the consumer behind it."""
        super().stop()
        self._recorder.loop.run(self._shut())

    async def _advance(self) -> list[StoredRecord]:
        if self._has_been_stopped:
            raise asyncio.CancelledError
        self._turn = asyncio.current_task()
        return await anext(self._tail)

    async def _shut(self) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._turn
        await self._tail.aclose()


class JetStreamTrackingRecorder(es.TrackingRecorder):
    """How far followers of applications got: the last message of one subject for each application."""

    def __init__(self, store: JetStreamStore) -> None:
        self.store, self.loop = store, Loop.shared()

    def insert_tracking(self, tracking: Tracking) -> None:
        """Record a position. Raises IntegrityError unless it is beyond the last one."""
        self.loop.run(self.store.write([self._tracking_write(tracking)], repeat=False))

    def max_tracking_id(self, application_name: str) -> int | None:
        """The last position recorded for an application; None when there is none."""
        head = self.loop.run(self.store.head_of(self.store.layout.tracking(application_name).subject))
        return head.version if head.sequence else None

    def _tracking_write(self, tracking: Tracking) -> Write:
        name, position = tracking.application_name, tracking.notification_id
        head = self.loop.run(self.store.head_of(self.store.layout.tracking(name).subject))
        if head.sequence and position <= head.version:
            raise IntegrityError(f"position {position} of {name!r} is not beyond {head.version}")
        return self.store.layout.tracking(name, position, head.sequence)


class JetStreamProcessRecorder(JetStreamTrackingRecorder, JetStreamApplicationRecorder, es.ProcessRecorder):
    """Events and the position they were made at, in one atomic batch. Positions take sequences too, so notification ids have gaps."""

    def __init__(self, store: JetStreamStore, *, uuids: bool = True) -> None:
        JetStreamApplicationRecorder.__init__(self, store, uuids=uuids)

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Record events and, with `tracking`, a position, all or none."""
        tracking: Tracking | None = kwargs.get("tracking")
        more = [] if tracking is None else [self._tracking_write(tracking)]
        return self._insert(stored_events, more)[: len(stored_events)]


def _cut(
    records: Sequence[StoredRecord], key: UUID | str, gt: int | None, lte: int | None, limit: int | None, *, desc: bool
) -> list[StoredEvent]:
    fit = [r for r in records if (gt is None or r.version > gt) and (lte is None or r.version <= lte)]
    return [StoredEvent(key, r.version, r.topic, r.data) for r in (fit[::-1] if desc else fit)[:limit]]
