"""Every projection is killed (SIGKILL) many times while events arrive; in the end its view must be, to the byte, what a rebuild gives.

Each projection runs as its own process, as `shuangkou project` runs it, on a real NATS server and a real database. The moments are random:
a kill comes when a drawn event was published, after a drawn delay, and the process is started again at once; so it is hit while it follows,
while it catches up, while it sets up, and between these.
"""

import argparse
import asyncio
import hashlib
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Final

import uvloop
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sqlalchemy import Engine, select

from ops.bench.postgres import PostgresServer
from ops.drills.streams import made
from projections.base import heads, open_engine, watermarks
from projections.runner import NAMES, make, source_of
from schemas.envelope import Recorded
from schemas.events import type_name
from schemas.registry import Kind
from services.eventstore.server import EmbeddedServer
from services.project import run_projection
from services.settings import Settings
from services.store import connect

PACE: Final = 500
"""Events published a second in each stream, in bursts."""
LATEST: Final = 0.01
"""Seconds between the event at which a kill was drawn and the kill, at most: about what it takes to project a burst."""
PATIENCE: Final = 120
"""Seconds in which a projection must have caught up."""


@dataclass(slots=True)
class Victim:
    """A projection that is killed. `kills` counts them, `busy` those at which events waited for it."""

    name: str
    settings: Settings
    events: int
    moments: list[int]
    kills: int = 0
    busy: int = 0
    process: ForkServerProcess | None = field(default=None, repr=False)

    @property
    def kind(self) -> Kind:
        """The stream it follows."""
        return source_of(self.name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a projection: the digest of its view after all kills, and of the view built anew."""

    name: str
    database: str
    kills: int
    busy: int
    events: int
    rows: int
    digest: str
    rebuilt: str

    @property
    def same(self) -> bool:
        """Whether the kills left no trace."""
        return self.digest == self.rebuilt


def _project(settings: Settings, name: str, log: Path, *, rebuild: bool = False) -> None:
    """The process: all it says goes to a file."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(handle, sys.stdout.fileno())
    os.dup2(handle, sys.stderr.fileno())
    uvloop.run(run_projection(settings, name, rebuild=rebuild, live=not rebuild))


class Drill:
    """One run on one database. `names` are the projections, `seed` draws the moments."""

    def __init__(self, settings: Settings, names: Sequence[str], events: int, kills: int, seed: str) -> None:
        self._draw = random.Random(seed)
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["services.project", "uvloop"])
        self._log = settings.data / "projections.log"
        self.streams = {kind: made(kind, events) for kind in {source_of(name) for name in names}}
        self.victims = [
            Victim(
                name,
                settings,
                len(self.streams[source_of(name)]),
                sorted(self._draw.sample(range(1, len(self.streams[source_of(name)])), kills)),
            )
            for name in names
        ]
        self._engines = {name: open_engine(settings.database(name)) for name in names}

    async def run(self, on_kill: Callable[[], None] = lambda: None) -> list[Outcome]:
        """Publish, kill, wait for the rest, compare. Raises RuntimeError when a projection does not get to the end."""
        published = {kind: _Published() for kind in self.streams}
        try:
            async with asyncio.TaskGroup() as group:
                for kind, events in self.streams.items():
                    group.create_task(self._publish(kind, events, published[kind]))
                for victim in self.victims:
                    group.create_task(self._torment(victim, published[victim.kind], on_kill))
            return [await asyncio.to_thread(self._compare, victim) for victim in self.victims]
        finally:
            for victim in self.victims:
                if victim.process is not None:
                    victim.process.kill()
                self._engines[victim.name].dispose()

    async def _publish(self, kind: Kind, events: Sequence[Recorded], published: "_Published") -> None:
        """Give the events to the stream in bursts of drawn sizes."""
        store = await connect(self.victims[0].settings, within=60, kind=kind)
        start, first = time.monotonic(), 0
        while first < len(events):
            size = self._draw.randint(1, 60)
            for each in events[first : first + size]:
                write = store.layout.event(each.table, each.version, type_name(type(each.event)), each.line, None)
                await store.write([write], within=60)  # a machine at its limit may stand still for a while
                await published.one_more()
            first = min(first + size, len(events))
            await asyncio.sleep(max(0.0, start + first / PACE - time.monotonic()))
        await store.close()

    async def _torment(self, victim: Victim, published: "_Published", on_kill: Callable[[], None]) -> None:
        self._start(victim)
        for moment in victim.moments:
            await published.past(moment)
            await asyncio.sleep(self._draw.uniform(0, LATEST))
            out = published.events
            await asyncio.to_thread(self._kill, victim)
            victim.busy += await asyncio.to_thread(self._watermark, victim) < out
            self._start(victim)
            on_kill()
        await published.past(victim.events)
        await asyncio.to_thread(self._wait, victim)

    def _start(self, victim: Victim) -> None:
        victim.process = self._context.Process(target=_project, args=(victim.settings, victim.name, self._log))
        victim.process.start()

    def _kill(self, victim: Victim) -> None:
        process = victim.process
        if process is None or not process.is_alive():
            raise RuntimeError(f"{victim.name} ended by itself:\n{self._log.read_text()[-2000:]}")
        process.kill()
        process.join()
        victim.kills += 1

    def _watermark(self, victim: Victim) -> int:
        engine = self._engines[victim.name]
        with engine.connect() as connection:
            if not engine.dialect.has_table(connection, watermarks.name):
                return 0
            query = select(watermarks.c.sequence).where(watermarks.c.projection == victim.name)
            return connection.scalar(query) or 0

    def _wait(self, victim: Victim) -> None:
        """Wait until it has taken in everything, then let it end."""
        process = victim.process
        deadline = time.monotonic() + PATIENCE
        while self._watermark(victim) < victim.events:
            if time.monotonic() > deadline or process is None or not process.is_alive():
                raise RuntimeError(f"{victim.name} did not get to the end:\n{self._log.read_text()[-2000:]}")
            time.sleep(0.02)
        if process is not None:
            process.terminate()
            process.join()

    def _compare(self, victim: Victim) -> Outcome:
        engine = self._engines[victim.name]
        rows, digest = content(engine, victim.name)
        rebuild = self._context.Process(
            target=_project, args=(victim.settings, victim.name, self._log), kwargs={"rebuild": True}
        )
        rebuild.start()
        rebuild.join()
        _, rebuilt = content(engine, victim.name)
        return Outcome(
            victim.name, engine.dialect.name, victim.kills, victim.busy, victim.events, rows, digest, rebuilt
        )


