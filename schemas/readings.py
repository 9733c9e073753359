"""What a play counts as (牌型认定): the reading that is recorded with it (C3)."""

from dataclasses import dataclass
from typing import Literal

Pattern = Literal[
    "single",
    "pair",
    "triple",
    "straight",
    "pair_run",
    "triple_run",
    "full_house",
    "bomb",
    "chain",
    "three_jokers",
    "four_jokers",
]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way a set of cards forms a pattern.

    `rank` is the top rank (full house: the triple's; three and four jokers: `BJ`); `cards` the number of cards; `groups` the
    number of ranks in a run or chain, else 1; `stars` the star level (星级), 0 for non-bombs and where bombs go by size (C4);
    `stands_for` the ranks that wildcards stood for, ascending, empty if none stood in.
    """

    pattern: Pattern
    rank: str
    cards: int
    groups: int
    stars: int
    stands_for: tuple[str, ...] = ()

    @property
    def is_bomb(self) -> bool:
        """Whether the play is one of the bombs (炸弹) of section 4."""
        return self.pattern in ("bomb", "chain", "three_jokers", "four_jokers")
