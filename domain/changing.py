"""A named tuple with some fields changed, at half the price of `_replace`: tables and hands are changed by every event."""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

Fields = TypeVar("Fields", bound=tuple[Any, ...])


@cache
def _places(kind: Any) -> dict[str, int]:
    return {name: place for place, name in enumerate(kind._fields)}


def changed(value: Fields, changes: Mapping[str, Any]) -> Fields:
    """The named tuple with these fields changed. Raises KeyError for a field that it does not have."""
    kind: Any = type(value)
    places, fields = _places(kind), [*value]
    for name, new in changes.items():
        fields[places[name]] = new
    made: Fields = kind._make(fields)
    return made
