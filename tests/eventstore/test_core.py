"""The contract of the store: versions, atomicity, repeats, refusals, reading and following. Against a real server."""

import asyncio
import json
import stat
from contextlib import aclosing
from pathlib import Path

import nats
import pytest
from nats.js.api import StreamConfig

from services.eventstore import wire
from services.eventstore.core import (
    BrokenLog,
    Conflict,
    Head,
    JetStreamStore,
    NewEvent,
    StorageFull,
    StoredRecord,
    TooLarge,
    Unavailable,
    WrongServer,
    WrongStream,
)
from services.eventstore.server import EmbeddedServer, ServerConfig, check_binary, command, find_server
from tests.kit.nats import subject_prefix

NEW = Head(0, 0)
OPENED = NewEvent("opened.v1", b'{"seats":4}')
PLAYED = NewEvent("played.v1", b'{"cards":["7S"]}')
PASSED = NewEvent("passed.v1", b"{}")


async def everything(store: JetStreamStore, after: int = 0) -> list[StoredRecord]:
    return [record async for records in store.tail(after, live=False) for record in records]


async def test_events_get_the_next_versions_and_sequences_of_the_stream(store: JetStreamStore) -> None:
    assert await store.append("a", NEW, [OPENED]) == Head(1, 1)
    assert await store.append("b", NEW, [OPENED, PLAYED]) == Head(2, 3)
    assert await store.append("a", Head(1, 1), [PLAYED]) == Head(2, 4)
    assert await store.head("a") == Head(2, 4)
    assert await store.head("nobody") == NEW
    assert await store.last_sequence() == 4


async def test_nothing_to_append_changes_nothing(store: JetStreamStore) -> None:
    assert await store.append("a", NEW, []) == NEW
    assert await store.last_sequence() == 0


async def test_a_table_is_read_back_as_it_was_written(store: JetStreamStore) -> None:
    head = await store.append("a", NEW, [OPENED, PLAYED])
    await store.append("b", NEW, [OPENED])
    await store.append("a", head, [PASSED])
    assert await store.read("a") == [("a", 1, *OPENED, 1), ("a", 2, *PLAYED, 2), ("a", 3, *PASSED, 4)]
    assert await store.read("a", after=2) == [("a", 3, *PASSED, 4)]
    assert await store.read("a", after=2, after_sequence=2) == [("a", 3, *PASSED, 4)]
    assert await store.read("a", after=3) == []
    assert await store.read("nobody") == []


async def test_a_table_longer_than_one_read_is_read_whole(store: JetStreamStore) -> None:
    head = NEW
    for _ in range(3):
        head = await store.append("long", head, [PLAYED] * 900)
    assert [record.version for record in await store.read("long")] == list(range(1, 2701))


async def test_who_comes_second_gets_a_conflict_with_the_new_head(store: JetStreamStore) -> None:
    first = await store.append("a", NEW, [OPENED])
    with pytest.raises(Conflict) as conflict:
        await store.append("a", NEW, [PLAYED])
    assert conflict.value.head == first
    await store.append("a", first, [PLAYED])
    with pytest.raises(Conflict, match="version 2"):
        await store.append("a", first, [PASSED, PASSED])
    assert len(await store.read("a")) == 2


async def test_a_repeat_of_what_is_recorded_returns_the_head_it_had(store: JetStreamStore) -> None:
    one = await store.append("a", NEW, [OPENED])
    two = await store.append("a", one, [PLAYED, PASSED])
    await store.append("a", two, [PLAYED])
    assert await store.append("a", NEW, [OPENED]) == one
    assert await store.append("a", one, [PLAYED, PASSED]) == two
    assert len(await store.read("a")) == 4


async def test_a_repeat_that_differs_in_one_byte_is_a_conflict(store: JetStreamStore) -> None:
    one = await store.append("a", NEW, [OPENED])
    await store.append("a", one, [PLAYED, PASSED])
    for events in (
        [PLAYED, NewEvent("passed.v1", b"{ }")],
        [PLAYED, NewEvent("passed.v2", b"{}")],
        [PLAYED, PASSED, PASSED],
    ):
        with pytest.raises(Conflict):
            await store.append("a", one, events)
    assert len(await store.read("a")) == 3


async def test_a_repeat_is_a_conflict_when_repeats_are_not_allowed(store: JetStreamStore) -> None:
    await store.append("a", NEW, [OPENED])
    with pytest.raises(Conflict):
        await store.append("a", NEW, [OPENED], repeat=False)


