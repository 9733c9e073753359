"""Whole hands and matches played with nothing but the rules, checking them at every step. No tables, no events."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.seats import SEATS, next_seat, side_of
from domain.shuffle import drawer, shuffled_pack
from domain.trumps import bots, chance
from domain.trumps.bidding import (
    Declaration,
    counters,
    declarations,
    refusal_to_counter,
    refusal_to_declare,
    turn_kitty,
)
from domain.trumps.following import refusal
from domain.trumps.kitty import asked, bury, counter, decline, is_over, refusal_to_bury, take_up
from domain.trumps.match import Standing, after_hand, start
from domain.trumps.options import Cards
from domain.trumps.order import Order, order_of, points_in
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.scoring import Earned, Result, result
from domain.trumps.throwing import judge, must_read_lead, refusal_to_lead
from domain.trumps.trick import winner


@dataclass
class PlayedHand:
    """What a hand came to. `points` are those of all tricks and the kitty."""

    declarer: int
    order: Order
    buried: Cards
    tricks: list[list[Cards]]
    points: int
    failed: list[int]
    counters: int
    decisions: int
    result: Result


class Game:
    """One hand. `sensible` are the seats that play sensibly; the others play at random."""

    def __init__(
        self, ruleset: TrumpsRuleset, standing: Standing, seed: str, hand: int, sensible: Sequence[int]
    ) -> None:
        self.ruleset = ruleset
        self.level = standing.level
        self.declarer = standing.declarer
        self.sensible = sensible
        self.draw = drawer(seed, "test", hand, "bots")
        self.pack = shuffled_pack(seed, "test", hand)
        self.holdings: list[list[str]] = [[], [], [], []]
        self.gone: list[str] = []
        self.failed = [0, 0, 0, 0]
        self.decisions = 0

    def play(self) -> PlayedHand:
        in_force = self._deal()
        kitty = list(self.pack[100:])
        trump = in_force.trump if in_force else turn_kitty(self.ruleset, self.level, kitty).trump
        if self.declarer is None:
            self.declarer = in_force.seat if in_force else self.draw(4)
        buried, in_force, countered = self._bury(in_force, kitty, trump)
        self.order = order_of(self.level, in_force.trump if in_force else trump)
        tricks, earned, last_seat = self._tricks()
        won_by = "declarers" if side_of(last_seat) == side_of(self.declarer) else "attackers"
        last = tricks[-1]
        scored = result(
            self.ruleset,
            self.order,
            earned,
            points_in(buried),
            last[winner(self.order, last)],
            won_by,  # type: ignore[arg-type]
        )
        points = sum(points_in(cards) for trick in tricks for cards in trick) + points_in(buried)
        return PlayedHand(
            self.declarer, self.order, buried, tricks, points, self.failed, countered, self.decisions, scored
        )

    def _deal(self) -> Declaration | None:
        in_force: Declaration | None = None
        for at, card in enumerate(self.pack[:100]):
            seat = at % 4
            self.holdings[seat].append(card)
            open_to = declarations(self.ruleset, self.level, seat, self.holdings[seat], in_force)
            if not open_to:
                continue
            self.decisions += 1
            if seat in self.sensible:
                made = bots.declare(self.ruleset, self.level, seat, self.holdings[seat], in_force)
            else:
                made = chance.random_choice(open_to, self.draw) if self.draw(10) == 0 else None
            if made:
                cards = made.cards
                assert refusal_to_declare(self.ruleset, self.level, seat, self.holdings[seat], cards, in_force) is None
                in_force = made
        return in_force

    def _bury(
        self, in_force: Declaration | None, kitty: list[str], trump: str | None
    ) -> tuple[Cards, Declaration | None, int]:
        assert self.declarer is not None
        state = take_up(self.declarer, in_force)
        lying: Sequence[str] = kitty
        countered = 0
        while not is_over(self.ruleset, state):
            seat = asked(self.ruleset, state)
            self.decisions += 1
            if seat is None:
                lying = self._bury_once(state.burier, lying, state.in_force.trump if state.in_force else trump)
                state = bury(state)
                continue
            force = state.in_force
            assert force is not None
            holding = self.holdings[seat]
            if seat in self.sensible:
                made = bots.counter(self.ruleset, self.level, seat, holding, force)
            else:
                made = chance.random_choice(counters(self.ruleset, self.level, seat, holding, force), self.draw)
            if made is None:
                state = decline(state, seat)
            else:
                assert refusal_to_counter(self.ruleset, self.level, seat, holding, made.cards, force) is None
                state = counter(state, made)
                countered += 1
        return tuple(lying), state.in_force, countered

    def _bury_once(self, seat: int, taken: Sequence[str], trump: str | None) -> Cards:
        self.holdings[seat] += taken
        order = order_of(self.level, trump)
        if seat in self.sensible:
            buried = bots.bury(self.ruleset, order, self.holdings[seat])
        else:
            buried = chance.random_burial(self.ruleset, self.holdings[seat], self.draw)
        assert refusal_to_bury(self.ruleset, self.holdings[seat], buried) is None
        self._remove(seat, buried)
        return buried

    def _remove(self, seat: int, cards: Sequence[str]) -> None:
        for card in cards:
            self.holdings[seat].remove(card)

    def _tricks(self) -> tuple[list[list[Cards]], list[Earned], int]:
        assert self.declarer is not None
        seat = self.declarer
        tricks: list[list[Cards]] = []
        earned: list[Earned] = []
        while self.holdings[seat]:
            leader = seat
            cards, penalty = self._lead(leader)
            if penalty:
                earned.append(Earned("penalty", penalty, len(tricks) + 1))
            plays = [cards]
            for _ in range(3):
                seat = next_seat(seat)
                plays.append(self._follow(seat, plays))
            seat = (leader + winner(self.order, plays)) % 4
            self.gone += [card for cards in plays for card in cards]
            tricks.append(plays)
            if side_of(seat) != side_of(self.declarer):
                earned.append(Earned("trick", sum(map(points_in, plays)), len(tricks)))
        return tricks, earned, seat

    def _lead(self, seat: int) -> tuple[Cards, int]:
        self.decisions += 1
        holding, failed = self.holdings[seat], self.failed[seat]
        if seat in self.sensible:
            cards = bots.lead(self.ruleset, self.order, holding, self.gone, failed, self.draw)
        else:
            cards = chance.random_lead(self.ruleset, self.order, holding, failed, self.draw)
        assert refusal_to_lead(self.ruleset, self.order, holding, cards, failed) is None
        others = [self.holdings[other] for other in SEATS if other != seat]
        judgement = judge(self.ruleset, self.order, must_read_lead(self.order, cards), others)
        self._remove(seat, judgement.lead)
        if judgement.holds:
            return judgement.lead, 0
        self.failed[seat] += 1
        assert self.declarer is not None
        return judgement.lead, self.ruleset.throw_penalty * (1 if side_of(seat) == side_of(self.declarer) else -1)

    def _follow(self, seat: int, plays: Sequence[Cards]) -> Cards:
        self.decisions += 1
        lead = must_read_lead(self.order, plays[0])
        if seat in self.sensible:
            cards = bots.follow(self.order, plays, self.holdings[seat], self.draw)
        else:
            cards = chance.random_follow(self.order, lead, self.holdings[seat], self.draw)
        assert refusal(self.order, lead, self.holdings[seat], cards) is None
        self._remove(seat, cards)
        return cards


def match(ruleset: TrumpsRuleset, seed: str, sensible: Sequence[int]) -> Iterator[tuple[Standing, PlayedHand]]:
    """The hands of a match to its end, each with the standing after it."""
    standing = start(ruleset)
    hand = 0
    while standing.won is None:
        hand += 1
        played = Game(ruleset, standing, seed, hand, sensible).play()
        standing = after_hand(ruleset, standing, played.declarer, played.result)
        yield standing, played


def cards_of(played: PlayedHand) -> Counter[str]:
    """Every card of a hand, buried ones included."""
    return Counter(card for trick in played.tricks for cards in trick for card in cards) + Counter(played.buried)
