"""The terminal program that walks through a match, with a pilot at the keys."""

import pytest
from textual.widgets import Static

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
