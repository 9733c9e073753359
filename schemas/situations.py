"""The situation in which something was done: who was to act, with which cards, what was possible, and which clause allowed it.

It is made from the record alone, so everybody who may see the cards gets the same one. Cards that a reader may not see are None.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.readings import Reading
from schemas.trumps import Cards, Trump

Do = Literal[
    "open",
    "seat",
    "commit",
    "salt",
    "start",
    "deal_on",
    "declare",
    "decline",
    "bury",
    "counter",
    "play",
    "pass",
    "leave",
    "return",
    "vote",
]
"""What can be done at a table."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Act(_Part):
    """Something that a seat does. `reading` is what cards count as in the climbing family, `kind` in the trump family."""

    do: Do
    seat: int | None = None
    cards: Cards = ()
    reading: Reading | None = None
    kind: str | None = None


class Choices(_Part):
    """What could legally be done, weakest or cheapest first.

    `total` is how many acts there are, None where they were not all counted; `note_en` and `note_zh` say what else is possible that is too
    much to list (any eight cards to bury, throws).
    """

    acts: tuple[Act, ...]
    total: int | None
    note_en: str = ""
    note_zh: str = ""


class TrickAct(_Part):
    """Something done earlier in the present trick; no cards means a pass. `version` is that of its event."""

    seat: int
    version: int
    cards: Cards
    reading: Reading | None = None
    kind: str | None = None


class Trumps(_Part):
    """What else matters in a trump game. `kitty` are the cards of the kitty as far as they are known in this situation."""

    level: str
    trump: Trump
    trump_known: bool
    declarer: int | None
    attackers: int
    kitty: Cards | None


class Reason(_Part):
    """One reason, with the clause of the rules that it comes from (empty for the order of a table)."""

    clause: str
    en: str
    zh: str


class Broken(_Part):
    """The rule that an act breaks; `rule` is its stable name.

    It is the kind of a fault, as verification finds them (`differs`, `missing`, `shuffle`, `illegal`), where the record says that something
    else came of the act than the rules make of it; `unreadable` where nobody could have asked for that.
    """

    rule: str
    clause: str
    en: str
    zh: str


class Followed(_Part):
    """One event that the act made happen, and why it did."""

    version: int
    type: str
    clause: str
    en: str
    zh: str


class Situation(_Part):
    """The situation before event `first` of a table, the first of those (up to `last`) that one command made happen.

    `version` is the event that was asked about. `phase` is what was being done: `playing` or a phase of a trump game, `between` hands
    nothing (then `hand` is 0). `waiting` are the seats that were to act; `act` is what was done, by the table itself (`by_table`, 托管 or
    dealing on) or by the seat. `holding` are the cards of the acting seat, `holdings` those of all. `trick` is what lay there, `to_beat`
    the play to beat (climbing) or the lead to follow (trumps). `choices` is what the acting seat could have done. `legal` says whether the
    rules allow the act and make of it what is recorded, `reasons` why they do, `broken` which rule does not.
    """

    table: str
    version: int
    first: int
    last: int
    time: str
    ruleset: str | None
    hand: int
    phase: str
    trick_number: int
    waiting: tuple[int, ...]
    act: Act
    by_table: bool
    player: str | None
    holding: Cards | None
    holdings: tuple[Cards | None, Cards | None, Cards | None, Cards | None]
    trick: tuple[TrickAct, ...]
    to_beat: TrickAct | None
    trumps: Trumps | None
    choices: Choices
    legal: bool
    reasons: tuple[Reason, ...]
    broken: Broken | None
    events: tuple[Followed, ...]
