"""What bombs earn: factors of the multiplier (C6.2), contribution points (C6.3), and groups that add up (C6.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from domain.climbing.ruleset import (
    AllMultiply,
    FactorBySize,
    FactorByStars,
    Factors,
    Four,
    LargestOfWinners,
    Ruleset,
    step,
)
from domain.seats import SEATS, side_of
from schemas.readings import Reading

MOST_BOMBS: Final = 27
"""More bombs no hand has: two packs are 108 cards, and a bomb takes at least four (three jokers leave but 105 cards for the others)."""
MOST_GROUPS: Final = MOST_BOMBS // 2
"""More groups no hand has, as each is of two bombs or more (C6.4)."""


@dataclass(frozen=True, slots=True)
class BombPlay:
    """A bomb that a seat played; `event` is the version of the event of the play, None where there is no record."""

    seat: int
    reading: Reading
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Bombs of one player that combine at the end of the hand, and their value in stars (C6.4).

    `points` is what each other player loses beyond what the bombs cost at once; the player gains three times that.
    """

    seat: int
    stars: int
    points: int
    bombs: tuple[BombPlay, ...]

    @property
    def event(self) -> int | None:
        """The play that completed the group: the latest of its bombs."""
        return max((bomb.event for bomb in self.bombs if bomb.event is not None), default=None)


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor of the multiplier and the bomb or group that earned it."""

    amount: int
    earned_by: BombPlay | Group


def factor_of(factors: Factors, bomb: Reading) -> int:
    """The factor that a bomb earns; 1 if none (C6.2)."""
    match factors:
        case FactorBySize():
            match bomb.pattern:
                case "three_jokers":
                    return factors.three_jokers
                case "four_jokers":
                    return factors.four_jokers
                case _:
                    return step(factors.sizes, bomb.cards, 1)
        case FactorByStars():
            return step(factors.stars, bomb.stars, 1)
        case _:
            assert_never(factors)


def most_multiplier(ruleset: Ruleset) -> int:
    """No multiplier is greater (C6.2): the largest factor that there is, once for every bomb where all multiply."""
    rule = ruleset.multiplier
    match rule.factors:
        case FactorBySize(sizes=sizes, three_jokers=three, four_jokers=four):
            largest = max(three, four, *(amount for _, amount in sizes))
        case FactorByStars(stars=stars):
            largest = max((amount for _, amount in stars), default=1)
        case _:
            assert_never(rule.factors)
    return largest**MOST_BOMBS if isinstance(rule, AllMultiply) else largest


def contribution_for(ruleset: Ruleset, stars: int) -> int:
    """What each other player loses for a bomb of so many stars; the player gains three times that. 0 if nothing is due (C6.3)."""
    return step(ruleset.contribution, stars, 0)


def shares(seat: int, points: int) -> Four:
    """A contribution in seat order: each other player loses `points`, the player gets them all (C6.3)."""
    gains = [-points] * 4
    gains[seat] = 3 * points
    return (gains[0], gains[1], gains[2], gains[3])


def accumulate(ruleset: Ruleset, bombs: Sequence[BombPlay]) -> tuple[Group, ...]:
    """The groups of two or more bombs into which each player's bombs combine at the end of the hand (C6.4)."""
    if ruleset.accumulation is None:
        return ()
    slow_level = ruleset.accumulation.slow_level
    groups = []
    for seat in SEATS:
        own = [bomb for bomb in bombs if bomb.seat == seat]
        value = 0
        members: list[BombPlay] = []
        for stars in sorted({bomb.reading.stars for bomb in own}):
            level = [bomb for bomb in own if bomb.reading.stars == stars]
            if stars > value:
                groups.append(_group(ruleset, seat, value, members))
                members = level
                value = max(stars, stars + len(level) - (2 if stars == slow_level else 1))
            else:
                members = members + level
                value += len(level)
        groups.append(_group(ruleset, seat, value, members))
    return tuple(group for group in groups if len(group.bombs) > 1)


def _group(ruleset: Ruleset, seat: int, stars: int, bombs: Sequence[BombPlay]) -> Group:
    at_once = sum(contribution_for(ruleset, bomb.reading.stars) for bomb in bombs)
    return Group(seat, stars, max(0, contribution_for(ruleset, stars) - at_once), tuple(bombs))


def counting_factors(
    ruleset: Ruleset, winners: int, bombs: Sequence[BombPlay], groups: Sequence[Group]
) -> tuple[Factor, ...]:
    """The factors that multiply the base points, each with what earned it; `winners` is the winning side, 0 or 1 (C6.2)."""
    rule = ruleset.multiplier
    earned = [Factor(factor_of(rule.factors, bomb.reading), bomb) for bomb in bombs]
    if isinstance(rule.factors, FactorByStars):
        earned += [Factor(step(rule.factors.stars, group.stars, 1), group) for group in groups]
    earned = [factor for factor in earned if factor.amount > 1]
    match rule:
        case AllMultiply():
            return tuple(factor for factor in earned if isinstance(factor.earned_by, BombPlay))
        case LargestOfWinners():
            own = [factor for factor in earned if side_of(factor.earned_by.seat) == winners]
            # Of equal factors the one that was earned first is named.
            return (max(own, key=lambda factor: factor.amount),) if own else ()
        case _:
            assert_never(rule)
