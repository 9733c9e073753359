"""What a hand is worth (C5.4, C6): base points times multiplier plus contribution, each number with where it comes from (C7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import prod
from typing import Final

from domain.climbing import explaining
from domain.climbing.bombs import (
    MOST_BOMBS,
    MOST_GROUPS,
    BombPlay,
    Group,
    accumulate,
    contribution_for,
    counting_factors,
    most_multiplier,
    shares,
)
from domain.climbing.ruleset import Coins, Four, Outcome, Ruleset
from domain.seats import SEATS, next_seat, partner_of, side_of
from schemas.explanation import Why

__all__ = [
    "BombPlay",
    "CoinRoom",
    "Group",
    "Settlement",
    "contribution_for",
    "expected_sum",
    "finish_now",
    "outcome_of",
    "settle",
    "shares",
]

MOST_AMOUNT: Final = 999_999_999
"""Neither in coins nor in points may one hand move more for an account: nine digits are what a ruling can correct (schemas.disputes)."""

OUTCOMES: Final[tuple[Outcome, ...]] = ("double", "single", "draw")
"""By the place of the first finisher's partner, second to fourth (C5.4)."""

FourCoins = tuple[Decimal, Decimal, Decimal, Decimal]


@dataclass(frozen=True, slots=True)
class CoinRoom:
    """A table that plays for game coins: room factor N, fee A, correction C (C6.6)."""

    factor: Decimal
    fee: Decimal = Decimal(0)
    correction: Decimal = Decimal(1)

    def exact(self, rule: Coins) -> bool:
        """Whether every amount of this room is a whole number of 1/10,000, which is as fine as ledgers go (C6.6)."""
        return not any(self.correction * share * self.factor * 10_000 % 1 for _, share in rule.shares)

    def most(self, ruleset: Ruleset) -> Decimal:
        """So many coins at most does one hand move for any account, generously: more than can be played (C6.6).

        The largest base points times the largest multiplier; three shares of the largest contribution for each bomb and each group
        that there can be; and the fees of all four, which are what the house gets.
        """
        base = max(abs(points) for outcome in OUTCOMES for points in ruleset.base.of(outcome))
        contribution = max((points for _, points in ruleset.contribution), default=0)
        share = max((share for _, share in ruleset.coins.shares), default=Decimal(0)) if ruleset.coins else Decimal(0)
        contributions = (MOST_BOMBS + MOST_GROUPS) * 3 * contribution * share * self.correction
        return (base * most_multiplier(ruleset) + contributions) * self.factor + len(SEATS) * self.fee


@dataclass(frozen=True, slots=True)
class Settlement:
    """The score of a hand; tuples of four are in seat order.

    `contribution` is all of it: what bombs gave at once and what `groups` add at the end. `groups` are the accumulations that add any.
    """

    outcome: Outcome
    base: Four
    multiplier: int
    contribution: Four
    score: Four
    why: tuple[Why, ...]
    groups: tuple[Group, ...] = ()
    coins: FourCoins | None = None


def finish_now(finish: Sequence[int]) -> Four | None:
    """The whole finishing order if the hand is over once these seats are out, in this order; None while it goes on (C5.4)."""
    if len(finish) == 2 and finish[1] == partner_of(finish[0]):
        third = next_seat(finish[1])
        return (finish[0], finish[1], third, partner_of(third))
    if len(finish) >= 3:
        return (finish[0], finish[1], finish[2], sum(SEATS) - sum(finish[:3]))
    return None


def outcome_of(finish: Sequence[int]) -> Outcome:
    """Double, single or draw: by the place of the first finisher's partner (C5.4). Raises ValueError if not all four seats are there."""
    if sorted(finish) != list(SEATS):
        raise ValueError(f"a finishing order has each of the seats 0 to 3 once, not {list(finish)}")
    return OUTCOMES[finish.index(partner_of(finish[0])) - 1]


def expected_sum(ruleset: Ruleset, outcome: Outcome, multiplier: int) -> int:
    """What the four scores of a hand must add up to: contributions cancel out, base points need not (C6.1)."""
    return sum(ruleset.base.of(outcome)) * multiplier


def settle(
    ruleset: Ruleset, finish: Sequence[int], bombs: Sequence[BombPlay], coins: CoinRoom | None = None
) -> Settlement:
    """Score a hand from its finishing order and the bombs played in it, in playing order (C6).

    Raises ValueError when the finishing order is none, or when coins are asked of a ruleset that has none.
    """
    outcome = outcome_of(finish)
    of_position = ruleset.base.of(outcome)
    base = _four([of_position[finish.index(seat)] for seat in SEATS])
    all_groups = accumulate(ruleset, bombs)
    factors = counting_factors(ruleset, side_of(finish[0]), bombs, all_groups)
    multiplier = prod(factor.amount for factor in factors)
    given = [(bomb, points) for bomb in bombs if (points := contribution_for(ruleset, bomb.reading.stars))]
    groups = tuple(group for group in all_groups if group.points)
    parts = [shares(bomb.seat, points) for bomb, points in given] + [
        shares(group.seat, group.points) for group in groups
    ]
    contribution = _four([sum(part[seat] for part in parts) for seat in SEATS])
    score = _four([base[seat] * multiplier + contribution[seat] for seat in SEATS])
    why = [*explaining.outcome(outcome, finish), *explaining.base(outcome, base), *explaining.multiplier(factors)]
    for bomb, points in given:
        why.extend(explaining.contribution(bomb, points))
    for group in groups:
        why.extend(explaining.accumulation(group))
    why.extend(explaining.total(base, multiplier, contribution, score))
    paid = None
    if coins is not None:
        if ruleset.coins is None:
            raise ValueError(f"{ruleset.id} has no game coins; open the table without them")
        movements = _coin_movements(
            ruleset.coins, coins, _four([points * multiplier for points in base]), given, groups
        )
        paid = _sum_of_coins(movements)
        why.extend(movements)
    return Settlement(outcome, base, multiplier, contribution, score, tuple(why), groups, paid)


def _coin_movements(
    rule: Coins, room: CoinRoom, base: Four, given: Sequence[tuple[BombPlay, int]], groups: Sequence[Group]
) -> list[Why]:
    """Every movement of coins: base times multiplier, the fee, and each contribution (C6.6)."""
    why = []
    for seat in SEATS:
        words = (f"base x multiplier x {room.factor}", f"底分×倍数×{room.factor}")
        why.append(explaining.coins(seat, base[seat] * room.factor, None, words))
        why.append(explaining.coins(seat, -room.fee, None, ("fee of the room", "房费")))
    paid = [(bomb.seat, bomb.reading.stars, points, bomb.event) for bomb, points in given]
    paid += [(group.seat, group.stars, group.points, group.event) for group in groups]
    for player, stars, points, event in paid:
        each = points * room.correction * rule.share(stars) * room.factor
        words = (f"contribution of seat {player} for {stars} stars", f"{player}号{stars}星贡献")
        amounts = [each * 3 if seat == player else -each for seat in SEATS]
        why.extend(explaining.coins(seat, amount, event, words) for seat, amount in enumerate(amounts))
    return why


def _sum_of_coins(movements: Sequence[Why]) -> FourCoins:
    sums = [Decimal(0)] * 4
    for movement in movements:
        if movement.seat is not None:
            sums[movement.seat] += Decimal(movement.amount)
    return (sums[0], sums[1], sums[2], sums[3])


def _four(numbers: Sequence[int]) -> Four:
    return (numbers[0], numbers[1], numbers[2], numbers[3])
