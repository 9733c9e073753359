"""A match as steps, and the terminal program that walks through them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from rich.console import Console
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.widgets import Footer, Input, OptionList, Static

from domain.climbing import hand as climbing
from domain.table import Table, evolve
from projections.viewing import event_for, view_for
from schemas.envelope import Recorded, read_line
from schemas.events import HandScored, HandStarted
from schemas.text import printable
from schemas.trumps import HandEscaped, HandSettled
from schemas.views import VIEWERS, EventView, View, Viewer
from services.cli import cards
from services.cli.options import plain

EYES: Final = tuple(viewer for viewer in VIEWERS if viewer != "delayed")
"""Who may look here: with the whole match at hand nobody looks late."""
LAP: Final = 4
"""So many plays of a trick there is room for on 24 lines: once around, with the play to beat."""
JUMP: Final = re.compile(r"(?:(?P<event>[0-9]+)|(?:h(?P<hand>[0-9]+))?\s*(?:t(?P<trick>[0-9]+))?)", re.IGNORECASE)
"""Where to go: `57` an event, `h2` a hand, `t5` a trick of this hand, `h2 t5` a trick of that hand."""


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
        return list(self.beginnings().values())

    def beginnings(self) -> dict[tuple[int, int], int]:
        """The step after which each trick begins, by the numbers of its hand and of the trick."""
        found: dict[tuple[int, int], int] = {}
        for step, table in enumerate(self.tables):
            if table.hand is not None and table.hand.trick_number and not table.hand.over:
                found.setdefault((table.hands, table.hand.trick_number), step)
        return found

    def find(self, text: str, step: int) -> int | None:
        """The step that is meant, seen from a step: an event's number, `h2`, `t5` (of the same hand), `h2 t5`; None if there is none."""
        asked = JUMP.fullmatch(text.strip())
        if asked is None or not text.strip():
            return None
        event, hand, trick = (None if part is None else int(part) for part in asked.group("event", "hand", "trick"))
        if event is not None:
            return event - 1 if 1 <= event <= len(self.recorded) else None
        if trick is not None:
            return self.beginnings().get((self.tables[step].hands if hand is None else hand, trick))
        starts = self.hands()
        return starts[hand - 1] if hand is not None and 1 <= hand <= len(starts) else None

    def words(self, step: int, viewer: Viewer) -> Text:
        """One line about the event of a step, as the viewer sees it."""
        hand = self.tables[step].hand
        sorted_by = (
            None if hand is None or isinstance(hand, climbing.Hand) else {"level": hand.level, "trump": hand.trump}
        )
        return cards.event_words(plain(self.event(step, viewer)), sorted_by)


