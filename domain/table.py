"""A table: commands in, events out. `decide` and `evolve` are pure; everything else only carries their results about.

A table opens for one ruleset, seats four players, and plays hands until the match is over. What happens inside a hand
is the business of its family; the table keeps what outlives a hand: who sits where, who leads or declares next, levels, the scores.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar, assert_never

from domain import hands
from domain.automatic import automatic
from domain.chance import Chance, Salts, seeded
from domain.changing import changed
from domain.climbing.ruleset import PreviousFirst, Ruleset
from domain.climbing.scoring import MOST_AMOUNT, CoinRoom
from domain.hands import Hand, UnknownRuleset, get_ruleset
from domain.refusal import Refusal, Refused
from domain.seats import SEATS
from domain.shuffle import check_seed
from domain.trumps import match as levels
from domain.trumps.match import Standing
from domain.trumps.ruleset import TrumpsRuleset
from schemas.canonical import GENESIS
from schemas.commands import (
    Bury,
    Command,
    CommitSeed,
    Counter,
    DealOn,
    Declare,
    Decline,
    GiveSalt,
    HandCommand,
    Leave,
    OpenTable,
    Pass,
    Play,
    Return,
    SeatPlayer,
    StartHand,
    TimeOut,
    VoteDissolve,
)
from schemas.envelope import TABLE_ID, Recorded, record
from schemas.events import (
    ContributionScored,
    DissolveVoted,
    Event,
    HandAbandoned,
    HandScored,
    HandStarted,
    HandVoided,
    Passed,
    Played,
    PlayerLeft,
    PlayerReturned,
    PlayerSeated,
    SaltGiven,
    SeatsSwapped,
    SeedCommitted,
    SeedRevealed,
    TableClosed,
    TableOpened,
    TableOptions,
    TimedOut,
)
from schemas.notation import Unreadable
from schemas.text import is_name
from schemas.trumps import CardsPlayed, DeclarationDeclined, HandEscaped, HandSettled, LevelRaised

MAX_PLAYER: Final = 64
"""Longest name of a player, in characters."""
Held = TypeVar("Held", str | None, int)
SALT: Final = re.compile(r"[\x21-\x7e]{1,64}")
"""What a player may add to the chance of a hand."""
PLAYS: Final = (Played, Passed, CardsPlayed)
"""The events that change nothing but the hand, and are most of all events."""
OVER: Final = (HandScored, HandAbandoned, HandVoided, HandSettled, HandEscaped)
"""The events that end a hand."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a decision is given from outside, since nothing in the game reads a clock or makes up an id.

    `time` in UTC with milliseconds, `command` the command's id, `seed` the seed of the hand that is starting or being
    played (64 hexadecimal digits; needed by every command that meets chance or may end a hand). `chance` stands for the
    seed where that is not revealed yet.
    """

    time: str
    command: str
    seed: str | None = None
    chance: Chance | None = None


NO_SCORES: Final[Mapping[str, int]] = MappingProxyType({})
"""The scores of a table before anything was scored."""


class Table(NamedTuple):
    """A table as it stands after `version` events, the last of which has the hash `head` and happened at `time`.

    `hand` is the present or latest hand, `hands` its number (0 before the first). `first` is the seat that leads the next hand where the
    ruleset lets the previous hand decide (C2), None when it is drawn; `standing` are levels and next declarer in games that have them
    (T1). `seatings` are the versions of the events that gave the players their seats: a name that comes back is another seating. `scores`
    are points by player, over the whole match. `seed` is that of the hand once it is revealed. `turned` is when the
    decision that is waited for came up. `away` are the players for whom the table plays (托管), `votes` those who want it dissolved.
    `commitment` and `salts` are those of the next hand, where players may add to its chance.
    """

    id: str
    version: int
    head: str
    time: str
    family: Literal["climbing", "trumps"]
    ruleset: str
    ruleset_version: int
    options: TableOptions
    players: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None)
    seatings: tuple[int, int, int, int] = (0, 0, 0, 0)
    hands: int = 0
    hand: Hand | None = None
    first: int | None = None
    standing: Standing | None = None
    scores: Mapping[str, int] = NO_SCORES
    seed: str | None = None
    turned: str = ""
    away: tuple[str, ...] = ()
    votes: tuple[str, ...] = ()
    commitment: str | None = None
    salts: Salts = ()
    hand_salts: Salts = ()
    closed: bool = False

    @property
    def playing(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and not self.hand.over

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the table waits for."""
        return self.hand.waiting if self.hand is not None else ()

    def seat_of(self, player: str) -> int | None:
        """Where a player sits now, None if nowhere."""
        return self.players.index(player) if player in self.players else None

    def is_away(self, seat: int) -> bool:
        """Whether the table plays for a seat."""
        return self.players[seat] in self.away


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
        case CommitSeed():
            return _refusal_to_commit(table)
        case DealOn():
            return _refusal_in_hand(table, command)
        case _:
            if command.seat not in SEATS:
                raise Unreadable(_no_seat(command.seat))
            return _refusal_of_seat(table, command)


