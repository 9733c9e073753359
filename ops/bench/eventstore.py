"""Saves a second through the event store, beside the library's SQLite and PostgreSQL modules and bare nats-py, in one run.

    python -m ops.bench.eventstore [--seconds 1.0] [--rounds 3]

Every store gets the same events of 300 bytes on the same disk. PostgreSQL and SQLite are durable (a commit waits for the disk). Rounds
take turns between stores, so that a noisy machine is noisy for all; the median of the rounds is shown.
"""

import argparse
import asyncio
import itertools
import secrets
import statistics
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import nats
import uvloop
from eventsourcing.persistence import ApplicationRecorder, InfrastructureFactory, StoredEvent
from eventsourcing.utils import Environment
from nats.aio.client import Client
from nats.js import JetStreamContext
from rich.console import Console
from rich.table import Table

from ops.bench.postgres import PostgresServer
from services.eventstore import wire
from services.eventstore.core import Head, JetStreamStore, NewEvent
from services.eventstore.server import EmbeddedServer

PAYLOAD = b'{"data":"' + b"x" * 289 + b'"}'
TOPIC = "shuangkou.played.v1"
TABLES = 64
EVENTS = 8
WINDOW = 256
"""Publishes under way at once in the bare pipelined run."""

Rates = tuple[float, float, float]
"""Saves a second: of one event one at a time, of one event from 64 tables at once, of 8 events one at a time."""
Measure = Callable[[float], Rates]


