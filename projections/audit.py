"""The audit timeline: every event of every table with the bytes that were recorded, its place in the match and its hash.

It holds the lines themselves, so a match file can be cut from it and the state at any event replayed by the very `evolve` that played it.
The index of hands (`projections.hands`) is a part of its view.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    select,
    text,
)

from domain.table import Table as TableState
from domain.table import replay
from projections.base import Positioned, insert_many
from projections.hands import file_hands, metadata
from schemas.envelope import Recorded, read_line
from schemas.events import HandAbandoned, HandScored, HandVoided
from schemas.trumps import HandEscaped, HandSettled

_REVEALS: Final = text("type = 'seed-revealed'")
"""The last events of hands, whose hashes give receipts their numbers. Not a parameter, since a partial index goes by the text."""
audit_events: Final = Table(
    "audit_events",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("table_id", String(64), nullable=False),
    Column("version", Integer, nullable=False),
    Column("type", String(40), nullable=False),
    Column("hand", Integer),
    Column("trick", Integer),
    Column("seat", Integer),
    Column("time", String(24), nullable=False),
    Column("command", String(200), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("line", LargeBinary, nullable=False),
    Index("audit_by_table", "table_id", "version", unique=True),
    Index("audit_by_receipt", "hash", sqlite_where=_REVEALS, postgresql_where=_REVEALS),
)
"""One row an event; `hand`, `trick` and `seat` where the event has them."""


class Audit:
    """The projection."""

    name = "audit"
    version = 3
    metadata = metadata
    types: frozenset[bytes] | None = None

    def forget(self) -> None:
        """Nothing is remembered."""

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """File the events."""
        insert_many(connection, audit_events, [_row(*each) for each in batch])
        file_hands(connection, batch)


def _row(sequence: int, recorded: Recorded) -> tuple[Any, ...]:
    """The row of an event, in the order of the columns."""
    event = recorded.event
    return (
        sequence,
        recorded.table,
        recorded.version,
        event.TYPE,
        getattr(event, "hand", None),
        getattr(event, "trick", None),
        getattr(event, "seat", None),
        recorded.time,
        recorded.command,
        recorded.hash,
        recorded.line,
    )


def lines(connection: Connection, table_id: str, *, until: int | None = None) -> list[bytes]:
    """The recorded lines of a table, first to last, at most up to a version; empty if there is no such table."""
    query = select(audit_events.c.line).where(audit_events.c.table_id == table_id).order_by(audit_events.c.version)
    if until is not None:
        query = query.where(audit_events.c.version <= until)
    return [bytes(line) for line in connection.execute(query).scalars()]


def hand_of_receipt(connection: Connection, prefix: str) -> tuple[str, int] | None:
    """Table and hand of the receipt whose hash begins so (lower-case hexadecimal); None when there is none."""
    query = select(audit_events.c.table_id, audit_events.c.hand).where(
        _REVEALS, audit_events.c.hash >= prefix, audit_events.c.hash < f"{prefix}g"
    )
    row = connection.execute(query).first()
    return (row.table_id, row.hand) if row else None


def sequence_of(connection: Connection, table_id: str, version: int) -> int | None:
    """Where an event stands in the stream; None when there is no such event."""
    query = select(audit_events.c.sequence).where(
        audit_events.c.table_id == table_id, audit_events.c.version == version
    )
    return connection.execute(query).scalar_one_or_none()


def timeline(connection: Connection, table_id: str) -> list[dict[str, Any]]:
    """Every event of a table in order: version, type, hand, trick, seat, time, command, hash, sequence."""
    columns = [column for column in audit_events.c if column.name != "line"]
    query = select(*columns).where(audit_events.c.table_id == table_id).order_by(audit_events.c.version)
    return [dict(row._mapping) for row in connection.execute(query)]  # noqa: SLF001 - the documented way to a row's dict


def state_at(connection: Connection, table_id: str, version: int) -> TableState:
    """The table as it stood after an event. Raises ValueError if it never had so many."""
    state = replay(map(read_line, lines(connection, table_id, until=version)))
    if state.version != version:
        raise ValueError(f"table {table_id} has {state.version} events, not {version}")
    return state


Ended = HandScored | HandAbandoned | HandVoided | HandSettled | HandEscaped
"""How a hand can end."""


def explanation(connection: Connection, table_id: str, hand: int) -> Ended | None:
    """How a hand ended, with everything that explains it; None while it has not."""
    query = select(audit_events.c.line).where(
        audit_events.c.table_id == table_id,
        audit_events.c.hand == hand,
        audit_events.c.type.in_([each.TYPE for each in get_args(Ended)]),
    )
    line = connection.execute(query).scalar_one_or_none()
    event = read_line(bytes(line)).event if line is not None else None
    return event if isinstance(event, Ended) else None
