"""The public stream: spectators' events on NATS, each once and in order, and nothing else within reach of who reads them."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import orjson
import pytest
from nats.aio.client import Client
from nats.errors import Error

from domain.simulate import simulate
from domain.table import Table, evolve
from projections.viewing import event_for
from schemas.envelope import Recorded
from schemas.events import Dealt, SeatsSwapped, type_name
from services import store
from services.eventstore.core import Head, JetStreamStore, NewEvent
from services.eventstore.errors import BrokenLog, Unavailable
from services.eventstore.server import CONSUMER, PUBLISHER, EmbeddedServer, PublicStream, command, free_port
from services.eventstore.wire import StoredRecord
from services.settings import Settings, load_secrets, write_private
from services.spectate import Publisher, remove
from tests.projections.test_viewing import other_world

STREAM, SUBJECTS = "SK_PUBLIC", "sk.public"
NEW = Head(0, 0)


@pytest.fixture(scope="module")
def accounts() -> PublicStream:
    return PublicStream(STREAM, SUBJECTS, secrets.token_hex(8), secrets.token_hex(8))


@pytest.fixture
def server(tmp_path: Path, accounts: PublicStream) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path / "nats", user="house", password="h", public=accounts) as found:
        yield found


@pytest.fixture
async def record(server: EmbeddedServer) -> AsyncIterator[JetStreamStore]:
    async with await JetStreamStore.connect(server.url) as found:
        yield found


def address(server: EmbeddedServer) -> str:
    return f"nats://127.0.0.1:{server.config.port}"


def opener(server: EmbeddedServer, accounts: PublicStream) -> Callable[[], Awaitable[JetStreamStore]]:
    async def connect() -> JetStreamStore:
        return await JetStreamStore.connect(
            address(server), stream=STREAM, prefix=SUBJECTS, within=1.0, user=PUBLISHER, password=accounts.publisher
        )

    return connect


async def consumer(server: EmbeddedServer, accounts: PublicStream, **options: Any) -> Client:
    return await nats.connect(address(server), user=CONSUMER, password=accounts.consumer, **options)


async def write(record: JetStreamStore, match: Sequence[Recorded], head: Head = NEW) -> Head:
    """Record events of a table, one command after the other."""
    for each in match:
        head = await record.append(each.table, head, [NewEvent(type_name(type(each.event)), each.line)])
    return head


@asynccontextmanager
async def publishing(server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore) -> AsyncIterator[None]:
    """Publish to the end of the block."""
    task = asyncio.create_task(Publisher(record, opener(server, accounts)).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until(server: EmbeddedServer, accounts: PublicStream, number: int) -> None:
    """Wait until so many events are published."""
    async with asyncio.timeout(20), await opener(server, accounts)() as public:
        async for records in public.tail(0):
            if records and records[-1].sequence >= number:
                return


async def published(server: EmbeddedServer, accounts: PublicStream) -> list[StoredRecord]:
    async with await opener(server, accounts)() as public:
        return [record async for records in public.tail(0, live=False) for record in records]


def seen(match: Sequence[Recorded]) -> list[bytes]:
    table: Table | None = None
    found = []
    for each in match:
        table = evolve(table, each)
        found.append(orjson.dumps(event_for(table, each, "spectator")))
    return found


async def test_every_event_is_there_once_in_order_as_spectators_see_it(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    one, two = list(simulate("basic", 1, "one")), list(simulate("ningxia", 1, "two"))
    await write(record, one)
    async with publishing(server, accounts, record):
        await until(server, accounts, len(one))
        await write(record, two)
        await until(server, accounts, len(one) + len(two))
    found = await published(server, accounts)
    assert [each.sequence for each in found] == list(range(1, len(one) + len(two) + 1))
    for match in (one, two):
        mine = [each for each in found if each.key == match[0].table]
        assert [each.version for each in mine] == [each.version for each in match]
        assert [each.topic for each in mine] == [type_name(type(each.event)) for each in match]
        assert [each.data for each in mine] == seen(match)


async def test_many_tables_at_once(server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore) -> None:
    """Batches hold several events of several tables."""
    matches = [list(simulate("basic", 1, f"many {n}"))[:40] for n in range(6)]
    await asyncio.gather(*(write(record, match) for match in matches))
    async with publishing(server, accounts, record):
        await until(server, accounts, 240)
    found = await published(server, accounts)
    original = [each async for records in record.tail(0, live=False) for each in records]
    assert [each[:3] for each in found] == [each[:3] for each in original]


async def test_two_publishers_write_each_event_once(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    match = list(simulate("basic", 1, "twice"))
    head = await write(record, match[:60])
    async with publishing(server, accounts, record), publishing(server, accounts, record):
        await write(record, match[60:], head)
        await until(server, accounts, len(match))
    assert [each.data for each in await published(server, accounts)] == seen(match)


async def test_it_goes_on_after_the_server_was_away(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    match = list(simulate("basic", 1, "away"))
    head = await write(record, match[:50])
    async with publishing(server, accounts, record):
        await until(server, accounts, 50)
        server.kill()
        server.start()
        await write(record, match[50:], head)
        await until(server, accounts, len(match))
    assert [each.data for each in await published(server, accounts)] == seen(match)


PROGRAM = """
import asyncio, sys
from pathlib import Path
from services import store
from services.settings import Settings
from services.spectate import Publisher, remove

