"""Rank counts: how many cards of each rank a set holds, packed into one integer. Suits never matter to the climbing family (C1.3).

A count takes five bits a rank, the lowest rank lowest; the top bit of the five is always free, so that one subtraction compares all
fifteen ranks at once (`GUARD`). Counts of disjoint sets add and subtract as plain integers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from schemas.notation import CARDS, RANKS, Unreadable, rank_of
from schemas.text import quoted

Counts = int
"""Cards of each rank, packed: `1 << 5 * i` is one card of the i-th rank of `RANKS`."""

BITS: Final = 5
RANK_INDEX: Final = {rank: index for index, rank in enumerate(RANKS)}
"""`3` is 0, `A` is 11, `2` is 12, `LJ` is 13, `BJ` is 14."""

ACE: Final = RANK_INDEX["A"]
TWO: Final = RANK_INDEX["2"]
LITTLE: Final = RANK_INDEX["LJ"]
BIG: Final = RANK_INDEX["BJ"]

UNITS: Final = tuple(1 << BITS * index for index in range(len(RANKS)))
"""One card of each rank."""

_FIELD: Final = (1 << BITS) - 1
_ONE_EACH: Final = sum(UNITS)
GUARD: Final = _ONE_EACH << BITS - 1
"""The top bit of each rank's five. Set before a subtraction, it is still set after it where the rank had enough cards:
`(holding | GUARD) - play & GUARD == GUARD` says that the holding contains the play."""
_OF_CARD: Final = {card: UNITS[RANK_INDEX[rank_of(card)]] for card in CARDS}
_OF_RANK: Final = {rank: UNITS[index] for rank, index in RANK_INDEX.items()}
_SUPPLY: Final = {rank: 8 if RANK_INDEX[rank] <= TWO else 2 for rank in RANKS}
_SLACK: Final = sum((16 - 1 - _SUPPLY[rank]) * UNITS[index] for rank, index in RANK_INDEX.items())
_SAFE: Final = 18
"""So many cards cannot overflow a field of the packed sum when the slack is added: 18 jokers and a slack of 13 are 31."""


def counts_of(cards: Iterable[str]) -> Counts:
    """Rank counts of cards (`7S`, `TH`, `BJ`). Raises Unreadable for what is no card or more than two packs hold."""
    return _count(tuple(cards), _OF_CARD)


def counts_of_ranks(ranks: Iterable[str]) -> Counts:
    """Rank counts of ranks (`7`, `T`, `BJ`). Raises Unreadable for what is no rank or more than two packs hold."""
    return _count(tuple(ranks), _OF_RANK)


def _count(names: tuple[str, ...], units: dict[str, int]) -> Counts:
    try:
        total = sum(map(units.__getitem__, names))
    except KeyError as error:
        what = (
            "a card; write rank then suit, like 3S TH BJ" if units is _OF_CARD else f"a rank; ranks: {' '.join(RANKS)}"
        )
        raise Unreadable(f"{quoted(error.args[0])} is not {what}") from None
    if len(names) > _SAFE or total + _SLACK & GUARD:
        _check_supply(names)
    return total


def _check_supply(names: tuple[str, ...]) -> None:
    for rank, number in Counter(name if name in _SUPPLY else rank_of(name) for name in names).items():
        if number > _SUPPLY[rank]:
            raise Unreadable(f"{number} cards of rank {rank}: two packs hold only {_SUPPLY[rank]}")


def count_at(counts: Counts, index: int) -> int:
    """How many cards of the rank with this index."""
    return counts >> BITS * index & _FIELD


def at_least(counts: Counts, number: int) -> Counts:
    """One card of each rank that occurs at least so many times (1 to 16)."""
    return (counts + (16 - number) * _ONE_EACH & GUARD) >> BITS - 1


def exceeds(counts: Counts, limit: int) -> bool:
    """Whether any rank occurs more than `limit` times (`limit` 0 to 15)."""
    return counts + (15 - limit) * _ONE_EACH & GUARD != 0


def size(counts: Counts) -> int:
    """How many cards there are in all."""
    return sum(number for _, number in present(counts))


def present(counts: Counts) -> Iterator[tuple[int, int]]:
    """The rank indexes that occur, ascending, each with its number of cards."""
    index = 0
    while counts:
        number = counts & _FIELD
        if number:
            yield index, number
        counts >>= BITS
        index += 1


def lowest(counts: Counts) -> int:
    """The index of the lowest rank that occurs; `counts` must not be empty."""
    return ((counts & -counts).bit_length() - 1) // BITS


def highest(counts: Counts) -> int:
    """The index of the highest rank that occurs; `counts` must not be empty."""
    return (counts.bit_length() - 1) // BITS


def ranks_text(counts: Counts) -> str:
    """The ranks in ascending order, separated by spaces: `3 3 7 BJ`."""
    return " ".join(RANKS[index] for index, number in present(counts) for _ in range(number))


def pick(cards: Sequence[str], counts: Counts) -> tuple[str, ...]:
    """Actual cards for a set of ranks: of each rank the first ones in the order of `cards`.

    The same cards in the same order always give the same answer. Raises Unreadable when `cards` lack a rank.
    """
    left = counts
    chosen = []
    for card in cards:
        unit = _OF_CARD[card]
        if left & unit * _FIELD:
            left -= unit
            chosen.append(card)
    if left:
        raise Unreadable(f"these cards lack {ranks_text(left)}")
    return tuple(chosen)
