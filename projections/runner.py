"""Feeds projections from the stream. Where the events come from is given; nothing here knows of NATS."""

import asyncio
from collections.abc import AsyncIterator, Callable

from projections.access import Access
from projections.archive import Archive, Vault
from projections.audit import Audit
from projections.base import Batch, Overtaken, Projection, Projector
from projections.disputes import Disputes
from projections.ledger import Ledger
from projections.live_table import History, LiveTables
from schemas.registry import Kind

NAMES = ("live", "ledger", "audit", "archive", "disputes", "access")
"""The projections there are."""


def source_of(name: str) -> Kind:
    """Which stream a projection is fed from: that of tables, unless it is about disputes or looks."""
    if name == "disputes":
        return "disputes"
    return "access" if name == "access" else "tables"


def make(name: str, history: History, vault: Vault | None = None) -> Projection:
    """A projection by its name; the archive keeps its files in the vault. Raises KeyError."""
    makers: dict[str, Callable[[], Projection]] = {
        "live": lambda: LiveTables(history),
        "ledger": Ledger,
        "audit": Audit,
        "archive": lambda: Archive(vault),
        "disputes": Disputes,
        "access": Access,
    }
    return makers[name]()


async def run(
    projector: Projector,
    batches: Callable[[int], AsyncIterator[Batch]],
    on_progress: Callable[[int], None] | None = None,
) -> None:
    """Open the projector and feed it everything after its watermark until the batches end.

    `batches` gives the events of the stream after a sequence. Raises ProjectionFault when an event cannot be taken in.
    """
    await asyncio.to_thread(projector.open)
    while True:
        try:
            async for batch in batches(projector.watermark):
                await asyncio.to_thread(projector.feed, batch)
                if on_progress:
                    on_progress(projector.watermark)
        except Overtaken:
            await asyncio.to_thread(projector.open)
            continue
        return
