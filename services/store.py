"""How a process of this installation finds the event store.

With `--nats` (or `SHUANGKOU_NATS`) it is where the URL says. Otherwise `up` has left `nats.json` in the data folder: the address of
the server it runs, whose user and password are among the secrets of the installation.
"""

import json
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel

from schemas.registry import Kind
from services.eventstore.core import JetStreamStore
from services.eventstore.server import CONSUMER, PUBLISHER, PublicStream, ServerConfig, free_port
from services.settings import (
    PUBLIC_STREAM,
    PUBLIC_SUBJECTS,
    STREAM,
    SUBJECTS,
    Settings,
    load_secrets,
    write_private,
)

FILE: Final = "nats.json"
IDLE: Final = 3 * 86_400.0
"""Seconds after which a consumer of the public stream that nobody used is removed: all share one user and its thousand places."""
WORD: Final = {"disputes": "dispute", "access": "access"}
"""The last word of the subjects beside those of tables (`sk.table.<id>`): `sk.dispute.<id>`, `sk.access.<table>`."""


class NotRunning(Exception):
    """There is no NATS server to talk to. The message says what to do."""


class Local(BaseModel):
    """The server that `up` runs: where clients and where its monitoring are."""

    url: str
    monitor: str


def embedded(data: Path) -> ServerConfig:
    """The server that this installation runs itself, its files in `nats` in the data folder, on free ports."""
    keys = load_secrets(data)
    return ServerConfig(
        store=data / "nats",
        port=free_port(),
        monitor_port=free_port(),
        user=keys.nats_user,
        password=keys.nats_password,
        public=PublicStream(PUBLIC_STREAM, PUBLIC_SUBJECTS, keys.password_of(PUBLISHER), keys.password_of(CONSUMER)),
    )


def announce(data: Path, url: str, monitor: str) -> None:
    """Leave the address of the server of this installation for the other processes."""
    write_private(data / FILE, {"url": url, "monitor": monitor})


async def beside(tables: JetStreamStore, kind: Literal["disputes", "access"]) -> JetStreamStore:
    """The store of another kind of record on the connection of that of the tables, in a stream of its own: `SK-disputes`, `sk.dispute`."""
    stream, prefix = tables.layout.stream, tables.layout.prefix
    start = prefix.removesuffix("table") if prefix.endswith(".table") else f"{prefix}-"
    return await tables.beside(f"{stream}-{kind}", start + WORD[kind])


async def connect(settings: Settings, within: float = 5.0, kind: Kind = "tables") -> JetStreamStore:
    """Connect to the event store of a kind of record, making the stream when there is none.

    Raises NotRunning when nobody said where NATS is, else what `JetStreamStore.connect` raises.
    """
    tables = await _connect(settings, within)
    if kind == "tables":
        return tables
    try:
        return await beside(tables, kind)
    except BaseException:
        await tables.close()
        raise


async def connect_public(settings: Settings, replicas: int | None, within: float = 5.0) -> JetStreamStore:
    """Connect to the public stream as who writes it, making it when there is none. Raises like `connect`."""
    if settings.nats:
        return await JetStreamStore.connect(
            settings.nats_public or settings.nats,
            stream=PUBLIC_STREAM,
            prefix=PUBLIC_SUBJECTS,
            replicas=replicas,
            within=within,
            idle=IDLE,
        )
    return await JetStreamStore.connect(
        _local(settings).url,
        stream=PUBLIC_STREAM,
        prefix=PUBLIC_SUBJECTS,
        replicas=replicas,
        within=within,
        idle=IDLE,
        user=PUBLISHER,
        password=load_secrets(settings.data).password_of(PUBLISHER),
    )


def _local(settings: Settings) -> Local:
    try:
        return Local.model_validate(json.loads((settings.data / FILE).read_bytes()))
    except FileNotFoundError:
        raise NotRunning(
            f"no NATS server is known in {settings.data}: start one with `shuangkou up`, or name one with --nats URL"
        ) from None


async def _connect(settings: Settings, within: float) -> JetStreamStore:
    if settings.nats:
        return await JetStreamStore.connect(settings.nats, stream=STREAM, prefix=SUBJECTS, within=within)
    local = _local(settings)
    secrets = load_secrets(settings.data)
    return await JetStreamStore.connect(
        local.url,
        stream=STREAM,
        prefix=SUBJECTS,
        monitor=local.monitor,
        within=within,
        user=secrets.nats_user,
        password=secrets.nats_password,
    )
