"""What an event posts in the ledger (记账): pure functions, used by the projection that keeps the books and by those who explain an entry.

Nothing is posted before it was checked to be what the ruleset says of the very numbers in the event: whatever does not agree stops the
ledger with the clause that it breaks. What the players do not win or lose among themselves stands against the table's own account.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from domain.climbing.ruleset import Ruleset
from domain.climbing.scoring import CoinRoom, expected_sum
from domain.hands import get_ruleset, room_of
from domain.seats import SEATS, partner_of, side_of
from domain.trumps.order import points_in
from domain.trumps.ruleset import TrumpsRuleset
from projections.amounts import MOST_STORED, SCALE, Unit, decimal, scaled
from projections.base import ProjectionFault
from schemas.envelope import Recorded
from schemas.events import ContributionScored, HandAbandoned, HandScored, HandVoided, Players, TableOpened
from schemas.trumps import HandEscaped, HandSettled

Kind = Literal["contribution", "base", "coins", "fee", "settled", "escape", "ruling"]
"""Why something was posted. All but `ruling` come from the record of a table."""

HOUSE: Final = "house:fees"
"""The account of what the house is paid: the fee of a scored hand, and the fee of a room that plays for coins (C6.6)."""

Given = dict[tuple[str, int], int]
"""The contributions of a hand so far: points by account and stars."""


def player_account(player: str) -> str:
    """The account of a player, over all tables."""
    return f"player:{player}"


def table_account(table_id: str) -> str:
    """The account that stands against the players of a table."""
    return f"table:{table_id}"


class Terms(NamedTuple):
    """What a table plays for: its ruleset, the house's `fee` a player and scored hand (stored amount), and the room for coins."""

    ruleset: str
    ruleset_version: int
    fee: int = 0
    coins: CoinRoom | None = None


class Posting(NamedTuple):
    """One transaction: stored amounts of one unit by account, which add up to zero. `stars` are those of a contribution."""

    kind: Kind
    unit: Unit
    hand: int
    amounts: Mapping[str, int]
    stars: int | None = None


def terms_of(opened: TableOpened) -> Terms:
    """The terms of a table, from the event that opened it."""
    options = opened.options
    return Terms(opened.ruleset, opened.ruleset_version, scaled(options.fee), room_of(options))


def postings(recorded: Recorded, terms: Terms, given: Given) -> list[Posting]:
    """What an event posts; `given` are the contributions of a hand that ends with it.

    Raises ProjectionFault when the event is not what the ruleset says.
    """
    try:
        return [_balanced(recorded.table, posting) for posting in _postings(recorded, terms, given)]
    except Disagrees as error:
        raise ProjectionFault(f"ledger: event {recorded.table}:{recorded.version}: {error}") from None


def add_contribution(given: Given, event: ContributionScored) -> None:
    """Count a contribution among those of its hand."""
    for player, points in zip(event.players, event.points, strict=True):
        key = (player_account(player), event.stars)
        given[key] = given.get(key, 0) + points


class Disagrees(Exception):
    """An event says what its ruleset does not. The message names the clause."""


def _balanced(table_id: str, posting: Posting) -> Posting:
    remainder = -sum(posting.amounts.values())
    amounts = {**posting.amounts, table_account(table_id): remainder} if remainder else posting.amounts
    for account, amount in amounts.items():
        if abs(amount) > MOST_STORED:
            en = f"{decimal(amount):f} {posting.unit} of {account} are more than the books can hold"
            raise Disagrees(f"{en}, {decimal(MOST_STORED):f}")
    return posting._replace(amounts=amounts)


