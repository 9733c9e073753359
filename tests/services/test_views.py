"""What comes out of the projections' databases, and the pages about the service itself."""

import asyncio

from projections.base import Projector, open_engine
from projections.runner import make
from tests.services.kit import AtTable, Running


async def project(table: AtTable) -> None:
    """Build the views of everything that is recorded."""
    store, settings = table.service.store, table.service.parts.settings
    batch = [(record.sequence, record.data) async for records in store.tail(0, live=False) for record in records]

    def build() -> None:
        for name in ("live", "ledger"):
            engine = open_engine(settings.database(name))
            projector = Projector(engine, make(name, lambda _: [line for _, line in batch]))
            projector.open()
            projector.feed(batch)
            engine.dispose()

    await asyncio.to_thread(build)


async def test_the_list_of_tables(table: AtTable) -> None:
    await project(table)
    client = table.service.client
    (listed,) = (await client.get("/tables")).json()["tables"]
    assert (listed["table"], listed["status"]) == (table.id, "playing")
    assert listed["players"] == ["alice", "bob", "carol", "dave"]
    assert "holding" not in str(listed)
    assert (await client.get("/tables", params={"status": "closed"})).json() == {"tables": []}
    assert (await client.get("/tables", params={"status": "lost"})).json()["rule"] == "unreadable"


async def test_the_ledger_of_a_player(table: AtTable) -> None:
    await table.play_out()
    await project(table)
    score = (await table.get("hands/1/explanation")).json()
    client = table.service.client
    for seat, name in enumerate(score["players"]):
        found = (await client.get(f"/players/{name}/ledger", headers=table.headers[name])).json()
        assert sum(entry["amount"] for entry in found["entries"]) == score["score"][seat]
        assert all(entry["event"].startswith(f"{table.id}:") for entry in found["entries"])
    assert (await client.get("/players/alice/ledger", headers=table.service.auditor)).status_code == 200


async def test_a_hand_is_explained_only_when_it_is_over(table: AtTable) -> None:
    missing = await table.get("hands/1/explanation")
    assert (missing.status_code, missing.json()["rule"]) == (404, "not_scored")
    await table.post("leave", "dave")
    abandoned = (await table.get("hands/1/explanation")).json()
    assert (abandoned["rule"], abandoned["clause"]) == ("hand_abandoned", "C5.5")


async def test_the_rules_say_what_the_house_chose(service: Running) -> None:
    rulesets = (await service.client.get("/rulesets")).json()["rulesets"]
    assert [ruleset["id"] for ruleset in rulesets] == ["basic", "jj", "huopin", "qianbian", "jinbao", "ningxia"]
    for ruleset in rulesets:
        assert all(field["clause"][0] in "CT" and field["zh"] for field in ruleset["fields"])
    assert any(field["house"] for field in rulesets[0]["fields"])


async def test_health_and_metrics(table: AtTable) -> None:
    client = table.service.client
    assert (await client.get("/healthz")).json() == {"status": "alive"}
    ready = (await client.get("/readyz")).json()
    assert (ready["status"], ready["rooms"]) == ("ready", 1)
    await table.post("passes", await table.to_move())
    text = (await client.get("/metrics")).text
    assert 'shuangkou_commands_total{kind="pass",outcome="refused"} 1.0' in text
    assert 'shuangkou_refusals_total{rule="cannot_pass_leading"} 1.0' in text
    assert 'shuangkou_command_seconds_count{kind="seat"} 4.0' in text
    assert "shuangkou_rooms 1.0" in text


async def test_the_interface_is_documented(service: Running) -> None:
    paths = (await service.client.get("/openapi.json")).json()["paths"]
    play = paths["/tables/{table}/plays"]["post"]
    assert {each["name"] for each in play["parameters"]} >= {"Idempotency-Key", "If-Match", "table"}
    assert "CardsBody" in str(play["requestBody"])
    assert (await service.client.get("/docs")).status_code == 200
