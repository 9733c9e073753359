"""What a set of cards can be read as (C3), from its rank counts alone.

`forms` finds every way as a small tuple of numbers; `reading_of` writes one out as the Reading that is recorded. Both are arithmetic
over at most thirteen ranks and try no substitutions: a run is possible when no rank has too many cards and its ranks lie close
enough, because the wildcards are then exactly the cards it lacks.
"""

from collections.abc import Iterator
from typing import NamedTuple

from domain.cards import (
    ACE,
    BIG,
    BITS,
    LITTLE,
    RANK_INDEX,
    TWO,
    UNITS,
    Counts,
    count_at,
    exceeds,
    highest,
    lowest,
    present,
)
from domain.climbing.ruleset import Ruleset
from domain.climbing.strength import precedence_key, stars_of
from schemas.notation import RANKS
from schemas.readings import Pattern, Reading

_NATURAL = UNITS[LITTLE] - 1
_SMALLEST_BOMB = 4
_MOST_IN_A_RANK = 15


class Form(NamedTuple):
    """One way to read a set of cards. `top` is a rank index, `largest` the cards of the largest group; sorted by precedence (C3.7)."""

    precedence: int
    pattern: Pattern
    top: int
    cards: int
    groups: int
    stars: int
    largest: int


class Cards(NamedTuple):
    """A set of cards as the reader sees it: the natural cards (no jokers), the jokers, and how many of these are wild or not."""

    natural: Counts
    little: int
    big: int
    wild: int
    plain: int
    size: int


def cards_of(ruleset: Ruleset, counts: Counts) -> Cards:
    """Split counts into natural cards and jokers (C3.3)."""
    natural = counts & _NATURAL
    little, big = count_at(counts, LITTLE), count_at(counts, BIG)
    wild = ("LJ" in ruleset.wildcards) * little + ("BJ" in ruleset.wildcards) * big
    return Cards(natural, little, big, wild, little + big - wild, little + big + sum(n for _, n in present(natural)))


def forms(ruleset: Ruleset, counts: Counts) -> list[Form]:
    """Every way to read these cards, strongest first by leading precedence; empty when they form no pattern."""
    cards = cards_of(ruleset, counts)
    if not cards.natural:
        found = list(_joker_forms(ruleset, cards))
    elif cards.plain:
        found = list(_full_houses(ruleset, cards))
    else:
        found = [*_same_rank(ruleset, cards), *_runs(ruleset, cards), *_full_houses(ruleset, cards)]
        found.extend(_chains(ruleset, cards))
    found.sort(reverse=True)
    return found


def readings_of(ruleset: Ruleset, counts: Counts) -> tuple[Reading, ...]:
    """Every reading of these cards, strongest first by leading precedence."""
    return tuple(reading_of(ruleset, counts, form) for form in forms(ruleset, counts))


def reading_of(ruleset: Ruleset, counts: Counts, form: Form) -> Reading:
    """The reading that is recorded for a form of these cards: with what each wildcard stands for (C3.8)."""
    cards = cards_of(ruleset, counts)
    ranks = sorted(_stands_for(ruleset, cards, form))
    return Reading(
        form.pattern, RANKS[form.top], form.cards, form.groups, form.stars, tuple(RANKS[rank] for rank in ranks)
    )


def _form(ruleset: Ruleset, pattern: Pattern, top: int, cards: int, groups: int = 1, largest: int = 0) -> Form:
    stars = stars_of(ruleset, pattern, largest, groups)
    return Form(
        precedence_key(ruleset, pattern, top, cards, groups, stars), pattern, top, cards, groups, stars, largest
    )


