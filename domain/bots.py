"""Players that choose by themselves, for demonstrations, tests and filling seats. They see what their seat sees and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from domain.climbing.bots import greedy_choice, random_choice
from domain.climbing.ruleset import Ruleset
from domain.climbing.tables import tables_for
from domain.seats import SEATS, partner_of, side_of
from domain.table import Table
from schemas.commands import HandCommand, Pass, Play
from schemas.readings import Reading


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player to move goes by: the rules, the own cards, what must be beaten, and how near the others are to going out.

    `partner_leads`: the play to beat is the partner's; `opponents_left`: the cards of the opponent who has fewest.
    """

    ruleset: Ruleset
    holding: tuple[str, ...]
    lead: Reading | None
    partner_leads: bool
    opponents_left: int


Draw = Callable[[int], int]
Bot = Callable[[Sight, Draw], tuple[str, ...] | None]
"""Chooses cards to play, or None to pass; chance only through the second argument, which draws a number below n."""


def random_bot(sight: Sight, draw: Draw) -> tuple[str, ...] | None:
    """Any legal play, or a pass where passing is allowed, all equally likely."""
    return random_choice(tables_for(sight.ruleset), sight.holding, sight.lead, draw)


def greedy_bot(sight: Sight, draw: Draw) -> tuple[str, ...] | None:  # noqa: ARG001 - it leaves nothing to chance
    """A sensible play that spares bombs and the partner."""
    return greedy_choice(
        tables_for(sight.ruleset),
        sight.holding,
        sight.lead,
        partner_leads=sight.partner_leads,
        opponents_left=sight.opponents_left,
    )


BOTS: Final[Mapping[str, Bot]] = MappingProxyType({"random": random_bot, "greedy": greedy_bot})
"""The bots by name."""


def choose(table: Table, bot: Bot, draw: Draw) -> HandCommand:
    """What a bot does at a table for the seat to move. Raises ValueError when nobody is to move."""
    hand = table.hand
    if hand is None or hand.turn is None:
        raise ValueError(f"table {table.id}: nobody is to move")
    seat, best = hand.turn, hand.best
    left = [len(hand.holdings[each]) for each in SEATS if side_of(each) != side_of(seat) and hand.holdings[each]]
    sight = Sight(
        hand.ruleset,
        hand.holdings[seat],
        hand.lead,
        best is not None and best.seat == partner_of(seat),
        min(left, default=27),
    )
    cards = bot(sight, draw)
    return Play(seat, cards) if cards else Pass(seat)
