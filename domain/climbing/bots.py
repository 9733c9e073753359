"""Two players for demonstrations, simulations and load: one plays any legal play, one plays sensibly.

Neither sees more than a player at the table sees. Chance comes in only as `draw(n)`, a number from 0 to n - 1.
"""

from collections.abc import Callable, Sequence
from typing import Final

from domain.cards import RANK_INDEX, Counts, counts_of, pick
from domain.climbing.options import Option, cost
from domain.climbing.tables import Tables
from schemas.readings import Reading

_NEAR_THE_END: Final = 8
"""With so few cards an opponent is about to go out, and it is time for bombs."""

_RANKS_A_CARD: Final = 3
"""How many ranks lower a lead looks to the sensible player for each card that it sheds."""


def random_choice(
    tables: Tables, holding: Sequence[str], lead: Reading | None, draw: Callable[[int], int]
) -> tuple[str, ...] | None:
    """Any legal play, each set of ranks with equal chance; when following, passing (None) is one more of them."""
    options = tables.options(counts_of(holding), lead)
    chosen = draw(len(options) + (lead is not None))
    return pick(holding, options[chosen].counts) if chosen < len(options) else None


def greedy_choice(
    tables: Tables,
    holding: Sequence[str],
    lead: Reading | None,
    *,
    partner_leads: bool = False,
    opponents_left: int = 27,
) -> tuple[str, ...] | None:
    """A sensible play, or None to pass: goes out when it can, sheds cards early, leaves the partner's play alone, saves bombs.

    `partner_leads`: the play to beat is the partner's; `opponents_left`: the cards of the opponent who has fewest.
    """
    counts = counts_of(holding)
    hints = tables.hints(counts, lead)
    for option in hints:
        if option.counts == counts:
            return tuple(holding)
    if lead is None:
        return pick(holding, min(hints, key=lambda option: _lead_cost(tables, counts, option)).counts)
    if partner_leads or not hints:
        return None
    urgent = opponents_left <= _NEAR_THE_END or len(holding) <= _NEAR_THE_END
    if _is_costly(tables, counts, hints[0]) and not urgent:
        return None
    return pick(holding, hints[0].counts)


def _is_costly(tables: Tables, holding: Counts, option: Option) -> bool:
    return any(cost(tables.ruleset, holding, option))


def _lead_cost(tables: Tables, holding: Counts, option: Option) -> tuple[bool, int]:
    reading = option.reading
    return (_is_costly(tables, holding, option), RANK_INDEX[reading.rank] - _RANKS_A_CARD * reading.cards)
