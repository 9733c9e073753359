"""From an entry of the ledger back to what it comes from (C7.1): the amounts that an event posted, each with events and clauses.

Pure functions over the record of a table: what is explained here is computed by the very functions that keep the books.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from domain.climbing import explaining
from domain.climbing.bombs import BombPlay
from domain.climbing.scoring import CoinRoom
from domain.seats import SEATS, side_of
from projections.amounts import SCALE, UNITS, Unit, plain
from projections.postings import (
    Given,
    Kind,
    Posting,
    Terms,
    add_contribution,
    player_account,
    postings,
    table_account,
    terms_of,
)
from schemas.envelope import Recorded
from schemas.events import ContributionScored, HandAbandoned, HandScored, HandVoided, Played, TableOpened
from schemas.explanation import Why
from schemas.trumps import HandEscaped, HandSettled

POSTING: Final = (ContributionScored, HandScored, HandSettled, HandEscaped)
"""The events that post entries."""
ENDED: Final = (HandAbandoned, HandVoided)
"""The events that end a hand and post nothing."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A step on the way to an amount: in words, with the clause that says so and the event it comes from, where one does.

    `account` is None where a step concerns everybody; `amount` is a number of points, coins or levels, or a factor.
    """

    account: str | None
    amount: int | str
    clause: str
    event: str | None
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Traced:
    """One transaction of an event: what it posted to each account, and why."""

    kind: Kind
    unit: Unit
    amounts: dict[str, int | str]
    why: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that the event `entry` posted."""

    entry: str
    type: str
    time: str
    table: str
    hand: int | None
    transactions: tuple[Traced, ...]


class NothingPosted(Exception):
    """The event posted no entries. The message says why."""


def trace(record: Iterable[Recorded], version: int) -> Trace:
    """Explain what an event of a table posted, from the table's events up to it.

    Raises NothingPosted when it posted nothing or is not there, ProjectionFault when the event disagrees with the ruleset.
    """
    before, wanted = [], None
    for recorded in record:
        if recorded.version == version:
            wanted = recorded
            break
        before.append(recorded)
    if wanted is None:
        raise NothingPosted(f"there is no event {version}")
    event = wanted.event
    if isinstance(event, ENDED):
        raise NothingPosted(
            f"hand {event.hand} was not scored; contributions already given stand or were taken back [C5.5]"
        )
    if not isinstance(event, POSTING):
        raise NothingPosted(f"{event.TYPE} moves no points")
    terms = next(terms_of(each.event) for each in before if isinstance(each.event, TableOpened))
    given: Given = {}
    for each in before:
        if isinstance(each.event, ContributionScored) and each.event.hand == event.hand:
            add_contribution(given, each.event)
    made = postings(wanted, terms, given)
    traced = tuple(_traced(posting, wanted, before, terms) for posting in made)
    return Trace(f"{wanted.table}:{version}", event.TYPE, wanted.time, wanted.table, event.hand, traced)


def trace_ruling(dispute: str, version: int, lines: Sequence[dict[str, Any]]) -> Trace:
    """Explain what a ruling posted, from its lines in the books (`projections.books.ruling`), of which there is at least one."""
    entry, first = f"dispute:{dispute}:{version}", lines[0]
    case = f"dispute:{dispute}"
    traced = [
        Traced(
            "ruling",
            unit,
            {line["account"]: line["amount"] for line in lines if line["unit"] == unit},
            tuple(
                Reason(line["account"], line["amount"], "ruling", case, line["reason"], line["reason"])
                for line in lines
                if line["unit"] == unit
            ),
        )
        for unit in UNITS
        if any(line["unit"] == unit for line in lines)
    ]
    return Trace(entry, "ledger-adjusted", first["time"], first["table"], first["hand"], tuple(traced))


def _traced(posting: Posting, recorded: Recorded, before: Sequence[Recorded], terms: Terms) -> Traced:
    amounts = {account: plain(amount) for account, amount in posting.amounts.items()}
    return Traced(posting.kind, posting.unit, amounts, tuple(_reasons(posting, recorded, before, terms)))


def _reasons(posting: Posting, recorded: Recorded, before: Sequence[Recorded], terms: Terms) -> Iterator[Reason]:
    event = recorded.event
    match posting.kind, event:
        case "contribution", ContributionScored():
            yield from _contribution(recorded, event, before)
        case "base", HandScored():
            yield from _base(recorded, event)
        case "coins", HandScored() if terms.coins is not None:
            yield from _coins(recorded, event, terms.coins)
        case "fee", _:
            yield from _fees(posting, recorded, terms)
        case _, HandSettled():
            yield from (_reason(recorded, why, event.players) for why in event.why)
            yield from _sides(event)
        case _, HandEscaped():
            yield from (_reason(recorded, why, event.players) for why in event.why)
        case _:
            raise ValueError(f"{posting.kind} of {event.TYPE}")
    yield from _remainder(posting, recorded)


