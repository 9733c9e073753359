"""A whole house without its demonstration, a table that moves when a test says so, and a real browser to look with."""

import os
from collections.abc import Callable, Iterator
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


class AtTable:
    """A table of a running house, moved by its operator and its four players."""

    def __init__(self, url: str, operator: str, ruleset: str = "huopin") -> None:
        self.http = httpx.Client(base_url=url, timeout=30, trust_env=False)
        self.operator = operator
        self.id = str(self._post("/tables", operator, {"ruleset": ruleset, "options": {"hands": 4}})["table"])
        self.path = f"/tables/{self.id}"
        self.tokens = {name: self._post(f"{self.path}/seats", operator, {"player": name})["token"] for name in NAMES}

    def _post(self, path: str, token: str, body: Any = None) -> Any:
        response = self.http.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert response.is_success, response.text
        return response.json()

    @property
    def view(self) -> Any:
        """What a spectator gets."""
        return self.http.get(self.path).json()

    def deal(self) -> None:
        """Start a hand."""
        self._post(f"{self.path}/hands", self.operator)

    def move(self) -> Any:
        """The player to move does the first thing that the hints say, or passes."""
        view = self.view
        token = self.tokens[view["seats"][view["hand"]["turn"]]["player"]]
        bearer = {"Authorization": f"Bearer {token}"}
        hints = self.http.get(f"{self.path}/options", params={"limit": 1}, headers=bearer).json()["options"]
        if hints:
            return self._post(f"{self.path}/plays", token, {"cards": hints[0]["cards"]})
        return self._post(f"{self.path}/passes", token)

    def play_out(self) -> None:
        """Play the present hand to its end."""
        while self.move()["turn"] is not None:
            pass


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Debian's Chromium. Without it these tests are skipped, but never where `CI` is set.

    It is closed with the module, because while it runs no other event loop can.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("Playwright is not installed: pip install playwright")
    if not CHROMIUM.exists():
        _missing(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


def _missing(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: "Browser") -> Iterator[House]:
    """Everything that `up` runs, without the demonstration."""
    with House(tmp_path_factory.mktemp("browser") / "data", "--no-demo") as running:
        yield running


@pytest.fixture(scope="module")
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


@pytest.fixture
def look(browser: "Browser", urls: dict[str, str]) -> Iterator[Look]:
    """Open a path as a reader would. An error in a script, or anything that the content policy forbids, fails the test."""
    errors: list[str] = []
    contexts = []

    def open_page(path: str, width: int = 1280, height: int = 860, service: str = "url") -> "Page":
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
        page.goto(urls[service] + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
