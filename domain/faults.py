"""What is wrong with a record, and the exception that carries it to whoever writes the report."""

from dataclasses import dataclass
from typing import Literal

from schemas.text import printable

Kind = Literal[
    "shape",
    "unreadable",
    "missing",
    "duplicated",
    "reordered",
    "changed",
    "chain",
    "proof",
    "signature",
    "forged",
    "checkpoint",
    "shuffle",
    "illegal",
    "differs",
    "command",
    "unexpected",
]
"""Kinds of faults, about in the order in which they are looked for.

`missing`, `duplicated`, `reordered` and `changed` events break the chain; `forged` ones are chained anew, but not signed.
`unexpected` is what the verification itself could not cope with.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record: where (`version` of the event, None for the file as a whole), what kind, which clause, in words.

    `until` is set where it is only known that the first event at fault is one from `version` to it.
    """

    table: str | None
    version: int | None
    kind: Kind
    clause: str
    en: str
    zh: str
    until: int | None = None

    def __str__(self) -> str:
        table = self.table or "?"
        where = f"event {table}:{self.version}" if self.version else f"table {table}"
        last = f" to {self.until}" if self.until and self.until != self.version else ""
        said = f"{where}{last}: {self.kind}: {self.en} {self.zh}" + (f" [{self.clause}]" if self.clause else "")
        return printable(said)


class Found(Exception):
    """A fault was found."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault
