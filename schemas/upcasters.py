"""Old shapes of events to the next shape: pure functions on the `data` of an event, one step each.

`UPCASTERS` maps a stored name that is no longer written to the name it becomes and the function that makes its data. Chains are
followed to the end, so each step is written once and stays for ever.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

Data = dict[str, Any]
Upcaster = tuple[str, Callable[[Data], Data]]

UPCASTERS: Final[Mapping[str, Upcaster]] = MappingProxyType({})
"""Stored name -> (next stored name, how its data changes). Empty while every event is at its first version."""


def upcast(type_name: str, data: Data, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> tuple[str, Data]:
    """The newest stored name and data of an event that may be of an older shape. The argument is not changed."""
    while type_name in upcasters:
        type_name, step = upcasters[type_name]
        data = step(dict(data))
    return type_name, data
