"""The events of hands of the trump family (T1-T8), in the order in which a hand meets them.

What is said in `schemas.events` holds here too. Cards that not everybody may see are marked **Hidden**.
"""

from typing import Annotated, Literal

from pydantic import Field

from schemas.events import Event, Four, Players, Seat
from schemas.explanation import Why

Cards = tuple[str, ...]
Suit = Annotated[str, Field(pattern="^[SHCD]$")]
Side = Annotated[int, Field(ge=0, le=1)]
"""0 for seats 0 and 2, 1 for seats 1 and 3."""
Trump = Suit | None
"""The trump suit; None is no trump (无主): only jokers and level cards are trumps."""
Levels = tuple[str, str]
"""The levels of seats 0 and 2, and of seats 1 and 3."""


class DealBegun(Event):
    """The stepwise deal began: at which level, and who declares; None when the declarations decide that (T1.5)."""

    TYPE = "deal-begun"
    hand: int
    level: str
    levels: Levels
    declarer: Seat | None


class CardsDealt(Event):
    """The next cards were dealt one at a time, seat 0 first. **Hidden**: each seat sees its own only.

    `first` is the position of the first of `cards` in the shuffled pack, from 0; the card at position p goes to seat p mod 4 (T2.1).
    """

    TYPE = "cards-dealt"
    hand: int
    first: Annotated[int, Field(ge=0, le=99)]
    cards: Cards


class TrumpDeclared(Event):
    """A seat declared trumps (亮主), overruled a declaration or protected its own (T2.2 to T2.4), when `dealt` cards were dealt."""

    TYPE = "trump-declared"
    hand: int
    seat: Seat
    cards: Cards
    strength: int
    trump: Trump
    dealt: int


class DeclarationDeclined(Event):
    """After the last card a seat declined to declare (T2.1)."""

    TYPE = "declaration-declined"
    hand: int
    seat: Seat


class KittyTurned(Event):
    """Nobody declared: the kitty was turned card by card up to the one that made trumps (T2.5)."""

    TYPE = "kitty-turned"
    hand: int
    cards: Cards
    trump: Suit
    by: Literal["level_card", "highest_card"]


class DeclarerNamed(Event):
    """Who declares, and why: the last declaration made it, the hand before did, or it was drawn (T1.5, T1.6)."""

    TYPE = "declarer-named"
    hand: int
    seat: Seat
    by: Literal["declaration", "previous", "drawn"]


class KittyTaken(Event):
    """A seat took the kitty, or the cards that were buried, and must bury (T3.1, T3.3). **Hidden**: `cards`, but from that seat."""

    TYPE = "kitty-taken"
    hand: int
    seat: Seat
    cards: Cards


class KittyBuried(Event):
    """A seat buried cards (扣底, T3.1). **Hidden**: `cards`, but from that seat."""

    TYPE = "kitty-buried"
    hand: int
    seat: Seat
    cards: Cards


class KittyCountered(Event):
    """A seat showed a stronger pair after the burial (反底); it makes trumps (T3.2, T3.3)."""

    TYPE = "kitty-countered"
    hand: int
    seat: Seat
    cards: Cards
    strength: int
    trump: Trump


class CounterDeclined(Event):
    """A seat that was asked declined to counter (T3.4)."""

    TYPE = "counter-declined"
    hand: int
    seat: Seat


class ThrowFailed(Event):
    """A throw (甩牌) could be beaten: of `cards`, which everybody has seen now, only `led` is led (T5.4).

    `beatable` are the parts that somebody could beat, `failed` how many throws of this seat failed in this hand by now, `points` what the
    attackers get or lose for it (T5.5).
    """

    TYPE = "throw-failed"
    hand: int
    trick: int
    seat: Seat
    cards: Cards
    beatable: tuple[Cards, ...]
    led: Cards
    points: int
    failed: int


class CardsPlayed(Event):
    """A seat led or followed. `kind` says what a lead is, or how a follow counts: of the suit, trumping it, or thrown away (T5.1, T6).

    `parts` are the singles, pairs and tractors of a lead (T5.7), `left` the number of cards still held.
    """

    TYPE = "cards-played"
    hand: int
    trick: int
    seat: Seat
    cards: Cards
    kind: Literal["single", "pair", "tractor", "throw", "follow", "trump", "discard"]
    parts: tuple[Cards, ...]
    left: int


class PointsTaken(Event):
    """A trick ended: `seat` won it with the event `play` and leads next (T6.5).

    `points` lie in it (T7.1); the attackers have so many by now.
    """

    TYPE = "points-taken"
    hand: int
    trick: int
    seat: Seat
    play: int
    points: int
    attackers: int


class HandSettled(Event):
    """A hand ended and was scored; `why` explains every number (T7).

    `taken` are the attackers' points before the kitty, `points` in the end, `row` from where on the row of the table holds; `levels` what
    the declaring side and the attackers rise. The buried cards, `kitty`, are seen by everybody now. `next_declarer` declares the next hand;
    `match_won` is the side that won the match with this one (T1.2).
    """

    TYPE = "hand-settled"
    hand: int
    declarer: Seat
    kitty: Cards
    kitty_points: int
    multiplier: int
    taken: int
    points: int
    row: int
    levels: tuple[int, int]
    take_over: bool
    next_declarer: Seat
    match_won: Side | None
    score: Four
    players: Players
    why: tuple[Why, ...]


class LevelRaised(Event):
    """A side (0: seats 0 and 2) rose to a level (T7.4, T7.5)."""

    TYPE = "level-raised"
    hand: int
    side: Side
    before: str
    after: str


class HandEscaped(Event):
    """A player left during the hand (逃跑): it is void, and the leaver pays (T8). `most` is M, `declarer` None if none was named yet."""

    TYPE = "hand-escaped"
    hand: int
    seat: Seat
    player: str
    declarer: Seat | None
    most: int
    score: Four
    players: Players
    why: tuple[Why, ...]
