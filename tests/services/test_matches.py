"""A whole match over HTTP, and what each role may do and see."""

from domain.verify import verify_file
from tests.services.kit import AtTable, Running


async def test_a_hand_over_http_is_scored_and_explained(table: AtTable) -> None:
    await table.play_out()
    view = await table.view(None)
    assert view["hand"]["result"]["outcome"] in {"double", "single", "draw"}
    why = (await table.get("hands/1/explanation")).json()
    assert why["score"] == view["hand"]["result"]["score"]
    assert {item["kind"] for item in why["why"]} >= {"outcome", "base", "sum"}
    assert all(item["clause"].startswith("C") for item in why["why"])


async def test_every_event_reaches_the_stream_and_the_chain_holds(table: AtTable) -> None:
    await table.play_out()
    exported = await table.get("export")
    assert exported.headers["content-type"].startswith("application/x-ndjson")
    assert verify_file(exported.content).faults == ()


async def test_opening_tells_where_the_table_is(service: Running) -> None:
    opened = await service.client.post("/tables", json={"ruleset": "jj"}, headers=service.operator)
    assert opened.status_code == 201
    assert opened.headers["location"] == f"/tables/{opened.json()['table']}"
    assert opened.headers["etag"] == '"1"'
    assert (await service.client.get(opened.headers["location"])).json()["ruleset"] == "jj"
