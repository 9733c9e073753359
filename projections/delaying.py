"""How far somebody who looks late may see: all hands, but only what happened a while ago.

A table says how late (`options.delayed`): so many events, or `hand`, which is until the hand is over. When no hand is played nothing is
hidden from anybody, so then a late viewer is as far as everyone.
"""

from domain.table import Table


def calm_after(calm: int, table: Table) -> int:
    """The version of the last event after which no hand was being played, given the one before and the table after one more event."""
    return calm if table.playing else table.version


def visible_version(table: Table, calm: int) -> int:
    """The last event that a late viewer may see, of a table as it stands now; `calm` is what `calm_after` says of it.

    It never falls while the table goes on, and of a table without the option it ends where the hand began.
    """
    if not table.playing:
        return table.version
    delay = table.options.delayed
    return max(calm, table.version - delay) if isinstance(delay, int) else calm
