"""A seat in a hurry: double clicks, held keys, answers that come late, others who act at the same moment, two seats in one tab."""

from typing import Any

import pytest

from tests.browser.conftest import NAMES, AtTable, Look, Open, shows, took
from tests.browser.seats import cards_of, in_turn, pick, picks, sit, view_seat


def test_what_was_said_of_a_turn_goes_with_it(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    groups = page.locator("#hand .held-group")
    groups.nth(1).locator(".card").first.click(position={"x": 10, "y": 10})
    groups.nth(4).locator(".card").first.click(position={"x": 10, "y": 10})
    page.click("#do")
    page.locator("#refusal").wait_for()
    table.post("alice", "passes")
    shows(page, version + 1)
    assert page.locator("#refusal").is_hidden()


def test_a_hint_goes_with_its_turn(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    page.click("#hint")
    page.locator("#hinted", has_text="提示").wait_for()
    table.post("alice", "passes")
    shows(page, version + 1)
    assert page.inner_text("#hinted") == ""


def test_who_gave_up_sending_no_longer_says_that_it_is_sent_again(look: Look, table: AtTable) -> None:
    page, _ = in_turn(look, table)
    page.route("**/passes", lambda route: route.abort())
    page.click("#pass")
    page.locator("#hinted", has_text="重发").wait_for()
    page.locator("#refusal", has_text="没有响应").wait_for()
    assert page.inner_text("#hinted") == ""
    assert page.locator("#pass").is_enabled()


def test_a_play_is_made_though_somebody_asks_to_dissolve_just_then(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    asked: list[str] = []

    def ask_first(route: Any) -> None:
        if not asked:
            table.post("bob", "dissolution", {"agree": True})
        asked.append(route.request.headers["if-match"])
        route.continue_()

    page.route("**/plays", ask_first)
    page.click("#hint")
    page.locator("#do:enabled").click()
    took(page, version + 2)
    assert asked == [f'"{version}"', f'"{version + 1}"']


def test_a_play_is_not_made_on_a_later_turn_than_was_shown(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    asked: list[str] = []

    def come_round(route: Any) -> None:
        table.post("alice", "passes")
        while table.waiting() != ["alice"]:
            table.move()
        asked.append(route.request.headers["if-match"])
        route.continue_()

    page.route("**/plays", come_round)
    page.click("#hint")
    page.locator("#do:enabled").click()
    page.locator("#refusal").wait_for()
    shows(page, table.view["version"])
    assert asked == [f'"{version}"']
    later = table.http.get(f"{table.path}/audit", params={"after": version}).json()["events"]
    played = [event["data"]["seat"] for event in later if event["type"].startswith("shuangkou.played")]
    assert view_seat(table, "alice") not in played


def test_a_hand_that_somebody_else_started_first_is_no_trouble(look: Look, table: AtTable) -> None:
    page = sit(look, table)

    def start_first(route: Any) -> None:
        table.deal()
        route.continue_()

    page.route("**/hands", start_first)
    page.click("#start")
    took(page, table.view["version"])
    page.locator("#hand .card").nth(26).wait_for()
    page.wait_for_function("() => !document.querySelector('#start')")
    page.wait_for_timeout(300)
    assert page.locator("#refusal").is_hidden()


@pytest.mark.parametrize("then", ["another card", "pass"])
def test_a_hint_that_comes_late_does_not_change_what_was_picked_or_done_meanwhile(
    look: Look, table: AtTable, then: str
) -> None:
    page, _ = in_turn(look, table)
    asked: list[Any] = []
    sent: list[Any] = []
    page.route("**/options?*", lambda route: asked.append(route))  # noqa: PLW0108 (a built-in method is no handler)
    page.route("**/passes", lambda route: sent.append(route))  # noqa: PLW0108
    with page.expect_request("**/options?*"):
        page.click("#hint")
    chosen: list[str] = []
    if then == "pass":
        with page.expect_request("**/passes"):
            page.click("#pass")
    else:
        hinted = table.hints("alice")["options"][0]["cards"]
        chosen = [next(card for card in cards_of(table, "alice") if card not in hinted)]
        pick(page, chosen)
    with page.expect_response("**/options?*"):
        asked.pop().continue_()
    page.wait_for_timeout(200)
    assert picks(page) == chosen
    assert page.inner_text("#hinted") == ""


TWINS = """async ([picked, left]) => {
    const { Holding } = await import(new URL("holding.js", document.querySelector("script[src]").src).href);
    const holding = new Holding(document.createElement("div"), { changed: () => null, key: () => null });
    holding.draw(["7S", "7S", "8H", "8H", "9C"], { family: "climbing" });
    holding.pick(picked);
    holding.draw(left, { family: "climbing" });
    return holding.picked;
}"""
"""What is still picked in a holding of two pairs and a single when only some cards are left."""


@pytest.mark.parametrize(
    ("picked", "left", "still"),
    [
        (["7S"], ["7S", "8H", "8H", "9C"], []),
        (["7S", "7S"], ["8H", "8H", "9C"], []),
        (["7S", "9C"], ["7S", "8H", "8H", "9C"], ["9C"]),
        (["7S", "8H"], ["7S", "7S", "8H", "8H"], ["7S", "8H"]),
        (["8H", "8H"], ["7S", "7S", "8H", "9C"], ["8H"]),
    ],
)
def test_the_twin_of_a_card_that_was_played_is_not_picked(
    look: Look, table: AtTable, picked: list[str], left: list[str], still: list[str]
) -> None:
    page = sit(look, table)
    assert sorted(page.evaluate(TWINS, [picked, left])) == still


NEXT_HAND = """async () => {
    const { Holding } = await import(new URL("holding.js", document.querySelector("script[src]").src).href);
    const holding = new Holding(document.createElement("div"), { changed: () => null, key: () => null });
    holding.draw(["7S", "8H", "9C"], { family: "climbing", number: 1 });
    holding.pick(["7S", "8H"]);
    holding.draw(["7S", "8H"], { family: "climbing", number: 1 });
    const [same, next] = [holding.picked, ["7S", "8H", "KD"]];
    holding.draw(next, { family: "climbing", number: 2 });
    return [same, holding.picked];
}"""
"""What is picked later in a hand, and in the next one that is dealt while the page is not looked at."""


def test_what_was_picked_in_one_hand_is_not_picked_in_the_next(look: Look, table: AtTable) -> None:
    page = sit(look, table)
    same, after = page.evaluate(NEXT_HAND)
    assert sorted(same) == ["7S", "8H"]
    assert after == []


def test_a_key_that_is_held_down_passes_once(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    page.locator("#hand .card").first.focus()
    page.keyboard.down("p")
    took(page, version + 1)
    while table.waiting() != ["alice"] or not table.view["hand"]["to_beat"]:
        table.move()
    version = table.view["version"]
    shows(page, version)
    page.locator("#pass:enabled").wait_for()
    page.keyboard.down("p")
    page.wait_for_timeout(300)
    assert table.view["version"] == version
    page.keyboard.up("p")
    page.keyboard.press("p")
    took(page, version + 1)


def test_keys_go_on_after_a_whole_group_was_picked_with_the_mouse(look: Look, table: AtTable) -> None:
    table.deal()
    leader = table.waiting()[0]
    version = table.view["version"]
    page = sit(look, table, leader)
    shows(page, version)
    page.locator("#hand .pick").last.click()
    page.keyboard.press("Enter")
    took(page, version + 1)
    assert page.evaluate("document.activeElement.closest('#hand') !== null")


def test_the_second_click_of_a_double_one_does_not_press_what_came_in_its_place(look: Look, table: AtTable) -> None:
    page, version = in_turn(look, table)
    page.locator("#pass:enabled").hover()
    page.mouse.down(click_count=1)
    page.mouse.up(click_count=1)
    took(page, version + 1)
    while table.waiting() != ["alice"] or not table.view["hand"]["to_beat"]:
        table.move()
    version = table.view["version"]
    shows(page, version)
    page.locator("#pass:enabled").hover()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.wait_for_timeout(300)
    assert table.view["version"] == version
    page.click("#pass")
    took(page, version + 1)


def test_hints_may_be_clicked_quickly(look: Look, table: AtTable) -> None:
    table.deal()
    leader = table.waiting()[0]
    page = sit(look, table, leader)
    shows(page, table.view["version"])
    page.click("#hint")
    page.locator("#hinted", has_text="提示 1/").wait_for()
    page.click("#hint", click_count=2)
    page.locator("#hinted", has_text="提示 3/").wait_for()


def test_leaving_is_asked_anew_when_a_hand_began_meanwhile(look: Look, table: AtTable) -> None:
    page = sit(look, table)
    page.click("#leave")
    page.locator("#sure-words", has_text="空出来").wait_for()
    table.deal()
    shows(page, table.view["version"])
    page.click("#sure-yes")
    page.locator("#sure-words", has_text="逃跑").wait_for()
    assert "alice" in [seat["player"] for seat in table.view["seats"]]
    page.click("#sure-yes")
    page.wait_for_url(f"**/watch/{table.id}")


def test_leaving_and_dissolving_are_offered_to_who_sits_at_an_open_table(look: Look, table: AtTable) -> None:
    page = look("/")
    page.route("**/events?*", lambda route: route.abort())
    page.goto(page.url.rstrip("/") + table.seat_link("alice"))
    page.locator("#state[data-state='reconnecting']").wait_for()
    ways = page.locator("#dissolve, #leave")
    assert not any(way.is_visible() for way in ways.all())
    page.unroute("**/events?*")
    page.locator("#state[data-state='live']").wait_for()
    assert all(way.is_visible() for way in ways.all())
    for player in NAMES:
        table.post(player, "dissolution", {"agree": True})
    page.locator("#state[data-state='closed']").wait_for()
    page.locator("#actions a[href*='/replay/']").wait_for()
    assert not any(way.is_visible() for way in ways.all())


def test_another_seat_in_the_same_tab_shows_nothing_of_the_first(look: Look, table: AtTable) -> None:
    table.deal()
    page = sit(look, table)
    shows(page, table.view["version"])
    late: list[Any] = []
    page.route("**/audit?*", lambda route: late.append(route) if not late else route.continue_())
    with page.expect_request("**/audit?*"):
        page.reload()
    page.evaluate("token => { location.hash = `token=${token}`; }", table.tokens["bob"])
    bobs = sorted(cards_of(table, "bob"))
    held = "[...document.querySelectorAll('#hand .card')].map(card => card.dataset.card).sort().join()"
    page.wait_for_function(f"cards => {held} === cards", arg=",".join(bobs))
    with page.expect_response("**/audit?*"):
        late.pop().continue_()
    page.wait_for_timeout(200)
    assert page.evaluate(held) == ",".join(bobs)


def test_another_seat_in_the_same_tab_is_offered_its_own_declarations(look: Look, open_table: Open) -> None:
    table = open_table("ningxia", deal_step=100, deal_pace=0)
    table.deal()
    while table.view["hand"]["phase"] != "declaring":
        pass
    counts = {name: len(table.hints(name, limit=100)["options"]) for name in NAMES}
    some = max(NAMES, key=counts.__getitem__)
    other = min(NAMES, key=counts.__getitem__)
    page = sit(look, table, some)
    page.locator(".declare").nth(counts[some] - 1).wait_for()
    page.evaluate("token => { location.hash = `token=${token}`; }", table.tokens[other])
    page.wait_for_function("count => document.querySelectorAll('.declare').length === count", arg=counts[other])
