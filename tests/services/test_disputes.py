"""The dispute desk from end to end on a real NATS server: raised, attached to, assigned, ruled on; the ledger and the log show it."""

import asyncio
import base64
import hashlib
from decimal import Decimal
from functools import partial
from typing import Any

import httpx
import pytest

from domain.dispute import later
from projections.access import accesses
from projections.base import Projector, open_engine
from projections.disputes import list_disputes
from projections.runner import make, source_of
from schemas.canonical import GENESIS
from schemas.disputes import LedgerAdjusted, RulingGiven
from schemas.envelope import check_line, read_line, record
from schemas.events import HandStarted, type_name
from services.auth import Tokens, adjudicator_token
from services.disputes.register import Known, Register
from services.eventstore.core import NewEvent
from services.eventstore.errors import EMPTY
from services.eventstore.server import EmbeddedServer
from tests.services.kit import AtTable, Running, bearer, hand_running, running, table_of_four

REASON = "Seat 2 had passed; the record shows it.\n二号位已过牌。"


class Desk:
    """The desk as its users reach it, and a table whose first hand is over."""

    def __init__(self, table: AtTable) -> None:
        self.table, self.service = table, table.service
        self.judge = bearer(adjudicator_token(self.service.secrets, "judge"))
        self.headers = table.headers | {
            "judge": self.judge,
            "operator": self.service.operator,
            "auditor": self.service.auditor,
            "other": bearer(adjudicator_token(self.service.secrets, "other")),
        }

    async def post(self, path: str, who: str, body: Any = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = self.headers[who] | named
        return await self.service.client.post(f"/disputes{path}", json=body or {}, headers=sent)

    async def get(self, path: str, who: str | None, **query: Any) -> httpx.Response:
        sent = {} if who is None else self.headers[who]
        return await self.service.client.get(path, headers=sent, params=query)

    async def raised(self, who: str = "alice", **body: Any) -> str:
        asked = {"table": self.table.id, "hand": 1, "claim": "That is not what I played."} | body
        response = await self.post("", who, asked)
        assert response.status_code == 201, response.text
        return str(response.json()["dispute"])

    async def assigned(self, **body: Any) -> str:
        dispute = await self.raised(**body)
        assert (await self.post(f"/{dispute}/assignments", "operator", {"adjudicator": "judge"})).status_code == 201
        return dispute

    async def case(self, dispute: str, who: str = "operator") -> dict[str, Any]:
        response = await self.get(f"/disputes/{dispute}", who)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()["case"]
        return found


@pytest.fixture
async def desk(service: Running) -> Desk:
    table = await hand_running(service)
    await table.post("leave", "dave")  # the quickest way to end a hand
    return Desk(table)


async def scored(service: Running, ruleset: str = "jj") -> Desk:
    """A desk with a table whose first hand was played out."""
    table = await hand_running(service, ruleset, hands=1, fee="1.5")
    await table.play_out()
    return Desk(table)


async def project(service: Running, name: str) -> None:
    """Bring a projection up to the end of its stream."""
    stores = {"tables": service.store, "disputes": service.parts.desk.store, "access": service.parts.access.store}
    engine = open_engine(service.parts.settings.database(name))
    projector = Projector(engine, make(name, lambda _: ()), source_of(name))
    await asyncio.to_thread(projector.open)
    async for records in stores[source_of(name)].tail(projector.watermark, live=False):
        await asyncio.to_thread(projector.feed, [(record.sequence, record.data) for record in records])
    engine.dispose()


async def balances(desk: Desk) -> dict[tuple[str, str], Decimal]:
    await project(desk.service, "ledger")
    await project(desk.service, "disputes")
    found = (await desk.get("/ledger", "operator")).json()["balances"]
    return {(row["account"], row["unit"]): Decimal(row["balance"]) for row in found}


async def test_from_the_claim_to_the_ledger(service: Running) -> None:
    desk = await scored(service)
    before = await balances(desk)
    dispute = await desk.raised(event=12)
    evidence = {"name": "screen.png", "content": base64.b64encode(b"\x89PNG not really").decode()}
    assert (await desk.post(f"/{dispute}/evidence", "bob", evidence)).status_code == 201
    assert (await desk.post(f"/{dispute}/evidence", "alice", {"text": "I said so at once."})).status_code == 201
    given = await desk.post(f"/{dispute}/assignments", "operator", {"adjudicator": "judge", "respond_by": "2099-12-24"})
    assert given.json()["case"]["respond_by"] == "2099-12-24T23:59:59.999Z"
    amounts = [{"player": "alice", "amount": "7.5"}, {"player": "bob", "amount": "-7.5"}]
    ruling = {"outcome": "adjusted", "reason": REASON, "amounts": amounts}
    ruled = await desk.post(f"/{dispute}/rulings", "judge", ruling)
    assert ruled.status_code == 201, ruled.text
    assert [event["type"] for event in ruled.json()["events"]] == [type_name(RulingGiven), type_name(LedgerAdjusted)]
    after = await balances(desk)
    moved = {account: after[account] - before[account] for account in after if after[account] != before[account]}
    assert moved == {("player:alice", "points"): Decimal("7.5"), ("player:bob", "points"): Decimal("-7.5")}
    for who in ("alice", "bob", "carol", "operator", "auditor", "other"):  # both parties and the house read the outcome
        case = await desk.case(dispute, who)
        assert (case["status"], case["ruling"]["outcome"], case["ruling"]["reason"]) == ("ruled", "adjusted", REASON)
        assert case["ruling"]["posted"] is True
    statement = (await desk.get("/players/alice/ledger", "alice")).json()["entries"]
    assert [entry["event"] for entry in statement if entry["kind"] == "ruling"] == [f"dispute:{dispute}:6"]


async def test_a_void_hand_has_given_nothing_to_anybody(service: Running) -> None:
    desk = await scored(service)
    before = await balances(desk)
    assert any(before.values())
    first = await desk.assigned(who="bob")
    amounts = [{"player": "carol", "amount": "3"}]
    ruling = {"outcome": "adjusted", "reason": "for the trouble", "amounts": amounts, "house": True}
    assert (await desk.post(f"/{first}/rulings", "judge", ruling)).status_code == 201
    second = await desk.assigned()
    void = {"outcome": "voided", "reason": "cards were shown"}
    assert (await desk.post(f"/{second}/rulings", "judge", void)).status_code == 201
    assert set((await balances(desk)).values()) == {0}
    third = await desk.assigned()
    again = await desk.post(f"/{third}/rulings", "judge", void)
    assert (again.status_code, again.json()["rule"]) == (409, "hand_voided")


async def test_recall_tells_of_rulings_about_a_hand(service: Running) -> None:
    desk = await scored(service)
    for outcome in ("upheld", "voided"):
        dispute = await desk.assigned()
        ruling = {"outcome": outcome, "reason": f"{outcome}, as was seen"}
        assert (await desk.post(f"/{dispute}/rulings", "judge", ruling)).status_code == 201
    await project(service, "audit")
    await balances(desk)
    (listed,) = (await desk.get("/recall", "alice")).json()["hands"]
    told = (await desk.get(f"/recall/{desk.table.id}/1", "auditor")).json()["found"]
    for found in (listed, told):
        assert found["status"] == "void"
        assert [ruling["outcome"] for ruling in found["rulings"]] == ["upheld", "voided"]
        assert found["rulings"][1]["dispute"] == dispute
        assert found["rulings"][1]["reason"] == "voided, as was seen"


async def test_a_void_hand_that_gave_nothing_is_void_in_recall_too(service: Running) -> None:
    table = await hand_running(service)
    for name in ("alice", "bob", "carol", "dave"):
        await table.post("dissolution", name, {"agree": True})
    desk = Desk(table)
    whole = await desk.assigned(hand=None)
    ruling = {"outcome": "voided", "hand": 1, "reason": "agreed"}
    assert (await desk.post(f"/{whole}/rulings", "judge", ruling)).json()["case"]["ruling"]["entries"] == []
    await project(service, "audit")
    await balances(desk)
    (found,) = (await desk.get("/recall", "alice")).json()["hands"]
    assert [each["dispute"] for each in found["rulings"]] == [whole]


async def test_cases_about_a_hand_know_of_rulings_in_each_other(service: Running) -> None:
    desk = await scored(service)
    cases = [await desk.assigned(who=who) for who in ("alice", "bob")]
    whole = await desk.assigned(who="carol", hand=None)
    assert (await desk.post(f"/{cases[0]}/rulings", "judge", {"outcome": "voided", "reason": "agreed"})).is_success
    for dispute, others in ((cases[0], []), (cases[1], [cases[0]]), (whole, [cases[0]])):
        for who in ("dave", "judge", "operator"):
            told = (await desk.get(f"/disputes/{dispute}", who)).json()["others"]
            assert [each["dispute"] for each in told] == others
            assert all((each["hand"], each["outcome"], each["reason"]) == (1, "voided", "agreed") for each in told)


async def test_everybody_may_know_that_a_hand_is_disputed_or_ruled_on_and_no_more(service: Running) -> None:
    desk = await scored(service)
    waiting, ruled, withdrawn = [await desk.assigned(who=who) for who in ("alice", "bob", "carol")]
    await desk.post(f"/{ruled}/rulings", "judge", {"outcome": "voided", "reason": "SECRET"})
    await desk.post(f"/{withdrawn}/withdrawal", "carol")
    await project(service, "disputes")
    for who in (None, "alice", "auditor"):
        answered = await desk.table.get("disputes", who)
        told = {each.pop("dispute"): each for each in answered.json()["cases"]}
        assert set(told) == {waiting, ruled}
        assert all(set(each) == {"hand", "status", "outcome", "time"} for each in told.values())
        assert (told[waiting]["hand"], told[waiting]["status"], told[waiting]["outcome"]) == (1, "assigned", None)
        assert (told[ruled]["hand"], told[ruled]["status"], told[ruled]["outcome"]) == (1, "ruled", "voided")
        assert "SECRET" not in answered.text
    assert (await desk.service.client.get("/tables/t-nowhere/disputes")).status_code == 404


async def test_an_adjudicator_whom_nobody_knows_is_pointed_out(desk: Desk) -> None:
    first, second = await desk.raised(), await desk.raised("bob")

    async def new(dispute: str, name: str) -> Any:
        await project(desk.service, "disputes")
        await project(desk.service, "access")
        answered = await desk.post(f"/{dispute}/assignments", "operator", {"adjudicator": name})
        return answered.json()["new_adjudicator"]

    assert await new(first, "judge") is True
    assert await new(first, "judge") is True  # no other case
    assert await new(second, "judge") is False
    assert await new(second, "jugde") is True
    await desk.get(f"/disputes/{second}", "other")  # who has looked at a case is known, too
    assert await new(second, "other") is False


async def test_what_was_recorded_at_the_table_stays_as_it_was(desk: Desk) -> None:
    before = [record.data for record in await desk.service.store.read(desk.table.id)]
    dispute = await desk.assigned()
    await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "voided", "reason": "agreed"})
    assert [record.data for record in await desk.service.store.read(desk.table.id)] == before


