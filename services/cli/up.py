"""`up`: the whole service on one machine, supervised."""

import asyncio
import fcntl
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from services.cli.options import console, settings
from services.cli.processes import Database, Nats

if TYPE_CHECKING:
    from services.settings import Settings
    from services.supervisor import Supervisor

PORT = 8080
"""Where the service is unless somebody wants it elsewhere."""


def up(
    data: Annotated[Path | None, typer.Option("--data", help="Data folder 数据目录 (default ./data).")] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Port of the service 端口 (default 8080; 0: any free)."),
    ] = None,
    nats: Nats = None,
    db: Database = None,
    demo: Annotated[bool, typer.Option("--demo/--no-demo", help="Let bots play a table to look at 演示牌桌.")] = True,
) -> None:
    """Run everything on this machine: NATS, the table service, the projections and the pages. Ctrl-C stops it all cleanly.

    Example: shuangkou up --data /srv/shuangkou --port 8080
    """
    from services.settings import keep_private

    keep_private()
    chosen = settings(data=data, nats=nats, db=db)
    chosen = chosen.model_copy(update={"data": chosen.data.resolve(), "port": _port(port)})
    chosen.data.mkdir(parents=True, exist_ok=True)
    chosen.data.chmod(0o700)
    with _only_one(chosen.data):
        asyncio.run(_up(chosen, demo=demo))


def _port(wanted: int | None) -> int:
    """The port to serve on: the one asked for, or the first free one from 8080 on. Raises StartFailed when it is taken."""
    from services.supervisor import StartFailed

    if wanted is not None:
        if wanted and not _free(wanted):
            raise StartFailed(f"Port {wanted} is taken by another program; choose another with --port. 端口被占用。")
        return wanted or _any_free()
    return next((port for port in range(PORT, PORT + 50) if _free(port)), None) or _any_free()


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _any_free() -> int:
    from services.eventstore.server import free_port

    return free_port()


def _only_one(data: Path) -> IO[bytes]:
    """The lock of a data folder, held as long as the file is open. Raises StartFailed when another `up` has it."""
    from services.supervisor import StartFailed

    file = (data / "up.lock").open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise StartFailed(
            f"Another `shuangkou up` works on {data}; stop it, or choose another folder with --data."
        ) from None
    return file


async def _up(chosen: "Settings", *, demo: bool) -> None:
    from services.supervisor import Supervisor

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    supervisor = Supervisor(chosen.data, lambda line: console.print(line, markup=False, soft_wrap=True))
    stopping = asyncio.create_task(stop.wait())
    starting = asyncio.create_task(_start(supervisor, chosen, demo=demo))
    try:
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            await starting
            await stop.wait()
    finally:
        starting.cancel()
        if stop.is_set():
            console.print("正在停止 stopping …")
        await supervisor.stop()
    console.print(f"已停止 stopped; the record is in {chosen.data}", soft_wrap=True)


