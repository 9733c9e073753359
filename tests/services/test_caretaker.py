"""What a table does by itself: clocks run out, cards are dealt on, seeds are committed to.

Also over restarts, with two services, and when the store is away.
"""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from domain.shuffle import commitment
from domain.verify import verify_file, verify_lines
from projections.base import Projector, open_engine
from projections.runner import make
from services.eventstore.core import JetStreamStore
from services.eventstore.server import EmbeddedServer
from services.settings import Settings
from services.tables import caretaker
from tests.services.kit import Answer, AtTable, Running, hand_running, running, table_of_four


def kind(message: Answer) -> str:
    """What happened, in a message of a stream."""
    return str(message["event"]["type"]).split(".")[1]


async def kinds(table: AtTable, after: int = 0) -> list[str]:
    """What happened at a table after an event."""
    events = (await table.get("audit", "auditor", after=after)).json()["events"]
    return [event["type"].split(".")[1] for event in events]


async def recorded(store: JetStreamStore, table: str, topic: str, times: int) -> None:
    """Wait until an event of this kind is in the stream so many times. Nobody asks the service about it."""
    async with asyncio.timeout(20):
        async for records in store.tail(0):
            times -= sum(record.key == table and record.topic == f"shuangkou.{topic}.v1" for record in records)
            if times <= 0:
                return


async def build_live_view(service: Running, data: Path) -> None:
    """What the live projection would have built of the stream by now."""
    rows = [(each.sequence, each.data) async for records in service.store.tail(0, live=False) for each in records]
    engine = open_engine(Settings(data=data).database("live"))
    projector = Projector(engine, make("live", lambda _: []))
    projector.open()
    projector.feed(rows)
    engine.dispose()


async def test_a_clock_that_runs_out(service: Running) -> None:
    """The table plays for the seat (托管) and says so; its player takes over again by asking for it."""
    table = await hand_running(service, turn_seconds=1)
    view = await table.view()
    assert view["clock"]["seconds"] == 1
    who, seat = await table.to_move(), view["hand"]["turn"]
    message = await table.until(lambda each: kind(each) == "played")
    assert message["event"]["data"]["seat"] == seat
    assert (await kinds(table, view["version"]))[:2] == ["timed-out", "played"]
    assert message["view"]["seats"][seat]["away"] is True
    back = await table.post("returns", who)
    assert [event["type"] for event in back.json()["events"]] == ["shuangkou.player-returned.v1"]
    assert (await table.view())["seats"][seat]["away"] is False
    again = await table.post("returns", who)
    assert (again.status_code, again.json()["rule"]) == (409, "not_away")


async def test_whoever_acts_takes_over_by_that(service: Running) -> None:
    table = await hand_running(service, "ningxia", deal_pace=0, turn_seconds=1)
    message = await table.until(lambda each: kind(each) == "timed-out")
    name = message["event"]["data"]["player"]
    turned = await table.until(lambda each: kind(each) == "kitty-taken", after=message["view"]["version"])
    assert {each["away"] for each in turned["view"]["seats"]} == {True}
    burier = turned["view"]["seats"][turned["view"]["hand"]["turn"]]
    buried = await table.post("burials", burier["player"], {"cards": burier["holding"][:8]})
    assert [event["type"].split(".")[1] for event in buried.json()["events"]][:2] == ["player-returned", "kitty-buried"]
    assert name in {each["player"] for each in turned["view"]["seats"]}


async def test_nobody_is_hurried_without_a_clock(table: AtTable) -> None:
    assert table.service.parts.rooms.at_hand(table.id).awaited is False  # type: ignore[union-attr]
    assert (await table.view())["clock"] is None


async def test_the_table_is_dissolved_when_all_agree(service: Running) -> None:
    """解散: the hand is void, the seed is revealed, the match is over; before that anybody may end the vote."""
    table = await hand_running(service)
    assert (await table.post("dissolution", "bob", {"agree": False})).json()["rule"] == "no_vote"
    assert (await table.post("dissolution", "alice", {"agree": True})).status_code == 200
    assert (await table.post("dissolution", "alice", {"agree": True})).json()["rule"] == "already_voted"
    assert [seat["vote"] for seat in (await table.view(None))["seats"]] == [True, False, False, False]
    assert (await table.post("dissolution", "bob", {"agree": False})).status_code == 200
    for name in ("alice", "bob", "carol", "dave"):
        answer = await table.post("dissolution", name, {"agree": True})
    assert [event["type"].split(".")[1] for event in answer.json()["events"]] == [
        "dissolve-voted",
        "hand-voided",
        "seed-revealed",
        "table-closed",
    ]
    assert (await table.get("hands/1/explanation")).json()["rule"] == "hand_voided"
    assert verify_file((await table.get("export")).content).faults == ()
    assert (await table.post("dissolution", "alice", {"agree": "yes"})).json()["rule"] == "unreadable"


