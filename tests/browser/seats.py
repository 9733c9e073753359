"""What tests do at a seat in a browser: sit down, wait for a turn, pick cards."""

from typing import TYPE_CHECKING, Any

from tests.browser.conftest import AtTable, Look, shows

if TYPE_CHECKING:
    from playwright.sync_api import Page


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


def view_seat(table: AtTable, player: str) -> int:
    """Where a player sits."""
    return int(next(seat["seat"] for seat in table.view["seats"] if seat["player"] == player))


def cards_of(table: AtTable, player: str) -> list[str]:
    """What a player holds."""
    bearer = {"Authorization": f"Bearer {table.tokens[player]}"}
    seats = table.http.get(table.path, headers=bearer).json()["seats"]
    return list(seats[view_seat(table, player)]["holding"])


def to_follow(table: AtTable) -> int:
    """Deal, and let everybody play until alice is to beat something, and could. The version at which it is so."""
    table.deal()
    while not (table.waiting() == ["alice"] and table.view["hand"]["to_beat"] and table.hints("alice")["options"]):
        table.move()
    return int(table.view["version"])


def in_turn(look: Look, table: AtTable) -> tuple["Page", int]:
    """Alice's seat as she is to beat something, and could; and the version at which it is so."""
    version = to_follow(table)
    page = sit(look, table)
    shows(page, version)
    return page, version
