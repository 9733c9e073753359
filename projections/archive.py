"""The archive: a second copy of every match, away from the stream, from which the stream can be restored.

What is kept are files named by the SHA-256 of their bytes, `ab/cd….ndjson`: the match file of each table that is closed, and before
that, at the end of every hand, a *part*: the event lines since the part before. Files follow from the events alone (no time, no key), are
written once and never changed or deleted, so a bucket that only takes new objects will do. They name their table themselves: the index
in the database says what must be there, but is not needed to read them. ADR 0013.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal, NamedTuple, Protocol

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    func,
    select,
)

from projections.base import Positioned, insert_many
from schemas.canonical import digest
from schemas.envelope import Recorded
from schemas.events import PlayerLeft, SeedRevealed, TableClosed
from schemas.matchfile import HEADER_TYPE, match_file, read_match
from schemas.notation import Unreadable

_metadata: Final = MetaData()
archive_files: Final = Table(
    "archive_files",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("last", Integer, primary_key=True),
    Column("first", Integer, nullable=False),
    Column("kind", String(5), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("time", String(24), nullable=False),
    Index("archive_by_digest", "digest"),
)
"""One row a file: it holds the events `first` to `last` of a table; `kind` is match or part, `size` in bytes, `head` the hash of the last
event, `sequence` its place in the stream, `time` when it happened."""
archive_lines: Final = Table(
    "archive_lines",
    _metadata,
    Column("table_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("line", LargeBinary, nullable=False),
)
"""The lines of the tables that are open, of which files are still to be made."""

CUTS: Final = frozenset((b"seed-revealed", b"player-left", b"table-closed"))
"""The types of events with which a file ends."""
SUFFIX: Final = ".ndjson"
AT_ONCE: Final = 8
"""So many files are written at the same time."""


class Vault(Protocol):
    """Where the files are kept: a folder or a bucket. Raises VaultAway when it cannot be reached."""

    def put(self, name: str, data: bytes) -> None:
        """Keep a file. When this returns it is on disk, whole; what was there under the name is the same or was damaged."""

    def get(self, name: str) -> bytes | None:
        """A file, None if there is no such file."""

    def names(self) -> Iterator[str]:
        """The names of all files."""


class VaultAway(Exception):
    """The place of the archive cannot be reached, or refuses to take a file. Nothing is marked as archived that is not."""


class Filed(NamedTuple):
    """A file of the archive, as the index says it is."""

    table: str
    first: int
    last: int
    kind: Literal["match", "part"]
    digest: str
    size: int
    head: str
    sequence: int
    time: str

    @property
    def name(self) -> str:
        """What it is called in the vault."""
        return name_of(self.digest)


def name_of(hex_digest: str) -> str:
    """The name of the file with this SHA-256."""
    return f"{hex_digest[:2]}/{hex_digest[2:]}{SUFFIX}"


def digest_in(name: str) -> str | None:
    """The SHA-256 that a name promises; None for a file that is none of the archive's."""
    found = name.removesuffix(SUFFIX).replace("/", "")
    return found if len(found) == 64 and name_of(found) == name else None


def lines_in(data: bytes) -> tuple[bytes, ...]:
    """The event lines of a file of the archive. Raises Unreadable when it is neither a match file nor a part."""
    if b'"type":"%b' % HEADER_TYPE.encode() in data.partition(b"\n")[0]:
        return read_match(data).lines
    if not data.endswith(b"\n"):
        raise Unreadable("the last line is not ended; the file was cut short")
    return tuple(data[:-1].split(b"\n"))