class ReplayApp(App[None]):
    """Walks through a match: events on the left, the table on the right; on a narrow terminal the table is below."""

    TITLE = "双扣 replay 回放"
    AUTO_FOCUS = "OptionList"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    OptionList { width: 44%; border: round $primary; }
    #both { layout: horizontal; }
    .-narrow #both { layout: vertical; }
    .-narrow OptionList { width: 100%; height: 5; }
    #wrong { background: $error; color: $text; }
    #table { width: 1fr; padding: 0 1; }
    .-narrow #table { padding: 0; }
    #jump { dock: bottom; display: none; border: round $accent; height: 3; }
    #jump.asked { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n,space", "step(1)", "步step", key_display="←→"),
        Binding("left,p", "step(-1)", show=False),
        Binding("t", "jump('tricks', 1)", "轮trick", key_display="tT"),
        Binding("T", "jump('tricks', -1)", show=False),
        Binding("h", "jump('hands', 1)", "局hand", key_display="hH"),
        Binding("H", "jump('hands', -1)", show=False),
        Binding("g,colon", "ask", "到go"),
        Binding("v", "viewer", "视角eyes", key_display="v0-3sa"),
        *(Binding(key, f"see('{viewer}')", show=False) for key, viewer in zip("0123sa", EYES, strict=True)),
        Binding("w", "why", "算分why"),
        Binding("q", "quit", "退出quit"),
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, replay: Replay, start: int = 0, wrong: str | None = None) -> None:
        super().__init__()
        self.replay, self.start, self.eyes, self.explains = replay, start, replay.viewer, False
        self.wrong = wrong
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]

    @property
    def step(self) -> int:
        """The step that is shown, from 0."""
        return self.query_one(OptionList).highlighted or 0

    def compose(self) -> ComposeResult:
        """The events and the table; above them what is wrong with the record."""
        if self.wrong is not None:
            yield Static(f"✗ {self.wrong}", id="wrong", markup=False)
        with Container(id="both"):
            yield OptionList(*self._lines())
            with VerticalScroll(id="table"):
                yield Static(id="shown")
        yield Input(placeholder="57 事件 event, h2 局 hand, t5 轮 trick, h2 t5", id="jump")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin where asked."""
        events = self.query_one(OptionList)
        events.border_title, events.highlighted = f"视角 eyes: {self.eyes}", self.start

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
        self.action_see(EYES[(EYES.index(self.eyes) + 1) % len(EYES)])

    def action_see(self, viewer: Viewer) -> None:
        """See with these eyes: `0` to `3`, `s` the spectator's, `a` the auditor's."""
        self.eyes = viewer
        step, events = self.step, self.query_one(OptionList)
        events.border_title = f"视角 eyes: {viewer}"
        events.clear_options().add_options(self._lines())
        events.highlighted = step

    def action_ask(self) -> None:
        """Ask where to go."""
        asking = self.query_one("#jump", Input)
        asking.add_class("asked")
        asking.focus()

    def action_leave(self) -> None:
        """Leave the question where to go; without it, the program."""
        if self.query_one("#jump", Input).has_class("asked"):
            self._answered()
        else:
            self.exit()

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Go there; a place that does not exist is said and asked for again."""
        step = self.replay.find(submitted.value, self.step)
        if step is None:
            self.notify(f"没有 there is no {submitted.value!r}", severity="warning", markup=False)
            return
        self._answered()
        self._go(step)

    def _answered(self) -> None:
        asking = self.query_one("#jump", Input)
        asking.value = ""
        asking.remove_class("asked")
        self.query_one(OptionList).focus()

    def action_why(self) -> None:
        """Show or hide the explanation of the score; a hand without a score says so."""
        if not self.explains and scored_in(self.replay.tables[self.step]) is None:
            self.notify("本局尚未算分 this hand is not scored yet", severity="warning")
            return
        self.explains = not self.explains
        self._show()

    def _lines(self) -> list[Text]:
        lines = []
        for step in range(len(self.replay.recorded)):
            line = self.replay.words(step, self.eyes)
            line.stylize_before(cards.event_style(self.replay.recorded[step].event.TYPE))
            lines.append(line)
        return lines

    def _go(self, step: int) -> None:
        self.query_one(OptionList).highlighted = max(0, min(step, len(self.replay.recorded) - 1))

    def _show(self) -> None:
        table = self.replay.tables[self.step]
        shown = self.query_one("#shown", Static)
        scored = scored_in(table)
        if self.explains and scored is not None:
            shown.update(explanation(scored))
        else:
            view = plain(self.replay.view(self.step, self.eyes).model_dump())
            shown.update(cards.lines(view, narrow=True, plays=LAP if self.screen.has_class("-narrow") else None))


Scored = HandScored | HandSettled | HandEscaped


def scored_in(table: Table) -> Scored | None:
    """How the hand of a table was scored, None if it was not (yet)."""
    hand = table.hand
    if hand is None:
        return None
    return hand.scored if isinstance(hand, climbing.Hand) else hand.settled or hand.escaped


def explanation(scored: Scored) -> Text:
    """The explanation of a score, a line a number (C7)."""
    text = Text()
    for why in scored.why:
        seat = f"座 {why.seat} {scored.players[why.seat]}: " if why.seat is not None else ""
        play = f" (事件 event {why.play})" if why.play is not None else ""
        number = cards.counted(why.kind, why.amount)
        text.append(printable(f"{seat}{number}  {why.zh} {why.en} [{why.clause}]{play}") + "\n")
    return text


def print_steps(replay: Replay, console: Console) -> None:
    """Print every event, for when there is no terminal."""
    for step in range(len(replay.recorded)):
        console.print(replay.words(step, replay.viewer), soft_wrap=True)
