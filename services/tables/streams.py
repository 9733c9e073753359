"""Server-sent events of a table: every event once, in order, from where the client was.

A stream has no queue. It remembers the last version it sent and reads on from the room, so a slow client costs no memory and nothing
can be lost between a snapshot and what follows. A client that falls too far behind, or does not read at all, is let go; it comes back
with its last event id and misses nothing.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from services.tables.room import Room
from services.tables.showing import Eyes, message, snapshot

HEARTBEAT: Final = 15.0
"""Seconds of silence after which a comment is sent, so that proxies keep the connection open."""
PATIENCE: Final = 30.0
"""Seconds a client may take to accept one chunk."""
BEHIND: Final = 256
"""Events a client that had caught up may be behind before it is let go."""
CHUNK: Final = 32 * 1024
"""Bytes sent at once when there is much to send."""
HELLO: Final = b"retry: 1000\n"
BEAT: Final = b": still here\n"
"""A comment is a line, not a message: with an empty line after it some clients would make an empty message of it."""
SLOW: Final = b'event: too-slow\ndata: {"detail":"You were too far behind; connect again with Last-Event-ID and you miss nothing."}\n\n'
FAULT: Final = b'event: fault\ndata: {"detail":"The record of this table has a fault; the operator is to look."}\n\n'


class EventStream(Response):
    """The stream of one client. `after` is the last version it has; None begins with a snapshot. `stopping` tells that the service ends."""

    def __init__(self, room: Room, eyes: Eyes, after: int | None, stopping: Callable[[], bool]) -> None:
        super().__init__(
            media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        del self.headers["content-length"]
        self.room, self.eyes, self.after, self.stopping = room, eyes, after, stopping
        self.wake = asyncio.Event()
        self.gone = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 (the ASGI interface)
        """Send until the client goes, the table closes, or the service stops."""
        self.send = send
        self.room.listeners.add(self.wake)
        watch = asyncio.create_task(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            with suppress(TimeoutError):
                await self._run()
                await self._write(b"", more=False)
        finally:
            self.room.listeners.discard(self.wake)
            watch.cancel()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        self.wake.set()

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.send({"type": "http.response.body", "body": data, "more_body": more})

    async def _run(self) -> None:
        cursor = await self._begin()
        caught_up = False
        while not (self.gone or self.stopping()):
            self.wake.clear()
            version = self.room.version
            if caught_up and version - cursor > BEHIND:
                await self._write(SLOW)
                return
            cursor = await self._send_up_to(version, cursor)
            caught_up = True
            if self.room.fault is not None:
                await self._write(FAULT)
                return
            if cursor == self.room.version:
                if self.room.table is not None and self.room.table.closed:
                    return
                await self._rest()

    async def _begin(self) -> int:
        table = self.room.table
        if self.after is None and table is not None:
            await self._write(HELLO + snapshot(table, self.eyes(table)))
            return table.version
        await self._write(BEAT)
        return self.after or 0

    async def _send_up_to(self, version: int, cursor: int) -> int:
        chunk = bytearray()
        for step in self.room.steps(cursor + 1, version):
            chunk += message(self.room, step, self.eyes(step.table))
            if len(chunk) > CHUNK:
                await self._write(bytes(chunk))
                chunk.clear()
                if self.gone:
                    break
        if chunk:
            await self._write(bytes(chunk))
        return version

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(HEARTBEAT):
                await self.wake.wait()
        except TimeoutError:
            await self._write(BEAT)
