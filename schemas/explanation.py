"""One line of the explanation of a score (C7, T7, T8): a number, where it comes from and the clause that says so."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "outcome",
    "base",
    "multiplier",
    "contribution",
    "accumulation",
    "coins",
    "sum",
    "points",
    "trick",
    "penalty",
    "kitty",
    "total",
    "row",
    "levels",
    "score",
    "most",
    "next_declarer",
]
"""What a line is about: the first seven in the climbing family, with `multiplier` the rest in the trump family."""


@dataclass(frozen=True, slots=True)
class Why:
    """One item of an explanation.

    `amount` is a whole number of points, a factor or a number of levels, or a decimal as text (coins); `seat` whom it concerns (None:
    everybody or a side, see the words);
    `play` the version of the event that earned it, None where no single play did; `en` and `zh` say it in words.
    """

    kind: Kind
    clause: str
    seat: int | None
    amount: int | str
    play: int | None
    en: str
    zh: str
