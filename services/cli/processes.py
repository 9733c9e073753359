"""`serve` and `project`: one process of the service, as `up` or a deployment runs it."""

from typing import Annotated, Literal

import typer

from services.cli.options import Data, settings

Nats = Annotated[str | None, typer.Option("--nats", help="NATS URL (default: the server that `up` runs).")]
Database = Annotated[
    str | None, typer.Option("--db", help="Database URL, postgresql://… (default: SQLite in the data folder).")
]
Port = Annotated[int | None, typer.Option("--port", help="Port to listen on 端口.")]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.")]


def serve(
    what: Annotated[
        Literal["tables", "spectate"], typer.Argument(help="tables: commands and views; spectate: reading only.")
    ],
    data: Data = None,
    nats: Nats = None,
    db: Database = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """Run the table service, or the one that only shows (观战), until stopped.

    Example: shuangkou serve tables --nats nats://10.0.0.5:4222 --port 8080
    """
    from services.settings import keep_private
    from services.tables.app import run

    keep_private()
    run(settings(data=data, nats=nats, db=db, host=host, port=port), commands=what == "tables")


def project(
    name: Annotated[Literal["live", "ledger", "audit", "archive"], typer.Argument(help="Which projection 投影.")],
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Throw the view away and build it from event 1 重建.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Stop when it has caught up.")] = False,
    data: Data = None,
    nats: Nats = None,
    db: Database = None,
) -> None:
    """Run one projection until stopped.

    Example: shuangkou project ledger --rebuild --once
    """
    import logging

    import uvloop

    from services.project import run_projection
    from services.settings import keep_private

    keep_private()
    chosen = settings(data=data, nats=nats, db=db)
    logging.basicConfig(level=chosen.log.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    uvloop.run(run_projection(chosen, name, rebuild=rebuild, live=not once))
