"""From events back to commands: what somebody must have asked for, that this happened."""

from schemas.commands import Command, Leave, OpenTable, Pass, Play, SeatPlayer, StartHand
from schemas.events import (
    Event,
    HandAbandoned,
    HandStarted,
    Passed,
    Played,
    PlayerLeft,
    PlayerSeated,
    TableOpened,
)


def command_of(event: Event) -> Command | None:
    """The command whose first event this is, None where no command begins with it."""
    match event:
        case TableOpened():
            return OpenTable(event.ruleset, event.ruleset_version, event.options)
        case PlayerSeated():
            return SeatPlayer(event.player, event.seat)
        case HandStarted():
            return StartHand()
        case Played():
            return Play(event.seat, event.cards)
        case Passed():
            return Pass(event.seat)
        case HandAbandoned() | PlayerLeft():
            return Leave(event.seat)
        case _:
            return None
