"""The live tables: the lobby and the views."""

from pathlib import Path

import pytest

from domain.table import replay
from projections.base import ProjectionFault, Projector, open_engine
from projections.live_table import LiveTables, get_view, list_tables
from projections.viewing import view_for
from schemas.envelope import read_line
from schemas.views import VIEWERS
from tests.kit.matches import interleaved
from tests.kit.projection_case import OnPostgres, OnSqlite, table_of
from tests.kit.spec import opened


class TestOnSqlite(OnSqlite):
    name = "live"


class TestOnPostgres(OnPostgres):
    name = "live"


def projector(path: Path) -> Projector:
    made = Projector(open_engine(f"sqlite:///{path}/live.sqlite"), LiveTables(lambda _: []))
    made.open()
    return made


def test_the_view_of_every_viewer_is_the_one_replayed_from_the_events(tmp_path: Path) -> None:
    live, stream = projector(tmp_path), interleaved()
    for cut in (50, 333, len(stream)):
        live.feed(stream[:cut])
        with live.engine.connect() as connection:
            for table in list_tables(connection):
                lines = [line for _, line in stream[:cut] if table_of(line) == table["table"]]
                state = replay(map(read_line, lines))
                for viewer in VIEWERS:
                    assert get_view(connection, state.id, viewer) == view_for(state, viewer)


def test_the_lobby_says_what_goes_on(tmp_path: Path) -> None:
    live, stream = projector(tmp_path), interleaved()
    live.feed(stream[:10])
    with live.engine.connect() as connection:
        assert {table["status"] for table in list_tables(connection)} <= {"seating", "waiting", "playing"}
        assert get_view(connection, "nowhere", "spectator") is None
    live.feed(stream)
    with live.engine.connect() as connection:
        tables = list_tables(connection, status="closed")
        assert len(tables) == 6
        assert all(len(table["players"]) == 4 and table["hand"] == table["hands"] == 1 for table in tables)
        assert list_tables(connection, status="playing") == []


def test_an_event_that_does_not_chain_is_named(tmp_path: Path) -> None:
    live = projector(tmp_path)
    events = opened("basic", ["3S", "4S", "5S", "6S"])
    live.feed([(1, events[0].line)])
    forged = events[1].line.replace(b'"prev":"' + events[1].prev.encode(), b'"prev":"' + b"f" * 64)
    with pytest.raises(ProjectionFault, match="event t:2 does not chain"):
        live.feed([(2, forged)])
    with pytest.raises(ProjectionFault, match="cannot be read"):
        live.feed([(2, b"{}")])
    assert live.watermark == 1
