"""The audit timeline: every event with its bytes, and the state at any of them."""

from pathlib import Path

import pytest

from domain.table import replay
from domain.verify import verify_lines
from projections.audit import Audit, explanation, lines, state_at, timeline
from projections.base import ProjectionFault, Projector, open_engine
from schemas.envelope import read_line
from schemas.events import HandScored
from tests.kit.matches import interleaved
from tests.kit.projection_case import OnPostgres, OnSqlite, table_of


class TestOnSqlite(OnSqlite):
    name = "audit"


class TestOnPostgres(OnPostgres):
    name = "audit"


def projector(path: Path) -> Projector:
    made = Projector(open_engine(f"sqlite:///{path}/audit.sqlite"), Audit())
    made.open()
    return made


def test_it_holds_the_very_lines_of_the_stream(tmp_path: Path) -> None:
    audit, stream = projector(tmp_path), interleaved()
    audit.feed(stream)
    table = table_of(stream[0][1])
    mine = [line for _, line in stream if table_of(line) == table]
    with audit.engine.connect() as connection:
        assert lines(connection, table) == mine
        assert verify_lines(lines(connection, table)).clean
        assert [row["version"] for row in timeline(connection, table)] == list(range(1, len(mine) + 1))
        assert lines(connection, "nowhere") == []


def test_the_state_at_any_event_is_the_replayed_one(tmp_path: Path) -> None:
    audit, stream = projector(tmp_path), interleaved()
    audit.feed(stream)
    table = table_of(stream[0][1])
    mine = [read_line(line) for _, line in stream if table_of(line) == table]
    with audit.engine.connect() as connection:
        for version in (1, 7, 60, len(mine)):
            assert state_at(connection, table, version) == replay(mine[:version])
        with pytest.raises(ValueError, match=f"has {len(mine)} events"):
            state_at(connection, table, len(mine) + 1)


def test_the_explanation_of_a_hand_is_that_of_its_score(tmp_path: Path) -> None:
    audit, stream = projector(tmp_path), interleaved()
    audit.feed(stream)
    table = table_of(stream[0][1])
    with audit.engine.connect() as connection:
        scored = explanation(connection, table, 1)
        assert isinstance(scored, HandScored)
        assert scored.why
        assert explanation(connection, table, 2) is None


def test_an_event_that_does_not_chain_is_named(tmp_path: Path) -> None:
    audit, stream = projector(tmp_path), interleaved()
    audit.feed(stream[:30])
    recorded = read_line(stream[30][1])
    forged = stream[30][1].replace(b'"prev":"' + recorded.prev.encode(), b'"prev":"' + b"0" * 64)
    with pytest.raises(ProjectionFault, match=f"{recorded.table}:{recorded.version} does not chain"):
        audit.feed([(31, forged)])
