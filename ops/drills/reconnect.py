"""The reconnect drill: clients are cut off again and again while a match goes on, and each must end with every event once, in order.

    python -m ops.drills.reconnect [--clients 200] [--cuts 20] [--hands 3] [--seed 1]

The clients take server-sent events or a WebSocket, with the eyes of a player, a spectator or an auditor. Each is cut at versions drawn for
it, now between two messages and now within one, comes back after a while with its last id, and folds what it gets: the view of every
version must be what the rules give for its eyes, byte for byte. A quarter of them come late and begin with a snapshot. The service is the
real one on a real NATS; the match is written to the stream by the side, as another instance would.
"""

import argparse
import asyncio
import random
import secrets
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import orjson
import uvloop
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK

from domain.simulate import PLAYERS, simulate
from domain.table import Table, evolve
from projections.viewing import event_for, view_for
from schemas.envelope import Recorded
from schemas.events import PlayerSeated, type_name
from services.auth import Caller, Tokens
from services.eventstore.core import Head, JetStreamStore, NewEvent
from services.eventstore.server import EmbeddedServer
from services.settings import Settings, load_secrets
from services.tables.app import create_app, server

RULESET: Final = "huopin"
AWAY: Final = 0.05
"""Longest time in seconds for which a client that was cut off stays away."""
PROTOCOL: Final = "shuangkou.v1"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. `pace` is the seconds between two events of the match."""

    clients: int
    cuts: int
    hands: int
    seed: int
    pace: float


@dataclass(slots=True)
class Client:
    """One client: its eyes, how it is connected, where it is cut, and what it has: the data of each message by version."""

    caller: Caller
    token: str | None
    socket: bool
    cuts: list[int]
    late: int
    got: list[tuple[int, bytes]] = field(default_factory=list)
    snapshot: tuple[int, bytes] | None = None
    connections: int = 0

    @property
    def last(self) -> int | None:
        """The last id it has."""
        if self.got:
            return self.got[-1][0]
        return self.snapshot[0] if self.snapshot else None


@dataclass(frozen=True, slots=True)
class Report:
    """What happened."""

    events: int
    clients: int
    connections: int
    messages: int
    seconds: float


@asynccontextmanager
async def service(data: Path, nats: str) -> AsyncIterator[str]:
    """The table service in this process; gives host and port."""
    settings = Settings(data=data, nats=nats, port=0)
    serving = server(create_app(settings), settings)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        task = asyncio.create_task(serving.serve([listening]))
        for _ in range(1000):
            if not serving.started:
                await asyncio.sleep(0.01)
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            serving.should_exit = True
            await task


async def drill(plan: Plan) -> Report:
    """Do it. Raises AssertionError naming the client and the version where something is missing, twice, out of order or not the same."""
    match = list(simulate(RULESET, plan.hands, f"reconnect {plan.seed}"))
    began = perf_counter()
    with tempfile.TemporaryDirectory(prefix="drill-reconnect-") as folder:
        data = Path(folder) / "data"
        clients = cast(plan, match, Tokens(load_secrets(data)))
        with EmbeddedServer(Path(folder) / "nats") as nats:
            async with (
                await JetStreamStore.connect(nats.url) as record,
                service(data, nats.url) as place,
                asyncio.TaskGroup() as group,
            ):
                writing = Writing(record, match)
                await writing.up_to(1)
                for client in clients:
                    group.create_task(follow(client, place, match[0].table, writing))
                group.create_task(writing.rest(plan.pace))
    check(clients, match)
    return Report(
        len(match),
        len(clients),
        sum(client.connections for client in clients),
        sum(len(client.got) for client in clients),
        perf_counter() - began,
    )


def cast(plan: Plan, match: Sequence[Recorded], tokens: Tokens) -> list[Client]:
    """The clients, with where they are cut."""
    draw = random.Random(plan.seed)
    table, end = match[0].table, len(match)
    seated = next(each.version for each in match if each.version > len(PLAYERS))
    seatings = {each.event.player: each.version for each in match if isinstance(each.event, PlayerSeated)}
    players = [Caller("player", table, player, seatings[player]) for player in PLAYERS]
    eyes = [*players, Caller("spectator"), Caller("auditor")]
    clients = []
    for number in range(plan.clients):
        caller = eyes[number % len(eyes)]
        token = token_of(caller, tokens)
        first = seated + 1 if caller.role == "player" else 1
        late = draw.randrange(first, end // 2) if number % 4 == 3 else (first if caller.role == "player" else 0)
        cuts = sorted(draw.sample(range(max(late, first) + 1, end), plan.cuts), reverse=True)
        clients.append(Client(caller, token, draw.random() < 0.5, cuts, late))
    return clients


def token_of(caller: Caller, tokens: Tokens) -> str | None:
    """The token of a client; a spectator has none."""
    if caller.role == "player":
        return tokens.player(str(caller.table), str(caller.player), caller.seated or 0, 0)
    return tokens.sign("auditor", sub="drill") if caller.role == "auditor" else None


class Writing:
    """The match on its way into the stream."""

    def __init__(self, record: JetStreamStore, match: Sequence[Recorded]) -> None:
        self.record, self.match = record, match
        self.head = Head(0, 0)
        self.moved = asyncio.Condition()

    async def up_to(self, version: int) -> None:
        """Write the events up to this one."""
        for each in self.match[self.head.version : version]:
            event = NewEvent(type_name(type(each.event)), each.line)
            self.head = await self.record.append(each.table, self.head, [event])
            async with self.moved:
                self.moved.notify_all()

    async def rest(self, pace: float) -> None:
        """Write what is left, so many seconds between two events."""
        for version in range(self.head.version + 1, len(self.match) + 1):
            await self.up_to(version)
            await asyncio.sleep(pace)

    async def reached(self, version: int) -> None:
        """Wait until so many events are written."""
        async with self.moved:
            await self.moved.wait_for(lambda: self.head.version >= version)


async def follow(client: Client, place: str, table: str, writing: Writing) -> None:
    """Follow the match to its end, cut off where it was drawn."""
    draw = random.Random(secrets.randbits(64))
    await writing.reached(client.late)
    connected = over_socket if client.socket else over_events
    while client.last is None or client.last < len(writing.match):
        client.connections += 1
        cut = await connected(client, place, table, within=draw.random() < 0.5)
        if cut:
            await asyncio.sleep(draw.uniform(0, AWAY))


def take(client: Client, version: int, event: str, data: bytes) -> bool:
    """Take a message; whether the client is cut off after it."""
    if event == "snapshot":
        assert client.snapshot is None, "a snapshot after it had begun"
        client.snapshot = version, data
        return False
    client.got.append((version, data))
    cut = bool(client.cuts) and version >= client.cuts[-1]
    while client.cuts and version >= client.cuts[-1]:
        client.cuts.pop()
    return cut


def after(client: Client) -> int | None:
    """The id to come back with; who comes late has none at first."""
    return client.last if client.last is not None or client.late else 0


async def over_events(client: Client, place: str, table: str, *, within: bool) -> bool:
    """Server-sent events over a bare connection, until it is cut or the table is closed."""
    host, _, port = place.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
    try:
        last, token = after(client), client.token
        writer.write(
            b"GET /tables/%b/events HTTP/1.1\r\nHost: drill\r\n%b%b\r\n"
            % (
                table.encode(),
                b"" if last is None else b"Last-Event-ID: %d\r\n" % last,
                b"" if token is None else b"Authorization: Bearer %b\r\n" % token.encode(),
            )
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head or b" 204 " in head, head
        while size := int(await reader.readuntil(b"\r\n"), 16):
            chunk = (await reader.readexactly(size + 2))[:-2]
            if not chunk.startswith(b"id: "):
                continue
            lines = chunk.split(b"\n", 3)
            if take(client, int(lines[0][4:]), lines[1][7:].decode(), lines[2][6:]):
                if within:
                    await reader.read(100)
                return True
        return False
    finally:
        writer.transport.abort()


async def over_socket(client: Client, place: str, table: str, *, within: bool) -> bool:
    """The same over a WebSocket; the token comes as subprotocol."""
    last = after(client)
    query = "&".join(
        [*([] if last is None else [f"after={last}"]), *(["as=spectator"] if client.caller.role == "spectator" else [])]
    )
    offered: Any = None if client.token is None else [PROTOCOL, f"bearer.{client.token}"]
    address = f"ws://{place}/tables/{table}/ws?{query}"
    socket = await connect(address, subprotocols=offered, proxy=None, compression=None, max_queue=4)
    try:
        while True:
            said = orjson.loads(await socket.recv())
            if take(client, said["id"], said["event"], orjson.dumps(said["data"])):
                if within:
                    await asyncio.sleep(0)
                return True
    except ConnectionClosedOK:
        return False
    finally:
        socket.transport.abort()
        await socket.wait_closed()


def check(clients: Sequence[Client], match: Sequence[Recorded]) -> None:
    """Every client has every event since it began once, in order, and its state at each version is that of the rules."""
    tables: list[Table] = []
    for each in match:
        tables.append(evolve(tables[-1] if tables else None, each))
    wanted: dict[Caller, list[tuple[bytes, bytes]]] = {}
    for number, client in enumerate(clients):
        truth = wanted.setdefault(client.caller, [])
        if not truth:
            truth += [_seen(table, each, client.caller) for table, each in zip(tables, match, strict=True)]
        name = f"client {number} ({client.caller.role}, {'WebSocket' if client.socket else 'events'})"
        first = client.snapshot[0] + 1 if client.snapshot else 1
        versions = [version for version, _ in client.got]
        assert versions == list(range(first, len(match) + 1)), f"{name}: versions {versions}"
        assert client.snapshot is None or client.snapshot[1] == b'{"view":%b}' % truth[first - 2][1], (
            f"{name}: snapshot"
        )
        for version, data in client.got:
            assert data == b'{"event":%b,"view":%b}' % truth[version - 1], f"{name}: event {version} differs"
        assert not client.cuts, f"{name}: was not cut at {client.cuts}"


def _seen(table: Table, recorded: Recorded, caller: Caller) -> tuple[bytes, bytes]:
    viewer = caller.viewer(table)
    return orjson.dumps(event_for(table, recorded, viewer)), view_for(table, viewer).model_dump_json().encode()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the drill from the command line."""
    parser = argparse.ArgumentParser(description="Cuts clients off while a match goes on.")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--cuts", type=int, default=20, help="how often each is cut off")
    parser.add_argument("--hands", type=int, default=3, help="length of the match")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=float, default=0.05, help="seconds between two events")
    chosen = parser.parse_args(argv)
    report = uvloop.run(drill(Plan(**vars(chosen))))
    print(
        f"{report.clients} clients, {report.events} events, {report.connections} connections, {report.messages} messages: "
        f"nothing missing, nothing twice, every state the same; {report.seconds:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
