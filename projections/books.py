"""Reading the books: balances, statements with a running balance, hands, totals. The sums are the database's work.

Corrections by a ruling are in the dispute desk's own view (`ledger_adjustments`); they are joined here and look like every other entry, of
kind `ruling`. Entries stand in the order of their time. An amount is a whole number where it is one, else
decimal text; units are never mixed.
"""

from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Select,
    String,
    Subquery,
    column,
    func,
    literal,
    or_,
    select,
    table,
    union_all,
)

from projections.amounts import Unit, plain
from projections.ledger import entries, transactions
from projections.postings import player_account

adjustments: Final = table(
    "ledger_adjustments",
    column("dispute_id", String),
    column("version", Integer),
    column("account", String),
    column("unit", String),
    column("amount", BigInteger),
    column("table_id", String),
    column("hand", Integer),
    column("reason", String),
    column("time", String),
)
"""What is read of the dispute desk's view (`projections.disputes`): what the event `dispute:<dispute_id>:<version>` gave an account;
`amount` in 1/10,000 of `unit` as in the ledger itself."""


def see_adjustments(connection: Connection, disputes: str) -> bool:
    """Make the rulings' entries readable on a connection to the ledger; False when there are none yet.

    `disputes` is the URL of the desk's view: the same PostgreSQL, or a SQLite file, which is attached.
    """
    if connection.dialect.name != "sqlite":
        return connection.scalar(select(func.to_regclass(adjustments.name))) is not None
    path = Path(disputes.removeprefix("sqlite:///"))
    attached = {row[1] for row in connection.exec_driver_sql("PRAGMA database_list")}
    if "disputes" not in attached:
        if not path.exists():
            return False
        connection.exec_driver_sql("ATTACH DATABASE ? AS disputes", (str(path),))
    there = "SELECT 1 FROM disputes.sqlite_master WHERE type = 'table' AND name = ?"
    return connection.exec_driver_sql(there, (adjustments.name,)).first() is not None


class Books:
    """The books as one reads them, on a connection to the ledger: all of them, of one player, at one table, in one unit."""

    def __init__(
        self,
        connection: Connection,
        *,
        player: str | None = None,
        table: str | None = None,
        unit: Unit | None = None,
        adjusted: bool = False,
    ) -> None:
        self._connection = connection
        self._lines = _lines(player, table, unit, adjusted=adjusted)

    def balances(self) -> list[dict[str, Any]]:
        """What each account has in all, points before coins, the largest first."""
        lines = self._lines.c
        total = func.sum(lines.amount)
        query = select(lines.account, lines.unit, total.label("balance"), func.count().label("entries"))
        query = query.group_by(lines.account, lines.unit).order_by(lines.unit.desc(), total.desc(), lines.account)
        return [
            {"account": row.account, "unit": row.unit, "balance": _plain(row.balance), "entries": row.entries}
            for row in self._connection.execute(query)
        ]

    def totals(self) -> list[dict[str, Any]]:
        """The sums by unit and kind: what contributions, fees, rulings and so on come to."""
        lines = self._lines.c
        query = select(lines.unit, lines.kind, func.sum(lines.amount).label("amount"), func.count().label("entries"))
        query = query.group_by(lines.unit, lines.kind).order_by(lines.unit.desc(), lines.kind)
        return [
            {"unit": row.unit, "kind": row.kind, "amount": _plain(row.amount), "entries": row.entries}
            for row in self._connection.execute(query)
        ]

    def statement(self, *, before: int | None = None, limit: int = 1000) -> list[dict[str, Any]]:
        """The latest entries (before the `before`-th), oldest first, each with its number and the balance of its account after it."""
        lines = self._lines.c
        order = (lines.time, lines.origin, lines.version, lines.part)
        balance = func.sum(lines.amount).over(partition_by=(lines.account, lines.unit), order_by=order, rows=(None, 0))
        number = func.row_number().over(order_by=(*order, lines.account))
        numbered = select(*lines, balance.label("balance"), number.label("n")).subquery()
        return [
            {
                "n": row.n,
                "account": row.account,
                "unit": row.unit,
                "amount": _plain(row.amount),
                "balance": _plain(row.balance),
                "kind": row.kind,
                "table": row.table_id,
                "hand": row.hand,
                "event": f"{row.origin}:{row.version}",
                "time": row.time,
            }
            for row in self._page(numbered, before, limit)
        ]

    def hands(self, *, before: int | None = None, limit: int = 1000) -> list[dict[str, Any]]:
        """As `statement`, one line a hand (and ruling): the balance before it, what it changed, the balance after it."""
        lines = self._lines.c
        keys = (lines.account, lines.unit, lines.origin, lines.table_id, lines.hand)
        grouped = (
            select(
                *keys,
                func.sum(lines.amount).label("change"),
                func.count().label("entries"),
                func.max(lines.time).label("time"),
                func.max(lines.version).label("version"),
            )
            .group_by(*keys)
            .subquery()
        )
        hands = grouped.c
        order = (hands.time, hands.origin, hands.version)
        after = func.sum(hands.change).over(partition_by=(hands.account, hands.unit), order_by=order, rows=(None, 0))
        number = func.row_number().over(order_by=(*order, hands.account, hands.unit.desc()))
        numbered = select(*hands, after.label("after"), number.label("n")).subquery()
        return [
            {
                "n": row.n,
                "account": row.account,
                "unit": row.unit,
                "table": row.table_id,
                "hand": row.hand,
                "before": _plain(row.after - row.change),
                "change": _plain(row.change),
                "after": _plain(row.after),
                "entries": row.entries,
                "event": f"{row.origin}:{row.version}",
                "time": row.time,
            }
            for row in self._page(numbered, before, limit)
        ]

    def _page(self, numbered: Subquery, before: int | None, limit: int) -> list[Any]:
        query = select(numbered).order_by(numbered.c.n.desc()).limit(limit)
        if before is not None:
            query = query.where(numbered.c.n < before)
        return list(self._connection.execute(query))[::-1]


