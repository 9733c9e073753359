"""Following a table live: server-sent events and WebSockets, the same messages in the same order."""

import asyncio
from contextlib import suppress
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Header, Query, Response, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, ValidationError
from websockets.frames import Close, Frame, Opcode

from domain.refusal import Refused
from schemas.notation import Unreadable
from services.auth import ANYBODY, Caller
from services.eventstore.errors import StoreError
from services.problems import Problem, problem_of
from services.tables import keys
from services.tables.following import End, Follower, Framing
from services.tables.messages import frame
from services.tables.pipes import Pipe
from services.tables.reads import Eyes, look, no_version
from services.tables.room import Room
from services.tables.service import Calling, Running, Service, TableId
from services.tables.showing import Sight, sight_of
from services.tables.streams import EventStream

router = APIRouter(tags=["live"])

PROTOCOL: Final = "shuangkou.v1"
"""The WebSocket subprotocol; a token may be offered beside it as `bearer.<token>`."""
BEARER: Final = "bearer."
OPEN_TO_ALL: Final = ("spectator", "delayed")
"""Views that need no token, so that nobody has to be waited for."""
GUEST: Final = 2.0
"""Seconds of silence after which a client that asked for no particular view is a spectator."""
OTHERS: Final = 10.0
"""Seconds for the first message of a client that asked for another view."""
FRAMING: Final = Framing(lambda message: message.frame)
"""Heartbeats of WebSockets are pings, which the protocol sends."""
CODES: Final = {
    End.OVER: 1000,
    End.STOPPING: 1001,
    End.SLOW: 1013,
    End.FAULT: 1011,
    **dict.fromkeys((End.LATE, End.TALKING, End.EXPIRED), 1008),
}
"""Close codes (RFC 6455, 7.4.1 and the IANA registry)."""
KNOWN: Final = (Problem, Refused, Unreadable, StoreError)
"""What is answered as a problem."""
REFUSED: Final = 1008
FAILED: Final = 1011


class Hello(BaseModel):
    """The first message of a client: the token, where it has one."""

    model_config = ConfigDict(extra="forbid")
    token: str | None = None


async def begin(
    service: Service, caller: Caller, table: str, wanted: str | None, after: int | None
) -> tuple[Room, Sight]:
    """The room of a table and the sight a caller follows it with, from the event after `after`. Raises problems and store errors."""
    room, state = await look(service, caller, table)
    sight = sight_of(caller, state, wanted)
    if after is not None and after > sight.last(room):
        await service.rooms.refresh(room)
        if after > sight.last(room):
            raise no_version(sight.last(room), after, 409)
    await service.access.look(caller, "events", state.id, state.version, sight.eyes(state))
    return room, sight


@router.get("/tables/{table}/events", summary="Follow a table (server-sent events)")
async def events(
    service: Running,
    caller: Calling,
    table: TableId,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    after: Annotated[
        int | None, Query(ge=0, le=keys.LARGEST, description="As Last-Event-ID, for clients that cannot send it.")
    ] = None,
    as_: Eyes = None,
) -> Response:
    """Every event as the caller sees it with the view after it. Ids are versions; without a last id it begins with a snapshot.

    `as=delayed` shows all hands late, where the table was opened so. Event `too-slow` says that the client was let go and should come
    back with its last id, `expired` that its token has. The same as a WebSocket: `/tables/{table}/ws`.
    """
    last = keys.version_of(last_event_id, "Last-Event-ID") if last_event_id else after
    room, sight = await begin(service, caller, table, as_, last)
    if room.table is not None and room.table.closed and last == room.version:
        return Response(status_code=204)  # nothing will come any more: a browser stops asking
    return EventStream(room, sight, last, lambda: service.rooms.stopping, caller.expires)


