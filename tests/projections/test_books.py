"""Reading the books: they balance whatever happens, in any order of the tables, with the rulings that correct them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from projections.base import Projector, open_engine
from projections.books import Books, ruling, see_adjustments, unbalanced
from projections.disputes import Disputes
from projections.ledger import Ledger
from schemas.canonical import GENESIS
from schemas.disputes import DisputeRaised, Entry, LedgerAdjusted
from schemas.envelope import Recorded, record
from schemas.events import CoinOptions, Event
from tests.kit import books
from tests.projections.test_crashes import url

__all__ = ["url"]

TIME = "2026-12-02T03:00:00.000Z"


@contextmanager
def ledger_of(records: Sequence[Sequence[Recorded]], url: str = "sqlite://") -> Iterator[Connection]:
    """A ledger that has taken in these records."""
    engine = open_engine(url)
    projector = Projector(engine, Ledger())
    projector.open()
    projector.feed(books.stream_of(*records))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


decimals = st.builds("{}.{}".format, st.integers(0, 2_000), st.integers(0, 99))
rooms = st.builds(CoinOptions, factor=decimals, fee=decimals, correction=st.sampled_from(["1", "0.5", "2"]))
given_points = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([(2, 6), (4, 7), (6, 8), (8, 10)])), max_size=4)
orders = st.sampled_from([(0, 2, 1, 3), (1, 0, 3, 2), (3, 0, 2, 1), (2, 1, 0, 3), (0, 1, 3, 2)])


@st.composite
def climbing_hands(draw: st.DrawFn, table: Any, hand: int) -> list[Event]:
    """A hand with contributions, which ends in one of three ways."""
    gave = [books.contribution(hand, seat, points, stars) for seat, (points, stars) in draw(given_points)]
    match draw(st.sampled_from(["scored", "scored", "abandoned", "voided"])):
        case "scored":
            return [*gave, books.scored(table, hand, gave, draw(orders), draw(st.sampled_from([1, 2, 4, 16])))]
        case ended:
            return [*gave, books.unscored(hand, gave, voided=ended == "voided")]


@st.composite
def trump_hands(draw: st.DrawFn, hand: int) -> list[Event]:
    """A hand of trumps that was settled or left."""
    seat = draw(st.integers(0, 3))
    if draw(st.booleans()):
        return [books.escaped(hand, seat=seat, most=draw(st.sampled_from([-4, -2, 0, 2, 6])))]
    taken, times = draw(st.integers(-4, 50)) * 5, draw(st.sampled_from([0, 2, 4, 8]))
    return [books.settled(hand, declarer=seat, taken=taken, multiplier=times)]


@st.composite
def tables(draw: st.DrawFn, number: int) -> list[Recorded]:
    """The record of a table of any kind, with or without a fee, for points or coins."""
    ruleset = draw(st.sampled_from(["huopin", "qianbian", "ningxia"]))
    table = books.opened(ruleset, fee=draw(decimals), coins=draw(rooms) if ruleset == "qianbian" else None)
    hands = range(1, draw(st.integers(1, 4)) + 1)
    events: list[Event] = [table]
    for hand in hands:
        events += draw(trump_hands(hand) if ruleset == "ningxia" else climbing_hands(table, hand))
    return books.record_of(f"t{number}", *events)


def of_points(rows: Sequence[dict[str, Any]], unit: str = "points") -> Decimal:
    return sum((Decimal(row["balance"]) for row in rows if row["unit"] == unit), Decimal(0))


@settings(max_examples=40)
@given(st.data())
def test_the_books_always_balance_and_statements_run_to_their_balances(data: st.DataObject) -> None:
    records = [data.draw(tables(number)) for number in range(data.draw(st.integers(1, 3)))]
    with ledger_of(records) as connection:
        assert unbalanced(connection) == []
        whole = Books(connection)
        balances = whole.balances()
        assert of_points(balances) == of_points(balances, "coins") == 0
        running: dict[tuple[str, str], Decimal] = {}
        for line in whole.statement():
            key = (line["account"], line["unit"])
            running[key] = running.get(key, Decimal(0)) + Decimal(line["amount"])
            assert Decimal(line["balance"]) == running[key]
        assert running == {(row["account"], row["unit"]): Decimal(row["balance"]) for row in balances}
        after: dict[tuple[str, str], Decimal] = {}
        for line in whole.hands():
            key = (line["account"], line["unit"])
            assert Decimal(line["before"]) == after.get(key, Decimal(0))
            after[key] = Decimal(line["before"]) + Decimal(line["change"])
            assert Decimal(line["after"]) == after[key]
        assert after == running
        for unit in ("points", "coins"):
            assert sum(Decimal(row["amount"]) for row in whole.totals() if row["unit"] == unit) == 0


@settings(max_examples=20)
@given(st.data())
def test_in_which_order_tables_come_changes_nothing(data: st.DataObject) -> None:
    records = [data.draw(tables(number)) for number in range(3)]
    whole = [(each.version, number, each) for number, record in enumerate(records) for each in record]
    mixed = [[each for _, _, each in sorted(whole, key=lambda item: item[:2])]]
    with ledger_of(records) as one, ledger_of(mixed) as other:
        for view in (Books.balances, Books.statement, Books.hands, Books.totals):
            assert view(Books(one)) == view(Books(other))


def test_one_sees_one_player_one_table_or_one_unit() -> None:
    table = books.opened("qianbian", fee="0.5", coins=CoinOptions(factor="500", fee="50"))
    records = [
        books.record_of("t", table, books.scored(table, 1, ())),
        books.record_of("u", books.opened("basic"), books.scored(books.opened("basic"), 1, ())),
    ]
    with ledger_of(records) as connection:
        mine = Books(connection, player="ann")
        assert mine.balances() == [
            {"account": "player:ann", "unit": "points", "balance": "7.5", "entries": 3},
            {"account": "player:ann", "unit": "coins", "balance": 1950, "entries": 2},
        ]
        assert mine.totals() == [
            {"unit": "points", "kind": "base", "amount": 8, "entries": 2},
            {"unit": "points", "kind": "fee", "amount": "-0.5", "entries": 1},
            {"unit": "coins", "kind": "coins", "amount": 2000, "entries": 1},
            {"unit": "coins", "kind": "fee", "amount": -50, "entries": 1},
        ]
        assert {line["unit"] for line in Books(connection, player="ann", unit="coins").statement()} == {"coins"}
        assert Books(connection, player="ann", table="u").balances()[0]["balance"] == 4


def ruled(*entries: Entry) -> list[tuple[int, bytes]]:
    """A dispute that ended with these entries."""
    raised = DisputeRaised(
        table="t",
        hand=1,
        event=None,
        claim="the last trick",
        player="bob",
        players=books.PLAYERS,
        respond_by="2026-12-09T03:00:00.000Z",
    )
    adjusted = LedgerAdjusted(dispute="d-1", table="t", hand=1, entries=entries, reason="ann showed a card")
    first = record("d-1", 1, GENESIS, TIME, "c1", raised)
    return [(1, first.line), (2, record("d-1", 2, first.hash, TIME, "c2", adjusted).line)]


ENTRIES = (
    Entry(account="player:ann", amount="-2.5"),
    Entry(account="player:bob", amount="2.5"),
    Entry(account="player:cat", amount="-100", unit="coins"),
    Entry(account="player:dan", amount="100", unit="coins"),
)


def test_rulings_are_part_of_the_books(url: str, tmp_path: Path) -> None:
    """On SQLite the dispute desk has a file of its own, on PostgreSQL both are in one database."""
    desk_url = f"sqlite:///{tmp_path}/disputes.sqlite" if url.startswith("sqlite") else url
    table = books.opened("basic")
    with ledger_of([books.record_of("t", table, books.scored(table, 1, ()))], url) as connection:
        assert see_adjustments(connection, desk_url) is False
        connection.rollback()
        desk = Projector(open_engine(desk_url), Disputes(), "disputes")
        desk.open()
        desk.feed(ruled(*ENTRIES))
        desk.engine.dispose()
        assert see_adjustments(connection, desk_url) is True
        last = Books(connection, player="ann", adjusted=True).statement()[-1]
        assert (last["kind"], last["event"], last["amount"], last["balance"]) == (
            "ruling",
            "dispute:d-1:2",
            "-2.5",
            "1.5",
        )
        assert (last["table"], last["hand"], last["n"]) == ("t", 1, 2)
        hand, correction = Books(connection, player="ann", adjusted=True).hands()
        assert (hand["after"], correction["before"], correction["change"], correction["after"]) == (4, 4, "-2.5", "1.5")
        balances = Books(connection, table="t", adjusted=True).balances()
        assert of_points(balances) == of_points(balances, "coins") == 0
        assert [line["account"] for line in ruling(connection, "d-1", 2)] == [each.account for each in ENTRIES]
        assert ruling(connection, "d-1", 1) == []


@pytest.mark.parametrize("limit", [1, 3])
def test_a_page_keeps_the_running_balance(limit: int) -> None:
    table = books.opened("basic", fee="1")
    events = [books.scored(table, hand, ()) for hand in range(1, 4)]
    with ledger_of([books.record_of("t", table, *events)]) as connection:
        whole = Books(connection, player="bob").statement()
        assert [line["balance"] for line in whole] == [-4, -5, -9, -10, -14, -15]
        assert Books(connection, player="bob").statement(before=5, limit=limit) == whole[4 - limit : 4]
