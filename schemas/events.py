"""The events of every table and of hands of the climbing family: what happened, complete enough to be understood without today's code.

Events are in the past tense, frozen, and never changed once published: a new shape is a new `VERSION` and an upcaster. `TYPE` and
`VERSION` make the stored name, `shuangkou.<type>.v<version>`; it is never a Python path. Seats are 0-3 in playing order; fields with
one entry a seat are lists of four in seat order. Unless a class says otherwise everybody may see every field.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.explanation import Why
from schemas.readings import Reading

Seat = Annotated[int, Field(ge=0, le=3)]
Four = tuple[int, int, int, int]
Players = tuple[str, str, str, str]


class Event(BaseModel):
    """What all events share: they are frozen and refuse fields they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1


Decimal = Annotated[str, Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,4})?$")]
"""A decimal number as text, never a float: up to nine digits and four decimal places."""


class CoinOptions(BaseModel):
    """A table that plays for game coins (游戏币, C6.6): room factor N, fee A and correction C."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    factor: Decimal
    fee: Decimal = "0"
    correction: Decimal = "1"


class TableOptions(BaseModel):
    """What the operator chose for a table when opening it.

    `hands`: the match ends after so many hands (None: when everybody has left, or when the ruleset says it is won).
    `coins`: game coins, where the ruleset has them. `level`: the level at which both sides start (T1.3).
    `turn_seconds`: the clock of every decision; when it runs out the table plays for the seat (托管).
    `partner_after_out`: who has gone out sees the partner's cards.
    `delayed`: spectators may look at all hands so many events late, or once the hand is over.
    `salts`: players may add to the chance of each hand.
    `deal_step` and `deal_pace`: cards of the stepwise deal at once (T2.1) and milliseconds between.
    `fee`: what each player pays the house for a scored hand.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    hands: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = None
    coins: CoinOptions | None = None
    level: Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"] | None = None
    turn_seconds: Annotated[int, Field(strict=True, ge=1, le=3_600)] | None = None
    partner_after_out: Annotated[bool, Field(strict=True)] = False
    delayed: Annotated[int, Field(strict=True, ge=1, le=10_000)] | Literal["hand"] | None = None
    salts: Annotated[bool, Field(strict=True)] = False
    deal_step: Annotated[int, Field(strict=True, ge=1, le=100)] = 4
    deal_pace: Annotated[int, Field(strict=True, ge=0, le=10_000)] = 250
    fee: Decimal = "0"


class TableOpened(Event):
    """A table was opened for one ruleset. `family` says which game it is of."""

    TYPE = "table-opened"
    VERSION = 2
    family: Literal["climbing", "trumps"]
    ruleset: str
    ruleset_version: int
    options: TableOptions


class PlayerSeated(Event):
    """A player took a free seat."""

    TYPE = "player-seated"
    player: str
    seat: Seat


class PlayerLeft(Event):
    """A player gave up the seat; another may take it."""

    TYPE = "player-left"
    player: str
    seat: Seat


class SeedCommitted(Event):
    """The table bound itself to the seed of its next hand, before players add to it (`salts`)."""

    TYPE = "seed-committed"
    hand: int
    commitment: str


class SaltGiven(Event):
    """A player added a text of their own to the chance of the next hand, so that no one alone decides how it is dealt."""

    TYPE = "salt-given"
    hand: int
    seat: Seat
    player: str
    salt: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,64}$")]


class HandStarted(Event):
    """A hand began. `commitment` binds its seed before a card is dealt; the seed is revealed when the hand is over."""

    TYPE = "hand-started"
    hand: int
    ruleset: str
    ruleset_version: int
    commitment: str
    players: Players


