"""Commands are recorded once: idempotency keys, versions, restarts, two services at one table."""

import asyncio
from pathlib import Path

from services.eventstore.server import EmbeddedServer
from tests.services.kit import AtTable, Running, hand_running, running, table_of_four


async def test_a_repeat_gives_the_first_answer(table: AtTable) -> None:
    who = await table.to_move()
    hints = (await table.get("options", who)).json()["options"]
    first = await table.post("plays", who, {"cards": hints[0]["cards"]}, Idempotency_Key="k1")
    await table.move()  # the table has moved on by the time of the repeat
    again = await table.post("plays", who, {"cards": " ".join(hints[0]["cards"])}, Idempotency_Key="k1")
    assert (again.status_code, again.content, again.headers["etag"]) == (200, first.content, first.headers["etag"])
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers


async def test_a_repeat_is_answered_even_with_a_version_that_is_stale_by_now(table: AtTable) -> None:
    version, who = str((await table.view())["version"]), await table.to_move()
    first = await table.move(Idempotency_Key="k1", If_Match=version)
    cards = {"cards": first.json()["events"][0]["data"]["cards"]}
    again = await table.post("plays", who, cards, Idempotency_Key="k1", If_Match=version)
    assert again.content == first.content


async def test_every_kind_of_command_repeats(service: Running) -> None:
    """Opening, seating, dealing, passing, leaving: the same status, body and tag, and nothing more in the record."""
    post, operator = service.client.post, service.operator
    keyed = operator | {"Idempotency-Key": "open"}
    first, again = [await post("/tables", json={"ruleset": "jj"}, headers=keyed) for _ in range(2)]
    assert (first.status_code, first.content) == (again.status_code, again.content) == (201, again.content)
    assert first.headers["location"] == again.headers["location"]
    table = AtTable(service, first.json()["table"], {})
    for name in ("alice", "bob", "carol", "dave"):
        first, again = [await table.post("seats", "operator", {"player": name}, Idempotency_Key=name) for _ in range(2)]
        assert (first.status_code, first.content) == (again.status_code, again.content) == (201, again.content)
        table.headers[name] = {"Authorization": f"Bearer {first.json()['token']}"}
    for what, who in (("hands", "alice"), ("leave", "bob")):
        first, again = [await table.post(what, who, Idempotency_Key=what) for _ in range(2)]
        assert (first.status_code, first.content) == (again.status_code, again.content) == (200, again.content)
    assert await table.versions() == again.json()["version"]


async def test_another_request_with_the_same_key_is_refused(table: AtTable) -> None:
    who = await table.to_move()
    hints = (await table.get("options", who)).json()["options"]
    await table.post("plays", who, {"cards": hints[0]["cards"]}, Idempotency_Key="k1")
    reused = await table.post("plays", who, {"cards": hints[1]["cards"]}, Idempotency_Key="k1")
    assert (reused.status_code, reused.json()["rule"]) == (422, "idempotency_key_reused")
    assert (await table.post("passes", who, Idempotency_Key="k1")).json()["rule"] == "idempotency_key_reused"


async def test_keys_of_different_callers_never_meet(table: AtTable) -> None:
    first = await table.move(Idempotency_Key="1")
    second = await table.move(Idempotency_Key="1")
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json()["version"] > first.json()["version"]


async def test_a_refused_command_may_be_repeated_when_it_is_allowed(table: AtTable) -> None:
    """A refusal leaves nothing behind, so the key is still free."""
    to_move = await table.to_move()
    seats = [seat["player"] for seat in (await table.view())["seats"]]
    following = seats[(seats.index(to_move) + 1) % 4]
    assert (await table.post("passes", following, Idempotency_Key="p")).json()["rule"] == "not_your_turn"
    await table.move()
    assert (await table.post("passes", following, Idempotency_Key="p")).status_code == 200


