"""What may be asked of the dispute desk, and how a case reads. Commands are wishes; the desk decides what happens."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.disputes import Entry, Outcome, Party

Status = Literal["open", "assigned", "ruled", "withdrawn"]
"""Where a case stands; `open` means that nobody has it yet."""


@dataclass(frozen=True, slots=True)
class Raise:
    """Dispute a table, a hand of it or an event of it."""

    player: str
    table: str
    claim: str
    hand: int | None = None
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Attach:
    """Attach a text, a file, or the digest of a file. `content` is the file itself, `sha256` what its sender says it hashes to."""

    by: str
    role: Party
    name: str | None = None
    text: str | None = None
    content: bytes | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """Give the case to an adjudicator; `respond_by` None leaves the date as it is."""

    adjudicator: str
    by: str
    respond_by: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule on the case. `amounts` are by player's name, for an adjustment; `house` lets the rest stand against the house."""

    adjudicator: str
    outcome: Outcome
    reason: str
    hand: int | None = None
    amounts: tuple[tuple[str, str], ...] = ()
    house: bool = False


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the dispute back."""

    player: str
    reason: str = ""


DeskCommand = Raise | Attach | Assign | Rule | Withdraw


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)


class EvidenceView(_View):
    """A piece of evidence without the content of a file, which has an address of its own."""

    number: int
    by: str
    role: Party
    time: str
    kind: Literal["text", "file", "digest"]
    name: str | None
    text: str | None
    size: int | None
    sha256: str


class RulingView(_View):
    """The ruling, with the entries it makes in the ledger and the record it was given on."""

    adjudicator: str
    time: str
    outcome: Outcome
    hand: int | None
    reason: str
    entries: tuple[Entry, ...]
    table_version: int
    table_head: str
    posted: bool


class OtherRulingView(_View):
    """A ruling of another case on the same hand; one without a hand is about the whole table."""

    dispute: str
    time: str
    hand: int | None
    outcome: Outcome
    reason: str
    adjudicator: str


class CaseView(_View):
    """A case as everybody reads it who may. `overdue`: it is past `respond_by` and nobody has ruled."""

    dispute: str
    version: int
    status: Status
    overdue: bool
    table: str
    hand: int | None
    event: int | None
    claim: str
    player: str
    players: tuple[str, ...]
    raised: str
    respond_by: str
    adjudicator: str | None
    evidence: tuple[EvidenceView, ...]
    ruling: RulingView | None
    withdrawn: str | None
