"""The rules of following written down as slowly and obviously as they are stated (T6.1 to T6.4): the measure for the real code.

It shares nothing with it but suits and strengths: plays are found by trying every one, fillings by trying every way.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from domain.trumps.order import LADDER, Order

Fill = tuple[tuple[tuple[int, ...], ...], int]


def all_plays(holding: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """Every set of so many cards of a holding, written in alphabetical order."""
    return {tuple(sorted(cards)) for cards in combinations(holding, size)}


def led_shape(order: Order, lead: Sequence[str]) -> tuple[list[int], int]:
    """Lengths of the led tractors, longest first, and the number of other pairs (T5.7)."""
    pairs = {card for card in lead if lead.count(card) == 2}
    lengths: list[int] = []
    while True:
        tractor = max(_tractors(order, pairs), key=len, default=())
        if not tractor:
            return sorted(lengths, reverse=True), len(pairs)
        lengths.append(len(tractor))
        pairs -= set(tractor)


def _tractors(order: Order, pairs: set[str]) -> Iterator[tuple[str, ...]]:
    rungs = {order.strength[card]: card for card in pairs if order.strength[card] < LADDER}
    for low in rungs:
        for high in range(low + 1, LADDER):
            if all(rung in rungs for rung in range(low, high + 1)):
                yield tuple(rungs[rung] for rung in range(low, high + 1))


def best_fill(order: Order, lead: Sequence[str], cards: Sequence[str]) -> Fill:
    """The best filling of the led shape from these cards of one suit (T6.3)."""
    tractors, pairs = led_shape(order, lead)
    have = {card for card in cards if cards.count(card) == 2}
    return max(_fills(order, tractors, pairs, have))


def _fills(order: Order, tractors: list[int], wanted: int, have: set[str]) -> Iterator[Fill]:
    if not tractors:
        yield (), min(wanted, len(have))
        return
    for used, left in _uses(order, tractors[0], have):
        for more, pairs in _fills(order, tractors[1:], wanted + tractors[0] - sum(used), left):
            yield (used, *more), pairs


def _uses(order: Order, room: int, have: set[str]) -> Iterator[tuple[tuple[int, ...], set[str]]]:
    """Every way to put tractors into the room of one led tractor: their lengths, longest first, and the pairs left."""
    yield (), have
    for tractor in _tractors(order, have):
        if len(tractor) <= room:
            for used, left in _uses(order, room - len(tractor), have - set(tractor)):
                yield tuple(sorted((len(tractor), *used), reverse=True)), left


def legal_follows(order: Order, lead: Sequence[str], holding: Sequence[str]) -> set[tuple[str, ...]]:
    """Every play that obeys: as many cards of the suit as can be, and no play fills the led shape better."""
    suit = order.suit[lead[0]]

    def obeys(cards: Sequence[str]) -> tuple[int, Fill]:
        of_suit = [card for card in cards if order.suit[card] == suit]
        enough = sum(order.suit[card] == suit for card in holding) > len(lead)
        return len(of_suit), best_fill(order, lead, of_suit) if enough else ((), 0)

    plays = {cards: obeys(cards) for cards in all_plays(holding, len(lead))}
    best = max(plays.values())
    return {cards for cards, reached in plays.items() if reached == best}


def best_height(order: Order, lead: Sequence[str], cards: Sequence[str]) -> int | None:
    """How high cards of one suit count against a lead, the best of all ways to lay them out; None if none has the shape (T6.4, T6.6)."""
    tractors, pairs = led_shape(order, lead)
    have = {card for card in cards if cards.count(card) == 2}
    if not tractors:
        counted = have if pairs else set(cards)
        return max(order.strength[card] for card in counted) if len(have) >= pairs else None
    rest = (tuple((length,) for length in tractors[1:]), pairs)
    return max(
        (
            max(order.strength[card] for card in tractor)
            for tractor in _tractors(order, have)
            if len(tractor) == tractors[0] and rest in _fills(order, tractors[1:], pairs, have - set(tractor))
        ),
        default=None,
    )


def is_subset(cards: Sequence[str], holding: Sequence[str]) -> bool:
    """Whether the holding has all these cards."""
    return not Counter(cards) - Counter(holding)
