"""Following agrees with a slow search over all plays of a holding of up to 12 cards (T6)."""

from collections import Counter
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.trumps.chance import random_follow
from domain.trumps.filling import filling, full
from domain.trumps.following import refusal
from domain.trumps.options import follows
from domain.trumps.order import Order
from domain.trumps.parts import read_lead, shape_of, split
from domain.trumps.throwing import must_read_lead
from tests.domain.trumps import slow
from tests.domain.trumps.strategies import follows_to_judge, one_suit, orders

Case = tuple[Order, list[str], list[str]]


@given(follows_to_judge())
@settings(max_examples=80, deadline=None)
def test_the_play_is_legal_exactly_when_no_play_obeys_better(case: Case) -> None:
    order, cards, holding = case
    lead = must_read_lead(order, cards)
    legal = slow.legal_follows(order, cards, holding)
    judged = {play for play in slow.all_plays(holding, len(cards)) if refusal(order, lead, holding, play) is None}
    assert judged == legal


@given(follows_to_judge())
@settings(max_examples=80, deadline=None)
def test_the_options_are_every_legal_play_once(case: Case) -> None:
    order, cards, holding = case
    offered = [tuple(sorted(play)) for play in follows(order, must_read_lead(order, cards), holding)]
    assert len(offered) == len(set(offered))
    assert set(offered) == slow.legal_follows(order, cards, holding)


@given(follows_to_judge(most=25), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_some_play_is_always_legal(case: Case, first: int) -> None:
    order, cards, holding = case
    lead = must_read_lead(order, cards)
    ticks = count(first, 13)
    play = random_follow(order, lead, holding, lambda n: next(ticks) % n)
    assert refusal(order, lead, holding, play) is None
    assert refusal(order, lead, holding, next(follows(order, lead, holding))) is None


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_filling_is_the_best_of_all_ways(data: st.DataObject) -> None:
    order = data.draw(orders)
    lead = data.draw(one_suit(order, 14))
    cards = data.draw(one_suit(order, 16))
    assert tuple(filling(order, shape_of(split(order, lead)), cards)) == slow.best_fill(order, lead, cards)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_lead_fills_its_own_shape(data: st.DataObject) -> None:
    order = data.draw(orders)
    lead = must_read_lead(order, data.draw(one_suit(order, 16)))
    assert filling(order, lead.shape, lead.cards) == full(lead.shape)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_the_parts_do_not_depend_on_the_order_of_the_cards(data: st.DataObject) -> None:
    order = data.draw(orders)
    cards = data.draw(one_suit(order, 16))
    lead = read_lead(order, cards)
    mixed = read_lead(order, data.draw(st.permutations(cards)))
    assert lead is not None
    assert mixed is not None
    assert lead.parts == mixed.parts
    assert Counter(card for part in lead.parts for card in part.cards) == Counter(cards)
