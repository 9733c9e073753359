"""Server-sent events: how a follower's messages travel in an HTTP answer."""

from collections.abc import Callable, Mapping
from typing import Final

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from services.tables.following import End, Follower, Framing
from services.tables.messages import chunk
from services.tables.pipes import Pipe
from services.tables.room import Room
from services.tables.showing import Sight


def _farewell(name: str, end: End) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps({"detail": f"{end.value}."}))


LAST: Final = b"0\r\n\r\n"
"""What ends such a body."""
NEW: Final = Framing(lambda message: message.chunk, chunk(b"retry: 1000\n"), chunk(b": still here\n"))
"""A heartbeat is a comment line, not a message: with an empty line after it some clients would make an empty message of it."""
AGAIN: Final = NEW._replace(hello=NEW.beat)
FAREWELLS: Final[Mapping[End, bytes]] = {
    End.SLOW: _farewell("too-slow", End.SLOW),
    End.FAULT: _farewell("fault", End.FAULT),
    End.EXPIRED: _farewell("expired", End.EXPIRED),
}
"""What a client is told that is not simply to come back."""


class EventStream(Response):
    """The stream of one client. `after` is the last version it has; None begins with a snapshot. `stopping` tells that the service ends.

    `expires` is when its token does, in seconds since 1970. The head of the answer goes through ASGI, what follows goes straight to the
    connection.
    """

    def __init__(
        self, room: Room, sight: Sight, after: int | None, stopping: Callable[[], bool], expires: float | None
    ) -> None:
        super().__init__(
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Transfer-Encoding": "chunked"},
        )
        del self.headers["content-length"]
        self.room, self.sight, self.after, self.stopping, self.expires = room, sight, after, stopping, expires

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the client goes, the table closes, or the service stops."""
        pipe: Pipe = scope["state"]["pipe"]
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        framing = NEW if self.after is None else AGAIN
        end = await Follower(self.room, self.sight, self.after, pipe, framing, self.stopping, self.expires).run()
        farewell = FAREWELLS.get(end, b"")
        if end is End.SLOW or pipe.full():
            pipe.drop((chunk(farewell) if farewell else b"") + LAST)
        elif end is not End.GONE:
            await send({"type": "http.response.body", "body": farewell})
            return
        while (await receive())["type"] != "http.disconnect":
            pass
