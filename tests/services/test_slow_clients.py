"""Clients that do not read, on real connections: they are let go, are told why when they read on, and come back without a loss."""

import asyncio
import json
import socket

import pytest
from websockets.asyncio.client import connect

from services.tables import following
from tests.services.kit import AtTable
from tests.services.test_sockets import address, closing
from tests.services.test_streams import follow


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand has too few events for the usual patience."""
    monkeypatch.setattr(following, "BEHIND", 8)
    monkeypatch.setattr("services.tables.pipes.HELD", 8 * 1024)


def narrow(table: AtTable) -> socket.socket:
    """A connection to the service of which the system takes little for somebody who does not read."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    url = table.service.client.base_url
    found.connect((url.host, url.port))
    found.setblocking(False)
    return found


async def let_go(table: AtTable) -> None:
    """Play until the service follows nobody any more."""
    rooms = table.service.parts.rooms
    assert rooms.streams == 1
    while rooms.streams:
        moved = (await table.move()).json()
        assert moved["turn"] is not None, "the hand ended before the client was let go"


async def test_a_stream_that_nobody_reads_ends_with_a_reason(table: AtTable) -> None:
    reader, writer = await asyncio.open_connection(sock=narrow(table), limit=1024)
    writer.write(f"GET /tables/{table.id}/events HTTP/1.1\r\nHost: test\r\n\r\n".encode())
    await reader.readuntil(b"snapshot")
    await let_go(table)
    rest = b""
    while read := await reader.read(1 << 16):
        rest += read
    writer.close()
    assert rest.endswith(b"\r\n0\r\n\r\n")
    said = rest.rpartition(b"event: ")[2]
    assert said.startswith(b"too-slow\ndata: ")
    last = int(rest.rpartition(b"\nid: ")[2].split()[0])
    version = (await table.view())["version"]
    missed = await follow(table, version - last, last=last)
    assert [int(each.id) for each in missed] == list(range(last + 1, version + 1))


async def test_a_socket_that_nobody_reads_is_closed_with_a_reason(table: AtTable) -> None:
    async with connect(address(table, as_="spectator"), sock=narrow(table), max_queue=1, proxy=None) as client:
        await client.recv()
        await let_go(table)
        found, code, reason = await closing(client)
    assert (code, reason) == (1013, following.End.SLOW.value)
    assert [each["id"] for each in found] == list(range(found[0]["id"], found[-1]["id"] + 1))
    last, version = found[-1]["id"], (await table.view())["version"]
    async with connect(address(table, as_="spectator", after=last), proxy=None) as client:
        missed = [json.loads(await client.recv()) for _ in range(version - last)]
    assert [each["id"] for each in missed] == list(range(last + 1, version + 1))
