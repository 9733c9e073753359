"""Who looked at what: every look of an auditor, and of an adjudicator at a case, as it was recorded. Fed from the stream of looks.

A seat's token that was given out again is a row like a look with the eyes of the seat: whoever has it may take it.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, select

from projections.base import Positioned, insert_many
from schemas.disputes import AccessLogged, TokenGiven

_metadata: Final = MetaData()
access_log: Final = Table(
    "access_log",
    _metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("table_id", String(64), nullable=False, index=True),
    Column("version", Integer, nullable=False),
    Column("time", String(24), nullable=False, index=True),
    Column("role", String(12), nullable=False),
    Column("name", String(64), nullable=False, index=True),
    Column("what", String(8), nullable=False),
    Column("viewer", String(10), nullable=False),
    Column("until", Integer, nullable=False),
    Column("dispute_id", String(64), index=True),
    Column("hash", String(64), nullable=False),
)
"""One row a look; `until` is the last event of the table that was to be seen, `version` counts the looks at this table."""


class Access:
    """The projection."""

    name = "access"
    version = 1
    metadata = _metadata
    types: frozenset[bytes] | None = None

    def forget(self) -> None:
        """Nothing is remembered."""

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """File the looks."""
        insert_many(connection, access_log, [row for each in batch for row in _rows(each)])


def _rows(positioned: Positioned) -> list[tuple[Any, ...]]:
    recorded, event = positioned.recorded, positioned.recorded.event
    match event:
        case AccessLogged():
            what: tuple[str, str, int, str | None] = (event.what, event.viewer, event.until, event.dispute)
        case TokenGiven():
            what = ("token", str(event.seat), event.until, None)
        case _:
            return []
    place = (positioned.sequence, event.table, recorded.version, recorded.time)
    return [(*place, event.role, event.name, *what, recorded.hash)]


def accesses(
    connection: Connection,
    *,
    name: str | None = None,
    role: str | None = None,
    table: str | None = None,
    dispute: str | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = 200,
) -> list[dict[str, Any]]:
    """Looks, the latest first: of one person, in one role, at one table, in one case, from one time on or up to one."""
    query = select(access_log).order_by(access_log.c.sequence.desc()).limit(limit)
    for column, wanted in (
        (access_log.c.name, name),
        (access_log.c.role, role),
        (access_log.c.table_id, table),
        (access_log.c.dispute_id, dispute),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    if since is not None:
        query = query.where(access_log.c.time >= since)
    if until is not None:
        query = query.where(access_log.c.time <= until)
    return [_look(row) for row in connection.execute(query)]


def _look(row: Any) -> dict[str, Any]:
    return {
        "time": row.time,
        "role": row.role,
        "name": row.name,
        "what": row.what,
        "viewer": row.viewer,
        "table": row.table_id,
        "until": row.until,
        "dispute": row.dispute_id,
        "entry": f"{row.table_id}:{row.version}",
        "hash": row.hash,
    }
