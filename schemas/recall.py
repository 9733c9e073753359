"""Game recall: a hand told again from the record, as GLI-19 asks for it. It is a replay and says so; nothing can be played in it."""

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

NOTE_ZH: Final = "回放:这是已发生牌局的记录,不是正在进行的牌桌。"
NOTE_EN: Final = "Replay: a record of what happened, not a live table."

Kind = Literal["deal", "choice", "automatic", "result", "end", "table"]
"""What an event was: of the deal; a player's choice; a choice that the table made for a player whose time ran out (托管); what
followed from a choice; the end of the hand; or something at the table meanwhile."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Kept(_Part):
    """How long a hand is kept for recall: so many years, at least until this day."""

    years: int
    until: str


class Ruled(_Part):
    """The ruleset that a hand was played by."""

    id: str
    version: int
    title_zh: str
    title_en: str


class HandRuling(_Part):
    """A ruling about a hand: of which case, what it said, and when."""

    dispute: str
    outcome: Literal["upheld", "voided", "adjusted"]
    reason: str
    ruled: str


class HandFound(_Part):
    """A hand in a list. `id` is `table/hand`; `ended`, `receipt` and `digest` (the hash of its last event) are None while it is played.

    `status` is `void` also for a hand that a ruling made void. `rulings` are those about it, the earliest first; None where the view of
    disputes is away.
    """

    id: str
    table: str
    hand: int
    status: Literal["playing", "complete", "interrupted", "void"]
    how: str | None
    started: str
    ended: str | None
    ruleset: str
    ruleset_version: int
    players: tuple[str, ...]
    receipt: str | None
    digest: str | None
    kept: Kept
    rulings: tuple[HandRuling, ...] | None = None


class Balance(_Part):
    """What an account held when a hand began and when it ended, and what this hand changed, in one unit; whole numbers or decimal text."""

    unit: Literal["points", "coins"]
    before: int | str
    change: int | str
    after: int | str


class Player(_Part):
    """A player of a hand. `before` and `after` are the points at this table (`after` None while it is played).

    `balances` are of the account in the ledger, over all tables; None where the ledger has not come to this hand.
    """

    seat: int
    player: str
    before: int
    after: int | None
    balances: tuple[Balance, ...] | None


class Step(_Part):
    """An event of a hand: when, what it was, whose choice, and the event itself as the reader may see it."""

    version: int
    time: str
    kind: Kind
    seat: int | None
    player: str | None
    event: dict[str, Any]


class HandRecall(_Part):
    """A hand told again. `software` is the version of the service that ran when it was played, `shown_by` the one that tells it.

    `viewer` says with whose eyes it is told: what they may not see is absent.
    """

    replay: Literal[True] = True
    note_zh: str = NOTE_ZH
    note_en: str = NOTE_EN
    found: HandFound
    ruleset: Ruled
    software: str
    shown_by: str
    viewer: str
    players: tuple[Player, ...]
    steps: tuple[Step, ...]
