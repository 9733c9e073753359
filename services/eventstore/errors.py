"""What can go wrong with the store, told apart by what the caller should do next."""

from typing import NamedTuple


class Head(NamedTuple):
    """Where a table stands: the version of its last event and that event's place in the stream. (0, 0) is an empty table."""

    version: int
    sequence: int


EMPTY = Head(0, 0)


class StoreError(Exception):
    """Any fault of the event store."""


class Conflict(StoreError):
    """Somebody else wrote to the table first; `head` is where it stands now. Read the new events and decide again."""

    def __init__(self, subject: str, head: Head) -> None:
        super().__init__(f"{subject} has moved on to version {head.version}: read it again and decide anew")
        self.subject, self.head = subject, head


class Unavailable(StoreError):
    """The store cannot be reached. Not `unknown`: nothing was written. `unknown`: it may have been; repeat the same append to learn."""

    def __init__(self, why: str, *, unknown: bool = False) -> None:
        tail = (
            "it may or may not be recorded, send the same append again to find out"
            if unknown
            else "nothing was recorded"
        )
        super().__init__(f"NATS event store unavailable: {why}; {tail}")
        self.why, self.unknown = why, unknown


class TooLarge(StoreError):
    """An event, or the number of events in one append, is over what the server takes. Nothing was written."""


class StorageFull(StoreError):
    """The server has no room left; give it disk space (or a larger `max_file_store`) and try again.

    A single event was not written. Of several, nats-server 2.15.1 may have kept the first ones when its limit was met in the middle of
    the batch: read the table before you decide what to do.
    """


class WrongServer(StoreError):
    """The server is too old, or does not sync to disk before it answers."""


class WrongStream(StoreError):
    """The stream exists with other settings. It was left as it is."""


class BrokenLog(StoreError):
    """The stream is not the log it was: events missing, sequence rewound, or messages that this store did not write."""
