"""Spectators who see all hands late (`as=delayed`): only where the table was opened so, and never nearer than that."""

import asyncio
import json
from typing import Any

import pytest

from tests.services.kit import AtTable, Running, hand_running, table_of_four
from tests.services.test_sockets import messages, opened
from tests.services.test_streams import follow

LATE: dict[str, Any] = {"as": "delayed"}


async def refused(table: AtTable, who: str | None, path: str = "") -> Any:
    response = await table.get(path, who, **LATE)
    return response.status_code, response.json().get("rule")


@pytest.mark.parametrize("path", ["", "events", "audit"])
async def test_a_table_without_the_option_refuses(table: AtTable, path: str) -> None:
    for who in (None, "alice", "auditor"):
        assert await refused(table, who, path) == (403, "view_not_allowed")


async def test_whoever_plays_does_not_look_late(service: Running) -> None:
    table = await hand_running(service, delayed=1)
    assert await refused(table, "alice") == (403, "view_not_allowed")


async def test_the_view_is_that_of_so_many_events_ago_with_all_hands(service: Running) -> None:
    table = await table_of_four(service, delayed=4)
    assert (await table.view(None, **LATE))["version"] == 5, "before a hand nothing is hidden"
    await table.post("hands", "operator")
    for _ in range(8):
        await table.move()
        head = await table.view("auditor")
        late = await table.view(None, **LATE)
        assert late["version"] == max(5, head["version"] - 4)
        then = await table.view("auditor", at=late["version"])
        assert late == then | {"viewer": "delayed"}
    assert all(seat["holding"] for seat in late["seats"])
    newer = await table.get("", None, **LATE, at=late["version"] + 1)
    assert (newer.status_code, newer.json()["version"]) == (404, late["version"])
    listed = (await table.get("audit", None, **LATE)).json()["events"]
    assert [event["version"] for event in listed] == list(range(1, late["version"] + 1))
    assert all("hash" not in event and "command" not in event for event in listed)


async def test_a_late_stream_and_socket_are_the_auditors_so_many_events_ago(service: Running) -> None:
    table = await hand_running(service, delayed=3)
    began = (await table.view())["version"]
    going = asyncio.Event()
    late = asyncio.create_task(follow(table, 5 + began, None, 0, going, **LATE))
    async with opened(table, as_="delayed", after=0) as socket:
        for _ in range(8):
            await table.move()
        found = await messages(socket, began + 5)
    stream = await late
    audited = await follow(table, began + 5, "auditor", 0)
    assert [each.data.replace('"viewer":"auditor"', '"viewer":"delayed"') for each in audited] == [
        each.data for each in stream
    ]
    assert [each["data"] for each in found] == [json.loads(each.data) for each in stream]
    ahead = await table.get("events", None, **LATE, after=(await table.view())["version"])
    assert (ahead.status_code, ahead.json()["rule"]) == (409, "no_such_version")


async def test_by_hands_nothing_comes_before_the_end_and_then_all_of_it(service: Running) -> None:
    table = await hand_running(service, delayed="hand")
    before = (await table.view(None, **LATE))["version"]
    assert before == 5
    async with opened(table, as_="delayed") as socket:
        (snapshot,) = await messages(socket, 1)
        assert snapshot["id"] == before
        await table.play_out()
        version = (await table.view())["version"]
        found = await messages(socket, version - before)
    assert [each["id"] for each in found] == list(range(before + 1, version + 1))
    assert (await table.view(None, **LATE))["version"] == version
