"""One hand of the climbing family: what may happen (`refusal`), what does (`decide`), and what it changes (`evolve`). C2, C5.

All three are pure. `decide` gives events in the order in which they happen; `evolve` is the only code that changes a hand, for play, audit
and replay alike. How a hand begins is in `dealing`.
"""

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from domain.cards import counts_of
from domain.changing import changed
from domain.climbing.explaining import coins_text
from domain.climbing.ruleset import Ruleset
from domain.climbing.scoring import BombPlay, CoinRoom, contribution_for, finish_now, settle, shares
from domain.climbing.tables import tables_for
from domain.refusal import Refusal
from domain.seats import SEATS, next_seat, partner_of
from schemas.commands import Bury, Counter, DealOn, Declare, Decline, HandCommand, Leave, Pass, Play
from schemas.events import (
    ContributionScored,
    Dealt,
    Event,
    Finished,
    Four,
    HandAbandoned,
    HandScored,
    HandStarted,
    HandVoided,
    Passed,
    Played,
    Players,
    SeatsSwapped,
    TrickWon,
)
from schemas.notation import ORDER, format_cards, told
from schemas.readings import Reading

Holding = tuple[str, ...]
Holdings = tuple[Holding, Holding, Holding, Holding]


class TrickPlay(NamedTuple):
    """Something done in the present trick: a play with its reading and the version of its event, or a pass (no cards)."""

    seat: int
    version: int
    cards: Holding = ()
    reading: Reading | None = None