async def test_the_record_of_a_case_is_canonical_and_chained(desk: Desk) -> None:
    dispute = await desk.assigned()
    await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "upheld", "reason": "The record is right."})
    prev = "0" * 64
    for stored in await desk.service.parts.desk.store.read(dispute):
        recorded = check_line(stored.data, "disputes")
        assert (recorded.prev, recorded.table) == (prev, dispute)
        assert f'"source":"/disputes/{dispute}"'.encode() in stored.data
        prev = recorded.hash


@pytest.mark.parametrize("what", ["", "/examination"])
async def test_a_case_is_for_the_players_of_its_table_and_the_house(desk: Desk, what: str) -> None:
    dispute = await desk.raised()
    assert (await desk.get(f"/disputes/{dispute}{what}", None)).status_code == 401
    other = await table_of_four(desk.service)
    here, nowhere = [
        await desk.service.client.get(f"/disputes/{each}{what}", headers=other.headers["alice"])
        for each in (dispute, "d-nowhere")
    ]
    assert (here.status_code, here.json()["rule"]) == (403, "other_table")
    assert here.content == nowhere.content  # whether there is a case is not told either
    missing = await desk.get(f"/disputes/d-nowhere{what}", "operator")
    assert (missing.status_code, missing.json()["rule"]) == (404, "no_such_dispute")


