"""Disputes: one row a case for the lists, and what rulings changed in the ledger. Fed from the stream of disputes, not of tables.

Corrections are entries of their own, beside those the hands made: the books join them where they are read (`projections.books`), and
each names the case and event it comes from. A case itself is read from its record, which does not lag.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, Literal

import orjson
from sqlalchemy import (
    DDL,
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    and_,
    case,
    event,
    not_,
    select,
)

from projections import guards
from projections.amounts import scaled
from projections.base import Positioned, ProjectionFault
from schemas.disputes import (
    DisputeAssigned,
    DisputeRaised,
    DisputeWithdrawn,
    EvidenceAttached,
    LedgerAdjusted,
    RulingGiven,
)
from schemas.envelope import Recorded
from schemas.recall import HandRuling

_metadata: Final = MetaData()
disputes: Final = Table(
    "disputes",
    _metadata,
    Column("dispute_id", String(64), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("status", String(10), nullable=False, index=True),
    Column("table_id", String(64), nullable=False, index=True),
    Column("hand", Integer),
    Column("ruled_hand", Integer),
    Column("event", Integer),
    Column("player", String(64), nullable=False),
    Column("players", LargeBinary, nullable=False),
    Column("claim", Text, nullable=False),
    Column("raised", String(24), nullable=False, index=True),
    Column("respond_by", String(24), nullable=False, index=True),
    Column("adjudicator", String(64)),
    Column("evidence", Integer, nullable=False),
    Column("outcome", String(10)),
    Column("reason", Text),
    Column("ruled", String(24)),
    Column("moved", String(24), nullable=False),
)
"""One row a case; `players` is a JSON list of everybody who had sat at the table, `evidence` the number of pieces.

`ruled_hand` is the hand that was ruled on; in a case about the whole table only the ruling names it.
"""
ledger_adjustments: Final = Table(
    "ledger_adjustments",
    _metadata,
    Column("dispute_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("account", String(80), primary_key=True, index=True),
    Column("unit", String(8), primary_key=True),
    Column("amount", BigInteger, nullable=False),
    Column("table_id", String(64), nullable=False, index=True),
    Column("hand", Integer),
    Column("reason", Text, nullable=False),
    Column("time", String(24), nullable=False, index=True),
)
"""Entries that rulings posted: stored amounts (projections/amounts.py), which add up to zero by dispute and unit."""

for _dialect, _statements in (("sqlite", guards.RULINGS_SQLITE), ("postgresql", guards.RULINGS_POSTGRES)):
    for _statement in _statements:
        event.listen(ledger_adjustments, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]

OPEN: Final = ("open", "assigned")
"""The states in which a ruling is still to come."""
Filter = Literal["open", "assigned", "overdue", "ruled", "withdrawn"]
"""What a list may be of; `open` is every case that waits for a ruling, `overdue` those past their date."""


class Disputes:
    """The projection."""

    name = "disputes"
    version = 3
    metadata = _metadata
    types: frozenset[bytes] | None = None

    def forget(self) -> None:
        """Nothing is remembered."""

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Write what these events change, in their order."""
        for positioned in batch:
            recorded = positioned.recorded
            if isinstance(recorded.event, DisputeRaised):
                connection.execute(disputes.insert().values(_raised(positioned, recorded.event)))
                continue
            entries = adjustment_entries(recorded)
            if entries:
                connection.execute(ledger_adjustments.insert(), entries)
            changes = {"version": recorded.version, "sequence": positioned.sequence, "moved": recorded.time}
            here = disputes.c.dispute_id == recorded.table
            connection.execute(disputes.update().where(here).values(**changes, **_changes(recorded)))


def _raised(positioned: Positioned, event: DisputeRaised) -> dict[str, Any]:
    recorded = positioned.recorded
    return {
        "dispute_id": recorded.table,
        "version": recorded.version,
        "sequence": positioned.sequence,
        "status": "open",
        "table_id": event.table,
        "hand": event.hand,
        "event": event.event,
        "player": event.player,
        "players": orjson.dumps(event.players),
        "claim": event.claim,
        "raised": recorded.time,
        "respond_by": event.respond_by,
        "evidence": 0,
        "moved": recorded.time,
    }


def _changes(recorded: Recorded) -> dict[str, Any]:
    match recorded.event:
        case EvidenceAttached(number=number):
            return {"evidence": number}
        case DisputeAssigned(adjudicator=adjudicator, respond_by=respond_by):
            return {"status": "assigned", "adjudicator": adjudicator, "respond_by": respond_by}
        case RulingGiven(outcome=outcome, reason=reason, hand=hand):
            return {"status": "ruled", "outcome": outcome, "reason": reason, "ruled": recorded.time, "ruled_hand": hand}
        case DisputeWithdrawn():
            return {"status": "withdrawn"}
        case _:
            return {}


