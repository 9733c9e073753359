"""Spectators of playing tables: how late an event reaches them, and what one costs.

    python -m ops.bench.spectators [--clients 1000 5000] [--tables 100] [--rate 1.0] [--seconds 15]

The table service is a process of its own on a real NATS that syncs every event to disk. Plays, worked out before, are sent to each table at
the given rate; the clients are bare connections in another process and note when each event came. The delay counts from the moment the
player has the answer to the play. The peer is a bare asyncio server that writes as many bytes to as many clients at the same pace and
does nothing else. Takes minutes, so it runs only when it is named.
"""

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final

import httpx
import orjson
import uvloop
from rich.console import Console
from rich.table import Table as Grid

from domain.bots import BOTS, choose
from domain.shuffle import derived_seed, drawer
from domain.table import Given, Table, decide, evolve
from schemas.commands import Command, OpenTable, SeatPlayer, StartHand
from services.auth import operator_token
from services.bots import request
from services.eventstore.server import EmbeddedServer, free_port
from services.settings import Secrets, load_secrets

BY_NAME: Final = True
"""Not among the benchmarks that run by default."""
RULESET: Final = "basic"
PLAYERS: Final = ("north", "east", "south", "west")
SERVICE: Final = """
import sys
from pathlib import Path
from services.settings import Settings
from services.tables.app import run
run(Settings(data=Path(sys.argv[1]), nats=sys.argv[2], port=int(sys.argv[3]), log="warning"))
"""
AIM: Final = 250.0
"""Milliseconds that the slowest of a hundred deliveries to 1,000 clients may take."""


@dataclass(slots=True)
class Played:
    """A table and what is to be sent to it: path, token and body of each command."""

    table: str
    version: int
    commands: list[tuple[str, str, bytes]]


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured. `bad` clients are behind, lost or miss something; `size` is in bytes a message.

    Delays in milliseconds, memory in KiB a client, CPU in seconds a second and microseconds a delivery."""

    clients: int
    messages: int
    p50: float
    p99: float
    most: float
    answer_p50: float
    answer_p99: float
    memory: float
    cpu: float
    each: float
    bad: int
    size: int


class Process:
    """A Python program that is spoken to by lines."""

    def __init__(self, *arguments: str) -> None:
        self.running = subprocess.Popen(
            [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._out: IO[bytes] = os.fdopen(os.dup(self.running.stdout.fileno()), "rb")  # type: ignore[union-attr]

    async def say(self, value: Any) -> None:
        """Send a line."""
        assert self.running.stdin is not None
        await asyncio.to_thread(self.running.stdin.write, orjson.dumps(value) + b"\n")

    async def hear(self) -> bytes:
        """The next line."""
        return await asyncio.to_thread(self._out.readline)

    def cpu(self) -> float:
        """Seconds of processor time it has taken."""
        fields = Path(f"/proc/{self.running.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """KiB it holds."""
        status = Path(f"/proc/{self.running.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def end(self) -> None:
        """Stop it."""
        self.running.terminate()
        self.running.wait(20)
        self._out.close()


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    """A program until the block ends."""
    found = Process(*arguments)
    try:
        yield found
    finally:
        found.end()


class Post:
    """A connection over which commands are sent one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, path: str, token: str, body: bytes) -> int:
        """Send a command; returns the version it led to. Raises AssertionError when it was refused."""
        head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = await self.reader.readuntil(b"\r\n\r\n")
        size = int(answered.lower().partition(b"content-length: ")[2].split(b"\r", 1)[0])
        said = orjson.loads(await self.reader.readexactly(size))
        assert answered.startswith(b"HTTP/1.1 200"), said
        version: int = said["version"]
        return version


