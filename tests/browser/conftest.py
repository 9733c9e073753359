"""A whole house without its demonstration, a table that moves when a test says so, and a real browser to look with."""

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.kit.house import House

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
MISSING = "Chromium is not installed: apt-get install chromium"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("alice", "bob", "carol", "dave")
Look = Callable[..., "Page"]
NOWHERE = "**/nowhere"
"""No page asks for it. A route from the start intercepts a page; one that gets its first route later lets some requests pass by."""
WIDE = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
"""Whether nothing has to be scrolled to sideways."""


def shows(page: "Page", version: int) -> None:
    """Wait until the page shows the table at this version or after."""
    page.wait_for_function("version => Number(document.querySelector('#version').textContent) >= version", arg=version)


def took(page: "Page", version: int) -> None:
    """Wait until what a player did is on the page, at this version; a refusal fails the test with its words."""
    page.wait_for_function(
        """version => Number(document.querySelector('#version').textContent) >= version
            || !document.querySelector('#refusal').hidden""",
        arg=version,
    )
    assert page.locator("#refusal").inner_text() == ""


class AtTable:
    """A table of a running house, moved by its operator and its four players."""

    def __init__(self, url: str, operator: str, ruleset: str = "huopin", **options: Any) -> None:
        self.http = httpx.Client(base_url=url, timeout=30, trust_env=False)
        self.operator = operator
        body = {"ruleset": ruleset, "options": {"hands": 4, **options}}
        self.id = str(self.send("/tables", operator, body)["table"])
        self.path = f"/tables/{self.id}"
        self.tokens = {name: self.send(f"{self.path}/seats", operator, {"player": name})["token"] for name in NAMES}

    def send(self, path: str, token: str, body: Any = None) -> Any:
        """Send a command with a token; it must be taken."""
        response = self.http.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert response.is_success, response.text
        return response.json()

    @property
    def view(self) -> Any:
        """What a spectator gets."""
        return self.http.get(self.path).json()

    def waiting(self, view: Any = None) -> list[str]:
        """The players that the table waits for."""
        view = view or self.view
        hand = view["hand"]
        if hand is None or hand["result"]:
            return []
        seats = hand["waiting"] if hand["family"] == "trumps" else [hand["turn"]]
        return [view["seats"][seat]["player"] for seat in seats]

    def hints(self, player: str, limit: int = 1) -> Any:
        """What a player may do now, best first."""
        bearer = {"Authorization": f"Bearer {self.tokens[player]}"}
        return self.http.get(f"{self.path}/options", params={"limit": limit}, headers=bearer).json()

    def post(self, player: str, path: str, body: Any = None) -> Any:
        """A command of a player."""
        return self.send(f"{self.path}/{path}", self.tokens[player], body)

    def deal(self) -> None:
        """Start a hand."""
        self.send(f"{self.path}/hands", self.operator)

    def move(self, player: str | None = None) -> Any:
        """A player, by default the one to move, does the first thing that the hints say, passes or declines."""
        view = self.view
        player = player or self.waiting(view)[0]
        phase = view["hand"].get("phase")
        hints = self.hints(player)["options"]
        if phase in {"declaring", "countering"}:
            return self.post(player, "declarations" if phase == "declaring" else "counters", {"cards": ""})
        if not hints:
            return self.post(player, "passes")
        return self.post(player, "burials" if phase == "burying" else "plays", {"cards": hints[0]["cards"]})

    def play_out(self) -> None:
        """Play the present hand to its end."""
        while not self.view["hand"]["result"]:
            if self.waiting():
                self.move()

    def seat_link(self, player: str) -> str:
        """The link with which a player sits down."""
        return f"/play/{self.id}#token={self.tokens[player]}"


@pytest.fixture(scope="package")
def chromium() -> Path:
    """Debian's Chromium. Without it these tests are skipped, but never where `CI` is set."""
    missing = MISSING if not CHROMIUM.exists() else ""
    if find_spec("playwright") is None:
        missing = "Playwright is not installed: pip install playwright"
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    return CHROMIUM


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator["Browser"]:
    """A browser. It is closed with the module, because while it runs no other event loop can."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory, chromium: Path) -> Iterator[House]:
    """Everything that `up` runs, without the demonstration."""
    with House(tmp_path_factory.mktemp("browser") / "data", "--no-demo") as running:
        yield running


@pytest.fixture(scope="package")
def urls(house: House) -> dict[str, str]:
    """Addresses and tokens that `up` left."""
    found: dict[str, str] = httpx.Response(200, content=(house.data / "credentials.json").read_bytes()).json()
    return found


@pytest.fixture
def table(urls: dict[str, str]) -> Iterator[AtTable]:
    """A table with four players."""
    found = AtTable(urls["url"], urls["operator"])
    yield found
    found.http.close()


Open = Callable[..., AtTable]


@pytest.fixture
def open_table(urls: dict[str, str]) -> Iterator[Open]:
    """Open a table with four players for a ruleset, with options."""
    opened: list[AtTable] = []

    def make(ruleset: str = "huopin", **options: Any) -> AtTable:
        opened.append(AtTable(urls["url"], urls["operator"], ruleset, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.http.close()


@pytest.fixture
def look(browser: "Browser", urls: dict[str, str]) -> Iterator[Look]:
    """Open a path as a reader would. An error in a script, or anything that the content policy forbids, fails the test."""
    errors: list[str] = []
    contexts = []

    def open_page(path: str, width: int = 1280, height: int = 860, service: str = "url", **more: Any) -> "Page":
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.route(NOWHERE, lambda route: route.abort())
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
        page.goto(urls[service] + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