def _refusal_to_start(table: Table) -> Refusal | None:
    if table.playing:
        return Refusal("hand_running", "C5.4", "A hand is being played; finish it first.", "本局尚未结束。")
    if None in table.players:
        return Refusal("players_missing", "C1", "A hand needs four players.", "需要四名玩家。")
    if table.options.salts and table.commitment is None:
        en = "The table has not committed to the seed of the next hand yet; try again in a moment."
        return Refusal("seed_not_committed", "C2", en, "下一局的种子尚未承诺,请稍候。")
    return None


def _refusal_to_commit(table: Table) -> Refusal | None:
    if not table.options.salts:
        return Refusal("no_salts", "C2", "Players do not add to the chance of this table.", "本桌不接受玩家随机数。")
    if table.playing or table.commitment is not None:
        return Refusal("seed_committed", "C2", "There is a commitment to a seed already.", "种子已承诺。")
    return None


SeatCommand = Declare | Bury | Counter | Decline | Play | Pass | Leave | GiveSalt | TimeOut | Return | VoteDissolve


def _refusal_of_seat(table: Table, command: SeatCommand) -> Refusal | None:
    seat = command.seat
    if not isinstance(command, Declare | Bury | Counter | Decline | Play | Pass) and table.players[seat] is None:
        return Refusal("seat_empty", "", f"Nobody sits on seat {seat}.", f"{seat}号座位没有人。")
    match command:
        case Leave():
            return None
        case GiveSalt():
            return _refusal_of_salt(table, command)
        case TimeOut():
            return _refusal_to_time_out(table, command)
        case Return():
            if not table.is_away(seat):
                return Refusal("not_away", "", f"The table does not play for seat {seat}.", f"{seat}号座位未托管。")
            return None
        case VoteDissolve():
            return _refusal_to_vote(table, command)
        case _:
            return _refusal_in_hand(table, command)


def _refusal_in_hand(table: Table, command: HandCommand) -> Refusal | None:
    if table.hand is None:
        return Refusal("no_hand", "C5.6", "No hand has been started.", "尚未开局。")
    return hands.refusal(table.hand, command)


def _refusal_of_salt(table: Table, command: GiveSalt) -> Refusal | None:
    if not SALT.fullmatch(command.salt):
        raise Unreadable("salt: must be 1 to 64 visible ASCII characters")
    if not table.options.salts:
        return Refusal("no_salts", "C2", "Players do not add to the chance of this table.", "本桌不接受玩家随机数。")
    if table.commitment is None:
        return Refusal("seed_not_committed", "C2", "This is done before a hand starts.", "须在开局之前。")
    if any(seat == command.seat for seat, _ in table.salts):
        return Refusal("salt_given", "C2", "This seat has added to the next hand already.", "该座位已提交随机数。")
    return None


