"""Commands over HTTP: each is recorded once, however often it is sent with the same Idempotency-Key."""

import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from domain import hands
from domain.refusal import Refusal, Refused
from domain.table import Table
from domain.trumps import hand as trumps
from projections.viewing import event_for
from schemas.commands import (
    Bury,
    Command,
    Counter,
    Declare,
    Decline,
    GiveSalt,
    HandCommand,
    Leave,
    OpenTable,
    Pass,
    Play,
    Return,
    SeatPlayer,
    StartHand,
    VoteDissolve,
)
from schemas.events import TableOptions
from schemas.notation import Unreadable, parse_cards
from services.auth import Caller
from services.problems import invalid, problem_of
from services.tables import keys
from services.tables.rooms import Done, Order
from services.tables.routing import CommandRoute
from services.tables.service import Calling, Key, Match, Running, Service, TableId
from services.tables.showing import answer, etag, state_of

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


Cards = (
    Annotated[str, Field(max_length=1000, examples=["7S 7H"])]
    | Annotated[list[Annotated[str, Field(max_length=8)]], Field(max_length=108)]
)


class CardsBody(_Body):
    """Cards, as text with spaces between or as a list."""

    cards: Cards

    def read(self) -> tuple[str, ...]:
        """The cards. Raises a 400 problem that names the first that is none."""
        try:
            return parse_cards(self.cards if isinstance(self.cards, str) else " ".join(self.cards))
        except Unreadable as error:
            raise invalid([{"loc": ("body", "cards"), "msg": str(error)}]) from None


class OptionalCardsBody(CardsBody):
    """Cards, or none to decline."""

    cards: Cards = ""


class AgreeBody(_Body):
    """`true` asks to dissolve the table or agrees to it, `false` ends the vote."""

    agree: StrictBool


class SaltBody(_Body):
    """A text of the player's own, 1 to 64 visible ASCII characters."""

    salt: Annotated[str, Field(max_length=64, examples=["a-few-words-of-mine"])]


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
        **state_of(table),
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
    """Give a player a seat; the answer holds the player's token.

    For a player who has a seat here the token is given again (200), which is recorded in the log of looks: with it one sees the hand.
    """

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
            return await _seated_already(service, caller, table, body, error)
        seat = done.table.seat_of(body.player)
        given = done.steps[-1].recorded
        issued = int(datetime.fromisoformat(given.time).timestamp())
        token = service.tokens.player(table, body.player, given.version, issued)
        return answer_of(done, caller, 201, player=body.player, seat=seat, token=token)

    return await measured(service, "seat", work())


