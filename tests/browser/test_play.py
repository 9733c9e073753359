"""A seat at a table in a real browser: whole hands by mouse, touch and keys, refusals in words, coming back, leaving."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import NAMES, WIDE, AtTable, Look, Open, shows, took

if TYPE_CHECKING:
    from playwright.sync_api import Page

HIT = """(card) => {
    card.scrollIntoView({ block: "center" });
    const box = card.getBoundingClientRect();
    const found = document.elementFromPoint(box.left + 12, box.top + 12);
    return found !== null && card.contains(found);
}"""
"""Whether a finger on the upper left corner of a card, which is never covered, hits it."""


def sit(look: Look, table: AtTable, player: str = "alice", **how: Any) -> "Page":
    """Take a seat in a browser."""
    page = look(table.seat_link(player), **how)
    page.locator("#state[data-state='live'], #state[data-state='closed']").wait_for()
    return page


def until_turn(table: AtTable, player: str = "alice") -> bool:
    """Let the others play until it is this player's turn; False when the hand is over before."""
    while (hand := table.view["hand"]) is None or not hand["result"]:
        waited = table.waiting()
        if player in waited:
            return True
        if waited:
            table.move()
    return False


def pick(page: "Page", cards: list[str]) -> None:
    """Click these cards, each copy once."""
    page.click("#clear")
    for card in cards:
        page.locator(f"#hand .card[data-card='{card}'][aria-pressed='false']").last.click(position={"x": 10, "y": 10})


def picks(page: "Page") -> list[str | None]:
    """The cards that are picked."""
    return [each.get_attribute("data-card") for each in page.locator("#hand .card[aria-pressed='true']").all()]


def test_a_whole_hand_is_played_by_clicking(look: Look, table: AtTable) -> None:
    page = sit(look, table)
    page.click("#start")
    page.locator("#hand .card").nth(26).wait_for()
    while until_turn(table):
        version = table.view["version"]
        shows(page, version)
        page.locator("#do").wait_for()
        hints = table.hints("alice")["options"]
        if hints:
            pick(page, hints[0]["cards"])
            page.click("#do")
        else:
            page.click("#pass")
        took(page, version + 1)
    shows(page, table.view["version"])
    page.locator("#result").wait_for()
    page.locator("#start").wait_for()
    assert "alice" in page.inner_text("#result")


def test_a_whole_trump_hand_is_played_by_clicking(look: Look, open_table: Open) -> None:
    table = open_table("ningxia", deal_step=25, deal_pace=0)
    page = sit(look, table)
    page.click("#start")
    while until_turn(table):
        view = table.view
        shows(page, view["version"])
        if view["hand"]["phase"] in {"declaring", "countering"}:
            shown = page.locator(".declare")
            page.locator("#decline").wait_for()
            (shown.first if shown.count() else page.locator("#decline")).click()
        else:
            page.click("#hint")
            page.wait_for_function("() => !document.querySelector('#do').disabled")
            page.click("#do")
        took(page, view["version"] + 1)
    shows(page, table.view["version"])
    page.locator("#result .kitty").wait_for()


def test_a_hand_is_played_with_keys_alone(look: Look, table: AtTable) -> None:
    table.deal()
    until_turn(table)
    page = sit(look, table)
    shows(page, table.view["version"])
    page.locator("#hand .card").first.wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#hand') !== null"):
            break
    focused = "document.activeElement.dataset.card"
    start = page.evaluate(focused)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) != start
    page.keyboard.press("Home")
    assert page.evaluate(focused) == start
    page.keyboard.press(" ")
    assert page.locator("#hand .card[aria-pressed='true']").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#hand .card[aria-pressed='true']").count() == 0
    for _ in range(3):
        if not until_turn(table):
            break
        version = table.view["version"]
        shows(page, version)
        can = bool(table.hints("alice")["options"])
        page.locator("#hint:enabled").wait_for()
        page.keyboard.press("h" if can else "p")
        if can:
            page.wait_for_function("() => !document.querySelector('#do').disabled")
            page.keyboard.press("Enter")
        took(page, version + 1)
        assert page.evaluate("document.activeElement.closest('#hand') !== null")


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


