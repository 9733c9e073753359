"""What must stop a projection, whichever events it wants; and setting up, which several processes may do at once."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import MetaData, select

from projections.base import Overtaken, ProjectionFault, Projector, open_engine, watermarks
from projections.runner import NAMES, make
from schemas.envelope import read_line, record
from schemas.events import HandScored, Passed
from tests.kit.feeding import history
from tests.kit.matches import interleaved
from tests.kit.projection_case import table_of
from tests.projections.test_crashes import rows, url

__all__ = ["url"]


Start = Callable[[str, str], Projector]


@pytest.fixture
def started() -> Iterator[Start]:
    """Starts a projection on a database as a new process would."""
    engines = []

    def start(url: str, name: str) -> Projector:
        engines.append(open_engine(url))
        projector = Projector(engines[-1], make(name, history))
        projector.open()
        return projector

    yield start
    for engine in engines:
        engine.dispose()


def first(kind: type[Any]) -> int:
    """The sequence of the first event of a kind."""
    return next(sequence for sequence, line in interleaved() if isinstance(read_line(line).event, kind))


def forged(line: bytes, prev: str) -> bytes:
    old = read_line(line)
    return record(old.table, old.version, prev, old.time, old.command, old.event).line


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [HandScored, Passed])
def test_an_event_that_does_not_chain_stops_every_projection(
    started: Start, name: str, kind: type[Any], tmp_path: Path
) -> None:
    """Also the ledger, of which most events are none of its business: a score slipped into the stream must not be posted."""
    projector, stream, at = started(f"sqlite:///{tmp_path}/view.sqlite", name), interleaved(), first(kind)
    projector.feed(stream[: at - 1])
    before = rows(projector.engine, name)
    recorded = read_line(stream[at - 1][1])
    with pytest.raises(ProjectionFault, match=f"event {recorded.table}:{recorded.version} does not chain"):
        projector.feed([(at, forged(recorded.line, "f" * 64))])
    assert rows(projector.engine, name) == before
    assert projector.feed(stream) == len(stream)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_event_of_a_table_stops_every_projection(started: Start, name: str, tmp_path: Path) -> None:
    """The stream numbers are without a gap, the table's are not: an event was taken out and the rest numbered anew."""
    projector = started(f"sqlite:///{tmp_path}/view.sqlite", name)
    lines = [line for _, line in interleaved()]
    gone = read_line(lines.pop(first(Passed) - 1))
    with pytest.raises(ProjectionFault, match=f"event {gone.table}:{gone.version + 1} does not chain"):
        projector.feed(list(enumerate(lines, start=1)))
    assert projector.open() == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "line",
    [
        b"not JSON",
        b"{}",
        b"[]",
        interleaved()[0][1].replace(b"table-opened.v2", b"table-opened.v9"),
        interleaved()[0][1].replace(b"table-opened.v2", b"points-conjured.v1"),
    ],
)
def test_what_cannot_be_read_stops_every_projection(started: Start, name: str, line: bytes, tmp_path: Path) -> None:
    """An event of a newer release too: what it would have posted cannot be known."""
    projector = started(f"sqlite:///{tmp_path}/view.sqlite", name)
    with pytest.raises(ProjectionFault, match=f"{name}: event 1 of the stream .* cannot be read"):
        projector.feed([(1, line)])
    assert projector.open() == 0


@pytest.mark.parametrize("names", [NAMES, ("audit", "audit"), ("ledger", "ledger")])
def test_processes_that_start_at_once_set_up_the_same_database(started: Start, url: str, names: Sequence[str]) -> None:
    barrier = Barrier(len(names))

    def start(name: str) -> int:
        barrier.wait()
        return started(url, name).watermark

    with ThreadPoolExecutor(len(names)) as crew:
        assert list(crew.map(start, names)) == [0] * len(names)
    for name in names:
        started(url, name).feed(interleaved()[:50])


@pytest.mark.parametrize("name", NAMES)
def test_killed_within_a_rebuild_nothing_has_happened(
    started: Start, url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the watermark would stand over an empty view for ever."""
    projector = started(url, name)
    projector.feed(interleaved()[:200])
    before = rows(projector.engine, name)
    create_all = MetaData.create_all

    def killed(metadata: MetaData, *args: Any, **options: Any) -> None:
        create_all(metadata, *args, **options)
        if metadata is projector.projection.metadata:
            raise KeyboardInterrupt

    monkeypatch.setattr(MetaData, "create_all", killed)
    with pytest.raises(KeyboardInterrupt):
        projector.rebuild()
    monkeypatch.undo()
    again = started(url, name)
    assert (again.watermark, rows(again.engine, name)) == (200, before)


def test_a_process_of_another_version_is_overtaken_even_at_the_same_watermark(started: Start, tmp_path: Path) -> None:
    older = started(f"sqlite:///{tmp_path}/view.sqlite", "audit")
    older.feed(interleaved()[:100])
    newer = Projector(older.engine, make("audit", history))
    newer.projection.version = older.projection.version + 1
    newer.open()
    newer.feed(interleaved()[:100])
    with pytest.raises(Overtaken):
        older.feed(interleaved()[:120])
    with older.engine.connect() as connection:
        assert connection.execute(select(watermarks.c.sequence)).scalar_one() == 100


@pytest.mark.parametrize("name", NAMES)
def test_the_event_at_the_watermark_tells_another_stream(started: Start, name: str, tmp_path: Path) -> None:
    """After a restore the numbers belong to other events; a watermark means nothing there."""
    projector, stream = started(f"sqlite:///{tmp_path}/view.sqlite", name), interleaved()
    projector.feed(stream[:200])
    assert projector.ends_with(stream[199][1])
    others = [line for _, line in stream if table_of(line) != table_of(stream[199][1])]
    assert not projector.ends_with(others[0])
    assert not projector.ends_with(b"not JSON")
    started(f"sqlite:///{tmp_path}/view.sqlite", name).feed(stream[:300])
    assert projector.ends_with(others[0]), "another process has gone on: it is its business now"
