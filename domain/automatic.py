"""What the table does for a seat whose clock ran out (托管): as little as the rules allow, and always the same."""

from typing import assert_never

from domain.climbing import hand as climbing
from domain.hands import Hand
from domain.trumps import hand as trumps
from domain.trumps.options import follows
from domain.trumps.order import POINTS, TRUMPS
from domain.trumps.throwing import must_read_lead
from schemas.commands import Bury, Decline, Pass, Play, SeatCommand
from schemas.notation import ORDER, RANKS, rank_of


def automatic(hand: Hand, seat: int) -> SeatCommand:
    """Pass or lead the lowest card; in trump games decline, bury what counts least, lead or follow as low as possible.

    Raises ValueError for a seat that the hand does not wait for.
    """
    if seat not in hand.waiting:
        raise ValueError(f"hand {hand.number}: it does not wait for seat {seat}")
    return _climbing(hand, seat) if isinstance(hand, climbing.Hand) else _trumps(hand, seat)


def _climbing(hand: climbing.Hand, seat: int) -> SeatCommand:
    if hand.best is not None:
        return Pass(seat)
    lowest = min(hand.holdings[seat], key=lambda card: (RANKS.index(rank_of(card)), ORDER[card]))
    return Play(seat, (lowest,))


def _trumps(hand: trumps.Hand, seat: int) -> SeatCommand:
    phase = hand.phase
    match phase:
        case "declaring" | "countering":
            return Decline(seat)
        case "burying":
            return Bury(seat, _lowest(hand, seat)[: hand.ruleset.kitty_cards])
        case "playing" if hand.trick:
            lead = must_read_lead(hand.order, hand.trick[0].cards)
            return Play(seat, next(follows(hand.order, lead, hand.holdings[seat])))
        case "playing":
            return Play(seat, _lowest(hand, seat)[:1])
        case "dealing" | "over":
            raise ValueError(f"hand {hand.number}: nobody is to act while it is {phase}")
        case _:
            assert_never(phase)


def _lowest(hand: trumps.Hand, seat: int) -> tuple[str, ...]:
    """The cards of a seat: plain suits before trumps, what counts nothing before points, low before high."""
    order = hand.order
    return tuple(
        sorted(
            hand.holdings[seat],
            key=lambda card: (order.suit[card] == TRUMPS, POINTS[card], order.strength[card], ORDER[card]),
        )
    )
