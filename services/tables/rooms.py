"""All rooms of this process, and the way of a command: decide, append with the expected head, evolve.

Nothing here owns a table. The version check of the store is the fence: whoever was slower gets a conflict, reads what the other wrote
and decides again. A command whose answer was lost leaves its room unsure, and an unsure room reads the stream before it does anything else.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Final

from domain.refusal import Refusal, Refused
from domain.shuffle import derived_seed
from domain.table import Given, Table, decide
from schemas.commands import Command, CommitSeed, StartHand
from schemas.envelope import TABLE_ID, Recorded
from schemas.events import type_name
from services.eventstore.core import JetStreamStore, NewEvent
from services.eventstore.errors import BrokenLog, Conflict, StorageFull, StoreError, TooLarge, Unavailable
from services.eventstore.wire import StoredRecord
from services.problems import Problem
from services.tables.room import Room, Step
from services.tables.unfinished import rest_of

log = logging.getLogger(__name__)

ATTEMPTS: Final = 20
"""How often a command is decided anew when others write to the same table all the time."""
LAG: Final = 5.0
"""Seconds that a replica of the stream may need to show what its leader has."""
RECENT: Final = 5.0
"""Seconds for which a write that was not taken counts against being ready."""
KEEP: Final = 2000
"""Rooms kept in memory; beyond that, those not used for longest go (they come back from the stream), but none where something is due."""


@dataclass(frozen=True, slots=True)
class Order:
    """A command as somebody sent it. `wish` says what it is at the table as it stands (a player's seat may have changed).

    `key` is the Idempotency-Key with the caller's scope, `request` the hash of what was asked with it; together they are the command's id.
    """

    wish: Callable[[Table | None], Command]
    key: str
    request: str
    if_match: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A command that is recorded: its events with the tables after them; `repeated` when it was before."""

    room: Room
    steps: Sequence[Step]
    repeated: bool = False

    @property
    def table(self) -> Table:
        """The table after the command."""
        return self.steps[-1].table


def now() -> str:
    """The time for a record: UTC with milliseconds."""
    return f"{datetime.now(UTC).isoformat(timespec='milliseconds')[:23]}Z"


class Rooms:
    """The tables of a store. `clock` gives the time for records; `watch` is called with every room that changed.

    `refused` is why the store did not take the last write, None when it did or when that was a while ago: a disk that was full makes NATS
    refuse every write until it is started again, while it answers everything else.
    """

    def __init__(
        self, store: JetStreamStore, deal_key: bytes, *, keep: int = KEEP, clock: Callable[[], str] = now
    ) -> None:
        self.store, self.keep, self.clock = store, keep, clock
        self.stopping = False
        self.fault: StoreError | None = None
        self.watch: Callable[[Room], None] | None = None
        self._refused: tuple[float, StoreError] | None = None
        self._deal_key = deal_key
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._feed: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def streams(self) -> int:
        """How many clients follow a table."""
        return sum(len(room.listeners) for room in self._rooms.values())

    @property
    def following(self) -> bool:
        """Whether what others write reaches the rooms."""
        return self._feed is not None and not self._feed.done() and self.store.link.connected

    @property
    def refused(self) -> StoreError | None:
        """Why the store did not take the last write, if that was just now."""
        if self._refused is None or monotonic() - self._refused[0] > RECENT:
            return None
        return self._refused[1]

    async def start(self) -> None:
        """Begin to follow the stream from its present end. Raises Unavailable."""
        after = await self.store.last_sequence()
        self._feed = asyncio.create_task(self._follow(after), name="feed of rooms")

    async def stop(self) -> None:
        """Stop following."""
        self.end_streams()
        tasks = [*self._errands, *([self._feed] if self._feed else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def end_streams(self) -> None:
        """Let everybody who follows a table go; they come back with their last event id."""
        self.stopping = True
        for room in self._rooms.values():
            room.wake()

    async def open(self, table_id: str) -> Room:
        """The room of a table that exists. Raises Refused when it does not, and store errors when that cannot be found out."""
        room = self._room(table_id)
        if room.table is None:
            async with room.lock:
                if room.table is None:
                    await self._catch_up(room)
            self._forget_empty(room)
        if room.fault is not None:
            raise room.fault
        if room.table is None:
            raise Refused(Refusal("no_such_table", "", "There is no such table.", "没有这张桌子。"))
        return room

    async def refresh(self, room: Room) -> None:
        """Read what the stream has beyond the room, for a caller who has seen more than it."""
        await self._catch_up(room)

    async def handle(self, table_id: str, order: Order) -> Done:
        """Carry out a command once, however often it is sent with the same key.

        Raises Refused, Unreadable, Problem (stale version, key used for something else) or a store error; of these only
        Unavailable with `unknown` leaves open whether it was recorded.
        """
        room = self._room(table_id)
        try:
            async with room.lock:
                for _ in range(ATTEMPTS):
                    done = await self._attempt(room, order)
                    if done is not None:
                        return done
        finally:
            self._forget_empty(room)
        raise Unavailable(f"others write to table {table_id} all the time")

    async def _attempt(self, room: Room, order: Order) -> Done | None:
        """One try; None when somebody else was quicker."""
        if self.fault is not None:
            raise self.fault
        if room.unsure:
            await self._catch_up(room)
        if room.fault is not None:
            raise room.fault
        if not room.whole:
            await self._finish(room)
            return None
        before = _repeated(room, order)
        if before is not None:
            return before
        if order.if_match is not None and order.if_match != room.version:
            raise _stale(room.version)
        happened = self._decide(room, order)
        if not await self._append(room, happened):
            return None
        return Done(room, tuple(room.steps(happened[0].version, happened[-1].version)))

    async def _finish(self, room: Room) -> None:
        """See that the last command is recorded to its end before another one is."""
        rest = rest_of(room, self._seed_of)
        if rest:
            log.warning("table %s: finishing the command of event %d, recorded in part", room.id, room.version)
        if not rest or await self._append(room, rest):
            room.whole = True

    def _decide(self, room: Room, order: Order) -> Sequence[Recorded]:
        table = room.table
        command = order.wish(table)
        seed = self._seed_of(table, command) if table is not None else None
        given = Given(max(self.clock(), room.time), f"{order.key}.{order.request}", seed)
        return decide(table, room.id, command, given)

    def _seed_of(self, table: Table, command: Command) -> str:
        return derived_seed(self._deal_key, table.id, table.hands + isinstance(command, StartHand | CommitSeed))

    async def _append(self, room: Room, happened: Sequence[Recorded]) -> bool:
        """Record events; False when somebody else was quicker. After any other failure the room knows whether it must look."""
        room.unsure, room.sent = True, happened
        events = [NewEvent(type_name(type(recorded.event)), recorded.line) for recorded in happened]
        try:
            head = await self.store.append(room.id, room.head, events)
        except Conflict as conflict:
            room.known = max(room.known, conflict.head.version)
            return False
        except TooLarge:
            room.unsure = False
            raise
        except StorageFull as full:
            room.unsure = len(events) > 1  # of several, the first may be recorded
            self._refused = (monotonic(), full)
            raise
        except Unavailable as error:
            room.unsure = error.unknown
            self._refused = (monotonic(), error)
            raise
        finally:
            room.sent = ()
        self._refused = None
        room.merge(happened, head.sequence)
        room.unsure, room.whole = False, True
        return True

    async def _catch_up(self, room: Room) -> None:
        """Read the stream until the room has everything that its leader has."""
        head = await self.store.head(room.id)
        room.known = max(room.known, head.version)
        deadline = asyncio.get_running_loop().time() + LAG
        while room.version < room.known:
            self._take(room, await self.store.read(room.id, room.version, after_sequence=room.head.sequence))
            if room.version < room.known:
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable(f"table {room.id} has {room.known} events, but only {room.version} can be read")
                await asyncio.sleep(0.05)
        room.unsure = False

    def _take(self, room: Room, records: Sequence[StoredRecord]) -> None:
        for record in records:
            if record.version > room.version:
                room.merge((room.read(record.data),), record.sequence)

    async def _follow(self, after: int) -> None:
        """Bring to open rooms what anybody writes. Ends only when the stream is not the log it was: then nothing is written any more."""
        try:
            async for records in self.store.tail(after):
                for record in records:
                    room = self._rooms.get(record.key)
                    if room is not None and record.version > room.version:
                        self._bring(room, record)
        except StoreError as error:
            log.exception("the stream cannot be followed any more; no command is taken until this is put right")
            self.fault = error
            self.end_streams()

    def _bring(self, room: Room, record: StoredRecord) -> None:
        room.known = max(room.known, record.version)
        if record.version > room.version + 1:
            if not room.lock.locked():  # whoever holds the lock reads it or runs into it
                self._errand(room)
            return
        try:
            self._take(room, (record,))
        except BrokenLog:
            log.exception("table %s is closed to commands", room.id)

    def _errand(self, room: Room) -> None:
        async def run() -> None:
            try:
                await self._catch_up(room)
            except StoreError as error:
                log.warning("table %s: %s", room.id, error)
                room.unsure = True

        task = asyncio.create_task(run(), name=f"catch up {room.id}")
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def at_hand(self, table_id: str) -> Room | None:
        """The room of a table, if it is in memory."""
        return self._rooms.get(table_id)

    def _room(self, table_id: str) -> Room:
        room = self._rooms.get(table_id)
        if room is not None:
            self._rooms.move_to_end(table_id)
            return room
        if not TABLE_ID.fullmatch(table_id):
            raise Refused(Refusal("no_such_table", "", "There is no such table.", "没有这张桌子。"))
        if len(self._rooms) >= self.keep:
            idle = next((each for each in self._rooms.values() if each.idle), None)
            if idle is not None:
                del self._rooms[idle.id]
        room = self._rooms[table_id] = Room(table_id, self._changed)
        return room

    def _changed(self, room: Room) -> None:
        if self.watch is not None:
            self.watch(room)

    def _forget_empty(self, room: Room) -> None:
        """A table that does not exist takes no memory."""
        if room.table is None and self._rooms.get(room.id) is room and room.idle:
            del self._rooms[room.id]
        elif room.table is not None:
            self._rooms.setdefault(room.id, room)


def _repeated(room: Room, order: Order) -> Done | None:
    """The answer this key was given before. Raises a 422 problem when it was given for something else."""
    before = room.given(order.key)
    if before is None:
        return None
    if before.request != order.request:
        raise Problem(
            422,
            "idempotency_key_reused",
            "This Idempotency-Key was used at this table for another request. Use a new key for a new command.",
            "该 Idempotency-Key 已用于另一请求,请换一个。",
        )
    return Done(room, tuple(room.steps(before.first, before.last)), repeated=True)


def _stale(version: int) -> Problem:
    return Problem(
        409,
        "stale_version",
        f"The table is at version {version} by now. Look at it again, then decide anew.",
        f"桌子已到第{version}个事件,请先刷新。",
        headers={"ETag": f'"{version}"'},
        version=version,
    )
