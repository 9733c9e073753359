"""`verify --all`: whatever is changed in one copy is found, and named by place, table and first event."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.verify import Known
from ops.drills.storage import Cut, Record, blocks, damage, served
from projections.archive import Filed, files_of
from projections.base import open_engine
from projections.ledger import Ledger
from schemas.events import CoinOptions
from services.recovery.comparing import Copies, Disagreement, Job
from services.recovery.reconciling import reconcile
from services.recovery.views import Mark, mark_of
from services.settings import Settings
from services.store import announce
from services.vaults import open_vault
from tests.kit import books
from tests.kit.house import shuangkou


def found(house: Settings) -> list[Disagreement]:
    with served(house) as running:
        return reconcile(running).disagreements


def places(disagreements: list[Disagreement]) -> set[tuple[str, str | None, int | None]]:
    return {(each.place, each.table, each.version) for each in disagreements}


def view(house: Settings, name: str, statement: str, *values: object) -> None:
    """Change a view behind everybody's back."""
    with sqlite3.connect(house.data / "views" / f"{name}.sqlite") as connection:
        assert connection.execute(statement, values).rowcount > 0


def files(house: Settings, table: str) -> list[Filed]:
    with open_engine(house.database("archive")).connect() as connection:
        return files_of(connection, table)


def test_copies_that_agree_are_clean(house: Settings, record: Record) -> None:
    with served(house) as running:
        result = reconcile(running)
    assert result.clean
    assert result.notes == []
    assert result.compared == ("archive", "audit", "ledger")
    assert [(each.table, each.report.events) for each in result.findings] == sorted(
        (t, len(r)) for t, r in record.items()
    )


def test_an_event_lost_in_the_middle_is_named(house: Settings, record: Record) -> None:
    """NATS passes over what it cannot read, without a word."""
    path = blocks(house)[0]
    line = next(iter(record.values()))[20]
    damage(house, Cut("flip", path.name, path.read_bytes().index(line) + 5, 3, killed=False))
    assert places(found(house)) == {("stream", next(iter(record)), 21)}


def test_a_stream_cut_short_is_named_at_every_table(house: Settings, record: Record) -> None:
    path = blocks(house)[0]
    damage(house, Cut("cut", path.name, path.stat().st_size // 3, 0, killed=False))
    disagreements = found(house)
    assert {(each.place, each.table) for each in disagreements if each.table} == {("stream", table) for table in record}
    assert all(each.version and "missing" in each.en for each in disagreements if each.place == "stream" and each.table)


def test_a_stream_that_is_gone_is_named_table_by_table(house: Settings, record: Record) -> None:
    for file in blocks(house)[0].parent.iterdir():
        file.unlink()
    assert {("stream", table, 1) for table in record} <= places(found(house))


def test_a_view_that_is_behind_is_said(house: Settings, record: Record) -> None:
    """An archive that could never be written to must not pass for one that agrees."""
    view(house, "archive", "DELETE FROM archive_files")
    view(house, "archive", "DELETE FROM archive_lines")
    view(house, "archive", "UPDATE watermarks SET sequence = 0")
    with served(house) as running:
        result = reconcile(running)
    assert result.clean
    events = sum(map(len, record.values()))
    assert [note for note in result.notes if f"archive: the view has seen 0 of {events:,} events" in note]


@pytest.mark.parametrize(
    ("harm", "version"),
    [
        (lambda path: path.unlink(), 1),
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), 1),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"east", b"wast", 1)), 1),
    ],
    ids=["deleted", "truncated", "changed"],
)
def test_a_file_of_the_archive_is_named(
    house: Settings, record: Record, harm: Callable[[Path], object], version: int
) -> None:
    table = next(iter(record))
    harm(house.data / "archive" / files(house, table)[-1].name)
    assert places(found(house)) == {("archive", table, version)}


def test_a_file_that_the_index_forgot_is_named(house: Settings, record: Record) -> None:
    table = list(record)[-1]
    last = files(house, table)[-1].last
    view(house, "archive", "DELETE FROM archive_files WHERE table_id = ? AND last = ?", table, last)
    assert places(found(house)) == {("archive", table, last)}


def test_a_line_changed_in_the_audit_timeline_is_named(house: Settings, record: Record) -> None:
    table = next(iter(record))
    view(
        house,
        "audit",
        "UPDATE audit_events SET line = replace(line, 'e', 'f') WHERE table_id = ? AND version = 9",
        table,
    )
    assert places(found(house)) == {("audit", table, 9)}


def test_an_event_taken_out_of_the_audit_timeline_is_named(house: Settings, record: Record) -> None:
    table = next(iter(record))
    view(house, "audit", "DELETE FROM audit_events WHERE table_id = ? AND version = 9", table)
    assert places(found(house)) == {("audit", table, 9)}


