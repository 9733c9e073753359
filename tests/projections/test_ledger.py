"""The ledger: double entry, every number from one event, every hand what its ruleset says."""

from collections import Counter
from pathlib import Path

import pytest

from projections.base import ProjectionFault, Projector, open_engine
from projections.books import Books, earlier, unbalanced
from projections.ledger import Ledger
from schemas.envelope import read_line, record
from schemas.events import HandScored
from tests.kit.matches import interleaved
from tests.kit.projection_case import OnPostgres, OnSqlite, table_of


class TestOnSqlite(OnSqlite):
    name = "ledger"


class TestOnPostgres(OnPostgres):
    name = "ledger"


def projector(path: Path) -> Projector:
    made = Projector(open_engine(f"sqlite:///{path}/ledger.sqlite"), Ledger())
    made.open()
    return made


def test_balances_are_the_sums_of_the_scores(tmp_path: Path) -> None:
    ledger, stream = projector(tmp_path), interleaved()
    ledger.feed(stream)
    scores: Counter[str] = Counter()
    for _, line in stream:
        event = read_line(line).event
        if isinstance(event, HandScored):
            for player, score in zip(event.players, event.score, strict=True):
                scores[f"player:{player}"] += score
    with ledger.engine.connect() as connection:
        got = {row["account"]: row["balance"] for row in Books(connection).balances()}
        assert {account: amount for account, amount in got.items() if account.startswith("player:")} == dict(scores)
        assert sum(got.values()) == 0
        assert unbalanced(connection) == []


def test_a_statement_runs_to_the_balance_and_names_its_events(tmp_path: Path) -> None:
    ledger = projector(tmp_path)
    ledger.feed(interleaved())
    with ledger.engine.connect() as connection:
        books = Books(connection, player="east")
        (balance,) = books.balances()
        lines = books.statement()
        assert lines[-1]["balance"] == balance["balance"] == sum(line["amount"] for line in lines)
        assert [line["n"] for line in lines] == list(range(1, balance["entries"] + 1))
        table = lines[0]["table"]
        assert {line["table"] for line in Books(connection, table=table).statement()} == {table}
        assert lines[0]["event"].startswith(f"{table}:")


def test_a_statement_by_pages_is_the_whole_statement(tmp_path: Path) -> None:
    ledger = projector(tmp_path)
    ledger.feed(interleaved())
    with ledger.engine.connect() as connection:
        for view in (Books(connection, player="west").statement, Books(connection).hands):
            whole = view()
            pages, before = list[dict[str, object]](), None
            while page := view(before=before, limit=7):
                pages = page + pages
                before = earlier(page)
                if before is None:
                    break
            assert pages == whole


def test_hands_run_from_balance_to_balance(tmp_path: Path) -> None:
    ledger = projector(tmp_path)
    ledger.feed(interleaved())
    with ledger.engine.connect() as connection:
        books = Books(connection, player="east")
        hands, lines = books.hands(), books.statement()
        assert [hand["before"] for hand in hands] == [0, *(hand["after"] for hand in hands[:-1])]
        assert all(hand["after"] == hand["before"] + hand["change"] for hand in hands)
        assert hands[-1]["after"] == lines[-1]["balance"]
        assert sum(hand["entries"] for hand in hands) == len(lines)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"score": (1, 1, 1, 1)}, r"the scores add up to 4, basic says 0 \[C6.1\]"),
        ({"base": (1, -1, 1, -1)}, r"the base points are .*, basic says .* \[C6.1\]"),
        ({"contribution": (6, -2, -2, -2)}, r"counts contributions .* the events before it gave .* \[C6.3\]"),
        ({"score": (9, -9, 9, -9)}, r"the score of seat 0 is not base x multiplier \+ contribution \[C6.5\]"),
        ({"coins": ("1", "-1", "1", "-1")}, r"the table does not play for them \[C6.6\]"),
    ],
)
def test_a_hand_that_is_not_what_its_ruleset_says_is_not_posted(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    ledger = projector(tmp_path)
    lines = [line for _, line in interleaved() if table_of(line) == table_of(interleaved()[0][1])]
    at = next(index for index, line in enumerate(lines) if isinstance(read_line(line).event, HandScored))
    ledger.feed(list(enumerate(lines[:at], start=1)))
    scored = read_line(lines[at])
    assert isinstance(scored.event, HandScored)
    forged = scored.event.model_copy(update=change)
    line = record(scored.table, scored.version, scored.prev, scored.time, scored.command, forged).line
    with pytest.raises(ProjectionFault, match=words):
        ledger.feed([(at + 1, line)])
    with ledger.engine.connect() as connection:
        assert not [entry for entry in Books(connection).statement() if entry["kind"] == "base"]
