"""The books over HTTP: statements in pages and by hand, entries traced to their events, and who may see them."""

from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from projections.base import Projector, open_engine
from projections.disputes import Disputes
from schemas.envelope import read_line
from tests.projections.test_books import ENTRIES, ruled
from tests.services.kit import AtTable
from tests.services.test_views import project


@pytest.fixture
async def played(table: AtTable) -> AtTable:
    """A table with a hand that was scored and is in the ledger."""
    await table.play_out()
    await project(table)
    return table


async def asked(at: AtTable, path: str, who: dict[str, str], **params: Any) -> Any:
    answer = await at.service.client.get(path, headers=who, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_statement_says_how_it_comes_to_its_balance(played: AtTable) -> None:
    found = await asked(played, "/players/bob/ledger", played.headers["bob"])
    assert set(found) == {"player", "balances", "totals", "entries", "next", "view"}
    assert set(found["entries"][0]) == {
        *("n", "account", "unit", "amount", "balance", "kind", "table", "hand", "event", "time"),
    }
    assert found["entries"][-1]["balance"] == found["balances"][0]["balance"]
    assert all(type(entry["amount"]) is int for entry in found["entries"])
    assert sum(total["amount"] for total in found["totals"]) == found["balances"][0]["balance"]
    assert found["next"] is None


async def test_hands_and_pages(played: AtTable) -> None:
    (hand,) = (await asked(played, "/players/bob/ledger", played.headers["bob"], by="hand"))["hands"]
    assert (hand["before"], hand["before"] + hand["change"], hand["hand"]) == (0, hand["after"], 1)
    whole = (await asked(played, "/ledger", played.service.operator, table=played.id))["entries"]
    page = await asked(played, "/ledger", played.service.operator, table=played.id, limit=3)
    assert page["entries"] == whole[-3:]
    before = await asked(played, "/ledger", played.service.operator, table=played.id, limit=3, before=page["next"])
    assert before["entries"] == whole[-6:-3]


async def test_a_ledger_says_how_far_it_is_and_when_it_does_not_go_on(played: AtTable) -> None:
    rooms = played.service.parts.rooms
    whole = await rooms.store.last_sequence()
    everywhere = [("/players/bob/ledger", played.headers["bob"]), ("/ledger", played.service.operator)]
    for path, who in everywhere:
        view = (await asked(played, path, who))["view"]
        assert view == {"upto": whole, "of": whole, "behind_since": None, "stale": False}
    await played.post("hands", "operator")
    (first,) = await rooms.store.fetch(rooms.store.layout.events, whole + 1, 1)
    since = read_line(first.data).time
    behind = {"upto": whole, "of": await rooms.store.last_sequence(), "behind_since": since}
    for path, who in everywhere:
        for late, stale in ((5, False), (6, True)):
            rooms.clock = partial(later, since, late)
            assert (await asked(played, path, who))["view"] == {**behind, "stale": stale}


def later(time: str, seconds: int) -> str:
    moved = datetime.fromisoformat(time) + timedelta(seconds=seconds)
    return f"{moved.isoformat(timespec='milliseconds')[:23]}Z"


async def test_an_entry_leads_to_its_event_and_clauses(played: AtTable) -> None:
    entries = (await asked(played, "/players/bob/ledger", played.headers["bob"]))["entries"]
    for entry in entries:
        found = await asked(played, f"/ledger/entries/{entry['event']}", played.headers["bob"])
        assert (found["entry"], found["table"], found["hand"]) == (entry["event"], played.id, 1)
        (part,) = [part for part in found["transactions"] if part["kind"] == entry["kind"]]
        assert part["amounts"]["player:bob"] == entry["amount"]
        assert {why["clause"] for why in part["why"]} <= {"C5.4", "C6.1", "C6.2", "C6.3", "C6.5"}


@pytest.mark.parametrize("entry", ["{table}:1", "{table}:9999", "nowhere:1", "dispute:d-9:1"])
async def test_what_is_no_entry_is_not_found(played: AtTable, entry: str) -> None:
    path = f"/ledger/entries/{entry.format(table=played.id)}"
    answer = await played.service.client.get(path, headers=played.service.operator)
    assert (answer.status_code, answer.json()["rule"]) in {(404, "no_entry"), (404, "no_such_table")}


async def test_an_entry_is_named_by_its_event(played: AtTable) -> None:
    answer = await played.service.client.get("/ledger/entries/something", headers=played.service.operator)
    assert (answer.status_code, answer.json()["rule"]) == (422, "no_entry")


async def test_entries_are_for_their_players_and_those_who_supervise(played: AtTable) -> None:
    client = played.service.client
    event = (await asked(played, "/players/bob/ledger", played.headers["bob"]))["entries"][-1]["event"]
    assert (await client.get(f"/ledger/entries/{event}")).status_code == 401
    assert (await client.get(f"/ledger/entries/{event}", headers=played.headers["alice"])).status_code == 200
    assert (await client.get("/ledger", headers=played.headers["alice"])).status_code == 403


async def test_a_ruling_is_in_the_books_and_leads_to_its_dispute(played: AtTable) -> None:
    before = (await asked(played, "/ledger", played.service.operator))["balances"]
    settings = played.service.parts.settings
    desk = Projector(open_engine(settings.database("disputes")), Disputes(), "disputes")
    desk.open()
    desk.feed(ruled(*ENTRIES))
    desk.engine.dispose()
    after = (await asked(played, "/ledger", played.service.operator))["balances"]
    for unit in ("points", "coins"):
        assert sum(Decimal(row["balance"]) for row in after if row["unit"] == unit) == 0
    bob, bob_after = ([row["balance"] for row in rows if row["account"] == "player:bob"] for rows in (before, after))
    assert Decimal(bob_after[0]) == Decimal(bob[0]) + Decimal("2.5")
    (entry,) = (await asked(played, "/players/ann/ledger", played.service.operator))["entries"]
    assert (entry["kind"], entry["event"], entry["amount"]) == ("ruling", "dispute:d-1:2", "-2.5")
    found = await asked(played, f"/ledger/entries/{entry['event']}", played.service.operator)
    assert [part["unit"] for part in found["transactions"]] == ["points", "coins"]
    assert found["transactions"][0]["why"][0]["en"] == "ann showed a card"
    refused = await played.service.client.get(f"/ledger/entries/{entry['event']}", headers=played.headers["carol"])
    assert refused.status_code == 404
