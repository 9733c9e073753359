"""Who may do and see what; and refusals do not tell what the role may not see."""

import asyncio
import json
import time
from types import SimpleNamespace

import pytest

from services.auth import Tokens, adjudicator_token
from services.tables import following
from services.tables.following import End
from tests.services.kit import AtTable, Running, bearer, hand_running, table_of_four
from tests.services.test_sockets import closing, messages, opened


def holdings(view: dict[str, object]) -> list[bool]:
    """Of which seats the cards are shown."""
    return [seat["holding"] is not None for seat in view["seats"]]  # type: ignore[attr-defined]


async def test_everybody_sees_what_the_role_may_see(table: AtTable) -> None:
    assert holdings(await table.view(None)) == [False] * 4
    assert holdings(await table.view("auditor")) == [True] * 4
    for seat, name in enumerate(table.headers):
        assert holdings(await table.view(name)) == [each == seat for each in range(4)]
    operator = await table.service.client.get(f"/tables/{table.id}", headers=table.service.operator)
    assert holdings(operator.json()) == [False] * 4
    adjudicator = bearer(adjudicator_token(table.service.secrets))
    assert holdings((await table.service.client.get(f"/tables/{table.id}", headers=adjudicator)).json()) == [False] * 4


async def test_only_an_auditor_takes_the_eyes_of_others(table: AtTable) -> None:
    assert holdings(await table.view("auditor", **{"as": "2"})) == [False, False, True, False]
    assert holdings(await table.view("alice", **{"as": "spectator"})) == [False] * 4
    for who in (None, "alice"):
        for eyes in ("1", "auditor"):
            refused = await table.get("", who, **{"as": eyes})
            assert (refused.status_code, refused.json()["rule"]) == (403, "view_not_allowed")
    assert (await table.get("", "auditor", **{"as": "9"})).status_code == 400


async def test_the_table_at_an_event(table: AtTable) -> None:
    await table.move()
    for version in range(1, (await table.view())["version"] + 1):
        assert (await table.view("alice", at=version))["version"] == version
    missing = await table.get("", None, at=999)
    assert (missing.status_code, missing.json()["rule"]) == (404, "no_such_version")


async def test_hints_are_for_the_player_to_move(table: AtTable) -> None:
    to_move = await table.to_move()
    for name in table.headers:
        found = (await table.get("options", name)).json()
        assert bool(found["options"]) is (name == to_move)
        assert found["turn"] is not None
    for headers in ({}, table.service.operator, table.service.auditor):
        refused = await table.service.client.get(f"/tables/{table.id}/options", headers=headers)
        assert (refused.status_code, refused.json()["rule"]) == (403, "role_not_allowed")


async def test_a_token_is_for_one_table(service: Running) -> None:
    here, other = await hand_running(service), await table_of_four(service)
    for path in (here.id, "t-nowhere"):
        for what in ("", "/options", "/events", "/audit", "/export"):
            refused = await service.client.get(f"/tables/{path}{what}", headers=other.headers["alice"])
            assert (refused.status_code, refused.json()["rule"]) == (403, "wrong_table")
    before = await here.versions()
    for what in ("passes", "leave", "hands"):
        refused = await service.client.post(f"/tables/{here.id}/{what}", headers=other.headers["alice"])
        assert (refused.status_code, refused.json()["rule"]) == (403, "wrong_table")
    assert await here.versions() == before


async def test_players_may_not_do_what_operators_do(table: AtTable) -> None:
    service = table.service
    for who in (table.headers["alice"], service.auditor):
        refused = await service.client.post("/tables", json={"ruleset": "basic"}, headers=who)
        assert (refused.status_code, refused.json()["rule"]) == (403, "role_not_allowed")
    assert (await table.post("seats", "alice", {"player": "eve"})).status_code == 403
    for what in ("passes", "leave"):
        assert (await table.post(what, "operator")).status_code == 403


async def test_who_left_has_no_seat_any_more(service: Running) -> None:
    table = await table_of_four(service)
    await table.post("leave", "bob")
    for answer in (await table.post("leave", "bob"), await table.get("", "bob"), await table.get("events", "bob")):
        assert (answer.status_code, answer.json()["rule"]) == (403, "no_seat_any_more")


async def test_another_of_the_same_name_has_another_token(service: Running) -> None:
    """Who left does not come back when the operator seats somebody of this name, here or in the stream that was open then."""
    table = await table_of_four(service)
    first = table.headers["bob"]
    async with opened(table, "bob") as socket:
        await messages(socket, 1)
        await table.post("leave", "bob")
        seated = await table.post("seats", "operator", {"player": "bob"})
        await table.post("hands", "operator")
        seen = await messages(socket, 3)
    assert [each["data"]["view"]["viewer"] for each in seen] == ["spectator"] * 3
    for what in ("", "options", "events", "audit"):
        refused = await table.get(what, "bob")
        assert (refused.status_code, refused.json()["rule"]) == (403, "no_seat_any_more")
    assert (await table.post("passes", "bob")).json()["rule"] == "no_seat_any_more"
    table.headers["bob"] = bearer(seated.json()["token"])
    assert table.headers["bob"] != first
    assert (await table.view("bob"))["viewer"] == "1"