async def test_others_tokens_are_refused(desk: Desk) -> None:
    dispute = await desk.assigned()
    other = await table_of_four(desk.service)
    asked = {"table": desk.table.id, "hand": 1, "claim": "Mine as well."}
    strange = await desk.service.client.post("/disputes", json=asked, headers=other.headers["alice"])
    assert (strange.status_code, strange.json()["rule"]) == (403, "wrong_table")
    before = (await desk.case(dispute))["version"]
    for who, path, body, rule in (
        ("operator", "", asked, "role_not_allowed"),
        ("alice", f"/{dispute}/assignments", {"adjudicator": "judge"}, "role_not_allowed"),
        ("operator", f"/{dispute}/rulings", {"outcome": "upheld", "reason": "x"}, "role_not_allowed"),
        ("other", f"/{dispute}/rulings", {"outcome": "upheld", "reason": "x"}, "not_the_adjudicator"),
        ("other", f"/{dispute}/evidence", {"text": "x"}, "not_the_adjudicator"),
        ("bob", f"/{dispute}/withdrawal", {}, "not_the_raiser"),
        ("operator", f"/{dispute}/withdrawal", {}, "role_not_allowed"),
    ):
        refused = await desk.post(path, who, body)
        assert (refused.status_code, refused.json()["rule"]) == (403, rule)
    for path in ("evidence", "withdrawal"):
        refused = await desk.service.client.post(
            f"/disputes/{dispute}/{path}",
            json={"text": "x"} if path == "evidence" else {},
            headers=other.headers["bob"],
        )
        assert (refused.status_code, refused.json()["rule"]) == (403, "other_table")
    assert (await desk.case(dispute))["version"] == before


