"""Given a table, when these moves are made, then this happened: the words in which the tests of the game are written.

A move is `seat: cards` or `seat: pass`. Holdings may be of any size, so that a test shows just the cards it is about.
"""

from collections.abc import Sequence

from domain.climbing import rulesets
from domain.table import Given, Table, decide, evolve, replay
from schemas.canonical import GENESIS
from schemas.commands import Command, Pass, Play
from schemas.envelope import Recorded, record
from schemas.events import Dealt, Event, FaceUp, HandStarted, PlayerSeated, SeedRevealed, TableOpened, TableOptions
from schemas.notation import parse_cards

SEED = "5" * 64
NAMES = ("ann", "bob", "cat", "dan")
TIME = "2026-12-01T03:00:00.000Z"


def chain(table_id: str, events: Sequence[Event], command: str = "given") -> list[Recorded]:
    """Record these events as the first ones of a table, each caused by a command of its own."""
    recorded: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        prev = recorded[-1].hash if recorded else GENESIS
        recorded.append(record(table_id, version, prev, TIME, f"{command}-{version}", event))
    return recorded


def opened(
    ruleset: str, holdings: Sequence[str], leader: int = 0, *, table_id: str = "t", face_up: str = "3S"
) -> list[Recorded]:
    """The events of a table that plays its first hand with these holdings (cards as text, one text a seat)."""
    from domain.shuffle import commitment

    rules = rulesets.get(ruleset)
    cards = tuple(parse_cards(text) for text in holdings)
    up = FaceUp(position=leader, card=face_up, seat=leader) if rules.face_up_card else None
    events: list[Event] = [
        TableOpened(family="climbing", ruleset=rules.id, ruleset_version=rules.version, options=TableOptions()),
        *(PlayerSeated(player=name, seat=seat) for seat, name in enumerate(NAMES)),
        HandStarted(
            hand=1,
            ruleset=rules.id,
            ruleset_version=rules.version,
            commitment=commitment(SEED, table_id, 1),
            players=NAMES,
        ),
        Dealt(
            hand=1,
            holdings=(cards[0], cards[1], cards[2], cards[3]),
            leader=leader,
            leader_by="face_up" if up else "drawn",
            face_up=up,
        ),
    ]
    return chain(table_id, events)


def playing(ruleset: str, holdings: Sequence[str], leader: int = 0) -> Table:
    """A table in its first hand with these holdings."""
    return replay(opened(ruleset, holdings, leader))


def move(text: str) -> Command:
    """`0: 3S 3H` or `1: pass` as a command."""
    seat, _, what = text.partition(":")
    return Pass(int(seat)) if what.strip() == "pass" else Play(int(seat), parse_cards(what))


def carry_out(
    table: Table | None, command: Command, table_id: str = "t", seed: str = SEED
) -> tuple[Table, list[Event]]:
    """Carry out one command: the table after it and what happened."""
    version = table.version if table else 0
    recorded = decide(table, table_id, command, Given(TIME, f"c{version}", seed))
    for each in recorded:
        table = evolve(table, each)
    assert table is not None
    return table, [each.event for each in recorded]


def after(table: Table, *moves: str) -> tuple[Table, list[Event]]:
    """Make these moves: the table after them and all that happened."""
    happened: list[Event] = []
    for text in moves:
        table, events = carry_out(table, move(text))
        happened += events
    return table, happened


def types(events: Sequence[Event]) -> list[str]:
    """The types of events, without the revealed seed (which follows the end of every hand)."""
    return [event.TYPE for event in events if not isinstance(event, SeedRevealed)]
