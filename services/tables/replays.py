"""What a replay asks: a stretch of a table's record with the view after each event, at once.

A caller sees what he might have seen then. `opened` adds what everybody may see since: the cards of hands that are over, whose seed is
revealed and whose record is open to all.
"""

import asyncio
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response

from domain.table import Table
from projections.disputes import known_of
from projections.viewing import event_for, view_for
from schemas.views import Viewer
from services.tables.keys import LARGEST
from services.tables.lookups import look_up
from services.tables.reads import Eyes, existing, look
from services.tables.room import Step
from services.tables.service import Calling, Running, TableId
from services.tables.showing import Eyes as Looking
from services.tables.showing import answer, sight_of

router = APIRouter(tags=["reads"])

MOST: Final = 256
"""Moments given at once; one is about 5 KB."""
PAUSE: Final = 32
"""Moments encoded between two looks at other requests."""


@router.get("/tables/{table}/views", summary="A stretch of the record with the view after each event")
async def views(
    service: Running,
    caller: Calling,
    table: TableId,
    as_: Eyes = None,
    first: Annotated[int, Query(alias="from", ge=1, le=LARGEST, description="The first event.")] = 1,
    to: Annotated[
        int | None, Query(ge=1, le=LARGEST, description="The last event; 256 at most are given at once.")
    ] = None,
    opened: Annotated[bool, Query(description="Show the cards of hands that are over to everybody.")] = False,
) -> Response:
    """The events from `from` to `to` as the caller may see them, each with the view after it; `next` is where to go on."""
    room, state = await look(service, caller, table)
    sight = sight_of(caller, state, as_)
    eyes = opening(sight.eyes, state) if opened else sight.eyes
    end = sight.last(room)
    last = min(existing(room, first, end) + MOST - 1, end, to or end)
    await service.access.look(caller, "audit", state.id, last, sight.eyes(state))
    moments = []
    for step in room.steps(first, last):
        moments.append(_moment(step, eyes(step.table)))
        if len(moments) % PAUSE == 0:
            await asyncio.sleep(0)
    return answer({"table": room.id, "version": end, "moments": moments, "next": last + 1 if last < end else None})


@router.get("/tables/{table}/disputes", summary="Which hands are disputed, and what was ruled on them")
async def disputed(service: Running, caller: Calling, table: TableId) -> Response:
    """The cases about a table, the earliest first, as everybody may know them: `dispute`, `hand` (null: the whole table), `status`
    (`open`, `assigned`, `ruled`), `outcome` (`upheld`, `voided`, `adjusted`, null before) and `time` (raised, or ruled on).

    Claim, reasons and names are told at the desk, to those who may read the case. The list may lag by milliseconds.
    """
    _, state = await look(service, caller, table)
    cases = await look_up(service.settings, "disputes", lambda view: known_of(view, state.id))
    return answer({"table": state.id, "cases": cases})


def opening(eyes: Looking, now: Table) -> Looking:
    """Eyes that also see the cards of the hands that are over now."""

    def see(then: Table) -> Viewer:
        viewer = eyes(then)
        over = then.hands < now.hands or not now.playing
        return "delayed" if over and viewer != "auditor" else viewer

    return see


def _moment(step: Step, viewer: Viewer) -> dict[str, Any]:
    return {
        "event": event_for(step.table, step.recorded, viewer),
        "view": view_for(step.table, viewer).model_dump(mode="json"),
    }
