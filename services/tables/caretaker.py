"""The caretaker: gives the commands that tables give by themselves, each at its time (`domain.upkeep` says which and when).

It deals on, acts for players who are away or out of time, and commits to seeds. Its commands go the way of everybody's: decided on a
version, appended with the version check. Of several services one is the quickest and the others look again, so nobody has to be in
charge. What is due is kept in one heap; a table that moves on is looked at again, and what was due before is passed over.

Nothing about this is written down. A caretaker that starts asks the live view, and the stream from where that ends, which tables may
have something due, and opens their rooms; the same look from time to time takes over from a service that is gone for good.
"""

import asyncio
import heapq
import logging
import random
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from domain.refusal import Refused
from domain.upkeep import Due, due
from projections.base import watermarks
from projections.live_table import live_tables
from schemas.commands import Command, CommitSeed, DealOn, TimeOut
from schemas.events import TableClosed, type_name
from services.eventstore.errors import BrokenLog, StoreError
from services.problems import Problem
from services.settings import Settings
from services.tables.lookups import look_up
from services.tables.metrics import Metrics
from services.tables.room import Room
from services.tables.rooms import Order, Rooms

log = logging.getLogger(__name__)

ROUND: Final = 30.0
"""Seconds between two looks for tables that nobody takes care of any more."""
SOON: Final = 1.0
"""Seconds before a first look that failed is tried again."""
QUIET: Final = timedelta(seconds=10)
"""A table that another service takes care of is not quiet for longer, unless it waits for somebody."""
WAIT: Final = 0.1
"""Seconds before a command that failed is given again; doubled each time, up to `LONGEST`."""
LONGEST: Final = 5.0
CLOSED: Final = type_name(TableClosed)
"""The topic of the last event of a table."""
NAMES: Final[Mapping[type[Command], str]] = {DealOn: "deal-on", TimeOut: "time-out", CommitSeed: "commit-seed"}
"""What the commands of a table are called, in their ids and in the metrics."""


class _Item(NamedTuple):
    """Something due: at this time, at this table, while it is at this version."""

    at: str
    table: str
    version: int


