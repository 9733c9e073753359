"""What may be played: the leads of one part (T5.1) and every legal follow (T6)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from domain.trumps.filling import filling
from domain.trumps.order import LADDER, Order
from domain.trumps.parts import Lead, paired, runs_of, without
from schemas.notation import ORDER

Cards = tuple[str, ...]


def leads(order: Order, holding: Sequence[str]) -> tuple[Cards, ...]:
    """Every lead of one part, once each: singles, pairs, tractors of every length. Any cards of one suit may be thrown besides (T5.3)."""
    singles = [(card,) for card in order.sorted(set(holding))]
    pairs = order.sorted(paired(holding))
    tractors = [
        tuple(card for card in window for _ in range(2))
        for suit in dict.fromkeys(order.suit[card] for card in pairs)
        for window in _windows(order, [card for card in pairs if order.suit[card] == suit])
    ]
    return (*singles, *((card, card) for card in pairs), *tractors)


def _windows(order: Order, pairs: Sequence[str]) -> Iterator[Cards]:
    """Every tractor that pairs of one suit form, long or short, each pair named by one card."""
    at_rung = {order.strength[card]: card for card in pairs}
    for run in runs_of(order, pairs):
        for length in range(2, run.length + 1):
            for low in range(run.low, run.top - length + 2):
                yield tuple(at_rung[rung] for rung in range(low, low + length))


def follows(order: Order, lead: Lead, holding: Sequence[str]) -> Iterator[Cards]:
    """Every legal follow, once each, cards from low to high. There may be very many: take as many as are needed.

    The plays are built, not searched for: first the tractors and pairs that T6.2 asks for in each possible way, then any other cards.
    """
    held = order.of_suit(lead.suit, holding)
    if len(held) <= lead.shape.size:
        others = [card for card in holding if order.suit[card] != lead.suit]
        for extra in _choices(low_first(order, others), lead.shape.size - len(held)):
            yield low_first(order, (*held, *extra))
        return
    seen: set[Cards] = set()
    for pairs in obligations(order, lead, holding):
        core = [card for card in pairs for _ in range(2)]
        rest = low_first(order, without(held, core))
        for extra in _choices(rest, lead.shape.size - len(core)):
            play = low_first(order, (*core, *extra))
            if play not in seen:
                seen.add(play)
                yield play


def obligations(order: Order, lead: Lead, holding: Sequence[str]) -> Iterator[Cards]:
    """Each way to choose the pairs that must be played (each named by one card) by a holding with more cards of the suit than needed."""
    held = order.of_suit(lead.suit, holding)
    must = filling(order, lead.shape, held)
    pairs = paired(held)
    lengths = sorted((length for used in must.tractors for length in used), reverse=True)
    for tractors in _disjoint_tractors(order, pairs, lengths, -1):
        left = sorted(set(pairs) - set(tractors), key=lambda card: (order.strength[card], ORDER[card]))
        for chosen in combinations(left, must.pairs):
            yield (*tractors, *chosen)


def _disjoint_tractors(order: Order, pairs: Iterable[str], lengths: Sequence[int], after: int) -> Iterator[Cards]:
    """Ways to cut tractors of these lengths, longest first, out of the pairs; of equal lengths each begins above the one before."""
    if not lengths:
        yield ()
        return
    at_rung = {order.strength[card]: card for card in pairs if order.strength[card] < LADDER}
    for low in sorted(at_rung):
        rungs = range(low, low + lengths[0])
        if low <= after or not all(rung in at_rung for rung in rungs):
            continue
        window = tuple(at_rung[rung] for rung in rungs)
        beyond = rungs[-1] if lengths[1:2] == [lengths[0]] else -1
        for more in _disjoint_tractors(order, set(pairs) - set(window), lengths[1:], beyond):
            yield (*window, *more)


def _choices(cards: Cards, number: int) -> Iterator[Cards]:
    """Every set of so many of the cards, once each; the cards must be sorted so that equal ones stand together."""
    if number == 0:
        yield ()
        return
    for at in range(len(cards) - number + 1):
        if at == 0 or cards[at] != cards[at - 1]:
            for more in _choices(cards[at + 1 :], number - 1):
                yield (cards[at], *more)


def low_first(order: Order, cards: Iterable[str]) -> Cards:
    """From low to high, of equal cards the first in notation order first."""
    return tuple(sorted(cards, key=lambda card: (order.strength[card], ORDER[card])))