class _Published:
    """How many events of a stream are out."""

    def __init__(self) -> None:
        self.events = 0
        self._more = asyncio.Condition()

    async def one_more(self) -> None:
        """Another one is out."""
        async with self._more:
            self.events += 1
            self._more.notify_all()

    async def past(self, moment: int) -> None:
        """Wait until so many are out."""
        async with self._more:
            await self._more.wait_for(lambda: self.events >= moment)


def content(engine: Engine, name: str) -> tuple[int, str]:
    """All that a projection has in a database, as the number of rows and the SHA-256 of them in the order of their keys."""
    tables = [*make(name, lambda _: []).metadata.sorted_tables, heads, watermarks]
    sha, number = hashlib.sha256(), 0
    with engine.connect() as connection:
        for table in tables:
            query = select(table)
            if table in (heads, watermarks):
                query = query.where(table.c.projection == name)
            rows = sorted(repr(tuple(row)) for row in connection.execute(query))
            number += len(rows)
            sha.update("\n".join((table.name, *rows, "")).encode())
    return number, sha.hexdigest()


def drill(
    folder: Path,
    database: str | None,
    names: Sequence[str] = NAMES,
    *,
    events: int,
    kills: int,
    seed: str,
    on_kill: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    """Run the drill in a folder of its own, on SQLite or, with `database`, on a PostgreSQL."""
    with EmbeddedServer(folder / "nats", sync_always=False) as server:
        settings = Settings(data=folder / "data", nats=server.url, db=database)
        settings.data.mkdir(mode=0o700, parents=True)
        return uvloop.run(Drill(settings, names, events, kills, seed).run(on_kill))


def main(argv: Sequence[str] | None = None) -> int:
    """Run it on both databases and print what happened. The exit status is 1 when a view differs from its rebuild."""
    parser = argparse.ArgumentParser(prog="python -m ops.drills.projections", description=__doc__)
    parser.add_argument("--events", type=int, default=20_000, help="events of each stream")
    parser.add_argument("--kills", type=int, default=50, help="kills of each projection")
    parser.add_argument("--seed", default="drill", help="draws the matches and the moments")
    parser.add_argument("--only", action="append", choices=NAMES, help="only this projection (may be repeated)")
    given = parser.parse_args(argv)
    names = given.only or NAMES
    outcomes: list[Outcome] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(Progress(transient=True))
        postgres = stack.enter_context(PostgresServer())
        databases = {"sqlite": None, "postgresql": postgres.url}
        task = progress.add_task("kills", total=given.kills * len(names) * len(databases))
        for name, url in databases.items():
            outcomes += drill(
                folder / name,
                url,
                names,
                events=given.events,
                kills=given.kills,
                seed=given.seed,
                on_kill=lambda: progress.advance(task),
            )
    Console(width=None if sys.stdout.isatty() else 140).print(_table(outcomes))
    return int(not all(outcome.same for outcome in outcomes))


def _table(outcomes: Sequence[Outcome]) -> Table:
    listed = Table(title="kill -9 of projections", box=None, header_style="bold")
    for name in (
        "projection",
        "database",
        "events",
        "kills",
        "events waiting",
        "rows",
        "content",
        "as rebuilt",
        "same on both",
    ):
        listed.add_column(name, justify="right" if name in {"events", "kills", "events waiting", "rows"} else "left")
    for each in outcomes:
        digests = {other.digest for other in outcomes if other.name == each.name}
        listed.add_row(
            each.name,
            each.database,
            f"{each.events:,}",
            str(each.kills),
            str(each.busy),
            f"{each.rows:,}",
            each.digest[:12],
            "[green]yes" if each.same else "[bold red]NO",
            "[green]yes" if len(digests) == 1 else "[bold red]NO",
        )
    return listed


if __name__ == "__main__":
    sys.exit(main())
