"""What a replay asks: a stretch of a table's record with the view after each event, and why an event was allowed.

A caller sees what he might have seen then. `opened` adds what everybody may see since: the cards of hands that are over, whose seed is
revealed and whose record is open to all.
"""

import asyncio
from itertools import islice
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response

from domain.legality import Decision, alternatives, readings_of, reasons
from domain.table import Table
from projections.viewing import event_for, view_for
from schemas.views import Viewer
from services.problems import Problem
from services.tables.reads import Eyes, existing, look
from services.tables.room import Step
from services.tables.service import Calling, Running, TableId
from services.tables.showing import Eyes as Looking
from services.tables.showing import answer, eyes_of

router = APIRouter(tags=["replays"])

MOST: Final = 256
"""Moments given at once; one is about 5 KB."""
PAUSE: Final = 32
"""Moments encoded between two looks at other requests."""
Opened = Annotated[bool, Query(description="Show the cards of hands that are over to everybody.")]


def opening(eyes: Looking, now: Table, *, opened: bool) -> Looking:
    """Eyes that also see the cards of hands that are over now, if that is wished."""

    def see(then: Table) -> Viewer:
        viewer = eyes(then)
        if not opened or viewer == "auditor":
            return viewer
        over = then.hands < now.hands or not now.playing
        return "delayed" if over else viewer

    return see


@router.get("/tables/{table}/views", summary="A stretch of the record with the view after each event")
async def views(
    service: Running,
    caller: Calling,
    table: TableId,
    as_: Eyes = None,
    first: Annotated[int, Query(alias="from", ge=1, description="The first event.")] = 1,
    to: Annotated[int | None, Query(ge=1, description="The last event; 256 at most are given at once.")] = None,
    opened: Opened = False,
) -> Response:
    """The events from `from` to `to` as the caller may see them, each with the view after it; `next` is where to go on."""
    room, state = await look(service, caller, table)
    eyes = opening(eyes_of(caller, state, as_), state, opened=opened)
    last = min(existing(room, first) + MOST - 1, room.version, to or room.version)
    await service.access.look(caller, "audit", state.id, last, eyes(state))
    moments = []
    for step in room.steps(first, last):
        moments.append(_moment(step, eyes(step.table)))
        if len(moments) % PAUSE == 0:
            await asyncio.sleep(0)
    return answer(
        {
            "table": room.id,
            "version": room.version,
            "moments": moments,
            "next": last + 1 if last < room.version else None,
        }
    )


def _moment(step: Step, viewer: Viewer) -> dict[str, Any]:
    return {
        "event": event_for(step.table, step.recorded, viewer),
        "view": view_for(step.table, viewer).model_dump(mode="json"),
    }


@router.get("/tables/{table}/legality", summary="Why an event was allowed, and what else was")
async def legality(
    service: Running,
    caller: Calling,
    table: TableId,
    at: Annotated[int, Query(ge=2, description="The event.")],
    as_: Eyes = None,
    opened: Opened = False,
    limit: Annotated[int, Query(ge=0, le=1000, description="Choices listed.")] = 50,
) -> Response:
    """Why the rules allowed what a seat did in this event; what else it could have done only if the caller may see what it held."""
    room, state = await look(service, caller, table)
    eyes = opening(eyes_of(caller, state, as_), state, opened=opened)
    before, step = islice(room.steps(existing(room, at) - 1, at), 2)
    event, hand = step.recorded.event, before.table.hand
    await service.access.look(caller, "audit", state.id, at, eyes(state))
    if hand is None or not isinstance(event, Decision):
        raise Problem(
            404,
            "no_decision",
            f"Event {at} is no decision of a seat; it follows from the rules.",
            "该事件不是玩家的选择。",
        )
    seen = view_for(before.table, eyes(before.table)).seats[event.seat].holding is not None
    return answer(
        {
            "table": room.id,
            "version": at,
            "seat": event.seat,
            "reasons": reasons(hand, event, before.recorded.event),
            "readings": readings_of(hand, event),
            "alternatives": alternatives(hand, event, limit) if seen else None,
        }
    )
