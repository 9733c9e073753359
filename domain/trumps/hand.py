"""One hand of the trump family: what may happen (`refusal`), what does (`decide`), and what it changes (`evolve`). T2, T3, T5-T8.

All three are pure, and the only ones that know how a hand goes on; what cards mean is in the modules beside this one.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, assert_never

from domain.chance import Chance
from domain.changing import changed
from domain.refusal import Refusal
from domain.seats import SEATS, next_seat, side_of
from domain.trumps import kitty as burying
from domain.trumps.bidding import (
    Declaration,
    Turned,
    read_declaration,
    refusal_to_counter,
    refusal_to_declare,
    turn_kitty,
)
from domain.trumps.escape import Captured, escape
from domain.trumps.following import refusal as refusal_to_follow
from domain.trumps.kitty import Kitty, refusal_to_bury
from domain.trumps.match import Standing, after_hand
from domain.trumps.order import TRUMPS, Order, order_of, points_in
from domain.trumps.parts import without
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.scoring import Earned, result
from domain.trumps.throwing import judge, must_read_lead, refusal_to_lead
from domain.trumps.trick import winner
from schemas.commands import Bury, Counter, DealOn, Declare, Decline, HandCommand, Leave, Pass, Play
from schemas.events import Event, Four, HandStarted, HandVoided, Players
from schemas.notation import ORDER
from schemas.trumps import (
    Cards,
    CardsDealt,
    CardsPlayed,
    CounterDeclined,
    DealBegun,
    DeclarationDeclined,
    DeclarerNamed,
    HandEscaped,
    HandSettled,
    KittyBuried,
    KittyCountered,
    KittyTaken,
    KittyTurned,
    LevelRaised,
    Levels,
    PointsTaken,
    ThrowFailed,
    TrumpDeclared,
)

Holdings = tuple[Cards, Cards, Cards, Cards]
Phase = Literal["dealing", "declaring", "burying", "countering", "playing", "over"]


class TrickPlay(NamedTuple):
    """A play of the present trick with the version and kind of its event."""

    seat: int
    version: int
    cards: Cards
    kind: str


class Hand(NamedTuple):
    """A hand of the trump family as it stands. A named tuple, since every event makes a new one and nothing is made faster.

    `step` cards are dealt at once; `dealt` counts those dealt. `declined` are the seats that declined to declare since the last
    declaration. `bottom` is the kitty as it was taken or buried last; until that is buried again its cards are in the burier's holding as
    well. `next` is the seat to play, once cards are played. `gone` are the cards of the tricks that are over, `failed` the failed throws by
    seat, `earned` what the attackers got so far, `captured` the points in tricks that each side of the table won.
    """

    number: int
    ruleset: TrumpsRuleset
    commitment: str
    players: Players
    step: int
    level: str = ""
    levels: Levels = ("", "")
    declarer: int | None = None
    holdings: Holdings = ((), (), (), ())
    dealt: int = 0
    in_force: Declaration | None = None
    declined: tuple[int, ...] = ()
    kitty: Kitty | None = None
    bottom: Cards = ()
    turned: KittyTurned | None = None
    next: int | None = None
    trick_number: int = 0
    trick: tuple[TrickPlay, ...] = ()
    gone: Cards = ()
    failed: Four = (0, 0, 0, 0)
    earned: tuple[Earned, ...] = ()
    captured: tuple[int, int] = (0, 0)
    settled: HandSettled | None = None
    escaped: HandEscaped | None = None
    voided: HandVoided | None = None

    @property
    def over(self) -> bool:
        """Whether the hand was settled, left or dissolved."""
        return self.settled is not None or self.escaped is not None or self.voided is not None

    @property
    def phase(self) -> Phase:
        """What is being done now."""
        if self.over:
            return "over"
        if self.dealt < self.ruleset.holding_cards * 4:
            return "dealing"
        if self.kitty is None:
            return "declaring"
        if not self.kitty.buried:
            return "burying"
        return "countering" if burying.asked(self.ruleset, self.kitty) is not None else "playing"

    @property
    def turn(self) -> int | None:
        """The one seat that must act now; None while cards are dealt, while anybody may declare, and when the hand is over."""
        if self.over or self.kitty is None:
            return None
        if not self.kitty.buried:
            return self.kitty.burier
        asked = burying.asked(self.ruleset, self.kitty)
        return self.next if asked is None else asked

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the hand waits for: the one to act, or those that have not declined to declare after the last card (T2.1)."""
        if self.phase == "declaring":
            return tuple(seat for seat in SEATS if seat not in self.declined)
        return () if self.turn is None else (self.turn,)

    @property
    def trump(self) -> str | None:
        """The trump suit, None where there is none (yet)."""
        if self.in_force is not None:
            return self.in_force.trump
        return self.turned.trump if self.turned else None

    @property
    def order(self) -> Order:
        """The order of the cards by the trumps in force."""
        return order_of(self.level, self.trump)

    @property
    def attackers(self) -> int:
        """What the attackers have so far, penalties included (T7.3)."""
        return sum(item.amount for item in self.earned)


