"""The same match at a table that was opened otherwise."""

from collections.abc import Iterable
from typing import Any

from schemas.canonical import GENESIS
from schemas.envelope import Recorded, record
from schemas.events import TableOpened


def opened_with(match: Iterable[Recorded], **options: Any) -> list[Recorded]:
    """The events of a match with other options in the first; chained anew."""
    again: list[Recorded] = []
    for each in match:
        event = each.event
        if isinstance(event, TableOpened):
            chosen = event.options.model_copy(update=options)
            event = event.model_copy(update={"options": chosen})
        prev = again[-1].hash if again else GENESIS
        again.append(record(each.table, each.version, prev, each.time, each.command, event))
    return again