class Hand(NamedTuple):
    """A hand of the climbing family as it stands. A named tuple, since every event makes a new one and nothing is made faster.

    `players` are in the order of the seats, `seated` as they sat when the hand started, before any swap.
    `turn` is the seat to move, None before the deal and when the hand is over. `trick` holds what was done in the present trick, in order;
    `best` its strongest play so far. `bombs` are all bombs played, for the score. `contribution` what was given so far, by seat.
    """

    number: int
    ruleset: Ruleset
    commitment: str
    players: Players
    seated: Players
    holdings: Holdings = ((), (), (), ())
    dealt: Dealt | None = None
    turn: int | None = None
    trick_number: int = 0
    trick: tuple[TrickPlay, ...] = ()
    best: TrickPlay | None = None
    finish: tuple[int, ...] = ()
    bombs: tuple[BombPlay, ...] = ()
    contribution: Four = (0, 0, 0, 0)
    coins: CoinRoom | None = None
    scored: HandScored | None = None
    abandoned: HandAbandoned | None = None
    voided: HandVoided | None = None

    @property
    def over(self) -> bool:
        """Whether the hand was scored, abandoned or dissolved."""
        return self.scored is not None or self.abandoned is not None or self.voided is not None

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the hand waits for: the one to move, if any."""
        return () if self.turn is None else (self.turn,)

    @property
    def lead(self) -> Reading | None:
        """What must be beaten now; None when the seat to move leads."""
        return self.best.reading if self.best else None


def refusal(hand: Hand, command: HandCommand) -> Refusal | None:
    """Why a rule refuses the command now, or None when it is allowed (C5.6)."""
    if hand.turn is None or hand.over:
        return Refusal("hand_over", "C5.6", "The hand is over; start the next one.", "本局已结束。")
    match command:
        case Leave():
            return None
        case Pass(seat=seat) | Play(seat=seat) if seat != hand.turn:
            return Refusal(
                "not_your_turn",
                "C5.6",
                f"It is seat {hand.turn}'s turn, not seat {seat}'s.",
                f"轮到{hand.turn}号座位。",
            )
        case Pass():
            if hand.best is None:
                return Refusal("cannot_pass_leading", "C5.6", "You lead this trick and must play.", "首家出牌,不能过。")
            return None
        case Play():
            return _refusal_of_play(hand, command)
        case DealOn() | Declare() | Bury() | Counter() | Decline():
            return Refusal(
                "not_in_this_game", "C5.6", "There are no trumps and no kitty in this game.", "此玩法没有主牌和底牌。"
            )
        case _:
            assert_never(command)


def _refusal_of_play(hand: Hand, play: Play) -> Refusal | None:
    missing = _missing(hand.holdings[play.seat], play.cards)
    if missing:
        text = told(missing)
        return Refusal("not_in_hand", "C5.6", f"You do not hold {text}.", f"手中没有这些牌:{text}。")
    tables = tables_for(hand.ruleset)
    counts = counts_of(play.cards)
    if not tables.readings(counts):
        return Refusal(
            "no_pattern",
            "C3",
            f"{told(play.cards) or 'No card'} forms no pattern of {hand.ruleset.title_en}.",
            "不成牌型。",
        )
    if hand.best and tables.read(counts, hand.lead) is None:
        assert hand.best.reading is not None  # noqa: S101 - the best play of a trick is a play
        return Refusal(
            "does_not_beat",
            "C4",
            f"{told(play.cards)} does not beat {format_cards(hand.best.cards)} ({words(hand.best.reading)}).",
            "压不住上家的牌。",
        )
    return None


def words(reading: Reading) -> str:
    """A reading in words: `bomb of five 7s` becomes `bomb 7 x5`; runs name their top rank."""
    stars = f", {reading.stars} stars" if reading.stars else ""
    return f"{reading.pattern.replace('_', ' ')} to {reading.rank}, {reading.cards} {'card' if reading.cards == 1 else 'cards'}{stars}"


def decide(hand: Hand, command: HandCommand, version: int) -> Iterator[Event]:
    """What an allowed command makes happen; `version` is the version its first event will have."""
    match command:
        case Play():
            yield from _decide_play(hand, command, version)
        case Pass():
            yield Passed(hand=hand.number, trick=hand.trick_number, seat=command.seat)
            won = _trick_won(hand, command.seat)
            if won:
                yield won
        case Leave():
            yield from _abandon(hand, command.seat, version)
        case DealOn() | Declare() | Bury() | Counter() | Decline():
            raise ValueError("decide: not in this game; ask refusal() first")
        case _:
            assert_never(command)


def void(hand: Hand, seat: int, version: int) -> Iterator[Event]:
    """End the hand because all agreed to dissolve the table, this seat last; `version` is that of its first event."""
    yield HandVoided(hand=hand.number, reason="dissolved", contribution=_standing(hand), players=hand.players)
    yield from _withdraw(hand, seat, version)


def _abandon(hand: Hand, seat: int, version: int) -> Iterator[Event]:
    yield HandAbandoned(
        hand=hand.number, seat=seat, player=hand.players[seat], contribution=_standing(hand), players=hand.players
    )
    yield from _withdraw(hand, seat, version)


def _standing(hand: Hand) -> Four:
    """The contributions that stand though the hand is not scored (C5.5)."""
    return hand.contribution if hand.ruleset.abandoned_contribution_stands else (0, 0, 0, 0)


def _withdraw(hand: Hand, seat: int, version: int) -> Iterator[Event]:
    if not hand.ruleset.abandoned_contribution_stands and any(hand.contribution):
        a, b, c, d = hand.contribution
        yield ContributionScored(
            hand=hand.number,
            seat=seat,
            stars=0,
            play=version,
            reason="withdrawn",
            points=(-a, -b, -c, -d),
            players=hand.players,
        )


def _decide_play(hand: Hand, play: Play, version: int) -> Iterator[Event]:
    reading = tables_for(hand.ruleset).read(counts_of(play.cards), hand.lead)
    if reading is None:
        raise ValueError("decide: the play is not allowed; ask refusal() first")
    played = Played(
        hand=hand.number,
        trick=hand.trick_number,
        seat=play.seat,
        cards=tuple(sorted(play.cards, key=ORDER.__getitem__)),
        reading=reading,
        left=len(hand.holdings[play.seat]) - len(play.cards),
    )
    yield played
    points = contribution_for(hand.ruleset, reading.stars) if reading.is_bomb else 0
    if points:
        yield ContributionScored(
            hand=hand.number,
            seat=play.seat,
            stars=reading.stars,
            play=version,
            reason="at_once",
            points=shares(play.seat, points),
            players=hand.players,
        )
    if played.left:
        return
    hand = evolve(hand, played, version)
    finished = Finished(hand=hand.number, seat=play.seat, position=len(hand.finish) + 1)
    yield finished
    finish = finish_now((*hand.finish, play.seat))
    if finish:
        yield from _score(hand, finish)


def _score(hand: Hand, finish: Four) -> Iterator[Event]:
    settlement = settle(hand.ruleset, finish, hand.bombs, hand.coins)
    for group in settlement.groups:
        yield ContributionScored(
            hand=hand.number,
            seat=group.seat,
            stars=group.stars,
            play=group.event,
            reason="accumulated",
            points=shares(group.seat, group.points),
            players=hand.players,
        )
    coins = settlement.coins
    yield HandScored(
        hand=hand.number,
        finish=finish,
        outcome=settlement.outcome,
        base=settlement.base,
        multiplier=settlement.multiplier,
        contribution=settlement.contribution,
        score=settlement.score,
        coins=(coins_text(coins[0]), coins_text(coins[1]), coins_text(coins[2]), coins_text(coins[3]))
        if coins
        else None,
        players=hand.players,
        why=settlement.why,
    )


def _trick_won(hand: Hand, passing: int) -> TrickWon | None:
    """The end of the trick, if with this seat every other player still in the hand has passed since the last play (C5.2, C5.3)."""
    best = hand.best
    if best is None:
        return None
    since = {passing, *(done.seat for done in hand.trick if done.version > best.version)}
    if any(hand.holdings[seat] and seat != best.seat and seat not in since for seat in SEATS):
        return None
    out = not hand.holdings[best.seat]
    if not out:
        leads = best.seat
    elif hand.ruleset.catch_the_wind:
        leads = partner_of(best.seat)
    else:
        leads = _next_in(hand.holdings, best.seat)
    return TrickWon(
        hand=hand.number,
        trick=hand.trick_number,
        seat=best.seat,
        play=best.version,
        leads=leads,
        caught_wind=out and hand.ruleset.catch_the_wind,
    )


def begin(started: HandStarted, ruleset: Ruleset, coins: CoinRoom | None) -> Hand:
    """The hand that this event starts."""
    return Hand(started.hand, ruleset, started.commitment, started.players, started.players, coins=coins)


def evolve(hand: Hand, event: Event, version: int) -> Hand:
    """The hand after an event, the `version`-th of its table."""
    match event:
        case Played():
            return _evolve_played(hand, event, version)
        case Passed():
            trick = (*hand.trick, TrickPlay(event.seat, version))
            return changed(hand, {"trick": trick, "turn": _next_in(hand.holdings, event.seat)})
        case TrickWon():
            return hand._replace(turn=event.leads, trick_number=hand.trick_number + 1, trick=(), best=None)
        case ContributionScored():
            return hand._replace(contribution=_add(hand.contribution, event.points))
        case Finished():
            return hand._replace(finish=(*hand.finish, event.seat))
        case Dealt():
            return hand._replace(dealt=event, holdings=event.holdings, turn=event.leader, trick_number=1)
        case SeatsSwapped():
            return _evolve_swapped(hand, event)
        case _:
            return _evolve_over(hand, event)


def _evolve_over(hand: Hand, event: Event) -> Hand:
    match event:
        case HandScored():
            return hand._replace(scored=event, finish=event.finish, turn=None)
        case HandAbandoned():
            return hand._replace(abandoned=event, turn=None)
        case HandVoided():
            return hand._replace(voided=event, turn=None)
        case _:
            raise ValueError(f"{event.TYPE} is no event of a hand of the climbing family")


def _evolve_played(hand: Hand, played: Played, version: int) -> Hand:
    left = list(hand.holdings[played.seat])
    for card in played.cards:
        left.remove(card)
    holdings = _replaced(hand.holdings, played.seat, tuple(left))
    play = TrickPlay(played.seat, version, played.cards, played.reading)
    bombs = hand.bombs
    if played.reading.is_bomb:
        bombs = (*bombs, BombPlay(played.seat, played.reading, version))
    trick, turn = (*hand.trick, play), _next_in(holdings, played.seat)
    return changed(hand, {"holdings": holdings, "trick": trick, "best": play, "bombs": bombs, "turn": turn})


def _evolve_swapped(hand: Hand, swapped: SeatsSwapped) -> Hand:
    a, b = swapped.seats
    holdings = _replaced(_replaced(hand.holdings, a, hand.holdings[b]), b, hand.holdings[a])
    return hand._replace(players=swapped.players, holdings=holdings)


def _replaced(holdings: Holdings, seat: int, new: Holding) -> Holdings:
    each = [*holdings]
    each[seat] = new
    return (each[0], each[1], each[2], each[3])


def _next_in(holdings: Holdings, seat: int) -> int:
    """The next seat after this one that still has cards; the seat itself if no other has."""
    following = next_seat(seat)
    while not holdings[following] and following != seat:
        following = next_seat(following)
    return following


def _missing(holding: Holding, cards: Holding) -> list[str]:
    left = list(holding)
    missing = []
    for card in cards:
        if card in left:
            left.remove(card)
        else:
            missing.append(card)
    return missing


def _add(a: Four, b: Four) -> Four:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
