"""The database keeps the books: what somebody writes by hand is refused, on both databases."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, insert
from sqlalchemy.exc import IntegrityError

from projections.base import ProjectionFault, Projector, open_engine
from projections.books import Books, ruling, unbalanced
from projections.disputes import Disputes
from projections.ledger import Ledger, entries, transactions
from projections.postings import Posting
from tests.kit import books
from tests.projections.test_books import ENTRIES, ruled
from tests.projections.test_crashes import url

__all__ = ["url"]

STREAM = books.stream_of(
    books.record_of("t", books.opened("huopin"), books.contribution(1, 0, 2, 6)),
    books.record_of("u", books.opened("ningxia"), books.settled(1)),
)


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    projector = Projector(open_engine(url), Ledger())
    projector.open()
    projector.feed(STREAM)
    yield projector.engine
    projector.engine.dispose()


def write(connection: Connection, amounts: dict[str, int], *, version: int = 9, part: int = 0) -> None:
    """A transaction as the projection would write it."""
    key = {"table_id": "t", "version": version, "part": part}
    for account, amount in amounts.items():
        connection.execute(insert(entries).values(**key, account=account, amount=amount))
    row = {**key, "sequence": 9, "hand": 1, "kind": "base", "unit": "points", "time": "2026-12-01T03:00:00.000Z"}
    connection.execute(insert(transactions).values(row))


def dump(engine: Engine) -> list[Any]:
    with engine.connect() as connection:
        return [Books(connection).statement(), Books(connection).balances(), unbalanced(connection)]


def test_what_adds_up_is_taken(engine: Engine) -> None:
    with engine.begin() as connection:
        write(connection, {"player:ann": 10, "player:bob": -10})
    with engine.connect() as connection:
        assert len(Books(connection, player="bob").statement()) == 3
        assert unbalanced(connection) == []


@pytest.mark.parametrize("amounts", [{"player:ann": 10, "player:bob": -9}, {"player:ann": 1}, {}])
def test_what_does_not_add_up_cannot_be_committed(engine: Engine, amounts: dict[str, int]) -> None:
    before = dump(engine)
    with pytest.raises(IntegrityError, match="must add up to zero"), engine.begin() as connection:
        write(connection, amounts)
    assert dump(engine) == before


def test_a_fault_of_our_own_stops_the_ledger_and_leaves_it_as_it_was(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Posting("settled", "points", 1, {"player:ann": 10_000})
    monkeypatch.setattr("projections.ledger.postings", lambda *_: [wrong])
    before = dump(engine)
    projector = Projector(engine, Ledger())
    projector.open()
    more = books.record_of("v", books.opened("ningxia"), books.settled(1))
    with pytest.raises(ProjectionFault, match=r"the database refuses .* must add up to zero"):
        projector.feed([(len(STREAM) + number, each.line) for number, each in enumerate(more, start=1)])
    assert (dump(engine), projector.open()) == (before, len(STREAM))


def test_an_entry_without_its_transaction_cannot_be_committed(engine: Engine) -> None:
    before = dump(engine)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(insert(entries).values(table_id="t", version=9, part=0, account="player:ann", amount=0))
    assert dump(engine) == before


@pytest.mark.parametrize("account", ["player:eve", "player:ann"])
def test_nothing_is_added_to_a_transaction_afterwards(engine: Engine, account: str) -> None:
    before = dump(engine)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(insert(entries).values(table_id="t", version=2, part=0, account=account, amount=5))
    assert dump(engine) == before


@pytest.mark.parametrize("table", ["ledger_entries", "ledger_transactions"])
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET part = 7", "UPDATE {} SET version = version"])
def test_what_is_written_stays(engine: Engine, table: str, change: str) -> None:
    before = dump(engine)
    with pytest.raises(IntegrityError, match="what is written stays as it is"), engine.begin() as connection:
        connection.exec_driver_sql(change.format(table))
    assert dump(engine) == before


def test_replacing_is_changing_too(tmp_path: Path) -> None:
    """SQLite deletes the old row of INSERT OR REPLACE without firing its triggers."""
    projector = Projector(open_engine(f"sqlite:///{tmp_path}/ledger.sqlite"), Ledger())
    projector.open()
    projector.feed(STREAM)
    before = dump(projector.engine)
    for table, row in (
        ("ledger_entries", "'t', 2, 0, 'player:ann', 70000"),
        ("ledger_transactions", "'t', 2, 0, 1, 1, 'base', 'points', NULL, ''"),
    ):
        with pytest.raises(IntegrityError, match="is closed"), projector.engine.begin() as connection:
            connection.exec_driver_sql(f"INSERT OR REPLACE INTO {table} VALUES ({row})")
    assert dump(projector.engine) == before


def test_an_entry_that_slipped_in_without_foreign_keys_counts_nowhere(tmp_path: Path) -> None:
    projector = Projector(open_engine(f"sqlite:///{tmp_path}/ledger.sqlite"), Ledger())
    projector.open()
    projector.feed(STREAM)
    before = dump(projector.engine)
    with projector.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("INSERT INTO ledger_entries VALUES ('t', 9, 0, 'player:eve', 1000000)")
        connection.commit()
        assert Books(connection).balances() == before[1]
        assert Books(connection, player="eve").statement() == []
        assert unbalanced(connection) == ["t:9"]


def test_truncating_is_refused_and_a_rebuild_is_not(engine: Engine) -> None:
    before = dump(engine)
    if engine.dialect.name == "postgresql":
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.exec_driver_sql("TRUNCATE ledger_entries, ledger_transactions")
    projector = Projector(engine, Ledger())
    projector.rebuild()
    assert dump(engine) == [[], [], []]
    projector.feed(STREAM)
    assert dump(engine) == before


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM ledger_adjustments",
        "UPDATE ledger_adjustments SET amount = amount * 100",
        "INSERT INTO ledger_adjustments SELECT * FROM ledger_adjustments",
    ],
)
def test_what_a_ruling_posted_stays(url: str, change: str) -> None:
    projector = Projector(open_engine(url), Disputes(), "disputes")
    projector.open()
    projector.feed(ruled(*ENTRIES))
    with projector.engine.connect() as connection:
        before = ruling(connection, "d-1", 2)
    with pytest.raises(IntegrityError), projector.engine.begin() as connection:
        connection.exec_driver_sql(change)
    if projector.engine.dialect.name == "sqlite":
        with pytest.raises(IntegrityError), projector.engine.begin() as connection:
            connection.exec_driver_sql(change.replace("INSERT", "INSERT OR REPLACE"))
    with projector.engine.connect() as connection:
        assert ruling(connection, "d-1", 2) == before != []
    projector.rebuild()
    projector.feed(ruled(*ENTRIES))
    with projector.engine.connect() as connection:
        assert ruling(connection, "d-1", 2) == before
    projector.engine.dispose()
