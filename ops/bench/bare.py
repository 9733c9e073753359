"""The peer of the benchmark of spectators: a bare server that sends given bytes to everybody at a table, and does nothing else.

    python -m ops.bench.bare PORT

On standard input comes one JSON line: the tables, the bytes of a message, when each table sends (seconds from the start). It answers when
it listens, begins with the next line, and answers with when each message was written.
"""

import asyncio
import sys
from time import monotonic
from typing import Any

import orjson
import uvloop

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Seat(asyncio.Protocol):
    """One client; it is at the table that it asks for."""

    def __init__(self, crowd: dict[str, list[asyncio.Transport]]) -> None:
        self.crowd = crowd

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the way back."""
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        """A request: answer with the first message."""
        table = data.split(b" ", 2)[1].decode().strip("/")
        self.transport.write(HEAD + chunk(1, b"{}"))
        self.crowd[table].append(self.transport)


def chunk(number: int, data: bytes) -> bytes:
    """One message as a chunk."""
    body = b"id: %d\nevent: played\ndata: %b\n\n" % (number, data)
    return b"%x\r\n%b\r\n" % (len(body), body)


async def serve(port: int) -> None:
    """Do what standard input asks."""
    loop = asyncio.get_running_loop()
    asked = orjson.loads(sys.stdin.buffer.readline())
    crowd: dict[str, list[asyncio.Transport]] = {table: [] for table in asked["tables"]}
    data = b"x" * asked["size"]
    listening = await loop.create_server(lambda: Seat(crowd), "127.0.0.1", port, backlog=1024)
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.readline)
    written: dict[str, dict[str, float]] = {table: {} for table in crowd}
    began = monotonic()
    for at, table in asked["times"]:
        await asyncio.sleep(max(0.0, began + at - monotonic()))
        number = len(written[table]) + 2
        written[table][str(number)] = monotonic()
        message = chunk(number, data)
        for transport in crowd[table]:
            transport.write(message)
    sys.stdout.buffer.write(orjson.dumps(written) + b"\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.buffer.readline)
    listening.close()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
