"""Server-sent events: every event once, in order, as the caller sees it, from where the client was."""

import asyncio
import json
from pathlib import Path
from typing import Any

from httpx_sse import ServerSentEvent, aconnect_sse

from services.eventstore.server import EmbeddedServer
from tests.services.kit import AtTable, Running, hand_running, running, table_of_four


async def follow(
    table: AtTable,
    number: int | None = None,
    who: str | None = None,
    last: int | None = None,
    opened: asyncio.Event | None = None,
    **query: Any,
) -> list[ServerSentEvent]:
    """The first so many messages of a stream (None: until it ends); then the client goes. `opened` is set when it has begun."""
    headers = {} if who is None else table.service.auditor if who == "auditor" else table.headers[who]
    if last is not None:
        headers = headers | {"Last-Event-ID": str(last)}
    path = f"/tables/{table.id}/events"
    found: list[ServerSentEvent] = []
    async with (
        asyncio.timeout(20),
        aconnect_sse(table.service.client, "GET", path, headers=headers, params=query) as source,
    ):
        assert source.response.status_code == 200
        async for message in source.aiter_sse():
            found.append(message)
            if opened is not None:
                opened.set()
            if len(found) == number:
                break
    return found


async def test_a_stream_begins_with_a_snapshot_and_goes_on_live(table: AtTable) -> None:
    version = (await table.view())["version"]
    opened = asyncio.Event()
    following = asyncio.create_task(follow(table, 3, opened=opened))
    await opened.wait()
    await table.move()
    await table.move()
    snapshot, *live = await following
    assert (snapshot.event, snapshot.id) == ("snapshot", str(version))
    assert [int(message.id) for message in live] == [version + 1, version + 2]
    for message in live:
        data = json.loads(message.data)
        assert message.event in data["event"]["type"]
        assert data["event"]["version"] == data["view"]["version"] == int(message.id)
        assert data["view"]["viewer"] == "spectator"


async def test_last_event_id_gives_exactly_what_was_missed(table: AtTable) -> None:
    for _ in range(8):
        await table.move()
    version = (await table.view())["version"]
    for last in (0, 1, 5, version - 1):
        missed = await follow(table, version - last, last=last)
        assert [int(message.id) for message in missed] == list(range(last + 1, version + 1))
    by_query, by_header = await follow(table, 1, after=5), await follow(table, 1, last=5)
    assert by_query[0].data == by_header[0].data


async def test_a_stream_ends_with_the_table_and_is_not_asked_for_again(service: Running) -> None:
    table = await table_of_four(service)
    for name in table.headers:
        await table.post("leave", name)
    messages = await follow(table, last=0)
    assert messages[-1].event == "table-closed"
    response = await service.client.get(f"/tables/{table.id}/events", headers={"Last-Event-ID": messages[-1].id})
    assert response.status_code == 204


async def test_an_id_that_is_not_of_this_table(table: AtTable) -> None:
    url = f"/tables/{table.id}/events"
    ahead = await table.service.client.get(url, headers={"Last-Event-ID": "999"})
    assert (ahead.status_code, ahead.json()["rule"]) == (409, "no_such_version")
    wrong = await table.service.client.get(url, headers={"Last-Event-ID": "x"})
    assert (wrong.status_code, wrong.json()["rule"]) == (400, "unreadable")


async def test_a_player_keeps_the_own_cards_when_seats_are_swapped(service: Running) -> None:
    """The stream of a player follows the player, not the chair."""
    for _ in range(12):
        table = await hand_running(service, "huopin")
        audit = (await table.get("audit", "auditor")).json()["events"]
        swaps = [event["data"] for event in audit if "seats-swapped" in event["type"]]
        if swaps:
            break
    before, after = ["alice", "bob", "carol", "dave"], swaps[0]["players"]
    moved = before[swaps[0]["seats"][0]]
    dealt = next(event["version"] for event in audit if "dealt" in event["type"])
    messages = await follow(table, 2, moved, last=dealt - 1)
    views = [json.loads(message.data)["view"] for message in messages]
    own = [view["seats"][seats.index(moved)]["holding"] for view, seats in zip(views, (before, after), strict=True)]
    assert own[0] == own[1]
    assert len(own[0]) == 27
    assert [view["viewer"] for view in views] == [str(before.index(moved)), str(after.index(moved))]


async def test_what_another_service_records_arrives_too(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str
) -> None:
    async with (
        running(tmp_path, nats_server.url, stream_name) as one,
        running(tmp_path, nats_server.url, stream_name, commands=False) as spectate,
    ):
        here = await hand_running(one)
        there = AtTable(spectate, here.id, here.headers)
        version = (await here.view())["version"]
        following = asyncio.create_task(follow(there, version + 5, last=0))
        for _ in range(5):
            await here.move()
        messages = await following
        assert [int(message.id) for message in messages] == list(range(1, version + 6))
        assert (await there.post("hands", "operator")).status_code == 404, "the spectators' service takes no commands"


async def test_all_with_the_same_eyes_get_the_same_bytes(table: AtTable) -> None:
    following = [asyncio.create_task(follow(table, 10, last=0)) for _ in range(5)]
    for _ in range(6):
        await table.move()
    first, *others = [[(message.id, message.data) for message in await one] for one in following]
    assert all(other == first for other in others)


async def test_streams_end_when_the_service_stops(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str
) -> None:
    async with running(tmp_path, nats_server.url, stream_name) as service:
        table = await hand_running(service)
        opened = asyncio.Event()
        following = asyncio.create_task(follow(table, opened=opened))
        await opened.wait()
        service.parts.rooms.end_streams()
        assert [message.event for message in await following] == ["snapshot"]