def _refusal_to_time_out(table: Table, command: TimeOut) -> Refusal | None:
    seconds = table.options.turn_seconds
    if seconds is None:
        return Refusal("no_clock", "", "This table has no clock.", "本桌没有限时。")
    if command.seat not in table.waiting:
        return Refusal("not_your_turn", "", f"Nobody waits for seat {command.seat}.", f"没有在等{command.seat}号座位。")
    if not table.is_away(command.seat) and _moment(command.at) - _moment(table.turned) < timedelta(seconds=seconds):
        return Refusal("clock_running", "", f"Seat {command.seat} still has time.", f"{command.seat}号座位还有时间。")
    return None


def _refusal_to_vote(table: Table, command: VoteDissolve) -> Refusal | None:
    if command.agree and table.players[command.seat] in table.votes:
        return Refusal("already_voted", "", f"Seat {command.seat} has agreed already.", f"{command.seat}号座位已同意。")
    if not command.agree and not table.votes:
        return Refusal("no_vote", "", "Nobody has asked to dissolve the table.", "没有人提出解散。")
    return None


def _moment(time: str) -> datetime:
    return datetime.fromisoformat(time)


def _refusal_to_open(table: Table | None, command: OpenTable) -> Refusal | None:
    if table is not None:
        return Refusal("table_exists", "", "There already is a table with this id.", "桌号已被占用。")
    try:
        ruleset = get_ruleset(command.ruleset, command.version)
    except UnknownRuleset as error:
        return Refusal("unknown_ruleset", "", str(error), "没有这种规则。")
    options = command.options
    if options.coins and (isinstance(ruleset, TrumpsRuleset) or ruleset.coins is None):
        return Refusal("no_coins", "C6.6", f"{ruleset.title_en} has no game coins.", f"{ruleset.title_zh}没有游戏币。")
    room = hands.room_of(options)
    if room and isinstance(ruleset, Ruleset) and ruleset.coins and not room.exact(ruleset.coins):
        raise Unreadable("coins: factor x correction, also by half more, must have at most four decimal places [C6.6]")
    _check_amounts(ruleset, options, room)
    if isinstance(ruleset, TrumpsRuleset):
        levels.start(ruleset, options.level)  # raises Unreadable for a level at which the match would be over
    elif options.level is not None:
        return Refusal("no_levels", "T1.3", f"{ruleset.title_en} has no levels.", f"{ruleset.title_zh}没有级别。")
    return None


def _check_amounts(ruleset: hands.AnyRuleset, options: TableOptions, room: CoinRoom | None) -> None:
    """Raise Unreadable for a table of which one hand could move more than the ledger and its rulings can hold."""
    if room and isinstance(ruleset, Ruleset) and room.most(ruleset) > MOST_AMOUNT:
        moved = f"one hand could move {room.most(ruleset):,f} coins with this factor, fee and correction"
        raise Unreadable(f"coins: {moved}, and no more than {MOST_AMOUNT:,} may be [C6.6]")
    if len(SEATS) * Decimal(options.fee) > MOST_AMOUNT:
        raise Unreadable(f"fee: the house would get more than {MOST_AMOUNT:,} points of one hand")


def _refusal_to_seat(table: Table, command: SeatPlayer) -> Refusal | None:
    name = command.player
    if not is_name(name, MAX_PLAYER):
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
    """The events, sealed and chained, that a command makes happen.

    Raises Refused with the rule that says no, Unreadable for what cannot be understood; then nothing has happened.
    """
    if not TABLE_ID.fullmatch(table_id):
        raise Unreadable(f"table: {table_id!r} is not an id of lower-case letters, digits and hyphens")
    version, prev = (table.version, table.head) if table else (0, GENESIS)
    recorded = []
    for event in happens(table, command, given):
        version += 1
        recorded.append(record(table_id, version, prev, given.time, given.command, event))
        prev = recorded[-1].hash
    return tuple(recorded)


