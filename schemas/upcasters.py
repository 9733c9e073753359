"""Old shapes of events to the next shape: pure functions on the `data` of an event, one step each.

`UPCASTERS` maps a stored name that is no longer written to the name it becomes and the function that makes its data. Chains are
followed to the end, so each step is written once and stays for ever.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from schemas.notation import Unreadable

Data = dict[str, Any]
Upcaster = tuple[str, Callable[[Data], Data]]

NEW_OPTIONS: Final[Data] = {
    "level": None,
    "turn_seconds": None,
    "partner_after_out": False,
    "delayed": None,
    "salts": False,
    "deal_step": 4,
    "deal_pace": 250,
    "fee": "0",
}


def _with_options(data: Data) -> Data:
    """Tables of before could not choose these; nothing about them was different from what these values mean.

    Raises Unreadable for what says that it is of before and has one of them.
    """
    options = data["options"] if isinstance(data.get("options"), dict) else {}
    for name in NEW_OPTIONS:
        if name in options:
            raise Unreadable(f"data.options.{name}: table-opened.v1 has no such option")
    return {**data, "options": {**NEW_OPTIONS, **options}}


UPCASTERS: Final[Mapping[str, Upcaster]] = MappingProxyType(
    {"shuangkou.table-opened.v1": ("shuangkou.table-opened.v2", _with_options)}
)
"""Stored name -> (next stored name, how its data changes)."""


def upcast(type_name: str, data: Data, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> tuple[str, Data]:
    """The newest stored name and data of an event that may be of an older shape. The argument is not changed.

    Raises Unreadable for data that its shape cannot have.
    """
    while type_name in upcasters:
        type_name, step = upcasters[type_name]
        data = step(dict(data))
    return type_name, data
