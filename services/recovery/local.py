"""The NATS server of this installation for as long as a command needs it, when `up` does not run it."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from services import tether
from services.eventstore.server import EmbeddedServer
from services.settings import Settings
from services.store import FILE, embedded

WAIT: Final = 2.0
"""Seconds that a server may take to end, of which the process was killed."""
STORE: Final = "nats"
"""The folder of the embedded server in the data folder."""


class StillRunning(Exception):
    """`up` runs on this data folder, which must not be while this is done."""


class LocalServer(EmbeddedServer):
    """The server on the files of an installation. It ends with this process and holds the lock of the store as long as it lives."""

    def __init__(self, settings: Settings, lock: IO[bytes]) -> None:
        super().__init__(settings.data)
        self.config = embedded(settings.data)
        self.log_file = settings.data / "logs" / "nats.log"
        self._lock = lock

    def spawn(self, argv: list[str]) -> "subprocess.Popen[bytes]":
        """Start the process."""
        self.log_file.parent.mkdir(exist_ok=True)
        return subprocess.Popen(  # noqa: S603 (made by `command`)
            [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._lock.fileno(),),
        )


@contextmanager
def server_for(settings: Settings) -> Iterator[Settings]:
    """The settings with which the event store can be reached: as given where NATS runs, else those of a server that is started for it.

    An installation of which the store's folder is gone gets a server on an empty one: then all that was lost can be named.
    """
    installed = (settings.data / STORE).is_dir() or (settings.data / FILE).exists()
    lock = _lock(settings) if installed and not settings.nats else None
    if lock is None:
        yield settings
        return
    with lock, LocalServer(settings, lock) as server:
        yield settings.model_copy(update={"nats": server.url})


@contextmanager
def alone(settings: Settings) -> Iterator[LocalServer]:
    """The embedded server, not started, and nobody else may start it meanwhile. Raises StillRunning when `up` runs."""
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _lock(settings, within=WAIT)
    if lock is None:
        raise StillRunning(
            f"`shuangkou up` runs on {settings.data}; stop it first, so that nothing is written meanwhile. 请先停止 up。"
        )
    with lock:
        server = LocalServer(settings, lock)
        try:
            yield server
        finally:
            server.stop()


def _lock(settings: Settings, within: float = 0.0) -> IO[bytes] | None:
    """The lock that the embedded server holds while it runs; None when it still does after so many seconds."""
    file = (settings.data / "nats.lock").open("ab")
    deadline = time.monotonic() + within
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                file.close()
                return None
            time.sleep(0.02)
        else:
            return file
