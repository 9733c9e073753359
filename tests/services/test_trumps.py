"""A trump game over HTTP: declaring, burying, countering, playing, throwing; what is refused, and what the hints say."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.trumps.order import order_of
from domain.trumps.parts import read_lead
from domain.verify import verify_file
from services.eventstore.server import EmbeddedServer
from services.settings import write_private
from tests.services.kit import NAMES, Answer, AtTable, Running, hand_running, running

DEALT = 100


@pytest.fixture
async def service(tmp_path: Path, nats_server: EmbeddedServer, stream_name: str) -> AsyncIterator[Running]:
    """A service that always deals the same cards to the same table."""
    write_private(tmp_path / "secrets.json", {"deal_key": "7" * 64, "token_key": "5" * 64, "nats_password": ""})
    async with running(tmp_path, nats_server.url, stream_name) as found:
        yield found


@pytest.fixture
async def table(service: Running) -> AtTable:
    """A table of 宁夏双扣 with all cards dealt, where trumps may still be declared."""
    table = await hand_running(service, "ningxia", "trumps", deal_pace=0)
    await table.until(lambda message: message["view"]["hand"] is not None and message["view"]["hand"]["dealt"] == DEALT)
    return table


async def phase(table: AtTable, wanted: str) -> Answer:
    """Let everybody do what the hints say until the hand is in a phase; the auditor's view of it."""
    while (view := await table.view())["hand"]["phase"] != wanted:
        who = view["seats"][view["hand"]["waiting"][0]]["player"]
        assert (await table.act(who)).status_code == 200
    return view


def player(view: Answer, seat: int | None = None) -> str:
    """The player on a seat, by default the one to move."""
    return str(view["seats"][view["hand"]["turn"] if seat is None else seat]["player"])


async def test_a_whole_hand_is_settled_and_explained(table: AtTable) -> None:
    """T2 to T7: the answers tell whom the table waits for and in which phase it is."""
    phases = []
    view = await table.view()
    state: Answer = {"waiting": view["hand"]["waiting"], "phase": view["hand"]["phase"]}
    while state["phase"] != "over":
        answer = await table.act(player(view, state["waiting"][0]))
        assert answer.status_code == 200, answer.text
        phases.append(state["phase"])
        state = answer.json()
    assert list(dict.fromkeys(phases)) == ["declaring", "burying", "countering", "playing"]
    assert (state["turn"], state["waiting"]) == (None, [])
    result = (await table.view(None))["hand"]["result"]
    why = (await table.get("hands/1/explanation")).json()
    assert (why["type"], why["score"], why["points"]) == ("hand-settled", result["score"], result["points"])
    assert {item["kind"] for item in why["why"]} >= {"kitty", "multiplier", "total", "row", "levels", "score"}
    assert all(item["clause"][0] == "T" for item in why["why"])
    exported = await table.get("export")
    assert verify_file(exported.content).faults == ()


async def test_all_cards_are_dealt_by_the_table_itself(table: AtTable) -> None:
    """T2.1: nobody asks for it; each seat sees its own cards only, and nobody the kitty."""
    events = (await table.get("audit", "auditor")).json()["events"]
    dealt = [event for event in events if event["type"] == "shuangkou.cards-dealt.v1"]
    assert [event["data"]["first"] for event in dealt] == list(range(0, DEALT, 4))
    assert [event["command"].split(".")[0] for event in dealt] == ["table"] * 25
    own = await table.view("bob")
    assert [seat["holding"] is None for seat in own["seats"]] == [True, False, True, True]
    assert own["hand"]["kitty"] is None


async def test_declaring_and_declining(table: AtTable) -> None:
    """T2.2: whoever holds a level card may declare it; who declares or declines is not waited for until somebody overrules."""
    for name in NAMES:
        hints = (await table.get("options", name)).json()
        assert (hints["phase"], hints["may_decline"], hints["may_pass"]) == ("declaring", True, False)
        if hints["options"]:
            break
    option = hints["options"][0]
    assert option["action"] == "declare"
    assert {"kind", "trump", "strength", "en", "zh"} <= option.keys()
    answer = (await table.act(name, option)).json()
    assert answer["events"][0]["data"]["cards"] == option["cards"]
    assert NAMES.index(name) not in answer["waiting"]
    other = NAMES[answer["waiting"][0]]
    declined = (await table.post("declarations", other)).json()
    assert declined["events"][0]["type"] == "shuangkou.declaration-declined.v1"
    again = await table.post("declarations", other, {"cards": []})
    assert (again.status_code, again.json()["rule"], again.json()["clause"]) == (409, "already_declined", "T2.1")


async def test_refusals_before_play(table: AtTable) -> None:
    """Each names its rule and clause, and nothing is recorded."""
    view = await table.view()
    version, alice = view["version"], view["seats"][0]["holding"]
    lacking = next(card for card in ("3S", "4S", "5S", "6S", "7S", "8S") if card not in alice)
    plain = next(card for card in alice if card[0] != view["hand"]["level"] and card not in {"LJ", "BJ"})
    for what, body, status, rule, clause in (
        ("declarations", {"cards": plain}, 422, "no_declaration", "T2.2"),
        ("declarations", {"cards": lacking}, 422, "not_in_hand", "T2.2"),
        ("counters", {}, 409, "wrong_phase", "T3.2"),
        ("burials", {"cards": alice[:8]}, 409, "wrong_phase", "T3.1"),
        ("plays", {"cards": plain}, 409, "wrong_phase", "T5.1"),
        ("passes", None, 409, "no_passing", "T6.1"),
        ("declarations", {"cards": "1S"}, 400, "unreadable", None),
        ("declarations", {"card": "3S"}, 400, "unreadable", None),
        ("burials", {}, 400, "unreadable", None),
    ):
        refused = await table.post(what, "alice", body)
        found = refused.json()
        assert (refused.status_code, found["rule"], found.get("clause")) == (status, rule, clause), what
        assert found["detail"]
        assert found["detail_zh"]
    assert await table.versions() == version


