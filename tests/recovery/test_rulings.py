"""`verify --all` compares what rulings posted with the record of the desk, and follows that record."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from ops.drills.storage import served
from projections.base import Batch, Projector, open_engine
from projections.disputes import Disputes
from schemas.disputes import LedgerAdjusted, RulingGiven
from schemas.envelope import Recorded, read_line, record
from schemas.events import type_name
from services.eventstore.core import NewEvent
from services.eventstore.errors import EMPTY
from services.recovery.rulings import compare_rulings
from services.settings import Settings
from services.store import connect
from tests.projections.test_disputes import case

RULED = "d-000"
Change = Callable[[list[Recorded]], list[Recorded]]


async def _write(settings: Settings, cases: list[list[Recorded]]) -> Batch:
    store = await connect(settings, kind="disputes")
    try:
        for events in cases:
            new = [NewEvent(type_name(type(each.event)), each.line) for each in events]
            await store.append(events[0].table, EMPTY, new)
        return [(each.sequence, each.data) for each in await store.fetch(store.layout.events, 1)]
    finally:
        await store.close()


def desk(settings: Settings, seen: int | None = None, *, change: Change = list) -> None:
    """Three cases, one of them ruled on and changed so; the view has seen so many of their events, by default all."""
    stream = asyncio.run(_write(settings, [change(case(0)), case(1), case(2)]))
    projector = Projector(open_engine(settings.database("disputes")), Disputes(), "disputes")
    projector.open()
    projector.feed(stream[:seen])
    projector.engine.dispose()


def view(settings: Settings, *statements: str) -> None:
    """Change the view behind everybody's back, without its guards."""
    with sqlite3.connect(settings.data / "views" / "disputes.sqlite") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert connection.execute(statement).rowcount > 0


def found(settings: Settings) -> tuple[set[Any], list[str], bool]:
    wrong, notes, compared = asyncio.run(compare_rulings(settings))
    return {(each.place, each.table, each.version) for each in wrong}, notes, compared


def test_a_view_that_says_what_the_record_says_is_clean(house: Settings) -> None:
    with served(house) as running:
        assert found(running) == (set(), [], False)
        desk(running)
        assert found(running) == (set(), [], True)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_adjustments SET amount = amount * 100",
        "UPDATE ledger_adjustments SET account = 'player:eve' WHERE amount > 0",
        "DELETE FROM ledger_adjustments",
        "UPDATE disputes SET outcome = 'upheld' WHERE outcome = 'adjusted'",
        f"DELETE FROM disputes WHERE dispute_id = '{RULED}'",
    ],
)
def test_a_ruling_that_was_changed_in_the_view_is_named(house: Settings, statement: str) -> None:
    with served(house) as running:
        desk(running)
        view(running, statement)
        assert found(running) == ({("disputes", RULED, None)}, [], True)


def test_entries_of_a_case_that_there_is_not_are_named(house: Settings) -> None:
    with served(house) as running:
        desk(running)
        view(
            running,
            "INSERT INTO ledger_adjustments SELECT 'd-no', version, account, unit, amount, table_id, hand, reason, time "
            "FROM ledger_adjustments",
        )
        assert found(running) == ({("disputes", "d-no", None)}, [], True)


def test_entries_that_follow_from_no_ruling_are_named(house: Settings) -> None:
    """Chained anew and balanced, so the view takes them in."""

    def doubled(events: list[Recorded]) -> list[Recorded]:
        last = events[-1]
        assert isinstance(last.event, LedgerAdjusted)
        entries = tuple(each.model_copy(update={"amount": f"{each.amount}9"}) for each in last.event.entries)
        more = last.event.model_copy(update={"entries": entries})
        return [*events[:-1], record(last.table, last.version, last.prev, last.time, last.command, more)]

    with served(house) as running:
        desk(running, change=doubled)
        assert found(running) == ({("disputes", RULED, 6)}, [], True)


def test_a_view_of_another_record_is_named(house: Settings) -> None:
    """The stream tells another ruling than the one that was taken in."""

    def upheld(events: list[Recorded]) -> list[Recorded]:
        before, ruling = events[-3], events[-2]
        assert isinstance(ruling.event, RulingGiven)
        other = ruling.event.model_copy(update={"reason": "Another."})
        told = record(ruling.table, ruling.version, before.hash, ruling.time, ruling.command, other)
        posted = read_line(events[-1].line, "disputes")
        assert isinstance(posted.event, LedgerAdjusted)
        same = posted.event.model_copy(update={"reason": "Another."})
        return [*events[:-2], told, record(told.table, told.version + 1, told.hash, told.time, told.command, same)]

    with served(house) as running:
        desk(running, change=upheld)
        projector = Projector(open_engine(running.database("disputes")), Disputes(), "disputes")
        projector.rebuild()
        events = [each for number in range(3) for each in case(number)]
        projector.feed([(number, each.line) for number, each in enumerate(events, start=1)])
        projector.engine.dispose()
        assert found(running) == ({("disputes", RULED, None)}, [], True)


def test_a_view_that_is_behind_or_not_there_is_said(house: Settings) -> None:
    with served(house) as running:
        desk(running, 4)
        wrong, notes, _ = found(running)
        assert (wrong, [each.split(";")[0] for each in notes]) == (
            set(),
            ["disputes: the view has seen 4 of 15 events"],
        )
        (running.data / "views" / "disputes.sqlite").unlink()
        wrong, notes, compared = found(running)
        assert (wrong, compared, "the view is not there" in notes[0]) == (set(), False, True)


def test_a_stream_of_disputes_that_ends_early_is_named(house: Settings) -> None:
    with served(house) as running:
        desk(running)
        view(running, "UPDATE watermarks SET sequence = 99")
        assert found(running) == ({("disputes", None, None)}, [], True)
