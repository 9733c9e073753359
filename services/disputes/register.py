"""What the desk must know across cases: which there are about a table, and what was ruled about it.

It is read from the stream of all cases, not from the lists, which may lag. What was read is remembered, so that asking again costs only
what came since.
"""

import asyncio
from collections import defaultdict
from typing import Final, Literal, NamedTuple

from domain.dispute import Brought
from schemas.disputes import DisputeRaised, DisputeWithdrawn, RulingGiven
from schemas.envelope import Recorded, read_line
from schemas.events import type_name
from schemas.notation import Unreadable
from services.eventstore.core import JetStreamStore, StoredRecord
from services.eventstore.errors import BrokenLog, Unavailable

TOLD_BY: Final = frozenset(type_name(each) for each in (DisputeRaised, DisputeWithdrawn, RulingGiven))
"""The events that say it; evidence, which is most of the stream, is not even taken apart."""
PAGE: Final = 100
"""Events read at once; one of them may have 55 KB."""
PATIENCE: Final = 20.0
"""Seconds to read. What was read by then is kept, and the next to ask goes on from there."""


class Ruled(NamedTuple):
    """A ruling: in which case it was given, when, and what it says."""

    dispute: str
    time: str
    ruling: RulingGiven


class Known(NamedTuple):
    """The cases about a table and the rulings in them, as of the event of the stream with this sequence."""

    sequence: int
    brought: tuple[Brought, ...]
    rulings: tuple[Ruled, ...]


class Register:
    """All cases of a store, by table."""

    def __init__(self, store: JetStreamStore) -> None:
        self._store = store
        self._sequence = 0
        self._tables: dict[str, str] = {}
        self._brought: dict[str, dict[str, Brought]] = defaultdict(dict)
        self._rulings: dict[str, list[Ruled]] = defaultdict(list)
        self._reading = asyncio.Lock()

    async def about(self, table: str) -> Known:
        """What is known of a table, with all that the leader of the stream has now. Raises a store error."""
        async with self._reading:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._read()
            except TimeoutError:
                raise Unavailable(f"the stream of disputes could not be read within {PATIENCE:g} s") from None
            brought = tuple(self._brought.get(table, {}).values())
            return Known(self._sequence, brought, tuple(self._rulings.get(table, ())))

    async def _read(self) -> None:
        async for records in self._store.tail(self._sequence, batch=PAGE, live=False):
            for record in records:
                self._take(record)

    def _take(self, stored: StoredRecord) -> None:
        """Take in the next event of the stream."""
        if stored.topic in TOLD_BY:
            recorded = read(stored.data)
            event = recorded.event
            if isinstance(event, DisputeRaised):
                self._tables[stored.key] = event.table
                self._brought[event.table][stored.key] = Brought(event.player, recorded.time)
            elif isinstance(event, RulingGiven):
                self._rulings[event.table].append(Ruled(stored.key, recorded.time, event))
                self._end(stored.key, "ruled")
            else:
                self._end(stored.key, "withdrawn")
        self._sequence = stored.sequence

    def _end(self, dispute: str, how: Literal["ruled", "withdrawn"]) -> None:
        table = self._tables.get(dispute)
        if table is None:
            raise BrokenLog(f"dispute {dispute!r} is {how}, but it was never raised")
        self._brought[table][dispute] = self._brought[table][dispute]._replace(ended=how)


def read(line: bytes) -> Recorded:
    """An event of a case. Raises BrokenLog for what is none."""
    try:
        return read_line(line, "disputes")
    except Unreadable as error:
        raise BrokenLog(f"the stream of disputes holds what is no event of one: {error}") from None