def test_books_that_were_changed_are_named(house: Settings) -> None:
    with sqlite3.connect(house.data / "views" / "ledger.sqlite") as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        table, version = connection.execute("SELECT table_id, version FROM ledger_entries WHERE amount > 0").fetchone()
        connection.execute(
            "UPDATE ledger_entries SET amount = amount * 2 WHERE table_id = ? AND version = ?", (table, version)
        )
    assert places(found(house)) == {("ledger", table, version)}


def test_a_ledger_that_does_not_go_on_is_at_fault(
    house: Settings, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it holds may be right as far as it goes; what is missing is money. In a house that is stopped it is said and no fault."""
    monkeypatch.setattr("services.recovery.reconciling.STILL", 0.3)
    view(house, "ledger", "UPDATE watermarks SET sequence = 0")
    with served(house) as running:
        result, stopped = reconcile(running, running=True), reconcile(running)
    assert stopped.clean
    assert [note.partition(":")[0] for note in result.notes] == ["ledger"]
    (fault,) = result.disagreements
    events = sum(map(len, record.values()))
    assert (fault.place, fault.table) == ("ledger", None)
    assert f"The ledger has seen 0 of {events:,} events and does not go on" in fault.en


def test_a_ledger_that_is_a_moment_behind_is_waited_for(
    house: Settings, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is compared when it has caught up, as often as it takes."""
    events = sum(map(len, record.values()))
    ways = iter([30, events - 1])
    seen = mark_of

    def moving(settings: Settings, name: str) -> Mark | None:
        at = next(ways, None) if name == "ledger" else None
        return seen(settings, name) if at is None else Mark(at, at)

    monkeypatch.setattr("services.recovery.reconciling.mark_of", moving)
    with served(house) as running:
        result = reconcile(running, running=True)
    assert (result.clean, result.notes) == (True, [])


def test_an_event_that_the_books_cannot_hold_is_named_before_they_come_to_it(tmp_path: Path) -> None:
    """By the record of a room that would not be opened any more, at which the ledger has stopped."""
    table = books.opened("qianbian", coins=CoinOptions(factor="999999999", correction="999999999"))
    given = books.contribution(1, 0, 2, 6)
    record = books.record_of("t", table, given, books.scored(table, 1, [given]))
    job = Job("t", {each.version: (each.version, each.line) for each in record})
    engine = open_engine("sqlite://")
    Ledger.metadata.create_all(engine)
    with engine.connect() as connection:
        copies = Copies(open_vault(str(tmp_path)), {"ledger": Mark(0, 0)}, ledger=connection)
        found = list(copies._ledger(job))
    assert [(each.place, each.table) for each in found] == [("ledger", "t")]
    assert "event t:3" in found[0].en


def test_what_a_witness_knows_must_be_there(house: Settings) -> None:
    with served(house) as running:
        result = reconcile(running, {"t-gone": [Known(7, "0" * 64, "Checkpoint 3")]})
    assert places(result.disagreements) == {("record", "t-gone", 1)}
    assert "Checkpoint 3" in result.disagreements[0].en


def test_views_that_are_not_there_are_said_and_not_at_fault(house: Settings) -> None:
    for name in ("audit", "ledger"):
        (house.data / "views" / f"{name}.sqlite").unlink()
    with served(house) as running:
        result = reconcile(running)
    assert result.clean
    assert result.compared == ("archive",)
    assert [note.partition(":")[0] for note in result.notes] == ["audit", "ledger"]


def test_the_command_line_says_what_is_wrong_and_fails(house: Settings, record: Record) -> None:
    """It starts the server of the data folder itself where `up` does not run."""
    table = next(iter(record))
    clean = shuangkou("verify", "--all", data=house.data)
    assert (clean.returncode, "没有问题 no fault" in clean.stdout) == (0, True), clean.stderr
    (house.data / "archive" / files(house, table)[-1].name).unlink()
    done = shuangkou("verify", "--all", data=house.data)
    assert done.returncode == 1
    assert f"{table}:1" in done.stdout
    assert "is gone" in done.stdout


def test_an_installation_without_its_store_is_told_what_it_lost(house: Settings, record: Record) -> None:
    """Also when nothing is left of the folder: the address that `up` left there says that there was a store."""
    shutil.rmtree(house.data / "nats")
    announce(house.data, "nats://127.0.0.1:1", "http://127.0.0.1:1")
    done = shuangkou("verify", "--all", data=house.data)
    assert done.returncode == 1
    assert all(f"{table}:1" in done.stdout for table in record)
    assert "shuangkou restore" in done.stdout