@router.websocket("/tables/{table}/ws")
async def socket(websocket: WebSocket, table: str) -> None:
    """The same as a WebSocket. The query has `as` and `after`, never a token.

    A token comes as subprotocol `bearer.<token>` beside `shuangkou.v1`, as Authorization header, or in the first message,
    `{"token":"…"}`.
    """
    service: Service = websocket.app.state.service
    try:
        protocol, caller, after = _asked(service, websocket)
        place = None if caller is None else await begin(service, caller, table, _wanted(websocket), after)
    except KNOWN as error:
        await websocket.send_denial_response(problem_of(error).response())
        return
    await websocket.accept(protocol)
    silent = False
    try:
        if caller is None or place is None:
            caller, silent = await _introduced(service, websocket)
            place = await begin(service, caller, table, _wanted(websocket), after)
    except WebSocketDisconnect:
        return
    except KNOWN as error:
        await _refuse(websocket, problem_of(error))
        return
    pipe: Pipe = websocket.scope["state"]["pipe"]
    follower = Follower(*place, after, pipe, FRAMING, lambda: service.rooms.stopping, caller.expires)
    await _follow(websocket, follower, silent=silent)


def _wanted(websocket: WebSocket) -> str | None:
    return websocket.query_params.get("as")


def _asked(service: Service, websocket: WebSocket) -> tuple[str | None, Caller | None, int | None]:
    """The subprotocol to speak, who is calling (None: the first message is to tell) and the last id. Raises problems."""
    after = keys.version_of(websocket.query_params.get("after"), "after")
    if "token" in websocket.query_params:
        raise Problem(
            400,
            "token_in_address",
            "Addresses are written into logs: send the token in the first message or as a subprotocol.",
            "地址会被写入日志,请勿在其中携带令牌。",
        )
    offered: list[str] = websocket.scope["subprotocols"]
    bearer = next((each.removeprefix(BEARER) for each in offered if each.startswith(BEARER)), None)
    if offered and PROTOCOL not in offered:
        raise Unreadable(f"Sec-WebSocket-Protocol: offer {PROTOCOL}, and the token beside it as {BEARER}<token>")
    header = websocket.headers.get("authorization") or (f"Bearer {bearer}" if bearer is not None else None)
    protocol = PROTOCOL if offered else None
    if header is not None:
        return protocol, service.tokens.caller(header), after
    return protocol, ANYBODY if _wanted(websocket) in OPEN_TO_ALL else None, after


async def _introduced(service: Service, websocket: WebSocket) -> tuple[Caller, bool]:
    """Who the first message says is calling, and whether there was none. Raises problems, WebSocketDisconnect."""
    wanted = _wanted(websocket)
    try:
        async with asyncio.timeout(GUEST if wanted is None else OTHERS):
            said = await websocket.receive()
    except TimeoutError:
        return ANYBODY, True
    if said["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(said["code"])
    try:
        token = Hello.model_validate_json(said.get("text") or said.get("bytes") or b"").token
    except ValidationError:
        raise Unreadable('first message: must be {"token":"…"}, or {} without a token') from None
    return (ANYBODY if token is None else service.tokens.caller(f"Bearer {token}")), False


async def _refuse(websocket: WebSocket, problem: Problem) -> None:
    """Tell what is wrong as a message, since a browser's page cannot read the answer to a handshake; then close."""
    body = bytes(problem.response().body)
    await websocket.send_text((b'{"id":null,"event":"problem","data":%b}' % body).decode())
    await websocket.close(FAILED if problem.status_code >= 500 else REFUSED, problem.rule)


async def _follow(websocket: WebSocket, follower: Follower, *, silent: bool) -> None:
    pipe = follower.pipe
    listening = asyncio.create_task(_listen(websocket, follower, silent=silent))
    try:
        end = await follower.run()
    finally:
        listening.cancel()
    if end is End.GONE:
        return
    if end is End.FAULT:
        pipe.write(frame(orjson.dumps({"id": None, "event": "fault", "data": {"detail": f"{end.value}."}})))
    if end is End.SLOW or pipe.full():
        pipe.drop(Frame(Opcode.CLOSE, Close(CODES[end], end.value).serialize()).serialize(mask=False))
        return
    with suppress(WebSocketDisconnect):  # it may be gone since, or have been cut off
        await websocket.close(CODES[end], end.value)


async def _listen(websocket: WebSocket, follower: Follower, *, silent: bool) -> None:
    """Hear that the client goes. What it says is not asked for any more, and too late when it was taken for a spectator."""
    if (await websocket.receive())["type"] == "websocket.disconnect":
        follower.stop(End.GONE)
    else:
        follower.stop(End.LATE if silent else End.TALKING)
