"""Reads over HTTP: views, options, streams, the audit trail, explanations and match files. None of them changes anything."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from domain.table import Table
from projections.live_table import list_tables
from projections.viewing import event_for
from schemas.events import HandAbandoned, HandScored, HandVoided
from schemas.trumps import HandEscaped, HandSettled
from services.auth import Caller
from services.problems import Problem
from services.tables.commands import there
from services.tables.hints import hints
from services.tables.keys import LARGEST
from services.tables.lookups import look_up
from services.tables.proofs import sealed
from services.tables.room import Room
from services.tables.rulebook import rulesets
from services.tables.service import Calling, Running, Service, TableId
from services.tables.showing import answer, etag, sight_of, state_of, view_bytes

router = APIRouter(tags=["reads"])

Eyes = Annotated[
    str | None,
    Query(
        alias="as",
        description="Whose eyes: 0 to 3, spectator, auditor, or delayed (all hands late). Only an auditor may take others'.",
    ),
]
PAGE = 200
"""Events encoded between two looks at other requests."""


@router.get("/tables", summary="The tables, the latest moved first")
async def tables(
    service: Running,
    status: Literal["seating", "waiting", "playing", "closed"] | None = None,
    ruleset: Annotated[str | None, Query(max_length=64, description="The ruleset's id.")] = None,
    player: Annotated[str | None, Query(max_length=64, description="Part of a player's name.")] = None,
    search: Annotated[
        str | None, Query(max_length=64, description="Part of a name, an id or a ruleset's title.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """List the tables, from the live view (which lags by milliseconds)."""
    found = await look_up(
        service.settings,
        "live",
        lambda view: list_tables(view, status=status, ruleset=ruleset, player=player, search=search, limit=limit),
    )
    return answer({"tables": found})


@router.get("/tables/{table}", summary="A table as the caller sees it")
async def table_view(
    service: Running,
    caller: Calling,
    table: TableId,
    as_: Eyes = None,
    at: Annotated[int | None, Query(ge=1, le=LARGEST, description="The table as it stood after this event.")] = None,
) -> Response:
    """The caller's view, now or after event `at`; hidden cards are not in it."""
    room, state = await look(service, caller, table)
    sight = sight_of(caller, state, as_)
    last = sight.last(room)
    state = room.at(last if at is None else existing(room, at, last))
    viewer = sight.eyes(state)
    await service.access.look(caller, "view", state.id, state.version, viewer)
    return answer(view_bytes(state, viewer), ETag=etag(state.version))


@router.get("/tables/{table}/options", summary="Hints for the player to move")
async def options(
    service: Running, caller: Calling, table: TableId, limit: Annotated[int, Query(ge=1, le=1000)] = 50
) -> Response:
    """What the caller could do, best hints first; an empty list when it is another's turn.

    In trump games: declarations while cards are dealt and after, a burial, counters, leads or follows, each with its `kind` and a word on
    it.
    """
    if caller.role != "player":
        raise Problem(403, "role_not_allowed", "Hints are for the player to move.", "只有轮到的玩家可以获得提示。")
    _, state = await look(service, caller, table)
    body = {"table": state.id, "version": state.version, "family": state.family, **state_of(state)}
    body |= hints(state.hand, caller.seat(state), limit)
    return answer(body, ETag=etag(state.version))


@router.get("/tables/{table}/audit", summary="The record of a table, event by event")
async def audit(
    service: Running,
    caller: Calling,
    table: TableId,
    as_: Eyes = None,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
) -> Response:
    """All events as the caller may see them. An auditor also gets each event's hash, the hash before it and the command's id."""
    room, state = await look(service, caller, table)
    sight = sight_of(caller, state, as_)
    end = sight.last(room)
    last = min(end, after + limit)
    await service.access.look(caller, "audit", state.id, last, sight.eyes(state))
    found: list[dict[str, Any]] = []
    for step in room.steps(after + 1, last):
        viewer = sight.eyes(step.table)
        event = event_for(step.table, step.recorded, viewer)
        if viewer == "auditor":
            recorded = step.recorded
            event |= {"command": recorded.command, "prev": recorded.prev, "hash": recorded.hash}
        found.append(event)
        if len(found) % PAGE == 0:
            await asyncio.sleep(0)
    return answer({"table": room.id, "version": state.version, "events": found, "next": last if last < end else None})


@router.get("/tables/{table}/hands/{hand}/explanation", summary="Every number of a score, down to events and clauses")
async def explanation(
    service: Running, caller: Calling, table: TableId, hand: Annotated[int, Path(ge=1, le=LARGEST)]
) -> Response:
    """How a hand was scored. 404 until it is, and for a hand that counts nothing."""
    room, _ = await look(service, caller, table)
    version = room.ended.get(hand)
    event = None if version is None else next(room.steps(version, version)).recorded.event
    if isinstance(event, HandScored | HandSettled | HandEscaped):
        return answer({"table": room.id, "version": version, "type": event.TYPE, **event.model_dump()})
    if isinstance(event, HandAbandoned):
        why = f"Hand {hand} was abandoned by {event.player} (event {room.id}:{version}); contributions already given stand [C5.5]."
        raise Problem(404, "hand_abandoned", why, "该局因逃跑而中止,没有底分。", clause="C5.5", version=version)
    if isinstance(event, HandVoided):
        why = f"Hand {hand} was dissolved by all players (event {room.id}:{version}); contributions already given stand [C5.5]."
        raise Problem(404, "hand_voided", why, "该局经全体同意解散,不计分。", version=version)
    raise Problem(404, "not_scored", f"Hand {hand} of this table has not been scored.", "该局尚未计分。")


@router.get("/tables/{table}/export", summary="The match file")
async def export(service: Running, caller: Calling, table: TableId) -> Response:
    """The match file: NDJSON of CloudEvents. While a hand is played only an auditor gets it, because all cards are in it."""
    room, state = await look(service, caller, table)
    if state.playing and caller.role != "auditor":
        raise Problem(
            409,
            "hand_running",
            "A hand is being played; the match file is open to all when it is over.",
            "本局尚未结束,暂不能导出。",
        )
    await service.access.look(caller, "export", state.id, state.version, "auditor")
    data = await asyncio.to_thread(sealed, service.settings, room.id, tuple(room.lines[: state.version]))
    headers = {
        "Content-Disposition": f'attachment; filename="{room.id}.ndjson"',
        "ETag": etag(state.version),
        "Cache-Control": "no-store",
    }
    return Response(data, 200, headers, "application/x-ndjson")


@router.get("/rulesets", summary="The rules this service knows")
async def all_rules() -> Response:
    """Every ruleset with every field: what it says, the clause, and whether the house chose it."""
    return answer(rulesets())


async def look(service: Service, caller: Caller, table_id: str) -> tuple[Room, Table]:
    """The room of a table and its present state; a player's token works for its own table only, and only while seated."""
    caller.at(table_id)
    room = await service.rooms.open(table_id)
    state = there(room.table)
    if caller.role == "player":
        caller.seat(state)
    return room, state


def existing(room: Room, version: int, last: int | None = None) -> int:
    """The version, which must not be over the last that may be seen, by default of all. Raises a 404 problem."""
    last = room.version if last is None else last
    if version > last:
        raise no_version(last, version, 404)
    return version


def no_version(last: int, version: int, status: int) -> Problem:
    """The problem of a version over the last that may be seen."""
    text = f"This table has {last} events; there is no event {version}."
    return Problem(status, "no_such_version", text, f"本桌只有{last}个事件。", version=last)