def _joker_forms(ruleset: Ruleset, cards: Cards) -> Iterator[Form]:
    """Only jokers in the play (C3.5): each set of them has one meaning at most."""
    match cards.little, cards.big:
        case (1, 0) | (0, 1):
            yield _form(ruleset, "single", BIG if cards.big else LITTLE, 1)
        case (2, 0) | (0, 2):
            yield _form(ruleset, "pair", BIG if cards.big else LITTLE, 2)
        case (1, 1) if ruleset.little_and_big_pair:
            yield _form(ruleset, "pair", LITTLE, 2)
        case (2, 1) | (1, 2) if ruleset.three_jokers:
            yield _form(ruleset, "three_jokers", BIG, 3)
        case (2, 2):
            yield _form(ruleset, "four_jokers", BIG, 4)
        case _:
            return


def _same_rank(ruleset: Ruleset, cards: Cards) -> Iterator[Form]:
    rank = lowest(cards.natural)
    if cards.natural >> BITS * (rank + 1):
        return
    if cards.size < _SMALLEST_BOMB:
        pattern: Pattern = ("single", "pair", "triple")[cards.size - 1]
        yield _form(ruleset, pattern, rank, cards.size)
    elif cards.size <= ruleset.largest_bomb:
        yield _form(ruleset, "bomb", rank, cards.size, largest=cards.size)


def run_patterns(ruleset: Ruleset) -> tuple[tuple[Pattern, int, int], ...]:
    """The runs of a ruleset: pattern, cards of each rank, fewest ranks (C3.1)."""
    return (
        ("straight", 1, ruleset.straight_from),
        ("pair_run", 2, ruleset.pair_run_from),
        ("triple_run", 3, ruleset.triple_run_from),
    )


def _runs(ruleset: Ruleset, cards: Cards) -> Iterator[Form]:
    for pattern, each, fewest in run_patterns(ruleset):
        groups, rest = divmod(cards.size, each)
        if rest or groups < fewest or exceeds(cards.natural, each):
            continue
        for top in _tops(cards.natural, groups):
            yield _form(ruleset, pattern, top, cards.size, groups)


def _tops(natural: Counts, groups: int) -> range:
    """The top ranks of all windows of so many ranks within 3..A that hold all the natural cards (C3.2)."""
    low, high = lowest(natural), highest(natural)
    return range(max(high, groups - 1), min(ACE, low + groups - 1) + 1) if high <= ACE else range(0)


def _chains(ruleset: Ruleset, cards: Cards) -> Iterator[Form]:
    if ruleset.chains is None or cards.size < _SMALLEST_BOMB * ruleset.chains.shortest:
        return
    for groups in range(ruleset.chains.shortest, ruleset.chains.longest + 1):
        for top in _tops(cards.natural, groups):
            for largest in _largest_groups(ruleset, cards, top, groups):
                yield _form(ruleset, "chain", top, cards.size, groups, largest)


def _largest_groups(ruleset: Ruleset, cards: Cards, top: int, groups: int) -> Iterator[int]:
    """The sizes that the largest group of a chain in this window can have."""
    held = _window(cards.natural, top, groups)
    if ruleset.chains and ruleset.chains.mixed:
        sizes = [max(number, _SMALLEST_BOMB) for number in held]
        surplus = cards.size - sum(sizes)
        if surplus >= 0:
            for largest in range(max(sizes), min(ruleset.largest_bomb, max(sizes) + surplus) + 1):
                if surplus <= largest * groups - sum(sizes):
                    yield largest
        return
    each, rest = divmod(cards.size, groups)
    if not rest and max(_SMALLEST_BOMB, *held) <= each <= ruleset.largest_bomb:
        yield each


def _window(natural: Counts, top: int, groups: int) -> list[int]:
    return [count_at(natural, rank) for rank in range(top - groups + 1, top + 1)]


def _full_houses(ruleset: Ruleset, cards: Cards) -> Iterator[Form]:
    """A triple and a pair, which may be jokers; all other jokers are wildcards that fill what is missing."""
    if not ruleset.full_house or cards.size != 5:
        return
    held = dict(present(cards.natural))
    for triple in range(TWO + 1) if cards.wild >= 3 else held:
        if held.get(triple, 0) <= 3 and _pair_beside(ruleset, cards, held, triple) is not None:
            yield _form(ruleset, "full_house", triple, 5)