async def test_burying(table: AtTable) -> None:
    """T3.1: who took the kitty buries so many cards out of the whole; the hint is one that is allowed."""
    view = await phase(table, "burying")
    who, seat = player(view), view["hand"]["turn"]
    holding = view["seats"][seat]["holding"]
    assert len(holding) == 33
    for cards, rule in ((holding[:7], "wrong_number"), (holding[:9], "wrong_number"), (["BJ"] * 8, "not_in_hand")):
        refused = (await table.post("burials", who, {"cards": cards})).json()
        assert (refused["status"], refused["rule"], refused["clause"]) == (422, rule, "T3.1")
    another = player(view, (seat + 1) % 4)
    assert (await table.post("burials", another, {"cards": holding[:8]})).json()["rule"] == "not_your_turn"
    assert (await table.get("options", another)).json()["options"] == []
    (option,) = (await table.get("options", who)).json()["options"]
    buried = (await table.act(who, option)).json()
    assert len(option["cards"]) == 8
    assert sorted(buried["events"][0]["data"]["cards"]) == sorted(option["cards"])
    seen = [(await table.view(name))["hand"]["kitty"] for name in (who, another)]
    assert sorted(seen[0]) == sorted(option["cards"])
    assert seen[1] is None


async def test_declining_to_counter(table: AtTable) -> None:
    """T3.4: who is asked answers; declining a declaration now is declined itself, so that nobody answers the wrong question."""
    view = await phase(table, "countering")
    who = player(view)
    wrong = (await table.post("declarations", who)).json()
    assert (wrong["status"], wrong["rule"]) == (409, "wrong_phase")
    declined = await table.post("counters", who, Idempotency_Key="c")
    assert declined.json()["events"][0]["type"] == "shuangkou.counter-declined.v1"
    again = await table.post("counters", who, Idempotency_Key="c")
    assert (again.content, again.headers["idempotent-replayed"]) == (declined.content, "true")


async def test_leading_following_and_throwing(table: AtTable) -> None:
    """T5, T6: one suit is led; a throw holds or fails, and then only a part of it is led; who can must follow suit."""
    view = await phase(table, "playing")
    hand, who = view["hand"], player(view)
    order = order_of(hand["level"], hand["trump"])
    holding = view["seats"][hand["turn"]]["holding"]
    suits = {suit: order.of_suit(suit, holding) for suit in "SHCDT" if order.of_suit(suit, holding)}
    one, two = list(suits.values())[:2]
    mixed = (await table.post("plays", who, {"cards": [one[0], two[0]]})).json()
    assert (mixed["status"], mixed["rule"], mixed["clause"]) == (422, "mixed_suits", "T5.1")
    leads = (await table.get("options", who)).json()["options"]
    assert {option["kind"] for option in leads} <= {"single", "pair", "tractor", "throw"}
    assert {type(option["safe"]) for option in leads} == {bool}
    thrown = next(cards for cards in suits.values() if (lead := read_lead(order, cards)) and lead.is_throw)
    answer = (await table.post("plays", who, {"cards": thrown})).json()
    failed, led = [
        event["data"]
        for event in (answer["events"] if len(answer["events"]) > 1 else [{"data": {}}, *answer["events"]])
    ]
    if failed:
        assert sorted(failed["cards"]) == sorted(thrown)
        assert (failed["led"], abs(failed["points"]), failed["failed"]) == (led["cards"], 10, 1)
    else:
        assert led["kind"] == "throw"
    following = player(view, answer["turn"])
    held = view["seats"][answer["turn"]]["holding"]
    suit, size = order.suit[led["cards"][0]], len(led["cards"])
    of_suit = order.of_suit(suit, held)
    others = [card for card in held if card not in of_suit]
    short = (await table.post("plays", following, {"cards": held[: size + 1]})).json()
    assert (short["rule"], short["clause"]) == ("wrong_number", "T6.1")
    if of_suit and len(others) >= size:
        astray = (await table.post("plays", following, {"cards": others[:size]})).json()
        assert (astray["status"], astray["rule"], astray["clause"]) == (422, "must_follow_suit", "T6.1")
    follows = (await table.get("options", following)).json()["options"]
    assert {option["kind"] for option in follows} <= {"follow", "trump", "discard"}
    assert all({"wins", "points", "en", "zh"} <= option.keys() for option in follows)
    assert (await table.act(following, follows[-1])).status_code == 200


async def test_leaving_is_an_escape_and_explained(table: AtTable) -> None:
    """T8: the hand is void and the leaver pays; every number is explained."""
    assert (await table.post("leave", "carol")).status_code == 200
    why = (await table.get("hands/1/explanation")).json()
    assert (why["type"], why["player"], min(why["score"])) == ("hand-escaped", "carol", why["score"][2])
    assert all(item["clause"].startswith("T8") for item in why["why"])


async def test_every_ruleset_is_listed(service: Running) -> None:
    listed = (await service.client.get("/rulesets")).json()["rulesets"]
    families = {each["id"]: each["family"] for each in listed}
    assert families == dict.fromkeys(("basic", "jj", "huopin", "qianbian", "jinbao"), "climbing") | {
        "ningxia": "trumps"
    }
    fields = next(each["fields"] for each in listed if each["id"] == "ningxia")
    assert {field["clause"][:2] for field in fields} >= {"T1", "T2", "T3", "T5", "T7", "T8"}
