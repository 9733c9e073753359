"""Commands of which only the first events are recorded.

An atomic batch is all or nothing while the server lives and has room. When its storage limit is met in the middle of a batch, though,
nats-server 2.15.1 keeps the first messages of it and says that it failed. Events cannot be taken back, and need not be: what a command
makes happen follows from its first event, its time and its id, so the rest is recorded as soon as there is room.
"""

from collections.abc import Callable, Sequence

from domain.causes import command_of
from domain.refusal import Refused
from domain.table import Given, Table, decide
from schemas.commands import Command
from schemas.envelope import Recorded
from services.tables.room import Room

SeedOf = Callable[[Table, Command], str]


def rest_of(room: Room, seed_of: SeedOf) -> Sequence[Recorded]:
    """What is missing of the last command of a table, nothing as a rule. It looks at commands of several events only."""
    last = room.last
    before = room.at(last.first - 1) if last is not None and last.first > 1 else None
    if last is None or before is None:
        return ()
    found = [step.recorded for step in room.steps(last.first, room.version)]
    command = command_of(found)
    if command is None:
        return ()
    try:
        whole = decide(before, room.id, command, Given(found[0].time, found[0].command, seed_of(before, command)))
    except (Refused, ValueError):  # not decided by these rules: an audit will say so, it is not for us to add to it
        return ()
    if len(whole) <= len(found) or any(ours.line != theirs.line for ours, theirs in zip(whole, found, strict=False)):
        return ()
    return whole[len(found) :]
