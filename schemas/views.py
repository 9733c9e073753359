"""What a viewer receives of a table. Hidden cards are absent, not blanked: a view holds nothing that its viewer may not see."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas.events import FaceUp, HandAbandoned, HandScored, HandVoided
from schemas.notation import Unreadable
from schemas.readings import Reading
from schemas.trumps import Cards, HandEscaped, HandSettled, KittyTurned, Levels, Trump

Viewer = Literal["0", "1", "2", "3", "spectator", "delayed", "auditor"]
"""Who looks: a seat, a spectator, a spectator who sees all hands late (where the table allows it), or an auditor (who sees everything)."""
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
    """A seat: who sits there, how many cards are left, and the cards themselves where the viewer may see them (else None).

    `away`: its clock ran out and the table plays for it (托管). `vote`: it asked or agreed to dissolve the table.
    """

    seat: int
    player: str | None
    cards: int
    holding: tuple[str, ...] | None
    finish: int | None
    contribution: int
    score: int
    away: bool = False
    vote: bool = False


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

    family: Literal["climbing"] = "climbing"
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
    result: HandScored | HandAbandoned | HandVoided | None


class DeclarationView(_View):
    """The declaration or counter in force."""

    seat: int
    cards: Cards
    trump: Trump


class TrumpsPlayView(_View):
    """A play of the present trick; `version` is that of its event."""

    seat: int
    version: int
    cards: Cards
    kind: str


Phase = Literal["dealing", "declaring", "burying", "countering", "playing", "over"]


class TrumpsHandView(_View):
    """The present or latest hand of a trump game.

    `waiting` are the seats that may act now: those who have not declined while declaring, else the one to move, `turn`. `dealt` counts the
    cards dealt so far. `trump` is the trump suit, None while nothing made trumps or when there is no trump: `trump_known` tells which.
    `kitty` are the buried cards where the viewer may see them: its burier, an auditor, everybody when the hand is over. `winning` is the
    place in `plays` of the play that wins so far. `attackers` are their points by now, penalties included; `failed` counts failed throws.
    `gone` counts by card what lies in the tricks that are over and in the present one (记牌器).
    """

    family: Literal["trumps"] = "trumps"
    number: int
    ruleset: str
    ruleset_version: int
    commitment: str
    seed: str | None
    phase: Phase
    turn: int | None
    waiting: tuple[int, ...]
    level: str
    levels: Levels
    declarer: int | None
    trump: Trump
    trump_known: bool
    declared: DeclarationView | None
    turned: KittyTurned | None
    dealt: int
    burier: int | None
    kitty: Cards | None
    trick: int
    leader: int | None
    plays: tuple[TrumpsPlayView, ...]
    winning: int | None
    attackers: int
    failed: tuple[int, int, int, int]
    gone: dict[str, int]
    result: HandSettled | HandEscaped | HandVoided | None


class ClockView(_View):
    """The clock of whoever is to act: they have `seconds` from `since`, the time of the event that made it their turn."""

    seconds: int
    since: str


class View(_View):
    """A table as one viewer sees it after event `version`.

    `clock` is None where the table has none or nobody is to act. `partner_after_out`: who has gone out sees the partner's cards.
    `delayed` says how late a spectator may see all hands. `levels` of both sides and the `declarer` of the next hand in games with levels.
    `commitment` binds the seed of the next hand where players may add `salts` to it, by seat.
    """

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
    hand: Annotated[HandView | TrumpsHandView, Field(discriminator="family")] | None
    closed: bool
    family: Literal["climbing", "trumps"] = "climbing"
    levels: Levels | None = None
    declarer: int | None = None
    clock: ClockView | None = None
    partner_after_out: bool = False
    delayed: int | Literal["hand"] | None = None
    commitment: str | None = None
    salts: dict[int, str] | None = None


EventView = dict[str, Any]
"""An event as one viewer sees it: `table`, `version`, `type`, `time`, and `data` without what is hidden."""
