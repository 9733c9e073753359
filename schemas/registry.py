"""Every event that is published, by its stored name, and which kind of record holds it."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final, Literal

from schemas import disputes, events, trumps
from schemas.disputes import AccessLogged, TokenGiven
from schemas.events import Event, type_name

Kind = Literal["tables", "disputes", "access"]
"""What a record is of, and with what its `source` begins: a table, a dispute, or the looks that were taken at a table."""


def _events(*modules: ModuleType) -> dict[str, type[Event]]:
    return {
        type_name(cls): cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Event) and cls is not Event and cls.__module__ == module.__name__
    }


EVENTS: Final[Mapping[str, type[Event]]] = MappingProxyType(_events(events, trumps, disputes))
"""The newest shape of every event by its stored name. Older shapes become these by an upcaster."""


_KIND: Final[Mapping[type[Event], Kind]] = MappingProxyType(
    {cls: "access" if cls in {AccessLogged, TokenGiven} else "disputes" for cls in _events(disputes).values()}
)


def kind_of(event: type[Event]) -> Kind:
    """Which kind of record holds events of this class."""
    return _KIND.get(event, "tables")
