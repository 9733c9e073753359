"""Two players of the trump family: one takes any legal choice, one plays sensibly. They see what their seat sees and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from domain.trumps import bots, chance
from domain.trumps.bidding import Declaration, counters, declarations
from domain.trumps.chance import Draw
from domain.trumps.hand import Hand, Phase
from domain.trumps.order import Order, order_of
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.throwing import must_read_lead
from schemas.commands import Bury, Counter, Declare, Decline, Play, SeatCommand
from schemas.trumps import Cards


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player goes by. `plays` are those of the present trick, the lead first; `gone` the cards that are out of play for sure."""

    ruleset: TrumpsRuleset
    seat: int
    phase: Phase
    level: str
    trump: str | None
    holding: Cards
    in_force: Declaration | None = None
    plays: Sequence[Cards] = ()
    gone: Cards = ()
    failed: int = 0

    @property
    def order(self) -> Order:
        """The order of the cards."""
        return order_of(self.level, self.trump)


def sight_of(hand: Hand, seat: int) -> Sight:
    """What the player on this seat goes by."""
    buried = hand.bottom if hand.kitty is not None and hand.kitty.burier == seat and hand.kitty.buried else ()
    return Sight(
        hand.ruleset,
        seat,
        hand.phase,
        hand.level,
        hand.trump,
        hand.holdings[seat],
        hand.in_force,
        tuple(play.cards for play in hand.trick),
        (*hand.gone, *(card for play in hand.trick for card in play.cards), *buried),
        hand.failed[seat],
    )


RELUCTANCE = 10
"""Out of so many chances to declare the random player takes one while cards are dealt."""


def random_act(sight: Sight, draw: Draw) -> SeatCommand | None:
    """Any legal choice; None to wait while cards are dealt."""
    seat, ruleset, phase = sight.seat, sight.ruleset, sight.phase
    match phase:
        case "dealing" | "declaring":
            open_to = declarations(ruleset, sight.level, seat, sight.holding, sight.in_force)
            willing = bool(open_to) and (phase == "declaring" or draw(RELUCTANCE) == 0)
            return _declare(sight, chance.random_choice(open_to, draw) if willing else None)
        case "burying":
            return Bury(seat, chance.random_burial(ruleset, sight.holding, draw))
        case "countering":
            return _counter(seat, chance.random_choice(_counters(sight), draw))
        case "playing" if sight.plays:
            lead = must_read_lead(sight.order, sight.plays[0])
            return Play(seat, chance.random_follow(sight.order, lead, sight.holding, draw))
        case "playing":
            return Play(seat, chance.random_lead(ruleset, sight.order, sight.holding, sight.failed, draw))
        case "over":
            return None
        case _:
            assert_never(phase)


def sensible_act(sight: Sight, draw: Draw) -> SeatCommand | None:
    """A sensible choice; None to wait while cards are dealt."""
    seat, ruleset, phase, order = sight.seat, sight.ruleset, sight.phase, sight.order
    match phase:
        case "dealing" | "declaring":
            return _declare(sight, bots.declare(ruleset, sight.level, seat, sight.holding, sight.in_force))
        case "burying":
            return Bury(seat, bots.bury(ruleset, order, sight.holding))
        case "countering":
            force = sight.in_force
            return _counter(seat, bots.counter(ruleset, sight.level, seat, sight.holding, force) if force else None)
        case "playing" if sight.plays:
            return Play(seat, bots.follow(order, sight.plays, sight.holding, draw))
        case "playing":
            return Play(seat, bots.lead(ruleset, order, sight.holding, sight.gone, sight.failed, draw))
        case "over":
            return None
        case _:
            assert_never(phase)


def _counters(sight: Sight) -> tuple[Declaration, ...]:
    if sight.in_force is None:
        return ()
    return counters(sight.ruleset, sight.level, sight.seat, sight.holding, sight.in_force)


def _declare(sight: Sight, made: Declaration | None) -> SeatCommand | None:
    if made is not None:
        return Declare(sight.seat, made.cards)
    return Decline(sight.seat) if sight.phase == "declaring" else None


def _counter(seat: int, made: Declaration | None) -> SeatCommand:
    return Counter(seat, made.cards) if made is not None else Decline(seat)
