"""The pages in a real browser, at a real service."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.browser.conftest import NAMES, WIDE, AtTable, Look, Open, shows
from tests.kit.house import House

if TYPE_CHECKING:
    from playwright.sync_api import Route


def test_the_lobby_lists_a_table_and_links_to_it(look: Look, table: AtTable) -> None:
    table.deal()
    page = look("/")
    row = page.locator(f"#open [data-table='{table.id}']")
    row.locator("text=进行中").wait_for()
    text = row.inner_text()
    assert all(name in text for name in NAMES)
    assert "火拼双扣" in text
    links = {link.get_attribute("href") for link in row.locator(".ways a").all()}
    assert links == {f"/{page}/{table.id}" for page in ("watch", "replay", "play")}
    row.locator(".title").focus()
    page.keyboard.press("Enter")
    shows(page, table.view["version"])
    assert page.url.endswith(f"/watch/{table.id}")


def test_seats_are_offered_only_where_commands_are_taken(look: Look, table: AtTable, urls: dict[str, str]) -> None:
    page = look("/", service="spectate")
    row = page.locator(f"[data-table='{table.id}']")
    row.locator("a[href^='/watch/']").first.wait_for()
    assert row.locator("a[href^='/play/']").count() == 0
    assert httpx.get(f"{urls['spectate']}/play/{table.id}", trust_env=False).status_code == 404


def test_the_lobby_finds_tables_by_what_is_asked(look: Look, open_table: Open) -> None:
    table, other = open_table("jinbao"), open_table("qianbian")
    found = "#open [data-table='{}']"
    page = look("/?ruleset=jinbao")
    page.locator(found.format(table.id)).wait_for()
    page.locator(found.format(other.id)).wait_for(state="detached")
    page.select_option("[name=ruleset]", "qianbian")
    page.locator(found.format(other.id)).wait_for()
    page.locator(found.format(table.id)).wait_for(state="detached")
    assert page.url.endswith("/?ruleset=qianbian")
    page.click("#reset")
    page.fill("[name=search]", table.id[2:10])
    page.locator(found.format(other.id)).wait_for(state="detached")
    page.locator(found.format(table.id)).wait_for()
    page.fill("[name=player]", "nobody of this name")
    page.locator("#empty").wait_for()


def test_what_is_asked_of_the_lobby_is_not_lost_when_an_earlier_answer_comes_late(look: Look) -> None:
    page = look("/?ruleset=jinbao")
    held: list[Route] = []

    def hold_the_first(route: "Route") -> None:
        held.append(route)
        if len(held) > 1:
            route.continue_()

    page.route("**/tables?*", hold_the_first)
    while not held:
        page.wait_for_timeout(50)
    page.select_option("[name=ruleset]", "qianbian")
    held[0].continue_()
    page.wait_for_url("**/?ruleset=qianbian")


def test_the_lobby_works_without_scripts(look: Look, open_table: Open) -> None:
    table, other = open_table("jj"), open_table("basic")
    page = look("/", java_script_enabled=False)
    page.select_option("[name=ruleset]", "jj")
    page.fill("[name=player]", "ALICE")
    page.click(".filters .button")
    row = page.locator(f"[data-table='{table.id}']")
    assert "JJ双扣" in row.inner_text()
    assert page.locator(f"[data-table='{other.id}']").count() == 0
    row.locator("text=观战").click()
    assert "没有 JavaScript" in page.inner_text("main")
    assert all(name in page.inner_text("main") for name in NAMES)


def test_watching_a_match_to_its_end(look: Look, open_table: Open) -> None:
    table = open_table(hands=1)
    page = look(f"/watch/{table.id}")
    page.locator("#state[data-state='live']").wait_for()
    table.deal()
    table.play_out()
    page.locator("#state[data-state='closed']").wait_for()
    shows(page, table.view["version"])
    assert "本桌已结束" in page.inner_text("#now")
    assert page.locator("#links a[download]").get_attribute("href") == f"/tables/{table.id}/export"


def test_a_trump_game_is_watched_with_its_trumps_and_points(look: Look, open_table: Open) -> None:
    table = open_table("ningxia", deal_step=100, deal_pace=0)
    table.deal()
    page = look(f"/watch/{table.id}")
    while table.view["hand"]["phase"] != "playing":
        if table.waiting():
            table.move()
    for _ in range(5):
        table.move()
    view = table.view
    shows(page, view["version"])
    page.wait_for_function("() => document.querySelectorAll('.seat .play .card').length > 0")
    facts = page.inner_text("#facts")
    assert "打" in facts
    assert str(view["hand"]["attackers"]) in facts
    declarer = page.locator(f"#seat-{view['hand']['declarer']}")
    assert "庄" in declarer.inner_text()
    assert page.locator("#gone li li").count() == 54
    table.play_out()
    page.locator("#result").wait_for()
    assert page.locator("#result .kitty .card").count() == 8


def test_who_may_looks_at_all_hands_late(look: Look, open_table: Open) -> None:
    table = open_table(delayed=3)
    table.deal()
    for _ in range(5):
        table.move()
    page = look(f"/watch/{table.id}")
    shows(page, table.view["version"])
    assert page.locator(".seat .holding .card").count() == 0
    page.click("#eyes [data-as='delayed']")
    page.locator(".seat .holding .card").first.wait_for()
    assert page.locator(".seat .holding .card").count() > 100
    assert page.locator("#version").inner_text() == str(table.view["version"] - 3)


def test_a_clock_counts_down_and_an_absent_player_is_marked(look: Look, open_table: Open) -> None:
    table = open_table(turn_seconds=1)
    page = look(f"/watch/{table.id}")
    table.deal()
    page.locator(".seat .clock").first.wait_for()
    page.locator(".seat .tag", has_text="托管").first.wait_for()


def test_a_table_is_shown_live_with_cards_as_cards(look: Look, table: AtTable) -> None:
    page = look(f"/watch/{table.id}", service="spectate")
    shows(page, table.view["version"])
    table.deal()
    shows(page, table.view["version"])
    played = table.move()
    shows(page, played["version"])
    cards = table.view["hand"]["plays"][0]["cards"]
    drawn = page.locator(".board .play .card")
    drawn.first.wait_for()
    assert sorted(card.get_attribute("data-card") or "" for card in drawn.all()) == sorted(cards)
    assert all(card.get_attribute("aria-label") for card in drawn.all())


def test_watching_goes_on_when_the_service_is_killed_and_comes_back(look: Look, table: AtTable, house: House) -> None:
    table.deal()
    page = look(f"/watch/{table.id}")
    shows(page, table.view["version"])
    before = house.processes()["tables"]["restarts"] or 0
    house.kill("tables")
    page.locator("#state[data-state='reconnecting']").wait_for()
    page.locator("#state[data-state='live']").wait_for()
    assert (house.processes()["tables"]["restarts"] or 0) > before
    played = table.move()
    shows(page, played["version"])
    versions = [int(line.inner_text()) for line in page.locator("#log li > :first-child").all()]
    assert versions == list(range(versions[0], versions[0] - len(versions), -1))
    assert versions[0] == played["version"]


def test_a_hand_that_is_over_shows_what_was_left_and_every_number(look: Look, table: AtTable) -> None:
    table.deal()
    table.play_out()
    page = look(f"/watch/{table.id}")
    view = table.view
    shows(page, view["version"])
    result = page.locator("#result")
    result.wait_for()
    text = result.inner_text()
    assert all(name in text for name in NAMES)
    left = sum(len(seat["holding"]) for seat in view["seats"])
    assert page.locator(".board .holding .card").count() == left
    assert view["hand"]["seed"] in (page.locator("#proof").text_content() or "")


@pytest.mark.parametrize("path", ["/", "/watch/{id}", "/replay/{id}"])
def test_a_phone_shows_a_page_without_scrolling_sideways(look: Look, table: AtTable, path: str) -> None:
    table.deal()
    for _ in range(6):
        table.move()
    page = look(path.format(id=table.id), width=360, height=740, has_touch=True, is_mobile=True)
    page.locator("#state[data-state='live']").wait_for()
    page.locator(f"[href*='{table.id}'], #log li").first.wait_for()
    assert page.evaluate(WIDE)


def test_a_table_that_is_not_there_is_a_page_in_words(look: Look) -> None:
    page = look("/watch/t-nosuchtable")
    assert "没有这张桌子" in page.inner_text("main")
    assert "There is no such table" in page.inner_text("main")
    assert page.locator("main a[href='/']").count() == 1


def test_an_address_that_is_none_is_a_page_for_people_and_a_problem_for_programs(
    look: Look, urls: dict[str, str]
) -> None:
    page = look("/nosuch")
    assert "没有这个地址" in page.inner_text("main")
    assert page.locator("main a[href='/']").count() == 1
    answer = httpx.get(f"{urls['url']}/nosuch", trust_env=False)
    assert (answer.status_code, answer.json()["rule"]) == (404, "no_such_path")


def test_the_interface_is_documented_without_the_internet(look: Look, urls: dict[str, str]) -> None:
    page = look("/docs")
    page.locator(".opblock", has_text="/tables/{table}/plays").first.wait_for()
    assert page.locator(".opblock").count() > 20
    asked = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert asked
    assert all(address.startswith(urls["url"]) for address in asked)


def test_pages_run_nothing_but_our_own_files_and_those_are_kept(urls: dict[str, str]) -> None:
    with httpx.Client(trust_env=False) as http:
        for service in ("url", "spectate"):
            lobby = http.get(f"{urls[service]}/")
            policy = lobby.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            script = re.findall(r'src="(/static/[^"]+\.js)"', lobby.text)[0]
            kept = http.get(urls[service] + script)
            assert kept.headers["content-type"].startswith("text/javascript")
            assert "immutable" in kept.headers["cache-control"]
            assert http.get(f"{urls[service]}/static/older/lobby.js").headers["cache-control"] == "no-cache"
        assert http.get(f"{urls['url']}/static/older/..%2Fpages.py").status_code == 404