def earlier(page: list[dict[str, Any]]) -> int | None:
    """What to give as `before` for the page before this one; None when nothing is before it."""
    return page[0]["n"] if page and page[0]["n"] > 1 else None


def ruling(connection: Connection, dispute: str, version: int) -> list[dict[str, Any]]:
    """The lines that one `ledger-adjusted` posted; empty when there is none. Needs `see_adjustments`."""
    lines = adjustments.c
    query = select(adjustments).where(lines.dispute_id == dispute, lines.version == version)
    query = query.order_by(lines.unit.desc(), lines.account)
    return [
        {
            "account": row.account,
            "unit": row.unit,
            "amount": _plain(row.amount),
            "table": row.table_id,
            "hand": row.hand,
            "time": row.time,
            "reason": row.reason,
        }
        for row in connection.execute(query)
    ]


def unbalanced(connection: Connection) -> list[str]:
    """Transactions that do not add up to zero or are not closed, by event: none, unless somebody tampered with the database."""
    keys = (entries.c.table_id, entries.c.version, entries.c.part)
    query = (
        select(*keys)
        .select_from(entries.outerjoin(transactions))
        .group_by(*keys)
        .having(or_(func.sum(entries.c.amount) != 0, func.max(transactions.c.sequence).is_(None)))
    )
    return [f"{row.table_id}:{row.version}" for row in connection.execute(query)]


def _lines(player: str | None, table_id: str | None, unit: Unit | None, *, adjusted: bool) -> Subquery:
    """Every entry that is asked for, of the tables and of rulings, in one shape."""
    posted = select(
        transactions.c.table_id.label("origin"),
        transactions.c.version,
        transactions.c.part,
        entries.c.account,
        transactions.c.unit,
        entries.c.amount,
        transactions.c.kind,
        transactions.c.table_id,
        transactions.c.hand,
        transactions.c.time,
    ).select_from(entries.join(transactions))
    parts = [_asked(posted, player, table_id, unit, (entries.c.account, transactions.c.table_id, transactions.c.unit))]
    if adjusted:
        lines = adjustments.c
        ruled = select(
            (literal("dispute:") + lines.dispute_id).label("origin"),
            lines.version,
            literal(0).label("part"),
            lines.account,
            lines.unit,
            lines.amount,
            literal("ruling").label("kind"),
            lines.table_id,
            lines.hand,
            lines.time,
        )
        parts.append(_asked(ruled, player, table_id, unit, (lines.account, lines.table_id, lines.unit)))
    return union_all(*parts).subquery()


def _asked(
    query: Select[Any], player: str | None, table_id: str | None, unit: Unit | None, columns: tuple[Any, Any, Any]
) -> Select[Any]:
    account, at, of = columns
    if player is not None:
        query = query.where(account == player_account(player))
    if table_id is not None:
        query = query.where(at == table_id)
    if unit is not None:
        query = query.where(of == unit)
    return query


def _plain(stored: Any) -> int | str:
    """A sum as JSON gives it; PostgreSQL sums whole numbers to decimals."""
    return plain(int(stored))
