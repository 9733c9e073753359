"""One table in memory: its record, its state, and the answers already given.

A room only ever grows by the next event of the record (`merge`), whoever brings it: the command that made it, the feed that follows the
stream, or a read after a conflict. Events that are there already are passed over, so their order of arrival does not matter.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, NoReturn

from domain.table import OVER, Table, evolve
from projections.delaying import calm_after, visible_version
from schemas.canonical import GENESIS
from schemas.envelope import Recorded, read_line
from schemas.notation import Unreadable
from schemas.views import Viewer
from services.eventstore.errors import EMPTY, BrokenLog, Head
from services.tables.messages import Message

BOOKMARK: Final = 64
"""A state is kept every so many events, so that no look back replays more."""
RECENT: Final = 128
"""So many of the latest events are kept with their states, for whoever follows live."""
KEPT: Final = 32
"""So many of the latest messages are kept for each pair of eyes."""
CROWD: Final = 500
"""So many followers are told of something new before others have their turn."""


class Step(NamedTuple):
    """An event and the table right after it."""

    table: Table
    recorded: Recorded


class Given(NamedTuple):
    """What a command id was given for: the hash of the request, and the versions of the events it made."""

    request: str
    first: int
    last: int


class Room:
    """A table as this process knows it.

    `known` is the highest version it has heard of; `unsure` that a write may have landed unseen,
    `whole` that its last command is known to be recorded to the end; `sent` are events on their way to the store.
    `watch` is called after every change; `awaited` that something happens here by itself sooner or later.
    """

    def __init__(self, table_id: str, watch: "Callable[[Room], None] | None" = None) -> None:
        self.id, self.watch, self.awaited = table_id, watch, False
        self.table: Table | None = None
        self.head: Head = EMPTY
        self.known = 0
        self.unsure = True
        self.whole = False
        self.last: Given | None = None
        self.fault: BrokenLog | None = None
        self.time = ""
        self.lines: list[bytes] = []
        self.lock = asyncio.Lock()
        self.sent: Sequence[Recorded] = ()
        self.listeners: set[Callable[[], None]] = set()
        self.messages: dict[Viewer, dict[int, Message]] = {}
        self.calm = 0
        self.ended: dict[int, int] = {}
        self._waking = False
        self._given: dict[str, Given] = {}
        self._bookmarks: list[Table] = []
        self.recent: dict[int, Step] = {}

    @property
    def version(self) -> int:
        """How many events it holds."""
        return len(self.lines)

    @property
    def late(self) -> int:
        """The last event that somebody who looks late may see."""
        return 0 if self.table is None else visible_version(self.table, self.calm)

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it."""
        return not (self.listeners or self.awaited or self.lock.locked())

    def given(self, key: str) -> Given | None:
        """What this key was used for before, if anything."""
        return self._given.get(key)

    def merge(self, records: Iterable[Recorded], sequence: int) -> None:
        """Take in events that follow; those it has are passed over. `sequence` is where the last one stands in the stream.

        Raises BrokenLog for an event that cannot follow, and takes in nothing from then on.
        """
        if self.fault is not None:
            raise self.fault
        came = False
        for recorded in records:
            if recorded.version == self.version + 1:
                self._take(recorded)
                self.head = Head(recorded.version, sequence)
                self.whole = False
                came = True
        if came:
            self.wake()
            if self.watch is not None:
                self.watch(self)

    def wake(self) -> None:
        """Tell everybody who follows that there is something new, as soon as whoever brought it has been answered."""
        if self.listeners and not self._waking:
            self._waking = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._waking = False
        self._tell_some(tuple(self.listeners))

    def _tell_some(self, listeners: Sequence[Callable[[], None]]) -> None:
        """Tell so many, then let others have their turn."""
        for listener in listeners[:CROWD]:
            listener()
        if len(listeners) > CROWD:
            asyncio.get_running_loop().call_soon(self._tell_some, listeners[CROWD:])

    def _take(self, recorded: Recorded) -> None:
        if recorded.prev != (self.table.head if self.table else GENESIS):
            self.broken(f"event {recorded.table}:{recorded.version} is not chained to the event before it")
        try:
            table = evolve(self.table, recorded)
        except ValueError as error:
            self.broken(error)
        version = recorded.version
        self.table, self.time = table, recorded.time
        self.lines.append(recorded.line)
        self.known = max(self.known, version)
        if version % BOOKMARK == 0:
            self._bookmarks.append(table)
        self.recent[version] = Step(table, recorded)
        self.recent.pop(version - RECENT, None)
        self.calm = calm_after(self.calm, table)
        if isinstance(recorded.event, OVER):
            self.ended[table.hands] = version
        key, _, request = recorded.command.rpartition(".")
        before = self._given.get(key)
        self.last = self._given[key] = Given(request, version if before is None else before.first, version)

    def broken(self, error: Exception | str) -> NoReturn:
        """Note that the record of this table is wrong, and raise that."""
        self.fault = BrokenLog(f"table {self.id!r} cannot be continued: {error}. Run `shuangkou verify {self.id}`")
        self.wake()
        raise self.fault from None

    def read(self, line: bytes) -> Recorded:
        """Read an event of this table from its bytes; one that is just being sent from here needs no reading. Raises BrokenLog."""
        for recorded in self.sent:
            if recorded.line == line:
                return recorded
        try:
            return read_line(line)
        except Unreadable as error:
            self.broken(error)

    def steps(self, first: int, last: int) -> Iterator[Step]:
        """The events `first` to `last`, each with the table after it. Cheap for the latest, else a replay from a bookmark."""
        if first in self.recent:
            for version in range(first, last + 1):
                step = self.recent.get(version)
                if step is None:  # it grew old while somebody was slow to ask
                    yield from self.steps(version, last)
                    return
                yield step
            return
        place = (first - 1) // BOOKMARK
        table = self._bookmarks[place - 1] if place else None
        for version in range(place * BOOKMARK + 1, last + 1):
            recorded = read_line(self.lines[version - 1])
            table = evolve(table, recorded)
            if version >= first:
                yield Step(table, recorded)

    def keep(self, viewer: Viewer, message: Message, newest: int) -> None:
        """Keep a message for others with the same eyes, if it is among the newest."""
        if message.id <= newest - KEPT:
            return
        kept = self.messages.setdefault(viewer, {})
        kept[message.id] = message
        while len(kept) > KEPT:
            del kept[min(kept)]

    def at(self, version: int) -> Table:
        """The table after so many events, at least one and at most what there is."""
        if self.table is not None and version == self.version:
            return self.table
        return next(self.steps(version, version)).table