async def test_nobody_rules_on_a_table_they_played_at(desk: Desk) -> None:
    dispute = await desk.raised()
    refused = await desk.post(f"/{dispute}/assignments", "operator", {"adjudicator": "dave"})
    assert (refused.status_code, refused.json()["rule"]) == (403, "played_there")
    late = await desk.assigned()
    await desk.table.post("seats", "operator", {"player": "judge"})  # sits down after the case was assigned
    ruled = await desk.post(f"/{late}/rulings", "judge", {"outcome": "upheld", "reason": "x"})
    assert (ruled.status_code, ruled.json()["rule"]) == (403, "played_there")


async def test_who_left_may_still_dispute_what_happened(desk: Desk) -> None:
    assert (await desk.table.get("", "dave")).status_code == 403
    assert await desk.raised("dave")


async def test_the_window_closes_and_the_date_passes(desk: Desk) -> None:
    dispute = await desk.raised()
    now = desk.service.parts.desk.clock()
    desk.service.parts.desk.clock = lambda: later(now, 8)
    closed = await desk.post("", "alice", {"table": desk.table.id, "hand": 1, "claim": "Too late?"})
    assert (closed.status_code, closed.json()["rule"]) == (409, "window_over")
    assert (await desk.case(dispute))["overdue"] is True
    await project(desk.service, "disputes")
    listed = (await desk.get("/disputes", "operator", status="overdue")).json()["disputes"]
    assert [(row["dispute"], row["overdue"]) for row in listed] == [(dispute, True)]
    assert (await desk.get("/disputes", "operator", status="ruled")).json()["disputes"] == []


async def test_a_hand_that_is_being_played_cannot_be_disputed(table: AtTable) -> None:
    asked = {"table": table.id, "hand": 1, "claim": "He looks at my cards."}
    refused = await table.service.client.post("/disputes", json=asked, headers=table.headers["alice"])
    assert (refused.status_code, refused.json()["rule"]) == (409, "hand_running")


async def test_a_repeat_with_the_same_key_is_recorded_once(desk: Desk) -> None:
    asked = {"table": desk.table.id, "hand": 1, "claim": "Once."}
    first, again = [await desk.post("", "alice", asked, Idempotency_Key="k-1") for _ in range(2)]
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    reused = await desk.post("", "alice", asked | {"claim": "Another."}, Idempotency_Key="k-1")
    assert (reused.status_code, reused.json()["rule"]) == (422, "idempotency_key_reused")
    dispute = first.json()["dispute"]
    await desk.post(f"/{dispute}/assignments", "operator", {"adjudicator": "judge"})
    ruling = {"outcome": "voided", "reason": "x"}
    rulings = [await desk.post(f"/{dispute}/rulings", "judge", ruling, Idempotency_Key="r-1") for _ in range(2)]
    assert [each.status_code for each in rulings] == [201, 201]
    assert rulings[0].json()["events"] == rulings[1].json()["events"]


async def test_a_stale_version_is_refused(desk: Desk) -> None:
    dispute = await desk.raised()
    stale = await desk.post(f"/{dispute}/evidence", "bob", {"text": "x"}, If_Match='"7"')
    assert (stale.status_code, stale.json()["rule"], stale.headers["ETag"]) == (409, "stale_version", '"1"')
    assert (await desk.post(f"/{dispute}/evidence", "bob", {"text": "x"}, If_Match='"1"')).status_code == 201


