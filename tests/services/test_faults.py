"""NATS down, frozen, killed in the middle of a command; a full disk: a clear error, and nothing lost or recorded twice."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from domain.verify import verify_lines
from services.eventstore.server import EmbeddedServer
from tests.kit.nats import freeze, thaw
from tests.services.kit import AtTable, Running, bearer, hand_running, running, table_of_four


@pytest.fixture
async def table(tmp_path: Path, own_nats_server: EmbeddedServer) -> AsyncIterator[AtTable]:
    """A hand just dealt on a server that the test may break; the store gives up after a second."""
    async with running(tmp_path, own_nats_server.url, "FAULTS", within=1.0) as service:
        yield await hand_running(service)


async def next_move(table: AtTable) -> tuple[str, str, dict[str, list[str]]]:
    """The player to move, and a play that the hints allow."""
    who = await table.to_move()
    return who, "plays", {"cards": (await table.get("options", who)).json()["options"][0]["cards"]}


async def ready(service: Running) -> None:
    """Wait until the service is ready again."""
    for _ in range(200):
        if (await service.client.get("/readyz")).status_code == 200:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the service did not become ready")


def unavailable(response: httpx.Response, *, recorded: bool | None) -> None:
    """The command was not taken; `recorded` False: surely not recorded, None: it may have been."""
    body = response.json()
    assert (response.status_code, body["rule"], body["recorded"]) == (503, "store_unavailable", recorded)
    assert "Idempotency-Key" in body["detail"]
    assert response.headers["retry-after"]


async def test_nats_down(table: AtTable, own_nats_server: EmbeddedServer) -> None:
    """Nothing is recorded, the views stay, and the service is ready again by itself when NATS is back."""
    who, what, body = await next_move(table)
    before = await table.view("alice")
    own_nats_server.kill()
    unavailable(await table.post(what, who, body, Idempotency_Key="k"), recorded=False)
    assert await table.view("alice") == before
    unavailable(await table.get("", "auditor"), recorded=False)  # a look that cannot be put on record is not granted
    client = table.service.client
    assert (await client.get("/healthz")).status_code == 200
    assert (await client.get("/readyz")).json()["rule"] == "not_ready"
    other = await client.get("/tables/t-elsewhere")
    assert (other.status_code, other.json()["rule"]) == (503, "store_unavailable")
    own_nats_server.start()
    await ready(table.service)
    assert (await table.post(what, who, body, Idempotency_Key="k")).status_code == 200
    assert await table.versions() == before["version"] + 1


async def test_nats_killed_with_a_command_on_its_way(table: AtTable, own_nats_server: EmbeddedServer) -> None:
    """The command reached a server that never came to read it."""
    who, what, body = await next_move(table)
    before = await table.versions()
    freeze(own_nats_server)
    unavailable(await table.post(what, who, body, Idempotency_Key="k"), recorded=None)
    own_nats_server.kill()
    own_nats_server.start()
    await ready(table.service)
    again = await table.post(what, who, body, Idempotency_Key="k")
    assert (again.status_code, again.json()["version"]) == (200, before + 1)
    assert await table.versions() == before + 1


async def test_nats_frozen_and_the_command_recorded_after_all(table: AtTable, own_nats_server: EmbeddedServer) -> None:
    """The answer was lost, the event was not: the repeat finds it and records nothing more."""
    who, what, body = await next_move(table)
    before = await table.versions()
    freeze(own_nats_server)
    unavailable(await table.post(what, who, body, Idempotency_Key="k"), recorded=None)
    thaw(own_nats_server)
    for _ in range(200):
        if await table.versions() > before:
            break
        await asyncio.sleep(0.02)
    again = await table.post(what, who, body, Idempotency_Key="k")
    assert (again.status_code, again.json()["version"]) == (200, before + 1)
    assert again.headers["idempotent-replayed"] == "true"
    assert (await table.move()).json()["version"] > before + 1
    assert verify_lines([record.data for record in await table.service.store.read(table.id)]).clean


async def test_nats_killed_again_and_again_under_load(table: AtTable, own_nats_server: EmbeddedServer) -> None:
    """Every command is repeated with its key until it is answered; each is recorded once, and the chain holds."""
    service = table.service
    answered: list[int] = []

    async def play_on() -> None:
        for number in range(60):
            while True:
                answer = await table.move(Idempotency_Key=f"m{number}")
                if answer.status_code == 200:
                    answered.append(answer.json()["version"])
                    break
                assert answer.status_code == 503
                await asyncio.sleep(0.05)

    playing = asyncio.create_task(play_on())
    for moves in (10, 25, 40):
        for _ in range(20_000):
            if len(answered) >= moves:
                break
            await asyncio.sleep(0.001)
        own_nats_server.kill()
        own_nats_server.start()
    await playing
    lines = [record.data for record in await service.store.read(table.id)]
    assert verify_lines(lines).clean
    assert len(answered) == len(set(answered)) == 60
    assert answered[-1] == len(lines)


async def test_a_service_killed_is_continued_by_the_next(tmp_path: Path, own_nats_server: EmbeddedServer) -> None:
    """Nothing but the stream is needed to go on: a hand that was being played is played on and revealed."""
    async with running(tmp_path, own_nats_server.url, "FAULTS") as first:
        table = await hand_running(first)
        await table.move()
        own_nats_server.kill()
    own_nats_server.start()
    async with running(tmp_path, own_nats_server.url, "FAULTS") as second:
        table.service = second
        await table.play_out()
        assert verify_lines([record.data for record in await second.store.read(table.id)]).clean


@pytest.mark.parametrize("room", [48, 50, 52, 57])
async def test_disk_full(tmp_path: Path, room: int) -> None:
    """507; what is recorded stays, reads go on, and when there is room the repeat is recorded once.

    The limit may be met in the middle of a command of several events; then the rest of it is recorded as soon as there is room.
    """
    with EmbeddedServer(tmp_path / "nats", max_file=room * 1024) as server:
        async with running(tmp_path, server.url, "FULL") as service:
            table = await table_of_four(service)
            for number in range(500):
                answer = await fill(table, number)
                if answer.status_code != 200:
                    break
            assert (answer.status_code, answer.json()["rule"]) == (507, "storage_full"), answer.text
            assert (await table.get()).status_code == 200
            ready_now = await service.client.get("/readyz")
            assert (ready_now.status_code, ready_now.json()["rule"]) == (503, "not_ready")
            lines = [record.data for record in await service.store.read(table.id)]
            server.stop()
            server.config = replace(server.config, max_file=None)
            server.start()
            await ready(service)
            again = await fill(table, number)
            assert again.status_code == 200, again.text
            after = [record.data for record in await service.store.read(table.id)]
            assert after[: len(lines)] == lines
            assert len(after) == again.json()["version"]
            assert verify_lines(after).clean


async def fill(table: AtTable, number: int) -> httpx.Response:
    """Deal a hand and abandon it, by turns: the seat is taken again at once."""
    if number % 3 == 0:
        return await table.post("hands", "operator", Idempotency_Key=str(number))
    if number % 3 == 1:
        return await table.post("leave", "alice", Idempotency_Key=str(number))
    answer = await table.post("seats", "operator", {"player": "alice"}, Idempotency_Key=str(number))
    if answer.status_code == 201:
        table.headers["alice"] = bearer(answer.json()["token"])
        answer.status_code = 200
    return answer
