"""What a player or an operator may ask of a table. Commands are wishes; the table decides what happens."""

from dataclasses import dataclass, field

from schemas.events import TableOptions


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open a table for one ruleset; `version` None means its newest version."""

    ruleset: str
    version: int | None = None
    options: TableOptions = field(default_factory=TableOptions)


@dataclass(frozen=True, slots=True)
class SeatPlayer:
    """Give a player a seat; `seat` None means the first that is free."""

    player: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class StartHand:
    """Shuffle and deal the next hand."""


@dataclass(frozen=True, slots=True)
class Play:
    """Play these cards from a seat."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass from a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table; during a hand this abandons it (逃跑)."""

    seat: int


Command = OpenTable | SeatPlayer | StartHand | Play | Pass | Leave
HandCommand = Play | Pass | Leave
"""The commands that concern the hand being played."""
