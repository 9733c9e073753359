"""What goes out over the wire: answers and stream messages as bytes. Whatever a caller sees of a table passes through here.

All hiding of cards is done by `projections.viewing`; here only its results are encoded.
"""

from collections.abc import Callable
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
from services.tables.room import Room, Step

Eyes = Callable[[Table], Viewer]
"""Whose eyes a table is seen with, as a function of its state: a player keeps the own cards when seats are swapped."""
JSON: Final = "application/json"


def eyes_of(caller: Caller, table: Table, wanted: str | None) -> Eyes:
    """The eyes of a caller, or those an auditor asks for with `as`. Raises a 403 problem when the caller may not have them.

    Everybody may look as a spectator.
    """
    viewer = None if wanted is None else _viewer(wanted)
    if caller.role == "player":
        caller.at(table.id)
        if table.seat_of(caller.player or "") is None:
            raise left_table()
    if viewer is None or viewer == caller.viewer(table):
        return caller.viewer
    if viewer != "spectator" and caller.role != "auditor":
        raise Problem(
            403, "view_not_allowed", "Only an auditor may look with the eyes of others.", "只有审计员可以查看他人视角。"
        )
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


def message(room: Room, step: Step, viewer: Viewer) -> bytes:
    """One event of the stream with the view after it; made once for all who share the eyes."""
    version = step.recorded.version
    made = room.messages.get(version)
    found = made.get(viewer) if made is not None else None
    if found is None:
        event = orjson.dumps(event_for(step.table, step.recorded, viewer))
        view = view_bytes(step.table, viewer)
        found = _message(step.recorded.event.TYPE, version, b'{"event":%b,"view":%b}' % (event, view))
        if version in room.recent:
            room.messages.setdefault(version, {})[viewer] = found
    return found


def snapshot(table: Table, viewer: Viewer) -> bytes:
    """The first message to somebody who comes without a last event id."""
    return _message("snapshot", table.version, b'{"view":%b}' % view_bytes(table, viewer))


def _message(name: str, version: int, data: bytes) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (version, name.encode(), data)
