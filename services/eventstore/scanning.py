"""Reading whatever can still be read of a stream, whole or damaged.

`tail` stops where an event is missing, since nobody may build on a log with a hole. Here the holes are what is looked for: a batched direct
get gives the next message that the server can read and passes over what it cannot, so the sequences of what comes tell what does not.
"""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final, NamedTuple

from services.eventstore.wire import StoredRecord

if TYPE_CHECKING:
    from services.eventstore.core import JetStreamStore

PAGE: Final = 5000
"""Messages asked for at once."""


class Hole(NamedTuple):
    """Sequences that the stream should hold and the server cannot give, first to last."""

    first: int
    last: int


class Scan:
    """One reading of a stream to the end it has when the reading begins. `holes` and `last` are right when it is over."""

    def __init__(self, store: "JetStreamStore") -> None:
        self.store: Final = store
        self.holes: list[Hole] = []
        self.last = 0

    async def pages(self) -> AsyncIterator[list[StoredRecord]]:
        """All events that can be read, in the order of the stream, in lists. Raises Unavailable, BrokenLog."""
        subject = f"{self.store.layout.prefix}.>"
        self.last = await self.store.last_sequence()
        at = 1
        while at <= self.last:
            found, _ = await self.store.direct({"next_by_subj": subject, "seq": at, "batch": PAGE})
            found = [record for record in found if record.sequence <= self.last]
            if not found:
                break
            for record in found:
                self._expect(at, record.sequence)
                at = record.sequence + 1
            yield found
        self._expect(at, self.last + 1)

    def _expect(self, sequence: int, came: int) -> None:
        if came > sequence:
            self.holes.append(Hole(sequence, came - 1))