def _postings(recorded: Recorded, terms: Terms, given: Given) -> Iterator[Posting]:
    event, where = recorded.event, recorded.table
    match event:
        case ContributionScored(hand=hand):
            if sum(event.points):
                raise Disagrees(f"the contribution adds up to {sum(event.points)}, not to 0 [C6.3]")
            yield Posting("contribution", "points", hand, _points(event.players, event.points), event.stars)
        case HandScored(hand=hand):
            ruleset = _climbing(terms)
            _check_scored(ruleset, event, given)
            points = [base * event.multiplier for base in event.base]
            yield Posting("base", "points", hand, _points(event.players, points))
            yield from _coins(ruleset, terms, event, given)
            yield from _fees(terms, hand, event.players)
        case HandSettled(hand=hand):
            _check_settled(_trumps(terms), event)
            yield Posting("settled", "points", hand, _points(event.players, event.score))
            yield from _fees(terms, hand, event.players)
        case HandEscaped(hand=hand):
            _check_escaped(_trumps(terms), event)
            yield Posting("escape", "points", hand, _points(event.players, event.score))
        case HandAbandoned() | HandVoided():
            _check_standing(terms, event, given)
        case _:
            raise ValueError(f"{where}: nothing is ever posted for {event.TYPE}")


def _points(players: Players, points: Sequence[int]) -> dict[str, int]:
    return {player_account(player): amount * SCALE for player, amount in zip(players, points, strict=True)}


def _fees(terms: Terms, hand: int, players: Players) -> Iterator[Posting]:
    """What the house is paid for a scored hand: its fee, and where the table plays for coins the room's (C6.6)."""
    if terms.fee:
        yield Posting("fee", "points", hand, _paid(players, terms.fee))
    if terms.coins and terms.coins.fee:
        yield Posting("fee", "coins", hand, _paid(players, scaled(terms.coins.fee)))


def _paid(players: Players, fee: int) -> dict[str, int]:
    return {**{player_account(player): -fee for player in players}, HOUSE: fee * len(players)}


def _coins(ruleset: Ruleset, terms: Terms, event: HandScored, given: Given) -> Iterator[Posting]:
    """Base points and contributions in coins; the fee of the room is posted as a fee."""
    if terms.coins is None:
        if event.coins is not None:
            raise Disagrees("it gives coins, but the table does not play for them [C6.6]")
        return
    expected = [coins_of(ruleset, terms.coins, event, seat, given) for seat in SEATS]
    said = None if event.coins is None else [Decimal(text) for text in event.coins]
    if said != [amount - terms.coins.fee for amount in expected]:
        right = ", ".join(f"{amount - terms.coins.fee:f}" for amount in expected)
        raise Disagrees(f"the coins are {event.coins}, {ruleset.id} says {right} [C6.6]")
    try:
        amounts = [scaled(amount) for amount in expected]
    except ValueError as error:
        raise Disagrees(f"coins: {error} [C6.6]") from None
    accounts = map(player_account, event.players)
    yield Posting("coins", "coins", event.hand, dict(zip(accounts, amounts, strict=True)))


def coins_of(ruleset: Ruleset, room: CoinRoom, event: HandScored, seat: int, given: Given) -> Decimal:
    """What a seat gets in coins but for the fee: base x multiplier x N, and a x C x B x N for each contribution (C6.6)."""
    account = player_account(event.players[seat])
    total = event.base[seat] * event.multiplier * room.factor
    for (whose, stars), points in given.items():
        if whose == account and ruleset.coins is not None:
            total += points * room.correction * ruleset.coins.share(stars) * room.factor
    return total


def _climbing(terms: Terms) -> Ruleset:
    ruleset = get_ruleset(terms.ruleset, terms.ruleset_version)
    if not isinstance(ruleset, Ruleset):
        raise Disagrees(f"a hand of the climbing family is scored at a table that plays {terms.ruleset} [C6]")
    return ruleset


def _trumps(terms: Terms) -> TrumpsRuleset:
    ruleset = get_ruleset(terms.ruleset, terms.ruleset_version)
    if not isinstance(ruleset, TrumpsRuleset):
        raise Disagrees(f"a hand of the trump family is scored at a table that plays {terms.ruleset} [T7]")
    return ruleset


