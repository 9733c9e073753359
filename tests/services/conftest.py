"""A real NATS server and a real table service for every test here."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.eventstore.server import EmbeddedServer
from tests.kit.nats import nats_server, own_nats_server, stream_name
from tests.services.kit import AtTable, Running, hand_running, running

__all__ = ["nats_server", "own_nats_server", "stream_name"]


@pytest.fixture
async def service(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> AsyncIterator[Running]:
    async with running(tmp_path, nats_server.url, stream_name) as found:
        yield found


@pytest.fixture
async def table(service: Running) -> AtTable:
    """A table of the plain rules with a hand just dealt."""
    return await hand_running(service)
