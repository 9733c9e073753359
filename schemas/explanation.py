"""One line of the explanation of a score (C7): a number, where it comes from and the clause that says so."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["outcome", "base", "multiplier", "contribution", "accumulation", "coins", "sum"]


@dataclass(frozen=True, slots=True)
class Why:
    """One item of an explanation.

    `amount` is a whole number of points or a factor, or a decimal as text (coins); `seat` whom it concerns (None: everybody);
    `play` the version of the event that earned it, None where no single play did; `en` and `zh` say it in words.
    """

    kind: Kind
    clause: str
    seat: int | None
    amount: int | str
    play: int | None
    en: str
    zh: str
