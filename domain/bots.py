"""Players that choose by themselves, for demonstrations, tests and filling seats. They see what their seat sees and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from domain.climbing import hand as climbing
from domain.climbing.bots import greedy_choice, random_choice
from domain.climbing.ruleset import Ruleset
from domain.climbing.tables import tables_for
from domain.hands import Hand
from domain.seats import SEATS, partner_of, side_of
from domain.table import Table
from domain.trumps import players as trumps
from schemas.commands import DealOn, HandCommand, Pass, Play, SeatCommand
from schemas.readings import Reading


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player to move goes by: the rules, the own cards, what must be beaten, and how near the others are to going out.

    `partner_leads`: the play to beat is the partner's; `opponents_left`: the cards of the opponent who has fewest.
    """

    ruleset: Ruleset
    seat: int
    holding: tuple[str, ...]
    lead: Reading | None
    partner_leads: bool
    opponents_left: int


AnySight = Sight | trumps.Sight
Draw = Callable[[int], int]
Bot = Callable[[AnySight, Draw], SeatCommand | None]
"""Chooses what a seat does, or None to wait; chance only through the second argument, which draws a number below n."""


def random_bot(sight: AnySight, draw: Draw) -> SeatCommand | None:
    """Any legal choice, passing where that is allowed among them."""
    if isinstance(sight, trumps.Sight):
        return trumps.random_act(sight, draw)
    return _play(sight.seat, random_choice(tables_for(sight.ruleset), sight.holding, sight.lead, draw))


def greedy_bot(sight: AnySight, draw: Draw) -> SeatCommand | None:
    """A sensible choice: it spares bombs and the partner, declares long suits, and leads what cannot be beaten."""
    if isinstance(sight, trumps.Sight):
        return trumps.sensible_act(sight, draw)
    cards = greedy_choice(
        tables_for(sight.ruleset),
        sight.holding,
        sight.lead,
        partner_leads=sight.partner_leads,
        opponents_left=sight.opponents_left,
    )
    return _play(sight.seat, cards)


def _play(seat: int, cards: tuple[str, ...] | None) -> SeatCommand:
    return Play(seat, cards) if cards else Pass(seat)


BOTS: Final[Mapping[str, Bot]] = MappingProxyType({"random": random_bot, "greedy": greedy_bot})
"""The bots by name."""


def choose(table: Table, bot: Bot, draw: Draw) -> HandCommand:
    """What happens next at a table that bots play at: while cards are dealt somebody declares or the deal goes on.

    Raises ValueError when nobody is to move.
    """
    hand = table.hand
    if hand is None or hand.over:
        raise ValueError(f"table {table.id}: nobody is to move")
    for seat in hand.waiting[:1] or SEATS:
        command = bot(sight_of(hand, seat), draw)
        if command is not None:
            return command
    return DealOn()


def sight_of(hand: Hand, seat: int) -> AnySight:
    """What the player on a seat goes by."""
    if not isinstance(hand, climbing.Hand):
        return trumps.sight_of(hand, seat)
    left = [len(hand.holdings[each]) for each in SEATS if side_of(each) != side_of(seat) and hand.holdings[each]]
    return Sight(
        hand.ruleset,
        seat,
        hand.holdings[seat],
        hand.lead,
        hand.best is not None and hand.best.seat == partner_of(seat),
        min(left, default=27),
    )