def begin(started: HandStarted, ruleset: TrumpsRuleset, step: int) -> Hand:
    """The hand that this event starts; `step` cards are dealt at once."""
    return Hand(started.hand, ruleset, started.commitment, started.players, step)


def refusal(hand: Hand, command: HandCommand) -> Refusal | None:
    """Why a rule refuses the command now, or None when it is allowed."""
    if hand.over:
        return Refusal("hand_over", "T7", "The hand is over; start the next one.", "本局已结束。")
    match command:
        case Leave():
            return None
        case DealOn():
            return (
                None if hand.phase == "dealing" else Refusal("all_dealt", "T2.1", "All cards are dealt.", "牌已发完。")
            )
        case Declare():
            return _refusal_to_declare(hand, command)
        case Decline():
            return _refusal_to_decline(hand, command.seat)
        case Bury():
            return _refusal_of_turn(hand, command.seat, "burying", "T3.1") or refusal_to_bury(
                hand.ruleset, hand.holdings[command.seat], command.cards
            )
        case Counter():
            return _refusal_of_counter(hand, command)
        case Play():
            return _refusal_of_turn(hand, command.seat, "playing", "T5.1") or _refusal_of_play(hand, command)
        case Pass():
            return Refusal(
                "no_passing", "T6.1", "Nobody passes in this game: every seat plays cards.", "此玩法不能过牌。"
            )
        case _:
            assert_never(command)


WORDS = {
    "dealing": ("cards are being dealt", "正在发牌"),
    "declaring": ("trumps may be declared", "正在亮主"),
    "burying": ("the kitty is being buried", "正在扣底"),
    "countering": ("the burial may be countered", "正在反底"),
    "playing": ("cards are being played", "正在出牌"),
}
"""What is being done in a phase, in words."""


def _refusal_of_phase(hand: Hand, phases: Sequence[Phase], clause: str) -> Refusal | None:
    if hand.phase in phases:
        return None
    now_en, now_zh = WORDS[hand.phase]
    en, zh = WORDS[phases[-1]]
    return Refusal("wrong_phase", clause, f"This can be done while {en}; now {now_en}.", f"{zh}时才可以; {now_zh}。")


def _refusal_of_turn(hand: Hand, seat: int, phase: Phase, clause: str) -> Refusal | None:
    wrong = _refusal_of_phase(hand, (phase,), clause)
    if wrong is None and seat != hand.turn:
        return Refusal(
            "not_your_turn", clause, f"It is seat {hand.turn}'s turn, not seat {seat}'s.", f"轮到{hand.turn}号座位。"
        )
    return wrong


def _refusal_to_declare(hand: Hand, command: Declare) -> Refusal | None:
    return _refusal_of_phase(hand, ("dealing", "declaring"), "T2.1") or refusal_to_declare(
        hand.ruleset, hand.level, command.seat, hand.holdings[command.seat], command.cards, hand.in_force
    )


def _refusal_to_decline(hand: Hand, seat: int) -> Refusal | None:
    if hand.phase == "countering":
        return _refusal_of_turn(hand, seat, "countering", "T3.4")
    wrong = _refusal_of_phase(hand, ("countering", "declaring"), "T2.1")
    if wrong is None and seat in hand.declined:
        return Refusal("already_declined", "T2.1", f"Seat {seat} has declined already.", f"{seat}号座位已不亮。")
    return wrong


def _refusal_of_counter(hand: Hand, command: Counter) -> Refusal | None:
    wrong = _refusal_of_turn(hand, command.seat, "countering", "T3.2")
    if wrong is not None or hand.in_force is None:
        return wrong
    return refusal_to_counter(
        hand.ruleset, hand.level, command.seat, hand.holdings[command.seat], command.cards, hand.in_force
    )


def _refusal_of_play(hand: Hand, play: Play) -> Refusal | None:
    holding = hand.holdings[play.seat]
    if not hand.trick:
        return refusal_to_lead(hand.ruleset, hand.order, holding, play.cards, hand.failed[play.seat])
    return refusal_to_follow(hand.order, must_read_lead(hand.order, hand.trick[0].cards), holding, play.cards)