class FaceUp(BaseModel):
    """The face-up card (明牌): its position in the shuffled pack, the card, and the seat that was dealt it (C2)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    position: int
    card: str
    seat: Seat


class Dealt(Event):
    """The cards were dealt. **Hidden**: `holdings`; each seat sees its own only (and its partner's where partners play openly)."""

    TYPE = "dealt"
    hand: int
    holdings: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    leader: Seat
    leader_by: Literal["previous", "drawn", "face_up"]
    face_up: FaceUp | None


class SeatsSwapped(Event):
    """Two players changed seats, with their cards, so that the holders of the two face-up copies are partners (C2)."""

    TYPE = "seats-swapped"
    hand: int
    seats: tuple[Seat, Seat]
    players: Players


class Played(Event):
    """A seat played cards. `reading` is what they count as, wildcards included; `left` the number of cards still held."""

    TYPE = "played"
    hand: int
    trick: int
    seat: Seat
    cards: tuple[str, ...]
    reading: Reading
    left: int


class Passed(Event):
    """A seat passed."""

    TYPE = "passed"
    hand: int
    trick: int
    seat: Seat


class TrickWon(Event):
    """A trick ended. `seat` won it; `leads` leads the next one: another seat only when the wind was caught (接风, C5.3)."""

    TYPE = "trick-won"
    hand: int
    trick: int
    seat: Seat
    play: int
    leads: Seat
    caught_wind: bool


class ContributionScored(Event):
    """Contribution points (贡献分) were given for a bomb (C6.3).

    `reason`: at once, as the difference that accumulation adds at the end of the hand (C6.4), or withdrawn because the hand
    was abandoned under a ruleset that says so (C5.5). `play` is the version of the event of the bomb (of the abandonment,
    if withdrawn), `stars` the level that was paid, `points` what each seat got or lost.
    """

    TYPE = "contribution-scored"
    hand: int
    seat: Seat
    stars: int
    play: int
    reason: Literal["at_once", "accumulated", "withdrawn"]
    points: Four
    players: Players


class Finished(Event):
    """A seat went out at this finish position, 1 to 3."""

    TYPE = "finished"
    hand: int
    seat: Seat
    position: Annotated[int, Field(ge=1, le=3)]


class HandScored(Event):
    """A hand ended and was scored. `score` = base times multiplier plus contribution; `why` explains every number (C6, C7).

    `finish` lists the seats in finishing order. `coins` are decimals as text, in seat order, where the table plays for game coins.
    """

    TYPE = "hand-scored"
    hand: int
    finish: Four
    outcome: Literal["double", "single", "draw"]
    base: Four
    multiplier: int
    contribution: Four
    score: Four
    coins: tuple[str, str, str, str] | None
    players: Players
    why: tuple[Why, ...]


class HandAbandoned(Event):
    """A player left during the hand (逃跑): no base points; contributions already given stand (C5.5)."""

    TYPE = "hand-abandoned"
    hand: int
    seat: Seat
    player: str
    contribution: Four
    players: Players


class HandVoided(Event):
    """All players agreed to dissolve the table (解散) during the hand: it counts nothing.

    Contributions stand as in an abandoned hand (C5.5).
    """

    TYPE = "hand-voided"
    hand: int
    reason: Literal["dissolved"]
    contribution: Four
    players: Players


class TimedOut(Event):
    """The clock of a seat ran out. What the table then did for it (托管) follows as events of the same command.

    The table goes on doing so without waiting until the player returns.
    """

    TYPE = "timed-out"
    hand: int
    seat: Seat
    player: str


class PlayerReturned(Event):
    """A player for whom the table was playing took over again."""

    TYPE = "player-returned"
    seat: Seat
    player: str


class DissolveVoted(Event):
    """A player asked to dissolve the table (解散), agreed to it, or, with `agree` false, ended the vote."""

    TYPE = "dissolve-voted"
    seat: Seat
    player: str
    agree: bool


class SeedRevealed(Event):
    """The seed of a hand that is over; anybody can now check the commitment and deal the hand again."""

    TYPE = "seed-revealed"
    hand: int
    seed: str


class TableClosed(Event):
    """The match is over; nothing more happens at this table."""

    TYPE = "table-closed"
    reason: Literal["all_hands_played", "everybody_left", "match_won", "dissolved"]


def type_name(event: type[Event]) -> str:
    """The stored name of an event class, for example `shuangkou.played.v1`."""
    return f"shuangkou.{event.TYPE}.v{event.VERSION}"
