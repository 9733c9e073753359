"""Records of tables for tests of the ledger, event by event as the rules say, without playing the cards."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from domain.climbing import rulesets
from domain.climbing.explaining import coins_text
from domain.seats import SEATS, side_of
from domain.trumps.rulesets import NINGXIA
from schemas.envelope import Recorded
from schemas.events import (
    CoinOptions,
    ContributionScored,
    Event,
    Four,
    HandAbandoned,
    HandScored,
    HandVoided,
    Players,
    TableOpened,
    TableOptions,
)
from schemas.trumps import HandEscaped, HandSettled
from tests.kit.spec import chain

PLAYERS: Players = ("ann", "bob", "cat", "dan")
Ending = Literal["scored", "abandoned", "voided"]


def four(values: Sequence[int]) -> Four:
    a, b, c, d = values
    return (a, b, c, d)


def opened(ruleset: str = "qianbian", *, fee: str = "0", coins: CoinOptions | None = None) -> TableOpened:
    """A table of a ruleset in its newest version."""
    return TableOpened(
        family="trumps" if ruleset == "ningxia" else "climbing",
        ruleset=ruleset,
        ruleset_version=1,
        options=TableOptions(fee=fee, coins=coins),
    )


def contribution(
    hand: int, seat: int, points: int, stars: int, *, play: int = 1, players: Players = PLAYERS
) -> ContributionScored:
    """What a bomb gave: each other player lost `points`."""
    shares = four([3 * points if each == seat else -points for each in SEATS])
    return ContributionScored(
        hand=hand, seat=seat, stars=stars, play=play, reason="at_once", points=shares, players=players
    )


def scored(
    table: TableOpened, hand: int, given: Sequence[ContributionScored], finish: Four = (0, 2, 1, 3), multiplier: int = 1
) -> HandScored:
    """The score of a hand as the ruleset gives it for this finishing order."""
    rules = rulesets.get(table.ruleset)
    place = finish.index((finish[0] + 2) % 4)
    outcome: Literal["double", "single", "draw"] = ("double", "single", "draw")[place - 1]
    base = four([rules.base.of(outcome)[finish.index(seat)] for seat in SEATS])
    extra = four([sum(each.points[seat] for each in given) for seat in SEATS])
    score = four([base[seat] * multiplier + extra[seat] for seat in SEATS])
    return HandScored(
        hand=hand,
        finish=finish,
        outcome=outcome,
        base=base,
        multiplier=multiplier,
        contribution=extra,
        score=score,
        coins=_coins(table, base, multiplier, given),
        players=PLAYERS,
        why=(),
    )


def _coins(
    table: TableOpened, base: Four, multiplier: int, given: Sequence[ContributionScored]
) -> tuple[str, str, str, str] | None:
    """C6.6 written out once more: base x multiplier x N - A, and (a x C) x B x N for each contribution."""
    room, rule = table.options.coins, rulesets.get(table.ruleset).coins
    if room is None or rule is None:
        return None
    n, a, c = Decimal(room.factor), Decimal(room.fee), Decimal(room.correction)
    totals = [
        base[seat] * multiplier * n - a + sum(each.points[seat] * c * rule.share(each.stars) * n for each in given)
        for seat in SEATS
    ]
    south, east, north, west = map(coins_text, totals)
    return south, east, north, west


def settled(hand: int, *, declarer: int = 0, taken: int = 95, multiplier: int = 0) -> HandSettled:
    """The result of a hand of trumps with 15 points in the kitty."""
    points = max(taken + 15 * multiplier, 0)
    row = NINGXIA.results.row(points)
    over = points >= 80
    each = [row.each if side_of(seat) == side_of(declarer) else -row.each for seat in SEATS]
    return HandSettled(
        hand=hand,
        declarer=declarer,
        kitty=("5S", "TH", "3S", "3H", "4C", "4D", "6S", "7S"),
        kitty_points=15,
        multiplier=multiplier,
        taken=taken,
        points=points,
        row=row.points,
        levels=(0, row.levels) if over else (row.levels, 0),
        take_over=over,
        next_declarer=(declarer + 1) % 4 if over else (declarer + 2) % 4,
        match_won=None,
        score=four(each),
        players=PLAYERS,
        why=(),
    )


def escaped(hand: int, *, seat: int = 0, most: int = 4) -> HandEscaped:
    """A hand that a player left (T8.3, T8.4)."""
    scores = {seat: -4 * max(most, 0), (seat + 2) % 4: max(-most, 0)}
    return HandEscaped(
        hand=hand,
        seat=seat,
        player=PLAYERS[seat],
        declarer=seat,
        most=most,
        score=four([scores.get(each, most) for each in SEATS]),
        players=PLAYERS,
        why=(),
    )


def unscored(hand: int, given: Sequence[ContributionScored], *, voided: bool = False) -> Event:
    """A hand that was left or dissolved; contributions stand."""
    stands = four([sum(each.points[seat] for each in given) for seat in SEATS])
    if voided:
        return HandVoided(hand=hand, reason="dissolved", contribution=stands, players=PLAYERS)
    return HandAbandoned(hand=hand, seat=3, player="dan", contribution=stands, players=PLAYERS)


def record_of(table_id: str, *events: Event) -> list[Recorded]:
    """These events as the record of a table."""
    return chain(table_id, events)


def stream_of(*records: Sequence[Recorded]) -> list[tuple[int, bytes]]:
    """Records as a stream, one table after the other."""
    return list(enumerate((each.line for record in records for each in record), start=1))
