"""One projection as a process: follows the stream, feeds the projection, stops cleanly, and stops loudly when the record is at fault."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterable
from typing import Final

import structlog

from projections.base import Batch, ProjectionFault, Projector, open_engine
from projections.runner import make, run, source_of
from services.eventstore.core import JetStreamStore
from services.settings import Settings
from services.store import connect
from services.vaults import open_vault

BATCH: Final = 4000
"""Events taken in at once while catching up; fewer when they come one by one."""

log = structlog.get_logger("project")


async def run_projection(settings: Settings, name: str, *, rebuild: bool = False, live: bool = True) -> None:
    """Feed the projection until SIGTERM or SIGINT; with `live` unset, until it has caught up.

    Raises ProjectionFault when the stream holds what it cannot hold, KeyError for an unknown projection.
    """
    source = source_of(name)
    store = await connect(settings, kind=source)
    engine = open_engine(settings.database(name))
    try:
        history, vault = _History(store, asyncio.get_running_loop()), open_vault(settings.vault)
        projector = Projector(engine, make(name, history, vault), source)
        if rebuild:
            await asyncio.to_thread(projector.rebuild)
        await _check_not_shortened(store, projector)
        await _check_same_stream(store, projector)
        work = asyncio.create_task(_feed(store, projector, live=live))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, work.cancel)
        await work
    except asyncio.CancelledError:
        log.info("stopped", projection=name)
    finally:
        engine.dispose()
        await store.close()


async def _feed(store: JetStreamStore, projector: Projector, *, live: bool) -> None:
    name = projector.projection.name
    behind = await store.last_sequence()
    caught_up = False

    def progress(watermark: int) -> None:
        nonlocal caught_up
        if not caught_up and watermark >= behind:
            caught_up = True
            log.info("caught up", projection=name, watermark=watermark)

    async def batches(after: int) -> AsyncIterator[Batch]:
        async for records in store.tail(after, batch=BATCH, live=live):
            yield [(record.sequence, record.data) for record in records]

    progress(projector.watermark)  # there may be nothing new for a long time
    await run(projector, batches, progress)


async def _check_not_shortened(store: JetStreamStore, projector: Projector) -> None:
    """A stream that is shorter than what was projected from it has lost events; its numbers would be used again (ADR 0003)."""
    watermark = await asyncio.to_thread(projector.open)
    last = await store.last_sequence()
    if last < watermark:
        raise ProjectionFault(
            f"{projector.projection.name}: the stream ends at event {last}, but event {watermark} was projected before; "
            "the stream has lost events and must be restored (shuangkou restore), or it was, without what was lost: "
            f"then build the view anew: shuangkou project {projector.projection.name} --rebuild"
        )


async def _check_same_stream(store: JetStreamStore, projector: Projector) -> None:
    """In a stream that was restored or replaced the numbers belong to other events, so a watermark means nothing there."""
    if not projector.watermark:
        return
    found = await store.fetch(store.layout.events, projector.watermark, 1)
    if not found or not await asyncio.to_thread(projector.ends_with, found[0].data):
        name = projector.projection.name
        raise ProjectionFault(
            f"{name}: event {projector.watermark} of the stream is not the one that was projected before; the stream was restored "
            f"or is another one. Build the view anew: shuangkou project {name} --rebuild"
        )


class _History:
    """The lines of a table, for the thread in which projections write."""

    def __init__(self, store: JetStreamStore, loop: asyncio.AbstractEventLoop) -> None:
        self._store, self._loop = store, loop

    def __call__(self, table_id: str) -> Iterable[bytes]:
        reading = asyncio.run_coroutine_threadsafe(self._store.read(table_id), self._loop)
        return [record.data for record in reading.result()]
