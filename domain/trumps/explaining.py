"""One line of the explanation of a result: a number, where it comes from and the clause that says so (T7, T8)."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "points", "trick", "penalty", "kitty", "multiplier", "total", "row", "levels", "score", "most", "next_declarer"
]


@dataclass(frozen=True, slots=True)
class Reason:
    """One item of an explanation.

    `amount` is a number of points, a factor or a number of levels; `seat` whom it concerns (None: a side or everybody, see the words);
    `play` the version of the event that earned it, None where no single event did; `en` and `zh` say it in words.
    """

    kind: Kind
    clause: str
    seat: int | None
    amount: int
    play: int | None
    en: str
    zh: str