def decide(hand: Hand, command: HandCommand, version: int, chance: Chance) -> Iterator[Event]:
    """What an allowed command makes happen; `version` is the version its first event will have."""
    match command:
        case DealOn():
            upto = min(hand.dealt + hand.step, hand.ruleset.holding_cards * 4)
            yield CardsDealt(hand=hand.number, first=hand.dealt, cards=chance.pack[hand.dealt : upto])
        case Declare():
            yield _declared(hand, command)
        case Decline(seat=seat) if hand.kitty is None:
            declined = DeclarationDeclined(hand=hand.number, seat=seat)
            yield declined
            yield from _end_of_declaring(evolve(hand, declined, version), chance)
        case Decline(seat=seat):
            yield CounterDeclined(hand=hand.number, seat=seat)
        case Bury(seat=seat, cards=cards):
            yield KittyBuried(hand=hand.number, seat=seat, cards=_ordered(cards))
        case Counter():
            yield _countered(hand, command)
            yield KittyTaken(hand=hand.number, seat=command.seat, cards=hand.bottom)
        case Play():
            yield from _decide_play(hand, command, version)
        case Leave(seat=seat):
            yield _escaped(hand, seat, chance)
        case Pass():
            raise ValueError("decide: nobody passes; ask refusal() first")
        case _:
            assert_never(command)


def _declared(hand: Hand, command: Declare) -> TrumpDeclared:
    made = _read(hand, command)
    return TrumpDeclared(
        hand=hand.number,
        seat=made.seat,
        cards=made.cards,
        strength=made.strength,
        trump=made.trump,
        dealt=hand.dealt,
    )


def _countered(hand: Hand, command: Counter) -> KittyCountered:
    made = _read(hand, command)
    return KittyCountered(
        hand=hand.number,
        seat=made.seat,
        cards=made.cards,
        strength=made.strength,
        trump=made.trump,
    )


def _read(hand: Hand, command: Declare | Counter) -> Declaration:
    made = read_declaration(hand.ruleset, hand.level, command.seat, command.cards)
    if made is None:
        raise ValueError("decide: these cards declare nothing; ask refusal() first")
    return made


def void(hand: Hand) -> HandVoided:
    """The end of the hand because all agreed to dissolve the table."""
    return HandVoided(hand=hand.number, reason="dissolved", contribution=(0, 0, 0, 0), players=hand.players)


def _end_of_declaring(hand: Hand, chance: Chance) -> Iterator[Event]:
    """All have declined: trumps are made by the kitty if nobody declared, and the declarer takes it up (T2.5, T3.1)."""
    if len(hand.declined) < len(SEATS):
        return
    kitty = chance.pack[hand.ruleset.holding_cards * 4 :]
    if hand.in_force is None:
        yield _turned(hand, turn_kitty(hand.ruleset, hand.level, kitty), kitty)
    named = _named(hand, chance)
    yield named
    yield KittyTaken(hand=hand.number, seat=named.seat, cards=kitty)


def _turned(hand: Hand, turned: Turned, kitty: Cards) -> KittyTurned:
    shown = kitty[: turned.position + 1] if turned.by == "level_card" else kitty
    return KittyTurned(
        hand=hand.number,
        cards=shown,
        trump=turned.trump,
        by=turned.by,
    )


def _named(hand: Hand, chance: Chance) -> DeclarerNamed:
    if hand.declarer is not None:
        return DeclarerNamed(hand=hand.number, seat=hand.declarer, by="previous")
    if hand.in_force is not None:
        return DeclarerNamed(hand=hand.number, seat=hand.in_force.seat, by="declaration")
    return DeclarerNamed(hand=hand.number, seat=chance.draw("declarer", 4), by="drawn")


def _decide_play(hand: Hand, play: Play, version: int) -> Iterator[Event]:
    if hand.trick:
        yield from _play(hand, play.seat, play.cards, version)
        return
    others = [hand.holdings[seat] for seat in SEATS if seat != play.seat]
    judgement = judge(hand.ruleset, hand.order, must_read_lead(hand.order, play.cards), others)
    if not judgement.holds:
        penalty = hand.ruleset.throw_penalty
        failed = ThrowFailed(
            hand=hand.number,
            trick=hand.trick_number,
            seat=play.seat,
            cards=_ordered(play.cards),
            beatable=tuple(part.cards for part in judgement.beatable),
            led=_ordered(judgement.lead),
            points=penalty if _declaring(hand, play.seat) else -penalty,
            failed=hand.failed[play.seat] + 1,
        )
        yield failed
        hand, version = evolve(hand, failed, version), version + 1
    yield from _play(hand, play.seat, judgement.lead, version)


