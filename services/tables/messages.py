"""One message of a stream, in the forms that travel: as a server-sent event and as a WebSocket text. Made once for all who get it."""

from functools import cached_property

from websockets.frames import Frame, Opcode


class Message:
    """`id` is the version of the table after it, `event` its name, `data` JSON. The forms are made when they are first asked for."""

    def __init__(self, version: int, event: str, data: bytes) -> None:
        self.id, self.event, self.data = version, event, data

    @cached_property
    def chunk(self) -> bytes:
        """A server-sent event as a chunk of an HTTP/1.1 body."""
        return chunk(b"id: %d\nevent: %b\ndata: %b\n\n" % (self.id, self.event.encode(), self.data))

    @cached_property
    def frame(self) -> bytes:
        """The WebSocket frame of a text: `{"id":…,"event":…,"data":…}`."""
        return frame(b'{"id":%d,"event":"%b","data":%b}' % (self.id, self.event.encode(), self.data))


def chunk(data: bytes) -> bytes:
    """A part of an HTTP/1.1 body of unknown length (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def frame(text: bytes) -> bytes:
    """A text as a server sends it to a WebSocket (RFC 6455, 5.2)."""
    return Frame(Opcode.TEXT, text).serialize(mask=False)
