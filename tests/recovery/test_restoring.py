"""`restore`: the stream comes back from its copies, byte for byte, and nothing is overwritten on the way."""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import orjson
import pytest

from domain.shuffle import derived_seed
from domain.simulate import simulate
from ops.drills.storage import Cut, Record, blocks, damage, installation, project, read, served, write
from projections.archive import files_of, name_of
from projections.base import ProjectionFault, open_engine
from schemas.canonical import canonical, digest
from schemas.envelope import read_line
from schemas.envelope import record as recorded_as
from schemas.events import HandScored, PlayerSeated
from schemas.matchfile import match_file
from schemas.proofs import Leaf
from services.accesslog import AccessLog
from services.auth import Caller
from services.checkpoints import FOLDER, CheckpointWriter
from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from services.project import run_projection
from services.recovery.carrying_out import CannotRestore, Outcome, Wish, restore
from services.recovery.local import StillRunning, alone
from services.recovery.reconciling import reconcile
from services.recovery.restoring import Timeline, plan, unseen
from services.recovery.sources import Source, Sources
from services.settings import Settings
from services.store import beside, connect
from services.vaults import Folder, open_vault
from tests.faults.test_tamper import rechained
from tests.kit.house import ROOT, shuangkou
from tests.kit.nats import own_nats_server
from tests.kit.proofs import LOGGED, first_hand, rest_of, ring
from tests.kit.records import played_on
from tests.kit.s3 import BUCKET, S3Server, s3_server
from tests.recovery.conftest import DEAL_KEY, with_secrets

__all__ = ["own_nats_server", "s3_server"]
T = TypeVar("T")


def lose_stream(house: Settings) -> None:
    shutil.rmtree(house.data / "nats")


def lose_views(house: Settings, *names: str) -> None:
    for name in names:
        for file in (house.data / "views").glob(f"{name}.sqlite*"):
            file.unlink()


def file_away(house: Settings, data: bytes) -> str:
    """Put a file into the archive, as whoever can write there may; its name."""
    name = name_of(digest(data))
    Folder(house.data / "archive").put(name, data)
    return name


def now(house: Settings) -> Record:
    with served(house) as running:
        return asyncio.run(read(running))


def on_store(house: Settings, work: Callable[[JetStreamStore], Awaitable[T]]) -> T:
    async def run(running: Settings) -> T:
        store = await connect(running)
        try:
            return await work(store)
        finally:
            await store.close()

    with served(house) as running:
        return asyncio.run(run(running))


def at_hand_ends(house: Settings, record: Record) -> Record:
    """The record as far as the archive has it."""
    with open_engine(house.database("archive")).connect() as connection:
        last = {each.table: each.last for each in files_of(connection)}
    return {table: lines[: last[table]] for table, lines in record.items() if table in last}


def test_a_lost_stream_comes_back_whole_and_at_the_same_places(house: Settings, record: Record) -> None:
    """The audit timeline remembers the order, and what the hands being played had come to; the views need not even be built again."""
    order = on_store(house, lambda store: store.fetch(store.layout.events, 1))
    lose_stream(house)
    outcome = restore(house, Wish())
    assert (outcome.written, outcome.numbered, outcome.emptied) == (len(order), len(order), ())
    assert on_store(house, lambda store: store.fetch(store.layout.events, 1)) == order
    with served(house) as running:
        assert reconcile(running).clean


def test_looks_that_were_lost_with_the_stream_are_said(house: Settings, record: Record) -> None:
    """The archive holds matches; what else was on the disk comes from a backup, and must not be missed in silence."""

    async def look(running: Settings) -> None:
        store = await connect(running, kind="access")
        log = AccessLog(store, lambda: "2026-12-01T08:00:00.000Z")
        await log.look(Caller("auditor", name="ann"), "view", next(iter(record)), 3, "auditor")
        await store.close()
        await run_projection(running, "access", live=False)

    with served(house) as running:
        asyncio.run(look(running))
    lose_stream(house)
    said = [note for note in restore(house, Wish()).notes if "SK-access" in note]
    assert len(said) == 1
    assert "ends at event 0, but its view has seen 1" in said[0]
    assert now(house) == record


