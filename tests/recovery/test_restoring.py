"""`restore`: the stream comes back from its copies, byte for byte, and nothing is overwritten on the way."""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from domain.simulate import simulate
from ops.drills.storage import Cut, Record, blocks, damage, installation, project, read, served, write
from projections.archive import files_of, name_of
from projections.base import ProjectionFault, open_engine
from schemas.canonical import digest
from schemas.envelope import read_line
from schemas.envelope import record as recorded_as
from schemas.events import HandScored, PlayerSeated
from services.accesslog import AccessLog
from services.auth import Caller
from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from services.project import run_projection
from services.recovery.carrying_out import CannotRestore, Outcome, Wish, restore
from services.recovery.local import StillRunning, alone
from services.recovery.reconciling import reconcile
from services.settings import Settings
from services.store import beside, connect
from services.vaults import Folder, open_vault
from tests.kit.house import ROOT, shuangkou
from tests.kit.nats import own_nats_server
from tests.kit.s3 import BUCKET, S3Server, s3_server

__all__ = ["own_nats_server", "s3_server"]
T = TypeVar("T")


def lose_stream(house: Settings) -> None:
    shutil.rmtree(house.data / "nats")


def lose_views(house: Settings, *names: str) -> None:
    for name in names:
        for file in (house.data / "views").glob(f"{name}.sqlite*"):
            file.unlink()


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
    lines = [each.line for each in simulate("basic", 1, "forged")]
    at = next(n for n, line in enumerate(lines) if isinstance(read_line(line).event, HandScored))
    forged, prev = lines[:at], read_line(lines[at]).prev
    for line in lines[at:]:
        old = read_line(line)
        event = old.event
        if isinstance(event, HandScored):
            event = event.model_copy(update={"multiplier": event.multiplier + 1})
        forged.append(recorded_as(old.table, old.version, prev, old.time, old.command, event).line)
        prev = digest(forged[-1])
    vault = Folder(tmp_path / "archive")
    data = b"".join(line + b"\n" for line in forged)
    vault.put(name_of(digest(data)), data)
    house = Settings(data=tmp_path)
    with pytest.raises(CannotRestore, match=r"differs: hand-scored\.multiplier.*\n.*--with-faults"):
        restore(house, Wish())
    restore(house, Wish(with_faults=True))
    assert list(now(house).values()) == [forged]


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