def _pair_beside(ruleset: Ruleset, cards: Cards, held: dict[int, int], triple: int) -> list[int] | None:
    """What wildcards stand for in the pair beside this triple; None when no pair is possible."""
    others = [rank for rank in held if rank != triple]
    if len(others) == 1 and not cards.plain and held[others[0]] <= 2:
        return others * (2 - held[others[0]])
    if others:
        return None
    if cards.big == 2 and (not cards.little or "LJ" in ruleset.wildcards):
        return []
    if not cards.big or "BJ" in ruleset.wildcards:
        return [LITTLE] * (2 - cards.little)
    return None


def _stands_for(ruleset: Ruleset, cards: Cards, form: Form) -> list[int]:
    match form.pattern:
        case "single" | "three_jokers" | "four_jokers":
            return []
        case "full_house":
            held = dict(present(cards.natural))
            pair = _pair_beside(ruleset, cards, held, form.top) or []
            return [form.top] * (3 - held.get(form.top, 0)) + pair
        case "pair" if not cards.natural:
            # A little and a big joker: the big one, being wild, stands for the second little one.
            return [LITTLE] if cards.little == cards.big == 1 else []
        case "chain":
            held_each = _window(cards.natural, form.top, form.groups)
            sizes = _chain_sizes(ruleset, [max(number, _SMALLEST_BOMB) for number in held_each], form)
        case _:
            held_each = _window(cards.natural, form.top, form.groups)
            sizes = [form.cards // form.groups] * form.groups
    lowest_rank = form.top - form.groups + 1
    return [
        lowest_rank + place
        for place, (number, want) in enumerate(zip(held_each, sizes, strict=True))
        for _ in range(want - number)
    ]


def _chain_sizes(ruleset: Ruleset, sizes: list[int], form: Form) -> list[int]:
    """The size of each group of a chain: surplus wildcards go to the highest group that leaves the form as it is (C3.8)."""
    surplus = form.cards - sum(sizes)
    places = list(range(len(sizes)))
    if ruleset.surplus_to == "highest":
        places.reverse()
    for done, place in enumerate(places, start=1):
        later = [form.largest - sizes[other] for other in places[done:]]
        for given in range(min(form.largest - sizes[place], surplus), -1, -1):
            rest = surplus - given
            reached = form.largest in sizes or sizes[place] + given == form.largest
            if rest <= sum(later) and (reached or any(room <= rest for room in later)):
                sizes[place] += given
                surplus = rest
                break
    return sizes


def example_of(reading: Reading) -> Counts:
    """Natural cards that would have this reading, if any cards have; more of a rank than two packs hold where only wildcards could."""
    top = RANK_INDEX[reading.rank]
    if reading.pattern == "three_jokers":
        return 2 * UNITS[LITTLE] + UNITS[BIG]
    if reading.pattern == "four_jokers":
        return 2 * UNITS[LITTLE] + 2 * UNITS[BIG]
    if reading.pattern == "full_house":
        return 3 * UNITS[top] + 2 * UNITS[0 if top else 1]
    bottom = top - reading.groups + 1
    if bottom < 0 or not reading.groups <= reading.cards <= _MOST_IN_A_RANK * reading.groups:
        return 0
    each, rest = divmod(reading.cards, reading.groups)
    if reading.pattern != "chain" or reading.stars == 0:
        return each * sum(UNITS[bottom : top + 1]) + rest * UNITS[top]
    largest = min(max(reading.stars - reading.groups, 0), _MOST_IN_A_RANK)
    counts, left = 0, reading.cards
    for rank in range(top, bottom - 1, -1):
        number = max(0, min(largest, left - _SMALLEST_BOMB * (rank - bottom)))
        counts += number * UNITS[rank]
        left -= number
    return counts
