"""What it means to judge recorded hands by other rules: the words that both families and the whole match share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from domain.refusal import Refusal
from schemas.events import Event, Four, HandAbandoned, HandScored, HandVoided, Players
from schemas.readings import Reading
from schemas.trumps import HandEscaped, HandSettled

Status = Literal["legal", "illegal", "stopped", "unfinished"]
"""Every act is legal by the other rules; some are not; the hand could not be gone on with; the record has no end of the hand."""

OF_SCORED: Final = ("outcome", "base", "multiplier", "contribution", "score", "coins")
"""The numbers of a scored hand of the climbing family."""
OF_SETTLED: Final = (
    "kitty_points",
    "multiplier",
    "taken",
    "points",
    "row",
    "levels",
    "take_over",
    "next_declarer",
    "match_won",
    "score",
)
"""The numbers of a settled hand of the trump family."""


@dataclass(frozen=True, slots=True)
class Illegal:
    """A recorded act that the other rules refuse; `version` is that of its event."""

    version: int
    seat: int | None
    act: str
    cards: tuple[str, ...]
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A play that the other rules read differently."""

    version: int
    seat: int
    cards: tuple[str, ...]
    recorded: Reading
    other: Reading


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is worth knowing about a hand, at an event if it is about one."""

    version: int | None
    clause: str
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended: what each seat got, and the numbers it comes from, by name."""

    score: Four
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HandVerdict:
    """One hand under the other rules. `recorded` and `other` are its results, None where there is none.

    `illegal` holds every act that they refuse, first to last, `notes` what else is to be known; the last note of a stopped hand says why.
    """

    hand: int
    players: Players
    status: Status
    illegal: tuple[Illegal, ...]
    readings: tuple[OtherReading, ...]
    notes: tuple[Note, ...]
    recorded: Result | None
    other: Result | None

    @property
    def differs(self) -> dict[str, tuple[Any, Any]]:
        """The numbers that differ, each as recorded and by the other rules."""
        if self.recorded is None or self.other is None:
            return {}
        ours = self.other.facts
        return {name: (value, ours.get(name)) for name, value in self.recorded.facts.items() if value != ours.get(name)}

    @property
    def counts(self) -> bool:
        """Whether its scores can be compared: every act is legal by both rules, and both gave a result."""
        return self.status == "legal" and self.recorded is not None and self.other is not None


def result_of(event: Event) -> Result | None:
    """The result that an event tells if it is one that ends a hand."""
    match event:
        case HandScored():
            return Result(event.score, {name: getattr(event, name) for name in OF_SCORED})
        case HandSettled():
            return Result(event.score, {name: getattr(event, name) for name in OF_SETTLED})
        case HandEscaped():
            return Result(event.score, {"most": event.most, "score": event.score})
        case HandAbandoned() | HandVoided():
            return Result(event.contribution, {"contribution": event.contribution})
        case _:
            return None


def named(command: object) -> str:
    """What an act is called: `play`, `pass`, `bury`."""
    return type(command).__name__.lower()
