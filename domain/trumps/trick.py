"""Who wins a trick (T6.4 to T6.6)."""

from collections.abc import Sequence

from domain.trumps.filling import fill_from, full
from domain.trumps.order import TRUMPS, Order
from domain.trumps.parts import Shape, paired, runs_of
from domain.trumps.throwing import must_read_lead


def winner(order: Order, plays: Sequence[Sequence[str]]) -> int:
    """The place of the winning play among the plays of a trick in playing order; place 0 led. The trick may be unfinished.

    Raises Unreadable when the lead is of several suits.
    """
    lead = must_read_lead(order, plays[0])
    best, best_key = 0, (False, height(order, lead.shape, lead.cards) or 0)
    for place, cards in enumerate(plays[1:], 1):
        suit = order.common_suit(cards)
        if suit not in (lead.suit, TRUMPS) or len(cards) != lead.shape.size:
            continue
        reached = height(order, lead.shape, cards)
        key = (suit != lead.suit, reached or 0)
        if reached is not None and key > best_key:
            best, best_key = place, key
    return best


def height(order: Order, shape: Shape, cards: Sequence[str]) -> int | None:
    """How high cards of one suit count against a led shape: the strength of the highest card of what they set against its longest tractor,
    else against its pairs, else of the highest card (T6.6). None when they do not match the shape (T6.4).

    Where the cards can be laid out against the shape in several ways the highest counts.
    """
    pairs = paired(cards)
    runs = runs_of(order, pairs)
    if not shape.tractors:
        if len(pairs) < shape.pairs:
            return None
        return max(order.strength[card] for card in (pairs if shape.pairs else cards))
    longest = shape.tractors[0]
    rest = Shape(shape.tractors[1:], shape.pairs, shape.size - 2 * longest)
    for run in reversed(runs):
        if run.length >= longest:
            left = (*(other.length for other in runs if other is not run), run.length - longest)
            if fill_from(rest, left, len(pairs) - longest) == full(rest):
                return run.top
    return None