def _play(hand: Hand, seat: int, cards: Sequence[str], version: int) -> Iterator[Event]:
    kind, parts = _kind(hand, cards)
    played = CardsPlayed(
        hand=hand.number,
        trick=hand.trick_number,
        seat=seat,
        cards=_ordered(cards),
        kind=kind,
        parts=parts,
        left=len(hand.holdings[seat]) - len(cards),
    )
    yield played
    hand = evolve(hand, played, version)
    if len(hand.trick) < len(SEATS):
        return
    best = hand.trick[winner(hand.order, [each.cards for each in hand.trick])]
    points = sum(points_in(each.cards) for each in hand.trick)
    taken = PointsTaken(
        hand=hand.number,
        trick=hand.trick_number,
        seat=best.seat,
        play=best.version,
        points=points,
        attackers=hand.attackers + (0 if _declaring(hand, best.seat) else points),
    )
    yield taken
    if not any(hand.holdings):
        yield from _settle(evolve(hand, taken, version + 1), best)


Kind = Literal["single", "pair", "tractor", "throw", "follow", "trump", "discard"]


def _kind(hand: Hand, cards: Sequence[str]) -> tuple[Kind, tuple[Cards, ...]]:
    """What a play is: a lead by its parts; a follow by its suit. Whether trumps match the shape is for the winner to say (T6.4)."""
    order = hand.order
    if not hand.trick:
        lead = must_read_lead(order, cards)
        return "throw" if lead.is_throw else lead.parts[0].kind, tuple(part.cards for part in lead.parts)
    suit, led = order.common_suit(cards), order.suit[hand.trick[0].cards[0]]
    if suit == led:
        return "follow", ()
    return "trump" if suit == TRUMPS else "discard", ()


def _settle(hand: Hand, last: TrickPlay) -> Iterator[Event]:
    declarer = hand.declarer
    if declarer is None:
        raise ValueError(f"hand {hand.number}: cards were played without a declarer")
    won_by: Literal["declarers", "attackers"] = "declarers" if _declaring(hand, last.seat) else "attackers"
    scored = result(hand.ruleset, hand.order, hand.earned, points_in(hand.bottom), last.cards, won_by)
    after = after_hand(hand.ruleset, Standing(hand.levels, declarer), declarer, scored)
    if after.declarer is None:
        raise ValueError(f"hand {hand.number}: a scored hand has a next declarer")
    yield HandSettled(
        hand=hand.number,
        declarer=declarer,
        kitty=_ordered(hand.bottom),
        kitty_points=scored.kitty,
        multiplier=scored.multiplier,
        taken=scored.taken,
        points=scored.points,
        row=scored.row.points,
        levels=(scored.levels.declarers, scored.levels.attackers),
        take_over=scored.take_over,
        next_declarer=after.declarer,
        match_won=after.won,
        score=scored.scores(declarer),
        players=hand.players,
        why=scored.why,
    )
    for side in (0, 1):
        if after.levels[side] != hand.levels[side]:
            yield LevelRaised(
                hand=hand.number,
                side=side,
                before=hand.levels[side],
                after=after.levels[side],
            )


def _escaped(hand: Hand, seat: int, chance: Chance) -> HandEscaped:
    kitty = hand.bottom or chance.pack[hand.ruleset.holding_cards * 4 :]
    declaring = 0 if hand.declarer is None else side_of(hand.declarer)
    penalties = sum(item.amount for item in hand.earned if item.kind == "penalty")
    captured = Captured(hand.captured[declaring], hand.captured[1 - declaring], penalties, points_in(kitty))
    left = escape(hand.ruleset, seat, hand.declarer, captured)
    return HandEscaped(
        hand=hand.number,
        seat=seat,
        player=hand.players[seat],
        declarer=hand.declarer,
        most=left.most,
        score=left.scores,
        players=hand.players,
        why=left.why,
    )


def _declaring(hand: Hand, seat: int) -> bool:
    return hand.declarer is not None and side_of(hand.declarer) == side_of(seat)


