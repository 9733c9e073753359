"""What every projection is made of: a view in a database and the watermark that says how far along the stream it is.

Watermark and view are written in one transaction. A projection can be killed anywhere and goes on where its view is; what it is given
twice it takes once; what it is not given it misses at once, since the stream's sequences have no gaps. The tables are thrown away and built
anew when the projection's version changes, or when somebody asks for it. The chain of every table is followed whichever events a projection
wants, so that what somebody slipped into the stream stops it instead of getting into the view.
"""

import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import orjson
import psycopg
import stamina
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
from sqlalchemy.exc import DataError, IntegrityError

from schemas.canonical import GENESIS, digest
from schemas.envelope import Recorded, read_line
from schemas.notation import Unreadable
from schemas.registry import EVENTS, Kind, kind_of
from schemas.upcasters import UPCASTERS

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

heads: Final = Table(
    "heads",
    _metadata,
    Column("projection", String(40), primary_key=True),
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
)
"""The last event of each table that a projection has taken in, which the next one must chain to."""

MOST_HEADS: Final = 50_000
"""So many heads are remembered between batches."""

_SETTING_UP: Final = 7_301_954
"""The PostgreSQL advisory lock that lets one process at a time make or drop tables; any number that only we use."""


class Link(NamedTuple):
    """What chains an event to the one before it on its table."""

    table: str
    version: int
    prev: str
    hash: str


