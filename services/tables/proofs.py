"""Proofs over HTTP: public keys, receipts, the checkpoint log, and the signing of match files. Nothing hidden is in any of them."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response

from domain.proofs.keys import Ring
from domain.proofs.log import BEGINS, ENDS
from domain.proofs.receipts import finished_hands, prefix_of, sign_receipt
from domain.proofs.sealing import sealed_match
from projections.audit import hand_of_receipt
from schemas.envelope import read_line, stored_name
from schemas.notation import Unreadable
from schemas.proofs import Checkpointed, Receipt
from services.checkpoints import CheckpointFault, CheckpointLog, log_of
from services.keys import load_ring, published
from services.problems import Problem
from services.settings import Settings
from services.tables.keys import LARGEST
from services.tables.lookups import look_up
from services.tables.room import Room
from services.tables.service import Calling, Running, Service, TableId
from services.tables.showing import answer

router = APIRouter(tags=["proofs"])
log = logging.getLogger(__name__)

TEXT: Final = "text/plain; charset=utf-8"
PAGE: Final = 10_000
"""Leaves and checkpoints in one answer."""
Number = Annotated[int, Path(ge=1, le=LARGEST, description="The number of a checkpoint, counted from 1.")]
Hand = Annotated[int, Path(ge=1, le=LARGEST, description="The number of a hand, counted from 1.")]
_reading: Final = threading.Lock()


@router.get("/keys", summary="The public keys of this service")
async def public_keys(service: Running) -> Response:
    """Every key there ever was, the oldest first. Whoever keeps a copy can tell later whose signatures they see."""
    return answer(published(load_ring(service.settings.data)))


@router.get("/tables/{table}/hands/{hand}/receipt", summary="The receipt of a hand that is over")
async def receipt(service: Running, _caller: Calling, table: TableId, hand: Hand) -> Response:
    """The signed receipt of a hand: the same bytes whenever it is asked for. 404 until the hand is over."""
    return await _receipt(service, table, hand)


@router.get("/receipts/{number}", summary="A receipt by its number")
async def numbered_receipt(
    service: Running, _caller: Calling, number: Annotated[str, Path(max_length=40, examples=["7K2M-Q9XD-4T0A"])]
) -> Response:
    """The receipt with this number, however it is typed: upper or lower case, with or without hyphens, O for 0, I or L for 1."""
    prefix = prefix_of(number)
    found = await look_up(service.settings, "audit", lambda view: hand_of_receipt(view, prefix))
    if found is None:
        raise Problem(404, "no_such_receipt", "There is no receipt with this number.", "没有这个回执编号。")
    return await _receipt(service, *found)


@router.get("/tables/{table}/checkpoint", summary="That a table is in the newest checkpoint")
async def table_checkpoint(service: Running, _caller: Calling, table: TableId) -> Response:
    """The checkpoint, the leaf of the table in it, and the path that leads from one to the other (RFC 6962)."""
    found = await asyncio.to_thread(_included, service.settings, table)
    if found is None:
        raise Problem(404, "no_checkpoint", "No checkpoint holds this table yet.", "该桌尚未进入检查点。")
    return answer({"table": table, **found.model_dump()})


@router.get("/checkpoints", summary="The checkpoints, the newest first")
async def checkpoints(
    service: Running,
    before: Annotated[int | None, Query(ge=1, le=LARGEST, description="Only those with a lower number.")] = None,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 100,
) -> Response:
    """What log it is, how many leaves it has, and its checkpoints with size and root (hexadecimal)."""
    found = await _log(service)
    last = found.latest if before is None else min(before - 1, found.latest)
    listed = [(number, found.checkpoint(number)) for number in range(last, max(last - limit, 0), -1)]
    return answer(
        {
            "origin": found.checkpoint(found.latest).origin if found.latest else None,
            "latest": found.latest,
            "size": found.size,
            "checkpoints": [{"number": number, "size": each.size, "root": each.root.hex()} for number, each in listed],
        }
    )


@router.get("/checkpoints/latest", summary="The newest checkpoint")
async def latest_checkpoint(service: Running) -> Response:
    """A signed note (C2SP tlog-checkpoint)."""
    found = await _log(service)
    return _note(found, found.latest)


@router.get("/checkpoints/leaves", summary="The leaves of the log")
async def leaves(
    service: Running,
    start: Annotated[int, Query(ge=0, le=LARGEST, description="The index of the first leaf, counted from 0.")] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = PAGE,
) -> Response:
    """The leaves from an index on, a line each, exactly as they are hashed."""
    found = await _log(service)
    lines = found.leaves[start : min(start + limit, found.size)]
    return Response(
        b"".join(line + b"\n" for line in lines), 200, {"Cache-Control": "no-store"}, "application/x-ndjson"
    )


@router.get("/checkpoints/{number}", summary="A checkpoint by its number")
async def numbered_checkpoint(service: Running, number: Number) -> Response:
    """A signed note (C2SP tlog-checkpoint)."""
    return _note(await _log(service), number)


@router.get("/checkpoints/{number}/consistency", summary="That a checkpoint continues an earlier one")
async def consistency(
    service: Running,
    number: Number,
    since: Annotated[int, Query(ge=1, le=LARGEST, description="The number of the earlier checkpoint.")],
) -> Response:
    """The hashes that show that the leaves of the earlier checkpoint begin those of this one (RFC 6962, 2.1.2)."""
    found = await _log(service)
    if not since <= number <= found.latest:
        raise _no_checkpoint(found)
    old, new = found.checkpoint(since), found.checkpoint(number)
    proof = [each.hex() for each in found.tree.consistency(old.size, new.size)]
    return answer({"since": since, "number": number, "old_size": old.size, "size": new.size, "proof": proof})


def sealed(settings: Settings, table: str, lines: Sequence[bytes]) -> bytes:
    """The signed match file of a table, with the newest checkpoint that holds it."""
    shown = None
    try:
        shown = _included(settings, table)
    except (CheckpointFault, Unreadable, OSError) as error:
        log.error("the checkpoint log cannot be read, so the match file of %s is without: %s", table, error)  # noqa: TRY400
    if shown is not None and shown.version > len(lines):
        shown = None
    return sealed_match(lines, load_ring(settings.data), shown)


def _included(settings: Settings, table: str) -> Checkpointed | None:
    with _reading:
        return log_of(settings.data).included(table)


async def _log(service: Service) -> CheckpointLog:
    def read() -> CheckpointLog:
        with _reading:
            return log_of(service.settings.data)

    try:
        return await asyncio.to_thread(read)
    except (CheckpointFault, Unreadable) as error:
        log.error("the checkpoint log cannot be read: %s", error)  # noqa: TRY400
        en = "The checkpoint log of this service cannot be read; the operator finds the cause in its log."
        raise Problem(503, "log_broken", en, "检查点日志无法读取。") from None


def _note(found: CheckpointLog, number: int) -> Response:
    if not 1 <= number <= found.latest:
        raise _no_checkpoint(found)
    return Response(found.notes[number - 1], 200, {"Cache-Control": "no-store"}, TEXT)


def _no_checkpoint(found: CheckpointLog) -> Problem:
    en = f"There are {found.latest} checkpoints so far." if found.latest else "There is no checkpoint yet."
    return Problem(404, "no_such_checkpoint", en, "没有这个检查点。")


async def _receipt(service: Service, table: str, hand: int) -> Response:
    room = await service.rooms.open(table)
    ended = room.ended.get(hand)
    if ended is None:
        raise Problem(404, "hand_not_over", f"Hand {hand} of this table is not over.", "该局尚未结束。")
    ring = load_ring(service.settings.data)
    found = await asyncio.to_thread(_sign, room, ended, ring)
    return answer(found.model_dump())


def _sign(room: Room, ended: int, ring: Ring) -> Receipt:
    """The receipt of the hand that this event ended."""
    lines = room.lines
    first = next(at for at in range(ended, 0, -1) if stored_name(lines[at - 1]) == BEGINS)
    last = next(at for at in range(ended, len(lines) + 1) if stored_name(lines[at - 1]) == ENDS)
    (hand,) = finished_hands(read_line(lines[at - 1]) for at in (first, ended, last))
    return sign_receipt(hand, ring)
