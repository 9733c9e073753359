"""The end of a command of which only the first events are left.

What a command makes happen follows from its first event, its time, its id and the seed, so what is missing of the last one is not lost:
it is decided again, into the same bytes. The archive ends its files with hands, which may be one event before the end of a command.
"""

from collections.abc import Callable, Sequence

from domain.causes import command_of
from domain.refusal import Refused
from domain.table import Given, decide, replay
from schemas.commands import CommitSeed, StartHand
from schemas.envelope import read_line
from schemas.events import SeedRevealed
from schemas.notation import Unreadable

SeedOf = Callable[[str, int], str]
"""The seed of a hand of a table, as the installation would have drawn it."""


def rest_of(lines: Sequence[bytes], seed_of: SeedOf | None = None) -> tuple[bytes, ...]:
    """What is missing of the last command of a table; nothing where it is whole, or the rules make something else of it.

    The seed is the revealed one, else that of `seed_of`.
    """
    try:
        recorded = [read_line(line) for line in lines]
    except Unreadable:
        return ()
    last = [each for each in recorded if each.command == recorded[-1].command]
    before = recorded[: -len(last)]
    command = command_of(last)
    if command is None or not before:
        return ()
    try:
        table = replay(before)
        hand = table.hands + isinstance(command, StartHand | CommitSeed)
        revealed = [each.event.seed for each in last if isinstance(each.event, SeedRevealed)]
        seed = revealed[0] if revealed else seed_of(table.id, hand) if seed_of else None
        whole = decide(table, table.id, command, Given(last[0].time, last[0].command, seed))
    except (Refused, ValueError):
        return ()
    made = [each.line for each in whole]
    return tuple(made[len(last) :]) if made[: len(last)] == list(lines[-len(last) :]) else ()
