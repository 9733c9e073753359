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
class DealOn:
    """Deal the next cards of a stepwise deal (T2.1). The table asks for it by itself."""


@dataclass(frozen=True, slots=True)
class Declare:
    """Declare trumps with these cards (亮主, T2.2)."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bury:
    """Bury these cards (扣底, T3.1)."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counter:
    """Counter the burial with this pair (反底, T3.2)."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decline:
    """Decline to declare after the last card (T2.1), or to counter when asked (T3.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table; during a hand this abandons it (逃跑)."""

    seat: int


@dataclass(frozen=True, slots=True)
class CommitSeed:
    """Commit to the seed of the next hand, so that players may add to it. The table asks for it by itself."""


@dataclass(frozen=True, slots=True)
class GiveSalt:
    """Add a text to the chance of the next hand."""

    seat: int
    salt: str


@dataclass(frozen=True, slots=True)
class TimeOut:
    """Do for this seat what the table does when its clock has run out at the time `at` (托管). The table asks for it by itself."""

    seat: int
    at: str


@dataclass(frozen=True, slots=True)
class Return:
    """Take over again from the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class VoteDissolve:
    """Ask to dissolve the table (解散), agree to it, or end the vote."""

    seat: int
    agree: bool


HandCommand = DealOn | Declare | Bury | Counter | Decline | Play | Pass | Leave
"""The commands that concern the hand being played."""
SeatCommand = Declare | Bury | Counter | Decline | Play | Pass
"""The commands by which a seat acts in a hand."""
Command = OpenTable | SeatPlayer | CommitSeed | GiveSalt | StartHand | HandCommand | TimeOut | Return | VoteDissolve
