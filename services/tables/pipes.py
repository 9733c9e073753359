"""The way to a client's connection past the ASGI interface, for streams.

A stream sends the same bytes to many clients. Through ASGI each of them costs a task switch, some wrapped calls and a copy; here it is one
write. It also lets a client go that does not read: ASGI can only wait for it. The two protocol classes are uvicorn's own; they leave the
pipe in the `state` of the request's scope, and they let a client go that says more than there is to say. That must be seen before it is
parsed: everybody waits meanwhile.
"""

import asyncio
import http
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from services.problems import Problem

LINGER: Final = 10.0
"""Seconds that the last words to a client that was let go may take to leave, before the connection is cut."""
HELD: Final = 128 * 1024
"""Bytes that the system holds for one stream; Linux takes the double of it."""
HEAD: Final = 64 * 1024
"""Bytes of a request beside its body: more than any browser sends. What one read brings above that may still be taken."""
WHOLE: Final = 30.0
"""Seconds in which a request must have come, from the first byte (the first one: from the connection) to the last."""
SAID: Final = 16 * 1024
"""Bytes a WebSocket client may say at once: the first message and some pongs."""
SLOWLY: Final = 100
"""Bytes it may say in every further second."""
FRAME: Final = 100
"""Bytes that a frame counts beside its own, as even an empty one takes time."""
PIECE: Final = 256
"""Bytes parsed before the next look at what was said."""


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
    """uvicorn's HTTP protocol with a pipe, and with limits to the size of a head and the time a request may take to come (RFC 6585, 5)."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make the pipe."""
        super().connection_made(transport)
        flow = self.flow
        self.pipe = Pipe(transport, lambda: flow.write_paused, flow.drain)
        self.app_state = {**self.app_state, "pipe": self.pipe}
        self._overhead = 0
        self._late = self.loop.call_later(WHOLE, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the pipe."""
        self._late.cancel()
        super().connection_lost(exc)
        self.pipe.end()

    def data_received(self, data: bytes) -> None:
        """Parse it. What is neither a whole head nor a part of a body adds up (trailers and the like, too)."""
        self._overhead += len(data)
        super().data_received(data)
        if self._overhead > HEAD:
            en = f"The head of a request must not be over {HEAD} bytes. Nothing was recorded."
            self._refuse(Problem(431, "head_too_large", en, "请求头过大,没有记录。", limit=HEAD))

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._late.cancel()
        self._late = self.loop.call_later(WHOLE, self._too_late)

    def on_headers_complete(self) -> None:
        """The head has come."""
        self._overhead = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Bodies have a limit of their own (`problems.BodyLimit`)."""
        self._overhead = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request has come."""
        self._overhead = 0
        self._late.cancel()
        super().on_message_complete()

    def _too_late(self) -> None:
        en = f"The request did not come within {WHOLE:g} seconds. Nothing was recorded."
        self._refuse(Problem(408, "request_too_slow", en, "请求未及时到达,没有记录。"))

    def _refuse(self, problem: Problem) -> None:
        """Say so and close, or just close where another answer is on its way."""
        if self.transport.is_closing():
            return
        before: object = self.cycle  # None before the first request
        if before is None or self.cycle.response_complete:
            self.pipe.drop(_as_bytes(problem))
        else:
            self.transport.abort()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with a pipe, and with an end to what a client may say."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Make the pipe."""
        super().connection_made(transport)
        writable = self.writable
        self.pipe = Pipe(self.transport, lambda: not writable.is_set(), writable.wait)
        self.app_state = {**self.app_state, "pipe": self.pipe}
        self._left, self._since = float(SAID), self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the pipe."""
        super().connection_lost(exc)
        self.pipe.end()

    def data_received(self, data: bytes) -> None:
        """Parse it piece by piece, until the client has said too much: then it is cut off, as it would not hear words."""
        if not self.handshake_initiated:
            self._shake_hands(data)
            return
        now = self.loop.time()
        self._left, self._since = min(SAID, self._left + SLOWLY * (now - self._since)), now
        for start in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            piece = data[start : start + PIECE]
            self._left -= len(piece)
            super().data_received(piece)
            if self._left < 0:
                self.transport.abort()

    def handle_events(self) -> None:
        """Count the frames, then as ever."""
        self._left -= FRAME * len(self.conn.events)
        super().handle_events()

    def _shake_hands(self, head: bytes) -> None:
        """The head of the request, which is whole. One that the WebSocket library does not take would wait for ever."""
        super().data_received(head)
        if not self.handshake_initiated:
            en = "The head of this request is not one of a WebSocket, or too large for it."
            self.pipe.drop(_as_bytes(Problem(400, "no_handshake", en, "WebSocket 握手请求无效或过大。")))


def _as_bytes(problem: Problem) -> bytes:
    """A problem as an answer after which the connection is closed (RFC 9112, 9.6)."""
    answer = problem.response()
    reason = http.HTTPStatus(answer.status_code).phrase.encode()
    lines = [b"HTTP/1.1 %d %b" % (answer.status_code, reason), b"connection: close"]
    lines += [b"%b: %b" % header for header in answer.raw_headers]
    return b"\r\n".join((*lines, b"", bytes(answer.body)))


def _nothing() -> None:
    """Nobody asked to be told."""