def _reason(recorded: Recorded, why: Why, players: Sequence[str]) -> Reason:
    account = None if why.seat is None else player_account(players[why.seat])
    event = None if why.play is None else f"{recorded.table}:{why.play}"
    return Reason(account, why.amount, why.clause, event, why.en, why.zh)


def _contribution(recorded: Recorded, event: ContributionScored, before: Sequence[Recorded]) -> Iterator[Reason]:
    """The bomb and what it gave each seat; or the bombs that add up; or that it is taken back."""
    at = f"{recorded.table}:{event.play}"
    if event.reason == "at_once":
        played = before[event.play - 1].event
        if isinstance(played, Played):
            bomb = BombPlay(event.seat, played.reading, event.play)
            for why in explaining.contribution(bomb, -min(event.points)):
                yield _reason(recorded, why, event.players)
        return
    if event.reason == "accumulated":
        clause = "C6.4"
        en = f"bombs of seat {event.seat} together count as {event.stars} stars: what that is worth beyond what they gave at once"
        zh = f"{event.seat}号炸弹累加为{event.stars}星, 补足差额"
    else:
        clause, en, zh = "C5.5", "the hand was not scored: contributions are taken back", "本局未计分, 贡献分收回"
    for player, points in zip(event.players, event.points, strict=True):
        yield Reason(player_account(player), points, clause, at, en, zh)


def _base(recorded: Recorded, event: HandScored) -> Iterator[Reason]:
    for why in event.why:
        if why.kind in {"outcome", "base", "multiplier"}:
            yield _reason(recorded, why, event.players)
    for seat in SEATS:
        points = event.base[seat] * event.multiplier
        en = f"base x multiplier = {event.base[seat]} x {event.multiplier} = {points}"
        zh = f"底分×倍数 = {event.base[seat]}×{event.multiplier} = {points}"
        yield Reason(player_account(event.players[seat]), points, "C6.5", None, en, zh)


def _coins(recorded: Recorded, event: HandScored, room: CoinRoom) -> Iterator[Reason]:
    for seat in SEATS:
        amount = event.base[seat] * event.multiplier * room.factor
        en = f"base x multiplier x N = {event.base[seat]} x {event.multiplier} x {room.factor} = {amount:f}"
        zh = f"底分×倍数×N = {event.base[seat]}×{event.multiplier}×{room.factor} = {amount:f}"
        yield Reason(player_account(event.players[seat]), _amount(amount), "C6.6", None, en, zh)
    for why in event.why:
        if why.kind == "coins" and why.play is not None:
            yield _reason(recorded, why, event.players)


def _sides(event: HandSettled) -> Iterator[Reason]:
    """What the row of the table gives each player."""
    for seat, player in enumerate(event.players):
        declares = side_of(seat) == side_of(event.declarer)
        en, zh = ("plays on the declaring side", "庄家方") if declares else ("is an attacker", "抓分方")
        yield Reason(
            player_account(player),
            event.score[seat],
            "T7.4",
            None,
            f"{en}: {event.score[seat]:+d}",
            f"{zh}{event.score[seat]:+d}",
        )


def _fees(posting: Posting, recorded: Recorded, terms: Terms) -> Iterator[Reason]:
    """What the house is paid: by the table's own option, or as the fee A of a room that plays for coins."""
    opened = f"{recorded.table}:1"
    if posting.unit == "coins" and terms.coins is not None:
        amount, clause = _amount(terms.coins.fee), "C6.6"
        en, zh = f"fee A of the room: each player pays {amount}", f"房费A: 每人{amount}"
    else:
        amount, clause = plain(terms.fee), "options.fee"
        en = f"fee of the table for a scored hand: each player pays {amount}"
        zh = f"本桌每局台费: 每人{amount}"
    for account, paid in posting.amounts.items():
        yield Reason(account, plain(paid), clause, opened, en, zh)


def _remainder(posting: Posting, recorded: Recorded) -> Iterator[Reason]:
    """Why the table's own account has an entry."""
    account = table_account(recorded.table)
    if account in posting.amounts:
        clause = {"escape": "T8.3", "coins": "C6.6"}.get(posting.kind, "C6.1")
        en = "what the players do not win and lose among themselves stands against the table"
        yield Reason(account, plain(posting.amounts[account]), clause, None, en, "玩家之间不平衡的部分记在牌桌账户")


def _amount(amount: Decimal) -> int | str:
    return plain(int(amount * SCALE))
