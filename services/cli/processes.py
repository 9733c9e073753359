"""`serve` and `project`: one process of the service, as `up` or a deployment runs it."""

from typing import Annotated, Literal

import typer

from services.cli.options import Data, settings, wrong_use

Nats = Annotated[str | None, typer.Option("--nats", help="NATS URL (default: the server that `up` runs).")]
Database = Annotated[
    str | None, typer.Option("--db", help="Database URL, postgresql://… (default: SQLite in the data folder).")
]
Port = Annotated[int | None, typer.Option("--port", help="Port to listen on 端口.")]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.")]


def serve(
    what: Annotated[
        Literal["tables", "spectate", "disputes"],
        typer.Argument(help="tables: commands, views and disputes; spectate: reading only; disputes: the desk only."),
    ],
    data: Data = None,
    nats: Nats = None,
    db: Database = None,
    host: Host = None,
    port: Port = None,
    publish: Annotated[
        bool, typer.Option("--publish/--no-publish", help="spectate: also write the public stream 公共事件流.")
    ] = True,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="spectate: remove the public stream first, and publish it anew 重建.")
    ] = False,
) -> None:
    """Run the table service, the one that only shows (观战), or the dispute desk (争议), until stopped.

    Example: shuangkou serve tables --nats nats://10.0.0.5:4222 --port 8080
    """
    import asyncio

    from services.keys import note_software
    from services.settings import keep_private
    from services.spectate import remove
    from services.tables.app import run

    keep_private()
    chosen = settings(data=data, nats=nats, db=db, host=host, port=port)
    note_software(chosen.data, name=chosen.name)
    spectate = what == "spectate"
    if rebuild and not spectate:
        raise wrong_use("--rebuild is for `serve spectate`: it removes and rebuilds the public stream.")
    if rebuild:
        asyncio.run(remove(chosen))
    run(chosen, commands=what == "tables", disputes=not spectate, publish=spectate and publish)


def project(
    name: Annotated[
        Literal["live", "ledger", "audit", "archive", "disputes", "access", "checkpoints"],
        typer.Argument(help="Which projection 投影; checkpoints: the signed log of the heads of all tables 检查点."),
    ],
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Throw the view away and build it from event 1 重建.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop when it has caught up.")] = False,
    data: Data = None,
    nats: Nats = None,
    db: Database = None,
) -> None:
    """Run one projection, or the log of checkpoints, until stopped.

    Example: shuangkou project ledger --rebuild --once
    """
    import logging

    import uvloop

    from services.checkpoints import run_checkpoints
    from services.project import run_projection
    from services.settings import keep_private

    keep_private()
    chosen = settings(data=data, nats=nats, db=db)
    logging.basicConfig(level=chosen.log.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if name == "checkpoints":
        if rebuild:
            raise wrong_use("the log of checkpoints is signed and cannot be built again")
        uvloop.run(run_checkpoints(chosen, every=chosen.checkpoint_seconds, live=not once))
        return
    uvloop.run(run_projection(chosen, name, rebuild=rebuild, live=not once))
