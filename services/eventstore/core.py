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
import secrets
import urllib.request
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple, Self

import orjson

from services.eventstore import tailing, wire
from services.eventstore.errors import (
    EMPTY,
    BrokenLog,
    Conflict,
    Head,
    StorageFull,
    StoreError,
    TooLarge,
    Unavailable,
    WrongServer,
    WrongStream,
)
from services.eventstore.link import ApiError, Link, Lost, Reply, answer
from services.eventstore.wire import Layout, StoredRecord, Write

__all__ = [
    "BrokenLog",
    "Conflict",
    "Head",
    "JetStreamStore",
    "NewEvent",
    "StorageFull",
    "StoreError",
    "StoredRecord",
    "TooLarge",
    "Unavailable",
    "WrongServer",
    "WrongStream",
]

OLDEST = (2, 12)
"""The first server with atomic batches."""
NOT_FOUND, NO_STREAM, NAME_TAKEN, DUPLICATE = 10037, 10059, 10058, 10201
SETTLE = frozenset((10071, 10164, 10201))
"""Wrong last sequence, the same while another write is in flight, duplicate id in a batch: somebody wrote, perhaps we."""
AGAIN = frozenset((10176, 10210))
"""A batch that lost a part, or came while too many were in flight: nothing was written."""
BUSY = 503
"""Code of errors that pass: no leader, starting."""
ATTEMPT = 2.0
"""Seconds to wait for one answer before asking what became of it."""
READ = 1000
"""Messages asked for at once when reading."""
RESTORE = "restore the stream from its archive before anything else is written"


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
        idle: float | None = None,
        **options: Any,
    ) -> Self:
        """Connect, check the server and the stream, and create the stream when there is none (and `create` is set).

        `monitor` is the server's monitoring URL (http://127.0.0.1:8222); with it the server must sync to disk before it answers.
        A stream that is created lets consumers go that nobody has used for `idle` seconds (None: the server's way, durable ones never).
        `options` go to nats-py (user, password, tls, …). Raises Unavailable, WrongServer or WrongStream.
        """
        layout = Layout(stream, prefix)
        link = await Link.open(url, within, **options)
        store = cls(link, layout, within)
        try:
            check_version(link.client.connected_server_version)
            if monitor is not None:
                await asyncio.to_thread(check_sync, monitor)
            await store._ensure_stream(replicas, create=create, idle=idle)
        except BaseException:
            await link.close()
            raise
        return store

    async def beside(self, stream: str, prefix: str) -> Self:
        """Another stream over the same connection, as safe as this one: with as many replicas, created when there is none.

        Closing either closes both. Raises like `connect`.
        """
        store = type(self)(self.link, Layout(stream, prefix), self.within)
        await store._ensure_stream(await self.replicas(), create=True)  # noqa: SLF001 (our own)
        return store

    async def replicas(self) -> int:
        """How many servers hold the stream."""
        info = await self._ask(f"STREAM.INFO.{self.layout.stream}", None, self.within)
        found: int = info["config"]["num_replicas"]
        return found

    async def close(self) -> None:
        """Disconnect. Open calls raise Unavailable."""
        await self.link.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def append(
        self,
        key: str,
        expected: Head,
        events: Sequence[NewEvent],
        *,
        last: int | None = None,
        within: float | None = None,
        repeat: bool = True,
    ) -> Head:
        """Record events as the next of table `key`, all or none. Returns the new head.

        `expected` is the head the events were decided on, and `last`, where they were decided on the whole stream, its last sequence then:
        they are a Conflict when anything at all was written since. An append that is recorded already, byte for byte, returns the head it
        had then (with `repeat` unset that is a Conflict, unless this very call sent it).
        Raises Conflict, Unavailable, TooLarge, StorageFull.
        """
        if not events:
            return expected
        first = expected.version + 1
        writes = [
            self.layout.event(key, version, event.topic, event.data, expected.sequence if version == first else None)
            for version, event in enumerate(events, first)
        ]
        writes[0] = writes[0]._replace(last=last)
        sequences = await self.write(writes, within=within, repeat=repeat)
        return Head(writes[-1].version, sequences[-1])

    async def write(self, writes: Sequence[Write], *, within: float | None = None, repeat: bool = True) -> list[int]:
        """Write messages to subjects of the stream, all or none, the first on each subject with its version check.

        Returns their sequences. Raises like `append`.
        """
        if len(writes) > wire.MAX_BATCH:
            raise TooLarge(f"{len(writes)} events in one append; {wire.MAX_BATCH} is the most. Nothing was recorded")
        clock = asyncio.get_running_loop().time
        deadline = clock() + (self.within if within is None else within)
        settle = unknown = False
        pause, why = 0.0, "no answer in time"
        while (left := deadline - clock()) > 0:
            try:
                if settle and (landed := await self._settle(writes, left, ours=repeat or unknown)):
                    return landed
                return await self._send(writes, min(left, ATTEMPT))
            except Lost as lost:
                settle, unknown, why = True, True, str(lost)
            except Unavailable as gone:
                if not (unknown or self.link.connected):
                    raise  # nothing was sent: say so at once
                why = gone.why
            except ApiError as error:
                if not (error.number in SETTLE or error.code == BUSY or error.number in AGAIN):
                    raise
                settle, why = settle or error.number in SETTLE, str(error)
            await asyncio.sleep(min(pause, left))
            await self.link.wait_back(deadline - clock())
            pause = min(pause * 2 + 0.01, 0.25)
        raise Unavailable(why, unknown=unknown)

    async def head(self, key: str) -> Head:
        """Where table `key` stands, as the stream's leader knows it; (0, 0) when it has no events."""
        return await self.head_of(self.layout.subject(key))

    async def head_of(self, subject: str, within: float | None = None) -> Head:
        """Version and sequence of the last message on a subject (or pattern), as the leader knows it; (0, 0) when there is none."""
        found = await self._message({"last_by_subj": subject}, within or self.within)
        return EMPTY if found is None else Head(found[2], found[0])

    async def read(self, key: str, after: int = 0, *, after_sequence: int = 0) -> list[StoredRecord]:
        """The events of table `key` with a version over `after`, in order.

        `after_sequence`, when known, saves the server the earlier ones. Raises BrokenLog when a version is missing.
        """
        found = await self.fetch(self.layout.subject(key), after_sequence + 1)
        records = [record for record in found if record.version > after]
        for version, record in enumerate(records, records[0].version if records else 0):
            if record.version != version:
                raise BrokenLog(f"table {key!r}: version {version} is missing before sequence {record.sequence}")
        return records

    async def fetch(self, subject: str, start: int, limit: int | None = None) -> list[StoredRecord]:
        """The events on a subject (or pattern) from sequence `start` on, at most `limit`, by batched direct get."""
        records: list[StoredRecord] = []
        while limit is None or len(records) < limit:
            want = READ if limit is None else min(READ, limit - len(records))
            found, more = await self.direct({"next_by_subj": subject, "seq": start, "batch": want})
            records += found
            if not more or not found:
                break
            start = found[-1].sequence + 1
        return records

    async def direct(self, ask: dict[str, Any]) -> tuple[list[StoredRecord], bool]:
        """One batched direct get: what came, and whether there is more."""
        replies: list[Reply] = []
        subject = f"$JS.API.DIRECT.GET.{self.layout.stream}"
        try:
            end = await self.link.request(subject, orjson.dumps(ask), self.within, into=replies)
        except Lost as lost:
            raise Unavailable(str(lost)) from None
        status = end.headers[9:12]
        if status not in {b"204", b"404"}:
            raise StoreError(f"reading {ask}: server said {end.headers[9:].decode().strip()}")
        records = [self.layout.direct_record(reply.headers, reply.data) for reply in replies]
        return records, status == b"204" and wire.number(end.headers, wire.PENDING) > 0

    async def last_sequence(self) -> int:
        """The sequence of the last message of the stream, 0 when it is empty."""
        info = await self._ask(f"STREAM.INFO.{self.layout.stream}", None, self.within)
        last: int = info["state"]["last_seq"]
        return last

    def tail(self, after: int, *, batch: int = 1000, live: bool = True) -> AsyncIterator[list[StoredRecord]]:
        """All events with a sequence over `after`, in order, each once, in lists of up to about `batch`, as they arrive.

        Goes on for ever, over lost connections and restarts of the server; with `live` unset it ends at the stream's present end.
        Raises BrokenLog when events are missing, or the stream ends before `after`.
        """
        return tailing.tail(self, after, batch, live=live)

    async def _send(self, writes: Sequence[Write], within: float) -> list[int]:
        """One try. One message is one publish; several are an atomic batch, of which only the last is answered."""
        made = [wire.headers(writes[0])] if len(writes) == 1 else wire.batch_headers(writes, secrets.token_hex(11))
        for write, headers in zip(writes, made, strict=True):
            self.link.fit(write.data, headers)
        for write, headers in zip(writes[:-1], made, strict=False):
            await self.link.publish(write.subject, write.data, headers=headers)
        reply = await self.link.request(writes[-1].subject, writes[-1].data, within, made[-1])
        said = answer(reply.data)
        if said.get("duplicate"):
            raise ApiError({"err_code": DUPLICATE, "description": "this message id was seen before"})
        if said.get("count", 1) != len(writes):
            raise StoreError(f"the server took {said.get('count')} of {len(writes)} events of a batch: {said}")
        last: int = said["seq"]
        return list(range(last - len(writes) + 1, last + 1))

    async def _settle(self, writes: Sequence[Write], within: float, *, ours: bool) -> list[int] | None:
        """Find out what became of `writes`: their sequences when they are recorded, None when nothing was written on their subjects.

        Raises Conflict when something else was; with `ours` unset also when it looks just like `writes`.
        """
        places: dict[int, int] = {}
        for first in (write for write in writes if write.expected is not None):
            place = first.expected or 0
            head = await self.head_of(first.subject, within)
            if head.sequence < place:
                raise BrokenLog(
                    f"{first.subject} ends at sequence {head.sequence}; it was at {place} before. Events were lost: {RESTORE}"
                )
            if head.sequence == place:
                continue
            for n, write in enumerate(writes):
                if write.subject == first.subject:
                    found = (
                        await self._message({"next_by_subj": write.subject, "seq": place + 1}, within) if ours else None
                    )
                    if found is None or found[1:] != (write.topic, write.version, write.data):
                        raise Conflict(first.subject, head)
                    places[n] = place = found[0]
        if len(places) == len(writes):
            return [places[n] for n in range(len(writes))]
        if (last := writes[0].last) is not None and (
            end := await self.head_of(self.layout.events, within)
        ).sequence > last:
            raise Conflict(self.layout.events, end)
        return None

    async def _message(self, ask: dict[str, Any], within: float) -> tuple[int, str, int, bytes] | None:
        """One message by the stream's leader (a direct get may be answered by a replica that lags): sequence, topic, version, data."""
        try:
            message = (await self._ask(f"STREAM.MSG.GET.{self.layout.stream}", ask, within))["message"]
        except ApiError as error:
            if error.number == NOT_FOUND:
                return None
            raise
        sequence = message["seq"]
        topic, version = wire.topic_and_version(base64.b64decode(message.get("hdrs", "")), sequence)
        return sequence, topic, version, base64.b64decode(message.get("data", ""))

    async def _ask(self, subject: str, body: Any, within: float) -> dict[str, Any]:
        """Ask the JetStream API something that changes nothing."""
        try:
            return await self.link.api(subject, body, within)
        except Lost as lost:
            raise Unavailable(str(lost)) from None

    async def _ensure_stream(self, replicas: int | None, *, create: bool, idle: float | None = None) -> None:
        name = self.layout.stream
        try:
            info = await self._ask(f"STREAM.INFO.{name}", None, self.within)
        except ApiError as error:
            if error.number != NO_STREAM:
                raise
            if not create:
                raise WrongStream(f"stream {name!r} does not exist, and is not to be created from here") from None
            info = await self._create_stream(replicas or 1, idle)
        wire.check_stream(self.layout, replicas, info["config"])

    async def _create_stream(self, replicas: int, idle: float | None) -> dict[str, Any]:
        name, config = self.layout.stream, wire.stream_config(self.layout, replicas)
        if idle is not None:
            config["consumer_limits"] = {"inactive_threshold": int(idle * tailing.SECOND)}
        try:
            return await self._ask(f"STREAM.CREATE.{name}", config, self.within)
        except ApiError as error:
            if error.number != NAME_TAKEN:
                raise
            return await self._ask(f"STREAM.INFO.{name}", None, self.within)  # somebody was quicker


def check_version(version: Any) -> None:
    """Raise WrongServer for a server older than 2.12, the first with atomic batches."""
    if (version.major, version.minor) < OLDEST:
        raise WrongServer(
            f"nats-server {version.major}.{version.minor}.{version.patch} is too old: 2.12 or later is needed"
        )


def check_sync(monitor: str) -> None:
    """Raise WrongServer unless the server behind this monitoring URL syncs to disk before it acknowledges."""
    try:
        with urllib.request.urlopen(f"{monitor.rstrip('/')}/varz", timeout=5) as page:  # noqa: S310 (an operator's URL)
            settings = orjson.loads(page.read())
    except (OSError, ValueError) as error:
        raise WrongServer(f"cannot read {monitor}/varz to see whether the server syncs to disk: {error}") from None
    if settings.get("jetstream", {}).get("config", {}).get("sync_always") is not True:
        raise WrongServer(
            "the server does not sync to disk before it answers: set `sync_interval: always` in its jetstream block"
        )
