"""The index of hands, by which a hand is found again: by player, table, time or receipt. It is a part of the audit timeline's view."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from sqlalchemy import Column, Connection, Index, Integer, MetaData, Select, String, Table, and_, bindparam, or_, select

from projections.base import Positioned, insert_many
from schemas.events import HandAbandoned, HandScored, HandStarted, HandVoided, SeedRevealed
from schemas.trumps import HandEscaped, HandSettled

metadata: Final = MetaData()
"""The tables of the audit timeline's view."""
hands: Final = Table(
    "audit_hands",
    metadata,
    Column("table_id", String(64), primary_key=True),
    Column("hand", Integer, primary_key=True),
    Column("first", Integer, nullable=False),
    Column("last", Integer),
    Column("started", String(24), nullable=False),
    Column("ended", String(24)),
    Column("status", String(12), nullable=False),
    Column("how", String(16)),
    Column("ruleset", String(40), nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("digest", String(64), index=True),
    Index("audit_hands_by_time", "started", "table_id", "hand"),
)
"""One row a hand: its events `first` to `last` (None while it is played), the type of the event that ended it (`how`), and the hash of the
last one (`digest`), from which its receipt is numbered."""
players: Final = Table(
    "audit_players",
    metadata,
    Column("player", String(64), primary_key=True),
    Column("table_id", String(64), primary_key=True),
    Column("hand", Integer, primary_key=True),
)
"""Who played in which hand."""

Status = Literal["playing", "complete", "interrupted", "void"]
"""Whether a hand is being played, was played to its end, was broken off because somebody left, or counts nothing."""
_STATUS: Final[dict[type, Status]] = {
    HandScored: "complete",
    HandSettled: "complete",
    HandAbandoned: "interrupted",
    HandEscaped: "interrupted",
    HandVoided: "void",
}


def file_hands(connection: Connection, batch: Sequence[Positioned]) -> None:
    """Take the starts and ends of hands into the index."""
    started: dict[tuple[str, int], dict[str, Any]] = {}
    ended: dict[tuple[str, int], dict[str, Any]] = {}
    seats: list[tuple[Any, ...]] = []
    for _, recorded in batch:
        event = recorded.event
        if isinstance(event, HandStarted):
            key = (recorded.table, event.hand)
            started[key] = {
                "table_id": recorded.table,
                "hand": event.hand,
                "first": recorded.version,
                "started": recorded.time,
                "ruleset": event.ruleset,
                "ruleset_version": event.ruleset_version,
                **_OPEN,
            }
            seats += [(player, recorded.table, event.hand) for player in event.players]
        elif isinstance(event, HandScored | HandSettled | HandAbandoned | HandEscaped | HandVoided):
            ended.setdefault((recorded.table, event.hand), {}).update(
                status=_STATUS[type(event)], how=event.TYPE, ended=recorded.time
            )
        elif isinstance(event, SeedRevealed):
            ended.setdefault((recorded.table, event.hand), {}).update(
                last=recorded.version, ended=recorded.time, digest=recorded.hash
            )
    for key, change in list(ended.items()):
        if key in started:
            started[key].update(change)
            del ended[key]
    insert_many(connection, hands, [tuple(row[column.name] for column in hands.columns) for row in started.values()])
    insert_many(connection, players, seats)
    for (table, hand), change in ended.items():
        mine = (hands.c.table_id == bindparam("of_table")) & (hands.c.hand == bindparam("of_hand"))
        connection.execute(hands.update().where(mine).values(change), {"of_table": table, "of_hand": hand})


_OPEN: Final = {"last": None, "ended": None, "status": "playing", "how": None, "digest": None}


def find_hands(
    connection: Connection,
    *,
    player: str | None = None,
    table: str | None = None,
    hand: int | None = None,
    since: str | None = None,
    until: str | None = None,
    digest: str | None = None,
    before: tuple[str, str, int] | None = None,
    limit: int = 100,
) -> list[dict[str, Any]]:
    """Hands, the latest first, each with its players in the order of their names.

    `since` and `until` are beginnings of times (`2026-12-01`, `2026-12-01T03`): hands of which any part lies between, both included.
    `digest` is the beginning of the hash of the hand's last event. `before` is the start, table and number of a hand: only those that
    come after it in this list.
    """
    columns = hands.c
    query = select(hands)
    if player is not None:
        mine = and_(players.c.table_id == columns.table_id, players.c.hand == columns.hand)
        query = query.join(players, mine).where(players.c.player == player)
    if table is not None:
        query = query.where(columns.table_id == table)
    if hand is not None:
        query = query.where(columns.hand == hand)
    if digest is not None:
        query = query.where(columns.digest >= digest, columns.digest < f"{digest}g")
    query = _between(query, since, until)
    if before is not None:
        started, at, number = before
        same = columns.started == started
        earlier = or_(columns.table_id < at, and_(columns.table_id == at, columns.hand < number))
        query = query.where(or_(columns.started < started, and_(same, earlier)))
    order = (columns.started.desc(), columns.table_id.desc(), columns.hand.desc())
    found = [dict(row._mapping) for row in connection.execute(query.order_by(*order).limit(limit))]  # noqa: SLF001
    names = _players(connection, ((row["table_id"], row["hand"]) for row in found))
    return [{**row, "players": names[row["table_id"], row["hand"]]} for row in found]


def _between(query: Select[Any], since: str | None, until: str | None) -> Select[Any]:
    columns = hands.c
    if since is not None:
        query = query.where(or_(columns.ended.is_(None), columns.ended >= since))
    if until is not None:
        query = query.where(columns.started < f"{until}~")  # a sign after all that a time can hold
    return query


def _players(connection: Connection, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], list[str]]:
    names: dict[tuple[str, int], list[str]] = {key: [] for key in keys}
    tables = sorted({table for table, _ in names})
    for start in range(0, len(tables), 500):
        query = select(players).where(players.c.table_id.in_(tables[start : start + 500])).order_by(players.c.player)
        for row in connection.execute(query):
            if (row.table_id, row.hand) in names:
                names[row.table_id, row.hand].append(row.player)
    return names
