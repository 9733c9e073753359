"""The books over HTTP: a player's statement, all accounts, and what an entry comes from."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy import Connection

from projections.amounts import Unit
from projections.books import Books, earlier, ruling
from projections.postings import player_account
from projections.tracing import NothingPosted, trace, trace_ruling
from schemas.envelope import read_line
from services.auth import unauthorized
from services.problems import Problem
from services.tables.keys import LARGEST
from services.tables.lookups import end_of_stream, look_into_books, reach, upto
from services.tables.service import Calling, Running, Service
from services.tables.showing import answer

router = APIRouter(tags=["ledger"])

Lines = Annotated[int, Query(ge=1, le=10_000, description="How many lines, the latest ones.")]
Before = Annotated[int | None, Query(ge=1, le=LARGEST, description="Only lines before this number: what `next` said.")]
By = Annotated[Literal["entry", "hand"], Query(description="A line an entry, or a line a hand.")]
Name = Annotated[str | None, Query(max_length=64)]


@router.get("/players/{player:path}/ledger", summary="A player's balance and entries")
async def ledger(
    service: Running,
    caller: Calling,
    player: Annotated[str, Path(max_length=64)],
    table: Name = None,
    unit: Unit | None = None,
    by: By = "entry",
    before: Before = None,
    limit: Lines = 1000,
) -> Response:
    """What a player won and lost, each entry with the event it comes from; for the player and those who supervise."""
    if caller.role == "spectator":
        raise unauthorized("A ledger is for its player, operators, auditors and adjudicators.")
    if caller.role == "player" and caller.player != player:
        raise Problem(
            403, "other_ledger", "A player's token shows this player's own ledger only.", "只能查看自己的账本。"
        )
    found = await _page(service, Asked(player, table, unit), by, before, limit)
    return answer({"player": player, **found})


@router.get("/ledger", summary="Balances of all players, or of a player or a table, with the latest entries")
async def whole_ledger(
    service: Running,
    caller: Calling,
    player: Name = None,
    table: Name = None,
    unit: Unit | None = None,
    by: By = "entry",
    before: Before = None,
    limit: Lines = 1000,
) -> Response:
    """The books, for those who supervise: every account, and its entries with the events they come from."""
    caller.must_be("operator", "auditor", "adjudicator")
    lines = limit if player or table else 0
    return answer(await _page(service, Asked(player, table, unit), by, before, lines))


@router.get("/ledger/entries/{entry}", summary="What an entry comes from: every number down to events and clauses")
async def entry_explained(
    service: Running,
    caller: Calling,
    entry: Annotated[str, Path(max_length=90, description="The entry's `event`: `t-4kq7:57` or `dispute:d-1:4`.")],
) -> Response:
    """All that an event posted, with reasons. For those who supervise, and for players about entries of their own."""
    if caller.role == "spectator":
        raise unauthorized("The ledger is for its players, operators, auditors and adjudicators.")
    start, _, number = entry.rpartition(":")
    if not start or not number.isdecimal() or int(number) > LARGEST:
        en = "entry: an entry is named by its event, <table>:<version>."
        raise Problem(422, "no_entry", en, "分录编号格式不正确。")
    if start.startswith("dispute:"):
        found = await _ruling(service, start.removeprefix("dispute:"), int(number))
    else:
        found = await _event(service, start, int(number))
    accounts = {account for each in found["transactions"] for account in each["amounts"]}
    if caller.role == "player" and player_account(caller.player or "") not in accounts:
        raise _nothing(f"There is no entry {entry} of yours.")
    return answer(found)


class Asked(NamedTuple):
    """Whose entries, at which table, of which unit; None for all."""

    player: str | None
    table: str | None
    unit: Unit | None


async def _page(
    service: Service, asked: Asked, by: Literal["entry", "hand"], before: int | None, limit: int
) -> dict[str, Any]:
    """Balances, totals and a page of lines; `next` is what to give as `before` for the page before it, `view` how far the ledger is."""

    def ask(view: Connection, adjusted: bool) -> tuple[dict[str, Any], int]:
        at = upto(view, "ledger")
        books = Books(view, player=asked.player, table=asked.table, unit=asked.unit, adjusted=adjusted)
        read, name = (books.hands, "hands") if by == "hand" else (books.statement, "entries")
        lines = read(before=before, limit=limit) if limit else []
        return {"balances": books.balances(), "totals": books.totals(), name: lines, "next": earlier(lines)}, at

    last = await end_of_stream(service.rooms)
    found, at = await look_into_books(service.settings, ask)
    return {**found, "view": (await reach(service.rooms, at, last))._asdict()}


async def _event(service: Service, table: str, version: int) -> dict[str, Any]:
    room = await service.rooms.open(table)
    record = map(read_line, room.lines[:version])
    try:
        return asdict(await asyncio.to_thread(trace, record, version))
    except NothingPosted as nothing:
        raise _nothing(f"{table}:{version} posted nothing: {nothing}.") from None


async def _ruling(service: Service, dispute: str, version: int) -> dict[str, Any]:
    lines = await look_into_books(
        service.settings, lambda view, adjusted: ruling(view, dispute, version) if adjusted else []
    )
    if not lines:
        raise _nothing(f"No ruling dispute:{dispute}:{version} posted anything.")
    return asdict(trace_ruling(dispute, version, lines))


def _nothing(words: str) -> Problem:
    return Problem(404, "no_entry", words, "没有这条分录。")
