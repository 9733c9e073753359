"""All cases of a store, and the way of a command: read the record, decide, append with the expected head, evolve.

As at the tables nothing is owned: the version check of the store is the fence, and a repeat of a command is recognised by its id in
the record (ADR 0005). Cases are few and slow, so every command reads first. A ruling that posts something depends on the rulings in
other cases: it is recorded only where nothing was written to any case since those were read (ADR 0012).
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakValueDictionary

from domain.dispute import Dispute, TableFacts, Terms, decide, evolve, finish, no_such_dispute
from domain.refusal import Refused
from domain.table import Given
from schemas.desk import DeskCommand, Raise, Rule
from schemas.disputes import EvidenceAttached
from schemas.envelope import TABLE_ID, Recorded
from schemas.events import type_name
from services.disputes.facts import table_facts
from services.disputes.register import Register, Ruled, read
from services.eventstore.core import JetStreamStore, NewEvent
from services.eventstore.errors import EMPTY, BrokenLog, Conflict, Head, Unavailable
from services.problems import Problem
from services.tables.rooms import Rooms

log = logging.getLogger(__name__)

ATTEMPTS: Final = 20
"""How often a command is decided anew when others write to the same case all the time."""
LAG: Final = 5.0
"""Seconds that a replica of the stream may need to show what its leader has."""
KEPT: Final = 100
"""Cases kept in memory, without the content of files; the others come back from the stream."""


@dataclass(frozen=True, slots=True)
class Order:
    """A command as somebody sent it; `wish` says what it is in the case as it stands. Key and request are as at the tables."""

    wish: Callable[[Dispute | None], DeskCommand]
    key: str
    request: str
    if_match: int | None = None


@dataclass(slots=True)
class Case:
    """A case as this process knows it: its record and where it stands.

    The content of files is not kept, nor are the lines; `places` says at which sequence of the stream each piece of evidence is.
    """

    id: str
    dispute: Dispute | None = None
    head: Head = EMPTY
    records: list[Recorded] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def take(self, recorded: Recorded, sequence: int) -> None:
        """Take in the next event. Raises BrokenLog for one that cannot follow."""
        event = recorded.event
        if isinstance(event, EvidenceAttached):
            self.places[event.number] = sequence
            event = event.model_copy(update={"content": None})
        kept = recorded._replace(event=event, line=b"")
        try:
            self.dispute = evolve(self.dispute, kept)
        except ValueError as error:
            raise BrokenLog(f"dispute {self.id!r} cannot be continued: {error}") from None
        self.records.append(kept)
        self.head = Head(recorded.version, sequence)


@dataclass(frozen=True, slots=True)
class Done:
    """A command that is recorded: the case as it stands and the events it made; `repeated` when it was before."""

    dispute: Dispute
    events: Sequence[Recorded]
    repeated: bool = False


class Desk:
    """The cases of a store. `rooms` are the tables they are about, `clock` gives the time for records."""

    def __init__(self, store: JetStreamStore, rooms: Rooms, clock: Callable[[], str], terms: Terms) -> None:
        self.store, self.rooms, self.clock, self.terms = store, rooms, clock, terms
        self._cases: OrderedDict[str, Case] = OrderedDict()
        self._register = Register(store)
        self._ruling = asyncio.Lock()
        self._raising: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def case(self, dispute_id: str) -> tuple[Dispute, Sequence[Recorded]]:
        """A case that exists, as its record has it now. Raises Refused, or a store error."""
        case = self._case(dispute_id)
        async with case.lock:
            await self._catch_up(case)
            if case.dispute is None:
                self._cases.pop(case.id, None)
                raise Refused(no_such_dispute())
            return case.dispute, tuple(case.records)

    async def evidence(self, dispute_id: str, number: int) -> EvidenceAttached:
        """A piece of evidence as it was recorded, with the content of a file. Raises Refused, a 404 problem, or a store error."""
        await self.case(dispute_id)
        place = self._case(dispute_id).places.get(number)
        if place is None:
            raise Problem(404, "no_such_evidence", f"There is no evidence {number} in this case.", "没有这份证据。")
        for stored in await self.store.fetch(self.store.layout.subject(dispute_id), place, 1):
            event = read(stored.data).event
            if isinstance(event, EvidenceAttached) and event.number == number:
                return event
        raise Unavailable(f"evidence {number} of dispute {dispute_id} cannot be read yet")

    async def others(self, dispute: Dispute) -> list[Ruled]:
        """What other cases ruled on the hand of this one, or on its whole table, the earliest first; all at the table where it names no
        hand. Raises a store error."""
        known = await self._register.about(dispute.raised.table)
        ruled = dispute.ruling.hand if dispute.ruling is not None else dispute.raised.hand
        return [
            each
            for each in known.rulings
            if each.dispute != dispute.id and (ruled is None or each.ruling.hand in {None, ruled})
        ]

    async def handle(self, dispute_id: str, table_id: str | None, order: Order) -> Done:
        """Carry out a command once, however often it is sent with the same key. `table_id` is that of a case to be raised.

        Raises Refused, Unreadable, Problem (stale version, key used for something else) or a store error.
        """
        case = self._case(dispute_id)
        async with case.lock:
            for _ in range(ATTEMPTS):
                done = await self._attempt(case, table_id, order)
                if done is not None:
                    return done
        raise Unavailable(f"others write to dispute {dispute_id} all the time")

    async def facts(self, table_id: str) -> TableFacts:
        """What is known of a table, as its record is now. Raises Refused when there is none."""
        room = await self.rooms.open(table_id)
        await self.rooms.refresh(room)
        return await asyncio.to_thread(table_facts, tuple(room.lines))

    async def _attempt(self, case: Case, table_id: str | None, order: Order) -> Done | None:
        """One try; None when somebody else was quicker."""
        await self._catch_up(case)
        before = _repeated(case, order)
        if before is not None:
            return before
        dispute = case.dispute
        if dispute is None and table_id is None:
            raise Refused(no_such_dispute())
        if order.if_match is not None and order.if_match != case.head.version:
            raise _stale(case.head.version)
        command = order.wish(dispute)
        about = dispute.raised.table if dispute is not None else str(table_id)
        async with self._turn(command, about):
            facts, last = await self._facts_for(command, about)
            time = max(self.clock(), dispute.time if dispute is not None else "")
            given = Given(time, f"{order.key}.{order.request}")
            happened = decide(dispute, case.id, command, facts, given, self.terms)
            return _done(case, happened) if await self._append(case, happened, last) else None

    def _turn(self, command: DeskCommand, table_id: str) -> AbstractAsyncContextManager[None]:
        """One after the other: cases that are raised about a table, as they are counted; and rulings, so that they do not conflict here."""
        if isinstance(command, Raise):
            return self._raising.setdefault(table_id, asyncio.Lock())
        return self._ruling if _looks_across(command) else nullcontext()

    async def _facts_for(self, command: DeskCommand, table_id: str) -> tuple[TableFacts, int | None]:
        """What a command is decided on; with a ruling that posts something, the end of the stream of all cases when it was read."""
        facts = await self.facts(table_id)
        if not _looks_across(command):
            return facts, None
        known = await self._register.about(table_id)
        told = replace(facts, earlier=tuple(each.ruling for each in known.rulings), brought=known.brought)
        return told, known.sequence if isinstance(command, Rule) else None

    async def _append(self, case: Case, happened: Sequence[Recorded], last: int | None = None) -> bool:
        """Record events; False when somebody else was quicker: in this case or, with `last`, in any."""
        events = [NewEvent(type_name(type(recorded.event)), recorded.line) for recorded in happened]
        try:
            head = await self.store.append(case.id, case.head, events, last=last)
        except Conflict:
            return False
        for recorded in happened:
            case.take(recorded, head.sequence)
        return True

    async def _catch_up(self, case: Case) -> None:
        """Read the stream until the case has everything that its leader has, and see that its last command is whole."""
        head = await self.store.head(case.id)
        if head.version < case.head.version:
            raise BrokenLog(f"dispute {case.id!r} ends at version {head.version}; it was at {case.head.version} before")
        deadline = asyncio.get_running_loop().time() + LAG
        while case.head.version < head.version:
            for record in await self.store.read(case.id, case.head.version, after_sequence=case.head.sequence):
                case.take(read(record.data), record.sequence)
            if case.head.version < head.version:
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable(f"dispute {case.id} has {head.version} events, but not all can be read")
                await asyncio.sleep(0.05)
        await self._finish(case)

    async def _finish(self, case: Case) -> None:
        """Record what a ruling asks for where only the ruling itself was recorded."""
        if case.dispute is None or case.dispute.due is None:
            return
        last = case.records[-1]
        log.warning("dispute %s: finishing the command of event %d, recorded in part", case.id, last.version)
        if not await self._append(case, finish(case.dispute, Given(last.time, last.command))):
            await self._catch_up(case)

    def _case(self, dispute_id: str) -> Case:
        if not TABLE_ID.fullmatch(dispute_id):
            raise Refused(no_such_dispute())
        case = self._cases.get(dispute_id)
        if case is None:
            idle = next((name for name, each in self._cases.items() if not each.lock.locked()), None)
            if len(self._cases) >= KEPT and idle is not None:
                del self._cases[idle]
            case = self._cases[dispute_id] = Case(dispute_id)
        self._cases.move_to_end(dispute_id)
        return case


def _looks_across(command: DeskCommand) -> bool:
    """Whether other cases about the table matter: how many a player has, and what was ruled on its hands before."""
    return isinstance(command, Raise) or (isinstance(command, Rule) and command.outcome != "upheld")


def _done(case: Case, events: Sequence[Recorded], *, repeated: bool = False) -> Done:
    if case.dispute is None:
        raise Refused(no_such_dispute())
    return Done(case.dispute, events, repeated)


def _repeated(case: Case, order: Order) -> Done | None:
    """The answer this key was given before. Raises a 422 problem when it was given for something else."""
    before = [each for each in case.records if each.command.rpartition(".")[0] == order.key]
    if not before:
        return None
    if before[0].command.rpartition(".")[2] != order.request:
        raise Problem(
            422,
            "idempotency_key_reused",
            "This Idempotency-Key was used in this case for another request. Use a new key for a new command.",
            "该 Idempotency-Key 已用于另一请求,请换一个。",
        )
    return _done(case, before, repeated=True)


def _stale(version: int) -> Problem:
    return Problem(
        409,
        "stale_version",
        f"The case is at version {version} by now. Look at it again, then decide anew.",
        f"该案已到第{version}个事件,请先刷新。",
        headers={"ETag": f'"{version}"'},
        version=version,
    )