def adjustment_entries(recorded: Recorded) -> list[dict[str, Any]]:
    """The rows that an event of a dispute posts in the ledger; none unless it is `ledger-adjusted`.

    Raises ProjectionFault when they do not add up to zero.
    """
    event = recorded.event
    if not isinstance(event, LedgerAdjusted):
        return []
    left: dict[str, int] = defaultdict(int)
    rows = []
    for entry in event.entries:
        amount = scaled(entry.amount)
        left[entry.unit] += amount
        rows.append(
            {
                "dispute_id": recorded.table,
                "version": recorded.version,
                "account": entry.account,
                "unit": entry.unit,
                "amount": amount,
                "table_id": event.table,
                "hand": event.hand,
                "reason": event.reason,
                "time": recorded.time,
            }
        )
    if any(left.values()):
        raise ProjectionFault(f"disputes: event {recorded.table}:{recorded.version}: the entries do not add up to zero")
    return rows


def list_disputes(
    connection: Connection, now: str, *, status: Filter | None = None, table: str | None = None, limit: int = 200
) -> list[dict[str, Any]]:
    """Cases for a list, those with the nearest date first, then the closed ones, the latest moved first. `now` decides what is overdue."""
    waiting = disputes.c.status.in_(OPEN)
    order = (not_(waiting), case((waiting, disputes.c.respond_by)), disputes.c.moved.desc(), disputes.c.dispute_id)
    query = select(disputes).order_by(*order).limit(limit)
    if status == "open":
        query = query.where(waiting)
    elif status == "overdue":
        query = query.where(and_(waiting, disputes.c.respond_by < now))
    elif status is not None:
        query = query.where(disputes.c.status == status)
    if table is not None:
        query = query.where(disputes.c.table_id == table)
    return [_summary(row, now) for row in connection.execute(query)]


def rulings_on(
    connection: Connection, hands: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], tuple[HandRuling, ...]]:
    """The rulings about each of these hands (table, number), the earliest first."""
    tables = sorted({table for table, _ in hands})
    query = (
        select(disputes)
        .where(disputes.c.status == "ruled", disputes.c.table_id.in_(tables))
        .order_by(disputes.c.ruled, disputes.c.dispute_id)
    )
    found: dict[tuple[str, int], list[HandRuling]] = defaultdict(list)
    for row in connection.execute(query):
        ruling = HandRuling(dispute=row.dispute_id, outcome=row.outcome, reason=row.reason, ruled=row.ruled)
        found[row.table_id, row.ruled_hand].append(ruling)
    return {hand: tuple(found[hand]) for hand in hands}


def known_of(connection: Connection, table: str) -> list[dict[str, Any]]:
    """What everybody may know of the cases about a table, the earliest first: which hand is disputed, and what was ruled on it.

    Claims, reasons and names are for those who may read the case. What was withdrawn is not told.
    """
    query = (
        select(disputes)
        .where(disputes.c.table_id == table, disputes.c.status != "withdrawn")
        .order_by(disputes.c.raised, disputes.c.dispute_id)
    )
    return [
        {
            "dispute": row.dispute_id,
            "hand": row.hand if row.status in OPEN else row.ruled_hand,
            "status": row.status,
            "outcome": row.outcome,
            "time": row.ruled or row.raised,
        }
        for row in connection.execute(query)
    ]


def was_assigned(connection: Connection, name: str, *, besides: str) -> bool:
    """Whether a case other than `besides` was given to an adjudicator of this name."""
    query = select(disputes.c.dispute_id).where(disputes.c.adjudicator == name, disputes.c.dispute_id != besides)
    return connection.scalar(query.limit(1)) is not None


def _summary(row: Any, now: str) -> dict[str, Any]:
    return {
        "dispute": row.dispute_id,
        "version": row.version,
        "status": row.status,
        "overdue": row.status in OPEN and row.respond_by < now,
        "table": row.table_id,
        "hand": row.hand,
        "event": row.event,
        "player": row.player,
        "players": orjson.loads(row.players),
        "claim": row.claim,
        "raised": row.raised,
        "respond_by": row.respond_by,
        "adjudicator": row.adjudicator,
        "evidence": row.evidence,
        "outcome": row.outcome,
        "reason": row.reason,
        "ruled": row.ruled,
        "moved": row.moved,
    }
