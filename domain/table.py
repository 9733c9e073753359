"""A table: commands in, events out. `decide` and `evolve` are pure; everything else only carries their results about.

A table opens for one ruleset, seats four players, and plays hands until the match is over. What happens inside a hand
is the business of its family; the table keeps what outlives a hand: who sits where, who leads next, the scores.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, NamedTuple, assert_never
from unicodedata import normalize

from domain.climbing import hand as climbing
from domain.climbing.dealing import Deal, start
from domain.climbing.ruleset import PreviousFirst
from domain.climbing.rulesets import UnknownRuleset, get
from domain.climbing.scoring import CoinRoom
from domain.refusal import Refusal, Refused
from domain.seats import SEATS
from domain.shuffle import check_seed, commitment
from domain.trumps import rulesets as trumps
from schemas.canonical import GENESIS
from schemas.commands import Command, HandCommand, Leave, OpenTable, Pass, Play, SeatPlayer, StartHand
from schemas.envelope import TABLE_ID, Recorded, record
from schemas.events import (
    ContributionScored,
    Event,
    HandAbandoned,
    HandScored,
    HandStarted,
    PlayerLeft,
    PlayerSeated,
    SeatsSwapped,
    SeedRevealed,
    TableClosed,
    TableOpened,
    TableOptions,
)
from schemas.notation import Unreadable

MAX_PLAYER: Final = 64
"""Longest name of a player, in characters."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a decision is given from outside, since nothing in the game reads a clock or makes up an id.

    `time` in UTC with milliseconds, `command` the command's id, `seed` the seed of the hand that is starting or being
    played (64 hexadecimal digits; needed to start a hand and whenever a command may end one).
    """

    time: str
    command: str
    seed: str | None = None


NO_SCORES: Final[Mapping[str, int]] = MappingProxyType({})
"""The scores of a table before anything was scored."""


class Table(NamedTuple):
    """A table as it stands after `version` events, the last of which has the hash `head`.

    `hand` is the present or latest hand, `hands` its number (0 before the first). `first` is the seat that leads the next hand where the
    ruleset lets the previous hand decide (C2), None when it is drawn. `scores` are points by player, over the whole match. `seed` is that
    of the hand once it is revealed.
    """

    id: str
    version: int
    head: str
    ruleset: str
    ruleset_version: int
    options: TableOptions
    players: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None)
    hands: int = 0
    hand: climbing.Hand | None = None
    first: int | None = None
    scores: Mapping[str, int] = NO_SCORES
    seed: str | None = None
    closed: bool = False

    @property
    def playing(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and not self.hand.over

    def seat_of(self, player: str) -> int | None:
        """Where a player sits now, None if nowhere."""
        return self.players.index(player) if player in self.players else None


def refusal(table: Table | None, command: Command) -> Refusal | None:
    """Why the command is refused at this table as it stands, or None when it is allowed.

    Raises Unreadable for a command that names what does not exist (a seat 7, a player without a name).
    """
    if isinstance(command, OpenTable):
        return _refusal_to_open(table, command)
    if table is None:
        return Refusal("no_such_table", "", "There is no such table.", "没有这张桌子。")
    if table.closed:
        return Refusal("table_closed", "", "The match at this table is over.", "本桌比赛已结束。")
    match command:
        case SeatPlayer():
            return _refusal_to_seat(table, command)
        case StartHand():
            return _refusal_to_start(table)
        case Leave(seat=seat) | Play(seat=seat) | Pass(seat=seat):
            if seat not in SEATS:
                raise Unreadable(_no_seat(seat))
            return _refusal_of_seat(table, command)
        case _:
            assert_never(command)


def _refusal_to_start(table: Table) -> Refusal | None:
    if table.playing:
        return Refusal("hand_running", "C5.4", "A hand is being played; finish it first.", "本局尚未结束。")
    if None in table.players:
        return Refusal("players_missing", "C1", "A hand needs four players.", "需要四名玩家。")
    return None


def _refusal_of_seat(table: Table, command: HandCommand) -> Refusal | None:
    if isinstance(command, Leave):
        if table.players[command.seat] is None:
            return Refusal("seat_empty", "", f"Nobody sits on seat {command.seat}.", f"{command.seat}号座位没有人。")
        return None
    if table.hand is None:
        return Refusal("no_hand", "C5.6", "No hand has been started.", "尚未开局。")
    return climbing.refusal(table.hand, command)


def _refusal_to_open(table: Table | None, command: OpenTable) -> Refusal | None:
    if table is not None:
        return Refusal("table_exists", "", "There already is a table with this id.", "桌号已被占用。")
    try:
        ruleset = get(command.ruleset, command.version)
    except UnknownRuleset as error:
        if any(ruleset.id == command.ruleset for ruleset in trumps.all_rulesets()):
            en = f"Tables of {command.ruleset} are not open yet; its rules answer in `shuangkou rules`."
            return Refusal("unknown_ruleset", "", en, "该规则的牌桌尚未开放。")
        return Refusal("unknown_ruleset", "", str(error), "没有这种规则。")
    if command.options.coins and ruleset.coins is None:
        return Refusal("no_coins", "C6.6", f"{ruleset.title_en} has no game coins.", f"{ruleset.title_zh}没有游戏币。")
    return None


def _refusal_to_seat(table: Table, command: SeatPlayer) -> Refusal | None:
    name = command.player
    if not name.strip() or len(name) > MAX_PLAYER or not name.isprintable() or name != normalize("NFC", name.strip()):
        raise Unreadable(f"player: must be a name of 1 to {MAX_PLAYER} printable characters (NFC), no spaces around it")
    if name in table.players:
        return Refusal("already_seated", "", f"{name} already has a seat here.", "该玩家已就座。")
    if command.seat is not None:
        if command.seat not in SEATS:
            raise Unreadable(_no_seat(command.seat))
        if table.players[command.seat] is not None:
            return Refusal("seat_taken", "", f"Seat {command.seat} is taken.", f"{command.seat}号座位已有人。")
    if None not in table.players:
        return Refusal("table_full", "C1", "All four seats are taken.", "四个座位都已有人。")
    return None


def _no_seat(seat: int) -> str:
    return f"seat: {seat!r} is not one of 0, 1, 2, 3"


def decide(table: Table | None, table_id: str, command: Command, given: Given) -> tuple[Recorded, ...]:
    """The events a command makes happen, sealed and in order; at least one.

    Raises Refused when a rule refuses it and Unreadable when it makes no sense; then nothing has happened.
    """
    if not TABLE_ID.fullmatch(table_id):
        raise Unreadable(f"table: {table_id!r} must be up to 64 lower-case letters, digits and hyphens")
    refused = refusal(table, command)
    if refused:
        raise Refused(refused)
    happened: list[Recorded] = []
    for event in _happens(table, command, given):
        version, head = (happened[-1].version, happened[-1].hash) if happened else _position(table)
        happened.append(record(table_id, version + 1, head, given.time, given.command, event))
    return tuple(happened)


def _position(table: Table | None) -> tuple[int, str]:
    return (table.version, table.head) if table else (0, GENESIS)


def _happens(table: Table | None, command: Command, given: Given) -> Iterator[Event]:
    if isinstance(command, OpenTable):
        ruleset = get(command.ruleset, command.version)
        yield TableOpened(
            family="climbing", ruleset=ruleset.id, ruleset_version=ruleset.version, options=command.options
        )
        return
    if table is None:
        raise ValueError("decide: only OpenTable makes a table")
    match command:
        case SeatPlayer(player=player, seat=seat):
            yield PlayerSeated(player=player, seat=table.players.index(None) if seat is None else seat)
        case StartHand():
            yield from _start(table, given)
        case Play() | Pass():
            yield from _in_hand(table, command, given)
        case Leave():
            yield from _leave(table, command, given)
        case _:
            assert_never(command)


def _leave(table: Table, command: Leave, given: Given) -> Iterator[Event]:
    """The hand is abandoned if one is being played, then the seat is free; whether that ends the match comes last."""
    ending: list[Event] = []
    if table.playing:
        for event in _in_hand(table, command, given):
            if isinstance(event, TableClosed):
                ending.append(event)
            else:
                yield event
    yield PlayerLeft(player=str(table.players[command.seat]), seat=command.seat)
    if not ending and sum(each is not None for each in table.players) == 1:
        ending.append(TableClosed(reason="everybody_left"))
    yield from ending


def _start(table: Table, given: Given) -> Iterator[Event]:
    yield from start(get(table.ruleset, table.ruleset_version), next_deal(table, _seed(given)))


def next_deal(table: Table, seed: str) -> Deal:
    """What the next hand of a table is dealt from. Raises ValueError while a seat is free."""
    a, b, c, d = table.players
    if a is None or b is None or c is None or d is None:
        raise ValueError(f"table {table.id}: a hand needs four players")
    return Deal(table.id, table.hands + 1, seed, (a, b, c, d), table.first)


def _in_hand(table: Table, command: HandCommand, given: Given) -> Iterator[Event]:
    hand = table.hand
    if hand is None:
        raise ValueError("decide: no hand is being played")
    over = False
    for event in climbing.decide(hand, command, table.version + 1):
        yield event
        over = over or isinstance(event, HandScored | HandAbandoned)
    if not over:
        return
    seed = _seed(given)
    if commitment(seed, table.id, hand.number) != hand.commitment:
        raise ValueError(f"table {table.id}: the seed given is not the one hand {hand.number} is committed to")
    yield SeedRevealed(hand=hand.number, seed=seed)
    if table.options.hands == hand.number:
        yield TableClosed(reason="all_hands_played")


def _seed(given: Given) -> str:
    if given.seed is None:
        raise ValueError("decide: this command needs the seed of the hand")
    check_seed(given.seed)
    return given.seed


def evolve(table: Table | None, recorded: Recorded) -> Table:
    """The table after a recorded event. Raises ValueError if the event is not the next one of this table."""
    event = recorded.event
    if table is None:
        if not isinstance(event, TableOpened) or recorded.version != 1:
            raise ValueError(f"event {recorded.table}:{recorded.version}: a table begins with its opening, version 1")
        return Table(recorded.table, 1, recorded.hash, event.ruleset, event.ruleset_version, event.options)
    if recorded.version != table.version + 1 or recorded.table != table.id:
        raise ValueError(f"event {recorded.table}:{recorded.version} does not follow {table.id}:{table.version}")
    changes = _changes(table, event, recorded.version)
    return table._replace(version=recorded.version, head=recorded.hash, **changes)


def _changes(table: Table, event: Event, version: int) -> dict[str, Any]:
    """The fields of the table that an event changes, besides its version and head."""
    match event:
        case PlayerSeated():
            return {"players": _with(table.players, event.seat, event.player)}
        case PlayerLeft():
            return {"players": _with(table.players, event.seat, None)}
        case HandStarted():
            ruleset = get(event.ruleset, event.ruleset_version)
            hand = climbing.begin(event, ruleset, _coin_room(table.options))
            return {"hands": event.hand, "hand": hand, "seed": None}
        case SeedRevealed():
            return {"seed": event.seed}
        case TableClosed():
            return {"closed": True}
        case _:
            return _changes_of_hand(table, event, version)


def _changes_of_hand(table: Table, event: Event, version: int) -> dict[str, Any]:
    if table.hand is None:
        raise ValueError(f"event {table.id}:{version}: {event.TYPE} without a hand")
    changes: dict[str, Any] = {"hand": climbing.evolve(table.hand, event, version)}
    match event:
        case SeatsSwapped():
            changes["players"] = event.players
        case ContributionScored():
            changes["scores"] = _plus(table.scores, event.players, event.points)
        case HandScored():
            points = tuple(base * event.multiplier for base in event.base)
            changes["scores"] = _plus(table.scores, event.players, points)
            changes["first"] = _leader_after(table.hand, event)
        case HandAbandoned():
            changes["first"] = None
        case _:
            pass
    return changes


def _leader_after(hand: climbing.Hand, scored: HandScored) -> int | None:
    """The seat that leads the next hand, None where chance or the face-up card decides (C2)."""
    lead = hand.ruleset.lead
    return scored.finish[0] if isinstance(lead, PreviousFirst) and scored.outcome in lead.after else None


def _coin_room(options: TableOptions) -> CoinRoom | None:
    coins = options.coins
    return CoinRoom(Decimal(coins.factor), Decimal(coins.fee), Decimal(coins.correction)) if coins else None


def replay(events: Iterable[Recorded], table: Table | None = None) -> Table:
    """The table after all these events. Raises ValueError for an event out of place or when there is none."""
    for recorded in events:
        table = evolve(table, recorded)
    if table is None:
        raise ValueError("no events: there is no table to replay")
    return table


def _with(
    players: tuple[str | None, str | None, str | None, str | None], seat: int, player: str | None
) -> tuple[str | None, str | None, str | None, str | None]:
    seated = list(players)
    seated[seat] = player
    return (seated[0], seated[1], seated[2], seated[3])


def _plus(scores: Mapping[str, int], players: Iterable[str], points: Iterable[int]) -> Mapping[str, int]:
    more = dict(scores)
    for player, amount in zip(players, points, strict=True):
        more[player] = more.get(player, 0) + amount
    return more
