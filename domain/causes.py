"""From events back to commands: what somebody must have asked for, that this happened."""

from collections.abc import Sequence
from typing import Any, Final

from domain.seats import SEATS
from schemas.commands import (
    Bury,
    Command,
    CommitSeed,
    Counter,
    DealOn,
    Declare,
    Decline,
    GiveSalt,
    Leave,
    OpenTable,
    Pass,
    Play,
    Return,
    SeatPlayer,
    StartHand,
    TimeOut,
    VoteDissolve,
)
from schemas.envelope import Recorded
from schemas.events import (
    DissolveVoted,
    Event,
    HandAbandoned,
    HandStarted,
    Passed,
    Played,
    PlayerLeft,
    PlayerReturned,
    PlayerSeated,
    SaltGiven,
    SeedCommitted,
    TableOpened,
    TimedOut,
    type_name,
)
from schemas.notation import ORDER
from schemas.trumps import (
    CardsDealt,
    CardsPlayed,
    CounterDeclined,
    DeclarationDeclined,
    HandEscaped,
    KittyBuried,
    KittyCountered,
    ThrowFailed,
    TrumpDeclared,
)

PASSED: Final = type_name(Passed)
DEALT: Final = type_name(CardsDealt)
PLAYED: Final = frozenset((type_name(Played), type_name(CardsPlayed), type_name(ThrowFailed)))
DECLINED: Final = frozenset((type_name(DeclarationDeclined), type_name(CounterDeclined)))
"""Stored names of the first events of passing, dealing on, playing and declining."""


def command_of(events: Sequence[Recorded]) -> Command | None:
    """The command that made these events, at least its first; None where no command begins like this."""
    first = events[0].event
    if (
        isinstance(first, PlayerReturned) and len(events) > 1
    ):  # who acts while the table plays for them takes over by that
        return _command_in_hand(events[1].event)
    match first:
        case TableOpened():
            return OpenTable(first.ruleset, first.ruleset_version, first.options)
        case PlayerSeated():
            return SeatPlayer(first.player, first.seat)
        case HandStarted():
            return StartHand()
        case HandAbandoned() | HandEscaped() | PlayerLeft():
            return Leave(first.seat)
        case TimedOut():
            return TimeOut(first.seat, events[0].time)
        case _:
            return _command_at_table(first) or _command_in_hand(first)


def command_of_line(name: str, data: Any) -> Command | None:
    """The command behind most events of a hand, told from the stored name and the bare data of the first; None for all others.

    It trusts nothing and says nothing of the other fields: whoever decides it must compare what comes out.
    """
    if name == DEALT:
        return DealOn()
    if type(data) is not dict:
        return None
    seat = data.get("seat")
    if type(seat) is not int or seat not in SEATS:
        return None
    if name in PLAYED:
        return _play_of(seat, data.get("cards"))
    if name == PASSED:
        return Pass(seat)
    return Decline(seat) if name in DECLINED else None


def _play_of(seat: int, cards: Any) -> Play | None:
    try:
        return Play(seat, tuple(cards)) if type(cards) is list and ORDER.keys() >= set(cards) else None
    except TypeError:  # what cannot be in a set is no card
        return None


def _command_at_table(event: Event) -> Command | None:
    match event:
        case SeedCommitted():
            return CommitSeed()
        case SaltGiven():
            return GiveSalt(event.seat, event.salt)
        case PlayerReturned():
            return Return(event.seat)
        case DissolveVoted():
            return VoteDissolve(event.seat, event.agree)
        case CardsDealt():
            return DealOn()
        case _:
            return None


def _command_in_hand(event: Event) -> Command | None:
    match event:
        case Played() | CardsPlayed() | ThrowFailed():
            return Play(event.seat, event.cards)
        case Passed():
            return Pass(event.seat)
        case TrumpDeclared():
            return Declare(event.seat, event.cards)
        case DeclarationDeclined() | CounterDeclined():
            return Decline(event.seat)
        case KittyBuried():
            return Bury(event.seat, event.cards)
        case KittyCountered():
            return Counter(event.seat, event.cards)
        case _:
            return None
