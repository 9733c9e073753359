"""Verifies one match, or every table of the stream on all cores."""

import asyncio
import os
from concurrent.futures import ProcessPoolExecutor

from domain.verify import Report, verify_file, verify_lines
from services.cli.looking import file_at
from services.client import Client
from services.settings import Settings

WORTH_A_POOL = 8
"""From so many tables on it pays to use more than one core."""


def verify_one(place: str, settings: Settings) -> Report:
    """Verify a match file, or a table by its service. Raises Failed."""
    path = file_at(place)
    if path is not None:
        return verify_file(path.read_bytes())
    with Client(settings, "auditor") as client:
        return verify_file(client.answer(f"/tables/{place}/export").content)


def verify_all(settings: Settings) -> list[Report]:
    """Verify every table that the stream holds, read from the stream itself. Raises NotRunning or what the store raises."""
    tables = asyncio.run(_tables(settings))
    lines = list(tables.values())
    if len(lines) < WORTH_A_POOL:
        return [verify_lines(each) for each in lines]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(verify_lines, lines, chunksize=4))


async def _tables(settings: Settings) -> dict[str, list[bytes]]:
    from services.store import connect

    store = await connect(settings)
    try:
        tables: dict[str, list[bytes]] = {}
        async for records in store.tail(0, live=False):
            for record in records:
                tables.setdefault(record.key, []).append(record.data)
        return tables
    finally:
        await store.close()