@pytest.mark.parametrize("ruleset", ["huopin", "ningxia"])
def test_all_cards_of_a_holding_can_be_touched_on_a_phone(look: Look, open_table: Open, ruleset: str) -> None:
    table = open_table(ruleset, deal_step=100, deal_pace=0)
    table.deal()
    player, cards = "alice", 27
    if ruleset == "ningxia":
        while table.view["hand"]["phase"] != "burying":
            if table.waiting():
                table.move()
        player, cards = table.waiting()[0], 33
    page = sit(look, table, player, width=360, height=740, has_touch=True, is_mobile=True)
    page.locator("#hand .card").nth(cards - 1).wait_for()
    buttons = page.locator("#hand .card").all()
    assert len(buttons) == cards
    assert page.evaluate(WIDE)
    assert all(button.evaluate(HIT) for button in buttons)
    for button in buttons:
        button.tap(position={"x": 10, "y": 10})
        assert button.get_attribute("aria-pressed") == "true"
    page.locator("#hand .pick").first.tap()
    assert page.locator("#hand .held-group").first.locator(".card[aria-pressed='true']").count() == 0
    if ruleset == "ningxia":
        version = table.view["version"]
        page.tap("#hint")
        page.locator("#do:enabled", has_text="8/8").tap()
        took(page, version + 1)
        page.wait_for_function("() => document.querySelectorAll('#hand .card').length === 25")


def test_level_cards_are_shown_to_declare_trumps(look: Look, open_table: Open) -> None:
    table = open_table("ningxia", deal_step=100, deal_pace=0)
    table.deal()
    while table.view["hand"]["phase"] != "declaring":
        pass
    player = next(name for name in NAMES if table.hints(name)["options"])
    page = sit(look, table, player)
    page.locator(".declare").first.click()
    page.locator(f"#seat-{view_seat(table, player)} .card").first.wait_for()
    assert table.view["hand"]["declared"]["seat"] == view_seat(table, player)


def test_the_clock_of_a_turn_is_shown_to_who_has_it(look: Look, open_table: Open) -> None:
    table = open_table(turn_seconds=600)
    table.deal()
    assert until_turn(table)
    page = sit(look, table)
    page.locator("#clock .clock").wait_for()
    shows(page, table.view["version"])
    left = page.locator("#clock .clock").inner_text()
    page.wait_for_function("before => document.querySelector('#clock .clock').innerText !== before", arg=left)
    assert "轮到你" in page.title()


def test_a_refusal_is_told_in_both_languages_with_its_clause(look: Look, table: AtTable) -> None:
    table.deal()
    assert until_turn(table)
    page = sit(look, table)
    shows(page, table.view["version"])
    groups = page.locator("#hand .held-group")
    groups.nth(1).locator(".card").first.click(position={"x": 10, "y": 10})
    groups.nth(4).locator(".card").first.click(position={"x": 10, "y": 10})
    page.click("#do")
    refusal = page.locator("#refusal")
    refusal.wait_for()
    assert "不成牌型" in refusal.inner_text()
    assert "forms no pattern" in refusal.inner_text()
    assert refusal.locator(".clause").inner_text() == "C3"
    assert page.locator("#hand .card[aria-pressed='true']").count() == 2


def test_a_command_without_an_answer_is_sent_again_and_recorded_once(look: Look, table: AtTable) -> None:
    table.deal()
    assert until_turn(table)
    version = table.view["version"]
    page = sit(look, table)
    shows(page, version)
    lost: list[str] = []

    def lose(route: Any) -> None:
        lost.append(route.request.headers["idempotency-key"])
        if len(lost) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/plays", lose)
    pick(page, table.hints("alice")["options"][0]["cards"])
    page.click("#do")
    shows(page, version + 1)
    page.wait_for_function(
        "() => document.querySelector('#refusal').hidden && document.querySelector('#hinted').textContent === ''"
    )
    assert len(lost) == 2
    assert lost[0] == lost[1]
    played = [event for event in table.http.get(f"{table.path}/audit").json()["events"] if event["version"] > version]
    assert sum(event["type"].startswith("shuangkou.played") for event in played) == 1


def test_who_was_away_comes_back(look: Look, open_table: Open) -> None:
    table = open_table(turn_seconds=1)
    table.deal()
    while not table.view["seats"][view_seat(table, "alice")]["away"]:
        pass
    page = sit(look, table)
    page.locator("#call .button").click()
    page.wait_for_function("() => document.querySelector('#call').hidden")
    assert any("player-returned" in event["type"] for event in table.http.get(f"{table.path}/audit").json()["events"])


