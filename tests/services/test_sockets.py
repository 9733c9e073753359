"""WebSockets of a table: the messages of the server-sent events, with tokens that never stand in an address."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from services.eventstore.server import EmbeddedServer
from services.tables import live
from services.tables.following import End
from tests.services.kit import Answer, AtTable, Running, hand_running, running, table_of_four
from tests.services.test_streams import follow

PROTOCOL = "shuangkou.v1"


def token_of(table: AtTable, who: str) -> str:
    headers = table.service.auditor if who == "auditor" else table.headers[who]
    return headers["Authorization"].removeprefix("Bearer ")


def address(table: AtTable, **query: Any) -> str:
    asked = "&".join(f"{name.rstrip('_')}={value}" for name, value in query.items())
    return str(table.service.client.base_url).replace("http", "ws").rstrip("/") + f"/tables/{table.id}/ws?{asked}"


@asynccontextmanager
async def opened(table: AtTable, who: str | None = None, **query: Any) -> AsyncIterator[ClientConnection]:
    """A socket, with the token as subprotocol where there is one."""
    if who is None and not query.get("as_"):
        query["as_"] = "spectator"
    offered: Any = None if who is None else [PROTOCOL, f"bearer.{token_of(table, who)}"]
    async with asyncio.timeout(20), connect(address(table, **query), subprotocols=offered, proxy=None) as socket:
        yield socket


async def messages(socket: ClientConnection, number: int) -> list[Answer]:
    return [json.loads(await socket.recv()) for _ in range(number)]


async def closing(socket: ClientConnection) -> tuple[list[Answer], int, str]:
    """Everything until the close, its code and reason."""
    found: list[Answer] = []
    with suppress(ConnectionClosed):
        while True:
            found.append(json.loads(await socket.recv()))
    return found, socket.close_code or 0, socket.close_reason or ""


async def test_a_socket_begins_with_a_snapshot_and_goes_on_live(table: AtTable) -> None:
    version = (await table.view())["version"]
    async with opened(table) as socket:
        (snapshot,) = await messages(socket, 1)
        await table.move()
        await table.move()
        live = await messages(socket, 2)
    assert (snapshot["event"], snapshot["id"]) == ("snapshot", version)
    assert [message["id"] for message in live] == [version + 1, version + 2]
    assert all(message["data"]["view"]["viewer"] == "spectator" for message in live)


@pytest.mark.parametrize("who", [None, "alice", "auditor"])
async def test_it_says_exactly_what_the_server_sent_events_say(table: AtTable, who: str | None) -> None:
    for _ in range(6):
        await table.move()
    version = (await table.view())["version"]
    stream = await follow(table, version, who, last=0)
    async with opened(table, who, after=0) as socket:
        found = await messages(socket, version)
    assert [(str(each["id"]), each["event"], each["data"]) for each in found] == [
        (each.id, each.event, json.loads(each.data)) for each in stream
    ]


async def test_after_gives_exactly_what_was_missed(table: AtTable) -> None:
    for _ in range(8):
        await table.move()
    version = (await table.view())["version"]
    for after in (0, 1, 5, version - 1):
        async with opened(table, after=after) as socket:
            missed = await messages(socket, version - after)
        assert [message["id"] for message in missed] == list(range(after + 1, version + 1))


async def test_the_token_may_be_the_first_message(table: AtTable) -> None:
    async with asyncio.timeout(20), connect(address(table), proxy=None) as socket:
        await socket.send(json.dumps({"token": token_of(table, "bob")}))
        (snapshot,) = await messages(socket, 1)
    assert snapshot["data"]["view"]["viewer"] == "1"
    assert len(snapshot["data"]["view"]["seats"][1]["holding"]) == 27


async def test_the_token_may_be_a_header(table: AtTable) -> None:
    headers = table.headers["carol"]
    async with asyncio.timeout(20), connect(address(table), additional_headers=headers, proxy=None) as socket:
        (snapshot,) = await messages(socket, 1)
    assert snapshot["data"]["view"]["viewer"] == "2"


async def test_an_empty_first_message_or_none_is_a_spectator(table: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    async with asyncio.timeout(20), connect(address(table), proxy=None) as socket:
        await socket.send("{}")
        assert (await messages(socket, 1))[0]["data"]["view"]["viewer"] == "spectator"
    monkeypatch.setattr(live, "GUEST", 0.01)
    async with asyncio.timeout(20), connect(address(table), proxy=None) as socket:
        assert (await messages(socket, 1))[0]["data"]["view"]["viewer"] == "spectator"
        await socket.send(json.dumps({"token": token_of(table, "bob")}))
        _, code, reason = await closing(socket)
    assert (code, reason) == (1008, End.LATE.value)


async def test_an_auditor_may_take_other_eyes_and_nobody_else(table: AtTable) -> None:
    async with opened(table, "auditor", as_="3") as socket:
        (snapshot,) = await messages(socket, 1)
    assert snapshot["data"]["view"]["viewer"] == "3"
    for who, wanted in (("alice", "1"), (None, "auditor")):
        if who is None:
            async with asyncio.timeout(20), connect(address(table, as_=wanted), proxy=None) as socket:
                await socket.send("{}")
                (problem,), code, reason = await closing(socket)
            assert (problem["event"], problem["data"]["rule"]) == ("problem", "view_not_allowed")
            assert (code, reason) == (1008, "view_not_allowed")
        else:
            with pytest.raises(InvalidStatus) as refused:
                async with opened(table, who, as_=wanted):
                    pass
            assert refused.value.response.status_code == 403
            assert json.loads(refused.value.response.body or b"")["rule"] == "view_not_allowed"


@pytest.mark.parametrize(
    ("query", "status", "rule"),
    [
        ({"after": 999}, 409, "no_such_version"),
        ({"after": "x"}, 400, "unreadable"),
        ({"token": "secret"}, 400, "token_in_address"),
    ],
)
async def test_what_cannot_be_followed_is_refused_before_the_handshake(
    table: AtTable, query: Answer, status: int, rule: str
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with opened(table, as_="spectator", **query):
            pass
    assert refused.value.response.status_code == status
    assert refused.value.response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(refused.value.response.body or b"")["rule"] == rule


async def test_no_such_table_and_a_wrong_token(table: AtTable) -> None:
    nowhere = AtTable(table.service, "t-nowhere", {})
    with pytest.raises(InvalidStatus) as refused:
        async with opened(nowhere):
            pass
    assert refused.value.response.status_code == 404
    for said in ('{"token":"a.b.c"}', '{"seat":1}', "[", '{"token":7}'):
        async with asyncio.timeout(20), connect(address(table), proxy=None) as socket:
            await socket.send(said)
            (problem,), code, reason = await closing(socket)
        assert problem["data"]["status"] in {400, 401}
        assert (code, reason) == (1008, problem["data"]["rule"])


async def test_only_our_subprotocol_is_spoken(table: AtTable) -> None:
    async with opened(table, "dave") as socket:
        assert socket.subprotocol == PROTOCOL, "a token is not repeated in the answer"
    offered: Any = ["chat", f"bearer.{token_of(table, 'dave')}"]
    with pytest.raises(InvalidStatus) as refused:
        async with asyncio.timeout(20), connect(address(table), subprotocols=offered, proxy=None):
            pass
    assert refused.value.response.status_code == 400


async def test_it_ends_with_the_table(service: Running) -> None:
    table = await table_of_four(service)
    async with opened(table) as socket:
        await messages(socket, 1)
        for name in table.headers:
            await table.post("leave", name)
        found, code, reason = await closing(socket)
    assert found[-1]["event"] == "table-closed"
    assert (code, reason) == (1000, "the table is closed")
    async with opened(table, after=found[-1]["id"]) as socket:
        assert (await closing(socket))[:2] == ([], 1000)


async def test_a_service_that_stops_says_so(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> None:
    async with running(tmp_path, nats_server.url, stream_name) as service:
        table = await hand_running(service)
        async with opened(table) as socket:
            await messages(socket, 1)
            service.parts.rooms.end_streams()
            assert await closing(socket) == ([], 1001, "the service ends")


async def test_a_client_that_goes_is_forgotten(table: AtTable) -> None:
    rooms = table.service.parts.rooms
    async with opened(table) as socket:
        await messages(socket, 1)
        assert rooms.streams == 1
    for _ in range(500):
        await table.move()
        if not rooms.streams:
            return
    raise AssertionError("the room still has a follower")