async def main(settings):
    record = await store.connect(settings)
    async def connect():
        return await store.connect_public(settings, 1)
    await Publisher(record, connect).run()

asyncio.run(main(Settings(data=Path(sys.argv[1]))))
"""


async def test_kill_9_anywhere_and_nothing_is_missing_or_twice(tmp_path: Path) -> None:
    """With the passwords of an installation, as `serve spectate` uses them."""
    data = tmp_path / "data"
    keys = load_secrets(data)
    accounts = PublicStream(STREAM, SUBJECTS, keys.password_of(PUBLISHER), keys.password_of(CONSUMER))
    with EmbeddedServer(tmp_path / "n", user=keys.nats_user, password=keys.nats_password, public=accounts) as server:
        write_private(data / "nats.json", {"url": address(server), "monitor": server.monitor})
        matches = [list(simulate("basic", 1, f"kill {n}")) for n in range(12)]
        total = sum(map(len, matches))
        async with await JetStreamStore.connect(server.url) as record, await opener(server, accounts)() as public:
            writing = asyncio.gather(*(write(record, match) for match in matches))
            kills, at = 0, 0
            while at < total:  # each one is killed after about a fifth of it
                before = at
                argv = (sys.executable, "-c", PROGRAM, str(data))
                process = await asyncio.create_subprocess_exec(*argv, stderr=asyncio.subprocess.DEVNULL)
                goal = total if kills == 3 else before + 1 + total // 5
                while at < min(goal, total):
                    at = await public.last_sequence()
                    await asyncio.sleep(0.005)
                process.kill()
                await process.wait()
                kills += 1
            await writing
            original = [each async for records in record.tail(0, live=False) for each in records]
        assert kills > 2
        found = await published(server, accounts)
        assert [each[:3] for each in found] == [each[:3] for each in original]
        for match in matches:
            assert [each.data for each in found if each.key == match[0].table] == seen(match)


async def test_it_can_be_removed_and_is_published_anew(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keys = load_secrets(data)
    accounts = PublicStream(STREAM, SUBJECTS, keys.password_of(PUBLISHER), keys.password_of(CONSUMER))
    match = list(simulate("basic", 1, "anew"))[:30]
    with EmbeddedServer(tmp_path / "n", user=keys.nats_user, password=keys.nats_password, public=accounts) as server:
        write_private(data / "nats.json", {"url": address(server), "monitor": server.monitor})
        async with await opener(server, accounts)() as public:
            await write(public, match[:3])  # not what is published
        await remove(Settings(data=data))
        async with await JetStreamStore.connect(server.url) as record:
            await write(record, match)
            async with publishing(server, accounts, record):
                await until(server, accounts, 30)
        assert [each.data for each in await published(server, accounts)] == seen(match)


async def test_a_consumer_reads_all_of_it_in_every_usual_way(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    match = list(simulate("basic", 1, "consumer"))[:60]
    head = await write(record, match[:50])
    async with publishing(server, accounts, record):
        await until(server, accounts, 50)
        client = await consumer(server, accounts)
        js = client.jetstream()
        live = await client.subscribe(f"{SUBJECTS}.>")
        await client.flush()
        pull = await js.pull_subscribe(f"{SUBJECTS}.>", "mine", stream=STREAM)
        messages = await pull.fetch(50, timeout=5)
        for message in messages:
            await message.ack()
        ordered = await js.subscribe(f"{SUBJECTS}.{match[0].table}", stream=STREAM, ordered_consumer=True)
        again = [await ordered.next_msg(5) for _ in range(50)]
        await write(record, match[50:], head)
        newest = [await live.next_msg(5) for _ in range(10)]
        direct = await js.get_msg(STREAM, 7, direct=True)
        by_leader = await js.get_last_msg(STREAM, f"{SUBJECTS}.{match[0].table}")
        assert [message.data for message in messages] == [message.data for message in again] == seen(match)[:50]
        assert [message.data for message in newest] == seen(match)[50:]
        assert (direct.data, by_leader.data) == (seen(match)[6], seen(match)[59])
        assert messages[6].headers is not None
        assert messages[6].headers["Nats-Msg-Id"] == f"{match[0].table}:7"
        info = await js.consumer_info(STREAM, "mine")
        assert info.num_ack_pending == 0
        await client.close()


API = "$JS.API"
FORBIDDEN = {
    f"{API}.STREAM.INFO.SK": {},
    f"{API}.STREAM.MSG.GET.SK": {"seq": 1},
    f"{API}.DIRECT.GET.SK": {"seq": 1},
    f"{API}.DIRECT.GET.SK.sk.table.t": {},
    f"{API}.CONSUMER.CREATE.SK": {"stream_name": "SK", "config": {"deliver_policy": "all"}},
    f"{API}.CONSUMER.CREATE.SK.mine": {"stream_name": "SK", "config": {"name": "mine"}},
    f"{API}.CONSUMER.CREATE.SK.mine.sk.table.t": {"stream_name": "SK", "config": {"name": "mine"}},
    f"{API}.CONSUMER.DURABLE.CREATE.SK.mine": {"stream_name": "SK", "config": {"durable_name": "mine"}},
    f"{API}.CONSUMER.MSG.NEXT.SK.theirs": {"batch": 1},
    f"{API}.CONSUMER.INFO.SK.theirs": {},
    f"{API}.STREAM.SNAPSHOT.SK": {"deliver_subject": "_INBOX.mine"},
    f"{API}.STREAM.CREATE.MINE": {"name": "MINE", "sources": [{"name": "SK"}]},
    f"{API}.STREAM.CREATE.COPY": {"name": "COPY", "mirror": {"name": "SK"}},
    f"{API}.STREAM.UPDATE.{STREAM}": {"name": STREAM},
    f"{API}.STREAM.DELETE.{STREAM}": {},
    f"{API}.STREAM.PURGE.{STREAM}": {},
    f"{API}.STREAM.MSG.DELETE.{STREAM}": {"seq": 1},
    f"{API}.STREAM.SNAPSHOT.{STREAM}": {"deliver_subject": "_INBOX.mine"},
    f"{SUBJECTS}.t-forged": {"forged": True},
    "sk.table.t-forged": {"forged": True},
    "$SYS.REQ.SERVER.PING.JSZ": {},
}


async def test_everything_else_is_refused_to_a_consumer(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    match = list(simulate("basic", 1, "refused"))[:20]
    await write(record, match)
    theirs = {"name": "theirs", "ack_policy": "none"}
    await record.link.api("CONSUMER.CREATE.SK.theirs", {"stream_name": "SK", "config": theirs, "action": "create"}, 5)
    denied: asyncio.Queue[str] = asyncio.Queue()

    async def on_error(error: Exception) -> None:
        denied.put_nowait(str(error))

    async with publishing(server, accounts, record):
        await until(server, accounts, 20)
        client = await consumer(server, accounts, error_cb=on_error)
        for subject, body in FORBIDDEN.items():
            await client.publish(subject, orjson.dumps(body) if body else b"", reply=client.new_inbox())
            async with asyncio.timeout(5):
                assert f'permissions violation for publish to "{subject.lower()}"' in (await denied.get()).lower()
        for subject in ("sk.table.>", ">", "sk.>", "$JS.>", "$SYS.>"):
            await client.subscribe(subject)
            async with asyncio.timeout(5):
                assert f'permissions violation for subscription to "{subject.lower()}"' in (await denied.get()).lower()
        await client.close()
    assert len(await published(server, accounts)) == 20


async def test_what_a_consumer_is_sent_cannot_be_aimed_at_the_server(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    """A push consumer names where it wants its messages; an API subject there does nothing, the stream's own is refused."""
    match = list(simulate("basic", 1, "aimed"))[:20]
    await write(record, match)
    async with publishing(server, accounts, record):
        await until(server, accounts, 20)
        client = await consumer(server, accounts)
        sinks = (f"{API}.STREAM.DELETE.{STREAM}", f"{API}.STREAM.PURGE.{STREAM}", f"{SUBJECTS}.t-forged")
        for number, sink in enumerate(sinks):
            config = {"name": f"c{number}", "deliver_subject": sink, "ack_policy": "none", "headers_only": True}
            ask = {"stream_name": STREAM, "config": config, "action": "create"}
            answer = orjson.loads(
                (await client.request(f"{API}.CONSUMER.CREATE.{STREAM}.c{number}", orjson.dumps(ask))).data
            )
            assert ("error" in answer) == (number == 2)
        await write(record, list(simulate("basic", 1, "aimed again"))[:20])
        await until(server, accounts, 40)
        await client.close()
    assert [each.version for each in await published(server, accounts)] == [*range(1, 21), *range(1, 21)]


