"""Many spectators in one process: bare connections that note when each message came. The benchmark of spectators starts it.

On standard input comes one JSON line: where to connect, the tables, how many clients; answered by one line when all have their snapshot.
A second line tells when each event was acknowledged; answered by one line with the delays, when every client has the last event of its
table or ten seconds have passed.
"""

import asyncio
import re
import sys
from array import array
from time import monotonic
from typing import Any, Final

import orjson
import uvloop

ID: Final = re.compile(rb"id: (\d+)\nevent: ")
"""Where a message begins. JSON has no line breaks, so it cannot stand within one."""
TAIL: Final = 24
"""Bytes kept in case the beginning of a message was cut in two."""
AT_ONCE: Final = 200
"""Connections made at the same time."""
WAITS: Final = 200
"""Twentieths of a second that clients get to have all of it."""


class Spectator(asyncio.Protocol):
    """One client. `ids` and `times` are what came, and when."""

    def __init__(self, request: bytes) -> None:
        self.request, self.tail = request, b""
        self.ids, self.times = array("q"), array("d")
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost, self.size = False, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        transport.write(self.request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Note every message that begins here."""
        self.size += len(data)
        now, data, end = monotonic(), self.tail + data, 0
        for found in ID.finditer(data):
            self.ids.append(int(found[1]))
            self.times.append(now)
            end = found.end()
        self.tail = data[max(end, len(data) - TAIL) :]
        if self.ids and not self.ready.done():
            self.ready.set_result(None)

    def connection_lost(self, _: Exception | None) -> None:
        """It should not end."""
        self.lost = True


async def attend(asked: dict[str, Any]) -> list[tuple[str, Spectator]]:
    """Connect all clients, one table after the other, and wait for their first message."""
    loop, gate = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)
    tables = asked["tables"]

    async def one(number: int) -> tuple[str, Spectator]:
        table = tables[number % len(tables)]
        request = f"GET {asked['path'].format(table)} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()
        async with gate:
            _, client = await loop.create_connection(lambda: Spectator(request), asked["host"], asked["port"])
            await client.ready
        return table, client

    return list(await asyncio.gather(*(one(number) for number in range(asked["clients"]))))


async def judged(clients: list[tuple[str, Spectator]], acked: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The delays from the acknowledgement, in milliseconds, and how many clients are behind, lost, or miss something."""
    last = {table: max(map(int, versions)) for table, versions in acked.items()}
    for _ in range(WAITS):
        if any(client.ids[-1] < last[table] for table, client in clients):
            await asyncio.sleep(0.05)
    delays, broken = array("d"), 0
    for table, client in clients:
        times = acked[table]
        broken += list(client.ids) != list(range(client.ids[0], client.ids[-1] + 1))
        for version, at in zip(client.ids, client.times, strict=True):
            sent = times.get(str(version))
            if sent is not None:
                delays.append((at - sent) * 1000)
    ordered = sorted(delays)
    return {
        "messages": len(ordered),
        "size": sum(client.size for _, client in clients) // sum(len(client.ids) for _, client in clients),
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[len(ordered) * 99 // 100],
        "most": ordered[-1],
        "behind": sum(client.ids[-1] < last[table] for table, client in clients),
        "lost": sum(client.lost for _, client in clients),
        "broken": broken,
    }


async def serve() -> None:
    """Do what standard input asks."""
    loop = asyncio.get_running_loop()
    clients = await attend(orjson.loads(sys.stdin.buffer.readline()))
    print("ready", flush=True)
    told = await loop.run_in_executor(None, sys.stdin.buffer.readline)
    sys.stdout.buffer.write(orjson.dumps(await judged(clients, orjson.loads(told))) + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    uvloop.run(serve())
