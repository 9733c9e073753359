"""No page has a serious fault that axe-core finds, in light and dark, on a desk and on a phone."""

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.browser.conftest import AtTable, Look

if TYPE_CHECKING:
    from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}
THEMES: Final = ("light", "dark")


def faults(page: "Page") -> list[str]:
    """What axe-core finds that is serious, in both themes: the rule and the first elements."""
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        violations: Any = Axe().run(page).response["violations"]
        found += [
            f"{page.url} ({theme}): {each['id']}: {node['html'][:200]}"
            for each in violations
            if each["impact"] in SERIOUS
            for node in each["nodes"][:3]
        ]
    return found


@pytest.fixture
def busy(table: AtTable) -> AtTable:
    """A table with a hand that is over and another that is being played."""
    table.deal()
    table.play_out()
    table.deal()
    for _ in range(4):
        table.move()
    return table


def test_no_page_has_a_serious_fault(look: Look, busy: AtTable) -> None:
    pages = {
        "/": "#open li",
        f"/watch/{busy.id}": "#result-body table",
        f"/replay/{busy.id}#e=40": "#why .clause",
        f"/play/{busy.id}": "#gate",
        busy.seat_link("alice"): "#hand .card",
        "/disputes": "main form",
        "/watch/t-nosuchtable": ".problem",
    }
    found = []
    for path, shown in pages.items():
        page = look(path)
        page.locator(shown).first.wait_for()
        found += faults(page)
    assert not found, "\n".join(found)


def test_an_absent_player_and_a_vote_have_no_serious_fault(look: Look, open_table: Any) -> None:
    table = open_table("qianbian", turn_seconds=1)
    table.deal()
    table.post("bob", "dissolution", {"agree": True})
    page = look(table.seat_link("alice"))
    page.locator("#call", has_text="bob").wait_for()
    page.locator(".seat .tag.bad", has_text="托管").first.wait_for()
    found = faults(page)
    assert not found, "\n".join(found)


def test_a_result_in_coins_has_no_serious_fault(look: Look, open_table: Any) -> None:
    table = open_table("qianbian", coins={"factor": "500", "fee": "50"})
    page = look(table.seat_link("alice"))
    table.deal()
    table.play_out()
    page.locator("#result .coins").first.wait_for()
    found = faults(page)
    assert not found, "\n".join(found)


def test_a_trump_game_has_no_serious_fault_on_a_phone(look: Look, open_table: Any) -> None:
    table = open_table("ningxia", deal_step=100, deal_pace=0, turn_seconds=600)
    table.deal()
    while table.view["hand"]["phase"] != "playing":
        if table.waiting():
            table.move()
    table.move()
    played = table.view["version"]
    found = []
    for path, shown in {
        table.seat_link(table.waiting()[0]): "#do",
        f"/watch/{table.id}": ".seat .play .card",
        f"/replay/{table.id}#e={played}": "#why p",
    }.items():
        page = look(path, width=360, height=740)
        page.locator(shown).first.wait_for()
        found += faults(page)
    assert not found, "\n".join(found)
