"""What every projection must keep, whatever it builds; subclass it, once for each database."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from sqlalchemy import Engine, select

from projections.base import Batch, Overtaken, Positioned, Projection, ProjectionFault, Projector, open_engine
from projections.runner import make, source_of
from tests.kit.matches import interleaved


class Stumble(Exception):
    """Stands for a process that dies in the middle of a transaction."""


class ProjectionCase:
    """Subclasses name the projection and give a database."""

    name: ClassVar[str]

    @pytest.fixture
    def engine(self, database: str) -> Iterator[Engine]:
        engine = open_engine(database)
        yield engine
        engine.dispose()

    @pytest.fixture
    def stream(self) -> Batch:
        return interleaved()

    def projection(self, stream: Batch) -> Projection:
        by_table: dict[str, list[bytes]] = {}
        for _, line in stream:
            by_table.setdefault(table_of(line), []).append(line)
        return make(self.name, lambda table_id: by_table.get(table_id, []))

    def projector(self, engine: Engine, stream: Batch) -> Projector:
        projector = Projector(engine, self.projection(stream), source_of(self.name))
        projector.open()
        return projector

    def dump(self, engine: Engine, stream: Batch) -> dict[str, list[Any]]:
        """Every row of every table, in an order of its own."""
        with engine.connect() as connection:
            return {
                table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
                for table in self.projection(stream).metadata.sorted_tables
            }

    def feed(self, projector: Projector, stream: Sequence[tuple[int, bytes]], size: int = 100) -> None:
        for start in range(0, len(stream), size):
            projector.feed(stream[start : start + size])

    @pytest.fixture
    def built(self, engine: Engine, stream: Batch) -> dict[str, list[Any]]:
        """The view built in one go, and thrown away again."""
        projector = self.projector(engine, stream)
        self.feed(projector, stream, len(stream))
        dump = self.dump(engine, stream)
        projector.rebuild()
        return dump

    def test_one_event_at_a_time_or_all_at_once_gives_the_same_rows(
        self, engine: Engine, stream: Batch, built: dict[str, list[Any]]
    ) -> None:
        few = stream[:400]
        projector = self.projector(engine, stream)
        self.feed(projector, few, 1)
        one_by_one = self.dump(engine, stream)
        projector.rebuild()
        self.feed(projector, few, 400)
        assert self.dump(engine, stream) == one_by_one
        self.feed(projector, stream[400:], 7)
        assert self.dump(engine, stream) == built

    def test_a_rebuild_gives_the_same_rows(self, engine: Engine, stream: Batch, built: dict[str, list[Any]]) -> None:
        projector = self.projector(engine, stream)
        self.feed(projector, stream)
        projector.rebuild()
        assert projector.watermark == 0
        assert not any(self.dump(engine, stream).values())
        self.feed(projector, stream)
        assert self.dump(engine, stream) == built

    def test_a_restart_anywhere_goes_on_where_the_view_is(
        self, engine: Engine, stream: Batch, built: dict[str, list[Any]]
    ) -> None:
        cuts = random.Random(7).sample(range(len(stream)), 12)
        for cut in [*sorted(cuts), len(stream)]:
            projector = self.projector(engine, stream)  # a new process knows nothing but the database
            self.feed(projector, stream[projector.watermark : cut])
        assert self.dump(engine, stream) == built

    def test_dying_inside_a_transaction_leaves_neither_rows_nor_watermark(
        self, engine: Engine, stream: Batch, built: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        projector = self.projector(engine, stream)
        self.feed(projector, stream[:300])
        before = self.dump(engine, stream)
        apply = projector.projection.apply

        def stumble(connection: Any, batch: Sequence[Positioned]) -> None:
            apply(connection, batch)
            raise Stumble

        monkeypatch.setattr(projector.projection, "apply", stumble)
        with pytest.raises(Stumble):
            projector.feed(stream[300:600])
        assert projector.watermark == 300
        assert self.dump(engine, stream) == before
        monkeypatch.undo()
        self.feed(projector, stream[300:])
        assert self.dump(engine, stream) == built

    def test_what_is_given_twice_is_taken_once(
        self, engine: Engine, stream: Batch, built: dict[str, list[Any]]
    ) -> None:
        projector = self.projector(engine, stream)
        for start in range(0, len(stream), 50):
            projector.feed(stream[max(start - 30, 0) : start + 50])
        projector.feed(stream)
        assert self.dump(engine, stream) == built

    def test_a_missing_event_is_named_and_nothing_is_written(self, engine: Engine, stream: Batch) -> None:
        projector = self.projector(engine, stream)
        self.feed(projector, stream[:20])
        before = self.dump(engine, stream)
        with pytest.raises(ProjectionFault, match="event 31 of the stream is missing"):
            projector.feed([*stream[20:30], *stream[31:40]])
        assert (projector.watermark, self.dump(engine, stream)) == (20, before)

    def test_of_two_processes_one_goes_on_and_the_other_is_told(
        self, engine: Engine, stream: Batch, built: dict[str, list[Any]]
    ) -> None:
        first, second = self.projector(engine, stream), self.projector(engine, stream)
        first.feed(stream[:100])
        with pytest.raises(Overtaken):
            second.feed(stream[:200])
        assert second.open() == 100
        self.feed(second, stream)
        assert self.dump(engine, stream) == built

    def test_another_version_of_the_tables_is_built_anew(self, engine: Engine, stream: Batch) -> None:
        self.feed(self.projector(engine, stream), stream[:200])
        newer = self.projection(stream)
        newer.version += 1
        assert Projector(engine, newer).open() == 0
        assert self.projector(engine, stream).watermark == 0


def table_of(line: bytes) -> str:
    """The table of a recorded line."""
    start = line.index(b'"id":"') + 6
    return line[start : line.index(b":", start)].decode()


class OnSqlite(ProjectionCase):
    """The case on a SQLite file."""

    @pytest.fixture
    def database(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'view.sqlite'}"


class OnPostgres(ProjectionCase):
    """The case on a real PostgreSQL."""

    @pytest.fixture
    def database(self, postgres_url: str) -> str:
        return postgres_url.replace("postgresql://", "postgresql+psycopg://", 1)
