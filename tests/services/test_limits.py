"""What one connection may ask of everybody: bytes before a request, bytes on a WebSocket, seconds for both."""

import asyncio
import json
import os
from base64 import b64encode

import pytest
from websockets.frames import Frame, Opcode

from services.tables import pipes
from services.tables.following import End
from services.tables.pipes import FRAME, HEAD, SAID
from tests.services.kit import AtTable, Running
from tests.services.test_sockets import closing, messages, opened

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(service: Running, sent: bytes) -> Connection:
    """A connection on which this was sent."""
    url = service.client.base_url
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(sent)
    return reader, writer


async def answered(connection: Connection) -> tuple[int, dict[str, object]]:
    """Status and body of the answer after which the service closes the connection."""
    reader, writer = connection
    async with asyncio.timeout(20):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert b"connection: close" in head
    return int(head.split()[1]), json.loads(body)


async def cut_off(connection: Connection) -> None:
    """Wait until the service has cut the connection, whatever it was sending."""
    reader, writer = connection
    async with asyncio.timeout(20):
        try:
            while await reader.read(1 << 16):
                pass
        except ConnectionError:
            pass
    writer.close()


@pytest.mark.parametrize(
    "begun", ["GET /healthz?", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: "], ids=["address", "header"]
)
async def test_the_head_of_a_request_has_a_limit(service: Running, begun: str) -> None:
    status, problem = await answered(await connected(service, begun.encode().ljust(HEAD + 1, b"a")))
    assert (status, problem["rule"], problem["limit"]) == (431, "head_too_large", HEAD)


async def test_a_body_has_no_endless_end(service: Running) -> None:
    """Trailers (RFC 9112, 7.1.2) count like heads."""
    begun = b"POST /tables HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
    await cut_off(await connected(service, begun + b"a" * 10 * HEAD))


async def test_many_requests_on_one_connection_are_no_long_head(service: Running) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000 + b"\r\n\r\n"
    reader, writer = await connected(service, request * 200)
    async with asyncio.timeout(20):
        for _ in range(200):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
    writer.close()


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost:"], ids=["nothing", "half a head"])
async def test_half_a_request_is_not_waited_for(
    service: Running, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "WHOLE", 0.05)
    status, problem = await answered(await connected(service, begun))
    assert (status, problem["rule"]) == (408, "request_too_slow")


async def test_half_a_body_is_not_waited_for(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "WHOLE", 0.05)
    token = service.operator["Authorization"].encode()
    begun = b"POST /tables HTTP/1.1\r\nHost: x\r\nAuthorization: " + token + b"\r\nContent-Length: 20\r\n\r\n{"
    await cut_off(await connected(service, begun))


async def test_a_stream_outlives_the_time_for_a_request(table: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "WHOLE", 0.05)
    reader, writer = await connected(
        table.service, f"GET /tables/{table.id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    )
    async with opened(table) as socket, asyncio.timeout(20):
        await messages(socket, 1)
        await asyncio.sleep(0.1)
        await table.move()
        assert (await messages(socket, 1))[0]["id"] == (await table.view())["version"]
        await reader.readuntil(b"event: played")
    writer.close()


FLOODS = {
    "texts": Frame(Opcode.TEXT, b"x" * 10),
    "nothing": Frame(Opcode.TEXT, b""),
    "parts": Frame(Opcode.CONT, b"", fin=False),
    "pings": Frame(Opcode.PING, b""),
    "pongs": Frame(Opcode.PONG, b"x" * 125),
}


async def on_socket(table: AtTable, sent: bytes) -> Connection:
    """A WebSocket of a spectator on which this was sent after the snapshot."""
    key = b64encode(os.urandom(16)).decode()
    asked = (
        f"GET /tables/{table.id}/ws?as=spectator HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    )
    reader, writer = await connected(
        table.service, f"{asked}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    async with asyncio.timeout(20):
        await reader.readuntil(b"snapshot")
    writer.write(sent)
    return reader, writer


@pytest.mark.parametrize("what", FLOODS)
async def test_who_floods_a_socket_is_cut_off_before_it_is_parsed(
    table: AtTable, what: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    parsed = 0
    handle = pipes.WebSocketProtocol.handle_events

    def counted(protocol: pipes.WebSocketProtocol) -> None:
        nonlocal parsed
        parsed += len(protocol.conn.events)
        handle(protocol)

    monkeypatch.setattr(pipes.WebSocketProtocol, "handle_events", counted)
    first = Frame(Opcode.TEXT, b"", fin=False).serialize(mask=True) if what == "parts" else b""
    await cut_off(await on_socket(table, first + FLOODS[what].serialize(mask=True) * 20_000))
    assert parsed <= SAID / FRAME + pipes.PIECE / 6
    await table.move()  # whoever follows is told by now
    assert not [each for each in caplog.records if each.levelname == "ERROR"], "it is no fault of the service"


async def test_a_client_that_answers_pings_may_stay(table: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than it may say at once, but slowly: what it may say comes back with time."""
    monkeypatch.setattr(pipes, "SLOWLY", 1_000_000_000)
    async with opened(table) as socket:
        await messages(socket, 1)
        for _ in range(2 * SAID // (FRAME + 125)):
            await (await socket.ping(b"x" * 100))
        await table.move()
        await messages(socket, 1)


async def test_nothing_but_the_first_message_is_taken(table: AtTable) -> None:
    async with opened(table, "alice") as socket:
        await messages(socket, 1)
        await socket.send("{}")
        assert await closing(socket) == ([], 1008, End.TALKING.value)


async def test_a_handshake_that_is_too_large_is_answered(table: AtTable) -> None:
    asked = f"GET /tables/{table.id}/ws?{'a' * 20_000} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    status, problem = await answered(await connected(table.service, asked.encode()))
    assert (status, problem["rule"]) == (400, "no_handshake")
