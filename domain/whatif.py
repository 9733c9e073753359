"""What if: leave a record after any event and play on by hand or by bots, at a scratch table that is no record.

The scratch table stands as the recorded one stood, hidden cards and all, under an id, a chain and a seed of its own: it gives away nothing
of the real seed, and nothing that is decided at it could be added to the record. What it writes is a scratch file (`schemas.scratch`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

from domain.audit import span_of
from domain.bots import Bot, choose
from domain.chance import Chance, as_recorded, seeded
from domain.judged import Result, result_of
from domain.refusal import Refusal, Refused
from domain.shuffle import commitment, derived_seed, drawer, secret_of
from domain.table import Given, Table, decide, evolve, replay
from domain.trumps import hand as trumps
from schemas.commands import Command
from schemas.envelope import Recorded
from schemas.events import SeedRevealed
from schemas.notation import Unreadable
from schemas.scratch import PREFIX, Origin

STEP = timedelta(seconds=1)
"""How long every command takes."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch table: where it left the record, how it stands, and what happened at it. `seed` is its own, `chance` the record's."""

    origin: Origin
    table: Table
    seed: str
    chance: Chance
    happened: tuple[Recorded, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return not self.table.playing

    @property
    def result(self) -> Result | None:
        """How the hand ended, None as long as it has not."""
        return next(filter(None, (result_of(each.event) for each in self.happened)), None)


def leave(recorded: Sequence[Recorded], at: int) -> Scratch:
    """The scratch table that leaves a record after event `at`, which must be the last of its command.

    Raises Unreadable when there is no such event, Refused when no hand is being played then or its cards are not all known.
    """
    _, last = span_of(at, len(recorded), lambda version: recorded[version - 1].command)
    if last != at:
        raise Unreadable(f"event: {at} is in the middle of what one command made happen; take event {last}")
    table = replay(recorded[:at])
    hand = table.hand
    if hand is None or not table.playing:
        raise Refused(
            Refusal("no_hand", "", f"No hand is being played after event {at}.", f"事件{at}之后没有正在进行的牌局。")
        )
    chance = _chance(table, recorded)
    if isinstance(hand, trumps.Hand) and hand.kitty is None and "" in chance.pack:
        en = "The cards that are not dealt yet are unknown until the seed of the hand is revealed."
        raise Refused(Refusal("cards_unknown", "T2.1", en, "未发的牌在公布种子之前未知。"))
    own = f"{PREFIX}{sha256(f'{table.id}|{at}|{table.head}'.encode()).hexdigest()[:16]}"
    seed = derived_seed(secret_of(own), own, table.hands)
    return Scratch(
        Origin(table.id, at, table.head, table.ruleset, table.ruleset_version),
        table._replace(
            id=own,
            head=sha256(own.encode()).hexdigest(),
            hand=hand._replace(commitment=commitment(seed, own, table.hands)),
            hand_salts=(),
            away=(),
            votes=(),
        ),
        seed,
        chance,
    )


def act(scratch: Scratch, command: Command) -> Scratch:
    """The scratch table after a command. Raises Refused or Unreadable like `decide`, and nothing has happened then."""
    table = scratch.table
    number = len(scratch.happened)
    time = (datetime.fromisoformat(table.time) + STEP).isoformat(timespec="milliseconds")
    given = Given(f"{time[:23]}Z", f"{table.id}.{number}", scratch.seed, scratch.chance)
    happened = decide(table, table.id, command, given)
    for each in happened:
        table = evolve(table, each)
    return replace(scratch, table=table, happened=(*scratch.happened, *happened))


def play_on(scratch: Scratch, bot: Bot, chance: str) -> Scratch:
    """Let bots play the hand to its end; `chance` is any text, and the same one gives the same choices."""
    secret = secret_of(chance).hex()
    while not scratch.over:
        table = scratch.table
        draw = drawer(secret, table.id, table.hands, f"choice {table.version}")
        scratch = act(scratch, choose(table, bot, draw))
    return scratch


def recorded_result(scratch: Scratch, recorded: Sequence[Recorded]) -> Result | None:
    """How the hand ended in the record, None if it has not."""
    later = (each.event for each in recorded[scratch.origin.at :])
    return next(filter(None, map(result_of, later)), None)


def _chance(table: Table, recorded: Sequence[Recorded]) -> Chance:
    """The chance of the hand: from its seed if that was revealed later on, else as far as the record tells it."""
    of_hand = [each.event for each in recorded if getattr(each.event, "hand", None) == table.hands]
    seed = next((event.seed for event in of_hand if isinstance(event, SeedRevealed)), None)
    return as_recorded(of_hand) if seed is None else seeded(seed, table.id, table.hands, table.hand_salts)
