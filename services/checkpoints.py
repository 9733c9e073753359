"""The checkpoint log of an installation: a folder that only grows, and the process that adds to it.

    checkpoints/leaves.ndjson       every leaf, a line each
    checkpoints/notes/00000001.note every checkpoint: a signed note (C2SP tlog-checkpoint) over the first leaves

Whoever has a copy of the folder can tell later whether the record was rewritten. A note is written once all its leaves are on disk; leaves
beyond the last note were being added when the process died, and are taken back when it starts again. It reads the whole
stream when it starts and compares every leaf with it, so a record that was rewritten is found at the next start at the latest.
"""

import asyncio
import fcntl
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Self

import structlog

from domain.proofs.keys import Ring, SigningKey
from domain.proofs.log import Head, included, read_leaf, read_leaves
from domain.proofs.merkle import Tree
from domain.proofs.notes import Checkpoint, read_checkpoint, read_note, sign_note
from domain.proofs.sealing import leaf_line
from schemas.envelope import open_line
from schemas.notation import Unreadable
from schemas.proofs import Checkpointed, Leaf
from services.eventstore.core import JetStreamStore
from services.eventstore.wire import StoredRecord
from services.keys import load_ring
from services.settings import Settings
from services.store import connect
from services.tables.rooms import now

FOLDER: Final = "checkpoints"
EVERY: Final = 60.0
"""Seconds between two checkpoints, if anything moved."""

log = structlog.get_logger("checkpoints")


class CheckpointFault(Exception):
    """Log and record contradict each other, or the log is broken. Nothing is signed until somebody has looked."""


