"""The ledger (账本): double entry. Every number in it comes from one event, and every transaction adds up to zero.

Contributions are posted when they are given, base points times multiplier when the hand is scored. What a ruleset makes
the four players win or lose together (a draw may give points to one side only) stands against the table's own account,
so the books always balance; that it is just what the ruleset says is checked before anything is posted. Amounts are whole
points; another unit would be another column, never a fraction.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    func,
    select,
)

from domain.climbing.rulesets import get
from domain.climbing.scoring import expected_sum
from projections.base import Positioned, ProjectionFault, upsert
from schemas.envelope import Recorded
from schemas.events import ContributionScored, HandAbandoned, HandScored, TableOpened

_metadata: Final = MetaData()
ledger_tables: Final = Table(
    "ledger_tables",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("ruleset", String(40), nullable=False),
    Column("ruleset_version", Integer, nullable=False),
)
transactions: Final = Table(
    "ledger_transactions",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("sequence", BigInteger, nullable=False, index=True),
    Column("hand", Integer, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("time", String(24), nullable=False),
)
"""One transaction an event, `kind` base or contribution. The event is `<table_id>:<version>`."""
entries: Final = Table(
    "ledger_entries",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("account", String(80), primary_key=True, index=True),
    Column("amount", BigInteger, nullable=False),
    ForeignKeyConstraint(["table_id", "version"], ["ledger_transactions.table_id", "ledger_transactions.version"]),
)
"""Entries of a transaction in points: what an account won (positive) or lost."""


def player_account(player: str) -> str:
    """The account of a player, over all tables."""
    return f"player:{player}"


def table_account(table_id: str) -> str:
    """The account that stands against the players of a table."""
    return f"table:{table_id}"


class _Posting:
    """What a batch posts, collected so that it is written at once."""

    def __init__(self) -> None:
        self.tables: list[dict[str, Any]] = []
        self.transactions: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []

    def post(self, positioned: Positioned, hand: int, kind: str, amounts: dict[str, int]) -> None:
        """One transaction; what the accounts do not make up among themselves stands against the table's own."""
        recorded = positioned.recorded
        key = {"table_id": recorded.table, "version": recorded.version}
        self.transactions.append(
            {**key, "sequence": positioned.sequence, "hand": hand, "kind": kind, "time": recorded.time}
        )
        remainder = -sum(amounts.values())
        if remainder:
            amounts = {**amounts, table_account(recorded.table): remainder}
        self.entries += [{**key, "account": account, "amount": amount} for account, amount in amounts.items()]

    def write(self, connection: Connection) -> None:
        """Write it all."""
        upsert(connection, ledger_tables, self.tables)
        if self.transactions:
            connection.execute(transactions.insert(), self.transactions)
            connection.execute(entries.insert(), self.entries)


