"""Compare the desk's view, where rulings post what they change in the ledger, with the record of the cases.

As with the ledger, what the events make is made anew and must be what is there; and what a case posts must be what its ruling says.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, create_engine, select
from sqlalchemy.pool import StaticPool

from domain.dispute import Dispute, evolve
from projections.base import ProjectionFault, Projector
from projections.disputes import Disputes, disputes, ledger_adjustments
from schemas.disputes import EvidenceAttached
from schemas.envelope import read_line
from services.eventstore.scanning import Scan
from services.eventstore.wire import StoredRecord
from services.recovery.comparing import Disagreement
from services.recovery.views import Views, mark_of
from services.settings import Settings
from services.store import connect

NAME: Final = "disputes"
VIEWS: Final = {each.name: each for each in (disputes, ledger_adjustments)}
Rows = dict[tuple[str, str], list[tuple[Any, ...]]]
"""Rows of the view by case and name of their table."""


async def compare_rulings(settings: Settings) -> tuple[list[Disagreement], list[str], bool]:
    """What disagrees, what could not be compared, and whether anything was. Raises what the store raises."""
    views = Views(settings)
    try:
        held = _held(settings, views)
    finally:
        views.close()
    store = await connect(settings, kind="disputes")
    try:
        scan = Scan(store)
        if held is None:
            lost = await store.last_sequence()
            words = f"{NAME}: the view is not there, so rulings were not compared; `shuangkou project {NAME}` builds it 没有该视图,未作比较"
            return [], [words] * bool(lost), False
        upto, rows = held
        check = _Check(upto)
        try:
            async for page in scan.pages():
                check.take(page)
        finally:
            check.close()
    finally:
        await store.close()
    notes = [
        f"{NAME}: the view has seen {upto:,} of {scan.last:,} events; what came after was not compared with it 之后的事件未作比较"
    ]
    return list(check.found(rows, scan)), notes * (upto < scan.last), True


def _held(settings: Settings, views: Views) -> tuple[int, Rows] | None:
    """How far the view is and its rows, as of one moment; None when there is none."""
    while (mark := mark_of(settings, NAME)) is not None:
        with views.connection(NAME) as connection:
            rows = _rows(connection)
        if mark_of(settings, NAME) == mark:
            return mark.upto, rows
    return None


def _rows(connection: Connection) -> Rows:
    found: Rows = {}
    for table in VIEWS.values():
        keys = list(table.primary_key)
        for row in connection.execute(select(table).order_by(*keys)):
            found.setdefault((row.dispute_id, table.name), []).append(tuple(row))
    return found


class _Check:
    """The cases as their record tells them, page by page; up to the sequence `upto` also the view that it makes."""

    def __init__(self, upto: int) -> None:
        self.upto = upto
        self.fault: Disagreement | None = None
        self._cases: dict[str, Dispute | None] = {}
        engine = create_engine("sqlite://", poolclass=StaticPool)
        self._made = Projector(engine, Disputes(), "disputes")
        self._made.open()
        self._rows: Rows = {}

    def take(self, page: Sequence[StoredRecord]) -> None:
        """Take in the next events; after the first fault none."""
        for stored in page:
            if self.fault is None:
                try:
                    self._follow(stored)
                except ValueError as error:
                    en = f"The record of this case cannot be followed: {error}. Bring it back from a backup."
                    self.fault = Disagreement(NAME, stored.key, stored.version, en, "争议记录有误,请从备份恢复。")
        if self.fault is None:
            try:
                self._made.feed([(each.sequence, each.data) for each in page if each.sequence <= self.upto])
            except ProjectionFault as fault:
                self.fault = Disagreement(NAME, None, None, f"{fault}.", "争议记录有误。")

    def _follow(self, stored: StoredRecord) -> None:
        recorded = read_line(stored.data, "disputes")
        event = recorded.event
        if isinstance(event, EvidenceAttached):  # files are not kept in memory
            recorded = recorded._replace(event=event.model_copy(update={"content": None}), line=b"")
        if recorded.table != stored.key:
            raise ValueError(f"event {recorded.table}:{recorded.version} is not one of {stored.key}")
        self._cases[stored.key] = evolve(self._cases.get(stored.key), recorded)

    def close(self) -> None:
        """Read what was made, and let go of it."""
        with self._made.engine.connect() as connection:
            self._rows = _rows(connection)
        self._made.engine.dispose()

    def found(self, held: Rows, scan: Scan) -> Iterator[Disagreement]:
        """What is wrong with the record, or else where the view is not what the record makes."""
        for first, last in scan.holes:
            en = f"Events {first} to {last} of the stream of disputes cannot be read. Bring it back from a backup."
            yield Disagreement(NAME, None, None, en, "争议流中的这些事件无法读取,请从备份恢复。")
        if self.upto > scan.last:
            en = f"The stream of disputes ends at event {scan.last}, but its view has seen {self.upto}. Bring it back from a backup."
            yield Disagreement(NAME, None, None, en, "争议流缺少视图已见的事件,请从备份恢复。")
        elif self.fault is not None:
            yield self.fault
        elif not scan.holes:
            for case in sorted({case for case, _ in held.keys() | self._rows.keys()}):
                if any(held.get((case, each)) != self._rows.get((case, each)) for each in VIEWS):
                    en = f"What its view says, or posted, is not what its record says; build it again: shuangkou project {NAME} --rebuild"
                    yield Disagreement(NAME, case, None, en, "裁决分录或争议视图与记录不符,请重建。")