class Archive:
    """The projection. Without a vault it only keeps the index, which is how one finds out what an archive should hold."""

    name = "archive"
    version = 1
    metadata = _metadata
    types: frozenset[bytes] | None = None

    def __init__(self, vault: Vault | None = None) -> None:
        self._vault = vault

    def forget(self) -> None:
        """Nothing is remembered."""

    def apply(self, connection: Connection, batch: Sequence[Positioned]) -> None:
        """Keep the lines, and make a file where a hand or a match is over. Files are on disk before the index says so."""
        by_table: dict[str, list[Positioned]] = defaultdict(list)
        for positioned in batch:
            by_table[positioned.recorded.table].append(positioned)
        files: dict[str, bytes] = {}
        rows: list[Filed] = []
        for table_id, events in by_table.items():
            rows += _file(connection, table_id, events, files)
        self._keep(files)
        insert_many(connection, archive_files, [_row(filed) for filed in rows])

    def _keep(self, files: dict[str, bytes]) -> None:
        if self._vault is None or not files:
            return
        with ThreadPoolExecutor(min(AT_ONCE, len(files))) as crew:
            list(crew.map(self._vault.put, files.keys(), files.values()))


def _file(
    connection: Connection, table_id: str, events: Sequence[Positioned], files: dict[str, bytes]
) -> Iterator[Filed]:
    """Take in the next events of one table: gives what is to be written in the index, and adds to `files`."""
    ends = [
        n for n, each in enumerate(events) if isinstance(each.recorded.event, SeedRevealed | PlayerLeft | TableClosed)
    ]
    fresh = [each.recorded for each in events]
    if not ends:
        _remember(connection, fresh)
        return
    begin = _archived(connection, table_id) + 1
    closed = isinstance(fresh[-1].event, TableClosed)
    waiting = _remembered(connection, table_id, 1 if closed else begin)
    lines = [*waiting, *(each.line for each in fresh)]
    offset = fresh[-1].version - len(lines)  # the version before the first of `lines`
    for n in ends:
        recorded, sequence = events[n].recorded, events[n].sequence
        match = isinstance(recorded.event, TableClosed)
        first = 1 if match else begin
        mine = lines[first - 1 - offset : recorded.version - offset]
        data = match_file(mine) if match else b"".join(line + b"\n" for line in mine)
        filed = _filed(recorded, first, "match" if match else "part", data, sequence)
        files[filed.name] = data
        begin = recorded.version + 1
        yield filed
    if closed:
        connection.execute(archive_lines.delete().where(archive_lines.c.table_id == table_id))
    else:
        _remember(connection, fresh)


def _filed(last: Recorded, first: int, kind: Literal["match", "part"], data: bytes, sequence: int) -> Filed:
    return Filed(last.table, first, last.version, kind, digest(data), len(data), last.hash, sequence, last.time)


def _row(filed: Filed) -> tuple[Any, ...]:
    """The row of a file, in the order of the columns."""
    return (
        filed.table,
        filed.last,
        filed.first,
        filed.kind,
        filed.digest,
        filed.size,
        filed.head,
        filed.sequence,
        filed.time,
    )


def _remember(connection: Connection, events: Sequence[Recorded]) -> None:
    insert_many(connection, archive_lines, [(each.table, each.version, each.line) for each in events])


def _archived(connection: Connection, table_id: str) -> int:
    """The version of the last event of a table that is in a file."""
    found = connection.scalar(select(func.max(archive_files.c.last)).where(archive_files.c.table_id == table_id))
    return found or 0


def _remembered(connection: Connection, table_id: str, first: int) -> list[bytes]:
    query = select(archive_lines.c.line).where(archive_lines.c.table_id == table_id, archive_lines.c.version >= first)
    return [bytes(line) for line in connection.execute(query.order_by(archive_lines.c.version)).scalars()]


def files_of(connection: Connection, table_id: str | None = None) -> list[Filed]:
    """The files of a table, or of all, in the order in which their last events happened."""
    query = select(archive_files).order_by(archive_files.c.sequence)
    if table_id is not None:
        query = query.where(archive_files.c.table_id == table_id)
    return [
        Filed(row.table_id, row.first, row.last, row.kind, row.digest, row.size, row.head, row.sequence, row.time)
        for row in connection.execute(query)
    ]
