"""A table service for tests: the real application on a real port, on a stream of its own, and somebody to play at it."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from httpx_sse import aconnect_sse

from services.auth import auditor_token, operator_token
from services.eventstore.core import JetStreamStore
from services.settings import Secrets, Settings, load_secrets
from services.tables.app import create_app, server
from services.tables.service import Service
from tests.kit.nats import subject_prefix

ROUTES = {"play": "plays", "declare": "declarations", "bury": "burials", "counter": "counters"}
"""Where one asks for what an option says."""
NAMES = ("alice", "bob", "carol", "dave")
Answer = dict[str, Any]


@dataclass
class Running:
    """A running table service. `client` speaks to it without a token."""

    client: httpx.AsyncClient
    secrets: Secrets
    parts: Service

    @property
    def store(self) -> JetStreamStore:
        return self.parts.rooms.store

    @property
    def operator(self) -> dict[str, str]:
        return bearer(operator_token(self.secrets))

    @property
    def auditor(self) -> dict[str, str]:
        return bearer(auditor_token(self.secrets))


@dataclass
class AtTable:
    """A table with four players. `headers` by player's name."""

    service: Running
    id: str
    headers: dict[str, dict[str, str]]

    async def post(self, what: str, who: str, body: Any = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = self.headers.get(who, self.service.operator)
        return await self.service.client.post(f"/tables/{self.id}/{what}", json=body, headers=sent | named)

    async def get(self, what: str = "", who: str | None = None, **query: Any) -> httpx.Response:
        sent = {} if who is None else self.service.auditor if who == "auditor" else self.headers[who]
        path = f"/tables/{self.id}/{what}".rstrip("/")
        return await self.service.client.get(path, headers=sent, params=query)

    async def view(self, who: str | None = "auditor", **query: Any) -> Answer:
        """The table as somebody sees it; while the store is away it is asked for again, as clients do."""
        response = await self.get("", who, **query)
        for _ in range(400):
            if response.status_code != 503:
                break
            await asyncio.sleep(0.05)
            response = await self.get("", who, **query)
        assert response.status_code == 200, response.text
        found: Answer = response.json()
        return found

    async def to_move(self) -> str:
        """The name of the player to move."""
        view = await self.view()
        return str(view["seats"][view["hand"]["turn"]]["player"])

    async def move(self, **headers: str) -> httpx.Response:
        """The player to move does the first thing that the hints say, or passes."""
        who = await self.to_move()
        hints = (await self.get("options", who, limit=1)).json()
        if hints["options"]:
            return await self.post("plays", who, {"cards": hints["options"][0]["cards"]}, **headers)
        return await self.post("passes", who, **headers)

    async def play_out(self) -> None:
        """Play the present hand to its end."""
        while (await self.move()).json()["turn"] is not None:
            pass

    async def until(self, wanted: Callable[[Answer], bool], who: str | None = "auditor", after: int = 0) -> Answer:
        """Follow the table until a message (an event with the view after it) is wanted; returns that."""
        headers = {} if who is None else self.service.auditor if who == "auditor" else self.headers[who]
        path = f"/tables/{self.id}/events"
        query = {"after": after}
        async with (
            asyncio.timeout(20),
            aconnect_sse(self.service.client, "GET", path, headers=headers, params=query) as source,
        ):
            assert source.response.status_code == 200, source.response.status_code
            async for message in source.aiter_sse():
                found: Answer = json.loads(message.data)
                if wanted(found):
                    return found
        raise AssertionError("the stream ended before it came")

    async def act(self, who: str, option: Answer | None = None, **headers: str) -> httpx.Response:
        """The player does what an option (by default the first hint) says, or declines or passes where there is none."""
        hints = (await self.get("options", who, limit=1)).json()
        if option is None and hints["options"]:
            option = hints["options"][0]
        if option is not None:
            return await self.post(ROUTES[option.get("action", "play")], who, {"cards": option["cards"]}, **headers)
        if hints["may_decline"]:
            return await self.post("declarations" if hints["phase"] == "declaring" else "counters", who, {}, **headers)
        return await self.post("passes", who, **headers)

    async def versions(self) -> int:
        """How many events the stream really holds of the table."""
        return len(await self.service.store.read(self.id))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def running(
    data: Path, url: str, stream: str, *, commands: bool = True, within: float = 5.0
) -> AsyncIterator[Running]:
    """Run a table service on the stream until the block ends."""
    settings = Settings(data=data, nats=url, port=0)

    async def connect(_: Settings) -> JetStreamStore:
        return await JetStreamStore.connect(url, stream=stream, prefix=subject_prefix(stream), within=within)

    app = create_app(settings, commands=commands, connect=connect)
    serving = server(app, settings)
    listening = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio leaves Nagle on
    listening.bind(("127.0.0.1", 0))
    task = asyncio.create_task(serving.serve([listening]))
    while not serving.started:
        if task.done():
            await task
            raise AssertionError("the service did not start")
        await asyncio.sleep(0.01)
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        async with httpx.AsyncClient(base_url=base, timeout=30, trust_env=False) as client:
            yield Running(client, load_secrets(data), app.state.service)
    finally:
        serving.should_exit = True
        await task


async def table_of_four(service: Running, ruleset: str = "basic", key: str | None = None, **options: Any) -> AtTable:
    """A table with alice, bob, carol and dave on seats 0 to 3. With a key its id, and with that its deals, are always the same."""
    body = {"ruleset": ruleset, "options": options}
    keyed = {} if key is None else {"Idempotency-Key": key}
    opened = await service.client.post("/tables", json=body, headers=service.operator | keyed)
    assert opened.status_code == 201, opened.text
    table = AtTable(service, opened.json()["table"], {})
    for name in NAMES:
        seated = await table.post("seats", "operator", {"player": name})
        assert seated.status_code == 201, seated.text
        table.headers[name] = bearer(seated.json()["token"])
    return table


async def hand_running(service: Running, ruleset: str = "basic", key: str | None = None, **options: Any) -> AtTable:
    """A table with a hand just dealt."""
    table = await table_of_four(service, ruleset, key, **options)
    started = await table.post("hands", "operator")
    assert started.status_code == 200, started.text
    return table