async def test_a_file_comes_back_byte_for_byte_and_always_as_a_download(desk: Desk) -> None:
    dispute, content = await desk.raised(), b"<script>alert(1)</script>\x00\xff"
    body = {"name": "录像.html", "content": base64.b64encode(content).decode()}
    assert (await desk.post(f"/{dispute}/evidence", "alice", body)).status_code == 201
    got = await desk.get(f"/disputes/{dispute}/evidence/1", "bob")
    assert got.content == content
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"].startswith("attachment;")
    listed = (await desk.case(dispute))["evidence"][0]
    assert (listed["size"], listed["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    digest = {"name": "long.mp4", "sha256": "ab" * 32}
    assert (await desk.post(f"/{dispute}/evidence", "alice", digest)).status_code == 201
    assert (await desk.get(f"/disputes/{dispute}/evidence/2", "bob")).json()["rule"] == "only_the_digest"
    large = body | {"content": base64.b64encode(bytes(41 * 1024)).decode()}
    assert (await desk.post(f"/{dispute}/evidence", "alice", large)).json()["rule"] == "evidence_too_large"


async def test_cards_are_for_the_auditor_and_the_adjudicator_of_the_case(service: Running) -> None:
    desk = await scored(service, "basic")
    moved = next(
        event["version"]
        for event in (await desk.table.get("audit", "auditor")).json()["events"]
        if event["type"].startswith("shuangkou.played")
    )
    dispute = await desk.assigned(event=moved)

    async def shown(who: str) -> tuple[list[bool], bool]:
        found = (await desk.get(f"/disputes/{dispute}/examination", who)).json()
        assert found["verification"]["clean"] is True
        assert found["result"]["why"]
        return [seat["holding"] is not None for seat in found["view"]["seats"]], found["situation"] is not None

    assert await shown("auditor") == ([True] * 4, True)
    assert await shown("judge") == ([True] * 4, True)
    assert await shown("other") == ([False] * 4, True)
    assert await shown("operator") == ([False] * 4, True)
    assert await shown("carol") == ([False, False, True, False], True)
    for who in ("judge", "carol", "operator"):  # what everybody is told of a hand that is over
        examined = (await desk.get(f"/disputes/{dispute}/examination", who)).json()["situation"]
        assert examined["legal"] is True
        assert examined["choices"]["acts"]


async def test_every_look_of_an_auditor_and_an_adjudicator_is_logged_and_nobody_elses(desk: Desk) -> None:
    dispute = await desk.assigned()
    for what, who in (("", "auditor"), ("audit", "auditor"), ("export", "auditor"), ("", None), ("", "alice")):
        assert (await desk.table.get(what, who)).status_code == 200
    await desk.table.get("", "auditor", **{"as": "2"})
    await desk.table.get("", "auditor", **{"as": "spectator"})  # sees nothing special
    async with desk.service.client.stream(
        "GET", f"/tables/{desk.table.id}/events", headers=desk.service.auditor
    ) as stream:
        assert stream.status_code == 200
        await anext(stream.aiter_raw())
    for who in ("judge", "auditor", "alice", "operator"):
        assert (await desk.get(f"/disputes/{dispute}/examination", who)).status_code == 200
    await project(desk.service, "access")
    log = (await desk.get("/access-log", "auditor")).json()["looks"][::-1]
    assert [(look["name"], look["what"], look["viewer"]) for look in log] == [
        ("auditor", "view", "auditor"),
        ("auditor", "audit", "auditor"),
        ("auditor", "export", "auditor"),
        ("auditor", "view", "2"),
        ("auditor", "events", "auditor"),
        ("judge", "case", "auditor"),
        ("auditor", "case", "auditor"),
    ]
    assert {look["table"] for look in log} == {desk.table.id}
    found = (await desk.get("/access-log", "auditor", name="judge", dispute=dispute)).json()["looks"]
    assert [look["name"] for look in found] == ["judge"]
    since = (await desk.get("/access-log", "auditor", since="2999")).json()["looks"]
    assert since == []
    for who in ("alice", "operator", "judge"):
        assert (await desk.get("/access-log", who)).status_code == 403


async def test_a_token_that_is_given_again_is_logged(desk: Desk) -> None:
    """Whoever has a player's token sees the player's hand; the first one goes out with the seat and stands in the record."""
    table = await table_of_four(desk.service)
    again = await table.post("seats", "operator", {"player": "carol"}, Idempotency_Key="again")
    assert (again.status_code, again.json()["seat"]) == (200, 2)
    table.headers["carol"] = bearer(again.json()["token"])
    assert (await table.view("carol"))["viewer"] == "2"
    await project(desk.service, "access")
    (look,) = (await desk.get("/access-log", "auditor", table=table.id)).json()["looks"]
    assert (look["name"], look["role"], look["what"], look["viewer"]) == ("operator", "operator", "token", "2")
    assert look["until"] == await table.versions()


async def test_a_repeat_of_a_seating_is_the_first_answer(desk: Desk) -> None:
    opened = await desk.service.client.post("/tables", json={"ruleset": "basic"}, headers=desk.service.operator)
    table = AtTable(desk.service, opened.json()["table"], {})
    answers = [await table.post("seats", "operator", {"player": "eve"}, Idempotency_Key="one") for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    await project(desk.service, "access")
    assert (await desk.get("/access-log", "auditor", table=table.id)).json()["looks"] == []


async def test_a_look_that_cannot_be_logged_is_not_granted(
    tmp_path: Any, own_nats_server: EmbeddedServer, stream_name: str
) -> None:
    async with running(tmp_path, own_nats_server.url, stream_name, within=1.0) as service:
        table = await hand_running(service)
        own_nats_server.stop()
        refused = await table.get("", "auditor")
        assert (refused.status_code, refused.json()["rule"]) == (503, "store_unavailable")
        assert (await table.get("", None)).status_code == 200
        refused = await table.post("seats", "operator", {"player": "alice"})
        assert (refused.status_code, refused.json()["rule"]) == (503, "store_unavailable")
        own_nats_server.start()


async def test_a_restart_rebuilds_the_same_case_from_the_same_bytes(
    desk: Desk, tmp_path: Any, nats_server: EmbeddedServer, stream_name: str
) -> None:
    dispute = await desk.assigned()
    await desk.post(f"/{dispute}/evidence", "bob", {"text": "See event 9."})
    await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "upheld", "reason": "As recorded."})
    before = (await desk.get(f"/disputes/{dispute}", "operator")).content
    async with running(tmp_path, nats_server.url, stream_name) as again:
        answer = await again.client.get(f"/disputes/{dispute}", headers=again.operator)
        assert answer.content == before


async def test_two_services_at_once_record_one_ruling(
    desk: Desk, tmp_path: Any, nats_server: EmbeddedServer, stream_name: str
) -> None:
    dispute = await desk.assigned()
    ruling = {"outcome": "upheld", "reason": "As recorded."}
    async with running(tmp_path, nats_server.url, stream_name) as other:
        answers = await asyncio.gather(
            desk.post(f"/{dispute}/rulings", "judge", ruling),
            other.client.post(f"/disputes/{dispute}/rulings", json=ruling, headers=desk.judge),
        )
    assert sorted(each.status_code for each in answers) == [201, 409]
    assert (await desk.case(dispute))["version"] == 3


async def test_two_services_at_once_void_a_hand_once(
    service: Running, tmp_path: Any, nats_server: EmbeddedServer, stream_name: str
) -> None:
    desk = await scored(service)
    cases = [await desk.assigned(who=who) for who in ("alice", "bob")]
    ruling = {"outcome": "voided", "reason": "cards were shown"}
    async with running(tmp_path, nats_server.url, stream_name) as other:
        both = [desk.service.parts.desk, other.parts.desk]
        known = [await each._register.about(desk.table.id) for each in both]
        read = asyncio.Barrier(2)

        async def at_once(register: Register, table: str) -> Known:
            found = await about[register](table)
            if found.sequence == known[0].sequence:
                await read.wait()
            return found

        about = {each._register: each._register.about for each in both}
        for register in about:
            register.about = partial(at_once, register)  # type: ignore[method-assign]
        answers = await asyncio.gather(
            *(
                client.post(f"/disputes/{case}/rulings", json=ruling, headers=desk.judge)
                for client, case in zip((desk.service.client, other.client), cases, strict=True)
            )
        )
    assert sorted((each.status_code, each.json().get("rule")) for each in answers) == [
        (201, None),
        (409, "hand_voided"),
    ]
    assert set((await balances(desk)).values()) == {0}


async def test_a_ruling_during_a_hand_says_no_hash_of_that_hand(service: Running) -> None:
    table = await hand_running(service, hands=2)
    await table.play_out()
    desk = Desk(table)
    dispute = await desk.assigned()
    over = (await desk.service.store.head(table.id)).version
    assert (await table.post("hands", "operator")).status_code == 200
    assert (await table.move()).status_code == 200
    ruled = await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "upheld", "reason": "As recorded."})
    assert ruled.status_code == 201, ruled.text
    lines = [read_line(stored.data) for stored in await desk.service.store.read(table.id)]
    told = (await desk.case(dispute, "alice"))["ruling"]
    assert over <= told["table_version"]
    assert told["table_head"] == lines[told["table_version"] - 1].hash
    begins = max(each.version for each in lines if isinstance(each.event, HandStarted))
    assert told["table_version"] < begins
    for path in ("", "/examination"):
        said = (await desk.get(f"/disputes/{dispute}{path}", "alice")).text
        assert not [each.version for each in lines[begins - 1 :] if each.hash in said]


