"""Real servers for every test here."""

from tests.kit.nats import nats_server, own_nats_server, stream_name

__all__ = ["nats_server", "own_nats_server", "stream_name"]
