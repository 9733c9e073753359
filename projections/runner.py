"""Feeds projections from the stream. Where the events come from is given; nothing here knows of NATS."""

import asyncio
from collections.abc import AsyncIterator, Callable

from projections.audit import Audit
from projections.base import Batch, Overtaken, Projection, Projector
from projections.ledger import Ledger
from projections.live_table import History, LiveTables

NAMES = ("live", "ledger", "audit")
"""The projections there are."""


def make(name: str, history: History) -> Projection:
    """A projection by its name. Raises KeyError."""
    makers: dict[str, Callable[[], Projection]] = {
        "live": lambda: LiveTables(history),
        "ledger": Ledger,
        "audit": Audit,
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
