"""Commands over HTTP: each is recorded once, however often it is sent with the same Idempotency-Key."""

import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from domain.refusal import Refusal, Refused
from domain.table import Table
from projections.viewing import event_for
from schemas.commands import Command, Leave, OpenTable, Pass, Play, SeatPlayer, StartHand
from schemas.events import TableOptions
from schemas.notation import parse_cards
from services.auth import Caller
from services.problems import problem_of
from services.tables import keys
from services.tables.rooms import Done, Order
from services.tables.routing import CommandRoute
from services.tables.service import Calling, Key, Match, Running, Service, TableId
from services.tables.showing import answer, etag, turn_of

router = APIRouter(tags=["commands"], route_class=CommandRoute)


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OpenBody(_Body):
    """Which rules a table is opened for; `version` is the ruleset's, by default the newest."""

    ruleset: Annotated[str, Field(max_length=64, examples=["basic"])]
    version: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None
    options: TableOptions = TableOptions()


class SeatBody(_Body):
    """Whom to give a seat, and which one (by default the first that is free)."""

    player: Annotated[str, Field(max_length=64, examples=["alice"])]
    seat: Annotated[StrictInt, Field(ge=0, le=3)] | None = None


class PlayBody(_Body):
    """The cards to play, as text with spaces between or as a list."""

    cards: (
        Annotated[str, Field(max_length=1000, examples=["7S 7H"])]
        | Annotated[list[Annotated[str, Field(max_length=8)]], Field(max_length=108)]
    )

    def read(self) -> tuple[str, ...]:
        """The cards. Raises Unreadable naming the first that is none."""
        return parse_cards(self.cards if isinstance(self.cards, str) else " ".join(self.cards))


def seated(caller: Caller, make: Callable[[int], Command]) -> Callable[[Table | None], Command]:
    """The wish of a player: a command from the seat the player has when it is decided."""

    def wish(table: Table | None) -> Command:
        return make(caller.seat(there(table)))

    return wish


def there(table: Table | None) -> Table:
    """The table, which must exist. Raises Refused."""
    if table is None:
        raise Refused(Refusal("no_such_table", "", "There is no such table.", "没有这张桌子。"))
    return table


