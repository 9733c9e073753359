"""The pages of the dispute desk in a real browser: a player raises a dispute, an adjudicator rules on it, both parties read the outcome."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.browser.conftest import WIDE, AtTable, Look

if TYPE_CHECKING:
    from playwright.sync_api import Page

Raised = Callable[..., str]


@pytest.fixture
def over(table: AtTable) -> AtTable:
    """A table whose first hand is over."""
    table.deal()
    table.play_out()
    return table


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def first_play(table: AtTable) -> int:
    """The version of the first play of the table."""
    events = table.http.get(f"{table.path}/audit").json()["events"]
    return int(next(event["version"] for event in events if event["type"].startswith("shuangkou.played")))


@pytest.fixture
def raised(over: AtTable, urls: dict[str, str]) -> Raised:
    """Raise a dispute as alice, assigned to the adjudicator of the house."""

    def make(claim: str = "I clicked the wrong card.") -> str:
        asked: Any = {"table": over.id, "event": first_play(over), "claim": claim}
        answer = over.http.post("/disputes", json=asked, headers=bearer(over.tokens["alice"]))
        assert answer.status_code == 201, answer.text
        dispute = str(answer.json()["dispute"])
        body = {"adjudicator": "adjudicator"}
        given = over.http.post(f"/disputes/{dispute}/assignments", json=body, headers=bearer(urls["operator"]))
        assert given.status_code == 201, given.text
        return dispute

    return make


def ready(page: "Page") -> "Page":
    """Wait until a case is drawn to its end."""
    page.locator("#inside[data-version]").wait_for()
    return page


def listed(table: AtTable, wanted: dict[str, str]) -> None:
    """Wait until the list of cases about a table, which may lag, says this of them: their status by id."""
    deadline = time.monotonic() + 20
    while {
        each["dispute"]: each["status"] for each in table.http.get(f"{table.path}/disputes").json()["cases"]
    } != wanted:
        assert time.monotonic() < deadline


def test_a_player_raises_a_dispute_and_finds_it_in_the_list(look: Look, over: AtTable) -> None:
    page = look(f"/disputes#event={first_play(over)}")
    page.locator("#login").wait_for()
    page.fill("#login input", over.tokens["alice"])
    page.click("#login .button")
    page.locator("#raise").wait_for()
    assert page.locator("#raise [name=event]").input_value() == str(first_play(over))
    page.fill("#raise textarea", "这不是我出的牌。 That was not my card.")
    page.click("#raise .button")
    page.wait_for_url("**/disputes/d-*")
    ready(page)
    dispute = page.url.rpartition("/")[2]
    assert "That was not my card." in page.inner_text("#claim")
    page.click("a[href='/disputes']")
    row = page.locator(f"a[href='/disputes/{dispute}']")
    row.wait_for()
    assert "待分配" in row.inner_text()
    page.click("#tabs [data-status='ruled']")
    page.locator("#empty").wait_for()


def test_a_player_comes_from_the_seat_by_the_replay_to_the_desk(look: Look, over: AtTable) -> None:
    page = look(over.seat_link("bob"))
    assert "/disputes#table=" in (page.locator("#to-desk").get_attribute("href") or "")
    page.click(f"a[href='/replay/{over.id}']")
    page.goto(page.url + f"#e={first_play(over)}")
    page.click("#to-desk a")
    page.locator("#raise").wait_for()
    assert page.locator("#raise [name=event]").input_value() == str(first_play(over))
    assert page.inner_text("#raise-table") == over.id
    assert "bob" in page.inner_text("#bearer-name")


def test_a_token_stays_out_of_the_address_and_in_its_tab(look: Look, over: AtTable, raised: Raised) -> None:
    dispute = raised()
    page = ready(look(f"/disputes/{dispute}#token={over.tokens['alice']}"))
    assert over.tokens["alice"] not in page.url
    page.reload()
    ready(page)
    page.click("#leave")
    page.locator("#login").wait_for()
    assert page.locator("#inside").is_hidden()
    page.fill("#login input", "not.a.token")
    page.click("#login .button")
    page.locator("#login .said", has_text="not a token of this service").wait_for()


def test_the_adjudicator_sees_cards_rules_and_score_and_rules(
    look: Look, over: AtTable, raised: Raised, urls: dict[str, str]
) -> None:
    dispute = raised()
    page = ready(look(f"/disputes/{dispute}#token={urls['adjudicator']}"))
    assert page.locator(".board .card").count() > 50
    assert page.locator("#links a").get_attribute("href") == f"/replay/{over.id}#e={first_play(over)}"
    assert "合规" in page.inner_text("#legal")
    page.click("#legal summary")
    assert page.locator("#legal .choices li").count() > 1
    assert "没有问题" in page.inner_text("#check")
    page.click("#result summary")
    assert page.locator("#result .why li").count() > 3
    page.check("#rule [value='adjusted']")
    page.fill("#rule [data-player='alice']", "7.5")
    page.fill("#rule textarea", "A slip of the finger.")
    page.check("#rule [name=house]")
    page.click("#rule .button")
    assert "alice +7.5, house:rulings −7.5" in page.inner_text("#sure-words")
    page.click("#sure [value='no']")
    page.uncheck("#rule [name=house]")
    page.click("#rule .button")
    page.click("#sure-yes")
    page.locator("#rule .said", has_text="add up").wait_for()
    page.fill("#rule [data-player='bob']", "-7.5")
    assert page.inner_text("#sum") == "0"
    page.click("#rule .button")
    assert "alice +7.5, bob -7.5" in page.inner_text("#sure-words").replace("−", "-")
    page.click("#sure [value='no']")
    page.click("#rule .button")
    page.click("#sure-yes")
    page.locator("#ruling .outcome").wait_for()
    assert page.locator("#act-part").is_hidden()
    for name in ("alice", "dave"):  # both parties
        read = ready(look(f"/disputes/{dispute}#token={over.tokens[name]}"))
        assert "A slip of the finger." in read.inner_text("#ruling")
        assert "player:bob" in read.inner_text("#ruling")
        assert read.locator("#rule").is_hidden()


def test_a_hand_tells_of_its_rulings_at_the_replay_and_in_other_cases(
    look: Look, over: AtTable, raised: Raised, urls: dict[str, str]
) -> None:
    before, after = raised(), raised()
    listed(over, {before: "assigned", after: "assigned"})
    page = look(f"/replay/{over.id}#h=1")
    page.locator("#hands .end", has_text="有争议").wait_for()
    page.locator("#cases li", has_text=before).wait_for()
    assert page.locator("#cases a").count() == 0
    page = ready(look(f"/disputes/{before}#token={urls['adjudicator']}"))
    page.check("#rule [value='voided']")
    page.fill("#rule textarea", "SECRET")
    page.click("#rule .button")
    assert "all that it gave is taken back" in page.inner_text("#sure-words")
    page.click("#sure-yes")
    page.locator("#ruling .outcome").wait_for()
    listed(over, {before: "ruled", after: "assigned"})
    page = look(over.seat_link("bob").replace("/play/", "/replay/") + "&h=1")
    page.locator("#hands .end", has_text="作废").wait_for()
    assert "SECRET" not in page.content()
    page.click(f"#cases a:has-text('{before}')")
    assert "SECRET" in ready(page).inner_text("#ruling")
    page = ready(look(f"/disputes/{after}#token={urls['adjudicator']}"))
    assert all(words in page.inner_text("#others") for words in (before, "the hand is void", "SECRET"))
    page.check("#rule [value='adjusted']")
    page.fill("#rule [data-player='alice']", "1")
    page.fill("#rule [data-player='bob']", "-1")
    page.fill("#rule textarea", "On top.")
    page.click("#rule .button")
    assert "another case ruled the hand void" in page.inner_text("#sure-words")
    page.click("#sure [value='no']")


def test_an_operator_reads_what_the_rules_say_and_is_told_of_a_name_that_nobody_knows(
    look: Look, raised: Raised, urls: dict[str, str]
) -> None:
    page = ready(look(f"/disputes/{raised()}#token={urls['operator']}"))
    assert "合规" in page.inner_text("#legal")
    page.fill("#assign [name=adjudicator]", "adjudicater")
    page.click("#assign .button")
    page.locator("#assign .said", has_text="adjudicater was never given a case").wait_for()
    assert "adjudicater" in page.inner_text("#claim")


def test_a_case_that_there_is_not_is_said_to_be_none(look: Look, over: AtTable, urls: dict[str, str]) -> None:
    page = look(f"/disputes/d-nosuch#token={urls['operator']}")
    page.locator("#trouble", has_text="no such dispute").wait_for()
    assert page.locator("#login").is_hidden()
    look("/disputes/d-nosuch").locator("#login").wait_for()


def test_a_player_sees_the_own_cards_only(look: Look, over: AtTable, raised: Raised, urls: dict[str, str]) -> None:
    dispute = raised()
    page = ready(look(f"/disputes/{dispute}#token={over.tokens['carol']}"))
    assert page.locator(".board .holding .card").count() <= 54
    stranger = AtTable(urls["url"], urls["operator"])
    page = look(f"/disputes/{dispute}#token={stranger.tokens['carol']}")
    page.locator("#trouble", has_text="own table").wait_for()
    assert page.locator("#inside").is_hidden()
    stranger.http.close()


def test_evidence_is_attached_and_comes_back_whole(
    look: Look, over: AtTable, raised: Raised, urls: dict[str, str]
) -> None:
    dispute = raised("<img src=x onerror=alert(1)>")
    page = ready(look(f"/disputes/{dispute}#token={over.tokens['bob']}"))
    assert page.locator("#claim img").count() == 0
    page.fill("#attach textarea", "I saw it.")
    page.click("#attach .button")
    page.locator("#evidence li").first.wait_for()
    content = bytes(range(256)) * 4
    page.set_input_files("#attach [type=file]", {"name": "录像.bin", "mimeType": "video/mp4", "buffer": content})
    page.click("#attach .button")
    page.locator("#evidence li").nth(1).wait_for()
    with page.expect_download() as loaded:
        page.click("#evidence li:nth-child(2) button")
    assert loaded.value.path().read_bytes() == content
    page.set_input_files("#attach [type=file]", {"name": "long.mp4", "mimeType": "video/mp4", "buffer": bytes(50_000)})
    page.click("#attach .button")
    page.locator("#evidence li").nth(2).wait_for()
    assert page.locator("#evidence li:nth-child(3) button").count() == 0
    assert "keep the file yourself" in page.inner_text("#evidence li:nth-child(3)")
    assert "keep the file yourself" not in page.inner_text("#evidence li:nth-child(2)")


@pytest.mark.parametrize("path", ["/disputes", "/disputes/{id}"])
def test_a_phone_shows_the_desk_without_scrolling_sideways(
    look: Look, raised: Raised, urls: dict[str, str], path: str
) -> None:
    dispute = raised("A" * 300)
    page = look(f"{path.format(id=dispute)}#token={urls['adjudicator']}", width=390, height=844)
    page.locator("#inside[data-version], .case-line").first.wait_for()
    assert page.evaluate(WIDE)


def test_programs_get_json_and_browsers_the_page_at_the_same_address(raised: Raised, urls: dict[str, str]) -> None:
    dispute = raised()
    with httpx.Client(base_url=urls["url"], trust_env=False, headers=bearer(urls["operator"])) as http:
        for path in ("/disputes", f"/disputes/{dispute}"):
            page = http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
            data = http.get(path)
            assert page.headers["content-type"].startswith("text/html")
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert data.headers["content-type"] == "application/json"
            assert page.headers["vary"] == data.headers["vary"] == "Accept"
        lobby = [http.get(urls[service]).text for service in ("url", "spectate")]
        assert ['href="/disputes"' in text for text in lobby] == [True, False]
