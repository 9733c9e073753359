"""The pictures of the documentation, taken anew from a house that plays: `python -m tests.browser.pictures [FOLDER]`."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, AtTable, shows
from tests.browser.seats import to_follow
from tests.kit.house import House

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER: Final = Path(__file__).parent.parent.parent / "docs" / "pictures"
DESK: Final = {"viewport": {"width": 1280, "height": 900}}
TALL: Final = {"viewport": {"width": 1280, "height": 1250}}
PHONE: Final = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
REST: Final = 1500
"""Milliseconds in which a page gets to rest."""


class Studio:
    """A browser before a house, and the folder where its pictures go."""

    def __init__(self, browser: "Browser", urls: dict[str, str], folder: Path) -> None:
        self.browser, self.urls, self.folder = browser, urls, folder

    @contextmanager
    def look(self, path: str, **how: Any) -> Iterator["Page"]:
        """A page of the house."""
        with self.browser.new_context(**how) as context:
            page = context.new_page()
            page.goto(self.urls["url"] + path)
            yield page

    def take(self, page: "Page", name: str) -> None:
        """Take what the window shows once it rests."""
        page.wait_for_timeout(REST)
        page.screenshot(path=self.folder / name, animations="disabled")

    def table(self, ruleset: str, **options: Any) -> AtTable:
        """A table of four."""
        return AtTable(self.urls["url"], self.urls["operator"], ruleset, **options)

    def lobby(self) -> None:
        """Tables of several rules, some in play, one over."""
        for number, ruleset in enumerate(("basic", "jj", "qianbian", "jinbao")):
            table = self.table(ruleset, hands=1 if number == 0 else 4)
            table.deal()
            for _ in range(3 + 5 * number):
                table.move()
            if number == 0:
                table.play_out()
        with self.look("/", **DESK) as page:
            page.locator("#open [data-table]").nth(2).wait_for()
            self.take(page, "lobby.png")

    def watching(self) -> None:
        """A trump game in its seventh trick, to which three have played."""
        table = self.table("ningxia", deal_step=25, deal_pace=0)
        table.deal()
        while (hand := table.view["hand"])["phase"] != "playing" or hand["trick"] < 7 or len(hand["plays"]) < 3:
            if table.waiting():
                table.move()
        for name, how in (("watch-ningxia.png", DESK), ("watch-phone.png", PHONE)):
            with self.look(f"/watch/{table.id}", **how) as page:
                shows(page, table.view["version"])
                self.take(page, name)

    def replaying(self) -> None:
        """A hand at a late bomb, with the next one dealt; and the same on a phone in the dark."""
        table, bomb = self.table("huopin"), None
        table.deal()
        while bomb is None:
            table.play_out()
            events = table.http.get(f"{table.path}/audit", params={"limit": 1000}).json()["events"]
            bombs = [each for each in events if (each["data"].get("reading") or {}).get("stars")]
            bomb = next((each["version"] for each in bombs[2:] if each["data"]["trick"] > 2), None)
            table.deal()
        for name, how in (("replay.png", TALL), ("replay-phone.png", {**PHONE, "color_scheme": "dark"})):
            with self.look(f"/replay/{table.id}#e={bomb}", **how) as page:
                page.locator("#why .clause, #why li").first.wait_for()
                self.take(page, name)

    def playing(self) -> None:
        """A seat on a phone, with a hint, to beat what was led."""
        table = self.table("huopin")
        version = to_follow(table)
        with self.look(table.seat_link("alice"), **PHONE) as page:
            shows(page, version)
            page.click("#hint")
            page.wait_for_function("() => !document.querySelector('#do').disabled")
            self.take(page, "play-phone.png")

    def disputing(self) -> None:
        """A case as its adjudicator reads it."""
        table = self.table("huopin")
        table.deal()
        table.play_out()
        events = table.http.get(f"{table.path}/audit").json()["events"]
        event = next(each["version"] for each in events if each["type"].startswith("shuangkou.played"))
        claim = {"table": table.id, "event": event, "claim": "我点错了牌。 I clicked the wrong card."}
        case = table.send("/disputes", table.tokens["alice"], claim)["dispute"]
        table.send(f"/disputes/{case}/assignments", self.urls["operator"], {"adjudicator": "adjudicator"})
        with self.look(f"/disputes/{case}#token={self.urls['adjudicator']}", **TALL) as page:
            page.locator("#inside[data-version]").wait_for()
            self.take(page, "dispute.png")


def main(folder: Path = FOLDER) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, House(Path(place) / "data", "--no-demo") as house:
        urls = httpx.Response(200, content=(house.data / "credentials.json").read_bytes()).json()
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS) as browser,
        ):
            studio = Studio(browser, urls, folder)
            for work in (studio.playing, studio.watching, studio.replaying, studio.disputing, studio.lobby):
                work()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