async def _seated_already(
    service: Service, caller: Caller, table_id: str, body: SeatBody, refused: Refused
) -> Response:
    table = there((await service.rooms.open(table_id)).table)
    seat = table.seat_of(body.player)
    if seat is None or body.seat not in {None, seat}:
        raise refused
    await service.access.token(caller, table, seat)
    token = service.tokens.player(table_id, body.player, table.seatings[seat], int(time.time()))
    return answer(
        {
            "table": table_id,
            "version": table.version,
            "events": [],
            **state_of(table),
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
    service: Running, caller: Calling, table: TableId, body: CardsBody, key: Key = None, match: Match = None
) -> Response:
    """Play cards from the caller's seat. In a trump game a lead of several parts is a throw (甩牌), which may fail."""
    return await _with_cards(_Sent(service, caller, table, key, match), "plays", body, Play)


@router.post("/tables/{table}/declarations", summary="Declare trumps, or decline to (trump games)")
async def declare(
    service: Running, caller: Calling, table: TableId, body: OptionalCardsBody, key: Key = None, match: Match = None
) -> Response:
    """Declare trumps (亮主) while cards are dealt or after the last one; with no cards decline, which is done after the last card only."""
    return await _with_cards(_Sent(service, caller, table, key, match), "declarations", body, Declare)


@router.post("/tables/{table}/burials", summary="Bury cards (trump games)")
async def bury(
    service: Running, caller: Calling, table: TableId, body: CardsBody, key: Key = None, match: Match = None
) -> Response:
    """Bury cards (扣底), by whoever took the kitty."""
    return await _with_cards(_Sent(service, caller, table, key, match), "burials", body, Bury)


@router.post("/tables/{table}/counters", summary="Counter the burial, or decline to (trump games)")
async def counter(
    service: Running, caller: Calling, table: TableId, body: OptionalCardsBody, key: Key = None, match: Match = None
) -> Response:
    """Counter the burial with a stronger pair (反底); with no cards decline. The seat that is asked answers."""
    return await _with_cards(_Sent(service, caller, table, key, match), "counters", body, Counter)


@router.post("/tables/{table}/passes", summary="Pass (the player to move)")
async def pass_turn(
    service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None
) -> Response:
    """Pass from the caller's seat."""
    return await _by_player(_Sent(service, caller, table, key, match), "passes", {}, Pass)


@router.post("/tables/{table}/leave", summary="Leave the table (a seated player)")
async def leave(service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None) -> Response:
    """Give up the seat. During a hand this abandons it (逃跑)."""
    return await _by_player(_Sent(service, caller, table, key, match), "leave", {}, Leave)


@router.post("/tables/{table}/returns", summary="Take over again from the table (a player who is away)")
async def take_over(
    service: Running, caller: Calling, table: TableId, key: Key = None, match: Match = None
) -> Response:
    """The clock ran out and the table plays for the seat (托管): its player takes over again. Any other command of theirs does so too."""
    return await _by_player(_Sent(service, caller, table, key, match), "returns", {}, Return)


@router.post("/tables/{table}/dissolution", summary="Ask to dissolve the table, agree, or end the vote")
async def dissolve(
    service: Running, caller: Calling, table: TableId, body: AgreeBody, key: Key = None, match: Match = None
) -> Response:
    """When all who sit here have agreed (解散), the hand is void and the match over."""
    sent = _Sent(service, caller, table, key, match)
    return await _by_player(sent, "dissolution", body.model_dump(), lambda seat: VoteDissolve(seat, body.agree))


@router.post("/tables/{table}/salts", summary="Add to the chance of the next hand")
async def give_salt(
    service: Running, caller: Calling, table: TableId, body: SaltBody, key: Key = None, match: Match = None
) -> Response:
    """Where the table's options say `salts`: once a player and hand, between the commitment of the table and the start of the hand."""
    sent = _Sent(service, caller, table, key, match)
    return await _by_player(sent, "salts", body.model_dump(), lambda seat: GiveSalt(seat, body.salt))


KINDS = {
    "plays": "play",
    "declarations": "declare",
    "burials": "bury",
    "counters": "counter",
    "passes": "pass",
    "leave": "leave",
    "returns": "return",
    "dissolution": "dissolve",
    "salts": "salt",
}
"""What the commands at these addresses are called in the metrics."""


class _Sent(NamedTuple):
    """Where a command of a player goes to, and whose it is."""

    service: Service
    caller: Caller
    table: str
    key: str | None
    match: str | None


async def _by_player(sent: _Sent, what: str, body: dict[str, Any], make: Callable[[int], Command]) -> Response:
    """Carry out a player's command from the seat the player has."""

    async def work() -> Response:
        sent.caller.must_be("player")
        order = _order(sent.caller, seated(sent.caller, make), (what, body), sent.key, sent.match)
        return await _command(sent.service, sent.caller, sent.table, order)

    return await measured(sent.service, KINDS[what], work())


def _declined(table: Table, seat: int, wanted: HandCommand) -> Command:
    """Declining to do what is wanted. Raises Refused when something else is being asked: nobody declines that by mistake."""
    phase = table.hand.phase if isinstance(table.hand, trumps.Hand) else None
    if table.hand is not None and phase == ("declaring" if isinstance(wanted, Counter) else "countering"):
        refused = hands.refusal(table.hand, wanted)
        if refused:
            raise Refused(refused)
    return Decline(seat)


async def _with_cards(
    sent: _Sent, what: str, body: CardsBody, make: Callable[[int, tuple[str, ...]], HandCommand]
) -> Response:
    """Carry out a player's command that names cards; where it may name none, that declines."""

    async def work() -> Response:
        sent.caller.must_be("player")
        cards = body.read()
        declines = isinstance(body, OptionalCardsBody) and not cards

        def wish(table: Table | None) -> Command:
            state = there(table)
            seat = sent.caller.seat(state)
            wanted = make(seat, cards)
            return _declined(state, seat, wanted) if declines else wanted

        order = _order(sent.caller, wish, (what, {"cards": cards}), sent.key, sent.match)
        return await _command(sent.service, sent.caller, sent.table, order)

    return await measured(sent.service, KINDS[what], work())


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
