"""What a table does by itself, and when: commit to a seed, deal on, and act for who is away or out of time.

Nothing here reads a clock. Whoever keeps a table asks what is due, waits until then, and gives the command like anybody's.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.table import Table
from schemas.commands import Command, CommitSeed, DealOn, TimeOut

AWAY: Final = timedelta(seconds=1)
"""How long the table waits before it acts for a player who is away, so that others can follow what happens."""


@dataclass(frozen=True, slots=True)
class Due:
    """A command that the table gives by itself, at this time at the earliest (UTC with milliseconds)."""

    command: Command
    at: str


def due(table: Table) -> Due | None:
    """The next command that the table gives by itself if nobody else does anything, None when it waits for others."""
    if table.closed:
        return None
    if not table.playing:
        wanted = table.options.salts and table.commitment is None
        return Due(CommitSeed(), table.time) if wanted else None
    if not table.waiting:
        return Due(DealOn(), _later(table.turned, timedelta(milliseconds=table.options.deal_pace)))
    seconds = table.options.turn_seconds
    if seconds is None:
        return None
    for seat in table.waiting:
        if table.is_away(seat):
            at = _later(table.turned, min(AWAY, timedelta(seconds=seconds)))
            return Due(TimeOut(seat, at), at)
    at = _later(table.turned, timedelta(seconds=seconds))
    return Due(TimeOut(table.waiting[0], at), at)


def _later(time: str, by: timedelta) -> str:
    return f"{(datetime.fromisoformat(time) + by).isoformat(timespec='milliseconds')[:23]}Z"
