"""Declaring trumps (亮主) while the cards are dealt, and turning the kitty when nobody does (T2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from domain.refusal import Refusal
from domain.trumps.following import not_in_hand
from domain.trumps.ruleset import TrumpsRuleset
from schemas.notation import JOKERS, SUITS

SINGLE_STRENGTH = 1
"""One level card of any suit: the weakest declaration, so it never replaces another (T2.2)."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration or counter that is in force: who showed which cards, how strong it is, and the trumps it makes (None: no trump)."""

    seat: int
    cards: tuple[str, ...]
    strength: int
    trump: str | None


@dataclass(frozen=True, slots=True)
class Turned:
    """Trumps made by a turned kitty: the suit, the position in the kitty of the card that made it, and why that card did."""

    trump: str
    position: int
    by: Literal["level_card", "highest_card"]


def read_declaration(ruleset: TrumpsRuleset, level: str, seat: int, cards: Sequence[str]) -> Declaration | None:
    """The declaration that these cards are, or None when they are none (T2.2)."""
    if not cards or len(cards) > 2 or len(set(cards)) > 1:
        return None
    card = cards[0]
    if card in JOKERS:
        strength = SINGLE_STRENGTH + len(ruleset.declared_suits) + 1 + JOKERS.index(card)
        return Declaration(seat, tuple(cards), strength, None) if len(cards) == 2 else None
    if card[0] != level:
        return None
    strength = SINGLE_STRENGTH + (1 + ruleset.declared_suits.index(card[1]) if len(cards) == 2 else 0)
    return Declaration(seat, tuple(cards), strength, card[1])


def refusal_to_declare(
    ruleset: TrumpsRuleset,
    level: str,
    seat: int,
    holding: Sequence[str],
    cards: Sequence[str],
    in_force: Declaration | None,
) -> Refusal | None:
    """Why a seat may not declare with these cards out of what it holds so far, or None when it may (T2.2 to T2.4).

    Adding the twin of a level card that the seat declared is written as the pair.
    """
    if lacking := not_in_hand(holding, cards, "T2.2"):
        return lacking
    declared = read_declaration(ruleset, level, seat, cards)
    if declared is None:
        return Refusal(
            "no_declaration",
            "T2.2",
            f"Trumps are declared with one level card ({level}), two of one suit, two little jokers or two big jokers.",
            f"亮主须用一张级牌 ({level})、同花色级牌一对、一对小王或一对大王。",
        )
    if in_force is None:
        return None
    if in_force.seat == seat and not _protects(declared, in_force):
        return Refusal(
            "own_declaration",
            "T2.4",
            "Nobody overrules their own declaration; the twin of a declared level card may be added.",
            "不能反自己亮的主; 只可补同一级牌自保。",
        )
    return _too_weak(declared, in_force, "T2.3")


def _protects(declared: Declaration, in_force: Declaration) -> bool:
    return len(in_force.cards) == 1 and declared.cards == in_force.cards * 2


def _too_weak(declared: Declaration, in_force: Declaration, clause: str) -> Refusal | None:
    if declared.strength > in_force.strength:
        return None
    shown = " ".join(in_force.cards)
    return Refusal(
        "too_weak",
        clause,
        f"{' '.join(declared.cards)} is not stronger than {shown}, which is in force.",
        f"{' '.join(declared.cards)} 大不过已亮的 {shown}。",
    )


def declarations(
    ruleset: TrumpsRuleset, level: str, seat: int, holding: Sequence[str], in_force: Declaration | None
) -> tuple[Declaration, ...]:
    """Every declaration that the seat may make now, weakest first."""
    return tuple(
        declared
        for cards in _held(ruleset, level, holding)
        if refusal_to_declare(ruleset, level, seat, holding, cards, in_force) is None
        and (declared := read_declaration(ruleset, level, seat, cards))
    )


def refusal_to_counter(
    ruleset: TrumpsRuleset, level: str, seat: int, holding: Sequence[str], cards: Sequence[str], in_force: Declaration
) -> Refusal | None:
    """Why a seat may not counter (反底) what is in force with these cards, or None when it may; whose turn it is, is not asked (T3.2)."""
    if lacking := not_in_hand(holding, cards, "T3.2"):
        return lacking
    declared = read_declaration(ruleset, level, seat, cards)
    if declared is None or len(cards) != 2:
        return Refusal(
            "no_counter",
            "T3.2",
            f"A counter is a pair of level cards ({level}) of one suit, or a pair of jokers.",
            f"反底须用同花色级牌 ({level}) 一对或一对王。",
        )
    if in_force.seat == seat:
        return Refusal("own_declaration", "T3.6", "Nobody counters their own declaration.", "不能反自己亮的主。")
    if in_force.trump is None and ruleset.no_trump_is_final:
        return Refusal("no_trump_is_final", "T3.5", "No trump is in force; it is final.", "已是无主, 不可再反。")
    return _too_weak(declared, in_force, "T3.2")


def counters(
    ruleset: TrumpsRuleset, level: str, seat: int, holding: Sequence[str], in_force: Declaration
) -> tuple[Declaration, ...]:
    """Every counter that the seat could make if it were asked now, weakest first."""
    return tuple(
        declared
        for cards in _held(ruleset, level, holding)
        if refusal_to_counter(ruleset, level, seat, holding, cards, in_force) is None
        and (declared := read_declaration(ruleset, level, seat, cards))
    )


def _held(ruleset: TrumpsRuleset, level: str, holding: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What a holding has to declare with, weakest first."""
    yield from ((level + suit,) for suit in SUITS if level + suit in holding)
    shown = (*(level + suit for suit in ruleset.declared_suits), *JOKERS)
    yield from ((card, card) for card in shown if holding.count(card) == 2)


def turn_kitty(ruleset: TrumpsRuleset, level: str, kitty: Sequence[str]) -> Turned:
    """The trumps that a kitty makes, turned card by card in this order, when nobody declared (T2.5).

    The suit of the first level card; if there is none, of the highest card, jokers aside: A high, 2 low, of equal ones the first turned.
    """
    plain = [(position, card) for position, card in enumerate(kitty) if card not in JOKERS]
    for position, card in plain:
        if card[0] == level:
            return Turned(card[1], position, "level_card")
    position, card = max(plain, key=lambda turned: ruleset.turned_ranks.index(turned[1][0]))
    return Turned(card[1], position, "highest_card")
