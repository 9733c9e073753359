"""What a viewer receives of a table. Hidden cards are absent, not blanked: a view holds nothing that its viewer may not see."""

from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from schemas.events import FaceUp, HandAbandoned, HandScored
from schemas.notation import Unreadable
from schemas.readings import Reading

Viewer = Literal["0", "1", "2", "3", "spectator", "auditor"]
"""Who looks: a seat, a spectator, or an auditor (who sees everything)."""
VIEWERS: Final[tuple[Viewer, ...]] = get_args(Viewer)


def parse_viewer(text: str) -> Viewer:
    """Read a viewer as people write it. Raises Unreadable listing what there is."""
    for viewer in VIEWERS:
        if viewer == text:
            return viewer
    raise Unreadable(f"viewer: {text!r} is not one of {', '.join(VIEWERS)}")


class _View(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SeatView(_View):
    """A seat: who sits there, how many cards are left, and the cards themselves where the viewer may see them (else None)."""

    seat: int
    player: str | None
    cards: int
    holding: tuple[str, ...] | None
    finish: int | None
    contribution: int
    score: int


class TrickPlayView(_View):
    """Something done in the present trick; no cards means a pass. `reading` holds what wildcards stood for."""

    seat: int
    version: int
    cards: tuple[str, ...]
    reading: Reading | None


class BombView(_View):
    """A bomb played in this hand."""

    seat: int
    version: int | None
    reading: Reading


class HandView(_View):
    """The present or latest hand.

    `open_partner_hands`: partners see each other's cards now. `gone` counts the cards played so far by rank (记牌器);
    `multiplier` is what bombs have earned so far. `result` is how it ended, None while it is played; `seed` what the deal can
    be checked with, from then on.
    """

    number: int
    ruleset: str
    ruleset_version: int
    open_partner_hands: bool
    commitment: str
    seed: str | None
    turn: int | None
    leader: int | None
    leader_by: str | None
    face_up: FaceUp | None
    trick: int
    plays: tuple[TrickPlayView, ...]
    to_beat: TrickPlayView | None
    gone: dict[str, int]
    bombs: tuple[BombView, ...]
    multiplier: int
    result: HandScored | HandAbandoned | None


class View(_View):
    """A table as one viewer sees it after event `version`."""

    table: str
    version: int
    viewer: Viewer
    ruleset: str
    ruleset_version: int
    title_en: str
    title_zh: str
    hands: int | None
    coins: dict[str, str] | None
    seats: tuple[SeatView, SeatView, SeatView, SeatView]
    scores: dict[str, int]
    hand: HandView | None
    closed: bool


EventView = dict[str, Any]
"""An event as one viewer sees it: `table`, `version`, `type`, `time`, and `data` without what is hidden."""