async def test_players_add_to_the_chance(service: Running) -> None:
    """The table commits to its seed by itself, players add a text each, and the deal follows from all of it (C2)."""
    table = await table_of_four(service, hands=1, salts=True)
    promise = (await table.until(lambda each: kind(each) == "seed-committed"))["event"]["data"]["commitment"]
    for name, text in (("alice", "one!"), ("dave", "four")):
        assert (await table.post("salts", name, {"salt": text})).status_code == 200
    assert (await table.view(None))["salts"] == {"0": "one!", "3": "four"}
    assert (await table.post("salts", "alice", {"salt": "more"})).json()["rule"] == "salt_given"
    assert (await table.post("salts", "bob", {"salt": "two words"})).json()["rule"] == "unreadable"
    assert (await table.post("hands", "operator")).status_code == 200
    assert (await table.post("salts", "bob", {"salt": "late"})).json()["rule"] == "seed_not_committed"
    await table.play_out()
    view = await table.view(None)
    assert view["hand"]["commitment"] == promise == commitment(view["hand"]["seed"], table.id, 1)
    assert verify_file((await table.get("export")).content).faults == ()


async def test_where_players_do_not_add_to_the_chance(table: AtTable) -> None:
    refused = (await table.post("salts", "alice", {"salt": "mine"})).json()
    assert (refused["status"], refused["rule"], refused["clause"]) == (409, "no_salts", "C2")


async def test_a_restart_goes_on_dealing(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> None:
    """Nobody touches the table after the restart."""
    async with running(tmp_path, nats_server.url, stream_name) as before:
        table = await hand_running(before, "ningxia", deal_step=50, deal_pace=500)
    async with running(tmp_path, nats_server.url, stream_name) as after:
        await recorded(after.store, table.id, "cards-dealt", 2)


async def test_a_restart_finds_tables_by_the_live_view_too(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str
) -> None:
    """The view tells of those that moved before its watermark, the stream of the others."""
    async with running(tmp_path, nats_server.url, stream_name) as before:
        old = await hand_running(before, turn_seconds=1)
        await build_live_view(before, tmp_path)
        new = await hand_running(before, turn_seconds=1)
    async with running(tmp_path, nats_server.url, stream_name) as after:
        for table in (old, new):
            await recorded(after.store, table.id, "timed-out", 1)


async def test_a_service_takes_over_from_one_that_is_gone(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has never heard of the table from anybody: it looks round from time to time."""
    monkeypatch.setattr(caretaker, "ROUND", 0.1)
    monkeypatch.setattr(caretaker, "QUIET", timedelta(0))
    async with running(tmp_path, nats_server.url, stream_name) as staying:
        async with running(tmp_path, nats_server.url, stream_name) as going:
            table = await hand_running(going, turn_seconds=1)
            await build_live_view(going, tmp_path)
        await recorded(staying.store, table.id, "timed-out", 1)


async def test_two_services_take_care_of_one_table(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str
) -> None:
    """Both would deal on; each step is recorded once."""
    async with (
        running(tmp_path, nats_server.url, stream_name) as one,
        running(tmp_path, nats_server.url, stream_name) as two,
    ):
        here = await table_of_four(one, "ningxia", deal_pace=0, deal_step=2)
        there = AtTable(two, here.id, here.headers)
        await there.view()
        assert (await here.post("hands", "operator")).status_code == 200
        for table in (here, there):
            await table.until(lambda each: (each["view"]["hand"] or {}).get("dealt") == 100)
        assert (await kinds(here)).count("cards-dealt") == 50
        assert verify_lines([record.data for record in await one.store.read(here.id)]).clean


async def test_a_store_that_comes_back(tmp_path: Path, own_nats_server: EmbeddedServer) -> None:
    """What could not be written is given again when it can."""
    async with running(tmp_path, own_nats_server.url, "CARE", within=0.5) as service:
        table = await hand_running(service, "ningxia", deal_step=25, deal_pace=200)
        await table.until(lambda each: kind(each) == "cards-dealt")
        own_nats_server.kill()
        failed = 'shuangkou_commands_total{kind="deal-on",outcome="failed"}'
        for _ in range(400):
            if failed in (await service.client.get("/metrics")).text:
                break
            await asyncio.sleep(0.05)
        own_nats_server.start()
        await table.until(lambda each: (each["view"]["hand"] or {}).get("dealt") == 100, who=None)


async def test_rooms_where_something_is_due_stay(service: Running) -> None:
    """Memory is bounded, but no table is forgotten that waits for its clock."""
    rooms = service.parts.rooms
    rooms.keep = 1
    due = await hand_running(service, turn_seconds=3600)
    others = [await hand_running(service) for _ in range(3)]
    assert rooms.at_hand(due.id) is not None
    assert [rooms.at_hand(each.id) is None for each in others[:-1]] == [True, True]


@pytest.mark.parametrize("options", [{"level": "A"}, {"coins": {"factor": "1"}}])
async def test_options_that_a_game_does_not_have(service: Running, options: dict[str, object]) -> None:
    """A level in a game without levels, or one at which the match would be over; coins in a game without coins."""
    for ruleset in ("basic", "ningxia"):
        refused = await service.client.post(
            "/tables", json={"ruleset": ruleset, "options": options}, headers=service.operator
        )
        assert refused.status_code in {400, 422}
        assert refused.json()["rule"] in {"no_levels", "no_coins", "unreadable"}