def library_rates(recorder: ApplicationRecorder, seconds: float) -> Rates:
    """Through a recorder of the `eventsourcing` library; 64 tables are 64 threads."""

    def saving(events: int, until: float, done: list[int]) -> None:
        key, count = uuid4(), 0
        for version in itertools.count(1, events):
            if time.perf_counter() >= until:
                break
            recorder.insert_events([StoredEvent(key, version + n, TOPIC, PAYLOAD) for n in range(events)])
            count += 1
        done.append(count)

    def rate(events: int, threads: int) -> float:
        done: list[int] = []
        started = time.perf_counter()
        crew = [threading.Thread(target=saving, args=(events, started + seconds, done)) for _ in range(threads)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
        return sum(done) / (time.perf_counter() - started)

    return rate(1, 1), rate(1, TABLES), rate(EVENTS, 1)


async def _tasks_rate(work: Callable[[int], Callable[[], Awaitable[object]]], tasks: int, seconds: float) -> float:
    started, count = time.perf_counter(), 0

    async def repeat(one: Callable[[], Awaitable[object]]) -> None:
        nonlocal count
        while time.perf_counter() < started + seconds:
            await one()
            count += 1

    await asyncio.gather(*(repeat(work(number)) for number in range(tasks)))
    return count / (time.perf_counter() - started)


def core_rates(url: str, seconds: float) -> Rates:
    """Through the asynchronous core, as the services use it; 64 tables are 64 tasks on one connection."""

    async def measure() -> Rates:
        store = await JetStreamStore.connect(url, stream="CORE", prefix="core")

        def table(events: int) -> Callable[[int], Callable[[], Awaitable[object]]]:
            def work(_: int) -> Callable[[], Awaitable[object]]:
                key, head, made = secrets.token_hex(8), Head(0, 0), [NewEvent(TOPIC, PAYLOAD)] * events

                async def append() -> None:
                    nonlocal head
                    head = await store.append(key, head, made)

                return append

            return work

        rates = [await _tasks_rate(table(n), tasks, seconds) for n, tasks in ((1, 1), (1, TABLES), (EVENTS, 1))]
        await store.close()
        return rates[0], rates[1], rates[2]

    return uvloop.run(measure())


def raw_rates(url: str, seconds: float) -> Rates:
    """Bare nats-py, no version check: awaited publishes, pipelined publishes, atomic batches."""

    async def measure() -> Rates:
        store = await JetStreamStore.connect(url, stream="RAW", prefix="raw")  # the same kind of stream
        await store.close()
        client = await nats.connect(url)
        js = client.jetstream()
        one = await _tasks_rate(lambda _: lambda: js.publish("raw.t", PAYLOAD), 1, seconds)
        many = await _pipelined(js, seconds)
        eight = await _tasks_rate(lambda _: lambda: _raw_batch(client), 1, seconds)
        await client.close()
        return one, many, eight

    return uvloop.run(measure())


async def _pipelined(js: JetStreamContext, seconds: float) -> float:
    started, count = time.perf_counter(), 0
    window: list[asyncio.Future[object]] = []
    while time.perf_counter() < started + seconds:
        window.append(await js.publish_async("raw.t", PAYLOAD))  # type: ignore[arg-type]
        if len(window) == WINDOW:
            await window.pop(0)
            count += 1
    await asyncio.gather(*window)
    return (count + len(window)) / (time.perf_counter() - started)


async def _raw_batch(client: Client) -> None:
    batch = secrets.token_hex(8)
    for n in range(1, EVENTS):
        await client.publish("raw.t", PAYLOAD, headers={wire.BATCH_ID: batch, wire.BATCH_SEQUENCE: str(n)})
    last = {wire.BATCH_ID: batch, wire.BATCH_SEQUENCE: str(EVENTS), wire.BATCH_COMMIT: "1"}
    await client.request("raw.t", PAYLOAD, headers=last, timeout=5)


@contextmanager
def recorder(name: str, **settings: str) -> Iterator[ApplicationRecorder]:
    """An application recorder of a persistence module."""
    factory: InfrastructureFactory = InfrastructureFactory.construct(
        Environment(env={"PERSISTENCE_MODULE": name, **settings})
    )
    try:
        yield factory.application_recorder()
    finally:
        factory.close()


def _postgres(server: PostgresServer) -> dict[str, str]:
    return {
        "POSTGRES_DBNAME": "postgres",
        "POSTGRES_HOST": "127.0.0.1",
        "POSTGRES_PORT": str(server.port),
        "POSTGRES_USER": "postgres",
        "POSTGRES_PASSWORD": "none",
        "POSTGRES_POOL_SIZE": str(TABLES),
    }


def _measures(stack: ExitStack, folder: Path) -> dict[str, Measure]:
    """What is measured, by name; servers run until the stack is closed."""

    def library(opened: ApplicationRecorder) -> Measure:
        return lambda seconds: library_rates(opened, seconds)

    postgres = stack.enter_context(PostgresServer())
    found: dict[str, Measure] = {
        "eventsourcing.sqlite": library(
            stack.enter_context(
                recorder("eventsourcing.sqlite", SQLITE_DBNAME=str(folder / "events.db"), SQLITE_LOCK_TIMEOUT="60")
            )
        ),
        "eventsourcing.postgres": library(
            stack.enter_context(recorder("eventsourcing.postgres", **_postgres(postgres)))
        ),
    }
    for sync, title in ((True, "sync always"), (False, "no sync")):
        server = stack.enter_context(EmbeddedServer(folder / title.replace(" ", "-"), sync_always=sync))
        ours = stack.enter_context(
            recorder("services.eventstore", NATS_URL=server.url, NATS_STREAM="MODULE", NATS_PREFIX="module")
        )
        found |= {
            f"services.eventstore, {title}": library(ours),
            f"its async core, {title}": lambda seconds, url=server.url: core_rates(url, seconds),  # type: ignore[misc]
            f"bare nats-py, {title}": lambda seconds, url=server.url: raw_rates(url, seconds),  # type: ignore[misc]
        }
    return found


def run(seconds: float, rounds: int) -> dict[str, Rates]:
    """Measure everything; the median of the rounds, by name."""
    with tempfile.TemporaryDirectory(prefix="bench-eventstore-") as folder, ExitStack() as stack:
        measures = _measures(stack, Path(folder))
        taken: dict[str, list[Rates]] = {name: [] for name in measures}
        for _ in range(rounds):
            for name, measure in measures.items():
                taken[name].append(measure(seconds))
        return {name: _medians(rates) for name, rates in taken.items()}


def _medians(rates: Sequence[Rates]) -> Rates:
    one, many, eight = (statistics.median(column) for column in zip(*rates, strict=True))
    return one, many, eight


def show(console: Console, rates: dict[str, Rates]) -> None:
    """Print the table, and the aims with what was reached."""
    table = Table(title="Saves a second (in brackets: times PostgreSQL)", title_justify="left")
    for title in (
        "store",
        "1 event, one at a time",
        f"1 event, {TABLES} tables at once",
        f"{EVENTS} events, one at a time",
    ):
        table.add_column(title, justify="left" if title == "store" else "right")
    postgres = rates["eventsourcing.postgres"]
    for name, row in rates.items():
        table.add_row(name, *(f"{rate:,.0f} ({rate / peer:.1f}×)" for rate, peer in zip(row, postgres, strict=True)))
    console.print(table)
    ours, sqlite, raw = (
        rates[name]
        for name in ("services.eventstore, sync always", "eventsourcing.sqlite", "bare nats-py, sync always")
    )
    aims = (
        ("one at a time, times PostgreSQL", ours[0] / postgres[0], 1.5),
        (f"{TABLES} at once, times PostgreSQL", ours[1] / postgres[1], 3.0),
        (f"{TABLES} at once, times SQLite", ours[1] / sqlite[1], 1.0),
        (f"{TABLES} at once, share of bare pipelined publish", ours[1] / raw[1], 0.5),
    )
    for name, reached, aim in aims:
        console.print(f"{'reached' if reached >= aim else 'MISSED '}  {name}: {reached:.2f} (aim {aim:g})")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Saves a second through the event store and its peers.")
    parser.add_argument("--seconds", type=float, default=1.5, help="length of one measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each kind; the median counts")
    chosen = parser.parse_args(argv)
    show(Console(), run(chosen.seconds, chosen.rounds))


if __name__ == "__main__":
    main()
