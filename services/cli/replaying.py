"""A match as steps, and the terminal program that walks through them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from rich.console import Console
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, OptionList, Static

from domain.table import Table, evolve
from projections.viewing import event_for, view_for
from schemas.envelope import Recorded, read_line
from schemas.events import HandScored, HandStarted
from schemas.views import VIEWERS, EventView, View, Viewer
from services.cli import cards

NEW_TRICK: Final = ("dealt", "trick-won")
"""Events after which a new trick begins."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A match as its events and the tables after each of them."""

    recorded: Sequence[Recorded]
    tables: Sequence[Table]
    viewer: Viewer

    @classmethod
    def of(cls, lines: Sequence[bytes], viewer: Viewer) -> Self:
        """Replay recorded lines. Raises Unreadable or ValueError for lines that are no match."""
        recorded = [read_line(line) for line in lines]
        tables: list[Table] = []
        for each in recorded:
            tables.append(evolve(tables[-1] if tables else None, each))
        return cls(recorded, tables, viewer)

    def event(self, step: int, viewer: Viewer) -> EventView:
        """The event of a step as the viewer sees it."""
        return event_for(self.tables[step], self.recorded[step], viewer)

    def view(self, step: int, viewer: Viewer) -> View:
        """The table after a step as the viewer sees it."""
        return view_for(self.tables[step], viewer)

    def hands(self) -> list[int]:
        """The steps at which hands start."""
        return [step for step, each in enumerate(self.recorded) if isinstance(each.event, HandStarted)]

    def tricks(self) -> list[int]:
        """The steps after which a trick begins."""
        return [step for step, each in enumerate(self.recorded) if each.event.TYPE in NEW_TRICK]


class ReplayApp(App[None]):
    """Walks through a match: events on the left, the table on the right."""

    TITLE = "双扣 replay 回放"
    CSS = """
    OptionList { width: 44%; border: round $primary; }
    #table { width: 1fr; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n,space", "step(1)", "下一步 next"),
        Binding("left,p", "step(-1)", "上一步 back"),
        Binding("t", "jump('tricks', 1)", "下一轮 trick"),
        Binding("T", "jump('tricks', -1)", "上一轮", show=False),
        Binding("h", "jump('hands', 1)", "下一局 hand"),
        Binding("H", "jump('hands', -1)", "上一局", show=False),
        Binding("v", "viewer", "视角 viewer"),
        Binding("w", "why", "算分 why"),
        Binding("q,escape", "quit", "退出 quit"),
    ]

    def __init__(self, replay: Replay, start: int = 0) -> None:
        super().__init__()
        self.replay, self.start, self.eyes, self.explains = replay, start, replay.viewer, False

    @property
    def step(self) -> int:
        """The step that is shown, from 0."""
        return self.query_one(OptionList).highlighted or 0

    def compose(self) -> ComposeResult:
        """The events and the table."""
        with Horizontal():
            yield OptionList(*self._lines())
            with VerticalScroll(id="table"):
                yield Static(id="shown")
        yield Footer()

    def on_mount(self) -> None:
        """Begin where asked."""
        self.query_one(OptionList).highlighted = self.start

    def on_option_list_option_highlighted(self) -> None:
        """Show the table after the event that was gone to."""
        self._show()

    def action_step(self, by: int) -> None:
        """One event on or back."""
        self._go(self.step + by)

    def action_jump(self, what: str, by: int) -> None:
        """To the next or the previous hand or trick."""
        places = self.replay.hands() if what == "hands" else self.replay.tricks()
        index = bisect_right(places, self.step) if by > 0 else bisect_left(places, self.step) - 1
        if 0 <= index < len(places):
            self._go(places[index])

    def action_viewer(self) -> None:
        """See with the next viewer's eyes."""
        self.eyes = VIEWERS[(VIEWERS.index(self.eyes) + 1) % len(VIEWERS)]
        step, events = self.step, self.query_one(OptionList)
        events.clear_options().add_options(self._lines())
        events.highlighted = step

    def action_why(self) -> None:
        """Show or hide the explanation of the score."""
        self.explains = not self.explains
        self._show()

    def _lines(self) -> list[Text]:
        lines = []
        for step in range(len(self.replay.recorded)):
            event = self.replay.event(step, self.eyes)
            line = cards.event_words(event)
            line.stylize_before(cards.event_style(event["type"].split(".")[1]))
            lines.append(line)
        return lines

    def _go(self, step: int) -> None:
        self.query_one(OptionList).highlighted = max(0, min(step, len(self.replay.recorded) - 1))

    def _show(self) -> None:
        table = self.replay.tables[self.step]
        shown = self.query_one("#shown", Static)
        scored = table.hand.scored if table.hand else None
        if self.explains and scored is not None:
            shown.update(explanation(scored))
        else:
            self.sub_title = f"视角 {self.eyes}"
            shown.update(cards.view(self.replay.view(self.step, self.eyes).model_dump()))


def explanation(scored: HandScored) -> Text:
    """The explanation of a score, a line a number (C7)."""
    text = Text()
    for why in scored.why:
        seat = f"座 {why.seat} {scored.players[why.seat]}: " if why.seat is not None else ""
        play = f" (事件 event {why.play})" if why.play is not None else ""
        text.append(f"{seat}{why.amount}  {why.zh} {why.en} [{why.clause}]{play}\n")
    return text


def print_steps(replay: Replay, console: Console) -> None:
    """Print every event, for when there is no terminal."""
    for step in range(len(replay.recorded)):
        console.print(cards.event_words(replay.event(step, replay.viewer)), soft_wrap=True)
