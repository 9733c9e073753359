"""What every projection is made of: a view in a database and the watermark that says how far along the stream it is.

Watermark and view are written in one transaction. A projection can be killed anywhere and goes on where its view is; what it is given
twice it takes once; what it is not given it misses at once, since the stream's sequences have no gaps. The tables are thrown away and built
anew when the projection's version changes, or when somebody asks for it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import psycopg
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from schemas.canonical import digest
from schemas.envelope import Recorded, read_line
from schemas.notation import Unreadable

Batch = Sequence[tuple[int, bytes]]
"""Stream sequences and recorded lines, in the order of the stream."""


class Positioned(NamedTuple):
    """A recorded event and its sequence in the stream."""

    sequence: int
    recorded: Recorded


class ProjectionFault(Exception):
    """The stream holds what it cannot hold. The view is as it was; somebody must look."""


class Overtaken(Exception):
    """Another process of the same projection was quicker; open again and go on from its watermark."""


class Projection(Protocol):
    """One projection: its name, the version of its tables, the tables, and what events do to them."""

    name: str
    version: int
    metadata: MetaData
    types: frozenset[bytes] | None
    """The types of events it wants (`hand-scored`), None for all."""

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Write what these events change. Raises ProjectionFault for an event that cannot follow."""

    def forget(self) -> None:
        """Drop what is remembered of the view, since a transaction was rolled back or another process wrote."""


_metadata: Final = MetaData()
watermarks: Final = Table(
    "watermarks",
    _metadata,
    Column("projection", String(40), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("sequence", BigInteger, nullable=False),
)
"""How far each projection of this database is: the stream sequence of the last event in its view."""


def open_engine(url: str) -> Engine:
    """A database by its SQLAlchemy URL. SQLite files are made as needed, in write-ahead mode (ADR 0004)."""
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    path = url.removeprefix("sqlite:///")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    return engine


def upsert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, or replace those with the same primary key."""
    if not rows:
        return
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(table)
    keys = [column.name for column in table.primary_key]
    others = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), rows)


def insert_many(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert many rows, values in the order of the table's columns, the quickest way each database has.

    SQLAlchemy's own way takes longer for a row than the databases do, so it only writes the statement here.
    """
    if not rows:
        return
    names = [column.name for column in table.columns]
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" for _ in names)
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places})", list(rows))  # noqa: S608
        return
    cursor = connection.connection.cursor()
    try:
        with cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.IntegrityError as error:
        raise IntegrityError("COPY", None, error) from error
    finally:
        cursor.close()


def type_of(line: bytes) -> bytes:
    """The type of a recorded line without reading it: `hand-scored` out of `shuangkou.hand-scored.v1`.

    In canonical form `type` is followed by nothing but `version`, so the last place that looks like it is it.
    """
    start = line.rfind(b'"type":"shuangkou.') + 18
    return line[start : line.find(b".v", start)]


class Projector:
    """Feeds one projection in one database. `watermark` is the sequence of the last event in the view."""

    def __init__(self, engine: Engine, projection: Projection) -> None:
        self.engine: Final = engine
        self.projection: Final = projection
        self.watermark = 0

    def open(self) -> int:
        """Make the tables if they are missing or of another version; returns the watermark."""
        _metadata.create_all(self.engine)
        with self.engine.begin() as connection:
            row = connection.execute(
                select(watermarks.c.version, watermarks.c.sequence).where(self._mine())
            ).one_or_none()
        if row is None or row.version != self.projection.version:
            return self.rebuild()
        self.projection.forget()
        self.watermark = int(row.sequence)
        return self.watermark

    def rebuild(self) -> int:
        """Throw the view away, to be built from the first event on; returns the watermark, 0."""
        _metadata.create_all(self.engine)
        self.projection.forget()
        name, version = self.projection.name, self.projection.version
        with self.engine.begin() as connection:
            self.projection.metadata.drop_all(connection)
            self.projection.metadata.create_all(connection)
            upsert(connection, watermarks, [{"projection": name, "version": version, "sequence": 0}])
        self.watermark = 0
        return 0

    def feed(self, batch: Batch) -> int:
        """Take in the events of a batch that are beyond the watermark; returns the new watermark.

        Raises ProjectionFault when an event is missing, unreadable or cannot follow, and Overtaken; the view is then as it was.
        """
        fresh = [each for each in batch if each[0] > self.watermark]
        if not fresh:
            return self.watermark
        self._check_gapless(fresh)
        events = list(self._read(fresh))
        last = fresh[-1][0]
        try:
            with self.engine.begin() as connection:
                self._advance(connection, last)
                self.projection.apply(connection, events)
        except BaseException as error:
            self.projection.forget()
            if isinstance(error, IntegrityError):
                raise ProjectionFault(f"{self.projection.name}: an event was taken in twice: {error.orig}") from error
            raise
        self.watermark = last
        return last

    def _mine(self) -> Any:
        return watermarks.c.projection == self.projection.name

    def _check_gapless(self, batch: Batch) -> None:
        for expected, (sequence, _) in enumerate(batch, start=self.watermark + 1):
            if sequence != expected:
                raise ProjectionFault(
                    f"{self.projection.name}: event {expected} of the stream is missing, {sequence} follows "
                    f"{expected - 1}; the stream has lost events, see `shuangkou verify --all`"
                )

    def _read(self, batch: Batch) -> Sequence[Positioned]:
        wanted = self.projection.types
        events = []
        for sequence, line in batch:
            if wanted is not None and type_of(line) not in wanted:
                continue
            try:
                events.append(Positioned(sequence, read_line(line)))
            except Unreadable as error:
                raise ProjectionFault(
                    f"{self.projection.name}: event {sequence} of the stream (SHA-256 {digest(line)[:12]}…) "
                    f"cannot be read: {error}"
                ) from None
        return events

    def _advance(self, connection: Connection, to: int) -> None:
        moved = connection.execute(
            watermarks.update().where(self._mine(), watermarks.c.sequence == self.watermark).values(sequence=to)
        )
        if moved.rowcount != 1:
            raise Overtaken(f"{self.projection.name}: another process has moved the watermark from {self.watermark}")
