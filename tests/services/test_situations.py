"""Why an event was legal and what else was, over HTTP: the own seat while a hand is played, all when it is over, auditors always."""

from typing import Any

import pytest

from tests.services.kit import AtTable, Running, hand_running


async def situation(table: AtTable, event: int, who: str | None, **query: Any) -> Any:
    response = await table.get(f"situations/{event}", who, **query)
    assert response.status_code == 200, response.text
    return response.json()


async def refusal(table: AtTable, event: int, who: str | None, **query: Any) -> tuple[int, str]:
    response = await table.get(f"situations/{event}", who, **query)
    return response.status_code, response.json()["rule"]


async def last_event(table: AtTable) -> int:
    return int((await table.view())["version"])


async def test_an_auditor_sees_what_was_held_and_possible_and_why_it_was_legal(table: AtTable) -> None:
    who = await table.to_move()
    await table.move()
    found = await situation(table, await last_event(table), "auditor")
    assert found["player"] == who
    assert found["legal"] is True
    assert found["broken"] is None
    assert {reason["clause"] for reason in found["reasons"]} >= {"C3.1", "C5.1"}
    assert all(len(holding) == 27 for holding in found["holdings"])
    assert found["holding"] == found["holdings"][found["act"]["seat"]]
    assert found["choices"]["total"] >= len(found["choices"]["acts"]) > 0
    assert "command" not in found


async def test_a_player_sees_the_own_seat_while_the_hand_is_played(table: AtTable) -> None:
    who = await table.to_move()
    await table.move()
    event = await last_event(table)
    found = await situation(table, event, who)
    seat = found["act"]["seat"]
    assert [holding is not None for holding in found["holdings"]] == [each == seat for each in range(4)]
    assert found["holding"] == found["holdings"][seat]
    other = next(name for name in table.headers if name != who)
    assert await refusal(table, event, other) == (409, "hand_running")
    assert await refusal(table, event, None) == (409, "hand_running")
    assert await refusal(table, event, who, **{"as": "auditor"}) == (403, "view_not_allowed")


async def test_when_the_hand_is_over_everybody_sees_everything(table: AtTable) -> None:
    await table.move()
    event = await last_event(table)
    await table.play_out()
    for who in (None, "alice", "auditor"):
        found = await situation(table, event, who)
        assert None not in found["holdings"]
    assert await situation(table, event, None) == await situation(table, event, "auditor")


async def test_what_is_outside_a_hand_is_open_to_all(table: AtTable) -> None:
    opening = await situation(table, 1, None)
    assert (opening["act"]["do"], opening["phase"], opening["holdings"]) == ("open", "between", [None] * 4)
    started = await situation(table, 6, None)
    assert started["act"]["do"] == "start"
    assert started["holdings"] == [None] * 4


async def test_as_many_choices_as_asked_for(table: AtTable) -> None:
    await table.move()
    event = await last_event(table)
    found = await situation(table, event, "auditor", limit=1)
    assert len(found["choices"]["acts"]) == 1
    assert found["choices"]["total"] > 1


async def test_what_is_not_there_is_404(table: AtTable) -> None:
    assert await refusal(table, 999, "auditor") == (404, "no_such_version")
    nowhere = await table.service.client.get("/tables/nowhere/situations/1")
    assert (nowhere.status_code, nowhere.json()["rule"]) == (404, "no_such_table")
    assert (await table.get("situations/0", "auditor")).status_code in {400, 422}


async def test_in_a_trump_game_declarations_of_others_are_not_told(service: Running) -> None:
    """T2.1: while cards are dealt, what a seat could declare tells what it holds."""
    table = await hand_running(service, "ningxia", deal_pace=0)
    dealt = await table.until(
        lambda message: message["view"]["hand"] is not None and message["view"]["hand"]["dealt"] == 100
    )
    event = dealt["view"]["version"]
    assert await refusal(table, event, "alice") == (409, "hand_running")
    assert await refusal(table, event, None) == (409, "hand_running")
    found = await situation(table, event, "auditor")
    assert (found["act"]["do"], found["by_table"], found["legal"]) == ("deal_on", True, True)


async def test_the_documentation_describes_it(service: Running) -> None:
    document = (await service.client.get("/openapi.json")).json()
    described = document["paths"]["/tables/{table}/situations/{event}"]["get"]
    assert "holdings" in described["description"]
    assert described["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Situation")


@pytest.mark.parametrize("eyes", ["0", "spectator"])
async def test_an_auditor_with_other_eyes_sees_what_these_see(table: AtTable, eyes: str) -> None:
    who = await table.to_move()
    await table.move()
    event = await last_event(table)
    response = await table.get(f"situations/{event}", "auditor", **{"as": eyes})
    seat = (await situation(table, event, "auditor"))["act"]["seat"]
    if eyes == str(seat):
        assert who == response.json()["player"]
        assert response.json()["holdings"].count(None) == 3
    else:
        assert (response.status_code, response.json()["rule"]) == (409, "hand_running")
