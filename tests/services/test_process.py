"""The service as a process: it stops in order while clients follow, and goes on after kill -9 where it was."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from domain.verify import verify_file
from services.auth import operator_token
from services.eventstore.server import EmbeddedServer, free_port
from services.settings import Settings, load_secrets
from services.store import NotRunning
from services.tables import app
from tests.services.kit import bearer

PROGRAM = """
import sys
from pathlib import Path
from services.settings import Settings
from services.tables.app import run
run(Settings(data=Path(sys.argv[1]), nats=sys.argv[2], port=int(sys.argv[3])))
"""


@asynccontextmanager
async def process(data: Path, nats: str, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The table service in a process of its own, ready."""
    argv = (sys.executable, "-c", PROGRAM, str(data), nats, str(port))
    started = await asyncio.create_subprocess_exec(*argv, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            for _ in range(400):
                try:
                    if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                        break
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()


async def test_kill_9_and_on_with_the_same_hand(tmp_path: Path, own_nats_server: EmbeddedServer) -> None:
    """Commands in flight when it is killed are repeated at its successor with their keys; the match file verifies."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    operator = bearer(operator_token(load_secrets(tmp_path)))

    async def send(client: httpx.AsyncClient, path: str, key: str, body: object = None) -> httpx.Response:
        for _ in range(400):
            try:
                return await client.post(path, json=body, headers=operator | {"Idempotency-Key": key})
            except httpx.TransportError:
                await asyncio.sleep(0.05)
        raise AssertionError("the service did not come back")

    async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as client:
        async with process(tmp_path, own_nats_server.url, port) as first:
            opened = [asyncio.create_task(send(client, "/tables", f"t{n}", {"ruleset": "basic"})) for n in range(60)]
            done, _ = await asyncio.wait(opened, return_when=asyncio.FIRST_COMPLETED)
            assert done
            first.kill()
            await first.wait()
        async with process(tmp_path, own_nats_server.url, port):
            tables = [(await each).json()["table"] for each in opened]
            assert len(set(tables)) == 60
            for table in tables:
                exported = await client.get(f"/tables/{table}/export")
                report = verify_file(exported.content)
                assert (report.events, report.faults) == (1, ())


async def test_sigterm_ends_it_while_clients_follow(tmp_path: Path, own_nats_server: EmbeddedServer) -> None:
    port = free_port()
    operator = bearer(operator_token(load_secrets(tmp_path)))
    async with (
        process(tmp_path, own_nats_server.url, port) as service,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
    ):
        table = (await client.post("/tables", json={"ruleset": "basic"}, headers=operator)).json()["table"]
        async with client.stream("GET", f"/tables/{table}/events") as stream:
            chunks = stream.aiter_raw()
            assert b"retry:" in await anext(chunks)
            assert b"event: snapshot" in await anext(chunks)
            address = f"ws://127.0.0.1:{port}/tables/{table}/ws?as=spectator"
            async with asyncio.timeout(20), connect(address, proxy=None) as socket:
                assert '"event":"snapshot"' in str(await socket.recv())
                service.send_signal(signal.SIGTERM)
                with pytest.raises(ConnectionClosed) as closed:
                    await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1001
            assert [chunk async for chunk in chunks] == []
            async with asyncio.timeout(10):
                assert await service.wait() in {0, -signal.SIGTERM}


async def test_a_service_without_a_store_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line makes one line and the exit status 1 of it."""
    monkeypatch.setattr(app, "START", 0.1)
    with pytest.raises(NotRunning, match="no NATS server is known"):
        await asyncio.to_thread(app.run, Settings(data=tmp_path, port=0))