async def test_a_batch_is_recorded_whole_or_not_at_all(store: JetStreamStore) -> None:
    layout = store.layout
    await store.append("b", NEW, [OPENED])
    both = [layout.event("a", 1, *OPENED, 0), layout.event("b", 1, *PLAYED, 0)]
    with pytest.raises(Conflict, match=r"\.b has moved on to version 1"):
        await store.write(both)
    assert await store.read("a") == []
    several = [layout.event("a", 1, *OPENED, 0), layout.event("b", 2, *PLAYED, 1), layout.event("a", 2, *PLAYED, None)]
    assert await store.write(several) == [2, 3, 4]
    assert await store.write(several) == [2, 3, 4]


@pytest.mark.parametrize("events", [[PLAYED], [PLAYED, PASSED]])
async def test_what_was_decided_on_the_whole_stream_is_refused_when_it_moved_on(
    store: JetStreamStore, events: list[NewEvent]
) -> None:
    one = await store.append("a", NEW, [OPENED], last=0)
    other = await store.append("b", NEW, [OPENED])
    with pytest.raises(Conflict) as conflict:
        await store.append("a", one, events, last=one.sequence)
    assert conflict.value.head == other
    assert await store.last_sequence() == 2
    two = await store.append("a", one, events, last=other.sequence)
    await store.append("b", other, [PASSED])
    assert await store.append("a", one, events, last=other.sequence) == two  # recorded already


async def test_writers_in_a_race_leave_no_gap_and_lose_nothing(nats_server: EmbeddedServer, stream_name: str) -> None:
    """Six connections write to three tables; what each was told is what the stream holds."""
    told: list[tuple[str, int, bytes]] = []

    async def writer(number: int) -> None:
        store = await JetStreamStore.connect(nats_server.url, stream=stream_name, prefix=subject_prefix(stream_name))
        heads = dict.fromkeys("xyz", NEW)
        for turn in range(20):
            key = "xyz"[turn % 3]
            events = [NewEvent("t", f"{number}.{turn}.{n}".encode()) for n in range(1 + turn % 2)]
            while True:
                try:
                    heads[key] = head = await store.append(key, heads[key], events)
                except Conflict as conflict:
                    heads[key] = conflict.head
                else:
                    told.extend((key, head.version - len(events) + n, e.data) for n, e in enumerate(events, 1))
                    break
        await store.close()

    await asyncio.gather(*map(writer, range(6)))
    store = await JetStreamStore.connect(nats_server.url, stream=stream_name, prefix=subject_prefix(stream_name))
    records = await everything(store)
    assert [record.sequence for record in records] == list(range(1, 181))
    assert sorted((r.key, r.version, r.data) for r in records) == sorted(told)
    await store.close()


async def test_the_payload_is_json_for_any_client(nats_server: EmbeddedServer, store: JetStreamStore) -> None:
    await store.append("t-1", NEW, [OPENED])
    client = await nats.connect(nats_server.url)
    message = await client.jetstream().get_last_msg(store.layout.stream, f"{store.layout.prefix}.t-1")
    assert json.loads(message.data or b"") == {"seats": 4}
    assert message.headers is not None
    assert (message.headers["Event-Topic"], message.headers["Event-Version"]) == ("opened.v1", "1")
    assert message.headers["Nats-Msg-Id"] == "t-1:1"
    await client.close()


@pytest.mark.parametrize(
    "key", ["", " ", "a.b", "*", ">", "%", "%41", "桌子 七", "a\r\nNats-Msg-Id: x", "~", "$tracking", "x" * 1000]
)
async def test_ids_with_odd_characters_are_tables_of_their_own(store: JetStreamStore, key: str) -> None:
    head = await store.append(key, NEW, [NewEvent("topic with\r\nodd: 字", b"\0\r\n")])
    assert await store.head(key) == head
    assert await store.read(key) == await everything(store) == [(key, 1, "topic with\r\nodd: 字", b"\0\r\n", 1)]
    assert await store.head(f"{key}x") == NEW