async def test_a_token_that_names_no_seating_is_for_no_seat(table: AtTable) -> None:
    for seated, status in (({}, 403), ({"seated": None}, 403), ({"seated": "2"}, 401), ({"seated": True}, 401)):
        table.headers["alice"] = bearer(
            Tokens(table.service.secrets).sign("player", table=table.id, player="alice", **seated)
        )
        assert (await table.get("", "alice")).status_code == status


async def test_the_match_file_is_closed_while_cards_are_hidden(table: AtTable) -> None:
    for who in (None, "alice"):
        refused = await table.get("export", who)
        assert (refused.status_code, refused.json()["rule"]) == (409, "hand_running")
    assert (await table.get("export", "auditor")).status_code == 200
    await table.post("leave", "alice")
    assert (await table.get("export")).status_code == 200


async def test_the_audit_trail_hides_what_the_view_hides(table: AtTable) -> None:
    def dealt(events: list[dict[str, object]]) -> list[bool]:
        data = next(event["data"] for event in events if "dealt" in str(event["type"]))
        return [cards is not None for cards in data["holdings"]]  # type: ignore[index]

    assert dealt((await table.get("audit")).json()["events"]) == [False] * 4
    assert dealt((await table.get("audit", "carol")).json()["events"]) == [False, False, True, False]
    full = (await table.get("audit", "auditor")).json()["events"]
    assert dealt(full) == [True] * 4
    assert all(event["hash"] and event["prev"] and event["command"] for event in full)
    page = (await table.get("audit", None, after=2, limit=3)).json()
    assert ([event["version"] for event in page["events"]], page["next"]) == ([3, 4, 5], 5)


@pytest.mark.parametrize("cards", ["3S", "LJ", "BJ BJ", "2S 2S 2S", "3S 4S 5S 6S 7S"])
async def test_refusals_out_of_turn_do_not_depend_on_hidden_cards(service: Running, cards: str) -> None:
    """At tables with different deals the answers to whoever is not to move are the same, byte for byte."""
    answers = set()
    for _ in range(3):
        table = await hand_running(service)
        to_move = await table.to_move()
        for name in table.headers:
            if name != to_move:
                refused = await table.post("plays", name, {"cards": cards})
                body = {k: v for k, v in refused.json().items() if k not in {"detail", "detail_zh"}}
                answers.add(json.dumps(body))
    assert len(answers) == 1


async def test_no_answer_to_a_spectator_holds_a_card_that_is_hidden(table: AtTable) -> None:
    """Every byte a spectator can get, against the cards of all hands."""
    texts = [
        (await table.service.client.get(path)).text
        for path in (
            f"/tables/{table.id}",
            f"/tables/{table.id}/audit",
            f"/tables/{table.id}/options",
            f"/tables/{table.id}/export",
            f"/tables/{table.id}/hands/1/explanation",
            "/metrics",
            "/readyz",
        )
    ]
    held = {card for seat in (await table.view())["seats"] for card in seat["holding"]}
    assert len(held) == 54
    assert [card for card in held for text in texts if f'"{card}"' in text] == []


async def test_an_expired_token(service: Running) -> None:
    token = Tokens(service.secrets).sign("operator", exp=1)
    refused = await service.client.post("/tables", json={"ruleset": "basic"}, headers=bearer(token))
    assert (refused.status_code, refused.json()["detail"]) == (401, "This token has expired.")


@pytest.mark.parametrize("exp", ["soon", [1], {}, None, True, float("inf"), float("nan"), 10**400, -1])
async def test_an_end_that_is_no_time(service: Running, exp: object) -> None:
    token = Tokens(service.secrets).sign("auditor", exp=exp)
    refused = await service.client.get("/tables/t-1", headers=bearer(token))
    assert (refused.status_code, refused.json()["rule"]) == (401, "token_needed")


async def test_a_stream_ends_with_its_token(table: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Server-sent events and WebSockets: open while the token was good, over when the clock has come to its end."""
    monkeypatch.setattr(following, "LOOK", 0.01)
    end = time.time() + 3600
    table.headers["watcher"] = bearer(Tokens(table.service.secrets).sign("auditor", sub="watcher", exp=end))
    sent = table.headers["watcher"]
    async with (
        asyncio.timeout(20),
        table.service.client.stream("GET", f"/tables/{table.id}/events", headers=sent) as answer,
        opened(table, "watcher") as socket,
    ):
        await messages(socket, 1)
        monkeypatch.setattr(following, "time", SimpleNamespace(time=lambda: end))
        assert await closing(socket) == ([], 1008, End.EXPIRED.value)
        text = (await answer.aread()).decode()
    assert text.partition("event: ")[2].startswith("snapshot")
    assert text.endswith(f'event: expired\ndata: {{"detail":"{End.EXPIRED.value}."}}\n\n')


async def test_a_ledger_is_for_its_player(table: AtTable) -> None:
    url = "/players/alice/ledger"
    assert (await table.service.client.get(url)).status_code == 401
    assert (await table.service.client.get(url, headers=table.headers["bob"])).json()["rule"] == "other_ledger"
    assert (await table.service.client.get(url, headers=table.headers["alice"])).json()["rule"] == "view_missing"
