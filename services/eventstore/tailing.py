"""Following the whole log: a pull loop of our own.

nats-py's ordered consumer can lose messages without a word when its queue is full, and its fetch is several times slower. Here every
message must carry the next stream sequence (nothing is ever deleted from the stream); when it does not, when the server falls silent,
or when the connection is lost, the consumer is thrown away and a new one starts after the last event that was handed out.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson

from services.eventstore import wire
from services.eventstore.errors import BrokenLog, StoreError, Unavailable
from services.eventstore.link import ApiError, Lost
from services.eventstore.wire import StoredRecord

if TYPE_CHECKING:
    from services.eventstore.core import JetStreamStore

log = logging.getLogger(__name__)

HEARTBEAT = 1.0
"""Seconds between signs of life that the server sends when there is nothing new."""
SILENCE = 3.0
"""Seconds without any sign before the consumer is given up."""
EXPIRES = 5.0
"""Seconds a pull request stays open; short, because one that was lost in a reconnect is not answered."""
SECOND = 1_000_000_000
NO_STREAM = 10059


class _Feed:
    """One consumer: collects messages in order, and why it ended (`end`) when it has."""

    def __init__(self, store: "JetStreamStore", after: int, batch: int) -> None:
        self.link, self.layout, self.batch = store.link, store.layout, batch
        self.name, self.inbox = f"tail-{secrets.token_hex(8)}", self.link.inbox()
        self.next, self.credit = after + 1, 0
        self.records: list[StoredRecord] = []
        self.end: str | BrokenLog | None = None
        self.heard = False
        self.wake = asyncio.Event()
        self._pull = orjson.dumps(
            {"batch": batch, "expires": int(EXPIRES * SECOND), "idle_heartbeat": int(HEARTBEAT * SECOND)}
        )

    async def open(self) -> None:
        """Make the consumer: on the server it lives in memory, acknowledges nothing, and goes when nobody pulls for 30 s."""
        config = {
            "name": self.name,
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": self.next,
            "ack_policy": "none",
            "replay_policy": "instant",
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": 30 * SECOND,
        }
        self.link.drops.add(self.dropped)
        self.untap = await self.link.tap(self.inbox, self.on_message)
        subject = f"CONSUMER.CREATE.{self.layout.stream}.{self.name}"
        await self.link.api(subject, {"stream_name": self.layout.stream, "config": config, "action": "create"}, 5.0)

    async def close(self) -> None:
        self.link.drops.discard(self.dropped)
        if hasattr(self, "untap"):
            await self.untap()
        with suppress(StoreError, Lost):  # a consumer that is out of reach goes by itself
            await self.link.api(f"CONSUMER.DELETE.{self.layout.stream}.{self.name}", None, 1.0)

    async def pull(self) -> None:
        """Keep more than one batch asked for, so that the server never waits for us."""
        while self.credit <= self.batch:
            self.credit += self.batch
            await self.link.publish(
                f"$JS.API.CONSUMER.MSG.NEXT.{self.layout.stream}.{self.name}", self._pull, self.inbox
            )

    def dropped(self) -> None:
        self.finish("the connection was lost")

    def finish(self, why: str | BrokenLog) -> None:
        self.end = self.end or why
        self.wake.set()

    def on_message(self, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        self.heard = True
        if not reply.startswith(b"$JS.ACK."):
            self.on_status(headers)
        elif self.end is None:
            parts = reply.split(b".")  # $JS.ACK.[domain.account.]stream.consumer.delivered.SEQUENCE.…
            sequence = int(parts[5 if len(parts) == 9 else 7])
            if sequence != self.next:
                self.finish(f"sequence {sequence} came instead of {self.next}")
                return
            self.next += 1
            self.credit -= 1
            try:
                record = self.layout.record(subject.decode(), headers, data, sequence)
            except (BrokenLog, ValueError) as error:
                self.finish(error if isinstance(error, BrokenLog) else BrokenLog(f"message {sequence}: {error}"))
                return
            if record is not None:
                self.records.append(record)
            self.wake.set()

    def on_status(self, headers: bytes) -> None:
        status = headers[9:12]
        if status == b"408":  # a request ran out of time: some of what it asked for is not coming
            self.credit -= wire.number(headers, wire.UNFILLED)
            self.wake.set()
        elif status != b"100":
            self.finish(headers[9:].split(b"\r\n", 1)[0].decode(errors="replace"))


async def tail(store: "JetStreamStore", after: int, batch: int, *, live: bool) -> AsyncIterator[list[StoredRecord]]:
    """See `JetStreamStore.tail`."""
    stop = None if live else await store.last_sequence()
    pause = 0.0
    while stop is None or after < stop:
        feed = _Feed(store, after, batch)
        try:
            await _check_end(store, after)
            await feed.open()
            async for records in _records(feed, stop):
                pause, after = 0.0, feed.next - 1
                if records:
                    yield records
        except (Unavailable, Lost) as error:
            feed.finish(str(error))
        except ApiError as error:
            if error.number == NO_STREAM:
                raise BrokenLog(f"stream {store.layout.stream!r} is gone from the server") from None
            feed.finish(str(error))
        finally:
            await feed.close()
        if isinstance(feed.end, BrokenLog):
            raise feed.end
        if feed.end is not None:
            log.info("tail of %s starts anew after %d: %s", store.layout.stream, after, feed.end)
            await asyncio.sleep(pause)
            pause = min(pause * 2 + 0.05, 1.0)
            await store.link.wait_back(60.0)


async def _check_end(store: "JetStreamStore", after: int) -> None:
    """A stream that ends before what was handed out already has been cut: its numbers would be given to other events."""
    last = await store.last_sequence()
    if last < after:
        raise BrokenLog(
            f"stream {store.layout.stream!r} ends at sequence {last}, but event {after} was read from it before"
        )


async def _records(feed: _Feed, stop: int | None) -> AsyncIterator[list[StoredRecord]]:
    """What the feed collects until it ends or `stop` is reached. An item may be empty: then only other messages came."""
    while True:
        await feed.pull()
        if not feed.wake.is_set():
            feed.heard = False
            try:
                async with asyncio.timeout(SILENCE):
                    await feed.wake.wait()
            except TimeoutError:
                if not feed.heard:
                    feed.finish(f"nothing heard for {SILENCE:g} s")
        feed.wake.clear()
        records, feed.records = feed.records, []
        yield records
        if feed.end is not None or (stop is not None and feed.next > stop):
            return
