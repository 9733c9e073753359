"""How well cards fill a led shape (T6.3): the measure of following, and of whether a trump play matches."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from domain.trumps.order import Order
from domain.trumps.parts import Shape, paired, runs_of


class Filling(NamedTuple):
    """The best filling of a led shape. A greater one fills better: tractors are compared first, then pairs.

    `tractors` has for each led tractor, from the longest on, the lengths of the tractors used for it in pairs, longest first; `pairs`
    is the number of pairs used for the led pairs and for what no tractor filled.
    """

    tractors: tuple[tuple[int, ...], ...]
    pairs: int


def filling(order: Order, shape: Shape, cards: Iterable[str]) -> Filling:
    """The best filling of the shape from these cards, which must be of one suit; there may be more or fewer than the shape has."""
    pairs = paired(cards)
    return fill_from(shape, tuple(run.length for run in runs_of(order, pairs)), len(pairs))


def fill_from(shape: Shape, runs: tuple[int, ...], pairs: int) -> Filling:
    """The best filling from runs of these lengths among so many pairs in all."""
    tractors = _fill_tractors(shape.tractors, _long(runs))
    used = sum(map(sum, tractors))
    return Filling(tractors, min(pairs - used, shape.pairs + sum(shape.tractors) - used))


def full(shape: Shape) -> Filling:
    """The filling of cards that match the shape completely."""
    return Filling(tuple((length,) for length in shape.tractors), shape.pairs)


def _long(runs: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted((length for length in runs if length > 1), reverse=True))


@lru_cache(maxsize=1 << 14)
def _fill_tractors(led: tuple[int, ...], runs: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each led tractor the lengths used. What is cut from a run is cut from its end: one long rest is never worse than two short."""
    if not led:
        return ()
    return max((used, *_fill_tractors(led[1:], rest)) for used, rest in _ways(led[0], runs))


def _ways(length: int, runs: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The ways to fill one led tractor, always with the longest tractor there is: the lengths used, and the runs left."""
    take = min(length, max(runs, default=0))
    if take < 2:
        yield (), runs
        return
    for run in sorted({run for run in runs if run >= take}):
        left = list(runs)
        left.remove(run)
        for used, rest in _ways(length - take, _long((*left, run - take))):
            yield (take, *used), rest
