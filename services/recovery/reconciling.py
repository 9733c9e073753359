"""Compare every table in all its copies, on all cores, and say what disagrees: `shuangkou verify --all`.

A view that is behind is compared as far as it is. Only the books, while somebody keeps them, must get to where the stream was: what they
do not hold is money.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache, partial
from multiprocessing import get_context
from types import MappingProxyType
from typing import Final, cast

from sqlalchemy import select

from domain.verify import Known
from projections.archive import Vault, archive_files
from projections.audit import audit_events
from projections.base import Projector, open_engine
from projections.runner import make
from services.eventstore.core import JetStreamStore
from services.eventstore.scanning import Hole, Scan
from services.recovery.comparing import Copies, Disagreement, Finding, Job, Place
from services.recovery.rulings import NAME as DISPUTES
from services.recovery.rulings import compare_rulings
from services.recovery.views import COMPARED, Mark, Views, mark_of
from services.settings import Settings
from services.store import connect
from services.vaults import open_vault

WORTH_A_POOL: Final = 8
"""From so many tables on it pays to use more than one core."""
NOTHING: Final[Mapping[str, Sequence[Known]]] = MappingProxyType({})
STILL: Final = 5.0
"""Seconds in which a ledger that is behind must have moved; if it has not, it does not go on."""
Progress = Callable[[int, int], None]
"""Told how many tables are done, of how many."""


@dataclass
class Reconciliation:
    """What was found: one finding a table, what disagrees beyond tables, and what could not be compared."""

    findings: list[Finding] = field(default_factory=list)
    beyond: list[Disagreement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    compared: tuple[str, ...] = ()

    @property
    def disagreements(self) -> list[Disagreement]:
        """Everything that disagrees, by table."""
        return [*self.beyond, *(each for finding in self.findings for each in finding.disagreements)]

    @property
    def clean(self) -> bool:
        """Whether all copies agree and no event is at fault."""
        return not self.disagreements


Stream = dict[str, dict[int, tuple[int, bytes]]]
"""Every event that the stream gives: by table and version, where it stands and its bytes."""


def reconcile(
    settings: Settings,
    known: Mapping[str, Sequence[Known]] = NOTHING,
    progress: Progress | None = None,
    *,
    running: bool = False,
) -> Reconciliation:
    """Compare everything. The views are marked before the stream is read, so that it can be done while tables are played.

    `known` is what witnesses know of tables, which must hold; `running`, whether the projections run, so that a ledger that is behind
    must catch up. Raises NotRunning, or what the store or the vault raises when it is away.
    """
    result = Reconciliation()
    marks = {name: mark for name in COMPARED if (mark := mark_of(settings, name)) is not None}
    result.compared = tuple(marks)
    result.notes += [
        f"{name}: the view is not there, so it was not compared; `shuangkou project {name}` builds it 没有该视图,未作比较"
        for name in COMPARED
        if name not in marks
    ]
    tables, holes = asyncio.run(_stream(settings, marks, result, running=running))
    wrong, notes, compared = asyncio.run(compare_rulings(settings))
    result.beyond += wrong
    result.notes += notes
    result.compared += (DISPUTES,) * compared
    views = Views(settings)
    try:
        names = sorted({*tables, *_copied(views, marks), *(table for table, each in known.items() if each)})
        result.beyond += _unexplained(holes, tables, views, marks)
    finally:
        views.close()
    jobs = [Job(name, tables.get(name, {}), known.get(name, ())) for name in names]
    for done, finding in enumerate(_each(partial(_compare, settings, marks), jobs), start=1):
        result.findings.append(finding)
        if progress:
            progress(done, len(jobs))
    return result


async def _stream(
    settings: Settings, marks: dict[str, Mark], result: Reconciliation, *, running: bool
) -> tuple[Stream, list[Hole]]:
    """Every event that the stream gives, and the sequences that it should give and does not."""
    store = await connect(settings)
    try:
        scan = Scan(store)
        tables: Stream = {}
        async for page in scan.pages():
            for record in page:
                tables.setdefault(record.key, {})[record.version] = (record.sequence, record.data)
        if running and "ledger" in marks:
            marks["ledger"] = await _caught_up(settings, marks["ledger"], scan.last)
        for name, mark in marks.items():
            if mark.upto and not await _same_stream(settings, store, name, mark.upto):
                marks[name] = mark._replace(complete=0)
                result.beyond.append(_of_another_stream(name, mark.upto))
        result.notes += [
            f"{name}: the view has seen {mark.upto:,} of {scan.last:,} events; what came after was not compared with it 之后的事件未作比较"
            for name, mark in marks.items()
            if mark.upto < scan.last
        ]
        if running and "ledger" in marks and marks["ledger"].upto < scan.last:
            result.beyond.append(_does_not_go_on(marks["ledger"].upto, scan.last))
        last = max((mark.upto for mark in marks.values()), default=0)
        return tables, [*scan.holes, *([Hole(scan.last + 1, last)] if last > scan.last else [])]
    finally:
        await store.close()


async def _caught_up(settings: Settings, mark: Mark, last: int) -> Mark:
    """The mark of the ledger when it is at `last`, or when it has not moved for a while."""
    loop = asyncio.get_running_loop()
    until = loop.time() + STILL
    while mark.upto < last and loop.time() < until:
        await asyncio.sleep(0.1)
        found = await asyncio.to_thread(mark_of, settings, "ledger") or mark
        if found.upto != mark.upto:
            mark, until = found, loop.time() + STILL
    return mark


def _does_not_go_on(upto: int, last: int) -> Disagreement:
    return Disagreement(
        "ledger",
        None,
        None,
        f"The ledger has seen {upto:,} of {last:,} events and does not go on; what came after is not in the books. "
        "What `shuangkou project ledger` says last, in logs/ledger.log where `up` runs it, is why; it must run.",
        "账本落后且不再前进,之后的事件未入账。",
    )


async def _same_stream(settings: Settings, store: JetStreamStore, name: str, sequence: int) -> bool:
    """Whether the event that a view took in last is where it was. One that cannot be read says nothing."""
    found = await store.fetch(f"{store.layout.prefix}.>", sequence, 1)
    if not found or found[0].sequence != sequence:
        return True
    engine = open_engine(settings.database(name))
    try:
        projector = Projector(engine, make(name, lambda _: ()))
        projector.watermark = sequence
        return await asyncio.to_thread(projector.ends_with, found[0].data)
    finally:
        engine.dispose()


def _of_another_stream(name: str, sequence: int) -> Disagreement:
    return Disagreement(
        cast("Place", name),
        None,
        None,
        f"Event {sequence} of the stream is not the one that this view took in last: the stream was restored or replaced, or lost events "
        f"and went on. When the stream is whole, build the view anew: shuangkou project {name} --rebuild",
        "视图不属于现在的流;流完整后请重建视图。",
    )


def _copied(views: Views, marks: Mapping[str, Mark]) -> Iterator[str]:
    """The tables that views know of."""
    for name, column, sequence in (
        ("audit", audit_events.c.table_id, audit_events.c.sequence),
        ("archive", archive_files.c.table_id, archive_files.c.sequence),
    ):
        if name in marks:
            with views.connection(name) as connection:
                yield from connection.execute(select(column).where(sequence <= marks[name].upto).distinct()).scalars()


def _unexplained(
    holes: Sequence[Hole], tables: Stream, views: Views, marks: Mapping[str, Mark]
) -> Iterator[Disagreement]:
    """The sequences that cannot be read and of which no copy says whose they are; the others are named at their tables."""
    for first, last in holes:
        known = 0
        if "audit" in marks:
            events = audit_events.c
            query = select(events.table_id, events.version).where(events.sequence.between(first, last))
            with views.connection("audit") as connection:
                known = sum(row.version not in tables.get(row.table_id, {}) for row in connection.execute(query))
        if known < last - first + 1:
            yield Disagreement(
                "stream",
                None,
                None,
                f"Events {first} to {last} of the stream cannot be read, and of {last - first + 1 - known} of them no timeline says "
                "which they were.",
                "流中的这些事件无法读取。",
            )


def _each(work: Callable[[Job], Finding], jobs: Sequence[Job]) -> Iterator[Finding]:
    if len(jobs) < WORTH_A_POOL:
        yield from map(work, jobs)
        return
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        yield from pool.map(work, jobs, chunksize=2)


def _compare(settings: Settings, marks: Mapping[str, Mark], job: Job) -> Finding:
    views, vault = _opened(settings.model_dump_json())
    with ExitStack() as stack:
        connections = {name: stack.enter_context(views.connection(name)) for name in marks}
        return Copies(vault, marks, **connections).compare(job)


@lru_cache(maxsize=1)
def _opened(settings: str) -> tuple[Views, Vault]:
    """The views and the vault, once in each process."""
    given = Settings.model_validate_json(settings)
    return Views(given), open_vault(given.vault)
