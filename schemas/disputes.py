"""The events of the dispute desk, and of the log of who looked at what. Both are streams of their own; a match never changes by them.

A dispute is a record like a table's: canonical lines, chained by hashes, with the source `/disputes/<id>`. Corrections are new entries
of the ledger that name their dispute (`ledger-adjusted`); what was recorded at the table stays as it was (ADR 0012). Looks are
recorded under `/access/<table>`, one chain a table.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.events import Event, Seat

Amount = Annotated[str, Field(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,4})?$")]
"""A decimal number as text, with a minus sign when it is taken away."""
Party = Literal["player", "operator", "auditor", "adjudicator"]
"""In which capacity somebody acts at the desk."""
Outcome = Literal["upheld", "voided", "adjusted"]
"""What a ruling says: the record stands, the hand counts nothing, or amounts are corrected."""


class Entry(BaseModel):
    """One line of a correction: what an account of the ledger gets (`player:<name>`, `table:<id>`, `house:rulings`), in which unit."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    account: Annotated[str, Field(max_length=80)]
    amount: Amount
    unit: Literal["points", "coins"] = "points"


class DisputeRaised(Event):
    """A player of a table disputes it, one of its hands (`hand`), or one event (`event`, the version on its table).

    `players` is everybody who had sat there by then; `respond_by` when the desk is to have ruled.
    """

    TYPE = "dispute-raised"
    table: str
    hand: int | None
    event: int | None
    claim: str
    player: str
    players: tuple[str, ...]
    respond_by: str


class EvidenceAttached(Event):
    """Somebody attached a text, a file, or the SHA-256 of a file that is kept elsewhere.

    `content` is a file in base64; `size` in bytes, of a text in UTF-8; `sha256` is that of the bytes.
    """

    TYPE = "evidence-attached"
    number: int
    by: str
    role: Party
    kind: Literal["text", "file", "digest"]
    name: str | None
    text: str | None
    content: str | None
    size: int | None
    sha256: str


class DisputeAssigned(Event):
    """An operator gave the case to an adjudicator, who is to rule until `respond_by`."""

    TYPE = "dispute-assigned"
    adjudicator: str
    by: str
    respond_by: str


class RulingGiven(Event):
    """The adjudicator ruled, with reasons. `table_version` and `table_head` are the record that was ruled on: that up to the last event at
    which no hand was being played, and its hash.

    `entries` is what follows for the ledger, empty when the record is upheld; it is posted by the `ledger-adjusted` after this event.
    """

    TYPE = "ruling-given"
    adjudicator: str
    outcome: Outcome
    table: str
    hand: int | None
    reason: str
    entries: tuple[Entry, ...]
    table_version: int
    table_head: str


class LedgerAdjusted(Event):
    """What a ruling changes in the ledger: entries that add up to nothing."""

    TYPE = "ledger-adjusted"
    dispute: str
    table: str
    hand: int | None
    entries: tuple[Entry, ...]
    reason: str


class DisputeWithdrawn(Event):
    """Who raised the dispute took it back before it was ruled on."""

    TYPE = "dispute-withdrawn"
    player: str
    reason: str


class AccessLogged(Event):
    """Somebody whose office shows more than a spectator sees looked at a table, or at a case about it.

    `viewer` says with whose eyes, `until` which event of the table was the last to be seen.
    """

    TYPE = "access-logged"
    table: str
    what: Literal["view", "audit", "export", "events", "case"]
    viewer: str
    until: int
    dispute: str | None
    role: Party
    name: str


class TokenGiven(Event):
    """Somebody who seats players was given the token of a seat that was taken already, and could look and act with it from then on.

    The first token of a seat goes out with `player-seated`. `until` is the last event of the table then.
    """

    TYPE = "token-given"
    table: str
    player: str
    seat: Seat
    until: int
    role: Party
    name: str
