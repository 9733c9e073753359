"""Records made by commands, for tests that are about records and not about play."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from domain.bots import BOTS, choose
from domain.shuffle import derived_seed, drawer
from domain.table import OVER, Given, Table, decide, evolve, replay
from domain.upkeep import due
from schemas.commands import Command, OpenTable, SeatPlayer, StartHand
from schemas.envelope import Recorded, read_line
from schemas.events import TableOptions

Next = Command | Callable[[Table], Command]
PLAYERS = ("ann", "bob", "cid", "dan")
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
SECRET = b"k" * 32


def carried(
    table_id: str, commands: Iterable[Next], begin: datetime = BEGIN, happened: list[Recorded] | None = None
) -> list[Recorded]:
    """The record of a table at which these commands are given, one a second; a function is asked for its command at the time.

    What happens is put into `happened`, when given, as it happens.
    """
    table: Table | None = None
    happened = [] if happened is None else happened
    for number, each in enumerate(commands):
        if callable(each):
            assert table is not None
            each = each(table)  # noqa: PLW2901
        hand = table.hands + isinstance(each, StartHand) if table else 0
        time = f"{(begin + timedelta(seconds=number)).isoformat(timespec='milliseconds')[:23]}Z"
        given = Given(time, f"{table_id}-{number}", derived_seed(SECRET, table_id, hand))
        for recorded in decide(table, table_id, each, given):
            table = evolve(table, recorded)
            happened.append(recorded)
    return happened


def opening(ruleset: str = "basic", **options: object) -> list[Next]:
    """Open a table and seat four players."""
    return [OpenTable(ruleset, None, TableOptions.model_validate(options)), *map(SeatPlayer, PLAYERS)]


def anything(table: Table) -> Command:
    """What goes on at a table that bots play at: the next hand, a card, or what the table does by itself."""
    if not table.playing:
        wanted = due(table)
        return wanted.command if wanted else StartHand()
    return choose(table, BOTS["random"], drawer(SECRET.hex(), table.id, table.hands, f"choice {table.version}"))


def until_over(table_id: str, commands: Iterable[Next], hands: int) -> list[Recorded]:
    """These commands, then play until so many hands are over."""

    def moves() -> Iterator[Next]:
        yield from commands
        while sum(isinstance(each.event, OVER) for each in happened) < hands:
            yield anything

    happened: list[Recorded] = []
    return carried(table_id, moves(), happened=happened)


def played_on(lines: Sequence[bytes], secret: bytes) -> list[bytes]:
    """A record that goes on to the end of the match, dealt with this secret: all in it is as the rules want it."""
    table, more = replay(map(read_line, lines)), list(lines)
    while not table.closed:
        command = anything(table)
        hand = table.hands + isinstance(command, StartHand)
        given = Given(table.time, f"on-{table.version}", derived_seed(secret, table.id, hand))
        for recorded in decide(table, table.id, command, given):
            table = evolve(table, recorded)
            more.append(recorded.line)
    return more