async def test_a_case_about_a_hand_is_ruled_on_for_that_hand(service: Running) -> None:
    table = await hand_running(service, hands=2)
    await table.play_out()
    assert (await table.post("hands", "operator")).status_code == 200
    await table.play_out()
    desk = Desk(table)
    dispute = await desk.assigned()
    refused = await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "voided", "hand": 2, "reason": "x"})
    assert (refused.status_code, refused.json()["rule"]) == (422, "hand_of_another_case")
    assert "hand" in refused.json()["detail"]
    assert (await desk.case(dispute))["status"] == "assigned"


async def test_a_player_has_three_cases_waiting_at_most_however_many_are_raised_at_once(desk: Desk) -> None:
    asked = {"table": desk.table.id, "hand": 1, "claim": "Again."}
    answers = await asyncio.gather(*(desk.post("", "alice", asked) for _ in range(8)))
    assert sorted(each.status_code for each in answers) == [201] * 3 + [409] * 5
    assert {each.json()["rule"] for each in answers if each.status_code == 409} == {"too_many_cases"}
    made = [each.json()["dispute"] for each in answers if each.status_code == 201]
    await desk.post(f"/{made[0]}/withdrawal", "alice")
    assert (await desk.post("", "alice", asked)).json()["rule"] == "too_many_cases"
    await desk.post(f"/{made[1]}/assignments", "operator", {"adjudicator": "judge"})
    await desk.post(f"/{made[1]}/rulings", "judge", {"outcome": "upheld", "reason": "As recorded."})
    assert await desk.raised("alice")
    assert await desk.raised("bob")


