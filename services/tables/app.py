"""The HTTP application of the table service; with `commands=False` the read-only one that serves spectators."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Final

import stamina
import uvicorn
from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from domain.dispute import Terms
from services import problems, store
from services.accesslog import AccessLog
from services.auth import Tokens
from services.disputes.desk import Desk
from services.disputes.routes import commands as desk_commands
from services.disputes.routes import router as desk_routes
from services.eventstore.core import JetStreamStore
from services.eventstore.errors import Unavailable
from services.settings import Settings, load_secrets
from services.spectate import publishing
from services.store import NotRunning
from services.tables import auditing, health, ledgers, live, proofs, reads, recalls, replays
from services.tables.caretaker import Caretaker
from services.tables.commands import router as command_routes
from services.tables.following import HEARTBEAT, PATIENCE
from services.tables.metrics import Metrics
from services.tables.pipes import HttpProtocol, WebSocketProtocol
from services.tables.rooms import Rooms
from services.tables.service import Service
from services.web import pages

Connect = Callable[[Settings], Awaitable[JetStreamStore]]
START: Final = 30.0
"""Seconds to wait for NATS when starting."""
GRACE: Final = 3
"""Seconds that requests get to finish when the service is told to stop."""
PARTING: Final = 100
"""Hundredths of a second in which streams are to end by themselves before that."""
FIRST: Final = 8 * 1024
"""Bytes of the largest message a client may send on a WebSocket: a token is some hundred."""


async def connect(settings: Settings) -> JetStreamStore:
    """Connect to the event store, waiting for it if need be. Raises Unavailable or NotRunning after half a minute."""
    async for attempt in stamina.retry_context(
        on=(Unavailable, NotRunning), attempts=None, timeout=START, wait_max=1.0
    ):
        with attempt:
            return await store.connect(settings)
    raise Unavailable("the event store cannot be reached")


def create_app(
    settings: Settings,
    *,
    commands: bool = True,
    disputes: bool | None = None,
    publish: bool = False,
    connect: Connect = connect,
) -> FastAPI:
    """The application. It connects to the store when it starts; `connect` may be another way to one.

    `disputes` says whether it is the dispute desk, too: by default where it takes commands. `publish` lets it write the public stream.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        secrets = load_secrets(settings.data)
        try:
            events = await connect(settings)
        except Exception as error:
            app.state.failure = error
            raise
        rooms = Rooms(events, bytes.fromhex(secrets.deal_key))
        metrics = Metrics(lambda: len(rooms), lambda: rooms.streams)
        caretaker = Caretaker(rooms, settings, metrics)
        try:
            terms = Terms(settings.dispute_days, settings.ruling_days)
            desk = Desk(await store.beside(events, "disputes"), rooms, rooms.clock, terms)
            looks = AccessLog(await store.beside(events, "access"), rooms.clock)
            await rooms.start()
            if commands:
                caretaker.start()
            app.state.service = Service(settings, rooms, Tokens(secrets), metrics, desk, looks)
            async with publishing(settings, events, metrics) if publish else nullcontext():
                yield
        finally:
            await caretaker.stop()
            await rooms.stop()
            await events.close()

    app = FastAPIOffline(
        static_url="/docs/assets",
        title="双扣 Shuangkou",
        summary="Tables of an event-sourced card game: every answer follows from recorded events, errors are RFC 9457 problem details.",
        lifespan=lifespan,
        responses={
            "4XX": {"description": "A problem; `rule` says what refused.", "content": {problems.MEDIA_TYPE: {}}}
        },
    )
    problems.install(app, pages.problem_page)
    if commands:
        app.include_router(command_routes)
        app.include_router(pages.seats)
    app.state.has_seats = commands
    app.state.has_desk = commands if disputes is None else disputes
    if app.state.has_desk:
        app.include_router(desk_commands)
        app.include_router(desk_routes)
    app.include_router(reads.router)
    app.include_router(live.router)
    app.include_router(auditing.router)
    app.include_router(replays.router)
    app.include_router(ledgers.router)
    app.include_router(proofs.router)
    app.include_router(recalls.router)
    app.include_router(health.router)
    app.include_router(pages.router)
    return app


class _Server(uvicorn.Server):
    """Lets the streams go as soon as the service is told to stop; they would keep it up."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then as ever."""
        service = getattr(self._app.state, "service", None)
        if service is not None:
            service.rooms.end_streams()
            for _ in range(PARTING):
                if service.rooms.streams:
                    await asyncio.sleep(0.01)
        await super().shutdown(sockets)


def server(app: FastAPI, settings: Settings) -> uvicorn.Server:
    """The web server for an application, ready to `serve()`."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=HttpProtocol,
        ws=WebSocketProtocol,
        ws_max_size=FIRST,
        ws_per_message_deflate=False,
        ws_ping_interval=HEARTBEAT,
        ws_ping_timeout=PATIENCE,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    return _Server(config, app)


def run(settings: Settings, *, commands: bool = True, disputes: bool | None = None, publish: bool = False) -> None:
    """Serve until SIGTERM or SIGINT. Raises what `connect` raises when the event store is not there."""
    logging.basicConfig(level=settings.log.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    app = create_app(settings, commands=commands, disputes=disputes, publish=publish)
    try:
        server(app, settings).run()
    except SystemExit:  # uvicorn ends with a status of its own when the application does not start
        failure: Exception | None = getattr(app.state, "failure", None)
        if failure is None:
            raise
        raise failure from None
