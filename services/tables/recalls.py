"""Game recall over HTTP: a hand found by player, table, time or receipt, and told again from the record."""

import asyncio
import re
from functools import partial
from importlib.metadata import version
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy import Connection

from domain.proofs.receipts import prefix_of
from domain.table import Table
from projections.audit import sequence_of
from projections.disputes import rulings_on
from projections.hands import find_hands
from projections.recall import balances_of, found, tell
from schemas.notation import Unreadable
from schemas.recall import NOTE_EN, NOTE_ZH, Balance, HandFound, HandRecall, HandRuling
from schemas.views import VIEWERS, Viewer
from services.auth import Caller, unauthorized
from services.keys import load_ring
from services.problems import Problem
from services.tables.keys import LARGEST
from services.tables.lookups import look_into_books, look_up, upto
from services.tables.room import Room
from services.tables.service import Calling, Running, Service, TableId
from services.tables.showing import Eyes, answer

router = APIRouter(tags=["recall"])

TIME: Final = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,3})?)?)?Z?)?)?)?")
DIGEST: Final = re.compile(r"[0-9a-f]{8,64}")
Moment = Annotated[
    str | None, Query(max_length=24, description="UTC, or the beginning of it: 2026-12, 2026-12-01T03:15.")
]


@router.get("/recall", summary="Hands that were played, the latest first")
async def hands(
    service: Running,
    caller: Calling,
    player: Annotated[str | None, Query(max_length=64)] = None,
    table: Annotated[str | None, Query(max_length=64)] = None,
    from_: Annotated[Moment, Query(alias="from")] = None,
    to: Moment = None,
    receipt: Annotated[
        str | None,
        Query(max_length=64, description="The number of a receipt, or the hash of the last event of a hand."),
    ] = None,
    before: Annotated[
        str | None, Query(max_length=100, description="Go on after this hand of the list: `next`.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Hands by player, table, time (any part of them between `from` and `to`) or receipt; a player's token finds this player's own."""
    wanted = partial(
        find_hands,
        player=_whose(caller, player),
        table=table,
        since=_time("from", from_),
        until=_time("to", to),
        digest=_digest(receipt),
        before=_cursor(before),
        limit=limit + 1,
    )
    years = service.settings.recall_years
    rows = await look_up(service.settings, "audit", wanted)
    listed = await _ruled(service, [found(row, years) for row in rows[:limit]])
    more = f"{listed[-1].started},{listed[-1].id}" if len(rows) > limit else None
    return answer(
        {
            "replay": True,
            "note_zh": NOTE_ZH,
            "note_en": NOTE_EN,
            "kept_years": years,
            "hands": [each.model_dump() for each in listed],
            "next": more,
        }
    )


@router.get(
    "/recall/{table}/{hand}", summary="A hand told again from the record", responses={200: {"model": HandRecall}}
)
async def recall(
    service: Running, caller: Calling, table: TableId, hand: Annotated[int, Path(ge=1, le=LARGEST)]
) -> Response:
    """Who played, what each chose and when, what followed, the result, the balances before and after.

    When a hand is over those who supervise see all cards, as everybody may in its match file. A player sees own hands only, with the
    eyes of the own seat then. While it is played an auditor alone sees all cards.
    """
    player = _whose(caller, None)
    row, sequence = await look_up(service.settings, "audit", lambda view: _row(view, table, hand, player))
    if row is None:
        raise Problem(
            404, "no_such_hand", "There is no such hand, or none of yours.", "没有这一局,或不是您参与的牌局。"
        )
    one = (await _ruled(service, [found(row, service.settings.recall_years)]))[0]
    room = await service.rooms.open(table)
    last = row["last"] or room.version
    eyes = _eyes(caller, one)
    await service.access.look(caller, "audit", table, last, eyes(room.at(last)))
    balances = await _balances(service, one, sequence)
    told = await asyncio.to_thread(_tell, service, room, (row["first"], last), one, eyes, balances)
    return answer(told.model_dump_json().encode())


async def _ruled(service: Service, hands: list[HandFound]) -> list[HandFound]:
    """The hands with the rulings about them; one that was ruled void is void. As they are where the view of disputes is away."""
    keys = [(each.table, each.hand) for each in hands]
    try:
        rulings = await look_up(service.settings, "disputes", lambda view: rulings_on(view, keys))
    except Problem:
        return hands
    return [_with(each, rulings[each.table, each.hand]) for each in hands]


def _with(hand: HandFound, rulings: tuple[HandRuling, ...]) -> HandFound:
    void = any(each.outcome == "voided" for each in rulings)
    return hand.model_copy(update={"rulings": rulings, "status": "void" if void else hand.status})


def _row(view: Connection, table: str, hand: int, player: str | None) -> tuple[dict[str, Any] | None, int]:
    """A hand in the index, and where its last event (its first, while it is played) stands in the stream."""
    rows = find_hands(view, table=table, hand=hand, player=player)
    if not rows:
        return None, 0
    return rows[0], sequence_of(view, table, rows[0]["last"] or rows[0]["first"]) or 0


def _whose(caller: Caller, player: str | None) -> str | None:
    """The player whose hands are looked for. Raises a 401 or 403 problem when they are none of the caller's business."""
    if caller.role == "spectator":
        raise unauthorized("Recall is for the players of a hand, operators, auditors and adjudicators.")
    if caller.role != "player":
        return player
    if player is not None and player != caller.player:
        raise Problem(
            403, "other_hands", "A player's token recalls this player's own hands only.", "只能回看自己的牌局。"
        )
    return caller.player


def _eyes(caller: Caller, hand: HandFound) -> Eyes:
    """Whose eyes a hand is told with, as a function of the table's state."""
    over = hand.status != "playing"
    if caller.role != "player":
        return lambda _: "auditor" if over or caller.role == "auditor" else "spectator"

    def own(table: Table) -> Viewer:
        seat = table.seat_of(caller.player or "") if over else caller.seat_at(table)
        return VIEWERS[seat] if seat is not None else "spectator"

    return own


def _tell(
    service: Service,
    room: Room,
    span: tuple[int, int],
    hand: HandFound,
    eyes: Eyes,
    balances: dict[str, tuple[Balance, ...]] | None,
) -> HandRecall:
    software = load_ring(service.settings.data).software_at(hand.ended or room.time)
    moments = ((step.table, step.recorded) for step in room.steps(*span))
    return tell(hand, room.at(span[0] - 1), moments, eyes, balances, (software, version("shuangkou")))


async def _balances(service: Service, hand: HandFound, sequence: int) -> dict[str, tuple[Balance, ...]] | None:
    """The balances by player; None where there is no ledger, or it has not come to this hand yet."""

    def ask(view: Connection, adjusted: bool) -> dict[str, tuple[Balance, ...]] | None:
        return balances_of(view, hand, hand.players, adjusted=adjusted) if upto(view, "ledger") >= sequence else None

    try:
        return await look_into_books(service.settings, ask)
    except Problem:
        return None


def _time(name: str, given: str | None) -> str | None:
    """The beginning of a time as it was given. Raises Unreadable."""
    if given is None:
        return None
    if not TIME.fullmatch(given):
        raise Unreadable(f"{name}: must be a time in UTC or the beginning of one, like 2026-12-01 or 2026-12-01T03:15")
    return given.removesuffix("Z")


def _digest(receipt: str | None) -> str | None:
    """What the hash of the last event begins with. Raises Unreadable."""
    if receipt is None or DIGEST.fullmatch(receipt):
        return receipt
    return prefix_of(receipt)


def _cursor(before: str | None) -> tuple[str, str, int] | None:
    """The hand after which a list goes on. Raises Unreadable."""
    if before is None:
        return None
    started, _, id_ = before.partition(",")
    table, _, hand = id_.partition("/")
    if not hand.isdecimal() or int(hand) > LARGEST:
        raise Unreadable("before: must be what `next` said")
    return started, table, int(hand)
