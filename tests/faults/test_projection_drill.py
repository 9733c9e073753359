"""A short form of the drill of projections: three kills of each, on both databases. `python -m ops.drills.projections` does fifty."""

from pathlib import Path

import pytest

from ops.bench.postgres import PostgresServer
from ops.drills.projections import content, drill
from projections.base import Projector, open_engine
from projections.ledger import Ledger
from projections.runner import NAMES
from tests.kit import books
from tests.kit.postgres import postgres_server

__all__ = ["postgres_server"]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_killed_at_random_moments_every_view_is_what_a_rebuild_gives(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: PostgresServer | None = request.getfixturevalue("postgres_server") if database == "postgresql" else None
    outcomes = drill(tmp_path, server.url if server else None, NAMES, events=900, kills=3, seed="short")
    assert [outcome.name for outcome in outcomes] == list(NAMES)
    for outcome in outcomes:
        assert (outcome.kills, outcome.rows > 1) == (3, True)
        assert outcome.digest == outcome.rebuilt, outcome


def test_a_view_that_differs_by_a_row_has_another_digest(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/ledger.sqlite")
    projector = Projector(engine, Ledger())
    projector.open()
    stream = books.stream_of(books.record_of("t", books.opened("basic"), books.scored(books.opened("basic"), 1, ())))
    projector.feed(stream[:1])
    before = content(engine, "ledger")
    projector.feed(stream)
    assert content(engine, "ledger") != before
    projector.rebuild()
    projector.feed(stream[:1])
    assert content(engine, "ledger") == before
    engine.dispose()
