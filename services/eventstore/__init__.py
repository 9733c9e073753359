"""An event store on NATS JetStream, and a persistence module of the `eventsourcing` library (PERSISTENCE_MODULE=services.eventstore).

`core` is the asynchronous store that services use; `factory` and `recorders` give the same streams to the library; `wire` is the format
both write; `server` runs a nats-server.
"""

from services.eventstore.factory import JetStreamFactory as Factory

__all__ = ["Factory"]
