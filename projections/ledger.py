"""The ledger (账本): double entry. Every number in it comes from one event, and every transaction adds up to zero.

What an event posts is said in `projections.postings`; here it is written down. The database itself refuses a transaction that does not add
up to zero, and every change of what was written, whoever tries (ADR 0010); a rebuild drops the tables. Corrections are never made here:
they come from rulings of the dispute desk and are joined to the books where they are read (`projections.books`).
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Column,
    Connection,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    event,
    func,
    select,
)

from domain.climbing.scoring import CoinRoom
from projections import guards
from projections.amounts import SCALE, decimal, scaled
from projections.base import Positioned, insert_many, upsert
from projections.postings import Given, Posting, Terms, add_contribution, postings, terms_of
from schemas.events import ContributionScored, HandAbandoned, HandScored, HandVoided, TableOpened

_metadata: Final = MetaData()
ledger_tables: Final = Table(
    "ledger_tables",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("ruleset", String(40), nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("coin_factor", BigInteger),
    Column("coin_fee", BigInteger),
    Column("coin_correction", BigInteger),
)
"""What each table plays for: the house's fee, and the room where it plays for coins (stored amounts)."""

transactions: Final = Table(
    "ledger_transactions",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("unit", String(6), nullable=False),
    Column("stars", Integer),
    Column("time", String(24), nullable=False),
    sqlite_with_rowid=False,
)
"""What the event `<table_id>:<version>` posted, one row a kind and unit; the row is written after its entries and closes them."""

entries: Final = Table(
    "ledger_entries",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("account", String(80), primary_key=True, index=True),
    Column("amount", BigInteger, nullable=False),
    ForeignKeyConstraint(
        ["table_id", "version", "part"],
        ["ledger_transactions.table_id", "ledger_transactions.version", "ledger_transactions.part"],
        deferrable=True,
        initially="DEFERRED",
    ),
    sqlite_with_rowid=False,
)
"""Entries of a transaction: what an account won (positive) or lost, in 1/10,000 of the transaction's unit."""

for _dialect, _statements in (("sqlite", guards.SQLITE), ("postgresql", guards.POSTGRES)):
    for _statement in _statements:
        event.listen(entries, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]


class Ledger:
    """The projection."""

    name = "ledger"
    version = 2
    metadata = _metadata
    types: frozenset[bytes] | None = frozenset(
        (
            b"table-opened",
            b"contribution-scored",
            b"hand-scored",
            b"hand-abandoned",
            b"hand-voided",
            b"hand-settled",
            b"hand-escaped",
        )
    )

    def __init__(self) -> None:
        self._terms: dict[str, Terms] = {}
        self._given: dict[tuple[str, int], Given] = {}

    def forget(self) -> None:
        """Forget what is remembered of tables; it is read from the view when needed."""
        self._terms.clear()
        self._given.clear()

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Post what these events gave."""
        opened: list[dict[str, Any]] = []
        posted: list[tuple[Positioned, int, Posting]] = []
        for positioned in batch:
            table_id, happened = positioned.recorded.table, positioned.recorded.event
            if isinstance(happened, TableOpened):
                self._terms[table_id] = terms = terms_of(happened)
                opened.append(_terms_row(table_id, terms))
                continue
            made = postings(
                positioned.recorded, self._terms_of(connection, table_id), self._given_at(connection, positioned)
            )
            posted += [(positioned, part, posting) for part, posting in enumerate(made)]
        upsert(connection, ledger_tables, opened)
        insert_many(connection, entries, list(_entry_rows(posted)))
        insert_many(connection, transactions, [_transaction_row(*each) for each in posted])

    def _terms_of(self, connection: Connection, table_id: str) -> Terms:
        if table_id not in self._terms:
            row = connection.execute(select(ledger_tables).where(ledger_tables.c.table_id == table_id)).one()
            self._terms[table_id] = _terms(row)
        return self._terms[table_id]

    def _given_at(self, connection: Connection, positioned: Positioned) -> Given:
        """The contributions of a hand that ends with this event; they are remembered while it is played."""
        table_id, happened = positioned.recorded.table, positioned.recorded.event
        match happened:
            case ContributionScored(reason="at_once" | "accumulated"):
                add_contribution(self._given_in(connection, table_id, happened.hand), happened)
                return {}
            case HandScored() | HandAbandoned() | HandVoided():
                given = self._given_in(connection, table_id, happened.hand)
                del self._given[table_id, happened.hand]
                return given
            case _:
                return {}

    def _given_in(self, connection: Connection, table_id: str, hand: int) -> Given:
        key = (table_id, hand)
        if key not in self._given:
            query = (
                select(entries.c.account, transactions.c.stars, func.sum(entries.c.amount))
                .join(transactions)
                .where(transactions.c.table_id == table_id, transactions.c.hand == hand)
                .where(transactions.c.kind == "contribution")
                .group_by(entries.c.account, transactions.c.stars)
            )
            rows = connection.execute(query)
            self._given[key] = {(account, stars): int(amount) // SCALE for account, stars, amount in rows}
        return self._given[key]


def _terms_row(table_id: str, terms: Terms) -> dict[str, Any]:
    room = terms.coins
    return {
        "table_id": table_id,
        "ruleset": terms.ruleset,
        "ruleset_version": terms.ruleset_version,
        "fee": terms.fee,
        "coin_factor": scaled(room.factor) if room else None,
        "coin_fee": scaled(room.fee) if room else None,
        "coin_correction": scaled(room.correction) if room else None,
    }


def _terms(row: Any) -> Terms:
    room = None
    if row.coin_factor is not None:
        room = CoinRoom(decimal(row.coin_factor), decimal(row.coin_fee), decimal(row.coin_correction))
    return Terms(row.ruleset, row.ruleset_version, row.fee, room)


def _entry_rows(posted: Sequence[tuple[Positioned, int, Posting]]) -> Sequence[tuple[Any, ...]]:
    return [
        (positioned.recorded.table, positioned.recorded.version, part, account, amount)
        for positioned, part, posting in posted
        for account, amount in posting.amounts.items()
    ]


def _transaction_row(positioned: Positioned, part: int, posting: Posting) -> tuple[Any, ...]:
    """The row of a transaction, in the order of the columns."""
    recorded = positioned.recorded
    place = (recorded.table, recorded.version, part, positioned.sequence)
    return (*place, posting.hand, posting.kind, posting.unit, posting.stars, recorded.time)