async def test_an_event_that_is_too_large_is_refused_and_the_connection_lives(store: JetStreamStore) -> None:
    for events in ([NewEvent("big", b"x" * 1024 * 1024)], [OPENED, NewEvent("big", b"x" * 2_000_000)], [PLAYED] * 1001):
        with pytest.raises(TooLarge, match="Nothing was recorded"):
            await store.append("a", NEW, events)
    assert await store.append("a", NEW, [NewEvent("big", b"x" * 1_000_000)]) == Head(1, 1)


async def fill(store: JetStreamStore, event: NewEvent) -> None:
    head = NEW
    for _ in range(10):
        head = await store.append("a", head, [event])


async def test_a_full_disk_is_said_and_nothing_is_recorded(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, max_file=200_000) as server:
        store = await JetStreamStore.connect(server.url)
        big = NewEvent("big", b"x" * 50_000)
        with pytest.raises(StorageFull, match="no room"):
            await fill(store, big)
        head = await store.head("a")
        with pytest.raises(StorageFull, match="no room"):
            await store.append("a", head, [big, big])
        assert await store.head("a") == head
        assert len(await store.read("a")) == head.version == await store.last_sequence() > 2
        await store.close()


async def test_creating_the_stream_again_is_harmless(nats_server: EmbeddedServer, store: JetStreamStore) -> None:
    await store.append("a", NEW, [OPENED])
    layout = store.layout
    opening = (JetStreamStore.connect(nats_server.url, stream=layout.stream, prefix=layout.prefix) for _ in range(3))
    for again in await asyncio.gather(*opening):
        assert len(await again.read("a")) == 1
        await again.close()


@pytest.mark.parametrize(
    ("difference", "named"),
    [
        ({"deny_delete": False}, "deny_delete is False"),
        ({"max_bytes": 10_000_000}, "max_bytes is 10000000"),
        ({"max_age": 3600.0}, "max_age"),
    ],
)
async def test_a_stream_with_other_settings_is_refused_and_left_as_it_is(
    nats_server: EmbeddedServer, stream_name: str, difference: dict[str, object], named: str
) -> None:
    client = await nats.connect(nats_server.url)
    settings = {
        "deny_delete": True,
        "deny_purge": True,
        "allow_direct": True,
        "subjects": [f"{subject_prefix(stream_name)}.>"],
    }
    js = client.jetstream()
    before = await js.add_stream(StreamConfig(name=stream_name, **{**settings, **difference}))  # type: ignore[arg-type]
    with pytest.raises(WrongStream, match=named) as refused:
        await JetStreamStore.connect(nats_server.url, stream=stream_name, prefix=subject_prefix(stream_name))
    assert "allow_atomic" in str(refused.value)
    assert (await js.stream_info(stream_name)).config == before.config
    await client.close()


async def test_a_stream_that_must_exist_is_not_made(nats_server: EmbeddedServer, stream_name: str) -> None:
    with pytest.raises(WrongStream, match="does not exist"):
        await JetStreamStore.connect(nats_server.url, stream=stream_name, create=False)


async def test_a_server_that_does_not_sync_is_refused(tmp_path: Path) -> None:
    with (
        EmbeddedServer(tmp_path, sync_always=False) as server,
        pytest.raises(WrongServer, match="sync_interval: always"),
    ):
        await JetStreamStore.connect(server.url, monitor=server.monitor)


@pytest.mark.parametrize("version", ["2.11.9", "2.9.0", "1.4.1"])
def test_an_old_server_is_refused(tmp_path: Path, version: str) -> None:
    old = tmp_path / "nats-server"
    old.write_text(f"#!/bin/sh\necho nats-server: v{version}\n")
    old.chmod(0o755)
    with pytest.raises(WrongServer, match=r"2\.12 or later is needed"):
        find_server(old)