class CheckpointLog:
    """The log in a folder, as far as it was read; `refresh` reads what another process has added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = Tree()
        self.leaves: list[bytes] = []
        self.heads: dict[str, tuple[int, Leaf]] = {}
        self.notes: list[str] = []
        self.size = 0
        self._read = 0
        highest = self._highest()
        self.refresh()
        if self.latest < highest:
            raise CheckpointFault(f"{self._note(self.latest + 1)} is missing, though there is a checkpoint {highest}")

    @property
    def latest(self) -> int:
        """The number of the newest checkpoint, 0 when there is none."""
        return len(self.notes)

    @property
    def unsigned(self) -> int:
        """How many bytes stand after the leaves of the newest checkpoint: of a process that adds them or died then, or of others."""
        return self._leaves.stat().st_size - self._read if self._leaves.exists() else 0

    def refresh(self) -> None:
        """Read the checkpoints that are new, and their leaves. Raises CheckpointFault, naming the file that is missing or broken."""
        size = self.size
        while (path := self._note(self.latest + 1)).exists():
            try:
                note = path.read_text(encoding="utf-8")
                size = _checkpoint(note).size
            except (Unreadable, UnicodeDecodeError) as error:
                raise CheckpointFault(f"{path}: {error}") from None
            self.notes.append(note)
        if size > self.size:
            self._read_leaves(size)

    def check_root(self) -> None:
        """Raise CheckpointFault unless the leaves are those over which the newest checkpoint was signed."""
        if self.notes and self.tree.root() != self.checkpoint(self.latest).root:
            raise CheckpointFault(f"{self._leaves} holds other leaves than were signed; restore it from a copy")

    def _highest(self) -> int:
        """The highest number that a checkpoint has."""
        stems = [path.stem for path in self._note(0).parent.glob("*.note")]
        return max((int(stem) for stem in stems if stem.isdecimal()), default=0)

    def _read_leaves(self, size: int) -> None:
        if not self._leaves.exists():
            raise CheckpointFault(f"{self._leaves} is missing, though there is a checkpoint over {size} leaves")
        with self._leaves.open("rb") as file:
            file.seek(self._read)
            while self.size < size:
                line = file.readline()
                if not line.endswith(b"\n"):
                    raise CheckpointFault(
                        f"{self._leaves} ends after {self.size} leaves, but there is a checkpoint over {size}"
                    )
                try:
                    self._take(line[:-1])
                except Unreadable as error:
                    raise CheckpointFault(f"{self._leaves}: leaf {self.size}: {error}") from None
            self._read = file.tell()

    def _take(self, line: bytes) -> None:
        leaf = read_leaf(line)
        self.heads[leaf.table] = (self.size, leaf)
        self.leaves.append(line)
        self.tree.append(line)
        self.size += 1

    def included(self, table: str) -> Checkpointed | None:
        """The proof that the head of a table is in the newest checkpoint; None when it is in none."""
        found = self.heads.get(table)
        if found is None:
            return None
        index, leaf = found
        return included(leaf, index, self.tree, self.size, self.notes[-1])

    def checkpoint(self, number: int) -> Checkpoint:
        """A checkpoint by its number, from 1."""
        return _checkpoint(self.notes[number - 1])

    @property
    def _leaves(self) -> Path:
        return self.folder / "leaves.ndjson"

    def _note(self, number: int) -> Path:
        return self.folder / "notes" / f"{number:08d}.note"


class CheckpointWriter(CheckpointLog):
    """The log for the one process that adds to it. Raises CheckpointFault when another one does, or the log is not what it was."""

    def __init__(self, folder: Path) -> None:
        (folder / "notes").mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = _locked(folder)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        super().__init__(self.folder)
        self.check_root()
        self._leaves.touch()
        os.truncate(self._leaves, self._read)

    def append(self, leaves: Sequence[Leaf], key: SigningKey) -> int:
        """Add leaves and sign a checkpoint over all there are; its number."""
        self._add_leaves([leaf_line(leaf) for leaf in leaves])
        self._add_note(sign_note(Checkpoint(key.name, self.size, self.tree.root()).text(), key))
        return self.latest

    def adopt(self, leaves: Sequence[bytes], notes: Sequence[str]) -> None:
        """Add leaves and the checkpoints over them that another log has. They must have been checked."""
        self._add_leaves(leaves)
        for note in notes:
            self._add_note(note)

    def _add_leaves(self, lines: Sequence[bytes]) -> None:
        with self._leaves.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        for line in lines:
            self._take(line)
        self._read = self._leaves.stat().st_size

    def _add_note(self, note: str) -> None:
        path = self._note(self.latest + 1)
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            file.write(note)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync(path.parent)
        self.notes.append(note)

    def close(self) -> None:
        """Let another process write."""
        self._lock.close()


def _checkpoint(note: str) -> Checkpoint:
    return read_checkpoint(read_note(note).text)


def _locked(folder: Path) -> IO[bytes]:
    file = (folder / "lock").open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise CheckpointFault(f"another process writes checkpoints into {folder}") from None
    return file


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_logs: Final[dict[Path, CheckpointLog]] = {}


def log_of(data: Path) -> CheckpointLog:
    """The log of a data folder for reading, up to date."""
    folder = data / FOLDER
    found = _logs.get(folder)
    if found is None:
        found = _logs[folder] = CheckpointLog(folder)
    else:
        found.refresh()
    return found


@dataclass(slots=True)
class Follower:
    """Follows the stream: where every table stands, and which leaves were not met in the record yet."""

    heads: dict[str, Head]
    unmet: dict[tuple[str, int], str]

    @classmethod
    def knowing(cls, log_: CheckpointLog) -> Self:
        """One that expects what the log has put on record."""
        return cls({}, {(leaf.table, leaf.version): leaf.hash for leaf in read_leaves(log_.leaves)})

    def take(self, records: Sequence[StoredRecord]) -> None:
        """Go on. Raises CheckpointFault when an event does not follow or is not the one that was put on record."""
        for record in records:
            try:
                event = open_line(record.data)
                self.heads.setdefault(event.table, Head()).follow(event)
            except (Unreadable, ValueError) as error:
                raise CheckpointFault(
                    f"event {record.sequence} of the stream: {error}; see `shuangkou verify {record.key}`"
                ) from None
            known = self.unmet.pop((event.table, event.version), event.hash)
            if known != event.hash:
                raise CheckpointFault(
                    f"event {event.table}:{event.version} is not the one that was put on record: the record was rewritten"
                )

    def moved(self, log_: CheckpointLog, time: str) -> list[Leaf]:
        """Leaves for the tables that have come to rest at a later event than the log knows, sorted by table."""
        found = []
        for table, head in sorted(self.heads.items()):
            if head.rest_version > (log_.heads[table][1].version if table in log_.heads else 0):
                found.append(Leaf(hash=head.rest_hash, table=table, time=time, version=head.rest_version))
        return found

    def check_met(self) -> None:
        """Raise CheckpointFault when something was put on record that the stream does not hold."""
        if self.unmet:
            table, version = min(self.unmet)
            raise CheckpointFault(
                f"event {table}:{version} was put on record, but the stream does not hold it: events were lost"
            )


async def run_checkpoints(
    settings: Settings, *, every: float = EVERY, live: bool = True, clock: Callable[[], str] = now
) -> None:
    """Put the heads of all tables on record every so many seconds, until SIGTERM or SIGINT; with `live` unset once.

    Raises CheckpointFault when record and log contradict each other.
    """
    store = await connect(settings)
    writer = None
    try:
        writer = CheckpointWriter(settings.data / FOLDER)
        follower = Follower.knowing(writer)
        after = await catch_up(store, follower)
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        following = asyncio.create_task(_follow(store, follower, after)) if live else None
        stopping = asyncio.create_task(stop.wait())
        while True:
            put_on_record(writer, follower, load_ring(settings.data), clock())
            if following is None or stop.is_set():
                break
            await asyncio.wait((following, stopping), timeout=every, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                await following
        stopping.cancel()
        if following is not None:
            following.cancel()
    finally:
        if writer is not None:
            writer.close()
        await store.close()


async def catch_up(store: JetStreamStore, follower: Follower) -> int:
    """Read the whole stream; the sequence of its last event. Raises CheckpointFault when it is not what was put on record."""
    after = 0
    async for records in store.tail(0, live=False):
        follower.take(records)
        after = records[-1].sequence if records else after
    follower.check_met()
    log.info("caught up", tables=len(follower.heads), sequence=after)
    return after


async def _follow(store: JetStreamStore, follower: Follower, after: int) -> None:
    async for records in store.tail(after):
        follower.take(records)


def put_on_record(writer: CheckpointWriter, follower: Follower, ring: Ring, time: str) -> int | None:
    """Add the heads that have moved, and sign a checkpoint; its number, None when nothing has moved."""
    time = max(time, read_leaf(writer.leaves[-1]).time if writer.leaves else "")
    leaves = follower.moved(writer, time)
    if not leaves:
        return None
    number = writer.append(leaves, ring.key_at(time))
    log.info("checkpoint", number=number, leaves=writer.size, moved=len(leaves))
    return number
