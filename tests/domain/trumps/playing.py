"""Whole hands and matches played by the hand alone: no table, so that rulesets can be tried which nobody has released."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from domain.chance import seeded
from domain.shuffle import drawer
from domain.trumps.hand import Hand, begin, decide, evolve, refusal
from domain.trumps.match import Standing, start
from domain.trumps.order import Order, points_in
from domain.trumps.players import random_act, sensible_act, sight_of
from domain.trumps.ruleset import TrumpsRuleset
from schemas.commands import DealOn, HandCommand
from schemas.events import Event, HandStarted
from schemas.trumps import CardsPlayed, DealBegun, HandSettled, KittyCountered, LevelRaised, PointsTaken
from tests.kit.spec import NAMES

E = TypeVar("E", bound=Event)


@dataclass
class PlayedHand:
    """A hand that was played to its end, with everything that happened in it."""

    hand: Hand
    events: list[Event] = field(default_factory=list)

    def all(self, kind: type[E]) -> list[E]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def settled(self) -> HandSettled:
        """Its result."""
        return self.all(HandSettled)[0]

    @property
    def order(self) -> Order:
        """Its order of cards in the end."""
        return self.hand.order

    @property
    def points(self) -> int:
        """The points of all tricks and the kitty."""
        return sum(trick.points for trick in self.all(PointsTaken)) + points_in(self.settled.kitty)

    @property
    def counters(self) -> int:
        """How often the burial was countered."""
        return len(self.all(KittyCountered))

    @property
    def leads(self) -> list[CardsPlayed]:
        """What was led to each trick."""
        return self.all(CardsPlayed)[::4]


def play(ruleset: TrumpsRuleset, standing: Standing, seed: str, number: int, sensible: Sequence[int]) -> PlayedHand:
    """Play a hand; `sensible` are the seats that play sensibly, the others play at random. Every choice must be legal."""
    chance, draw = seeded(seed, "test", number), drawer(seed, "test", number, "bots")
    started = HandStarted(
        hand=number,
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        commitment=chance.commitment,
        players=NAMES,
    )
    begun = DealBegun(hand=number, level=standing.level, levels=standing.levels, declarer=standing.declarer)
    played = PlayedHand(evolve(begin(started, ruleset, 1), begun, 2))
    version = 2
    while not played.hand.over:
        hand = played.hand
        command: HandCommand = DealOn()
        for seat in hand.waiting[:1] or range(4):
            act = sensible_act if seat in sensible else random_act
            wanted = act(sight_of(hand, seat), draw)
            if wanted is not None:
                command = wanted
                break
        assert refusal(hand, command) is None
        for event in tuple(decide(hand, command, version + 1, chance)):
            version += 1
            played.hand = evolve(played.hand, event, version)
            played.events.append(event)
    return played


def match(ruleset: TrumpsRuleset, seed: str, sensible: Sequence[int]) -> Iterator[tuple[Standing, PlayedHand]]:
    """The hands of a match to its end, each with the standing after it."""
    standing, number = start(ruleset), 0
    while standing.won is None:
        number += 1
        played = play(ruleset, standing, seed, number, sensible)
        levels = list(standing.levels)
        for raised in played.all(LevelRaised):
            levels[raised.side] = raised.after
        settled = played.settled
        standing = Standing((levels[0], levels[1]), settled.next_declarer, settled.match_won)
        yield standing, played


def cards_of(played: PlayedHand) -> Counter[str]:
    """Every card of a hand, buried ones included."""
    return Counter((*(card for event in played.all(CardsPlayed) for card in event.cards), *played.settled.kitty))
