"""Tables through the `eventsourcing` library: the same bytes as without it, in memory and on JetStream."""

import asyncio

import pytest
from eventsourcing.application import AggregateNotFoundError
from eventsourcing.persistence import IntegrityError

from domain.aggregate import TableApplication
from domain.refusal import Refused
from domain.simulate import simulate
from domain.table import Given, decide, replay
from domain.verify import verify_lines
from schemas.commands import Command, OpenTable, Play, SeatPlayer, StartHand
from schemas.envelope import Recorded
from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from tests.kit.nats import nats_server, stream_name, subject_prefix  # noqa: F401
from tests.kit.spec import NAMES, SEED, TIME

COMMANDS: list[Command] = [OpenTable("huopin"), *(SeatPlayer(name) for name in NAMES), StartHand()]


def carried_out(application: TableApplication) -> list[bytes]:
    return [
        recorded.line
        for number, command in enumerate(COMMANDS)
        for recorded in application.handle("t-1", command, Given(TIME, f"c{number}", SEED))
    ]


def decided() -> list[bytes]:
    recorded: list[Recorded] = []
    for number, command in enumerate(COMMANDS):
        table = replay(recorded) if recorded else None
        recorded += decide(table, "t-1", command, Given(TIME, f"c{number}", SEED))
    return [each.line for each in recorded]


def test_the_shell_adds_nothing() -> None:
    with TableApplication() as application:
        assert carried_out(application) == decided()
        assert application.table("t-1").version == len(decided())
        assert application.table("t-1", version=2).players == ("ann", None, None, None)
        with pytest.raises(AggregateNotFoundError):
            application.table("t-2")


def test_a_refusal_saves_nothing() -> None:
    with TableApplication() as application:
        carried_out(application)
        version = application.table("t-1").version
        turn = application.table("t-1").hand.turn  # type: ignore[union-attr]
        with pytest.raises(Refused):
            application.handle("t-1", Play((turn or 0) + 1 & 3, ("3S",)), Given(TIME, "no", SEED))
        assert application.table("t-1").version == version


def test_two_writers_on_the_same_table_do_not_overwrite_each_other() -> None:
    with TableApplication() as application:
        carried_out(application)
        stale = application.table("t-1", version=3)
        late = decide(stale, "t-1", SeatPlayer("late"), Given(TIME, "late"))
        from domain.aggregate import TableEvent

        with pytest.raises(IntegrityError):
            application.save(*(TableEvent("t-1", each.version, each) for each in late))


def test_on_jetstream_the_application_writes_what_the_services_read(
    nats_server: EmbeddedServer,  # noqa: F811
    stream_name: str,  # noqa: F811
) -> None:
    env = {
        "PERSISTENCE_MODULE": "services.eventstore",
        "NATS_URL": nats_server.url,
        "NATS_STREAM": stream_name,
        "NATS_PREFIX": subject_prefix(stream_name),
    }
    with TableApplication(env) as application:
        written = carried_out(application)

    async def read() -> list[bytes]:
        store = await JetStreamStore.connect(nats_server.url, stream=stream_name, prefix=subject_prefix(stream_name))
        try:
            return [record.data for record in await store.read("t-1")]
        finally:
            await store.close()

    assert asyncio.run(read()) == written == decided()


def test_a_whole_match_through_the_library_verifies() -> None:
    lines = [each.line for each in simulate("qianbian", 1, "library")]
    assert verify_lines(lines).clean