async def test_even_who_writes_the_public_stream_cannot_reach_the_record(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    """Permissions may be set wrongly; the record is in another account."""
    match = list(simulate("basic", 1, "walls"))[:20]
    client = await nats.connect(address(server), user=PUBLISHER, password=accounts.publisher)
    everything = await client.subscribe(">")
    await client.flush()
    await write(record, match)
    async with await opener(server, accounts)() as public:
        await public.append("t", NEW, [NewEvent("marker", b"{}")])
    heard = {(await everything.next_msg(5)).subject}
    while f"{SUBJECTS}.t" not in heard:
        heard.add((await everything.next_msg(5)).subject)
    assert not any(subject.startswith("sk.table") for subject in heard)
    for what in ("STREAM.MSG.GET.SK", "CONSUMER.CREATE.SK.mine"):
        body: dict[str, Any] = {"stream_name": "SK", "config": {"name": "mine"}} if "CREATE" in what else {"seq": 1}
        answer = orjson.loads((await client.request(f"{API}.{what}", orjson.dumps(body))).data)
        assert answer["error"]["description"] == "stream not found"
    with pytest.raises(Error):
        await client.request(f"{API}.DIRECT.GET.SK", b'{"seq":1}', timeout=0.5)
    await client.close()


async def test_no_password_no_entry(server: EmbeddedServer) -> None:
    for user, password in ((None, None), (CONSUMER, "guess"), (PUBLISHER, "")):
        with pytest.raises(Unavailable, match=r"no answer .*Authorization Violation"):
            await JetStreamStore.connect(address(server), within=0.3, user=user, password=password)


@pytest.mark.parametrize("ruleset", ["basic", "huopin", "jj"])
async def test_hands_that_differ_in_hidden_cards_give_the_same_bytes(
    tmp_path: Path, accounts: PublicStream, ruleset: str
) -> None:
    match = list(simulate(ruleset, 1, f"public {ruleset}"))
    first = next(index for index, each in enumerate(match) if isinstance(each.event, Dealt))
    first += isinstance(match[first + 1].event, SeatsSwapped)
    prefix = match[: first + 12]
    worlds = [prefix, other_world(prefix, "spectator", 1), other_world(prefix, "spectator", 2)]
    assert len({world[-1].hash for world in worlds}) == 3
    found = []
    for number, world in enumerate(worlds):
        folder = tmp_path / str(number)
        with EmbeddedServer(folder, user="house", password="h", public=accounts) as server:
            async with await JetStreamStore.connect(server.url) as record:
                await write(record, world)
                async with publishing(server, accounts, record):
                    await until(server, accounts, len(world))
            found.append(await published(server, accounts))
    assert found[0] == found[1] == found[2]
    assert all(b'"holdings":[null,null,null,null]' in each.data for each in found[0] if b".dealt." in each.data)


async def test_a_record_that_is_not_what_was_published_stops_it(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    match = list(simulate("basic", 1, "stops"))
    async with await opener(server, accounts)() as public:
        await write(public, match[:3])
    publisher = Publisher(record, opener(server, accounts))
    await publisher.run()
    assert "the record ends before event 3" in str(publisher.fault)
    await write(record, list(simulate("basic", 1, "another"))[:5])
    publisher = Publisher(record, opener(server, accounts))
    await publisher.run()
    assert "event 3 of the record is not what was published" in str(publisher.fault)
    assert len(await published(server, accounts)) == 3


async def test_an_event_that_does_not_chain_is_not_published(
    server: EmbeddedServer, accounts: PublicStream, record: JetStreamStore
) -> None:
    one, other = list(simulate("basic", 1, "chain")), list(simulate("basic", 1, "other chain"))
    head = await write(record, one[:6])
    await record.append(one[0].table, head, [NewEvent(type_name(type(other[6].event)), other[6].line)])
    publisher = Publisher(record, opener(server, accounts))
    await publisher.run()
    assert isinstance(publisher.fault, BrokenLog)
    assert len(await published(server, accounts)) == 0, "a batch is written whole or not at all"


async def test_a_store_of_before_there_were_accounts_goes_on(tmp_path: Path, accounts: PublicStream) -> None:
    match = list(simulate("basic", 1, "before"))[:10]
    with EmbeddedServer(tmp_path) as server:
        async with await JetStreamStore.connect(server.url) as record:
            await write(record, match)
    with EmbeddedServer(tmp_path, user="house", password="h", public=accounts) as server:
        async with await JetStreamStore.connect(server.url) as record:
            assert [each.data for each in await record.read(match[0].table)] == [each.line for each in match]


ACCOUNTS = Path(__file__).parents[2] / "ops" / "nats" / "accounts.conf"


def test_the_example_for_clusters_allows_what_the_embedded_server_does(accounts: PublicStream) -> None:
    text = ACCOUNTS.read_text()
    allowed = text.partition("publish: { allow: [")[2].partition("]")[0]
    assert [line.strip().strip('"') for line in allowed.strip().splitlines()] == accounts.may_ask()


async def test_the_example_for_clusters_works_with_two_addresses(tmp_path: Path) -> None:
    port = free_port()
    config = tmp_path / "nats.conf"
    (tmp_path / "accounts.conf").write_bytes(ACCOUNTS.read_bytes())
    config.write_text(
        f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{tmp_path}/store" }}\ninclude accounts.conf\n'
    )
    passwords = {f"SK_{name}PASSWORD": f"pw-{name.lower()}x" for name in ("", "PUBLISHER_", "SPECTATOR_")}
    process = await asyncio.create_subprocess_exec(*command(config), env=passwords, stderr=asyncio.subprocess.DEVNULL)
    try:
        settings = Settings(
            data=tmp_path / "data",
            nats=f"nats://shuangkou:pw-x@127.0.0.1:{port}",
            nats_public=f"nats://publisher:pw-publisher_x@127.0.0.1:{port}",
        )
        match = list(simulate("basic", 1, "example"))[:20]
        async with await connected(settings) as record:
            await write(record, match)

            async def connect() -> JetStreamStore:
                return await store.connect_public(settings, await record.replicas())

            task = asyncio.create_task(Publisher(record, connect).run())
            client = await nats.connect(f"nats://spectator:pw-spectator_x@127.0.0.1:{port}")
            async with await connect() as public:
                found: list[StoredRecord] = []
                async for records in public.tail(0):
                    found += records
                    if len(found) == len(match):
                        break
                pulled = await client.jetstream().pull_subscribe(f"{SUBJECTS}.>", stream=STREAM)
                assert [each.data for each in await pulled.fetch(20, timeout=5)] == seen(match)
                kept = await client.jetstream().pull_subscribe(f"{SUBJECTS}.>", "mine", stream=STREAM)
                assert (await kept.consumer_info()).config.inactive_threshold == store.IDLE
            await client.close()
            task.cancel()
            await asyncio.wait([task])
    finally:
        process.terminate()
        await process.wait()


async def connected(settings: Settings) -> JetStreamStore:
    """The record, as soon as the server is there."""
    for _ in range(200):
        try:
            return await store.connect(settings, within=0.2)
        except Unavailable:
            await asyncio.sleep(0.05)
    raise AssertionError("the server did not start")
