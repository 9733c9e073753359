"""Live tables: for every table one row for the lobby and the view that anybody looking at it gets.

The row holds the auditor's view; `get_view` hides from it what a viewer may not see, by the same function as everywhere. The present
state of the tables that move is remembered between batches; after a restart it is replayed from the table's own events.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    or_,
    select,
)

from domain.hands import all_rulesets
from domain.table import Table as TableState
from domain.table import evolve
from projections.base import Positioned, ProjectionFault, upsert
from projections.viewing import full_view, hide
from schemas.envelope import Recorded, read_line
from schemas.views import View, Viewer

History = Callable[[str], Iterable[bytes]]
"""Gives the recorded lines of a table from the stream, first to last."""

_metadata: Final = MetaData()
live_tables: Final = Table(
    "live_tables",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("ruleset", String(40), nullable=False),
    Column("status", String(10), nullable=False, index=True),
    Column("hand", Integer, nullable=False),
    Column("opened", String(24), nullable=False),
    Column("moved", String(24), nullable=False, index=True),
    Column("players", Text, nullable=False),
    Column("view", LargeBinary, nullable=False),
)
"""One row a table; `view` is the auditor's view as JSON, `players` the names in seat order, one a line."""

MOST_REMEMBERED: Final = 5_000
"""So many tables are remembered between batches; one takes about 10 KB."""


class LiveTables:
    """The projection. `history` is asked for the earlier events of a table that is not remembered."""

    name = "live"
    version = 2
    metadata = _metadata
    types: frozenset[bytes] | None = None

    def __init__(self, history: History) -> None:
        self._history = history
        self._states: OrderedDict[str, TableState] = OrderedDict()
        self._opened: dict[str, str] = {}

    def forget(self) -> None:
        """Forget the states; they are replayed when needed."""
        self._states.clear()
        self._opened.clear()

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Evolve the tables and write the rows of those that changed."""
        latest: dict[str, Positioned] = {}
        for positioned in batch:
            recorded = positioned.recorded
            state = self._state_before(recorded)
            try:
                self._states[recorded.table] = evolve(state, recorded)
            except ValueError as error:
                raise ProjectionFault(f"live: {error}") from None
            if recorded.version == 1:
                self._opened[recorded.table] = recorded.time
            latest[recorded.table] = positioned
        upsert(connection, live_tables, [self._row(*each) for each in latest.items()])
        self._make_room()

    def _state_before(self, recorded: Recorded) -> TableState | None:
        state = self._states.get(recorded.table)
        if state is not None:
            self._states.move_to_end(recorded.table)
            return state
        for line in self._history(recorded.table) if recorded.version > 1 else ():
            earlier = read_line(line)
            if earlier.version >= recorded.version:
                break
            state = evolve(state, earlier)
            self._opened.setdefault(recorded.table, earlier.time)
        return state

    def _row(self, table_id: str, latest: Positioned) -> dict[str, Any]:
        state = self._states[table_id]
        return {
            "table_id": table_id,
            "version": state.version,
            "sequence": latest.sequence,
            "ruleset": state.ruleset,
            "status": _status(state),
            "hand": state.hands,
            "opened": self._opened[table_id],
            "moved": latest.recorded.time,
            "players": "\n".join(player or "" for player in state.players),
            "view": full_view(state).model_dump_json().encode(),
        }

    def _make_room(self) -> None:
        for table_id in [table_id for table_id, state in self._states.items() if state.closed]:
            del self._states[table_id], self._opened[table_id]
        while len(self._states) > MOST_REMEMBERED:
            table_id, _ = self._states.popitem(last=False)
            del self._opened[table_id]


def _status(state: TableState) -> str:
    if state.closed:
        return "closed"
    if state.playing:
        return "playing"
    return "seating" if None in state.players else "waiting"


def list_tables(
    connection: Connection,
    *,
    status: str | None = None,
    ruleset: str | None = None,
    player: str | None = None,
    search: str | None = None,
    limit: int = 200,
) -> list[dict[str, Any]]:
    """Tables for the lobby, the latest moved first.

    `status` is seating, waiting, playing or closed, `ruleset` an id. `player` is part of a name, `search` part of a name, of a table's id
    or of what its ruleset is called; capitals do not matter.
    """
    query = select(live_tables).order_by(live_tables.c.moved.desc(), live_tables.c.table_id).limit(limit)
    if status:
        query = query.where(live_tables.c.status == status)
    if ruleset:
        query = query.where(live_tables.c.ruleset == ruleset)
    if player:
        query = query.where(live_tables.c.players.icontains(player, autoescape=True))
    if search:
        query = query.where(_found(search))
    return [_summary(row) for row in connection.execute(query)]


def _found(text: str) -> ColumnElement[bool]:
    named = [each.id for each in all_rulesets() if _among(text, each.id, each.title_zh, each.title_en)]
    columns = live_tables.c
    return or_(
        columns.table_id.icontains(text, autoescape=True),
        columns.players.icontains(text, autoescape=True),
        columns.ruleset.in_(named),
    )


def _among(text: str, *names: str) -> bool:
    return any(text.casefold() in name.casefold() for name in names)


def _summary(row: Any) -> dict[str, Any]:
    view = View.model_validate_json(row.view)
    return {
        "table": row.table_id,
        "version": row.version,
        "ruleset": row.ruleset,
        "title_en": view.title_en,
        "title_zh": view.title_zh,
        "status": row.status,
        "hand": row.hand,
        "hands": view.hands,
        "players": [name or None for name in row.players.split("\n")],
        "scores": view.scores,
        "opened": row.opened,
        "moved": row.moved,
    }


def get_view(connection: Connection, table_id: str, viewer: Viewer) -> View | None:
    """The view of a table for a viewer, None if there is no such table."""
    row = connection.execute(select(live_tables.c.view).where(live_tables.c.table_id == table_id)).one_or_none()
    return hide(View.model_validate_json(row.view), viewer) if row else None