def cards_of(table: AtTable, player: str) -> list[str]:
    """What a player holds."""
    bearer = {"Authorization": f"Bearer {table.tokens[player]}"}
    seats = table.http.get(table.path, headers=bearer).json()["seats"]
    return list(seats[view_seat(table, player)]["holding"])


def view_seat(table: AtTable, player: str) -> int:
    """Where a player sits."""
    return int(next(seat["seat"] for seat in table.view["seats"] if seat["player"] == player))


def test_a_vote_to_dissolve_is_asked_and_answered(look: Look, table: AtTable) -> None:
    table.deal()
    page = sit(look, table)
    table.post("bob", "dissolution", {"agree": True})
    page.locator("#call", has_text="bob").wait_for()
    page.locator("#call .button").click()
    page.wait_for_function("() => document.querySelector('#call').hidden")
    for player in ("carol", "dave"):
        table.post(player, "dissolution", {"agree": True})
    page.locator("#state[data-state='closed']").wait_for()


def test_leaving_is_asked_again_before_it_is_done(look: Look, table: AtTable) -> None:
    page = sit(look, table)
    page.click("#leave")
    page.locator("#sure").wait_for()
    page.keyboard.press("Escape")
    page.locator("#sure").wait_for(state="hidden")
    assert "alice" in [seat["player"] for seat in table.view["seats"]]
    page.click("#leave")
    page.click("#sure-yes")
    page.wait_for_url(f"**/watch/{table.id}")
    assert "alice" not in [seat["player"] for seat in table.view["seats"]]


def test_a_token_leaves_the_address_and_a_wrong_one_is_refused(look: Look, table: AtTable) -> None:
    page = sit(look, table)
    assert table.tokens["alice"] not in page.url
    page.reload()
    page.locator("#state[data-state='live']").wait_for()
    other = look(f"/play/{table.id}#token=nonsense")
    other.locator("#gate-said").wait_for()
    assert "令牌" in other.inner_text("#gate-said")


def to_follow(table: AtTable) -> int:
    """Let the others play until alice is to beat something, and could. The version at which it is so."""
    table.deal()
    while not (table.waiting() == ["alice"] and table.view["hand"]["to_beat"] and table.hints("alice")["options"]):
        table.move()
    return int(table.view["version"])


def test_what_was_said_of_a_turn_goes_with_it(look: Look, table: AtTable) -> None:
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
    groups = page.locator("#hand .held-group")
    groups.nth(1).locator(".card").first.click(position={"x": 10, "y": 10})
    groups.nth(4).locator(".card").first.click(position={"x": 10, "y": 10})
    page.click("#do")
    page.locator("#refusal").wait_for()
    table.post("alice", "passes")
    shows(page, version + 1)
    assert page.locator("#refusal").is_hidden()


def test_a_hint_goes_with_its_turn(look: Look, table: AtTable) -> None:
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
    page.click("#hint")
    page.locator("#hinted", has_text="提示").wait_for()
    table.post("alice", "passes")
    shows(page, version + 1)
    assert page.inner_text("#hinted") == ""


def test_who_gave_up_sending_no_longer_says_that_it_is_sent_again(look: Look, table: AtTable) -> None:
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
    page.route("**/passes", lambda route: route.abort())
    page.click("#pass")
    page.locator("#hinted", has_text="重发").wait_for()
    page.locator("#refusal", has_text="没有响应").wait_for()
    assert page.inner_text("#hinted") == ""
    assert page.locator("#pass").is_enabled()


def test_a_play_is_made_though_somebody_asks_to_dissolve_just_then(look: Look, table: AtTable) -> None:
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
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
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
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
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
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
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
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
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
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
    counts = {
        name: len(
            table.http.get(
                f"{table.path}/options",
                params={"limit": 100},
                headers={"Authorization": f"Bearer {table.tokens[name]}"},
            ).json()["options"]
        )
        for name in NAMES
    }
    some = max(NAMES, key=counts.__getitem__)
    other = min(NAMES, key=counts.__getitem__)
    page = sit(look, table, some)
    page.locator(".declare").nth(counts[some] - 1).wait_for()
    page.evaluate("token => { location.hash = `token=${token}`; }", table.tokens[other])
    page.wait_for_function("count => document.querySelectorAll('.declare').length === count", arg=counts[other])