async def test_an_old_server_is_refused_on_connecting() -> None:
    """Whatever its origin: here a listener that greets like nats-server 2.11."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        info = {"server_id": "X", "version": "2.11.9", "max_payload": 1048576, "headers": True, "proto": 1}
        writer.write(b"INFO " + json.dumps(info).encode() + b"\r\n")
        while line := await reader.readline():
            if line.startswith(b"PING"):
                writer.write(b"PONG\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(WrongServer, match=r"2\.11\.9 is too old"):
        await JetStreamStore.connect(f"nats://127.0.0.1:{port}")
    server.close()
    await server.wait_closed()


def test_the_servers_binary_is_found_and_runs_by_a_plain_command_line(tmp_path: Path) -> None:
    assert check_binary(find_server()) >= (2, 12, 0)
    assert command(tmp_path / "c", Path("/x/nats-server"), tmp_path / "l") == [
        "/x/nats-server", "--config", str(tmp_path / "c"), "--log", str(tmp_path / "l"),
    ]  # fmt: skip
    with pytest.raises(WrongServer, match="no nats-server"):
        find_server(tmp_path / "missing")


async def test_user_and_password_are_needed_and_their_file_is_private(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, user="table", password='p"w') as server:
        assert stat.S_IMODE((tmp_path / "nats.conf").stat().st_mode) == 0o600
        assert 'p"w' not in repr(server.config)
        store = await JetStreamStore.connect(f"nats://127.0.0.1:{server.config.port}", user="table", password='p"w')
        assert await store.append("a", NEW, [OPENED]) == Head(1, 1)
        await store.close()
        with pytest.raises(Unavailable, match="no answer"):
            await JetStreamStore.connect(f"nats://127.0.0.1:{server.config.port}", within=0.5)


def test_a_configuration_is_the_same_text_for_the_same_settings(tmp_path: Path) -> None:
    config = ServerConfig(tmp_path, 4222, 8222)
    assert "sync_interval: always" in config.text()
    assert config.url == "nats://127.0.0.1:4222"
    assert config.write(tmp_path / "n.conf").read_text() == config.text()


async def test_the_whole_log_is_followed_in_order_from_anywhere(store: JetStreamStore) -> None:
    for n in range(5):
        await store.append(f"t{n}", NEW, [PLAYED] * 500)
    assert [record.sequence for record in await everything(store)] == list(range(1, 2501))
    assert [record.sequence for record in await everything(store, 2498)] == [2499, 2500]
    assert await everything(store, 2500) == []


async def test_new_events_come_as_they_are_recorded(store: JetStreamStore) -> None:
    await store.append("a", NEW, [OPENED])
    async with aclosing(store.tail(0)) as tail:  # type: ignore[type-var]
        assert [r.sequence for r in await anext(tail)] == [1]
        for n in range(2, 6):
            await store.append("a", Head(n - 1, n - 1), [PLAYED])
            assert [r.sequence for r in await anext(tail)] == [n]


async def test_many_followers_each_see_everything(store: JetStreamStore) -> None:
    await store.append("a", NEW, [PLAYED] * 50)
    seen = await asyncio.gather(*(everything(store) for _ in range(20)))
    assert all(records == seen[0] for records in seen)
    assert len(seen[0]) == 50


async def test_a_message_of_another_program_stops_the_followers(
    nats_server: EmbeddedServer, store: JetStreamStore
) -> None:
    await store.append("a", NEW, [OPENED])
    client = await nats.connect(nats_server.url)
    await client.jetstream().publish(f"{store.layout.prefix}.a", b"{}")
    await client.close()
    with pytest.raises(BrokenLog, match="message 2 has no"):
        await everything(store)
    with pytest.raises(BrokenLog, match="message 2 has no"):
        await store.read("a")


async def test_a_log_that_ends_before_what_was_read_is_told(store: JetStreamStore) -> None:
    await store.append("a", NEW, [OPENED])
    with pytest.raises(BrokenLog, match="ends at sequence 1, but event 7"):
        await anext(store.tail(7))
    with pytest.raises(BrokenLog, match="Events were lost"):
        await store.append("a", Head(7, 7), [PLAYED])


async def test_a_missing_version_is_told(store: JetStreamStore) -> None:
    await store.write([store.layout.event("a", 1, *OPENED, 0)])
    await store.write([store.layout.event("a", 3, *PLAYED, 1)])
    with pytest.raises(BrokenLog, match="version 2 is missing"):
        await store.read("a")


async def test_a_deleted_stream_is_told(nats_server: EmbeddedServer, store: JetStreamStore) -> None:
    client = await nats.connect(nats_server.url)
    await client.jetstream().delete_stream(store.layout.stream)
    await client.close()
    with pytest.raises(BrokenLog, match="is gone"):
        await anext(store.tail(0))
    with pytest.raises(Unavailable, match="nobody serves the stream"):
        await store.append("a", NEW, [OPENED], within=2)


def test_tracking_and_events_never_share_a_message_id() -> None:
    layout = wire.Layout("S", "s")
    assert layout.tracking("app", 3).message_id != layout.event("app", 3, "", b"", None).message_id
    assert "$" not in wire.encode("$tracking.app")
