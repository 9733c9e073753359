"""A seat at a table in a real browser: whole hands by mouse, touch and keys, refusals in words, coming back, leaving."""

from typing import Any

import pytest

from tests.browser.conftest import NAMES, WIDE, AtTable, Look, Open, shows, took
from tests.browser.seats import pick, sit, until_turn, view_seat

HIT = """(card) => {
    card.scrollIntoView({ block: "center" });
    const box = card.getBoundingClientRect();
    const found = document.elementFromPoint(box.left + 12, box.top + 12);
    return found !== null && card.contains(found);
}"""
"""Whether a finger on the upper left corner of a card, which is never covered, hits it."""


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
    while len(lost) < 2:  # what was recorded may be seen before it is sent again
        page.wait_for_timeout(20)
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
