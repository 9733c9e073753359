"""The parts a set of cards of one suit splits into: tractors, pairs, singles (T5.1, T5.2, T5.7)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from domain.trumps.order import LADDER, Order
from schemas.notation import ORDER

Kind = Literal["tractor", "pair", "single"]


@dataclass(frozen=True, slots=True)
class Part:
    """A tractor, a pair or a single. `cards` from low to high, `top` the strength of the highest, `pairs` 0 for a single."""

    kind: Kind
    cards: tuple[str, ...]
    top: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What matters of a lead for those who follow: the lengths of its tractors in pairs, longest first, its other pairs, its cards."""

    tractors: tuple[int, ...]
    pairs: int
    size: int


@dataclass(frozen=True, slots=True)
class Run:
    """Pairs on consecutive rungs (T5.2): the strengths from `low` up to `low + length - 1`. One pair alone is a run of length 1."""

    low: int
    length: int

    @property
    def top(self) -> int:
        """The strength of its highest pair."""
        return self.low + self.length - 1


def paired(cards: Iterable[str]) -> list[str]:
    """The cards that occur twice, each once, in notation order: the pairs among these cards (T5.1)."""
    once: set[str] = set()
    twice: list[str] = []
    for card in cards:
        if card in once:
            twice.append(card)
        once.add(card)
    return sorted(twice, key=ORDER.__getitem__)


def without(cards: Iterable[str], taken: Iterable[str]) -> list[str]:
    """The cards that are left when some are taken, all of which must be there."""
    left = list(cards)
    for card in taken:
        left.remove(card)
    return left


def runs_of(order: Order, pairs: Iterable[str]) -> list[Run]:
    """The longest runs that the pairs of one suit form, from low to high. Level cards and jokers are in none (T5.2)."""
    runs: list[Run] = []
    for rung in sorted(strength for card in pairs if (strength := order.strength[card]) < LADDER):
        if runs and runs[-1].top + 1 == rung:
            runs[-1] = Run(runs[-1].low, runs[-1].length + 1)
        else:
            runs.append(Run(rung, 1))
    return runs


def split(order: Order, cards: Sequence[str]) -> tuple[Part, ...]:
    """The parts of cards of one suit: longest tractors first, of equal length the higher, then pairs, then singles (T5.7).

    Pairs and singles go from high to low, equal ones in notation order. The cards must be of one suit.
    """
    pairs = paired(cards)
    at_rung = {order.strength[card]: card for card in pairs}
    tractors = sorted((run for run in runs_of(order, pairs) if run.length > 1), key=lambda run: (-run.length, -run.low))
    in_tractor = {at_rung[rung] for run in tractors for rung in range(run.low, run.top + 1)}

    def highest_first(some: Iterable[str]) -> list[str]:
        return sorted(some, key=lambda card: (-order.strength[card], ORDER[card]))

    return (
        *(_tractor(run, at_rung) for run in tractors),
        *(
            Part("pair", (card, card), order.strength[card], 1)
            for card in highest_first(card for card in pairs if card not in in_tractor)
        ),
        *(
            Part("single", (card,), order.strength[card], 0)
            for card in highest_first(card for card in cards if card not in pairs)
        ),
    )


def _tractor(run: Run, at_rung: dict[int, str]) -> Part:
    cards = tuple(at_rung[rung] for rung in range(run.low, run.top + 1) for _ in range(2))
    return Part("tractor", cards, run.top, run.length)


def shape_of(parts: Iterable[Part]) -> Shape:
    """The shape of a lead that splits into these parts."""
    parts = tuple(parts)
    return Shape(
        tuple(sorted((part.pairs for part in parts if part.kind == "tractor"), reverse=True)),
        sum(part.kind == "pair" for part in parts),
        sum(len(part.cards) for part in parts),
    )


@dataclass(frozen=True, slots=True)
class Lead:
    """Cards of one suit as they are led: their suit (`T` for trumps), the parts they split into and the shape to be followed.

    More than one part makes it a throw (甩牌, T5.3).
    """

    cards: tuple[str, ...]
    suit: str
    parts: tuple[Part, ...]
    shape: Shape

    @property
    def is_throw(self) -> bool:
        """Whether it is several parts at once."""
        return len(self.parts) > 1


def read_lead(order: Order, cards: Sequence[str]) -> Lead | None:
    """The lead that these cards make; None when they are of several suits, or no cards."""
    return _read_lead(order, tuple(cards))


@lru_cache(maxsize=1 << 12)
def _read_lead(order: Order, cards: tuple[str, ...]) -> Lead | None:
    """Everybody who follows asks about the same lead, so it is kept for a while."""
    suit = order.common_suit(cards)
    if suit is None:
        return None
    parts = split(order, cards)
    return Lead(cards, suit, parts, shape_of(parts))