class Ledger:
    """The projection."""

    name = "ledger"
    version = 1
    metadata = _metadata
    types: frozenset[bytes] | None = frozenset(
        (b"table-opened", b"contribution-scored", b"hand-scored", b"hand-abandoned")
    )

    def __init__(self) -> None:
        self._rulesets: dict[str, tuple[str, int]] = {}
        self._given: dict[tuple[str, int], dict[str, int]] = {}

    def forget(self) -> None:
        """Forget what is remembered of tables; it is read from the view when needed."""
        self._rulesets.clear()
        self._given.clear()

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Post what these events gave."""
        posting = _Posting()
        for positioned in batch:
            table_id, event = positioned.recorded.table, positioned.recorded.event
            match event:
                case TableOpened(ruleset=ruleset, ruleset_version=version):
                    self._rulesets[table_id] = (ruleset, version)
                    posting.tables.append({"table_id": table_id, "ruleset": ruleset, "ruleset_version": version})
                case ContributionScored():
                    given = self._contributions(connection, table_id, event.hand)
                    amounts = _by_account(event.players, event.points)
                    for account, amount in amounts.items():
                        given[account] = given.get(account, 0) + amount
                    posting.post(positioned, event.hand, "contribution", amounts)
                case HandScored():
                    self._check(connection, positioned.recorded, event)
                    points = [base * event.multiplier for base in event.base]
                    posting.post(positioned, event.hand, "base", _by_account(event.players, points))
                    del self._given[table_id, event.hand]
                case HandAbandoned():
                    self._given.pop((table_id, event.hand), None)
                case _:
                    pass
        posting.write(connection)

    def _check(self, connection: Connection, recorded: Recorded, event: HandScored) -> None:
        """The hand must give just what its ruleset says, and count the contributions that were given (C6)."""
        where = f"ledger: event {recorded.table}:{recorded.version}"
        ruleset = get(*self._ruleset(connection, recorded.table))
        expected = expected_sum(ruleset, event.outcome, event.multiplier)
        if sum(event.score) != expected:
            raise ProjectionFault(
                f"{where}: the scores add up to {sum(event.score)}, {ruleset.id} says {expected} [C6.1]"
            )
        given = self._contributions(connection, recorded.table, event.hand)
        counted = _by_account(event.players, event.contribution)
        if any(counted.get(account, 0) != given.get(account, 0) for account in counted.keys() | given.keys()):
            raise ProjectionFault(
                f"{where}: it counts contributions of {counted}, the events before it gave {given} [C6.3]"
            )
        for seat, score in enumerate(event.score):
            if score != event.base[seat] * event.multiplier + event.contribution[seat]:
                raise ProjectionFault(f"{where}: the score of seat {seat} is not base x multiplier + contribution [C6]")

    def _ruleset(self, connection: Connection, table_id: str) -> tuple[str, int]:
        if table_id not in self._rulesets:
            query = select(ledger_tables.c.ruleset, ledger_tables.c.ruleset_version)
            row = connection.execute(query.where(ledger_tables.c.table_id == table_id)).one()
            self._rulesets[table_id] = (row.ruleset, row.ruleset_version)
        return self._rulesets[table_id]

    def _contributions(self, connection: Connection, table_id: str, hand: int) -> dict[str, int]:
        """What contributions gave in a hand so far, by account."""
        key = (table_id, hand)
        if key not in self._given:
            query = (
                select(entries.c.account, func.sum(entries.c.amount))
                .join(transactions)
                .where(transactions.c.table_id == table_id, transactions.c.hand == hand)
                .where(transactions.c.kind == "contribution")
                .group_by(entries.c.account)
            )
            self._given[key] = {account: int(amount) for account, amount in connection.execute(query)}
        return self._given[key]


def _by_account(players: Sequence[str], points: Sequence[int]) -> dict[str, int]:
    return {player_account(player): amount for player, amount in zip(players, points, strict=True)}


def balances(connection: Connection, *, player: str | None = None, table: str | None = None) -> list[dict[str, Any]]:
    """What each account has won in all, largest first; of one player, or at one table."""
    total = func.sum(entries.c.amount)
    query = select(entries.c.account, total.label("balance"), func.count().label("entries")).group_by(entries.c.account)
    query = _where(query, player, table)
    rows = connection.execute(query.order_by(total.desc(), entries.c.account))
    return [{"account": row.account, "balance": int(row.balance), "entries": row.entries} for row in rows]


def statement(
    connection: Connection, *, player: str | None = None, table: str | None = None, limit: int = 1000
) -> list[dict[str, Any]]:
    """Entries in the order of the stream with the running balance of their account; the latest `limit` of them."""
    columns = (*entries.c, transactions.c.sequence, transactions.c.hand, transactions.c.kind, transactions.c.time)
    query = _where(select(*columns).join(transactions), player, table)
    query = query.order_by(transactions.c.sequence, entries.c.account)
    running: dict[str, int] = {}
    result = []
    for row in connection.execute(query):
        running[row.account] = running.get(row.account, 0) + row.amount
        result.append(
            {
                "account": row.account,
                "amount": row.amount,
                "balance": running[row.account],
                "kind": row.kind,
                "table": row.table_id,
                "hand": row.hand,
                "event": f"{row.table_id}:{row.version}",
                "time": row.time,
            }
        )
    return result[-limit:]


def _where(query: Any, player: str | None, table: str | None) -> Any:
    if player is not None:
        query = query.where(entries.c.account == player_account(player))
    if table is not None:
        query = query.where(entries.c.table_id == table)
    return query


def unbalanced(connection: Connection) -> list[str]:
    """Transactions that do not add up to zero, by event: none, unless somebody wrote into the database."""
    query = (
        select(entries.c.table_id, entries.c.version)
        .group_by(entries.c.table_id, entries.c.version)
        .having(func.sum(entries.c.amount) != 0)
    )
    return [f"{row.table_id}:{row.version}" for row in connection.execute(query)]