def worked_out(table_id: str, secrets: Secrets, tokens: dict[str, str], plays: int) -> Played:
    """The commands of a table that deals with this installation's key, by bots."""
    key = bytes.fromhex(secrets.deal_key)

    def after(table: Table | None, command: Command) -> Table:
        hand = (table.hands if table else 0) + isinstance(command, StartHand)
        given = Given("2026-01-01T00:00:00.000Z", "bench", derived_seed(key, table_id, hand))
        for recorded in decide(table, table_id, command, given):
            table = evolve(table, recorded)
        assert table is not None
        return table

    table = after(None, OpenTable(RULESET))
    for player in PLAYERS:
        table = after(table, SeatPlayer(player))
    version = table.version
    commands: list[tuple[str, str, bytes]] = []
    while len(commands) < plays:
        if not table.playing:
            commands.append(("hands", tokens["operator"], b""))
            table = after(table, StartHand())
            continue
        command = choose(table, BOTS["greedy"], drawer(secrets.deal_key, table_id, table.hands, f"{table.version}"))
        what, body = request(command, counters=False)  # type: ignore[arg-type]
        assert table.hand is not None
        mover = str(table.players[table.hand.waiting[0]])
        commands.append((what, tokens[mover], b"" if body is None else orjson.dumps(body)))
        table = after(table, command)
    return Played(table_id, version, commands)


async def opened(http: httpx.AsyncClient, secrets: Secrets, plays: int) -> Played:
    """A table with four players, and its commands."""
    operator = operator_token(secrets)
    headers = {"Authorization": f"Bearer {operator}"}
    table = (await http.post("/tables", json={"ruleset": RULESET}, headers=headers)).json()["table"]
    tokens = {"operator": operator}
    for player in PLAYERS:
        answer = await http.post(f"/tables/{table}/seats", json={"player": player}, headers=headers)
        tokens[player] = answer.json()["token"]
    return worked_out(table, secrets, tokens, plays)


