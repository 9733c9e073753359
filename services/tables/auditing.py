"""Why was this legal, and what else was? The situation of any event, for auditors and for everybody who may see the cards."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from domain.audit import LIMIT, situation, span_of
from domain.table import Table
from projections.viewing import ALL_SEEING
from schemas.envelope import read_line
from schemas.situations import Situation
from schemas.views import Viewer
from services.problems import Problem
from services.situations import is_open, seen
from services.tables.keys import LARGEST
from services.tables.reads import Eyes as Looking
from services.tables.reads import existing, look
from services.tables.room import Room
from services.tables.service import Calling, Running, TableId
from services.tables.showing import Eyes, answer, eyes_of

router = APIRouter(tags=["reads"])


@router.get(
    "/tables/{table}/situations/{event}",
    summary="The situation of an event: what was held, what was possible, why it was legal",
    responses={200: {"model": Situation}},
)
async def situation_of(
    service: Running,
    caller: Calling,
    table: TableId,
    event: Annotated[int, Path(ge=1, le=LARGEST)],
    as_: Looking = None,
    limit: Annotated[int, Query(ge=1, le=10_000, description="How many choices are listed.")] = LIMIT,
) -> Response:
    """The situation in which event `event` came about: the one before the first event of its command.

    `first` and `last` are the events of that command, `events` each of them with a `clause` and words on why it followed.
    `act` is what was done: `do` (`play`, `pass`, `declare`, `bury`, `counter`, `decline`, `deal_on`, …), `seat`, `cards`, and what they
    count as: `reading` (climbing) or `kind` (trumps). `legal` says whether the rules allow it; `reasons` say why, each with `clause`, `en`
    and `zh`; `broken` names the rule that it breaks instead. `holding` is what the seat held, `holdings` all four; `trick` what lay there,
    `to_beat` the play to beat or the lead to follow. `choices.acts` lists what else was legal, up to `limit` of `choices.total` (null: not
    all were counted), `choices.note_en` and `note_zh` what is not listed. Cards that the caller may not see are null.

    An auditor sees every situation. While a hand is played a player sees those of the own seat; when it is over everybody sees all.
    """
    room, state = await look(service, caller, table)
    eyes = eyes_of(caller, state, as_)
    existing(room, event)
    await service.access.look(caller, "audit", state.id, event, eyes(state))
    return answer(await asyncio.to_thread(_situation, room, state, event, eyes, limit))


def _situation(room: Room, state: Table, event: int, eyes: Eyes, limit: int) -> bytes:
    first, last = span_of(event, room.version, lambda version: read_line(room.lines[version - 1]).command)
    before = room.at(first - 1) if first > 1 else None
    recorded = [read_line(line) for line in room.lines[first - 1 : last]]
    found = situation(before, recorded, event, limit)
    return seen(found, before, _viewer(found, before, state, eyes)).model_dump_json().encode()


def _viewer(found: Situation, before: Table | None, state: Table, eyes: Eyes) -> Viewer:
    """Whose eyes may see this situation. Raises a 409 problem as long as the cards of a running hand are in it."""
    if before is None or is_open(found, before, state):
        return "auditor"
    viewer = eyes(before)
    late = state.options.delayed
    if viewer == "delayed" and not (isinstance(late, int) and found.last <= state.version - late):
        viewer = "spectator"
    if viewer in ALL_SEEING or viewer == str(found.act.seat):
        return viewer
    en = "A hand is being played; its situations are open to all when it is over, till then to the own seat."
    raise Problem(409, "hand_running", en, "本局尚未结束,暂只能查看自己座位的局面。")