async def test_many_repeats_at_once_are_recorded_once(table: AtTable) -> None:
    who = await table.to_move()
    cards = (await table.get("options", who)).json()["options"][0]["cards"]
    before = await table.versions()
    answers = await asyncio.gather(
        *(table.post("plays", who, {"cards": cards}, Idempotency_Key="k") for _ in range(20))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert await table.versions() == before + 1


async def test_seating_a_seated_player_again_gives_a_token(table: AtTable) -> None:
    again = await table.post("seats", "operator", {"player": "carol"})
    assert (again.status_code, again.json()["seat"], again.json()["events"]) == (200, 2, [])
    table.headers["carol again"] = {"Authorization": f"Bearer {again.json()['token']}"}
    assert (await table.view("carol again"))["viewer"] == "2"
    assert (await table.post("seats", "operator", {"player": "carol", "seat": 1})).json()["rule"] == "already_seated"


async def test_if_match_takes_the_present_version_with_or_without_quotes(table: AtTable) -> None:
    for form in ("{}", '"{}"'):
        version = (await table.view())["version"]
        assert (await table.move(If_Match=form.format(version))).status_code == 200


async def test_of_two_commands_on_one_version_one_is_stale(table: AtTable) -> None:
    version = str((await table.view())["version"])
    answers = await asyncio.gather(*(table.post("leave", name, If_Match=version) for name in ("alice", "bob")))
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_a_repeat_after_a_restart_of_the_service(
    tmp_path: Path, nats_server: EmbeddedServer, stream_name: str
) -> None:
    async with running(tmp_path, nats_server.url, stream_name) as before:
        table = await hand_running(before)
        opened = await before.client.post(
            "/tables", json={"ruleset": "basic"}, headers=before.operator | {"Idempotency-Key": "again"}
        )
        who = await table.to_move()
        cards = (await table.get("options", who)).json()["options"][0]["cards"]
        first = await table.post("plays", who, {"cards": cards}, Idempotency_Key="k1")
        view = await table.view(who)
    async with running(tmp_path, nats_server.url, stream_name) as after:
        table.service = after
        again = await table.post("plays", who, {"cards": cards}, Idempotency_Key="k1")
        assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
        assert await table.view(who) == view
        same = await after.client.post(
            "/tables", json={"ruleset": "basic"}, headers=after.operator | {"Idempotency-Key": "again"}
        )
        assert same.json() == opened.json()


async def test_two_services_at_one_table(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> None:
    """Each move is sent to both services at once with one key: it is recorded once, and both give the same answer."""
    async with (
        running(tmp_path, nats_server.url, stream_name) as one,
        running(tmp_path, nats_server.url, stream_name) as two,
    ):
        here = await hand_running(one)
        there = AtTable(two, here.id, here.headers)
        for number in range(12):
            who = await here.to_move()
            hints = (await here.get("options", who)).json()
            what, body = ("plays", {"cards": hints["options"][0]["cards"]}) if hints["options"] else ("passes", None)
            a, b = await asyncio.gather(
                here.post(what, who, body, Idempotency_Key=f"m{number}"),
                there.post(what, who, body, Idempotency_Key=f"m{number}"),
            )
            assert (a.status_code, b.status_code, a.content) == (200, 200, b.content)
            assert await here.versions() == a.json()["version"]


async def test_two_services_deal_one_hand(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> None:
    async with (
        running(tmp_path, nats_server.url, stream_name) as one,
        running(tmp_path, nats_server.url, stream_name) as two,
    ):
        here = await table_of_four(one)
        there = AtTable(two, here.id, here.headers)
        answers = await asyncio.gather(*(table.post("hands", "operator") for table in (here, there) for _ in range(3)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
        assert {answer.json().get("rule") for answer in answers if answer.status_code == 409} == {"hand_running"}


async def test_rooms_that_nobody_uses_go_and_come_back(service: Running) -> None:
    """Memory is bounded; a table that is not in it is read from the stream again, keys and all."""
    service.parts.rooms.keep = 3
    tables = [await table_of_four(service) for _ in range(6)]
    assert len(service.parts.rooms) == 3
    for table in tables:
        first, again = [await table.post("hands", "operator", Idempotency_Key="h") for _ in range(2)]
        assert (first.status_code, first.content) == (200, again.content)
    assert len(service.parts.rooms) == 3