def answer_of(
    done: Done, caller: Caller, status: int = 200, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """The answer to a command: what it made happen as the caller sees it. The same for a repeat."""
    table = done.table
    body = {
        "table": table.id,
        "version": table.version,
        "events": [event_for(step.table, step.recorded, caller.viewer(step.table)) for step in done.steps],
        "turn": turn_of(table),
        **more,
    }
    named = {"ETag": etag(table.version), **(headers or {})}
    if done.repeated:
        named["Idempotent-Replayed"] = "true"
    return answer(body, status, **named)


async def measured(service: Service, kind: str, work: Awaitable[Response]) -> Response:
    """Count a command by its outcome and measure it."""
    began = time.perf_counter()
    outcome = "recorded"
    try:
        response = await work
    except Exception as error:
        problem = problem_of(error)
        outcome = "refused" if problem.status_code < 500 else "failed"
        service.metrics.refusals.labels(problem.rule).inc()
        raise
    else:
        if "Idempotent-Replayed" in response.headers:
            outcome = "repeated"
        return response
    finally:
        service.metrics.commands.labels(kind, outcome).inc()
        service.metrics.seconds.labels(kind).observe(time.perf_counter() - began)


@router.post("/tables", status_code=201, summary="Open a table (operator)")
async def open_table(service: Running, caller: Calling, body: OpenBody, key: Key = None) -> Response:
    """Open a table for a ruleset. With an Idempotency-Key a repeat finds the same table, even after a crash."""

    async def work() -> Response:
        caller.must_be("operator")
        scoped = keys.key_of(key, caller)
        table_id = keys.table_of(key, scoped)
        command = OpenTable(body.ruleset, body.version, body.options)
        order = Order(lambda _: command, scoped, keys.request_of("tables", body.model_dump()))
        done = await service.rooms.handle(table_id, order)
        return answer_of(done, caller, 201, {"Location": f"/tables/{table_id}"})

    return await measured(service, "open", work())


@router.post("/tables/{table}/seats", status_code=201, summary="Seat a player (operator)")
async def seat_player(
    service: Running, caller: Calling, table: TableId, body: SeatBody, key: Key = None, match: Match = None
) -> Response:
    """Give a player a seat; the answer holds the player's token. A player who has a seat here gets a token for it again (200)."""

    def sit(state: Table | None) -> Command:
        there(state)
        return SeatPlayer(body.player, body.seat)

    async def work() -> Response:
        caller.must_be("operator")
        order = _order(caller, sit, ("seats", body.model_dump()), key, match)
        try:
            done = await service.rooms.handle(table, order)
        except Refused as error:
            if error.refusal.rule != "already_seated":
                raise
            return await _seated_already(service, table, body, error)
        seat = done.table.seat_of(body.player)
        issued = int(datetime.fromisoformat(done.steps[-1].recorded.time).timestamp())
        token = service.tokens.player(table, body.player, issued)
        return answer_of(done, caller, 201, player=body.player, seat=seat, token=token)

    return await measured(service, "seat", work())


async def _seated_already(service: Service, table_id: str, body: SeatBody, refused: Refused) -> Response:
    table = there((await service.rooms.open(table_id)).table)
    seat = table.seat_of(body.player)
    if seat is None or body.seat not in {None, seat}:
        raise refused
    token = service.tokens.player(table_id, body.player, int(time.time()))
    return answer(
        {
            "table": table_id,
            "version": table.version,
            "events": [],
            "turn": turn_of(table),
            "player": body.player,
            "seat": seat,
            "token": token,
        },
        ETag=etag(table.version),
    )


@router.post("/tables/{table}/hands", summary="Start the next hand (operator or a seated player)")
async def start_hand(
    service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None
) -> Response:
    """Shuffle and deal the next hand."""

    def start(state: Table | None) -> Command:
        state = there(state)
        if caller.role == "player":
            caller.seat(state)
        return StartHand()

    async def work() -> Response:
        caller.must_be("operator", "player")
        return await _command(service, caller, table, _order(caller, start, ("hands", {}), key, match))

    return await measured(service, "hand", work())


@router.post("/tables/{table}/plays", summary="Play cards (the player to move)")
async def play(
    service: Running, caller: Calling, table: TableId, body: PlayBody, key: Key = None, match: Match = None
) -> Response:
    """Play cards from the caller's seat."""

    async def work() -> Response:
        caller.must_be("player")
        cards = body.read()
        wish = seated(caller, lambda seat: Play(seat, cards))
        return await _command(service, caller, table, _order(caller, wish, ("plays", {"cards": cards}), key, match))

    return await measured(service, "play", work())


@router.post("/tables/{table}/passes", summary="Pass (the player to move)")
async def pass_turn(
    service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None
) -> Response:
    """Pass from the caller's seat."""

    async def work() -> Response:
        caller.must_be("player")
        return await _command(service, caller, table, _order(caller, seated(caller, Pass), ("passes", {}), key, match))

    return await measured(service, "pass", work())


@router.post("/tables/{table}/leave", summary="Leave the table (a seated player)")
async def leave(service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None) -> Response:
    """Give up the seat. During a hand this abandons it (逃跑)."""

    async def work() -> Response:
        caller.must_be("player")
        return await _command(service, caller, table, _order(caller, seated(caller, Leave), ("leave", {}), key, match))

    return await measured(service, "leave", work())


def _order(
    caller: Caller,
    wish: Callable[[Table | None], Command],
    asked: tuple[str, dict[str, Any]],
    key: str | None,
    match: str | None,
) -> Order:
    return Order(wish, keys.key_of(key, caller), keys.request_of(*asked), keys.version_of(match))


async def _command(service: Service, caller: Caller, table_id: str, order: Order) -> Response:
    caller.at(table_id)
    return answer_of(await service.rooms.handle(table_id, order), caller)