def happens(table: Table | None, command: Command, given: Given) -> Iterator[Event]:
    """The events that a command makes happen, not sealed yet. Raises as `decide` does, before the first one."""
    refused = refusal(table, command)
    if refused:
        raise Refused(refused)
    return _happens(table, command, given)


def _happens(table: Table | None, command: Command, given: Given) -> Iterator[Event]:
    if isinstance(command, OpenTable):
        yield _opened(command)
        return
    if table is None:
        raise ValueError("decide: only OpenTable makes a table")
    match command:
        case SeatPlayer(player=player, seat=seat):
            yield PlayerSeated(player=player, seat=table.players.index(None) if seat is None else seat)
        case StartHand():
            yield from _start(table, given)
        case CommitSeed():
            yield SeedCommitted(hand=table.hands + 1, commitment=_chance(table, given, table.hands + 1).commitment)
        case DealOn():
            yield from _in_hand(table, command, given, table.version + 1)
        case _:
            yield from _happens_by_seat(table, command, given)


def _happens_by_seat(table: Table, command: SeatCommand, given: Given) -> Iterator[Event]:
    seat = command.seat
    player = str(table.players[seat])
    match command:
        case Leave():
            yield from _leave(table, command, given)
        case GiveSalt(salt=salt):
            yield SaltGiven(hand=table.hands + 1, seat=seat, player=player, salt=salt)
        case TimeOut():
            yield TimedOut(hand=table.hands, seat=seat, player=player)
            yield from _in_hand(table, _automatic(table, seat), given, table.version + 2)
        case Return():
            yield PlayerReturned(seat=seat, player=player)
        case VoteDissolve():
            yield from _vote(table, command, given)
        case Declare() | Bury() | Counter() | Decline() | Play() | Pass():
            away = table.is_away(seat)
            if away:
                yield PlayerReturned(seat=seat, player=player)
            yield from _in_hand(table, command, given, table.version + 1 + away)
        case _:
            assert_never(command)


def _opened(command: OpenTable) -> TableOpened:
    ruleset = get_ruleset(command.ruleset, command.version)
    return TableOpened(
        family="climbing" if isinstance(ruleset, Ruleset) else "trumps",
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        options=command.options,
    )


def _automatic(table: Table, seat: int) -> HandCommand:
    if table.hand is None:
        raise ValueError("decide: no hand is being played")
    return automatic(table.hand, seat)


def _leave(table: Table, command: Leave, given: Given) -> Iterator[Event]:
    """The hand is abandoned if one is being played, then the seat is free; whether that ends the match comes last."""
    ending: list[Event] = []
    if table.playing:
        for event in _in_hand(table, command, given, table.version + 1):
            if isinstance(event, TableClosed):
                ending.append(event)
            else:
                yield event
    yield PlayerLeft(player=str(table.players[command.seat]), seat=command.seat)
    if not ending and sum(each is not None for each in table.players) == 1:
        ending.append(TableClosed(reason="everybody_left"))
    yield from ending


def _vote(table: Table, command: VoteDissolve, given: Given) -> Iterator[Event]:
    """Everybody who sits here must agree; then a hand that is being played is void and the match is over."""
    player = str(table.players[command.seat])
    yield DissolveVoted(seat=command.seat, player=player, agree=command.agree)
    seated = {each for each in table.players if each is not None}
    if not command.agree or seated != {*table.votes, player}:
        return
    if table.hand is not None and table.playing:
        yield from hands.void(table.hand, command.seat, table.version + 2)
        yield _revealed(table, table.hand, given)
    yield TableClosed(reason="dissolved")