async def _start(supervisor: "Supervisor", chosen: "Settings", *, demo: bool) -> None:
    from services.client import Credentials, PublicStream, credentials_path
    from services.eventstore.server import CONSUMER
    from services.keys import note_software
    from services.settings import PUBLIC_STREAM, PUBLIC_SUBJECTS, load_secrets, write_private
    from services.supervisor import Process

    secrets = load_secrets(chosen.data)
    note_software(chosen.data, name=chosen.name)
    env = {"SHUANGKOU_DATA": str(chosen.data)}
    if chosen.db is not None:
        await asyncio.to_thread(_reach_database, chosen)
    public = None
    if chosen.nats is None:
        nats = await _start_nats(supervisor, chosen)
        public = PublicStream(
            url=nats,
            stream=PUBLIC_STREAM,
            subjects=f"{PUBLIC_SUBJECTS}.>",
            user=CONSUMER,
            password=secrets.password_of(CONSUMER),
        )
    else:
        await _reach(chosen)
        env["SHUANGKOU_NATS"] = chosen.nats
    if chosen.db is not None:
        env["SHUANGKOU_DB"] = chosen.db
    spectate = chosen.port + 1 if chosen.port < 65535 and _free(chosen.port + 1) else _any_free()

    def process(name: str, stage: int, *arguments: str, port: int | None = None) -> Process:
        argv = (sys.executable, "-m", "services.cli.main", *arguments)
        ready = None if port is None else _answers(port)
        return Process(name, argv, stage, env, ready)

    url, watch = f"http://127.0.0.1:{chosen.port}", f"http://127.0.0.1:{spectate}"
    from services.auth import adjudicator_token, auditor_token, operator_token

    credentials = Credentials(
        url=url,
        spectate=watch,
        operator=operator_token(secrets),
        auditor=auditor_token(secrets),
        adjudicator=adjudicator_token(secrets),
        public=public,
    )
    write_private(credentials_path(chosen.data), credentials.model_dump())
    await asyncio.gather(
        supervisor.start(process("tables", 2, "serve", "tables", "--port", str(chosen.port), port=chosen.port)),
        supervisor.start(process("spectate", 2, "serve", "spectate", "--port", str(spectate), port=spectate)),
        *(
            supervisor.start(process(name, 1, "project", name))
            for name in ("live", "ledger", "audit", "archive", "disputes", "access", "checkpoints")
        ),
    )
    if demo:
        await supervisor.start(process("demo", 3, "play", "--demo", "--ruleset", "huopin", "--bots", "greedy"))
    _banner(url, watch, chosen.data)


async def _reach(chosen: "Settings") -> None:
    """Connect once to the NATS that was named, so that a wrong URL is said at once. Raises StartFailed."""
    from services.eventstore.errors import StoreError
    from services.store import connect
    from services.supervisor import StartFailed

    try:
        await (await connect(chosen)).close()
    except (StoreError, OSError, ValueError) as error:
        raise StartFailed(f"NATS cannot be used at the URL that was given: {error}") from None


def _reach_database(chosen: "Settings") -> None:
    """Connect once to the database that was named, so that a wrong URL is said at once. Raises StartFailed."""
    from sqlalchemy.exc import SQLAlchemyError

    from projections.base import open_engine
    from services.supervisor import StartFailed

    url = chosen.database("live")
    if not url.startswith(("postgresql", "sqlite")):
        raise StartFailed(
            "--db: views are kept in PostgreSQL, postgresql://…, or in SQLite, sqlite:///… 数据库网址有误。"
        )
    try:
        engine = open_engine(url)
        with engine.connect():
            pass
        engine.dispose()
    except (SQLAlchemyError, OSError, ValueError) as error:
        said = str(getattr(error, "orig", None) or error).strip()
        raise StartFailed(
            f"--db: the database cannot be used at the URL that was given: {said} 无法连接数据库。"
        ) from None


async def _start_nats(supervisor: "Supervisor", chosen: "Settings") -> str:
    """Start the NATS server; returns its address."""
    from services.eventstore.server import command, wait_ready
    from services.store import announce, embedded
    from services.supervisor import Process

    config = embedded(chosen.data)
    argv = command(config.write(chosen.data / "nats.conf"))

    async def ready() -> None:
        await asyncio.to_thread(wait_ready, config)

    await supervisor.start(Process("nats", tuple(argv), 0, {}, ready, chosen.data / "nats.lock"))
    url = f"nats://127.0.0.1:{config.port}"
    announce(chosen.data, url, config.monitor)
    return url


def _answers(port: int) -> Callable[[], Awaitable[None]]:
    async def ready() -> None:
        import httpx

        async with httpx.AsyncClient() as client:
            while True:
                try:
                    if (await client.get(f"http://127.0.0.1:{port}/readyz")).is_success:
                        return
                except httpx.HTTPError:
                    pass
                await asyncio.sleep(0.05)

    return ready


def _banner(url: str, watch: str, data: Path) -> None:
    from rich.text import Text

    said = Text.assemble(("双扣 Shuangkou", "bold green"), " 已启动 is up: ", (f"{url}/", "bold"))
    console.print(said, soft_wrap=True)
    console.print(f"  观战 for spectators {watch}/   接口 API {url}/docs   数据 data {data}", soft_wrap=True)
    console.print("  在另一个终端试试 try in another terminal: shuangkou tables   Ctrl-C 停止 stops", soft_wrap=True)