class Caretaker:
    """Takes care of the rooms of this process, as long as it runs."""

    def __init__(self, rooms: Rooms, settings: Settings, metrics: Metrics) -> None:
        self.rooms, self.settings, self.metrics = rooms, settings, metrics
        self._heap: list[_Item] = []
        self._sooner = asyncio.Event()
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._failures: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin: look after every room from now on, and find the tables that wait already."""
        self.rooms.watch = self.look
        self._tasks = [
            asyncio.create_task(self._keep_time(), name="caretaker"),
            asyncio.create_task(self._make_rounds(), name="rounds of the caretaker"),
        ]

    async def stop(self) -> None:
        """End; a command that is on its way is given up, and whoever comes next finds it recorded or due."""
        self.rooms.watch = None
        tasks = [*self._tasks, *self._busy.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def look(self, room: Room) -> None:
        """Note what is due in a room that changed."""
        wanted = self._due(room)
        room.awaited = wanted is not None
        self._failures.pop(room.id, None)
        if wanted is not None:
            self._note(_Item(wanted.at, room.id, room.version))

    def _due(self, room: Room) -> Due | None:
        return due(room.table) if room.table is not None and room.fault is None else None

    def _note(self, item: _Item) -> None:
        heapq.heappush(self._heap, item)
        if self._heap[0] is item:
            self._sooner.set()

    async def _keep_time(self) -> None:
        """Give what is due its command, and sleep until the next is."""
        while True:
            self._sooner.clear()
            now = self.rooms.clock()
            while self._heap and self._heap[0].at <= now:
                self._take_up(heapq.heappop(self._heap))
            with suppress(TimeoutError):
                async with asyncio.timeout(_seconds(now, self._heap[0].at) if self._heap else None):
                    await self._sooner.wait()

    def _take_up(self, item: _Item) -> None:
        room = self.rooms.at_hand(item.table)
        if room is None or room.version != item.version or item.table in self._busy:
            return  # it went on, and was looked at again then; or will be when what is under way is done
        task = asyncio.create_task(self._give(room), name=f"table {item.table} by itself")
        self._busy[item.table] = task

    async def _give(self, room: Room) -> None:
        """Give a table its command. What goes wrong is given again later, as long as it is still due."""
        version = room.version
        try:
            wanted = self._due(room)
            if wanted is not None and wanted.at <= self.rooms.clock():
                await self._command(room, wanted.command)
        finally:
            del self._busy[room.id]
            self._look_again(room, moved=room.version != version)

    async def _command(self, room: Room, command: Command) -> None:
        kind = NAMES[type(command)]
        order = Order(lambda _: command, f"table.v{room.version}", kind, room.version)
        try:
            done = await self.rooms.handle(room.id, order)
            outcome = "repeated" if done.repeated else "recorded"
        except (Refused, Problem):
            outcome = "overtaken"  # somebody was quicker
        except StoreError as error:
            outcome = "failed"
            log.warning("table %s: %s is put off: %s", room.id, kind, error)
        except Exception:
            outcome = "failed"
            log.exception("table %s: %s failed", room.id, kind)
        self.metrics.commands.labels(kind, outcome).inc()

    def _look_again(self, room: Room, *, moved: bool) -> None:
        wanted = self._due(room)
        room.awaited = wanted is not None
        if wanted is None:
            return
        if moved:
            self._note(_Item(wanted.at, room.id, room.version))
            return
        failures = self._failures[room.id] = self._failures.get(room.id, 0) + 1
        seconds = min(WAIT * 2 ** min(failures, 10), LONGEST) * random.uniform(0.5, 1)  # noqa: S311 (nothing secret)
        later = _later(self.rooms.clock(), timedelta(seconds=seconds))
        self._note(_Item(max(wanted.at, later), room.id, room.version))

    async def _make_rounds(self) -> None:
        """Open the rooms of tables that may have something due: all when starting, later those that have gone quiet."""
        starting = True
        while True:
            try:
                for table, version in (await self._unattended(starting=starting)).items():
                    await self._open(table)
                    self._seen[table] = version
                starting = False
            except StoreError as error:
                log.warning("not all tables that wait could be opened: %s", error)
            await asyncio.sleep(SOON if starting else ROUND)

    async def _open(self, table: str) -> None:
        """Open a room, which is all it takes: it is looked at then. One that is broken does not keep the others waiting."""
        try:
            await self.rooms.open(table)
        except (BrokenLog, Refused) as error:
            log.warning("table %s is not taken care of: %s", table, error)

    async def _unattended(self, *, starting: bool) -> dict[str, int]:
        """Tables that are not open here, may have something due and were not looked at in this version; the latest moved first."""
        found, watermark = await self._live(quiet=not starting)
        if starting:
            async for records in self.rooms.store.tail(watermark, live=False):
                found |= {record.key: record.version for record in records}
                for record in records:
                    if record.topic == CLOSED:
                        del found[record.key]
        return {
            table: version
            for table, version in found.items()
            if self.rooms.at_hand(table) is None and version > self._seen.get(table, 0)
        }

    async def _live(self, *, quiet: bool) -> tuple[dict[str, int], int]:
        """Tables that are not closed, from the live view, and up to which place in the stream that holds.

        `quiet`: none that moved just now.
        """
        before = _later(self.rooms.clock(), -QUIET) if quiet else "9"
        rows = live_tables.c

        def ask(view: Connection) -> tuple[dict[str, int], int]:
            far = view.execute(select(watermarks.c.sequence).where(watermarks.c.projection == "live")).scalar()
            waiting = select(rows.table_id, rows.version).where(rows.status != "closed", rows.moved < before)
            return {row.table_id: row.version for row in view.execute(waiting.order_by(rows.moved.desc()))}, far or 0

        try:
            return await look_up(self.settings, "live", ask)
        except Problem:
            return {}, 0  # not built yet: the stream tells it all


def _seconds(now: str, at: str) -> float:
    return max(0.0, (datetime.fromisoformat(at) - datetime.fromisoformat(now)).total_seconds())


def _later(time: str, by: timedelta) -> str:
    return f"{(datetime.fromisoformat(time) + by).isoformat(timespec='milliseconds')[:23]}Z"