def _start(table: Table, given: Given) -> Iterator[Event]:
    a, b, c, d = table.players
    if a is None or b is None or c is None or d is None:
        raise ValueError(f"table {table.id}: a hand needs four players")
    chance = _chance(table, given, table.hands + 1, table.salts)
    if table.commitment not in {None, chance.commitment}:
        raise ValueError(f"table {table.id}: the seed given is not the one hand {table.hands + 1} is committed to")
    started = HandStarted(
        hand=table.hands + 1,
        ruleset=table.ruleset,
        ruleset_version=table.ruleset_version,
        commitment=chance.commitment,
        players=(a, b, c, d),
    )
    yield started
    yield from hands.deal(started, table.first, table.standing, chance)


def _in_hand(table: Table, command: HandCommand, given: Given, version: int) -> Iterator[Event]:
    """What a command makes happen in the hand, the first of it at this version, and what the end of the hand brings about."""
    hand = table.hand
    if hand is None:
        raise ValueError("decide: no hand is being played")
    chance = _chance(table, given, table.hands, table.hand_salts) if table.family == "trumps" else None
    over = won = False
    for event in hands.decide(hand, command, version, chance):
        yield event
        over = over or isinstance(event, OVER)
        won = won or (isinstance(event, HandSettled) and event.match_won is not None)
    if not over:
        return
    yield _revealed(table, hand, given)
    if won:
        yield TableClosed(reason="match_won")
    elif table.options.hands == hand.number:
        yield TableClosed(reason="all_hands_played")


def _revealed(table: Table, hand: Hand, given: Given) -> SeedRevealed:
    seed = _seed(given)
    if seeded(seed, table.id, hand.number, table.hand_salts).commitment != hand.commitment:
        raise ValueError(f"table {table.id}: the seed given is not the one hand {hand.number} is committed to")
    return SeedRevealed(hand=hand.number, seed=seed)


def _chance(table: Table, given: Given, hand: int, salts: Salts = ()) -> Chance:
    return given.chance or seeded(_seed(given), table.id, hand, salts)


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
        return _new(recorded, event)
    if recorded.version != table.version + 1 or recorded.table != table.id:
        raise ValueError(f"event {recorded.table}:{recorded.version} does not follow {table.id}:{table.version}")
    hand = table.hand
    if hand is not None and isinstance(event, PLAYS):
        changes: dict[str, Any] = {"hand": hands.evolve(hand, event, recorded.version), "turned": recorded.time}
    else:
        changes = _changes(table, event, recorded)
    return changed(table, {"version": recorded.version, "head": recorded.hash, "time": recorded.time, **changes})


def _new(recorded: Recorded, opened: TableOpened) -> Table:
    ruleset = get_ruleset(opened.ruleset, opened.ruleset_version)
    return Table(
        recorded.table,
        1,
        recorded.hash,
        recorded.time,
        opened.family,
        opened.ruleset,
        opened.ruleset_version,
        opened.options,
        standing=levels.start(ruleset, opened.options.level) if isinstance(ruleset, TrumpsRuleset) else None,
    )


def _changes(table: Table, event: Event, recorded: Recorded) -> dict[str, Any]:
    """The fields of the table that an event changes, besides its version, head and time."""
    match event:
        case PlayerSeated():
            seatings = _with(table.seatings, event.seat, recorded.version)
            return {"players": _with(table.players, event.seat, event.player), "seatings": seatings, "votes": ()}
        case PlayerLeft():
            away = _without(table.away, event.player)
            return {"players": _with(table.players, event.seat, None), "away": away, "votes": ()}
        case TimedOut():
            return {"away": (*_without(table.away, event.player), event.player)}
        case PlayerReturned():
            return {"away": _without(table.away, event.player)}
        case DissolveVoted():
            return {"votes": (*table.votes, event.player) if event.agree else ()}
        case TableClosed():
            return {"closed": True}
        case HandStarted() | SeedCommitted() | SaltGiven() | SeedRevealed():
            return _changes_of_chance(table, event, recorded)
        case _:
            return _changes_of_hand(table, event, recorded)