def _check_scored(ruleset: Ruleset, event: HandScored, given: Given) -> None:
    """The hand must give just what its ruleset says, and count the contributions that were given (C6)."""
    of_position = ruleset.base.of(event.outcome)
    base = tuple(of_position[event.finish.index(seat)] for seat in SEATS)
    expected = expected_sum(ruleset, event.outcome, event.multiplier)
    if sum(event.score) != expected:
        raise Disagrees(f"the scores add up to {sum(event.score)}, {ruleset.id} says {expected} [C6.1]")
    if event.base != base:
        raise Disagrees(f"the base points are {event.base}, {ruleset.id} says {base} [C6.1]")
    counted = [
        sum(points for (whose, _), points in given.items() if whose == player_account(player))
        for player in event.players
    ]
    if list(event.contribution) != counted:
        raise Disagrees(
            f"it counts contributions of {list(event.contribution)}, the events before it gave {counted} [C6.3]"
        )
    for seat, score in enumerate(event.score):
        if score != event.base[seat] * event.multiplier + event.contribution[seat]:
            raise Disagrees(f"the score of seat {seat} is not base x multiplier + contribution [C6.5]")


def _check_standing(terms: Terms, event: HandAbandoned | HandVoided, given: Given) -> None:
    """Contributions already given stand, unless the ruleset says that they are withdrawn, by events of their own (C5.5)."""
    ruleset = get_ruleset(terms.ruleset, terms.ruleset_version)
    stands = isinstance(ruleset, Ruleset) and ruleset.abandoned_contribution_stands
    expected = [
        sum(points for (whose, _), points in given.items() if stands and whose == player_account(player))
        for player in event.players
    ]
    if list(event.contribution) != expected:
        raise Disagrees(
            f"it lets contributions of {list(event.contribution)} stand, {terms.ruleset} says {expected} [C5.5]"
        )


def _check_settled(ruleset: TrumpsRuleset, event: HandSettled) -> None:
    """The points must lead to the row, the row to levels and scores (T7)."""
    kitty = points_in(event.kitty)
    if event.kitty_points != kitty:
        raise Disagrees(f"the kitty holds {kitty} points, not {event.kitty_points} [T7.1]")
    points = max(event.taken + kitty * event.multiplier, ruleset.least_points)
    if event.points != points:
        raise Disagrees(
            f"{event.taken} points and {event.multiplier} x {kitty} are {points}, not {event.points} [T7.3]"
        )
    row = ruleset.results.row(points)
    if event.row != row.points:
        raise Disagrees(f"the row of {points} points begins at {row.points}, not at {event.row} [T7.4]")
    take_over = points >= ruleset.results.take_over
    if event.take_over != take_over:
        raise Disagrees(f"with {points} points the attackers {'take' if take_over else 'do not take'} over [T7.4]")
    levels = (0, row.levels) if take_over else (row.levels, 0)
    if event.levels != levels:
        raise Disagrees(f"with {points} points the sides rise by {levels}, not by {event.levels} [T7.4]")
    declaring = side_of(event.declarer)
    score = tuple(row.each if side_of(seat) == declaring else -row.each for seat in SEATS)
    if event.score != score:
        raise Disagrees(f"with {points} points the scores are {score}, not {event.score} [T7.4]")


def _check_escaped(ruleset: TrumpsRuleset, event: HandEscaped) -> None:
    """The leaver pays, the opponents get M, the partner what they would have lost (T8.3, T8.4)."""
    most, leaver = event.most, event.seat
    if event.players[leaver] != event.player:
        raise Disagrees(f"{event.player} did not sit on seat {leaver} [T8]")
    by_seat = {leaver: -ruleset.escape_factor * max(most, 0), partner_of(leaver): max(-most, 0)}
    score = tuple(by_seat.get(seat, most) for seat in SEATS)
    if event.score != score:
        clause = "T8.3" if most >= 1 else "T8.4"
        raise Disagrees(f"with M = {most} the scores are {score}, not {event.score} [{clause}]")
