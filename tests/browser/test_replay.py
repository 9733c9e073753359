"""A replay in a real browser: every way to go about, whose eyes, why a play was legal, what it scored, and the shuffle computed again."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import WIDE, AtTable, Look

if TYPE_CHECKING:
    from playwright.sync_api import Page


WAITS = """() => {
    window.waits = [];
    const later = window.setTimeout;
    window.setTimeout = (does, wait, ...more) => { window.waits.push(wait); return later(does, wait, ...more); };
}"""
"""Note how long a page waits before it does something."""


@pytest.fixture
def played(table: AtTable) -> AtTable:
    """A table with one hand that is over and a second that is being played."""
    table.deal()
    table.play_out()
    table.deal()
    for _ in range(3):
        table.move()
    return table


def events_of(table: AtTable) -> Any:
    """The record of a table as anybody sees it."""
    return table.http.get(f"{table.path}/audit").json()["events"]


def first(events: Any, kind: str) -> int:
    """The first event of a kind."""
    return int(next(event["version"] for event in events if event["type"].split(".")[1] == kind))


def at_event(page: "Page", version: int) -> None:
    """Wait until the replay is at an event and has drawn the table as it was then."""
    page.wait_for_function("version => document.querySelector('#number').value === String(version)", arg=version)
    page.wait_for_function("version => location.hash.includes(`e=${version}`)", arg=version)


def test_every_control_goes_where_it_says(look: Look, played: AtTable) -> None:
    events = events_of(played)
    last, start = len(events), first(events, "hand-started")
    second = max(event["version"] for event in events if event["type"].startswith("shuangkou.hand-started"))
    page = look(f"/replay/{played.id}#e={start}")
    at_event(page, start)
    for press, version in (
        ("ArrowRight", start + 1),
        ("ArrowLeft", start),
        ("PageDown", second),
        ("PageUp", start),
        ("ArrowDown", first(events, "played")),
        ("End", last),
        ("Home", 1),
    ):
        page.keyboard.press(press)
        at_event(page, version)
    for button, version in (
        ("forward", 2),
        ("hand-forward", start),
        ("trick-forward", first(events, "played")),
        ("trick-back", start),
        ("back", start - 1),
    ):
        page.click(f"#{button}")
        at_event(page, version)
    page.fill("#number", "9")
    page.keyboard.press("Enter")
    at_event(page, 9)
    page.locator("#slider").fill("12")
    at_event(page, 12)
    page.locator("#tricks a").nth(2).click()
    assert "第 2 轮" in page.inner_text("#moment")
    page.evaluate("location.hash = '#e=10'")
    at_event(page, 10)


@pytest.mark.parametrize(("speed", "slower"), [("8", "2"), ("4", "0.5")])
def test_a_replay_goes_as_fast_as_is_asked(look: Look, played: AtTable, speed: str, slower: str) -> None:
    page = look(f"/replay/{played.id}#e=8")
    at_event(page, 8)
    page.evaluate(WAITS)
    for each in (speed, slower):
        page.select_option("#speed", each)
        page.evaluate("() => { window.waits = []; }")
        page.click("#play")
        page.wait_for_function("pace => window.waits.includes(1000 / pace)", arg=float(each))
        page.click("#play")


def test_playing_goes_on_by_itself_and_stops(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}#e=8")
    at_event(page, 8)
    page.select_option("#speed", "8")
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press(" ")
    page.wait_for_function("() => Number(document.querySelector('#number').value) > 12")
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-pressed") == "false"


def test_a_link_leads_to_its_moment_and_shows_the_view_of_it(look: Look, played: AtTable) -> None:
    version = first(events_of(played), "played") + 4
    page = look(f"/replay/{played.id}#e={version}")
    at_event(page, version)
    view = played.http.get(played.path, params={"at": version}).json()
    for seat in view["seats"]:
        page.locator(f"#seat-{seat['seat']} .left b", has_text=str(seat["cards"])).wait_for()
    cards = sorted(card for play in view["hand"]["plays"][-4:] for card in play["cards"])
    drawn = [card.get_attribute("data-card") or "" for card in page.locator(".seat .play .card").all()]
    assert sorted(drawn) == cards


def test_hidden_cards_stay_hidden_in_a_replay(look: Look, played: AtTable, urls: dict[str, str]) -> None:
    now = len(events_of(played))
    page = look(f"/replay/{played.id}#e={now}")
    at_event(page, now)
    page.locator("#seat-0 .who .left").wait_for()
    assert page.locator(".seat .holding .card").count() == 0
    page.fill("#number", "20")
    page.keyboard.press("Enter")
    page.locator(".seat .holding .card").first.wait_for()
    page.uncheck("#opened")
    page.locator(".seat .holding .card").first.wait_for(state="detached")
    page.evaluate("token => { location.hash = `#e=22&token=${token}`; }", urls["auditor"])
    page.locator(".seat .holding .card").first.wait_for()
    page.locator("#why .choices").wait_for()
    assert urls["auditor"] not in page.url
    assert urls["auditor"] not in page.content(), "a page that is saved or sent on holds no token"
    page.select_option("#as", "2")
    page.locator("#seat-0 .holding .card").first.wait_for(state="detached")
    assert page.locator("#seat-2 .holding .card").count() > 0


IN_SIGHT = """seat => {
    const [played, controls] = [`#seat-${seat} .play .fan`, ".controls"].map(each => document.querySelector(each)?.getBoundingClientRect());
    return played && played.top >= 0 && played.bottom <= controls.top;
}"""
"""Whether what a seat played is in the window and not below the controls."""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1280, 720), (390, 844), (360, 740)])
def test_what_a_link_points_at_is_in_sight(look: Look, played: AtTable, width: int, height: int) -> None:
    """By a link, and from there with keys; the hand is over, so that all holdings take their room."""
    start = first(events_of(played), "hand-started")
    page = look(f"/replay/{played.id}#e={start}", width, height)
    at_event(page, start)
    plays = [event for event in events_of(played) if event["type"].startswith("shuangkou.played")][:12]
    for event in plays:
        page.fill("#number", str(event["version"]))
        page.keyboard.press("Enter")
        at_event(page, event["version"])
        page.wait_for_function(IN_SIGHT, arg=event["data"]["seat"])
    for event in plays[:4]:
        page.goto("about:blank")
        page.goto(f"{played.http.base_url}/replay/{played.id}#e={event['version']}")
        page.wait_for_function(IN_SIGHT, arg=event["data"]["seat"])


def test_who_reads_below_the_table_is_left_there(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}#e=12", 390, 844)
    at_event(page, 12)
    page.locator(".keys").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('#board').getBoundingClientRect().bottom < 0")
    page.keyboard.press("ArrowRight")
    at_event(page, 13)
    assert page.evaluate("document.querySelector('#board').getBoundingClientRect().bottom") < 0


def test_buttons_say_how_far_they_go_on_a_phone_too(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}", 360, 740)
    said = [
        page.locator(f"#{name}").inner_text() for name in ("hand-back", "trick-back", "trick-forward", "hand-forward")
    ]
    assert said == ["局", "轮", "轮", "局"]
    assert page.evaluate(WIDE)


def test_it_says_why_a_play_was_legal_and_what_else_was(look: Look, played: AtTable) -> None:
    version = first(events_of(played), "played")
    page = look(f"/replay/{played.id}#e={version}")
    done = page.locator("#why .choices .done")
    done.wait_for()
    assert "C5.1" in page.inner_text("#why")
    assert page.locator("#why .choices li").count() > 3


def scored_with_a_bomb(table: AtTable) -> int:
    """Play hands until one is scored in which a bomb counts; not every hand has one. The event that scores it."""
    while True:
        table.deal()
        table.play_out()
        scored = [event for event in events_of(table) if event["type"].startswith("shuangkou.hand-scored")][-1]
        if any(line["play"] for line in scored["data"]["why"]):
            return int(scored["version"])


def test_every_number_of_a_score_has_its_clause_and_leads_to_its_event(look: Look, open_table: Any) -> None:
    table = open_table("huopin", hands=50)
    version = scored_with_a_bomb(table)
    page = look(f"/replay/{table.id}#e={version}")
    at_event(page, version)
    page.locator("#result .why").wait_for()
    clauses = [clause.inner_text() for clause in page.locator("#result .why .clause").all()]
    assert clauses
    assert all(clause.startswith("C") for clause in clauses)
    page.locator("#result .why a").first.click()
    page.wait_for_function("version => Number(document.querySelector('#number').value) < version", arg=version)


@pytest.mark.parametrize("ruleset", ["huopin", "basic"])
def test_the_shuffle_is_computed_again_by_the_browser(look: Look, open_table: Any, ruleset: str) -> None:
    table = open_table(ruleset, salts=True)
    wait_for_commitment(table)
    table.post("bob", "salts", {"salt": "bob-was-here"})
    table.deal()
    table.play_out()
    page = look(f"/replay/{table.id}#e={first(events_of(table), 'dealt')}")
    page.locator("#shuffle .checked li").first.wait_for()
    signs = [sign.inner_text() for sign in page.locator("#shuffle .sign").all()]
    assert len(signs) >= 4
    assert set(signs) == {"✓"}
    assert "bob-was-here" in page.inner_text("#shuffle")


def wait_for_commitment(table: AtTable) -> None:
    """The table commits to its seed by itself, soon after it was opened."""
    while table.view["commitment"] is None:
        pass


def test_a_wrong_seed_does_not_fit(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}")
    page.locator("#seat-0 .who").wait_for()
    script = page.locator("script[type=module]").get_attribute("src") or ""
    wrong = page.evaluate(
        """async (base) => {
            const { check, commitment } = await import(`${base}/shuffle.js`);
            const seed = "00".repeat(32);
            const found = { handStarted: { commitment: await commitment(seed, "t", 1) }, seedRevealed: { seed: "01".repeat(32), hand: 1 },
                salts: [], dealt: { holdings: [["3S"], ["3S"], null, ["4S"]], leader_by: "drawn", leader: 0, face_up: null } };
            return (await check("t", found)).checks.map((each) => each.ok).slice(0, 2);
        }""",
        script.rpartition("/")[0],
    )
    assert wrong == [False, False]


def test_a_trump_hand_is_replayed_with_its_kitty_and_its_proof(look: Look, open_table: Any) -> None:
    table = open_table("ningxia", deal_step=20, deal_pace=0)
    table.deal()
    table.play_out()
    events = events_of(table)
    page = look(f"/replay/{table.id}#e={first(events, 'kitty-buried')}")
    page.locator("#facts .minis .card").nth(7).wait_for()
    page.locator("#shuffle .checked li").nth(2).wait_for()
    assert {sign.inner_text() for sign in page.locator("#shuffle .sign").all()} == {"✓"}
    page.locator("#why .clause", has_text="T3").first.wait_for()
    page.keyboard.press("ArrowDown")
    at_event(page, first(events, "cards-played"))
    page.fill("#number", str(first(events, "hand-settled")))
    page.keyboard.press("Enter")
    page.locator("#result .why .clause", has_text="T7").first.wait_for()


def test_new_events_join_a_replay_of_a_running_match(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}#e=5")
    page.locator("#state[data-state='live']").wait_for()
    moved = played.move()["version"]
    page.wait_for_function("version => Number(document.querySelector('#version').textContent) >= version", arg=moved)
    assert page.locator("#number").input_value() == "5"


LEFT = "[...document.querySelectorAll('.seat .left b')].map((left) => Number(left.textContent))"
"""How many cards each seat has left, as the page shows it."""


def test_a_moment_that_comes_late_is_not_drawn_over_a_later_one(look: Look, open_table: Any) -> None:
    """The trick that ended just before event 65 is shown with it, and has to be asked for with the events before."""
    ended = False
    while not ended:
        table = open_table()
        table.deal()
        while table.view["version"] < 80:
            table.move()
        ends = {event["version"] for event in events_of(table) if event["type"].startswith("shuangkou.trick-won")}
        ended = bool(ends & set(range(60, 66)))
    page = look("/")
    held: list[Any] = []
    page.route("**/views?from=1&*", lambda route: held.append(route))  # noqa: PLW0108 (a built-in method is no handler)
    with page.expect_request("**/views?from=1&*"):
        page.goto(f"{table.http.base_url}/replay/{table.id}#e=65")
    page.fill("#number", "75")
    page.keyboard.press("Enter")
    seats = table.http.get(table.path, params={"at": 75}).json()["seats"]
    left = [seat["cards"] for seat in seats]
    page.wait_for_function(f"left => JSON.stringify({LEFT}) === JSON.stringify(left)", arg=left)
    with page.expect_response("**/views?from=1&*"):
        held.pop().continue_()
    page.wait_for_timeout(300)
    assert page.evaluate(LEFT) == left


def test_what_cannot_be_read_is_said_until_it_can_be(look: Look, played: AtTable) -> None:
    page = look(f"/replay/{played.id}#e=5")
    page.locator("#state[data-state='live']").wait_for()
    page.route("**/views?*", lambda route: route.abort())
    page.fill("#number", "70")
    page.keyboard.press("Enter")
    page.locator("#trouble", has_text="没有响应").wait_for()
    page.unroute("**/views?*")
    page.fill("#number", "71")
    page.keyboard.press("Enter")
    page.locator("#trouble").wait_for(state="hidden")
    assert page.locator("#state").get_attribute("data-state") == "live"


def test_what_is_read_ahead_in_vain_breaks_nothing(look: Look, played: AtTable) -> None:
    """An error in a script fails the test at its end."""
    page = look(f"/replay/{played.id}#e=5")
    page.locator("#state[data-state='live']").wait_for()
    page.route("**/views?from=65&*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.fill("#number", "40")
        page.keyboard.press("Enter")
    at_event(page, 40)
    page.wait_for_timeout(200)
    assert page.locator("#trouble").is_hidden()


def test_events_that_cannot_be_read_at_once_come_with_the_next(look: Look, played: AtTable) -> None:
    """An error in a script fails the test at its end."""
    page = look("/")
    first_read: list[bool] = []

    def once(route: Any) -> None:
        if not first_read:
            first_read.append(True)
            route.continue_()
        else:
            route.abort()

    def move_first(route: Any) -> None:
        played.move()
        route.continue_()

    page.route("**/audit?*", once)
    page.route("**/events?*", move_first)
    page.goto(f"{played.http.base_url}/replay/{played.id}")
    page.locator("#trouble").wait_for()
    page.unroute("**/audit?*")
    moved = played.move()["version"]
    page.wait_for_function("version => Number(document.querySelector('#version').textContent) >= version", arg=moved)
    page.locator("#trouble").wait_for(state="hidden")


def test_a_record_that_could_not_be_read_is_read_when_it_can_be(look: Look, played: AtTable) -> None:
    page = look("/")
    page.route("**/audit?*", lambda route: route.abort())
    page.goto(f"{played.http.base_url}/replay/{played.id}#e=9")
    page.locator("#trouble", has_text="没有响应").wait_for()
    page.unroute("**/audit?*")
    at_event(page, 9)
    page.locator("#state[data-state='live']").wait_for()
    assert page.locator("#trouble").is_hidden()


def test_a_place_that_could_not_be_read_is_drawn_when_the_connection_is_back(look: Look, played: AtTable) -> None:
    last = played.view["version"]
    page = look(f"/replay/{played.id}#e={last}")
    at_event(page, last)
    page.locator("#state[data-state='live']").wait_for()
    page.route("**/views?from=1&*", lambda route: route.abort())
    page.keyboard.press("Home")
    page.locator("#trouble").wait_for()
    page.unroute("**/views?from=1&*")
    played.move()
    page.locator("#trouble").wait_for(state="hidden")
    at_event(page, 1)
    assert page.evaluate(LEFT) == [0, 0, 0, 0]
