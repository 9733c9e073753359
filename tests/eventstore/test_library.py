"""The `eventsourcing` library's own tests, every one as it stands, against a real server."""

import secrets
from collections.abc import Iterator
from unittest import TestCase
from uuid import uuid4

import pytest
from eventsourcing.persistence import AggregateRecorder, ApplicationRecorder, ProcessRecorder, TrackingRecorder
from eventsourcing.tests import application, persistence
from eventsourcing.utils import Environment

from services.eventstore.factory import JetStreamFactory
from services.eventstore.recorders import (
    JetStreamAggregateRecorder,
    JetStreamApplicationRecorder,
    JetStreamProcessRecorder,
    JetStreamTrackingRecorder,
)
from services.eventstore.server import EmbeddedServer
from tests.kit.nats import subject_prefix

pytestmark = pytest.mark.filterwarnings("always:'log' is deprecated:DeprecationWarning")


class OnJetStream(TestCase):
    """Gives each test a stream of its own, and closes what the test opened."""

    server: EmbeddedServer

    @pytest.fixture(autouse=True)
    def _environment(self, nats_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        stream = f"T{secrets.token_hex(6)}"
        settings = {
            "PERSISTENCE_MODULE": "services.eventstore",
            "NATS_URL": nats_server.url,
            "NATS_MONITOR": nats_server.monitor,
            "NATS_STREAM": stream,
            "NATS_PREFIX": subject_prefix(stream),
            "NATS_TIMEOUT": "20",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        self.env = Environment(env=settings)
        self.factories: list[JetStreamFactory] = []
        yield
        for factory in self.factories:
            factory.close()

    def open(self) -> JetStreamFactory:
        self.factories.append(JetStreamFactory(self.env))
        return self.factories[-1]


class TestAggregateRecorder(OnJetStream, persistence.AggregateRecorderTestCase):
    def create_recorder(self) -> AggregateRecorder:
        return self.open().aggregate_recorder()


class TestApplicationRecorder(OnJetStream, persistence.ApplicationRecorderTestCase[JetStreamApplicationRecorder]):
    def create_recorder(self) -> JetStreamApplicationRecorder:
        return self.open().application_recorder()

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestApplicationRecorderWithTextIDs(TestApplicationRecorder):
    def new_originator_id(self) -> str:
        return f"table {uuid4()} 桌.*>"


class TestNonInterleavingNotificationIDs(OnJetStream, persistence.NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self) -> ApplicationRecorder:
        return self.open().application_recorder()


class TestTrackingRecorder(OnJetStream, persistence.TrackingRecorderTestCase):
    def create_recorder(self) -> TrackingRecorder:
        return self.open().tracking_recorder()


class TestProcessRecorder(OnJetStream, persistence.ProcessRecorderTestCase):
    def create_recorder(self) -> ProcessRecorder:
        return self.open().process_recorder()


class SpecialTrackingRecorder(JetStreamTrackingRecorder):
    """A subclass that the factory is asked for."""


class TestFactory(OnJetStream, persistence.InfrastructureFactoryTestCase[JetStreamFactory]):
    def expected_factory_class(self) -> type[JetStreamFactory]:
        return JetStreamFactory

    def expected_aggregate_recorder_class(self) -> type[AggregateRecorder]:
        return JetStreamAggregateRecorder

    def expected_application_recorder_class(self) -> type[ApplicationRecorder]:
        return JetStreamApplicationRecorder

    def expected_tracking_recorder_class(self) -> type[TrackingRecorder]:
        return JetStreamTrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return SpecialTrackingRecorder

    def expected_process_recorder_class(self) -> type[ProcessRecorder]:
        return JetStreamProcessRecorder


class TestExampleApplication(OnJetStream, application.ExampleApplicationTestCase):
    expected_factory_topic = "services.eventstore.factory:JetStreamFactory"


class TestApplication(OnJetStream, application.ApplicationTestCase):
    pass
