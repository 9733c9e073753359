"""The library's way in: `PERSISTENCE_MODULE=services.eventstore`.

Settings, each also with the application's name in front (`TABLES_NATS_URL`):

| key | meaning | default |
|---|---|---|
| NATS_URL | servers, separated by commas; user and password may be in it | nats://127.0.0.1:4222 |
| NATS_STREAM | stream of the events; snapshots and tracking are in `<stream>-snapshots`, `<stream>-tracking` | SK |
| NATS_PREFIX | start of the subjects | sk.table |
| NATS_REPLICAS | replicas of a stream that is created, and demanded of one that exists | any, 1 |
| NATS_MONITOR | monitoring URL; when given, the server must sync to disk before it answers | - |
| NATS_TIMEOUT | seconds a call may take | 5 |
| CREATE_TABLE | no: streams must exist already | yes |
| ORIGINATOR_ID_TYPE | uuid: ids that look like UUIDs are UUIDs; text: all ids are text | uuid |
"""

from typing import TypeVar

from eventsourcing.persistence import InfrastructureFactory
from eventsourcing.utils import Environment, EnvType, resolve_topic, strtobool

from services.eventstore.core import JetStreamStore
from services.eventstore.recorders import (
    JetStreamAggregateRecorder,
    JetStreamApplicationRecorder,
    JetStreamProcessRecorder,
    JetStreamTrackingRecorder,
    Loop,
)

R = TypeVar("R")


class JetStreamFactory(InfrastructureFactory[JetStreamTrackingRecorder]):
    """Makes recorders over JetStream. `close` it when done: it owns the connections."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self._stores: dict[str, JetStreamStore] = {}

    def aggregate_recorder(self, purpose: str = "events") -> JetStreamAggregateRecorder:
        """A recorder in a stream of its own (`<stream>-<purpose>`)."""
        return JetStreamAggregateRecorder(self._store(f"-{purpose}"))

    def application_recorder(self) -> JetStreamApplicationRecorder:
        """The recorder of the application's events, or the subclass of it named by APPLICATION_RECORDER_TOPIC."""
        recorder = self._class(self.APPLICATION_RECORDER_TOPIC, JetStreamApplicationRecorder)
        return recorder(self._store(), uuids=self._uuids())

    def tracking_recorder(
        self, tracking_recorder_class: type[JetStreamTrackingRecorder] | None = None
    ) -> JetStreamTrackingRecorder:
        """A recorder of positions, of the given class or the one named by TRACKING_RECORDER_TOPIC."""
        recorder = tracking_recorder_class or self._class(self.TRACKING_RECORDER_TOPIC, JetStreamTrackingRecorder)
        return recorder(self._store("-tracking"))

    def process_recorder(self) -> JetStreamProcessRecorder:
        """The recorder of an application that follows others, or the subclass of it named by PROCESS_RECORDER_TOPIC."""
        recorder = self._class(self.PROCESS_RECORDER_TOPIC, JetStreamProcessRecorder)
        return recorder(self._store(), uuids=self._uuids())

    def close(self) -> None:
        """Disconnect."""
        stores, self._stores = self._stores, {}
        for store in stores.values():
            Loop.shared().run(store.close())

    def _class(self, setting: str, default: type[R]) -> type[R]:
        topic = self.env.get(setting)
        found = resolve_topic(topic) if topic else default
        if not issubclass(found, default):
            raise TypeError(f"{setting}: {topic} is not a {default.__name__}")
        return found

    def _uuids(self) -> bool:
        kind = self.env.get("ORIGINATOR_ID_TYPE", "uuid").lower()
        if kind not in {"uuid", "text"}:
            raise ValueError(f"ORIGINATOR_ID_TYPE is {kind!r}: it must be uuid or text")
        return kind == "uuid"

    def _store(self, suffix: str = "") -> JetStreamStore:
        """The store of one stream, connected once."""
        if suffix not in self._stores:
            env = self.env
            replicas = env.get("NATS_REPLICAS")
            connecting = JetStreamStore.connect(
                env.get("NATS_URL", "nats://127.0.0.1:4222"),
                stream=env.get("NATS_STREAM", "SK") + suffix,
                prefix=env.get("NATS_PREFIX", "sk.table") + suffix,
                create=strtobool(env.get("CREATE_TABLE") or "yes"),
                replicas=int(replicas) if replicas else None,
                monitor=env.get("NATS_MONITOR"),
                within=float(env.get("NATS_TIMEOUT", "5")),
            )
            self._stores[suffix] = Loop.shared().run(connecting)
        return self._stores[suffix]
