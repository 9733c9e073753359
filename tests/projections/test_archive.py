"""The archive: a match file of every closed table, parts of open ones at hand ends, the same bytes whenever they are made."""

from pathlib import Path

import pytest

from domain.simulate import simulate
from domain.verify import verify_file
from projections.archive import Archive, Filed, VaultAway, digest_in, files_of, lines_in
from projections.base import Projector, open_engine
from schemas.canonical import digest
from schemas.commands import Leave, StartHand
from schemas.envelope import read_line
from schemas.events import SeedRevealed, TableClosed
from schemas.matchfile import match_file
from services.vaults import Folder
from tests.kit.matches import interleaved
from tests.kit.projection_case import OnPostgres, OnSqlite, table_of
from tests.kit.records import carried, opening


class TestOnSqlite(OnSqlite):
    name = "archive"


class TestOnPostgres(OnPostgres):
    name = "archive"


def projector(path: Path) -> tuple[Projector, Folder]:
    vault = Folder(path / "archive")
    made = Projector(open_engine(f"sqlite:///{path}/archive.sqlite"), Archive(vault))
    made.open()
    return made, vault


def filed(made: Projector) -> list[Filed]:
    with made.engine.connect() as connection:
        return files_of(connection)


def kept(vault: Folder) -> dict[str, bytes]:
    return {name: vault.get(name) or b"" for name in vault.names()}


def test_a_closed_match_is_kept_as_its_match_file(tmp_path: Path) -> None:
    made, vault = projector(tmp_path)
    made.feed(interleaved())
    matches = [each for each in filed(made) if each.kind == "match"]
    assert {each.table for each in matches} == {table_of(line) for _, line in interleaved()}
    for each in matches:
        lines = [line for _, line in interleaved() if table_of(line) == each.table]
        data = vault.get(each.name)
        assert data == match_file(lines)
        assert verify_file(data).clean
        assert (each.first, each.last, each.head, each.size) == (1, len(lines), digest(lines[-1]), len(data))


def test_an_open_table_is_kept_hand_by_hand(tmp_path: Path) -> None:
    """A lost stream takes no more than the hand that is being played."""
    made, vault = projector(tmp_path)
    lines = [each.line for each in simulate("basic", 3, "parts")]
    ends = [n for n, line in enumerate(lines, 1) if isinstance(read_line(line).event, SeedRevealed)]
    made.feed(list(enumerate(lines[: ends[1] + 5], start=1)))
    parts = filed(made)
    assert [(each.kind, each.first, each.last) for each in parts] == [
        ("part", 1, ends[0]),
        ("part", ends[0] + 1, ends[1]),
    ]
    assert b"".join(b"%b\n" % line for line in lines[: ends[1]]) == b"".join(kept(vault)[each.name] for each in parts)
    assert [lines_in(kept(vault)[each.name])[-1] for each in parts] == [lines[ends[0] - 1], lines[ends[1] - 1]]


def test_the_files_are_the_same_however_they_were_made(tmp_path: Path) -> None:
    """At once or event by event, over restarts, and again in a rebuild: a file follows from events only."""
    lines = list(enumerate((each.line for each in simulate("ningxia", 2, "same")), start=1))
    first, one = projector(tmp_path / "one")
    first.feed(lines)
    for start in range(0, len(lines), 3):
        again, other = projector(tmp_path / "other")
        again.feed(lines[start : start + 3])
    assert kept(one) == kept(other)
    assert filed(first) == filed(again)
    assert all(digest(data) == digest_in(name) for name, data in kept(one).items())
    again.rebuild()
    again.feed(lines)
    assert (kept(one), filed(first)) == (kept(other), filed(again))


def test_who_leaves_ends_the_part_too(tmp_path: Path) -> None:
    """Leaving ends the hand and then frees the seat: the part that follows holds the end of that command."""
    made, _ = projector(tmp_path)
    lines = [each.line for each in carried("t-left", [*opening(), StartHand(), Leave(2)])]
    made.feed(list(enumerate(lines, start=1)))
    assert [(each.first, each.last) for each in filed(made)] == [(1, len(lines) - 1), (len(lines), len(lines))]


def test_a_file_is_on_disk_before_the_index_says_so(tmp_path: Path) -> None:
    made, vault = projector(tmp_path)
    vault.path.write_text("a file where the folder should be")
    with pytest.raises(VaultAway):
        made.feed(interleaved())
    assert (filed(made), made.open()) == ([], 0)
    vault.path.unlink()
    made.feed(interleaved())
    assert {each.name for each in filed(made)} == set(vault.names())


def test_nothing_is_waiting_for_closed_tables(tmp_path: Path) -> None:
    made, _ = projector(tmp_path)
    made.feed(interleaved())
    assert all(isinstance(read_line(line).event, TableClosed) for _, line in interleaved()[-1:])
    with made.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM archive_lines").scalar() == 0


def test_a_player_may_be_called_like_a_header() -> None:
    line = b'{"data":{"player":"x\\"type\\":\\"shuangkou.match-header.v1"},"version":7}'
    assert lines_in(line + b"\n") == (line,)
