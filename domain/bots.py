"""Players that choose by themselves, for demonstrations, tests and filling seats. They see what their seat sees and nothing else."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from domain.climbing import bots as climbing
from domain.climbing.hand import Hand
from domain.climbing.tables import tables_for
from domain.table import Table
from schemas.commands import HandCommand, Pass, Play

Bot = Callable[[Table, Callable[[int], int]], HandCommand]
"""Chooses a legal command for the seat to move; chance only through the second argument, which draws a number below n."""


def _hand(table: Table) -> tuple[Hand, int]:
    if table.hand is None or table.hand.turn is None:
        raise ValueError(f"table {table.id}: nobody is to move")
    return table.hand, table.hand.turn


def random_bot(table: Table, draw: Callable[[int], int]) -> HandCommand:
    """Any legal play, or a pass where passing is allowed, all equally likely."""
    hand, seat = _hand(table)
    cards = climbing.random_choice(tables_for(hand.ruleset), hand.holdings[seat], hand.lead, draw)
    return Play(seat, cards) if cards else Pass(seat)


BOTS: Final[Mapping[str, Bot]] = MappingProxyType({"random": random_bot})
"""The bots by name."""