async def play(port: int, tables: Sequence[Played], rate: float) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Send the commands of all tables at the rate; when each event was acknowledged, and how long the answers took (ms)."""
    began, answers = monotonic() + 0.2, []

    async def one(number: int, played: Played) -> dict[str, float]:
        post = Post(*await asyncio.open_connection("127.0.0.1", port))
        acked: dict[str, float] = {}
        for turn, (what, token, body) in enumerate(played.commands):
            due = began + (turn + number / len(tables)) / rate
            await asyncio.sleep(max(0.0, due - monotonic()))
            sent = monotonic()
            version = await post.send(f"/tables/{played.table}/{what}", token, body)
            now = monotonic()
            answers.append((now - sent) * 1000)
            acked |= {str(each): now for each in range(played.version + 1, version + 1)}
            played.version = version
        post.writer.close()
        return acked

    acked = await asyncio.gather(*(one(number, played) for number, played in enumerate(tables)))
    return {played.table: times for played, times in zip(tables, acked, strict=True)}, sorted(answers)


async def measured(
    server: Process,
    port: int,
    path: str,
    tables: Sequence[str],
    clients: int,
    busy: Callable[[], Awaitable[tuple[dict[str, dict[str, float]], list[float]]]],
    idle: float,
) -> Result:
    """Let clients come, be busy, and look at what it took; `idle` is the processor time a second that being busy takes without clients."""
    before = server.memory()
    with process("-m", "ops.bench.crowd") as crowd:
        await crowd.say({"host": "127.0.0.1", "port": port, "path": path, "tables": tables, "clients": clients})
        assert await crowd.hear() == b"ready\n"
        await asyncio.sleep(1)
        memory = server.memory() - before
        began, took = monotonic(), server.cpu()
        acked, answers = await busy()
        seconds, took = monotonic() - began, server.cpu() - took
        await crowd.say(acked)
        said = orjson.loads(await crowd.hear())
    return Result(
        clients,
        said["messages"],
        said["p50"],
        said["p99"],
        said["most"],
        answers[len(answers) // 2],
        answers[len(answers) * 99 // 100],
        memory / clients,
        took / seconds,
        (took - idle * seconds) / said["messages"] * 1e6,
        said["behind"] + said["lost"] + said["broken"],
        said["size"],
    )


async def ours(clients: Sequence[int], number: int, rate: float, seconds: float) -> tuple[list[Result], float]:
    """The table service with so many clients; its processor time a second without any."""
    plays = int(rate * seconds)
    with tempfile.TemporaryDirectory(prefix="bench-spectators-") as folder:
        data, port = Path(folder) / "data", free_port()
        secrets = load_secrets(data)
        with (
            EmbeddedServer(Path(folder) / "nats") as nats,
            process("-c", SERVICE, str(data), nats.url, str(port)) as server,
        ):
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as http:
                await _answering(http)
                runs = [[await opened(http, secrets, plays) for _ in range(number)] for _ in range(len(clients) + 1)]
                cpu, began = server.cpu(), monotonic()
                await play(port, runs[0], rate)
                idle = (server.cpu() - cpu) / (monotonic() - began)
                results = []
                for many, tables in zip(clients, runs[1:], strict=True):
                    names = [each.table for each in tables]
                    busy = _playing(port, tables, rate)
                    results.append(await measured(server, port, "/tables/{}/events", names, many, busy, idle))
    return results, idle


def _playing(
    port: int, tables: Sequence[Played], rate: float
) -> Callable[[], Awaitable[tuple[dict[str, dict[str, float]], list[float]]]]:
    return lambda: play(port, tables, rate)


async def _answering(http: httpx.AsyncClient) -> None:
    for _ in range(400):
        try:
            if (await http.get("/readyz")).is_success:
                return
        except httpx.TransportError:
            await asyncio.sleep(0.05)
    raise RuntimeError("the service does not answer")


async def bare(clients: int, number: int, rate: float, seconds: float, size: int) -> Result:
    """The bare server with so many clients, messages of so many bytes."""
    tables = [f"t-{each}" for each in range(number)]
    times = [
        ((turn + each / number) / rate, table)
        for turn in range(int(rate * seconds))
        for each, table in enumerate(tables)
    ]
    port = free_port()
    with process("-m", "ops.bench.bare", str(port)) as server:
        await server.say({"tables": tables, "size": size, "times": times})
        await server.hear()

        async def busy() -> tuple[dict[str, dict[str, float]], list[float]]:
            await server.say({})
            return orjson.loads(await server.hear()), [0.0]

        return await measured(server, port, "/{}", tables, clients, busy, 0.0)


def show(console: Console, rows: Sequence[tuple[str, Result]], idle: float) -> None:
    """Print what was measured, and whether the aim was reached."""
    console.print("Deliveries to spectators; delays in ms from the answer to the player")
    grid = Grid()
    for title in (
        *("server", "clients", "messages", "p50", "p99", "most"),
        *("answer p50/p99", "KiB each", "CPU", "µs each", "behind"),
    ):
        grid.add_column(title, justify="left" if title == "server" else "right")
    for name, row in rows:
        grid.add_row(
            name,
            f"{row.clients:,}",
            f"{row.messages:,}",
            f"{row.p50:.1f}",
            f"{row.p99:.1f}",
            f"{row.most:.0f}",
            f"{row.answer_p50:.1f}/{row.answer_p99:.1f}",
            f"{row.memory:.0f}",
            f"{row.cpu:.0%}",
            f"{row.each:.0f}",
            str(row.bad),
        )
    console.print(grid)
    console.print(f"The plays alone, without clients, take {idle:.0%} of a processor.")
    service, peer = (
        {row.clients: row for name, row in rows if name == wanted} for wanted in ("table service", "bare asyncio")
    )
    for clients in service:
        ratio = service[clients].each / peer[clients].each
        console.print(f"        {clients:,} clients: a delivery costs {ratio:.1f} times that of the bare server")
    least = service[min(service)]
    reached = least.p99 < AIM and not least.bad
    console.print(
        f"{'reached' if reached else 'MISSED '}  p99 with {least.clients:,} clients: {least.p99:.0f} ms (aim {AIM:g}), {least.bad} behind"
    )


async def run(clients: Sequence[int], tables: int, rate: float, seconds: float) -> None:
    """Measure and print."""
    results, idle = await ours(clients, tables, rate, seconds)
    rows = [("table service", result) for result in results]
    for result in results:
        events = result.messages / result.clients / seconds
        rows.append(("bare asyncio", await bare(result.clients, tables, events, seconds, result.size)))
    show(Console(width=120), rows, idle)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="How late events reach spectators, and what one costs.")
    parser.add_argument("--clients", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--tables", type=int, default=100, help="tables that are played at")
    parser.add_argument("--rate", type=float, default=1.0, help="plays a second at each table")
    parser.add_argument("--seconds", type=float, default=15.0)
    chosen = parser.parse_args(argv)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(run(chosen.clients, chosen.tables, chosen.rate, chosen.seconds))


if __name__ == "__main__":
    main()
