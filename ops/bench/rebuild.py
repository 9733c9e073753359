"""How fast views are built again from the stream, beside a bare pull of the same stream.

Whole matches are simulated and published in one stream as the services would have left them. Then the stream is pulled bare (messages
counted and thrown away), followed through the store (`tail`), and rebuilt into each projection on SQLite and PostgreSQL, all in one run.
"""

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import nats
import uvloop
from rich.console import Console
from rich.progress import track
from rich.table import Table

from domain.simulate import simulate
from ops.bench.postgres import PostgresServer
from projections.base import Batch, Projector, open_engine
from projections.runner import NAMES, make, run
from schemas.envelope import Recorded
from schemas.events import type_name
from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from services.eventstore.wire import headers
from services.project import BATCH

AT_ONCE = 64
"""Tables that move at the same time in the stream that is made."""
WINDOW = 1000


def recorded(events: int) -> list[Recorded]:
    """A stream of at least so many events: matches that are played at the same time, one event of each in turn."""
    tables = [simulate("huopin" if number % 2 else "basic", 1_000, f"bench {number}") for number in range(AT_ONCE)]
    rounds = track(range(events // AT_ONCE + 1), "simulating", transient=True)
    return list(itertools.chain.from_iterable([next(table) for table in tables] for _ in rounds))


async def fill(url: str, made: Sequence[Recorded]) -> None:
    """Publish the events in order, many in flight; the server is told not to sync, which a rebuild does not notice."""
    store = await JetStreamStore.connect(url)
    client = await nats.connect(url)
    js = client.jetstream(publish_async_max_pending=WINDOW)
    for each in made:
        write = store.layout.event(each.table, each.version, type_name(type(each.event)), each.line, None)
        await js.publish_async(write.subject, write.data, headers=headers(write))
    await js.publish_async_completed()
    await client.close()
    await store.close()


async def bare(url: str, events: int) -> float:
    """Messages a second of a bare pull: one subscription, two requests in flight, nothing read."""
    client = await nats.connect(url)
    js = client.jetstream()
    began, got = time.perf_counter(), 0
    done = asyncio.Event()
    inbox = client.new_inbox()
    info = await js.add_consumer("SK", ack_policy="none", mem_storage=True)
    ask = f"$JS.API.CONSUMER.MSG.NEXT.SK.{info.name}"
    request = b'{"batch":1000,"expires":5000000000}'

    async def count(_: object) -> None:
        nonlocal got
        got += 1
        if got >= events:
            done.set()
        elif got % 1000 == 0:
            await client.publish(ask, request, reply=inbox)

    await client.subscribe(inbox, cb=count, pending_msgs_limit=-1, pending_bytes_limit=-1)
    for _ in range(2):
        await client.publish(ask, request, reply=inbox)
    await done.wait()
    rate = got / (time.perf_counter() - began)
    await client.close()
    return rate


async def followed(url: str, events: int) -> float:
    """Events a second through the store's tail."""
    store = await JetStreamStore.connect(url)
    began = time.perf_counter()
    got = sum([len(records) async for records in store.tail(0, live=False)])
    rate = got / (time.perf_counter() - began)
    await store.close()
    if got != events:
        raise RuntimeError(f"{got} of {events} events came")
    return rate


async def rebuilt(url: str, name: str, database: str) -> float:
    """Events a second into a projection, from the first on."""
    store = await JetStreamStore.connect(url)
    engine = open_engine(database)
    projector = Projector(engine, make(name, lambda _: ()))

    async def batches(after: int) -> AsyncIterator[Batch]:
        async for records in store.tail(after, batch=BATCH, live=False):
            yield [(record.sequence, record.data) for record in records]

    began = time.perf_counter()
    await run(projector, batches)
    rate = projector.watermark / (time.perf_counter() - began)
    engine.dispose()
    await store.close()
    return rate


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=200_000)
    events = parser.parse_args(argv).events
    console = Console()
    made = recorded(events)
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder) / "nats", sync_always=False) as server,
        PostgresServer() as postgres,
    ):
        uvloop.run(fill(server.url, made))
        pull = uvloop.run(bare(server.url, len(made)))
        table = Table(
            "rebuild", "events/s", "of a bare pull", title=f"{len(made):,} events, {AT_ONCE} tables at once", box=None
        )
        table.add_row("bare pull", f"{pull:,.0f}", "1.00")
        rate = uvloop.run(followed(server.url, len(made)))
        table.add_row("store.tail", f"{rate:,.0f}", f"{rate / pull:.2f}")
        for name in NAMES:
            rate = uvloop.run(rebuilt(server.url, name, f"sqlite:///{folder}/{name}.sqlite"))
            table.add_row(f"{name}, SQLite", f"{rate:,.0f}", f"{rate / pull:.2f}")
        for name in NAMES:
            rate = uvloop.run(rebuilt(server.url, name, postgres.url.replace("postgresql", "postgresql+psycopg", 1)))
            table.add_row(f"{name}, PostgreSQL", f"{rate:,.0f}", f"{rate / pull:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
