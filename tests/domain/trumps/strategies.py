"""Random orders, leads and holdings for the properties, rich in pairs on neighbouring rungs of the suit led."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from domain.trumps.order import Order, order_of
from domain.trumps.ruleset import LEVELS
from schemas.notation import CARDS, PACK, SUITS

orders: SearchStrategy[Order] = st.builds(order_of, st.sampled_from(LEVELS), st.sampled_from((*SUITS, None)))


@st.composite
def one_suit(draw: DrawFn, order: Order, most: int) -> list[str]:
    """At least one card of one suit, at most so many."""
    suit = draw(st.sampled_from(sorted(set(order.suit.values()))))
    cards = order.sorted(card for card in CARDS if order.suit[card] == suit)
    start = draw(st.integers(0, len(cards) - 1))
    window = (cards[start:] + cards[:start])[:6]
    pairs = draw(st.lists(st.sampled_from(window), unique=True, max_size=most // 2))
    others = [card for card in cards if card not in pairs]
    singles = draw(st.sets(st.sampled_from(others), max_size=most - 2 * len(pairs))) if others else set()
    return [*(card for card in pairs for _ in range(2)), *sorted(singles)] or [cards[start]]


@st.composite
def follows_to_judge(draw: DrawFn, most: int = 12) -> tuple[Order, list[str], list[str]]:
    """An order, a lead of one suit, and a holding of up to `most` cards, but at least as many as were led."""
    order = draw(orders)
    lead = draw(one_suit(order, 6))
    left = list(PACK)
    for card in lead:
        left.remove(card)
    doubled = [
        card for card in order.sorted(set(left)) if left.count(card) == 2 and order.suit[card] == order.suit[lead[0]]
    ]
    start = draw(st.integers(0, len(doubled)))
    window = (doubled[start:] + doubled[:start])[: most // 2]
    pairs = draw(st.lists(st.sampled_from(window), unique=True)) if window else []
    holding = [card for card in pairs for _ in range(2)]
    for card in holding:
        left.remove(card)
    least = max(0, len(lead) - len(holding))
    strays = draw(
        st.lists(st.integers(0, len(left) - 1), unique=True, min_size=least, max_size=max(least, most - len(holding)))
    )
    return order, lead, [*holding, *(left[index] for index in strays)]
