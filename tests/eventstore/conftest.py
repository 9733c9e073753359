"""Real servers for every test here."""

from collections.abc import AsyncIterator

import pytest

from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from tests.kit.nats import nats_server, own_nats_server, stream_name, subject_prefix

__all__ = ["nats_server", "own_nats_server", "stream_name"]


@pytest.fixture
async def store(nats_server: EmbeddedServer, stream_name: str) -> AsyncIterator[JetStreamStore]:
    """An empty store on the shared server."""
    opened = await JetStreamStore.connect(
        nats_server.url, stream=stream_name, prefix=subject_prefix(stream_name), monitor=nats_server.monitor
    )
    yield opened
    await opened.close()
