"""The way to a client's connection past the ASGI interface, for streams.

A stream sends the same bytes to many clients. Through ASGI each of them costs a task switch, some wrapped calls and a copy; here it is one
write. It also lets a client go that does not read: ASGI can only wait for it. The two protocol classes are uvicorn's own and do
nothing but leave the pipe in the `state` of the request's scope.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LINGER: Final = 10.0
"""Seconds that the last words to a client that was let go may take to leave, before the connection is cut."""
HELD: Final = 128 * 1024
"""Bytes that the system holds for one stream; Linux takes the double of it."""


class Pipe:
    """One connection. `lost` is called once when it is gone."""

    def __init__(
        self, transport: asyncio.Transport, full: Callable[[], bool], drained: Callable[[], Awaitable[Any]]
    ) -> None:
        self.full: Final = full
        self.drained: Final = drained
        self.gone = False
        self.lost: Callable[[], None] = _nothing
        self._transport = transport

    def narrow(self) -> None:
        """Let the system hold little for a client that does not read, so that it is noticed soon and costs no memory."""
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD)

    def write(self, data: bytes) -> None:
        """Write, unless the connection is being closed."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def drop(self, last: bytes) -> None:
        """Let the client go with these last bytes. It gets them if it reads on within `LINGER` seconds."""
        self.write(last)
        self._transport.close()
        asyncio.get_running_loop().call_later(LINGER, self._transport.abort)

    def end(self) -> None:
        """The connection is gone."""
        self.gone = True
        self.lost()


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol with a pipe."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make the pipe."""
        super().connection_made(transport)
        flow = self.flow
        self.pipe = Pipe(transport, lambda: flow.write_paused, flow.drain)
        self.app_state = {**self.app_state, "pipe": self.pipe}

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the pipe."""
        super().connection_lost(exc)
        self.pipe.end()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with a pipe."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Make the pipe."""
        super().connection_made(transport)
        writable = self.writable
        self.pipe = Pipe(self.transport, lambda: not writable.is_set(), writable.wait)
        self.app_state = {**self.app_state, "pipe": self.pipe}

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the pipe."""
        super().connection_lost(exc)
        self.pipe.end()


def _nothing() -> None:
    """Nobody asked to be told."""