async def test_the_content_of_files_is_not_kept_in_memory_and_still_comes_back(desk: Desk) -> None:
    dispute = await desk.raised()
    contents = [bytes([n]) * 30_000 for n in range(3)]
    for n, content in enumerate(contents):
        body = {"name": f"{n}.bin", "content": base64.b64encode(content).decode()}
        assert (await desk.post(f"/{dispute}/evidence", "alice", body)).status_code == 201
    kept, records = await desk.service.parts.desk.case(dispute)
    assert all(piece.event.content is None for piece in kept.evidence)
    assert not any(each.line for each in records)
    desk.service.parts.desk._cases.clear()
    for n, content in enumerate(contents, start=1):
        assert (await desk.get(f"/disputes/{dispute}/evidence/{n}", "bob")).content == content


async def test_a_ruling_that_was_recorded_in_part_is_finished_by_whoever_looks_next(service: Running) -> None:
    desk = await scored(service)
    dispute = await desk.assigned()
    await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "voided", "reason": "x"})
    store, half = service.parts.desk.store, f"{dispute}-half"
    written = [read_line(record.data, "disputes") for record in await store.read(dispute)]
    head, prev = EMPTY, GENESIS
    for each in written[:-1]:  # the same case once more, cut inside its last command as a full disk would cut it
        sealed = record(half, each.version, prev, each.time, each.command, each.event)
        head = await store.append(half, head, [NewEvent(type_name(type(each.event)), sealed.line)])
        prev = sealed.hash
    case = await desk.case(half)
    assert (case["ruling"]["posted"], case["version"]) == (True, len(written))
    last = read_line((await store.read(half))[-1].data, "disputes")
    assert isinstance(last.event, LedgerAdjusted)
    assert (last.command, last.event.dispute) == (written[-1].command, half)


