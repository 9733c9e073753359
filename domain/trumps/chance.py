"""Legal choices at random, for bots that only know the rules: everything the rules leave open is drawn."""

from collections.abc import Callable, Sequence

from domain.trumps.bidding import Declaration
from domain.trumps.options import Cards, leads, low_first, obligations
from domain.trumps.order import Order
from domain.trumps.parts import Lead, without
from domain.trumps.ruleset import TrumpsRuleset

Draw = Callable[[int], int]
"""Draws a number from 0 to below n. All chance is passed in this way."""


def random_choice(open_to: Sequence[Declaration], draw: Draw) -> Declaration | None:
    """One of the declarations or counters that are open, or none of them."""
    chosen = draw(len(open_to) + 1)
    return open_to[chosen] if chosen < len(open_to) else None


def random_burial(ruleset: TrumpsRuleset, holding: Sequence[str], draw: Draw) -> Cards:
    """Cards to bury out of a holding that includes the kitty."""
    left = list(holding)
    return tuple(left.pop(draw(len(left))) for _ in range(ruleset.kitty_cards))


def random_lead(ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], failed: int, draw: Draw) -> Cards:
    """A lead: mostly of one part, sometimes any cards of one suit as a throw, while so many `failed` throws allow it (T5.6)."""
    if failed < ruleset.failed_throws and draw(8) == 0:
        suits = [order.suit[card] for card in holding]
        of_suit = list(order.of_suit(suits[draw(len(suits))], holding))
        return low_first(order, (of_suit.pop(draw(len(of_suit))) for _ in range(min(len(of_suit), 2 + draw(3)))))
    choices = leads(order, holding)
    return choices[draw(len(choices))]


def random_follow(order: Order, lead: Lead, holding: Sequence[str], draw: Draw) -> Cards:
    """A legal follow. There always is one (T6)."""
    held = order.of_suit(lead.suit, holding)
    if len(held) <= lead.shape.size:
        core = list(held)
        rest = [card for card in holding if order.suit[card] != lead.suit]
    else:
        ways = tuple(obligations(order, lead, holding))
        core = [card for card in ways[draw(len(ways))] for _ in range(2)]
        rest = without(held, core)
    while len(core) < lead.shape.size:
        core.append(rest.pop(draw(len(rest))))
    return low_first(order, core)