def open_engine(url: str) -> Engine:
    """A database by its SQLAlchemy URL. SQLite files are made as needed, in write-ahead mode (ADR 0004)."""
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    path = url.removeprefix("sqlite:///")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        write_ahead(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    return engine


def _locked(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY


@stamina.retry(on=_locked, attempts=None, timeout=30, wait_initial=0.01, wait_max=0.2)
def write_ahead(connection: sqlite3.Connection) -> None:
    """Keep a SQLite file in write-ahead mode.

    Where two processes find a new file at once, SQLite refuses one of them without waiting, whatever its time limit.
    """
    connection.execute("PRAGMA journal_mode=WAL")


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


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A transaction in which tables are made or dropped, one process at a time; all of it happens or nothing.

    It begins with a lock, in SQLite because there a statement that makes or drops a table would not begin a transaction by itself.
    """
    lock = "BEGIN IMMEDIATE" if engine.dialect.name == "sqlite" else f"SELECT pg_advisory_xact_lock({_SETTING_UP})"
    with engine.begin() as connection:
        connection.exec_driver_sql(lock)
        yield connection


@contextmanager
def _no_collection() -> Iterator[None]:
    """No search for cyclic garbage meanwhile: a batch makes many objects and no cycles, so the search only costs time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def type_of(line: bytes) -> bytes:
    """The type of a recorded line without reading it: `hand-scored` out of `shuangkou.hand-scored.v1`.

    In canonical form `type` is followed by nothing but `version`, so the last place that looks like it is it.
    """
    start = line.rfind(b'"type":"shuangkou.') + 18
    return line[start : line.find(b".v", start)]


def link_of(line: bytes, kind: Kind = "tables") -> Link:
    """How a recorded line chains, without reading the event. Raises Unreadable, also for a type that this version does not know."""
    try:
        raw = orjson.loads(line)
        link = Link(raw["source"].removeprefix(f"/{kind}/"), raw["version"], raw["prev"], digest(line))
        name = raw["type"]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise Unreadable(f"not an event of {kind}") from None
    known = EVENTS.get(name)
    if name not in UPCASTERS and (known is None or kind_of(known) != kind):
        raise Unreadable(f"type: {name!r} is not an event this version knows")
    return link


class Projector:
    """Feeds one projection in one database, from the stream of tables or another `kind`.

    `watermark` is the sequence of the last event in the view.
    """

    def __init__(self, engine: Engine, projection: Projection, kind: Kind = "tables") -> None:
        self.engine: Final = engine
        self.projection: Final = projection
        self.kind: Final = kind
        self.watermark = 0
        self._heads: dict[str, tuple[int, str]] = {}

    def open(self) -> int:
        """Make the tables if they are missing or of another version; returns the watermark."""
        self._forget()
        with _alone(self.engine) as connection:
            _metadata.create_all(connection)
            row = connection.execute(
                select(watermarks.c.version, watermarks.c.sequence).where(self._mine(watermarks))
            ).one_or_none()
            if row is None or row.version != self.projection.version:
                self._clear(connection)
        self.watermark = row.sequence if row and row.version == self.projection.version else 0
        return self.watermark

    def rebuild(self) -> int:
        """Throw the view away, to be built from the first event on; returns the watermark, 0."""
        self._forget()
        with _alone(self.engine) as connection:
            _metadata.create_all(connection)
            self._clear(connection)
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
        last = fresh[-1][0]
        try:
            with _no_collection(), self.engine.begin() as connection:
                self._advance(connection, last)
                self.projection.apply(connection, self._read(connection, fresh))
        except BaseException as error:
            self._forget()
            if isinstance(error, IntegrityError):
                words = "the database refuses what follows, because it is there already or cannot be"
                raise ProjectionFault(f"{self.projection.name}: {words}: {error.orig}") from error
            if isinstance(error, OverflowError | DataError | psycopg.DataError):
                words = f"one of the events {fresh[0][0]} to {last} of the stream has what the database cannot hold"
                raise ProjectionFault(f"{self.projection.name}: {words}: {error}") from error
            raise
        self.watermark = last
        if len(self._heads) > MOST_HEADS:
            self._heads.clear()
        return last

    def ends_with(self, line: bytes) -> bool:
        """Whether this is the last event of its table that was taken in, as the one at the watermark must be.

        True also when another process has moved the watermark since: it goes by its own.
        """
        try:
            link = link_of(line, self.kind)
        except Unreadable:
            return False
        with self.engine.connect() as connection:
            head = self._stored_head(connection, link.table)
            now = connection.scalar(select(watermarks.c.sequence).where(self._mine(watermarks)))
        return now != self.watermark or head == (link.version, link.hash)

    def _forget(self) -> None:
        self.projection.forget()
        self._heads.clear()

    def _mine(self, table: Table) -> Any:
        return table.c.projection == self.projection.name

    def _clear(self, connection: Connection) -> None:
        name, version = self.projection.name, self.projection.version
        # The watermark first: whoever writes to the view holds its row, and this waits for it.
        upsert(connection, watermarks, [{"projection": name, "version": version, "sequence": 0}])
        connection.execute(heads.delete().where(self._mine(heads)))
        self.projection.metadata.drop_all(connection)
        self.projection.metadata.create_all(connection)

    def _check_gapless(self, batch: Batch) -> None:
        for expected, (sequence, _) in enumerate(batch, start=self.watermark + 1):
            if sequence != expected:
                raise ProjectionFault(
                    f"{self.projection.name}: event {expected} of the stream is missing, {sequence} follows "
                    f"{expected - 1}; the stream has lost events, see `shuangkou verify --all`"
                )

    def _read(self, connection: Connection, batch: Batch) -> Sequence[Positioned]:
        """The events that the projection wants, after all of the batch was found to chain."""
        wanted = self.projection.types
        events, moved = [], set()
        for sequence, line in batch:
            try:
                if wanted is None or type_of(line) in wanted:
                    recorded = read_line(line, self.kind)
                    events.append(Positioned(sequence, recorded))
                    link = Link(recorded.table, recorded.version, recorded.prev, recorded.hash)
                else:
                    link = link_of(line, self.kind)
            except Unreadable as error:
                raise ProjectionFault(
                    f"{self.projection.name}: event {sequence} of the stream (SHA-256 {digest(line)[:12]}…) "
                    f"cannot be read: {error}"
                ) from None
            self._follow(connection, link)
            moved.add(link.table)
        name = self.projection.name
        rows = ((table, *self._heads[table]) for table in moved)
        upsert(
            connection,
            heads,
            [{"projection": name, "table_id": table, "version": at, "hash": is_} for table, at, is_ in rows],
        )
        return events

    def _follow(self, connection: Connection, link: Link) -> None:
        head = self._heads.get(link.table) or self._stored_head(connection, link.table)
        if (link.version - 1, link.prev) != head:
            raise ProjectionFault(
                f"{self.projection.name}: event {link.table}:{link.version} does not chain to the one before it, "
                f"{link.table}:{head[0]}; see `shuangkou verify {link.table}`"
            )
        self._heads[link.table] = (link.version, link.hash)

    def _stored_head(self, connection: Connection, table: str) -> tuple[int, str]:
        query = select(heads.c.version, heads.c.hash).where(self._mine(heads), heads.c.table_id == table)
        row = connection.execute(query).one_or_none()
        return (row.version, row.hash) if row else (0, GENESIS)

    def _advance(self, connection: Connection, to: int) -> None:
        here = (watermarks.c.sequence == self.watermark) & (watermarks.c.version == self.projection.version)
        moved = connection.execute(watermarks.update().where(self._mine(watermarks), here).values(sequence=to))
        if moved.rowcount != 1:
            raise Overtaken(f"{self.projection.name}: another process has moved the watermark from {self.watermark}")
