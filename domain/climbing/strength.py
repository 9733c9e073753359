"""Which play beats which (C4), and which of several readings holds when leading (C3.7)."""

from typing import Final, assert_never

from domain.cards import RANK_INDEX
from domain.climbing.ruleset import BombsBySize, BombsByStars, Ruleset
from schemas.readings import Pattern, Reading

BOMB: Final = 1 << 40
"""Precedence from which on a reading is a bomb."""

BOMB_PATTERNS: Final = frozenset({"bomb", "chain", "three_jokers", "four_jokers"})

_MOST_CARDS: Final = 127
_PLACE: Final = {"three_jokers": 0, "four_jokers": 2}
"""Joker bombs among the bombs of their stars: three are the weakest, four the strongest (C4.7)."""


def stars_of(ruleset: Ruleset, pattern: Pattern, largest: int, groups: int) -> int:
    """The stars (星级) of a bomb whose largest group has so many cards; 0 where bombs go by size (C4.6)."""
    match ruleset.bombs:
        case BombsBySize():
            return 0
        case BombsByStars(three_jokers=three, four_jokers=four):
            return {"bomb": largest, "chain": largest + groups, "three_jokers": three, "four_jokers": four}.get(
                pattern, 0
            )
        case _:
            assert_never(ruleset.bombs)


def strength_key(ruleset: Ruleset, pattern: Pattern, rank: int, cards: int, stars: int) -> int:
    """How strong a bomb is, as a number that orders all bombs of a ruleset (C4.3 to C4.7). `rank` is an index."""
    match ruleset.bombs:
        case BombsBySize(three_jokers_above=above):
            # Twice the number of cards, so that three jokers have a place of their own between two sizes.
            level = {"three_jokers": 2 * above + 1, "four_jokers": 2 * _MOST_CARDS}.get(pattern, 2 * cards)
            return level << 4 | rank
        case BombsByStars():
            return ((stars * 3 + _PLACE.get(pattern, 1)) * (_MOST_CARDS + 1) + _MOST_CARDS - cards) << 4 | rank
        case _:
            assert_never(ruleset.bombs)


def strength(ruleset: Ruleset, bomb: Reading) -> int:
    """The strength of a bomb: a higher number beats a lower one, equal ones do not beat each other."""
    return strength_key(ruleset, bomb.pattern, RANK_INDEX[bomb.rank], bomb.cards, bomb.stars)


def precedence_key(ruleset: Ruleset, pattern: Pattern, rank: int, cards: int, groups: int, stars: int) -> int:
    """Which reading of one set of cards holds when leading: the one with the highest number (C3.7). `rank` is an index."""
    if pattern in BOMB_PATTERNS:
        tie = groups if ruleset.equal_chains == "more_groups" else 15 - groups
        return BOMB + (strength_key(ruleset, pattern, rank, cards, stars) << 4 | tie)
    return rank << 4 | ruleset.equal_readings.index(pattern)


def floor_of_rank(rank: int) -> int:
    """The precedence that a play that is no bomb must exceed to beat one of its pattern with this top rank (an index)."""
    return rank << 4 | 15


def floor_of(ruleset: Ruleset, bomb: Reading) -> int:
    """The precedence that a bomb must exceed to beat this one."""
    return BOMB + (strength(ruleset, bomb) << 4 | 15)


def beats(ruleset: Ruleset, reading: Reading, lead: Reading) -> bool:
    """Whether a play with this reading beats a play with that one (C4)."""
    if not reading.is_bomb:
        return (
            reading.pattern == lead.pattern
            and reading.cards == lead.cards
            and reading.groups == lead.groups
            and RANK_INDEX[reading.rank] > RANK_INDEX[lead.rank]
        )
    return not lead.is_bomb or strength(ruleset, reading) > strength(ruleset, lead)
