"""The one way in which a client follows a table, whatever the messages travel in: every event once, in order, from where it was.

There is no queue. A follower remembers the last version it sent and reads on from the room, so a slow client costs no memory and nothing
can be lost between a snapshot and what follows. The room calls it after every change and it writes what is new at once; only when the
connection is full does it wait, and a client that then falls too far behind is let go. It comes back with its last id and misses nothing.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from enum import Enum
from math import inf
from typing import Final, NamedTuple

from services.tables.messages import Message
from services.tables.pipes import Pipe
from services.tables.room import Room
from services.tables.showing import Sight, messages, snapshot

log = logging.getLogger(__name__)

HEARTBEAT: Final = 15.0
"""Seconds of silence after which a sign of life is sent, so that proxies keep the connection open."""
PATIENCE: Final = 30.0
"""Seconds a client may take to accept what was written."""
BEHIND: Final = 256
"""Events a client that had caught up may be behind before it is let go."""
CHUNK: Final = 64 * 1024
"""Bytes written to one client before others have their turn."""
LOOK: Final = 3600.0
"""Most seconds between two looks whether a token has expired."""


class End(Enum):
    """Why a stream ended."""

    OVER = "the table is closed"
    STOPPING = "the service ends"
    SLOW = "too far behind: connect again with the last id and you miss nothing"
    LATE = "the first message came too late: send it as soon as the connection is open"
    TALKING = "nothing but the first message is taken from a client"
    EXPIRED = "the token has expired: connect again with another one and the last id"
    FAULT = "the record of this table has a fault; the operator is to look"
    GONE = "the client went away"


class Framing(NamedTuple):
    """How messages travel: `form` makes the bytes of one, `hello` goes before the first, `beat` is a sign of life."""

    form: Callable[[Message], bytes]
    hello: bytes = b""
    beat: bytes = b""


class Follower:
    """One client at one room. `after` is the last version it has; None begins with a snapshot. `stopping` tells that the service ends.

    `expires` is when its token does, in seconds since 1970.
    """

    def __init__(
        self,
        room: Room,
        sight: Sight,
        after: int | None,
        pipe: Pipe,
        framing: Framing,
        stopping: Callable[[], bool],
        expires: float | None = None,
    ) -> None:
        self.room, self.sight, self.pipe, self.framing, self.stopping = room, sight, pipe, framing, stopping
        self.cursor, self._hello, self._expires = after, framing.hello, expires
        self._end: End | None = None
        self._wake = asyncio.Event()
        self._expiry: asyncio.TimerHandle | None = None
        self._resting = self._caught_up = self._silent = False

    async def run(self) -> End:
        """Send until there is a reason to end, and tell it."""
        self.room.listeners.add(self.poke)
        self.pipe.lost = self._lost
        self.pipe.narrow()
        self._heart = asyncio.get_running_loop().call_later(HEARTBEAT, self._beat)
        self._watch_expiry()
        try:
            if self.cursor == self.sight.last(self.room):
                self._write([])
            while (end := self._ended()) is None:
                self._wake.clear()
                if self.pipe.full():
                    await self._drain()
                elif self.cursor is None or self.cursor < self.sight.last(self.room):
                    self._send()
                    await asyncio.sleep(0)
                else:
                    await self._rest()
        finally:
            self._heart.cancel()
            if self._expiry is not None:
                self._expiry.cancel()
            self.room.listeners.discard(self.poke)
            self.pipe.lost = _nothing
        return end

    def stop(self, why: End) -> None:
        """End it."""
        self._end = self._end or why
        self._wake.set()

    def poke(self) -> None:
        """The room has changed: send what is new, or look whether the client is too slow. Never raises, and may come late."""
        if self._resting and self._end is None and not self.pipe.full():
            try:
                more = self._send()
            except Exception:
                log.exception("table %s: a stream cannot go on", self.room.id)
                self.stop(End.FAULT)
            else:
                if more or self.pipe.full() or self._ended() is not None:
                    self._wake.set()
        elif self._ended() is not None:
            self._wake.set()

    def _ended(self) -> End | None:
        """The reason to end, if there is one now."""
        if self._end is not None:
            return self._end
        if self.pipe.gone:
            return End.GONE
        if self.stopping():
            return End.STOPPING
        left = self.sight.last(self.room) - (self.cursor or 0)
        if left:
            return End.SLOW if self._caught_up and left > BEHIND else None
        if self.room.fault is not None:
            return End.FAULT
        return End.OVER if self.room.table is not None and self.room.table.closed else None

    def _send(self) -> bool:
        """Write what is new, or a part when it is much. Returns whether there is more."""
        room, sight, form = self.room, self.sight, self.framing.form
        last = sight.last(room)
        if self.cursor is None:
            table = room.at(last)
            self.cursor = last
            self._write([form(snapshot(table, sight.eyes(table)))])
        elif self.cursor < last:
            if last - self.cursor > BEHIND:
                self._caught_up = False  # so much at once is no fault of the client
            parts, size = [], 0
            for message in messages(room, sight, self.cursor + 1, last):
                parts.append(form(message))
                self.cursor = message.id
                size += len(parts[-1])
                if size > CHUNK:
                    break
            self._write(parts)
        return self.cursor < last

    def _write(self, parts: list[bytes]) -> None:
        if self._hello:
            parts.insert(0, self._hello)
            self._hello = b""
        self.pipe.write(parts[0] if len(parts) == 1 else b"".join(parts))
        self._silent = False

    async def _rest(self) -> None:
        """Wait for something that `poke` cannot do."""
        self._resting = self._caught_up = True
        try:
            await self._wake.wait()
        finally:
            self._resting = False

    async def _drain(self) -> None:
        """Wait until the client has taken what was written."""
        waits = [asyncio.ensure_future(self.pipe.drained()), asyncio.ensure_future(self._wake.wait())]
        try:
            done, _ = await asyncio.wait(waits, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
        if not done:
            self.stop(End.SLOW)

    def _lost(self) -> None:
        self.stop(End.GONE)

    def _beat(self) -> None:
        if self._silent and not self.pipe.full():
            self.pipe.write(self.framing.beat)
        self._silent = True
        self._heart = asyncio.get_running_loop().call_later(HEARTBEAT, self._beat)

    def _watch_expiry(self) -> None:
        """End it when the token has expired, which is looked at once an hour at least: a clock may be set meanwhile."""
        left = inf if self._expires is None else self._expires - time.time()
        if left <= 0:
            self.stop(End.EXPIRED)
        elif left < inf:
            self._expiry = asyncio.get_running_loop().call_later(min(left, LOOK), self._watch_expiry)


def _nothing() -> None:
    """Nobody follows any more."""
