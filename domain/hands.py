"""Hands of both families behind one face, for everybody who does not care which game is played."""

from collections.abc import Iterator
from decimal import Decimal

from domain.chance import Chance
from domain.climbing import dealing
from domain.climbing import hand as climbing
from domain.climbing import rulesets as climbing_rulesets
from domain.climbing.ruleset import Ruleset
from domain.climbing.scoring import CoinRoom
from domain.refusal import Refusal
from domain.trumps import hand as trumps
from domain.trumps import rulesets as trumps_rulesets
from domain.trumps.match import Standing
from domain.trumps.ruleset import TrumpsRuleset
from schemas.commands import HandCommand
from schemas.events import Event, HandStarted, TableOptions
from schemas.text import quoted
from schemas.trumps import DealBegun

Hand = climbing.Hand | trumps.Hand
AnyRuleset = Ruleset | TrumpsRuleset


class UnknownRuleset(LookupError):
    """No ruleset has this id or version. The message lists those there are."""


def all_rulesets() -> tuple[AnyRuleset, ...]:
    """Every ruleset of every family in every version."""
    return (*climbing_rulesets.all_rulesets(), *trumps_rulesets.all_rulesets())


def get_ruleset(ruleset_id: str, version: int | None = None) -> AnyRuleset:
    """The ruleset with this id, in this version or its newest. Raises UnknownRuleset."""
    found = [each for each in all_rulesets() if each.id == ruleset_id and version in {None, each.version}]
    if not found:
        asked = ruleset_id if version is None else f"{ruleset_id}@{version}"
        known = ", ".join(
            dict.fromkeys(each.id if version is None else f"{each.id}@{each.version}" for each in all_rulesets())
        )
        raise UnknownRuleset(f"no ruleset {quoted(asked)}; there are {known}")
    return max(found, key=lambda each: each.version)


def begin(started: HandStarted, options: TableOptions) -> Hand:
    """The hand that this event starts."""
    ruleset = get_ruleset(started.ruleset, started.ruleset_version)
    if isinstance(ruleset, TrumpsRuleset):
        return trumps.begin(started, ruleset, options.deal_step)
    return climbing.begin(started, ruleset, room_of(options))


def room_of(options: TableOptions) -> CoinRoom | None:
    """The room of a table that plays for game coins (C6.6)."""
    coins = options.coins
    return CoinRoom(Decimal(coins.factor), Decimal(coins.fee), Decimal(coins.correction)) if coins else None


def deal(started: HandStarted, first: int | None, standing: Standing | None, chance: Chance) -> Iterator[Event]:
    """What follows the start of a hand at once. `first` leads where the hand before decides that; `standing` is that of the levels."""
    ruleset = get_ruleset(started.ruleset, started.ruleset_version)
    if isinstance(ruleset, Ruleset):
        yield from dealing.deal(ruleset, started, first, chance)
    elif standing is not None:
        yield DealBegun(hand=started.hand, level=standing.level, levels=standing.levels, declarer=standing.declarer)


def refusal(hand: Hand, command: HandCommand) -> Refusal | None:
    """Why a rule refuses the command now, or None when it is allowed."""
    return climbing.refusal(hand, command) if isinstance(hand, climbing.Hand) else trumps.refusal(hand, command)


def decide(hand: Hand, command: HandCommand, version: int, chance: Chance | None) -> Iterator[Event]:
    """What an allowed command makes happen; `version` is that of its first event. `chance` is needed by games that deal on and on."""
    if isinstance(hand, climbing.Hand):
        return climbing.decide(hand, command, version)
    if chance is None:
        raise ValueError("decide: this command needs the chance of the hand")
    return trumps.decide(hand, command, version, chance)


def void(hand: Hand, seat: int, version: int) -> Iterator[Event]:
    """The end of a hand because all agreed to dissolve the table, this seat last."""
    if isinstance(hand, climbing.Hand):
        yield from climbing.void(hand, seat, version)
    else:
        yield trumps.void(hand)


def evolve(hand: Hand, event: Event, version: int) -> Hand:
    """The hand after an event, the `version`-th of its table."""
    if isinstance(hand, climbing.Hand):
        return climbing.evolve(hand, event, version)
    return trumps.evolve(hand, event, version)
