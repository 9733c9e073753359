"""What goes out over the wire: answers and stream messages as bytes. Whatever a caller sees of a table passes through here.

All hiding of cards is done by `projections.viewing`; here only its results are encoded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson
from fastapi import Response

from domain.table import Table
from domain.trumps import hand as trumps
from projections.viewing import event_for, view_for
from schemas.notation import Unreadable
from schemas.views import Viewer, parse_viewer
from services.auth import Caller, left_table
from services.problems import Problem
from services.tables.messages import Message
from services.tables.room import Room, Step

Eyes = Callable[[Table], Viewer]
"""Whose eyes a table is seen with, as a function of its state: a player keeps the own cards when seats are swapped."""
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Sight:
    """Whose eyes a table is seen with, and how far. `fixed` are eyes that stay the same; `late` ones do not see the newest events yet."""

    eyes: Eyes
    fixed: Viewer | None = None
    late: bool = False

    def last(self, room: Room) -> int:
        """The last event of a room that these eyes may see."""
        return room.late if self.late else room.version


LATE: Final = Sight(lambda _: "delayed", "delayed", late=True)
"""The eyes of a spectator who sees all hands late."""


def sight_of(caller: Caller, table: Table, wanted: str | None) -> Sight:
    """The eyes of a caller or those asked for with `as`, which may also be `delayed`. Raises a 403 problem like `eyes_of`.

    Looking late is for those who do not play, where the table was opened so.
    """
    if wanted == "delayed":
        if table.options.delayed is None:
            raise _not_allowed(
                "This table shows no hands while they are played, not even late.", "本桌不提供延时明牌观战。"
            )
        if caller.role == "player":
            raise _not_allowed("Looking late is for those who do not play.", "参赛玩家不能使用延时明牌观战。")
        return LATE
    eyes = eyes_of(caller, table, wanted)
    if caller.role == "player" and eyes == caller.viewer:
        return Sight(eyes)  # the seat of a player may change
    return Sight(eyes, eyes(table))


def _not_allowed(en: str, zh: str) -> Problem:
    return Problem(403, "view_not_allowed", en, zh)


def eyes_of(caller: Caller, table: Table, wanted: str | None) -> Eyes:
    """The eyes of a caller, or those an auditor asks for with `as`. Raises a 403 problem when the caller may not have them.

    Everybody may look as a spectator.
    """
    viewer = None if wanted is None else _viewer(wanted)
    if caller.role == "player":
        caller.at(table.id)
        if caller.seat_at(table) is None:
            raise left_table()
    if viewer is None or viewer == caller.viewer(table):
        return caller.viewer
    if viewer != "spectator" and caller.role != "auditor":
        raise _not_allowed("Only an auditor may look with the eyes of others.", "只有审计员可以查看他人视角。")
    chosen: Viewer = viewer
    return lambda _: chosen


def _viewer(text: str) -> Viewer:
    try:
        return parse_viewer(text)
    except Unreadable as error:
        raise Unreadable(f"as: {error}") from None


def turn_of(table: Table) -> int | None:
    """The seat to move, None when nobody is."""
    return table.hand.turn if table.hand is not None and table.playing else None


def state_of(table: Table) -> dict[str, Any]:
    """Whom the table waits for, in every answer: the seat to move (None when several may, or nobody), those that may act, the phase."""
    hand = table.hand
    phase = (
        None if hand is None else hand.phase if isinstance(hand, trumps.Hand) else "over" if hand.over else "playing"
    )
    return {"turn": turn_of(table), "waiting": table.waiting, "phase": phase}


def view_bytes(table: Table, viewer: Viewer) -> bytes:
    """The view of a table as JSON."""
    return view_for(table, viewer).model_dump_json().encode()


def answer(body: Any, status: int = 200, **headers: str) -> Response:
    """JSON, not to be cached."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return Response(content, status, {"Cache-Control": "no-store", **named}, JSON)


def etag(version: int) -> str:
    """The entity tag of a table at a version; what If-Match takes."""
    return f'"{version}"'


def messages(room: Room, sight: Sight, first: int, last: int) -> Iterator[Message]:
    """The events `first` to `last` as messages, each with the view after it; made once for all who share the eyes."""
    if sight.fixed is not None:
        kept = room.messages.setdefault(sight.fixed, {})
        while first <= last and (found := kept.get(first)) is not None:
            yield found
            first += 1
    if first > last:
        return
    for step in room.steps(first, last):
        viewer = sight.eyes(step.table)
        kept = room.messages.setdefault(viewer, {})
        found = kept.get(step.recorded.version)
        if found is None:
            found = _message(step, viewer)
            room.keep(viewer, found, sight.last(room))
        yield found


def _message(step: Step, viewer: Viewer) -> Message:
    event = orjson.dumps(event_for(step.table, step.recorded, viewer))
    view = view_bytes(step.table, viewer)
    return Message(step.recorded.version, step.recorded.event.TYPE, b'{"event":%b,"view":%b}' % (event, view))


def snapshot(table: Table, viewer: Viewer) -> Message:
    """The first message to somebody who comes without a last event id."""
    return Message(table.version, "snapshot", b'{"view":%b}' % view_bytes(table, viewer))
