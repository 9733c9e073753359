"""Every event that is published, by its stored name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from schemas import events, trumps
from schemas.events import Event, type_name

EVENTS: Final[Mapping[str, type[Event]]] = MappingProxyType(
    {
        type_name(cls): cls
        for module in (events, trumps)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Event) and cls is not Event and cls.__module__ == module.__name__
    }
)
"""The newest shape of every event by its stored name. Older shapes become these by an upcaster."""