def evolve(hand: Hand, event: Event, version: int) -> Hand:
    """The hand after an event, the `version`-th of its table."""
    match event:
        case CardsPlayed():
            return _evolve_played(hand, event, version)
        case PointsTaken():
            return _evolve_taken(hand, event, version)
        case CardsDealt():
            return _evolve_dealt(hand, event)
        case ThrowFailed(seat=seat):
            a, b, c, d = (event.failed if each == seat else hand.failed[each] for each in SEATS)
            penalty = Earned("penalty", event.points, event.trick, version)
            return hand._replace(failed=(a, b, c, d), earned=(*hand.earned, penalty))
        case HandSettled():
            return hand._replace(settled=event, next=None)
        case HandEscaped():
            return hand._replace(escaped=event, next=None)
        case HandVoided():
            return hand._replace(voided=event, next=None)
        case LevelRaised():
            return hand
        case _:
            return _evolve_before_play(hand, event)


def _evolve_before_play(hand: Hand, event: Event) -> Hand:
    match event:
        case DealBegun():
            return hand._replace(level=event.level, levels=event.levels, declarer=event.declarer)
        case TrumpDeclared(seat=seat):
            made = Declaration(seat, event.cards, event.strength, event.trump)
            return hand._replace(in_force=made, declined=(seat,) if hand.phase == "declaring" else ())
        case DeclarationDeclined(seat=seat):
            return hand._replace(declined=(*hand.declined, seat))
        case KittyTurned():
            return hand._replace(turned=event)
        case DeclarerNamed(seat=seat):
            return hand._replace(declarer=seat)
        case KittyTaken():
            return _evolve_kitty_taken(hand, event)
        case KittyBuried(seat=seat):
            left = tuple(without(hand.holdings[seat], event.cards))
            return _ready(
                hand._replace(
                    holdings=_with(hand.holdings, seat, left),
                    bottom=event.cards,
                    kitty=burying.bury(_kitty(hand)),
                )
            )
        case KittyCountered(seat=seat):
            made = Declaration(seat, event.cards, event.strength, event.trump)
            return hand._replace(in_force=made, kitty=burying.counter(_kitty(hand), made))
        case CounterDeclined(seat=seat):
            return _ready(hand._replace(kitty=burying.decline(_kitty(hand), seat)))
        case _:
            raise ValueError(f"{event.TYPE} is no event of a hand of the trump family")


def _evolve_dealt(hand: Hand, event: CardsDealt) -> Hand:
    holdings = list(hand.holdings)
    for position, card in enumerate(event.cards, event.first):
        seat = position % 4
        holdings[seat] = _ordered((*holdings[seat], card))
    return hand._replace(
        holdings=(holdings[0], holdings[1], holdings[2], holdings[3]), dealt=event.first + len(event.cards)
    )


def _evolve_kitty_taken(hand: Hand, event: KittyTaken) -> Hand:
    kitty = hand.kitty or burying.take_up(event.seat, hand.in_force)
    holding = _ordered((*hand.holdings[event.seat], *event.cards))
    return hand._replace(holdings=_with(hand.holdings, event.seat, holding), bottom=event.cards, kitty=kitty)


def _ready(hand: Hand) -> Hand:
    """When the kitty lies the declarer leads, whoever buried it (T3.8)."""
    if hand.kitty is not None and burying.is_over(hand.ruleset, hand.kitty):
        return hand._replace(next=hand.declarer, trick_number=1)
    return hand


def _evolve_played(hand: Hand, event: CardsPlayed, version: int) -> Hand:
    left = tuple(without(hand.holdings[event.seat], event.cards))
    play = TrickPlay(event.seat, version, event.cards, event.kind)
    holdings = _with(hand.holdings, event.seat, left)
    return changed(hand, {"holdings": holdings, "trick": (*hand.trick, play), "next": next_seat(event.seat)})


def _evolve_taken(hand: Hand, event: PointsTaken, version: int) -> Hand:
    earned = hand.earned
    if event.points and not _declaring(hand, event.seat):
        earned = (*earned, Earned("trick", event.points, event.trick, version))
    even, odd = hand.captured
    won = (even + event.points, odd) if side_of(event.seat) == 0 else (even, odd + event.points)
    return hand._replace(
        next=event.seat,
        trick_number=hand.trick_number + 1,
        trick=(),
        gone=(*hand.gone, *(card for each in hand.trick for card in each.cards)),
        earned=earned,
        captured=won,
    )


def _kitty(hand: Hand) -> Kitty:
    if hand.kitty is None:
        raise ValueError(f"hand {hand.number}: the kitty was not taken yet")
    return hand.kitty


def _ordered(cards: Sequence[str]) -> Cards:
    return tuple(sorted(cards, key=ORDER.__getitem__))


def _with(holdings: Holdings, seat: int, holding: Cards) -> Holdings:
    a, b, c, d = (holding if each == seat else holdings[each] for each in SEATS)
    return (a, b, c, d)
