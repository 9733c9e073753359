"""A hand of the trump family at a table, clause by clause: who may do what when, and what happens then (T1-T3, T5, T7, T8)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from domain import chance
from domain.automatic import automatic
from domain.bots import BOTS, choose
from domain.refusal import Refusal
from domain.shuffle import drawer
from domain.table import Given, Table, decide, evolve, refusal
from domain.trumps.hand import Hand
from domain.trumps.order import points_in
from schemas.commands import (
    Bury,
    Command,
    Counter,
    DealOn,
    Declare,
    Decline,
    Leave,
    OpenTable,
    Pass,
    Play,
    SeatPlayer,
    StartHand,
)
from schemas.events import Event, HandStarted, SeedRevealed, TableClosed, TableOptions
from schemas.notation import CARDS, ORDER, Unreadable
from schemas.trumps import (
    CardsDealt,
    CardsPlayed,
    DeclarerNamed,
    HandEscaped,
    HandSettled,
    KittyBuried,
    KittyTaken,
    KittyTurned,
    LevelRaised,
    PointsTaken,
    ThrowFailed,
    TrumpDeclared,
)
from tests.kit.spec import NAMES, TIME

SEED = "5" * 64
E = TypeVar("E", bound=Event)


class Play4:
    """A table of the trump game: `do` carries out commands, `events` are all that happened."""

    def __init__(self, seed: str = SEED, **options: object) -> None:
        self.seed = seed
        self.table: Table | None = None
        self.events: list[Event] = []
        self.do(OpenTable("ningxia", None, TableOptions.model_validate({"deal_step": 100, **options})))
        self.do(*map(SeatPlayer, NAMES))

    def do(self, *commands: Command) -> list[Event]:
        happened: list[Event] = []
        for command in commands:
            version = self.table.version if self.table else 0
            for recorded in decide(self.table, "t", command, Given(TIME, f"c{version}", self.seed)):
                self.table = evolve(self.table, recorded)
                happened.append(recorded.event)
        self.events += happened
        return happened

    def may(self, command: Command) -> Refusal | None:
        return refusal(self.table, command)

    @property
    def hand(self) -> Hand:
        assert self.table is not None
        assert isinstance(self.table.hand, Hand)
        return self.table.hand

    def dealt(self) -> "Play4":
        self.do(StartHand(), DealOn())
        return self

    def until(self, there: Callable[[Hand], bool], bot: str = "greedy") -> "Play4":
        """Let bots play until the hand stands like this."""
        while not there(self.hand):
            assert self.table is not None
            self.do(choose(self.table, BOTS[bot], drawer(self.seed, "t", self.table.hands, f"{self.table.version}")))
        return self

    def decline(self) -> list[Event]:
        """Everybody who has not declined does."""
        return self.do(*map(Decline, self.hand.waiting))


def only(events: Sequence[Event], kind: type[E]) -> E:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1
    return found[0]


def pair_of(hand: Hand, seat: int) -> tuple[str, str] | None:
    """A pair of level cards that a seat holds."""
    return next(
        (
            (card, card)
            for card in hand.holdings[seat]
            if card[0] == hand.level and hand.holdings[seat].count(card) == 2
        ),
        None,
    )


def seeded(there: Callable[[Play4], bool], **options: object) -> Play4:
    """The first deal that has this about it."""
    for number in range(500):
        game = Play4(f"{number:064x}", **options).dealt()
        if there(game):
            return game
    raise AssertionError("no such deal among 500")


def test_t2_1_cards_are_dealt_one_at_a_time_seat_0_first_and_8_are_left() -> None:
    game = Play4(deal_step=7)
    game.do(StartHand())
    step = only(game.do(DealOn()), CardsDealt)
    assert (step.first, len(step.cards)) == (0, 7)
    assert [len(holding) for holding in game.hand.holdings] == [2, 2, 2, 1]
    assert set(game.hand.holdings[1]) == {step.cards[1], step.cards[5]}
    game.until(lambda hand: hand.phase != "dealing")
    assert [len(holding) for holding in game.hand.holdings] == [25, 25, 25, 25]
    assert game.may(DealOn()) == Refusal("all_dealt", "T2.1", "All cards are dealt.", "牌已发完。")


def test_t2_1_a_declaration_can_be_made_as_soon_as_the_card_is_dealt_but_not_before() -> None:
    game = Play4(deal_step=1)
    game.do(StartHand())
    declared = 0
    while not declared:
        step = only(game.do(DealOn()), CardsDealt)
        seat, card = step.first % 4, step.cards[0]
        if card[0] == "2":
            declared = 1
            assert only(game.do(Declare(seat, (card,))), TrumpDeclared).dealt == step.first + 1
        else:
            missing = game.may(Declare(seat, ("2S",)))
            assert missing is not None
            assert missing.rule == "not_in_hand"


def test_t2_1_nobody_declines_before_the_last_card() -> None:
    game = Play4(deal_step=50)
    game.do(StartHand(), DealOn())
    refused = game.may(Decline(0))
    assert refused is not None
    assert (refused.rule, refused.clause) == ("wrong_phase", "T2.1")


def test_t2_1_a_new_declaration_asks_everybody_else_again() -> None:
    game = seeded(lambda game: any(pair_of(game.hand, seat) for seat in (1, 2, 3)) and _single(game.hand, 0) != ())
    seat = next(seat for seat in (1, 2, 3) if pair_of(game.hand, seat))
    game.do(Declare(0, _single(game.hand, 0)))
    assert game.hand.waiting == (1, 2, 3)
    game.do(Decline(1 if seat != 1 else 2))
    pair = pair_of(game.hand, seat)
    assert pair is not None
    game.do(Declare(seat, pair))
    assert game.hand.waiting == tuple(each for each in range(4) if each != seat)
    refused = game.may(Decline(seat))
    assert refused is not None
    assert refused.rule == "already_declined"


def _single(hand: Hand, seat: int) -> tuple[str, ...]:
    return next(((card,) for card in hand.holdings[seat] if card[0] == hand.level), ())


def test_t1_5_in_the_first_hand_the_last_declaration_makes_the_declarer() -> None:
    game = seeded(lambda game: _single(game.hand, 2) != ())
    game.do(Declare(2, _single(game.hand, 2)))
    events = game.decline()
    assert only(events, DeclarerNamed) == DeclarerNamed(hand=1, seat=2, by="declaration")
    taken = only(events, KittyTaken)
    assert taken.seat == 2
    assert len(game.hand.holdings[2]) == 33


def test_t1_5_t2_5_nobody_declares_the_kitty_makes_trumps_and_chance_the_declarer() -> None:
    declarers = set()
    for number in range(12):
        game = Play4(f"{number:064x}").dealt()
        events = game.decline()
        turned = only(events, KittyTurned)
        named = only(events, DeclarerNamed)
        assert named.by == "drawn"
        assert only(events, KittyTaken).cards[: len(turned.cards)] == turned.cards
        assert turned.trump == (turned.cards[-1][1] if turned.by == "level_card" else game.hand.trump)
        declarers.add(named.seat)
    assert len(declarers) > 1


def test_t3_1_the_declarer_buries_eight_of_thirty_three() -> None:
    game = Play4().dealt().until(lambda hand: hand.phase == "burying")
    seat = game.hand.turn
    assert seat is not None
    eight = game.hand.holdings[seat][:8]
    missing = next(card for card in CARDS if card not in game.hand.holdings[seat])
    cases: list[tuple[Command, str]] = [
        (Bury((seat + 1) % 4, eight), "not_your_turn"),
        (Bury(seat, eight[:7]), "wrong_number"),
        (Bury(seat, (*eight[:7], missing)), "not_in_hand"),
        (Play(seat, eight[:1]), "wrong_phase"),
        (Declare(seat, eight[:1]), "wrong_phase"),
    ]
    for command, rule in cases:
        refused = game.may(command)
        assert refused is not None, command
        assert refused.rule == rule
    buried = only(game.do(Bury(seat, eight)), KittyBuried)
    assert sorted(buried.cards) == sorted(eight)
    assert len(game.hand.holdings[seat]) == 25


def countered() -> tuple[Play4, int, int]:
    """A hand in which seat 0 declared one card, and somebody who holds a pair is asked whether to counter."""
    game = seeded(lambda game: _single(game.hand, 0) != () and any(pair_of(game.hand, seat) for seat in (1, 2, 3)))
    game.do(Declare(0, _single(game.hand, 0)))
    game.decline()
    game.do(Bury(0, game.hand.holdings[0][:8]))
    seat = next(seat for seat in (1, 2, 3) if pair_of(game.hand, seat))
    return game, 0, seat


def test_t3_2_the_others_are_asked_in_turn_from_the_seat_after_the_burier() -> None:
    game, _, seat = countered()
    assert game.hand.phase == "countering"
    for each in range(1, seat):
        assert game.hand.turn == each
        game.do(Decline(each))
    assert game.hand.turn == seat
    other = (seat + 1) % 4
    refused = game.may(Decline(other))
    assert refused is not None
    assert refused.rule == "not_your_turn"


def test_t3_3_who_counters_makes_trumps_takes_the_buried_cards_and_buries_again() -> None:
    game, declarer, seat = countered()
    game.do(*(Decline(each) for each in range(1, seat)))
    buried, pair = game.hand.bottom, pair_of(game.hand, seat)
    assert pair is not None
    events = game.do(Counter(seat, pair))
    assert only(events, KittyTaken).cards == buried
    assert game.hand.trump == pair[0][1]
    assert (game.hand.phase, game.hand.turn) == ("burying", seat)
    game.do(Bury(seat, game.hand.holdings[seat][:8]))
    game.until(lambda hand: hand.phase == "playing" or hand.turn == declarer, "greedy")
    assert game.hand.declarer == declarer


def test_t3_8_the_declarer_leads_whoever_buried_last() -> None:
    game, declarer, seat = countered()
    game.do(*(Decline(each) for each in range(1, seat)))
    pair = pair_of(game.hand, seat)
    assert pair is not None
    game.do(Counter(seat, pair), Bury(seat, game.hand.holdings[seat][:8]))
    while game.hand.phase == "countering":
        assert game.hand.turn is not None
        game.do(Decline(game.hand.turn))
    assert (game.hand.phase, game.hand.turn) == ("playing", declarer)


def test_t3_4_decline_and_counter_are_refused_when_the_kitty_lies() -> None:
    game = Play4().dealt().until(lambda hand: hand.phase == "playing")
    turn = game.hand.turn
    assert turn is not None
    for command in (Decline(turn), Counter(turn, ("2S", "2S")), Bury(turn, ())):
        refused = game.may(command)
        assert refused is not None
        assert refused.rule == "wrong_phase"
    assert game.may(Pass(turn)) == Refusal(
        "no_passing", "T6.1", "Nobody passes in this game: every seat plays cards.", "此玩法不能过牌。"
    )


def failed_throw() -> tuple[Play4, list[Event]]:
    """A hand with a failed throw: the leader throws all cards of a suit until that fails."""
    for number in range(200):
        game = Play4(f"{number:064x}").dealt().until(lambda hand: hand.phase == "playing")
        seat = game.hand.turn
        assert seat is not None
        order = game.hand.order
        suit = order.suit[game.hand.holdings[seat][0]]
        cards = order.of_suit(suit, game.hand.holdings[seat])
        if len(cards) > 3 and game.may(Play(seat, cards)) is None:
            events = game.do(Play(seat, cards))
            if isinstance(events[0], ThrowFailed):
                return game, events
    raise AssertionError("no failed throw among 200 deals")


def test_t5_4_t5_5_a_failed_throw_is_seen_leads_its_lowest_beatable_part_and_costs_ten() -> None:
    game, events = failed_throw()
    failed, played = events
    assert isinstance(failed, ThrowFailed)
    assert isinstance(played, CardsPlayed)
    assert played.cards == failed.led
    assert set(failed.led) <= set(failed.cards)
    assert failed.points == 10  # the declarer threw
    assert (game.hand.attackers, game.hand.failed[failed.seat]) == (10, 1)
    assert len(game.hand.holdings[failed.seat]) == 25 - len(failed.led)


def whole(seed: str, bot: str = "greedy", **options: object) -> Play4:
    return Play4(seed, **options).dealt().until(lambda hand: hand.over, bot)


@pytest.mark.parametrize("bot", ["greedy", "random"])
@pytest.mark.parametrize("number", range(6))
def test_t7_1_the_points_of_all_tricks_and_the_kitty_are_200(number: int, bot: str) -> None:
    game = whole(f"{number:064x}", bot)
    settled = only(game.events, HandSettled)
    tricks = [event for event in game.events if isinstance(event, PointsTaken)]
    assert sum(trick.points for trick in tricks) + points_in(settled.kitty) == 200
    played = [card for event in game.events if isinstance(event, CardsPlayed) for card in event.cards]
    dealt = [card for event in game.events if isinstance(event, CardsDealt) for card in event.cards]
    first = next(event for event in game.events if isinstance(event, KittyTaken))
    assert sorted((*played, *settled.kitty), key=ORDER.__getitem__) == sorted(
        (*dealt, *first.cards), key=ORDER.__getitem__
    )


def test_t7_every_number_of_a_result_is_explained_and_adds_up() -> None:
    settled = only(whole(SEED).events, HandSettled)
    of = {kind: [why for why in settled.why if why.kind == kind] for kind in {why.kind for why in settled.why}}
    taken = sum(int(why.amount) for kind in ("trick", "penalty") for why in of.get(kind, []))
    assert taken == settled.taken
    assert of["kitty"][0].amount == settled.kitty_points
    assert of["multiplier"][0].amount == settled.multiplier
    assert of["total"][0].amount == settled.points == max(taken + settled.kitty_points * settled.multiplier, 0)
    assert of["row"][0].amount == settled.row
    assert all(why.clause.startswith("T") for why in settled.why)


def test_t1_6_t7_4_levels_rise_and_the_next_declarer_is_named() -> None:
    game = whole(SEED)
    settled = only(game.events, HandSettled)
    side = settled.declarer % 2
    rises = {event.side: (event.before, event.after) for event in game.events if isinstance(event, LevelRaised)}
    winner = 1 - side if settled.take_over else side
    assert set(rises) == ({winner} if sum(settled.levels) else set())
    expected = (settled.declarer + (1 if settled.take_over else 2)) % 4
    assert settled.next_declarer == expected
    game.do(StartHand())
    assert game.hand.declarer == expected
    assert game.table is not None
    assert game.table.standing is not None
    assert game.hand.level == game.table.standing.levels[expected % 2]


def test_t1_2_who_reaches_a_wins_and_the_table_closes() -> None:
    game = Play4(level="K", hands=50)
    while game.table is not None and not game.table.closed:
        game.dealt().until(lambda hand: hand.over)
    assert only(game.events, TableClosed).reason == "match_won"
    settled = [event for event in game.events if isinstance(event, HandSettled)]
    assert [event.match_won is not None for event in settled] == [False] * (len(settled) - 1) + [True]


def test_t1_3_the_table_may_start_at_another_level_but_not_at_the_end() -> None:
    assert Play4(level="J").dealt().hand.level == "J"
    with pytest.raises(Unreadable, match="level"):
        Play4(level="A")
    refused = refusal(None, OpenTable("basic", None, TableOptions(level="3")))
    assert refused is not None
    assert (refused.rule, refused.clause) == ("no_levels", "T1.3")


def test_t8_leaving_ends_the_hand_and_the_seed_is_revealed() -> None:
    game = Play4().dealt().until(lambda hand: hand.trick_number == 4)
    declarer = game.hand.declarer
    assert declarer is not None
    kitty, captured = points_in(game.hand.bottom), game.hand.captured
    events = game.do(Leave(declarer))
    escaped = only(events, HandEscaped)
    assert [type(event).__name__ for event in events[:2]] == ["HandEscaped", "SeedRevealed"]
    assert escaped.score[declarer] == -4 * max(escaped.most, 0)
    open_points = 200 - captured[declarer % 2] - kitty
    assert any(why.clause == "T8.1" and why.amount == open_points for why in escaped.why)


def test_t8_5_before_the_burial_the_kitty_counts_as_it_is_and_either_side_may_declare() -> None:
    game = Play4(deal_step=10)
    game.do(StartHand(), DealOn())
    escaped = only(game.do(Leave(3)), HandEscaped)
    assert escaped.declarer is None
    assert isinstance(game.events[-2], SeedRevealed)


def test_t8_6_after_an_escape_the_same_declarer_declares_at_the_same_level() -> None:
    game = Play4().dealt().until(lambda hand: hand.trick_number == 2)
    declarer = game.hand.declarer
    assert declarer is not None
    leaver = (declarer + 1) % 4
    game.do(Leave(leaver), SeatPlayer("eve", leaver), StartHand())
    assert (game.hand.declarer, game.hand.level) == (declarer, "2")
    assert isinstance(game.events[-2], HandStarted)


def test_c2_the_table_commits_before_a_card_is_dealt_and_anybody_can_deal_again() -> None:
    game = whole(SEED)
    again = chance.seeded(only(game.events, SeedRevealed).seed, "t", 1)
    assert again.commitment == only(game.events, HandStarted).commitment
    assert again.pack[:100] == only(game.events, CardsDealt).cards
    assert again.pack[100:] == next(event for event in game.events if isinstance(event, KittyTaken)).cards


def test_the_table_acts_for_who_is_away_and_every_act_is_legal() -> None:
    """Declining, burying, leading and following by itself, a whole hand long."""
    game = Play4().dealt()
    while not game.hand.over:
        command = automatic(game.hand, game.hand.waiting[0])
        assert game.may(command) is None
        game.do(command)
    assert only(game.events, HandSettled).kitty_points == 0
