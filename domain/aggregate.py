"""Tables as aggregates of the `eventsourcing` library: a thin shell around `decide` and `evolve`.

With any persistence module of the library (`PERSISTENCE_MODULE`) it reads and writes the very bytes that the services do. What it stores is
the recorded line, so a table written here continues there, chain and all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, StoredEvent

from domain.table import Given, Table, decide, evolve
from schemas.commands import Command
from schemas.envelope import Recorded, read_line
from schemas.events import type_name


@dataclass(frozen=True)
class TableEvent:
    """A recorded event as the library sees it: whose it is, which one, and the record itself."""

    originator_id: str
    originator_version: int
    recorded: Recorded


class TableMapper(Mapper[str]):
    """Stores the recorded line as it is, under the event's stored name, and upcasts when reading it back."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """The line of a TableEvent under its stored name."""
        if not isinstance(domain_event, TableEvent):
            raise TypeError(f"{type(domain_event).__name__} is not a TableEvent")
        recorded = domain_event.recorded
        return StoredEvent(recorded.table, recorded.version, type_name(type(recorded.event)), recorded.line)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[str]:
        """The event in its newest shape. Raises Unreadable for a line that is no event."""
        return _as_event(read_line(stored_event.state))


def _as_event(recorded: Recorded) -> TableEvent:
    return TableEvent(recorded.table, recorded.version, recorded)


def project(table: Table | None, events: Iterable[TableEvent]) -> Table | None:
    """Fold events into a table; the library's projector function."""
    for event in events:
        table = evolve(table, event.recorded)
    return table


class TableApplication(Application[str]):
    """An application of tables. `handle` decides on a command and saves what happened."""

    name = "tables"
    env: ClassVar[dict[str, str]] = {"MAPPER_TOPIC": "domain.aggregate:TableMapper"}

    def handle(self, table_id: str, command: Command, given: Given) -> tuple[Recorded, ...]:
        """Carry out a command at a table and give the events it made happen.

        Raises Refused or Unreadable with nothing saved, IntegrityError when somebody else was quicker.
        """
        try:
            table: Table | None = self.table(table_id)
        except AggregateNotFoundError:
            table = None
        happened = decide(table, table_id, command, given)
        self.save(*map(_as_event, happened))
        return happened

    def table(self, table_id: str, version: int | None = None) -> Table:
        """The table as it stands, or stood after so many events. Raises AggregateNotFoundError."""
        return self.repository.get(table_id, version=version, projector_func=project)
