"""A real nats-server for tests: started once for whoever asks, on a free port, with a store of its own.

Import the fixtures where they are used:  `from tests.kit.nats import nats_server, stream_name  # noqa: F401`
or name this module in a `conftest.py`:   `pytest_plugins = ["tests.kit.nats"]`.
"""

import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.eventstore.server import EmbeddedServer


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """One nats-server for the whole run (of this worker). Tests that break servers take `own_nats_server`."""
    with EmbeddedServer(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
def own_nats_server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A nats-server for one test: it may `stop()`, `kill()` and `start()` it again, on the same port and store."""
    with EmbeddedServer(tmp_path / "nats") as server:
        yield server


def freeze(server: EmbeddedServer) -> None:
    """Stop a server in its tracks: it takes bytes and never answers. Returns when all its threads have stopped, which takes a moment."""
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    while any(" T " not in task.read_text() for task in Path(f"/proc/{server.process.pid}/task").glob("*/stat")):
        continue


def thaw(server: EmbeddedServer) -> None:
    """Let a frozen server go on."""
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGCONT)


@pytest.fixture
def stream_name() -> str:
    """A stream of one's own on the shared server; its subjects are under `subject_prefix(stream_name)`."""
    return f"T{secrets.token_hex(6)}"


def subject_prefix(stream: str) -> str:
    """The subjects of a test's stream, away from every other's."""
    return f"test.{stream}"
