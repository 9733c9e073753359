"""Game recall over HTTP: who finds which hands, and sees what of them."""

import asyncio

import httpx

from projections.base import Projector, open_engine
from projections.runner import make
from services.auth import adjudicator_token
from tests.services.kit import AtTable, Running, bearer, hand_running

VIEWS = ("audit", "ledger", "disputes")


async def project(service: Running) -> None:
    """Build the views of everything that is recorded."""
    batch = [(each.sequence, each.data) async for page in service.store.tail(0, live=False) for each in page]

    def build() -> None:
        for name in ("audit", "ledger"):
            engine = open_engine(service.parts.settings.database(name))
            projector = Projector(engine, make(name, lambda _: ()))
            projector.open()
            projector.feed(batch)
            engine.dispose()

    await asyncio.to_thread(build)


async def get(service: Running, path: str, headers: dict[str, str], **query: str) -> httpx.Response:
    return await service.client.get(path, headers=headers, params=query)


async def test_a_hand_is_found_and_told_with_its_balances(table: AtTable) -> None:
    await table.play_out()
    service = table.service
    await project(service)
    listed = (await get(service, "/recall", service.operator, player="alice")).json()
    assert (listed["replay"], listed["kept_years"], listed["next"]) == (True, 10, None)
    assert "回放" in listed["note_zh"]
    (one,) = listed["hands"]
    assert (one["id"], one["status"], sorted(one["players"])) == (f"{table.id}/1", "complete", sorted(table.headers))
    told = (await get(service, f"/recall/{one['id']}", service.operator)).json()
    assert (told["replay"], told["found"]) == (True, one)
    assert told["software"] == told["shown_by"]
    score = (await table.get("hands/1/explanation")).json()
    for player in told["players"]:
        won = score["score"][score["players"].index(player["player"])]
        assert (player["before"], player["after"]) == (0, won)
        assert player["balances"] == [{"unit": "points", "before": 0, "change": won, "after": won}]
    assert {step["player"] for step in told["steps"] if step["kind"] == "choice"} == set(table.headers)
    number, receipt = one["receipt"], (await table.get("hands/1/receipt", "alice")).json()
    assert receipt["receipt"]["number"] == number
    for key in (number, number.lower().replace("-", ""), one["digest"], one["digest"][:12]):
        assert (await get(service, "/recall", service.operator, receipt=key)).json()["hands"] == [one]


async def test_a_player_finds_own_hands_and_sees_own_cards(service: Running, table: AtTable) -> None:
    other = await hand_running(service, "huopin")
    await table.play_out()
    await project(service)
    mine = (await get(service, "/recall", table.headers["bob"])).json()["hands"]
    assert {each["id"] for each in mine} == {f"{table.id}/1", f"{other.id}/1"}
    refused = await get(service, "/recall", table.headers["bob"], player="alice")
    assert (refused.status_code, refused.json()["rule"]) == (403, "other_hands")
    told = (await get(service, f"/recall/{table.id}/1", table.headers["bob"])).json()
    dealt = next(step for step in told["steps"] if "dealt" in step["event"]["type"])
    assert [cards is not None for cards in dealt["event"]["data"]["holdings"]] == [False, True, False, False]
    running = (await get(service, f"/recall/{other.id}/1", table.headers["bob"])).json()
    assert running["viewer"] == "spectator", "the token is of another table; what is being played there is not shown"


async def test_a_stranger_and_a_spectator_are_told_nothing(service: Running, table: AtTable) -> None:
    await project(service)
    stranger = bearer(service.parts.tokens.player(table.id, "eve", 2, 0))
    assert (await get(service, "/recall", stranger)).json()["hands"] == []
    refused = await get(service, f"/recall/{table.id}/1", stranger)
    missing = await get(service, f"/recall/{table.id}/9", stranger)
    assert (refused.status_code, refused.json()) == (404, missing.json()), (
        "the refusal does not reveal that there is such a hand"
    )
    for path in ("/recall", f"/recall/{table.id}/1"):
        assert (await get(service, path, {})).status_code == 401


async def test_while_a_hand_is_played_only_an_auditor_sees_all_cards(service: Running, table: AtTable) -> None:
    await project(service)

    async def holdings(headers: dict[str, str]) -> list[bool]:
        told = (await get(service, f"/recall/{table.id}/1", headers)).json()
        assert (told["found"]["status"], told["found"]["ended"]) == ("playing", None)
        dealt = next(step for step in told["steps"] if "dealt" in step["event"]["type"])
        return [cards is not None for cards in dealt["event"]["data"]["holdings"]]

    assert await holdings(service.auditor) == [True] * 4
    assert await holdings(service.operator) == [False] * 4
    assert await holdings(bearer(adjudicator_token(service.secrets))) == [False] * 4
    assert await holdings(table.headers["carol"]) == [False, False, True, False]


async def test_what_makes_no_sense_is_said(service: Running, table: AtTable) -> None:
    await project(service)
    for query in ({"from": "yesterday"}, {"to": "2026-12-01 03:00"}, {"receipt": "12"}, {"before": "x"}):
        refused = await get(service, "/recall", service.operator, **query)
        assert (refused.status_code, refused.json()["rule"]) == (400, "unreadable"), query


async def test_before_the_ledger_came_to_a_hand_its_accounts_are_not_told(service: Running, table: AtTable) -> None:
    await project(service)
    (service.parts.settings.data / "views" / "ledger.sqlite").unlink()
    told = (await get(service, f"/recall/{table.id}/1", service.operator)).json()
    assert {str(player["balances"]) for player in told["players"]} == {"None"}
