"""Bad input: each a clear error, no event, nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.services.kit import AtTable

CARDS = [f"{rank}{suit}" for rank in "3456789TJQKA2" for suit in "SHCD"]


@pytest.fixture(autouse=True)
async def nothing_is_recorded(table: AtTable) -> AsyncIterator[None]:
    """Whatever a test here sends, the record of the table stays as it was."""
    before = await table.service.store.read(table.id)
    yield
    assert await table.service.store.read(table.id) == before
    assert (await table.view())["version"] == len(before)


def problem(response: httpx.Response, status: int, rule: str) -> dict[str, Any]:
    """The problem a response is: with its media type, and in both languages."""
    assert (response.status_code, response.json().get("rule")) == (status, rule), response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert any("一" <= letter <= "鿿" for letter in body["detail_zh"])
    assert body["type"] == f"urn:shuangkou:problem:{rule}"
    assert "Traceback" not in response.text
    return body


async def test_unknown_ruleset(table: AtTable) -> None:
    service = table.service
    response = await service.client.post("/tables", json={"ruleset": "bridge"}, headers=service.operator)
    assert "basic" in problem(response, 422, "unknown_ruleset")["detail"]


async def test_cards_not_held(table: AtTable) -> None:
    who = await table.to_move()
    seat = (await table.view())["hand"]["turn"]
    held = (await table.view())["seats"][seat]["holding"]
    missing = next(card for card in CARDS if card not in held)
    refused = problem(await table.post("plays", who, {"cards": missing}), 422, "not_in_hand")
    assert missing in refused["detail"]
    assert refused["clause"] == "C5.6"


async def test_out_of_turn(table: AtTable) -> None:
    to_move = await table.to_move()
    other = next(name for name in table.headers if name != to_move)
    assert problem(await table.post("plays", other, {"cards": "3S"}), 409, "not_your_turn")["clause"] == "C5.6"
    problem(await table.post("passes", other), 409, "not_your_turn")


async def test_cards_that_form_no_pattern(table: AtTable) -> None:
    who = await table.to_move()
    view = await table.view()
    held = view["seats"][view["hand"]["turn"]]["holding"]
    two_ranks = [
        next(card for card in held if card[0] == held[0][0]),
        next(card for card in held if card[0] != held[0][0]),
    ]
    assert problem(await table.post("plays", who, {"cards": two_ranks}), 422, "no_pattern")["clause"] == "C3"


async def test_passing_when_leading(table: AtTable) -> None:
    problem(await table.post("passes", await table.to_move()), 409, "cannot_pass_leading")


async def test_a_hand_while_one_is_played(table: AtTable) -> None:
    problem(await table.post("hands", "operator"), 409, "hand_running")


@pytest.mark.parametrize(
    ("body", "where"),
    [(b'{"cards": "3S"', "column 14"), (b'{"cards": "\xff"}', ""), (b"cards=3S", "")],
    ids=["cut short", "not text", "a form"],
)
async def test_malformed_json(table: AtTable, body: bytes, where: str) -> None:
    sent = table.headers["alice"] | {"Content-Type": "application/json"}
    response = await table.service.client.post(f"/tables/{table.id}/plays", content=body, headers=sent)
    assert where in problem(response, 400, "malformed_json")["detail"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "cards"),
        ({"cards": 7}, "cards"),
        ({"cards": ["3S", 7]}, "cards"),
        ({"cards": "3S", "card": "3S"}, "card"),
        ({"cards": "3X"}, "cards: '3X' is not a card"),
        ({"cards": ["3S", "3X"]}, "cards: '3X' is not a card"),
        ({"cards": "3S\x00"}, "cards: '3S"),
        ({"cards": ["3S"] * 109}, "cards"),
        ([], "body"),
        (None, "body"),
    ],
)
async def test_a_body_that_is_not_a_play(table: AtTable, body: Any, field: str) -> None:
    response = await table.post("plays", "alice", body)
    said = problem(response, 400, "unreadable")
    assert field in said["detail"]
    assert ("请求正文" if field == "body" else field.partition(":")[0]) in said["detail_zh"]


async def test_stale_version(table: AtTable) -> None:
    who = await table.to_move()
    version = (await table.view())["version"]
    stale = problem(await table.post("plays", who, {"cards": "3S"}, If_Match=str(version - 1)), 409, "stale_version")
    assert stale["version"] == version


@pytest.mark.parametrize("match", ["x", '"1', "W/1", "-1", "1.5"])
async def test_a_version_that_is_none(table: AtTable, match: str) -> None:
    who = await table.to_move()
    assert "If-Match" in problem(await table.post("passes", who, If_Match=match), 400, "unreadable")["detail"]


@pytest.mark.parametrize("key", ["", "two words", "with.dot", "x" * 65, "é"])
async def test_a_key_that_is_none(table: AtTable, key: str) -> None:
    who = await table.to_move()
    token = table.headers[who]["Authorization"]
    sent = [(b"Authorization", token.encode()), (b"Idempotency-Key", key.encode())]
    response = await table.service.client.post(f"/tables/{table.id}/passes", headers=sent)
    assert "Idempotency-Key" in problem(response, 400, "unreadable")["detail"]


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYXVkaXRvciJ9."])
async def test_wrong_token(table: AtTable, token: str) -> None:
    sent = {"Authorization": f"Bearer {token}"}
    response = await table.service.client.post(f"/tables/{table.id}/passes", headers=sent)
    problem(response, 401, "token_needed")
    assert response.headers["www-authenticate"].startswith("Bearer")


async def test_no_token(table: AtTable) -> None:
    for path in ("plays", "passes", "leave", "hands", "seats"):
        body = {"cards": "3S"} if path == "plays" else {"player": "eve"}
        problem(await table.service.client.post(f"/tables/{table.id}/{path}", json=body), 401, "token_needed")


async def test_a_body_of_10_mb(table: AtTable) -> None:
    body = b'{"cards":"' + b"3S " * 3_500_000 + b'"}'
    sent = table.headers["alice"] | {"Content-Type": "application/json"}
    response = await table.service.client.post(f"/tables/{table.id}/plays", content=body, headers=sent)
    problem(response, 413, "body_too_large")


async def test_a_body_of_10_mb_that_does_not_say_so(table: AtTable) -> None:
    """Sent in chunks without a length, it is refused when it grows over the limit."""

    async def body() -> AsyncIterator[bytes]:
        yield b'{"cards":"'
        for _ in range(160):
            yield b"3S " * 20_000

    sent = table.headers["alice"] | {"Content-Type": "application/json"}
    response = await table.service.client.post(f"/tables/{table.id}/plays", content=body(), headers=sent)
    problem(response, 413, "body_too_large")


@pytest.mark.parametrize("name", ["t-nowhere", "NOT-AN-ID", "%2e%2e", "x" * 150, "sk.table.>", "*"])
async def test_unknown_table(table: AtTable, name: str) -> None:
    service = table.service
    problem(await service.client.get(f"/tables/{name}"), 404, "no_such_table")
    problem(await service.client.post(f"/tables/{name}/hands", headers=service.operator), 404, "no_such_table")
    problem(await service.client.get(f"/tables/{name}/events"), 404, "no_such_table")
    assert len(service.parts.rooms) == 1, "a table that does not exist takes no memory"


async def test_unknown_path_and_method(table: AtTable) -> None:
    problem(await table.service.client.get("/nothing/here"), 404, "no_such_path")
    problem(await table.service.client.put("/tables"), 405, "wrong_method")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"player": ""}, "player"),
        ({"player": "a\nb"}, "player"),
        ({"player": "x" * 65}, "player"),
        ({"player": "eve", "seat": 4}, "seat"),
        ({"player": "eve", "seat": "1"}, "seat"),
        ({"player": "eve", "seat": True}, "seat"),
    ],
)
async def test_a_seat_for_nobody_or_nowhere(table: AtTable, body: Any, field: str) -> None:
    assert field in problem(await table.post("seats", "operator", body), 400, "unreadable")["detail"]


async def test_a_fifth_player(table: AtTable) -> None:
    problem(await table.post("seats", "operator", {"player": "eve"}), 409, "table_full")
    problem(await table.post("seats", "operator", {"player": "eve", "seat": 2}), 409, "seat_taken")


@pytest.mark.parametrize("options", [{"hands": 0}, {"color": "red"}, {"coins": {"factor": "1e9"}}, []])
async def test_options_that_make_no_sense(table: AtTable, options: Any) -> None:
    service = table.service
    body = {"ruleset": "basic", "options": options}
    problem(await service.client.post("/tables", json=body, headers=service.operator), 400, "unreadable")


NUMBERED = (
    *(
        "/tables/{t}?at={n}",
        "/tables/{t}/events?after={n}",
        "/tables/{t}/audit?after={n}",
        "/tables/{t}/audit?limit={n}",
    ),
    *("/tables/{t}/views?from={n}", "/tables/{t}/views?to={n}", "/tables/{t}/options?limit={n}", "/tables?limit={n}"),
    *("/tables/{t}/situations/{n}?", "/tables/{t}/hands/{n}/explanation?", "/tables/{t}/hands/{n}/receipt?"),
    *("/ledger?table={t}&before={n}", "/ledger?by=hand&table={t}&before={n}", "/ledger?limit={n}"),
    *("/players/a/ledger?before={n}", "/players/a/ledger?by=hand&before={n}"),
    *("/ledger/entries/{t}:{n}?", "/ledger/entries/dispute:d-1:{n}?"),
    *("/recall/{t}/{n}?", "/recall?before=2026,{t}/{n}", "/recall?limit={n}", "/access-log?limit={n}"),
    *("/checkpoints?before={n}", "/checkpoints?limit={n}", "/checkpoints/{n}?", "/disputes/d-1/evidence/{n}?"),
)
"""Addresses that hold a number."""


@pytest.mark.parametrize("path", NUMBERED)
@pytest.mark.parametrize("number", [2**53, 2**63 - 1, 2**63, 10**30])
async def test_a_number_that_is_too_large(table: AtTable, path: str, number: int) -> None:
    service = table.service
    response = await service.client.get(path.format(t=table.id, n=number), headers=service.auditor)
    assert response.status_code in {400, 422}, response.text
    name = path.partition("{n}")[0].rpartition("=")[0].rpartition("&")[2].rpartition("?")[2]
    said = response.json()["detail"]
    assert said.startswith(f"{name}: ") if name else said.partition(":")[0] in {"event", "hand", "entry", "number"}


@pytest.mark.parametrize("name", ["Last-Event-ID", "If-Match"])
async def test_a_version_that_is_too_large(table: AtTable, name: str) -> None:
    asked = ("GET", "events") if name == "Last-Event-ID" else ("POST", "passes")
    for number in (2**53, 10**30):
        response = await table.service.client.request(
            asked[0], f"/tables/{table.id}/{asked[1]}", headers=table.headers["alice"] | {name: str(number)}
        )
        assert name in problem(response, 400, "unreadable")["detail"]


async def test_a_view_that_is_not_there_yet(table: AtTable) -> None:
    """The list of tables comes from a projection; here none has run."""
    body = problem(await table.service.client.get("/tables"), 503, "view_missing")
    assert "shuangkou project live" in body["detail"]


async def test_many_bad_requests_at_once_leave_the_service_well(table: AtTable) -> None:
    bodies: list[Any] = [{"cards": "3X"}, {"cards": []}, [], {"cards": "LJ LJ LJ"}, None] * 20
    answers = await asyncio.gather(*(table.post("plays", "bob", body) for body in bodies))
    assert all(400 <= answer.status_code < 500 for answer in answers)
    assert (await table.service.client.get("/readyz")).status_code == 200