def _changes_of_chance(
    table: Table, event: HandStarted | SeedCommitted | SaltGiven | SeedRevealed, recorded: Recorded
) -> dict[str, Any]:
    match event:
        case HandStarted():
            salts = {"commitment": None, "salts": (), "hand_salts": table.salts}
            hand = hands.begin(event, table.options)
            return {"hands": event.hand, "hand": hand, "seed": None, "turned": recorded.time, **salts}
        case SeedCommitted():
            return {"commitment": event.commitment}
        case SaltGiven():
            return {"salts": tuple(sorted((*table.salts, (event.seat, event.salt))))}
        case SeedRevealed():
            return {"seed": event.seed}
        case _:
            assert_never(event)


def _changes_of_hand(table: Table, event: Event, recorded: Recorded) -> dict[str, Any]:
    if table.hand is None:
        raise ValueError(f"event {table.id}:{recorded.version}: {event.TYPE} without a hand")
    changes: dict[str, Any] = {"hand": hands.evolve(table.hand, event, recorded.version)}
    if not isinstance(event, DeclarationDeclined):  # the clock of the others who may declare goes on
        changes["turned"] = recorded.time
    match event:
        case SeatsSwapped():
            a, b, c, d = (table.seatings[table.players.index(player)] for player in event.players)
            changes |= {"players": event.players, "seatings": (a, b, c, d)}
        case ContributionScored():
            changes["scores"] = _plus(table.scores, event.players, event.points)
        case HandScored():
            points = tuple(base * event.multiplier for base in event.base)
            changes["scores"] = _plus(table.scores, event.players, points)
            changes["first"] = _leader_after(table, event)
        case HandAbandoned():
            changes["first"] = None
        case HandSettled() | HandEscaped():
            changes["scores"] = _plus(table.scores, event.players, event.score)
            changes["standing"] = _standing_after(table, event)
        case LevelRaised():
            changes["standing"] = _raised(table.standing, event)
        case _:
            pass
    return changes


def _leader_after(table: Table, scored: HandScored) -> int | None:
    """The seat that leads the next hand, None where chance or the face-up card decides (C2)."""
    ruleset = get_ruleset(table.ruleset, table.ruleset_version)
    lead = ruleset.lead if isinstance(ruleset, Ruleset) else None
    return scored.finish[0] if isinstance(lead, PreviousFirst) and scored.outcome in lead.after else None


def _standing_after(table: Table, over: HandSettled | HandEscaped) -> Standing | None:
    """Who declares next (T1.6, T8.6). Levels are raised by events of their own."""
    standing, ruleset = table.standing, get_ruleset(table.ruleset, table.ruleset_version)
    if standing is None or not isinstance(ruleset, TrumpsRuleset):
        return standing
    if isinstance(over, HandEscaped):
        return levels.after_escape(ruleset, standing, over.declarer)
    return Standing(standing.levels, over.next_declarer, over.match_won)


def _raised(standing: Standing | None, event: LevelRaised) -> Standing | None:
    if standing is None:
        return None
    even, odd = standing.levels
    now = (event.after, odd) if event.side == 0 else (even, event.after)
    return Standing(now, standing.declarer, standing.won)


def replay(events: Iterable[Recorded], table: Table | None = None) -> Table:
    """The table after all these events. Raises ValueError for an event out of place or when there is none."""
    for recorded in events:
        table = evolve(table, recorded)
    if table is None:
        raise ValueError("no events: there is no table to replay")
    return table


def _with(seats: tuple[Held, Held, Held, Held], seat: int, held: Held) -> tuple[Held, Held, Held, Held]:
    a, b, c, d = (held if number == seat else each for number, each in enumerate(seats))
    return (a, b, c, d)


def _without(players: tuple[str, ...], player: str) -> tuple[str, ...]:
    return tuple(each for each in players if each != player)


def _plus(scores: Mapping[str, int], players: Iterable[str], points: Iterable[int]) -> Mapping[str, int]:
    more = dict(scores)
    for player, amount in zip(players, points, strict=True):
        more[player] = more.get(player, 0) + amount
    return more
