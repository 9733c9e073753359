"""The terminal program that walks through a match, with a pilot at the keys."""

import pytest
from textual.widgets import OptionList, Static
from textual.widgets._footer import FooterKey

from domain.simulate import simulate
from schemas.envelope import Recorded
from schemas.events import HandStarted, Played, TrickWon
from services.cli.replaying import Replay, ReplayApp


@pytest.fixture(scope="module")
def recorded() -> list[Recorded]:
    return list(simulate("huopin", 2, "replay", "greedy"))


@pytest.fixture
def app(recorded: list[Recorded]) -> ReplayApp:
    return ReplayApp(Replay.of([each.line for each in recorded], "auditor"))


def shown(app: ReplayApp) -> str:
    """What the table shows, as text."""
    from rich.console import Console

    console = Console(width=200)
    with console.capture() as capture:
        console.print(app.query_one("#shown", Static).content)
    return capture.get()


async def test_forward_and_back_by_event(app: ReplayApp) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("right", "right", "n", "space")
        await pilot.pause()
        assert app.step == 4
        assert "event 5" in shown(app)
        await pilot.press("left", "p")
        await pilot.pause()
        assert app.step == 2
        assert "event 3" in shown(app)
        await pilot.press(*["left"] * 5)
        assert app.step == 0


async def test_jumps_by_hand_and_trick(app: ReplayApp, recorded: list[Recorded]) -> None:
    hands = [step for step, each in enumerate(recorded) if isinstance(each.event, HandStarted)]
    first_trick = next(step for step, each in enumerate(recorded) if isinstance(each.event, TrickWon))
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("h")
        assert app.step == hands[0]
        await pilot.press("t", "t")
        assert app.step == first_trick
        await pilot.press("h")
        assert app.step == hands[1]
        await pilot.press("H")
        assert app.step == hands[0]


async def test_other_eyes_see_other_cards(app: ReplayApp, recorded: list[Recorded]) -> None:
    first_play = next(step for step, each in enumerate(recorded) if isinstance(each.event, Played))
    app.start = first_play
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.pause()
        seen_by_auditor = shown(app)
        while app.eyes != "spectator":
            await pilot.press("v")
        await pilot.pause()
        assert app.step == first_play
        assert len(shown(app)) < len(seen_by_auditor)


async def test_the_score_is_explained(app: ReplayApp, recorded: list[Recorded]) -> None:
    app.start = len(recorded) - 1
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("w")
        await pilot.pause()
        assert "C6" in shown(app)
        await pilot.press("w")
        await pilot.pause()
        assert f"event {len(recorded)}" in shown(app)


async def test_a_hand_without_a_score_says_so(app: ReplayApp, recorded: list[Recorded]) -> None:
    app.start = next(step for step, each in enumerate(recorded) if isinstance(each.event, Played))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        before = shown(app)
        await pilot.press("w")
        await pilot.pause()
        assert "尚未算分 this hand is not scored yet" in str(app.screen.query_one("Toast").render())
        assert shown(app) == before
        await pilot.press("end")
        await pilot.pause()
        assert "C6" not in shown(app), "nothing was switched on"


@pytest.mark.parametrize("ruleset", ["huopin", "jj", "ningxia", "qianbian"])
async def test_a_small_terminal_shows_all_holdings_the_trick_and_the_keys(ruleset: str) -> None:
    """At 80 columns and 24 lines, at every event of a hand that is played, with all cards visible."""
    steps = Replay.of([each.line for each in simulate(ruleset, 1, "small", "greedy")], "auditor")
    app = ReplayApp(steps)
    async with app.run_test(size=(80, 24)) as pilot:
        for step in range(0, len(steps.tables), 7):
            app._go(step)
            await pilot.pause()
            assert app.query_one("#table").max_scroll_y == 0, f"event {step + 1} fits"
        keys = {key.key_display for key in app.query(FooterKey)}
        assert keys == {"←→", "tT", "hH", "g", "v0-3sa", "w", "q"}
        assert all(app.screen.region.contains_region(key.region) for key in app.query(FooterKey))
        assert "auditor" in str(app.query_one(OptionList).border_title)


async def test_go_to_an_event_a_hand_or_a_trick(app: ReplayApp, recorded: list[Recorded]) -> None:
    """`g` asks; what does not exist is said and asked for again; escape leaves the question, not the program."""
    starts = [step for step, each in enumerate(recorded) if isinstance(each.event, HandStarted)]
    async with app.run_test(size=(160, 50)) as pilot:
        for typed, place in (("57", 56), ("h2", starts[1]), ("h1 t2", app.replay.beginnings()[1, 2])):
            await pilot.press("g", *typed.replace(" ", ""), "enter")
            assert app.step == place
        await pilot.press("g", *"t3", "enter")
        assert app.step == app.replay.beginnings()[1, 3], "a trick of the hand that is shown"
        await pilot.press("g", *"h99", "enter")
        assert app.step == app.replay.beginnings()[1, 3]
        await pilot.press("escape", "right")
        assert app.step == app.replay.beginnings()[1, 3] + 1


async def test_eyes_by_their_key(app: ReplayApp) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        for key, viewer in (("2", "2"), ("s", "spectator"), ("a", "auditor"), ("0", "0")):
            await pilot.press(key)
            assert app.eyes == viewer


async def test_a_trump_game(pilot_lines: list[bytes]) -> None:
    """Phases, trumps and points are shown; the score is explained by trick, kitty and row."""
    app = ReplayApp(Replay.of(pilot_lines, "auditor"))
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("g", *"t2", "enter")
        assert app.step == 0, "no hand, no trick"
        await pilot.press("escape")
        await pilot.press("g", *"h1t2", "enter")
        await pilot.pause()
        said = shown(app)
        assert "出牌 playing" in said
        assert "第 2 轮 trick" in said
        assert "底牌 kitty" in said
        await pilot.press("1")
        await pilot.pause()
        assert len(shown(app)) < len(said)
        await pilot.press("end", "w")
        await pilot.pause()
        assert "T7.2" in shown(app)
        assert "T7.4" in shown(app)


@pytest.fixture(scope="module")
def pilot_lines() -> list[bytes]:
    return [each.line for each in simulate("ningxia", 1, "replay", "greedy")]


@pytest.mark.parametrize("nothing", ["", "x", "h", "t", "0", "9999", "h0", "h3", "t99", "57 h2"])
def test_there_is_no_such_place(recorded: list[Recorded], nothing: str) -> None:
    assert Replay.of([each.line for each in recorded], "auditor").find(nothing, 10) is None


async def test_what_is_wrong_with_a_record_stands_above_it(recorded: list[Recorded]) -> None:
    steps = Replay.of([each.line for each in recorded], "auditor")
    async with ReplayApp(steps, wrong="THIS RECORD IS WRONG: event x:[b]5").run_test(size=(80, 24)) as pilot:
        assert "WRONG: event x:[b]5" in str(pilot.app.query_one("#wrong", Static).content)
        await pilot.press("right")
        assert pilot.app.query_one("#wrong").display
