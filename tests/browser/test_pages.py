"""The pages in a real browser, at a real service."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.browser.conftest import NAMES, AtTable, Look
from tests.kit.house import House

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDE = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def shows(page: "Page", version: int) -> None:
    """Wait until the page shows the table at this version or after."""
    page.wait_for_function("version => Number(document.querySelector('#version').textContent) >= version", arg=version)


def test_the_lobby_lists_a_table_and_links_to_it(look: Look, table: AtTable) -> None:
    table.deal()
    page = look("/")
    row = page.locator(f"#open a[href='/watch/{table.id}']")
    row.wait_for()
    text = row.inner_text()
    assert all(name in text for name in NAMES)
    assert "火拼双扣" in text
    assert "进行中" in text
    row.focus()
    page.keyboard.press("Enter")
    shows(page, table.view["version"])
    assert page.url.endswith(f"/watch/{table.id}")


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
    assert page.locator(".board .rest .card").count() == left
    assert view["hand"]["seed"] in (page.locator("#proof").text_content() or "")


@pytest.mark.parametrize("path", ["/", "/watch/{id}"])
def test_a_phone_shows_a_page_without_scrolling_sideways(look: Look, table: AtTable, path: str) -> None:
    table.deal()
    for _ in range(6):
        table.move()
    page = look(path.format(id=table.id), width=390, height=844)
    page.locator("#state[data-state='live']").wait_for()
    page.locator(f"[href*='{table.id}'], #log li").first.wait_for()
    assert page.evaluate(WIDE)


def test_a_table_that_is_not_there_is_a_page_in_words(look: Look) -> None:
    page = look("/watch/t-nosuchtable")
    assert "没有这张桌子" in page.inner_text("main")
    assert "There is no such table" in page.inner_text("main")
    assert page.locator("main a[href='/']").count() == 1


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
