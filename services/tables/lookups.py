"""Reads from the projections' databases: the list of tables and the ledger. They may lag behind the stream, never contradict it."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from projections.base import open_engine
from projections.books import see_adjustments
from services.problems import Problem
from services.settings import Settings

T = TypeVar("T")


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