async def test_lists_and_logs_are_rebuilt_into_the_same_rows(desk: Desk) -> None:
    dispute = await desk.assigned()
    await desk.post(f"/{dispute}/rulings", "judge", {"outcome": "upheld", "reason": "As recorded."})
    await desk.get(f"/disputes/{dispute}", "auditor")
    rows = []
    for _ in range(2):
        for name in ("disputes", "access"):
            await project(desk.service, name)
        engines = {name: open_engine(desk.service.parts.settings.database(name)) for name in ("disputes", "access")}
        with engines["disputes"].connect() as cases, engines["access"].connect() as looks:
            rows.append((list_disputes(cases, "2026-01-01T00:00:00.000Z"), accesses(looks)))
        for name, engine in engines.items():
            Projector(engine, make(name, lambda _: ()), source_of(name)).rebuild()
            engine.dispose()
    assert rows[0] == rows[1]
    assert rows[0][0][0]["dispute"] == dispute


async def test_bad_input_is_said_in_words(desk: Desk) -> None:
    dispute = await desk.assigned()
    for path, who, body, words in (
        ("", "alice", {"table": desk.table.id, "claim": "  "}, "claim"),
        ("", "alice", {"table": desk.table.id, "hand": 0, "claim": "x"}, "hand"),
        (f"/{dispute}/evidence", "alice", {}, "evidence"),
        (f"/{dispute}/evidence", "alice", {"name": "a", "content": "***"}, "base64"),
        (f"/{dispute}/evidence", "alice", {"name": "a", "sha256": "XY"}, "sha256"),
        (f"/{dispute}/assignments", "operator", {"adjudicator": "judge", "respond_by": "2026-13-01"}, "respond_by"),
        (f"/{dispute}/rulings", "judge", {"outcome": "adjusted", "reason": "x"}, "amounts"),
        (
            f"/{dispute}/rulings",
            "judge",
            {"outcome": "adjusted", "reason": "x", "amounts": [{"player": "bob", "amount": "1.23456"}]},
            "amount",
        ),
        (f"/{dispute}/rulings", "judge", {"outcome": "burnt", "reason": "x"}, "outcome"),
        (
            f"/{dispute}/rulings",
            "judge",
            {"outcome": "adjusted", "reason": "x", "amounts": [{"player": "bob", "amount": "1"}], "house": "yes"},
            "house",
        ),
    ):
        refused = await desk.post(path, who, body)
        assert refused.status_code == 400, refused.text
        assert words in refused.json()["detail"]


@pytest.mark.parametrize("body", [b"{", b'{"claim": "x",}', b"\xff", b"[1"])
async def test_what_is_no_json_is_told_where(desk: Desk, body: bytes) -> None:
    dispute = await desk.raised()
    for path in ("", f"/{dispute}/evidence", f"/{dispute}/withdrawal"):
        refused = await desk.service.client.post(f"/disputes{path}", content=body, headers=desk.headers["alice"])
        assert (refused.status_code, refused.json()["rule"]) == (400, "malformed_json")
        assert "line 1 column" in refused.json()["detail"]


async def test_nothing_has_to_be_said_to_withdraw(desk: Desk) -> None:
    dispute = await desk.raised()
    done = await desk.service.client.post(f"/disputes/{dispute}/withdrawal", headers=desk.headers["alice"])
    assert (done.status_code, done.json()["case"]["status"]) == (200, "withdrawn")


@pytest.mark.parametrize("claims", [{}, {"sub": ""}, {"sub": "  "}])
async def test_a_token_without_a_name_has_no_place_at_the_desk(desk: Desk, claims: dict[str, Any]) -> None:
    for role in ("adjudicator", "auditor", "operator"):
        nameless = bearer(Tokens(desk.service.secrets).sign(role, **claims))
        refused = await desk.service.client.get("/disputes", headers=nameless)
        assert (refused.status_code, refused.json()["rule"]) == (403, "nameless")


async def test_an_auditor_without_a_name_sees_nothing_as_the_log_could_not_say_who_looked(desk: Desk) -> None:
    nameless = bearer(Tokens(desk.service.secrets).sign("auditor"))
    table = f"/tables/{desk.table.id}"
    for path in (table, f"{table}/audit", f"{table}/export", f"{table}/events", "/access-log"):
        refused = await desk.service.client.get(path, headers=nameless)
        assert (refused.status_code, refused.json()["rule"]) == (403, "nameless")
