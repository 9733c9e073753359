"""The lists of disputes and of looks keep what every projection must keep, on both databases; and what they say is what was recorded."""

from functools import cache
from pathlib import Path

import pytest

from domain.dispute import Dispute, HandFacts, TableFacts, decide, evolve, later
from domain.table import Given
from projections.access import accesses
from projections.base import Batch, ProjectionFault, Projector, open_engine
from projections.disputes import adjustment_entries, list_disputes
from projections.runner import make, source_of
from schemas.canonical import GENESIS
from schemas.desk import Assign, Attach, DeskCommand, Raise, Rule, Withdraw
from schemas.disputes import AccessLogged, Entry, LedgerAdjusted
from schemas.envelope import Recorded, record
from tests.kit.projection_case import OnPostgres, OnSqlite

NOW = "2026-12-02T12:00:00.000Z"
FACTS = TableFacts("t-1", 60, 60, "ab" * 32, NOW, ("ann", "bob"), {1: HandFacts(6, 40, NOW)}, (NOW,) * 60)
COMMANDS: tuple[DeskCommand, ...] = (
    Raise("ann", "t-1", "不对。 Wrong.", hand=1),
    Attach("bob", "player", text="No."),
    Attach("ann", "player", name="a.png", content=b"\x00"),
    Assign("eve", "operator", later(NOW, 3)),
    Rule("eve", "adjusted", "A slip.", amounts=(("ann", "7.5"), ("bob", "-7.5"))),
)
CASES = 120


def case(number: int) -> list[Recorded]:
    """The record of one case: every third is withdrawn, every other third still open."""
    commands = COMMANDS if number % 3 == 0 else (*COMMANDS[:4], Withdraw("ann")) if number % 3 == 1 else COMMANDS[:4]
    dispute: Dispute | None = None
    recorded: list[Recorded] = []
    for command in commands:
        events = decide(dispute, f"d-{number:03}", command, FACTS, Given(NOW, f"key-{number}.caller.request"))
        for event in events:
            dispute = evolve(dispute, event)
        recorded += events
    return recorded


@cache
def disputes() -> Batch:
    """The stream of many cases, one event of each after the other."""
    cases = [case(number) for number in range(CASES)]
    rounds = [each[turn] for turn in range(6) for each in cases if turn < len(each)]
    return tuple((sequence, each.line) for sequence, each in enumerate(rounds, 1))


@cache
def looks() -> Batch:
    """The stream of looks at seven tables."""
    heads = {f"t-{n}": (0, GENESIS) for n in range(7)}
    lines = []
    for number in range(700):
        table = f"t-{number * number % 7}"
        version, prev = heads[table]
        look = AccessLogged(
            table=table,
            what="view",
            viewer="auditor",
            until=number,
            dispute=None,
            role="auditor",
            name=f"a{number % 3}",
        )
        entry = record(table, version + 1, prev, later(NOW, number), f"look-{number}.caller", look)
        heads[table] = (entry.version, entry.hash)
        lines.append((number + 1, entry.line))
    return tuple(lines)


class TestDisputesOnSqlite(OnSqlite):
    name = "disputes"

    @pytest.fixture
    def stream(self) -> Batch:
        return disputes()


class TestDisputesOnPostgres(OnPostgres):
    name = "disputes"

    @pytest.fixture
    def stream(self) -> Batch:
        return disputes()


class TestAccessOnSqlite(OnSqlite):
    name = "access"

    @pytest.fixture
    def stream(self) -> Batch:
        return looks()


class TestAccessOnPostgres(OnPostgres):
    name = "access"

    @pytest.fixture
    def stream(self) -> Batch:
        return looks()


def projector(path: Path, name: str, stream: Batch) -> Projector:
    made = Projector(open_engine(f"sqlite:///{path}/{name}.sqlite"), make(name, lambda _: ()), source_of(name))
    made.open()
    made.feed(stream)
    return made


def test_lists_hold_what_was_asked_for_the_nearest_date_first(tmp_path: Path) -> None:
    made = projector(tmp_path, "disputes", disputes())
    with made.engine.connect() as connection:
        every = list_disputes(connection, NOW, limit=1000)
        assert len(every) == CASES
        waiting = list_disputes(connection, NOW, status="open")
        assert {row["status"] for row in waiting} == {"assigned"}
        assert every[: len(waiting)] == waiting
        ruled = list_disputes(connection, NOW, status="ruled")
        assert {(row["outcome"], row["reason"], row["adjudicator"]) for row in ruled} == {
            ("adjusted", "A slip.", "eve")
        }
        assert {row["evidence"] for row in every} == {2}
        assert len(list_disputes(connection, NOW, status="withdrawn")) == len(ruled) == CASES // 3
        assert list_disputes(connection, NOW, status="overdue") == []
        late = list_disputes(connection, later(NOW, 4), status="overdue")
        assert [row["dispute"] for row in late] == [row["dispute"] for row in waiting]
        assert list_disputes(connection, NOW, table="t-2") == []


def test_an_event_of_a_table_stops_the_lists(tmp_path: Path) -> None:
    made = projector(tmp_path, "disputes", disputes())
    last = len(disputes())
    with pytest.raises(ProjectionFault, match="source"):
        made.feed([(last + 1, looks()[0][1])])
    assert made.watermark == last


def test_entries_that_do_not_add_up_are_not_posted() -> None:
    event = LedgerAdjusted(
        dispute="d-1",
        table="t-1",
        hand=1,
        reason="x",
        entries=(Entry(account="player:ann", amount="1"), Entry(account="player:bob", amount="-1", unit="coins")),
    )
    with pytest.raises(ProjectionFault, match="add up to zero"):
        adjustment_entries(record("d-1", 4, GENESIS, NOW, "k.c.r", event))


def test_looks_are_found_by_who_where_and_when(tmp_path: Path) -> None:
    made = projector(tmp_path, "access", looks())
    with made.engine.connect() as connection:
        found = accesses(connection, name="a1", table="t-2", limit=1000)
        assert found
        assert {(look["name"], look["table"]) for look in found} == {("a1", "t-2")}
        assert [look["time"] for look in found] == sorted((look["time"] for look in found), reverse=True)
        between = accesses(connection, since=later(NOW, 10), until=later(NOW, 12), limit=1000)
        assert [look["until"] for look in between] == [12, 11, 10]
        assert len(accesses(connection, limit=5)) == 5
        assert accesses(connection, dispute="d-1") == []