def test_from_the_archive_alone_all_that_was_over_comes_back(house: Settings, record: Record) -> None:
    lose_stream(house)
    kept = at_hand_ends(house, record)
    lose_views(house, "audit", "archive")
    outcome = restore(house, Wish())
    assert now(house) == kept
    assert [len(kept[table]) for table in kept] != [len(record[table]) for table in kept], "a hand was being played"
    assert outcome.emptied == ("ledger",), "the numbers are others now"
    with served(house) as running:
        asyncio.run(project(running))
        assert reconcile(running).clean


def test_a_view_elsewhere_is_told_to_build_anew(house: Settings, tmp_path: Path) -> None:
    lose_stream(house)
    lose_views(house, "audit", "archive")
    shutil.copytree(house.data / "views", tmp_path / "elsewhere" / "views")
    restore(house, Wish())
    with served(house) as running:
        elsewhere = running.model_copy(update={"data": tmp_path / "elsewhere"})
        with pytest.raises(ProjectionFault, match="project ledger --rebuild"):
            asyncio.run(run_projection(elsewhere, "ledger", live=False))


def test_a_stream_that_was_cut_short_is_continued_where_it_ends(house: Settings, record: Record) -> None:
    path = blocks(house)[0]
    damage(house, Cut("cut", path.name, path.stat().st_size // 2, 0, killed=True))
    (path.parent / "index.db").unlink()  # as after kill -9: it believes its blocks
    left = sum(map(len, now(house).values()))
    outcome = restore(house, Wish())
    assert 0 < left < outcome.events
    assert (outcome.written, outcome.emptied, outcome.set_aside) == (outcome.events - left, (), None)
    assert now(house) == record
    assert restore(house, Wish()).written == 0


def test_a_stream_with_a_hole_is_set_aside_only_when_one_says_so(house: Settings, record: Record) -> None:
    """Nothing can be put back between other events. The desk's own streams stay where they are."""
    path = blocks(house)[0]
    line = list(record.values())[1][30]
    damage(house, Cut("flip", path.name, path.read_bytes().index(line), 0, killed=False))

    async def write_beside(store: JetStreamStore) -> int:
        desk = await beside(store, "disputes")
        await desk.write([desk.layout.event("d-1", 1, "test", b"{}", 0)])
        return await desk.last_sequence()

    async def beside_there(store: JetStreamStore) -> int:
        return await (await beside(store, "disputes")).last_sequence()

    on_store(house, write_beside)
    with pytest.raises(CannotRestore, match=r"holes.*--set-aside"):
        restore(house, Wish())
    outcome = restore(house, Wish(set_aside=True))
    assert now(house) == record
    assert outcome.set_aside is not None
    assert list(Path(outcome.set_aside).glob("SK/msgs/*.blk"))
    assert on_store(house, beside_there) == 1


def test_what_only_the_damaged_stream_has_is_kept_too(house: Settings, record: Record) -> None:
    """A hand that is being played is in no archive; without a timeline the stream is its only copy."""
    lose_views(house, "audit")
    path = blocks(house)[0]
    line = next(iter(record.values()))[30]  # of a match that is over
    damage(house, Cut("flip", path.name, path.read_bytes().index(line), 0, killed=False))
    restore(house, Wish(set_aside=True))
    assert now(house) == record
    lose_stream(house)
    restore(house, Wish())
    assert now(house) == record, "it was put into the archive before the stream was set aside"


def went_another_way(house: Settings, record: Record) -> str:
    """A stream that was rewound, and went on with other events. Returns the event where the ways part."""
    lose_stream(house)
    table = list(record)[-1]
    lines = record[table]
    old = read_line(lines[40])
    other = recorded_as(table, 41, old.prev, old.time, "another", PlayerSeated(player="eve", seat=0)).line
    with served(house) as running:
        asyncio.run(write(running, {**record, table: [*lines[:40], other]}))
    return f"{table}:41"


def test_a_stream_that_went_another_way_is_left_alone(house: Settings, record: Record) -> None:
    event = went_another_way(house, record)
    before = now(house)
    with pytest.raises(CannotRestore, match=f"{event}: The sources hold different events"):
        restore(house, Wish(set_aside=True))
    with pytest.raises(CannotRestore, match=f"event {event} of the stream is not the one"):
        restore(house, Wish(prefer="audit"))
    assert now(house) == before
    restore(house, Wish(prefer="audit", set_aside=True))
    assert now(house) == record


def test_killed_in_the_middle_it_goes_on(house: Settings, record: Record) -> None:
    lose_stream(house)
    lose_views(house, "audit")
    kept = at_hand_ends(house, record)
    script = """
import sys
from contextlib import contextmanager
from pathlib import Path
from services.recovery import carrying_out, restoring
from services.settings import Settings
restoring.BATCH = 40
@contextmanager
def bar(title):
    yield lambda done, of: print(title, done, of, flush=True)
if __name__ == "__main__":
    carrying_out.restore(Settings(data=Path(sys.argv[1])), carrying_out.Wish(), bar)
"""
    argv = [sys.executable, "-c", script, str(house.data)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        written = next(line for line in process.stdout if line.startswith("写入"))
        process.send_signal(signal.SIGKILL)
    left = sum(map(len, now(house).values()))
    assert int(written.split()[-2]) <= left < sum(map(len, kept.values()))
    assert restore(house, Wish()).written == sum(map(len, kept.values())) - left
    assert now(house) == kept


def test_nothing_is_written_while_up_runs(house: Settings) -> None:
    with alone(house), pytest.raises(StillRunning, match="stop it first"):
        restore(house, Wish())


def test_a_damaged_file_is_left_out_and_said(house: Settings, record: Record) -> None:
    """The parts of a match hold the same events as its file."""
    lose_stream(house)
    lose_views(house, "audit")
    table = next(iter(record))
    with open_engine(house.database("archive")).connect() as connection:
        match = files_of(connection, table)[-1]
    (house.data / "archive" / match.name).write_bytes(b"rotten\n")
    outcome = restore(house, Wish())
    assert [note for note in outcome.notes if match.name in note]
    assert [note for note in outcome.notes if "1 events were decided again" in note]
    assert now(house)[table] == record[table], "the closing of the table was in no part; it follows from what was"


def test_what_no_source_has_is_refused_and_can_be_restored_up_to_there(house: Settings, record: Record) -> None:
    lose_stream(house)
    lose_views(house, "audit")
    table = next(iter(record))
    with open_engine(house.database("archive")).connect() as connection:
        first, _, match = (each for each in files_of(connection, table))
    for each in (match, first):
        (house.data / "archive" / each.name).unlink()
    with pytest.raises(CannotRestore, match=f"{table}:1: Events 1 to {first.last} are in no source"):
        restore(house, Wish())
    kept = at_hand_ends(house, record)
    restore(house, Wish(incomplete=True))
    assert now(house) == {name: lines for name, lines in kept.items() if name != table}


def test_a_table_that_does_not_verify_is_refused_unless_wished_for(tmp_path: Path) -> None:
    """The archive may have been forged with a chain made anew; and a fault that was recorded long ago is evidence."""
    lines = [each.line for each in simulate("basic", 1, "forged", deal_key=bytes.fromhex(DEAL_KEY))]
    at = next(n for n, line in enumerate(lines) if isinstance(read_line(line).event, HandScored))
    forged, prev = lines[:at], read_line(lines[at]).prev
    for line in lines[at:]:
        old = read_line(line)
        event = old.event
        if isinstance(event, HandScored):
            event = event.model_copy(update={"multiplier": event.multiplier + 1})
        forged.append(recorded_as(old.table, old.version, prev, old.time, old.command, event).line)
        prev = digest(forged[-1])
    house = Settings(data=with_secrets(tmp_path / "data"))
    file_away(house, b"".join(line + b"\n" for line in forged))
    with pytest.raises(CannotRestore, match=r"differs: hand-scored\.multiplier.*\n.*--with-faults"):
        restore(house, Wish())
    restore(house, Wish(with_faults=True))
    assert list(now(house).values()) == [forged]


def test_a_match_that_somebody_made_up_is_not_restored(house: Settings, record: Record) -> None:
    """Whoever can write into the archive can put a match there that keeps every rule; but not one that this installation dealt."""
    lose_stream(house)
    made_up = list(simulate("jj", 1, "made up", "greedy"))
    file_away(house, match_file([each.line for each in made_up]))
    table = made_up[0].table
    foreign, early = (
        f"event {table}:6: Hand 1 was not dealt with the deal key",
        f"event {table}:1: From here on only the archive",
    )
    for wish in (Wish(), Wish(with_faults=True, incomplete=True)):
        with pytest.raises(CannotRestore, match=rf"(?s){foreign}.*{early}.*--other-seeds.*--unseen"):
            restore(house, wish)
    with pytest.raises(CannotRestore, match=early):
        restore(house, Wish(other_seeds=True))
    lose_views(house, "audit")
    with pytest.raises(CannotRestore, match=foreign):
        restore(house, Wish(incomplete=True))
    assert now(house) == {}
    restore(house, Wish(other_seeds=True))
    assert table in now(house)


def test_a_match_dealt_here_that_the_timeline_never_saw_is_not_restored(house: Settings, record: Record) -> None:
    lose_stream(house)
    made_up = [each.line for each in simulate("jj", 1, "made up", "greedy", bytes.fromhex(DEAL_KEY))]
    file_away(house, match_file(made_up))
    with pytest.raises(CannotRestore, match=r"From here on only the archive has it.*\n.*--unseen"):
        restore(house, Wish())
    assert now(house) == {}
    restore(house, Wish(unseen=True))
    assert made_up in now(house).values()


def test_what_is_younger_than_the_timeline_may_be_in_the_archive_alone(record: Record) -> None:
    """The two take in the stream each at its own pace."""
    table, lines = next(iter(record.items()))
    sources = Sources()
    for source, upto in (("archive", len(lines)), ("audit", 20)):
        for line in lines[:upto]:
            sources.add(cast("Source", source), line)
    planned = plan(sources, {})
    seen = {(table, version): version for version in range(1, 21)}
    assert list(unseen(sources, planned, Timeline(seen, read_line(lines[19]).time))) == []
    (found,) = unseen(sources, planned, Timeline(seen, read_line(lines[-1]).time))
    assert (found.table, found.version, found.kind) == (table, 21, "unseen")


def test_a_hand_that_somebody_dealt_at_a_real_table_is_named(record: Record) -> None:
    """It chains to the real events, keeps the rules and is as young as one likes; its seed is another's."""
    begun = first_hand(next(iter(record.values())))
    lines = played_on(begun, b"e" * 32)
    sources = Sources()
    for line in lines:
        sources.add("archive", line)
    mine = partial(derived_seed, bytes.fromhex(DEAL_KEY))
    planned = plan(sources, {}, seed_of=mine)
    assert (planned.faults, [(each.kind, each.table, each.version) for each in planned.troubles]) == (
        [],
        [("foreign", read_line(lines[0]).table, len(begun) + 1)],
    )
    assert plan(sources, {}).troubles == [], "without the secrets of the installation nobody can tell"


def put_on_record(house: Settings, record: Record) -> None:
    """What the checkpoint process would have written."""
    writer = CheckpointWriter(house.data / FOLDER)
    heads = {table: rest_of(lines) for table, lines in record.items()}
    leaves = [
        Leaf(hash=head.rest_hash, table=table, time=LOGGED, version=head.rest_version)
        for table, head in sorted(heads.items())
    ]
    writer.append(leaves, ring().current)
    writer.close()


def forget(house: Settings, record: Record, table: str) -> None:
    """Take every file of a table out of the archive."""
    lines = set(record[table])
    for path in (house.data / "archive").rglob("*.ndjson"):
        if lines & set(path.read_bytes().split(b"\n")):
            path.unlink()


def test_a_table_that_the_checkpoint_log_knows_does_not_go_without_a_word(house: Settings, record: Record) -> None:
    put_on_record(house, record)
    lose_stream(house)
    lose_views(house, "audit", "archive", "ledger")
    table = next(iter(record))
    forget(house, record, table)
    with pytest.raises(
        CannotRestore,
        match=rf"event {table}:1: The checkpoint log knows this table up to event {len(record[table])}.*\n.*--incomplete",
    ):
        restore(house, Wish())
    assert now(house) == {}
    restore(house, Wish(incomplete=True))
    assert set(now(house)) == set(record) - {table}


def test_a_table_that_was_told_otherwise_is_not_restored_against_the_checkpoint_log(
    house: Settings, record: Record
) -> None:
    """Winners and losers changed places, everything was chained anew, and it keeps the rules; the log knows better."""
    put_on_record(house, record)
    lose_stream(house)
    lose_views(house, "audit", "archive", "ledger")
    table = next(iter(record))
    forget(house, record, table)
    swapped = [
        line.replace(b'"east"', b'"x"').replace(b'"south"', b'"east"').replace(b'"x"', b'"south"')
        for line in record[table]
    ]
    file_away(house, match_file(rechained(swapped, 1)))
    for wish in (Wish(), Wish(with_faults=True, incomplete=True, other_seeds=True, unseen=True)):
        with pytest.raises(
            CannotRestore,
            match=rf"event {table}:{len(swapped)}: Leaf \d+ of the checkpoint log knows another event here",
        ):
            restore(house, wish)
    assert now(house) == {}


def test_with_the_checkpoint_log_whole_a_restore_is_as_ever(house: Settings, record: Record) -> None:
    put_on_record(house, record)
    lose_stream(house)
    restore(house, Wish())
    assert now(house) == record


def test_a_broken_checkpoint_log_stops_the_restore(house: Settings, record: Record) -> None:
    put_on_record(house, record)
    lose_stream(house)
    (house.data / FOLDER / "leaves.ndjson").write_bytes(b"rotten\n")
    with pytest.raises(CannotRestore, match=r"the checkpoint log in .* is broken: .*leaves\.ndjson.*move it away"):
        restore(house, Wish())
    assert now(house) == {}


ODD = {
    "no JSON": b"rotten\n",
    "a list": b"[]\n",
    "nested": b"[" * 5000 + b"]" * 5000 + b"\n",
    "not UTF-8": b"\xff\xfe\n",
    "no attributes": b'{"source":"/tables/t-1"}\n',
    "a header alone": b'{"type":"shuangkou.match-header.v1"}\n',
    "a version in words": {"version": "x"},
    "a time in numbers": {"time": 5},
    "an impossible time": {"time": "2026-99-01T00:00:00.000Z"},
    "a command in numbers": {"command": 7},
    "a strange table": {"source": "/tables/A*.>"},
    "an unknown type": {"type": "shuangkou.wished.v1"},
}
"""What may lie in an archive under its right name and is no event."""


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_file_in_the_archive_is_left_out_and_named(
    odd: bytes | dict[str, object], tmp_path: Path, record: Record
) -> None:
    line = next(iter(record.values()))[0]
    data = odd if isinstance(odd, bytes) else canonical({**orjson.loads(line), **odd}) + b"\n"
    house, sources = Settings(data=tmp_path), Sources()
    name = file_away(house, data)
    file_away(house, line + b"\n")
    sources.add_vault(Folder(tmp_path / "archive"))
    assert [name in note and "left out" in note for note in sources.notes] == [True]
    assert [each.lines for each in sources.whole()] == [(line,)]


def test_a_dry_run_writes_nothing(house: Settings, record: Record) -> None:
    lose_stream(house)
    outcome = restore(house, Wish(dry=True))
    assert (outcome.tables, outcome.written) == (len(record), 0)
    assert now(house) == {}


def test_without_any_copy_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(CannotRestore, match="neither the archive nor"):
        restore(Settings(data=tmp_path), Wish())


def test_into_a_server_elsewhere_from_a_bucket(
    tmp_path: Path, record: Record, s3_server: S3Server, own_nats_server: EmbeddedServer
) -> None:
    lost = Settings(data=tmp_path / "data", archive=f"s3://{BUCKET}/house", nats=own_nats_server.url)
    with served(Settings(data=tmp_path / "other")) as running:
        asyncio.run(write(running, record))
        asyncio.run(project(running.model_copy(update={"archive": lost.archive}), ("archive",)))
    assert len(list(s3_server.folder.rglob("*.ndjson"))) == len(list(open_vault(lost.vault).names()))
    outcome: Outcome = restore(lost, Wish())
    assert asyncio.run(read(lost)) == at_hand_ends(Settings(data=tmp_path / "other"), record)
    assert outcome.written == outcome.events


def test_the_command_line_restores_and_says_so(house: Settings, record: Record) -> None:
    path = blocks(house)[0]
    damage(house, Cut("flip", path.name, path.stat().st_size // 2, 4, killed=False))
    refused = shuangkou("restore", data=house.data)
    assert (refused.returncode, "--set-aside" in refused.stderr) == (1, True), refused.stderr
    done = shuangkou("restore", "--set-aside", data=house.data)
    assert done.returncode == 0, done.stderr
    assert "all heads are equal" in done.stdout
    assert now(house) == record


def test_an_installation_is_what_the_tests_think(tmp_path: Path, record: Record) -> None:
    assert now(installation(tmp_path, record, ())) == record
