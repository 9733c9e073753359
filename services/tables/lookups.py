"""Reads from the projections' databases: the list of tables and the ledger. They may lag behind the stream, never contradict it."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from projections.base import open_engine, watermarks
from projections.books import see_adjustments
from schemas.envelope import read_line
from schemas.notation import Unreadable
from services.eventstore.errors import StoreError
from services.problems import Problem
from services.settings import Settings
from services.tables.rooms import Rooms

T = TypeVar("T")

MOMENT: Final = timedelta(seconds=5)
"""So long may a view take for an event; after that it is stale."""


class Reach(NamedTuple):
    """How far a view is: it holds the events up to `upto` `of` so many in the stream, None when the stream cannot be asked.

    `behind_since` is the time of the first event that it lacks, None when it lacks none; `stale`, that this is more than a moment ago.

    An event that cannot be read has no time, and is stale at once.
    """

    upto: int
    of: int | None
    behind_since: str | None = None
    stale: bool = False


@lru_cache(maxsize=8)
def _engine(url: str) -> Engine:
    return open_engine(url)


async def look_up(settings: Settings, projection: str, query: Callable[[Connection], T]) -> T:
    """Ask a projection's database. Raises a 503 problem when it is not there (yet)."""

    def ask() -> T:
        with _engine(settings.database(projection)).connect() as connection:
            return query(connection)

    try:
        return await asyncio.to_thread(ask)
    except SQLAlchemyError:
        raise Problem(
            503,
            "view_missing",
            f"The view {projection!r} is not built yet or its database is away; "
            f"`shuangkou project {projection}` builds it. Tables themselves are not affected.",
            "视图尚未建立或数据库不可用;牌桌不受影响。",
            headers={"Retry-After": "5"},
        ) from None


async def look_into_books(settings: Settings, query: Callable[[Connection, bool], T]) -> T:
    """Ask the ledger, together with what rulings added to it; the query is told whether there are such entries at all."""
    disputes = settings.database("disputes")
    return await look_up(settings, "ledger", lambda view: query(view, see_adjustments(view, disputes)))


def upto(view: Connection, projection: str) -> int:
    """The sequence of the last event that a view holds."""
    return view.scalar(select(watermarks.c.sequence).where(watermarks.c.projection == projection)) or 0


async def end_of_stream(rooms: Rooms) -> int | None:
    """The sequence of the last event of the stream, None when it cannot be asked."""
    try:
        return await rooms.store.last_sequence()
    except StoreError:
        return None


async def reach(rooms: Rooms, upto: int, last: int | None) -> Reach:
    """How far a view is that holds events up to `upto`, where `last` was the stream's end before it was looked at."""
    if last is None or upto >= last:
        return Reach(upto, last if last is None else upto)
    try:
        found = await rooms.store.fetch(rooms.store.layout.events, upto + 1, 1)
    except StoreError:
        return Reach(upto, None)
    if not found:
        return Reach(upto, last)
    try:
        since = read_line(found[0].data).time
    except Unreadable:
        return Reach(upto, last, stale=True)  # which no view gets past
    late = datetime.fromisoformat(rooms.clock()) - datetime.fromisoformat(since)
    return Reach(upto, last, since, late > MOMENT)
