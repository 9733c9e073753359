"""What can be played out of a holding (C3, C4): every distinct set of ranks that is a legal play, with the reading that would hold.

Plays come from small tables by place: all plays of one rank, all plays of one run window, all full houses of two ranks. Each entry of
such a table is one set of ranks and stands in the one place where its strongest reading puts it, so no set is found twice; what a
holding can play is what of a table it contains. Chains are rare and so many that they are compiled set by set.

A player is asked again with the same cards after each pass. So what a holding can play is kept by pattern, sorted, and an answer is the
part of it above the lead.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, combinations_with_replacement
from typing import Final, Literal, NamedTuple

from domain.cards import (
    ACE,
    BIG,
    BITS,
    GUARD,
    LITTLE,
    RANK_INDEX,
    TWO,
    UNITS,
    Counts,
    at_least,
    count_at,
    lowest,
    present,
)
from domain.climbing.reading import Form, forms, reading_of, run_patterns
from domain.climbing.ruleset import Ruleset
from domain.climbing.strength import BOMB, floor_of, floor_of_rank
from schemas.readings import Pattern, Reading

_MOST_CHAINS: Final = 50_000
_MOST_HOLDINGS: Final = 256
_SMALLEST_BOMB: Final = 4
_FIELD: Final = (1 << BITS) - 1
_LARGEST_SUM: Final = 15
_RUN_RANKS: Final = UNITS[ACE + 1] - 1
_SIZES: Final = (1, 2, 3, _SMALLEST_BOMB)
_SHIFTS: Final = tuple(range(0, BITS * (TWO + 1), BITS))


class Option(NamedTuple):
    """A set of ranks that may be played and the reading that would hold."""

    counts: Counts
    reading: Reading


Entry = tuple[int, int, Counts, Option]
"""Precedence, number of cards, rank counts, option: entries sort from the weakest to the strongest option."""

Entries = tuple[Entry, ...]


class Place(NamedTuple):
    """The sets of ranks of one window: `lead` those that hold this reading when led, `follow` when answering this pattern."""

    lead: Entries
    follow: Entries


class Sorted(NamedTuple):
    """Options from the weakest to the strongest, and the precedence of each."""

    precedences: list[int]
    options: list[Option]


What = tuple[Pattern | Literal["leads", "bombs"], int]
"""What to play: a pattern and its number of groups (0: any), all leads, or all bombs."""

_LEADS: Final[What] = ("leads", 0)
_BOMBS: Final[What] = ("bombs", 0)


OfRank = dict[Pattern | Literal["leads"], Entries]
"""Plays of one rank with wildcards, by pattern and all together."""


class Way(NamedTuple):
    """Natural cards and a number of wildcards that read so; `leads`: this is the reading that holds when they are led."""

    natural: Counts
    wild: int
    form: Form
    reading: Reading
    leads: bool


class Held(NamedTuple):
    """A holding taken apart: the number of natural cards of each rank, the jokers, and how many of these are wild.

    `filled[n]`: the natural cards of 3..A, of each rank at most n + 1. `of_rank`: plays of one rank with such jokers, by rank and number.
    `playable`: what was found to be playable.
    """

    counts: Counts
    numbers: tuple[int, ...]
    little: int
    big: int
    wild: int
    filled: tuple[Counts, ...]
    of_rank: list[list[OfRank | None]]
    playable: dict[What, Sorted]


def _entry(form: Form, counts: Counts, reading: Reading) -> Entry:
    return (form.precedence, form.cards, counts, Option(counts, reading))


class OptionTables:
    """The option tables of one ruleset; they fill as holdings ask for them."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset: Final = ruleset
        self._little_wild: Final = "LJ" in ruleset.wildcards
        self._big_wild: Final = "BJ" in ruleset.wildcards
        self._runs: Final = {pattern: (each, fewest) for pattern, each, fewest in run_patterns(ruleset)}
        self._of_rank: Final[dict[tuple[int, int], list[list[OfRank | None]]]] = {}
        self._run_ways: Final[dict[tuple[Pattern, int, int, int], list[Way]]] = {}
        self._of_window: Final[dict[tuple[Pattern, int, int, int, int], Place]] = {}
        self._of_two_ranks: Final[dict[tuple[int, int, int, int], Place]] = {}
        self._of_jokers: Final[dict[tuple[int, int], Entries]] = {}
        self._chains: Final[dict[Counts, Entry | None]] = {}
        self._of_holding: Final[dict[Counts, Held]] = {}

    def options(self, holding: Counts, lead: Reading | None) -> list[Option]:
        """See `Tables.options`."""
        held = self._of_holding.get(holding) or self._held(holding)
        if lead is None:
            return self._playable(held, _LEADS).options.copy()
        bombs = self._playable(held, _BOMBS)
        if lead.is_bomb:
            return bombs.options[bisect_right(bombs.precedences, floor_of(self._ruleset, lead)) :]
        same = self._playable(held, (lead.pattern, lead.groups if lead.pattern in self._runs else 0))
        higher = bisect_right(same.precedences, floor_of_rank(RANK_INDEX[lead.rank]))
        return same.options[higher:] + bombs.options

    def _held(self, holding: Counts) -> Held:
        if len(self._of_holding) >= _MOST_HOLDINGS:
            self._of_holding.clear()
        little, big = count_at(holding, LITTLE), count_at(holding, BIG)
        wild = self._little_wild * little + self._big_wild * big
        numbers = tuple([holding >> shift & _FIELD for shift in _SHIFTS])
        of_rank = self._of_rank.get((little, big))
        if of_rank is None:
            of_rank = self._of_rank[little, big] = [[None] * (_FIELD + 1) for _ in numbers]
        natural = holding & _RUN_RANKS
        filled = tuple(accumulate([at_least(natural, number) for number in _SIZES]))
        held = self._of_holding[holding] = Held(holding, numbers, little, big, wild, filled, of_rank, {})
        return held

    def _playable(self, held: Held, what: What) -> Sorted:
        found = held.playable.get(what)
        if found is None:
            entries = self._find(held, what)
            entries.sort()
            found = held.playable[what] = Sorted([entry[0] for entry in entries], [entry[3] for entry in entries])
        return found

    def _find(self, held: Held, what: What) -> list[Entry]:
        pattern, groups = what
        if pattern == "leads":
            return self._leads(held)
        if pattern == "bombs":
            return list(self._bombs(held))
        if pattern in self._runs:
            return self._run(held, pattern, groups)
        if pattern == "full_house":
            return _in(held, [entry for place in self._full_houses(held) for entry in place.follow])
        return self._same_rank(held, pattern)

    def _leads(self, held: Held) -> list[Entry]:
        found = list(self._jokers(held.little, held.big))
        for rank, number in enumerate(held.numbers):
            if number:
                found.extend(self._rank(rank, number, held)["leads"])
        placed: list[Entry] = []
        for pattern, (each, fewest) in self._runs.items():
            for bottom, top in _windows(held, each, fewest):
                placed.extend(self._window(pattern, each, bottom, top, held).lead)
        for place in self._full_houses(held):
            placed.extend(place.lead)
        found.extend(_in(held, placed))
        found.extend(self._chain_bombs(held))
        return found

    def _run(self, held: Held, pattern: Pattern, groups: int) -> list[Entry]:
        """Runs of so many ranks that are no bombs."""
        each, _ = self._runs[pattern]
        places = [
            self._window(pattern, each, bottom, top, held)
            for bottom, top in _windows(held, each, groups)
            if top - bottom + 1 == groups
        ]
        return _in(held, [entry for place in places for entry in place.follow])

    def _same_rank(self, held: Held, pattern: Pattern) -> list[Entry]:
        """Singles, pairs or triples, jokers among them."""
        found = [entry for entry in self._jokers(held.little, held.big) if entry[3].reading.pattern == pattern]
        for rank, number in enumerate(held.numbers):
            if number:
                found.extend(self._rank(rank, number, held).get(pattern, ()))
        return found

    def _bombs(self, held: Held) -> Iterator[Entry]:
        for entry in self._jokers(held.little, held.big):
            if entry[0] >= BOMB:
                yield entry
        for rank, number in enumerate(held.numbers):
            if number and number + held.wild >= _SMALLEST_BOMB:
                yield from self._rank(rank, number, held).get("bomb", ())
        yield from self._chain_bombs(held)

    def _splits(self, wild: int, little: int, big: int) -> Iterator[Counts]:
        """The ways to take so many wildcards out of the jokers held."""
        for of_little in range(wild + 1):
            of_big = wild - of_little
            if of_little <= little * self._little_wild and of_big <= big * self._big_wild:
                yield of_little * UNITS[LITTLE] + of_big * UNITS[BIG]

    def _jokers(self, little: int, big: int) -> Entries:
        """Plays of jokers alone (C3.5)."""
        found = self._of_jokers.get((little, big))
        if found is None:
            sets = (a * UNITS[LITTLE] + b * UNITS[BIG] for a in range(little + 1) for b in range(big + 1))
            found = self._of_jokers[little, big] = tuple(
                _entry(form, counts, reading_of(self._ruleset, counts, form))
                for counts in sets
                for form in forms(self._ruleset, counts)
            )
        return found

    def _rank(self, rank: int, number: int, held: Held) -> OfRank:
        """Plays of natural cards of one rank with wildcards, by pattern."""
        found = held.of_rank[rank][number]
        if found is None:
            by_pattern: dict[Pattern, list[Entry]] = {}
            for natural in range(1, number + 1):
                for counts in self._with_wild(natural * UNITS[rank], held, held.wild):
                    for form in forms(self._ruleset, counts)[:1]:
                        if form.groups == 1 and form.pattern != "full_house":
                            reading = reading_of(self._ruleset, counts, form)
                            by_pattern.setdefault(form.pattern, []).append(_entry(form, counts, reading))
            found = {"leads": tuple(entry for entries in by_pattern.values() for entry in entries)}
            found.update((pattern, tuple(entries)) for pattern, entries in by_pattern.items())
            held.of_rank[rank][number] = found
        return found

    def _with_wild(self, natural: Counts, held: Held, most: int) -> Iterator[Counts]:
        for wild in range(most + 1):
            for jokers in self._splits(wild, held.little, held.big):
                yield natural + jokers

    def _window(self, pattern: Pattern, each: int, bottom: int, top: int, held: Held) -> Place:
        """Runs of one pattern in one window, for holdings with these jokers."""
        key = (pattern, bottom, top, held.little, held.big)
        found = self._of_window.get(key)
        if found is None:
            numbers = range(held.wild + 1)
            ways = (way for number in numbers for way in self._ways_of_run(pattern, each, bottom, top, number))
            found = self._of_window[key] = self._place(ways, held)
        return found

    def _ways_of_run(self, pattern: Pattern, each: int, bottom: int, top: int, number: int) -> list[Way]:
        """Runs of one pattern in one window with so many wildcards, whichever jokers these are."""
        key = (pattern, bottom, top, number)
        found = self._run_ways.get(key)
        if found is None:
            whole = each * sum(UNITS[bottom : top + 1])
            sets = (
                (whole - sum(UNITS[rank] for rank in wild), number)
                for wild in combinations_with_replacement(range(bottom, top + 1), number)
                if (wild.count(bottom) < each or top == ACE) and all(wild.count(rank) <= each for rank in set(wild))
            )
            found = self._run_ways[key] = list(self._ways(sets, pattern, top))
        return found

    def _ways(self, sets: Iterable[tuple[Counts, int]], pattern: Pattern, top: int) -> Iterator[Way]:
        """Of sets of natural cards, each with so many wildcards, those whose strongest reading of this pattern has this top rank."""
        for natural, wild in sets:
            jokers = next(self._splits(wild, 2, 2), None)
            if not natural or jokers is None:
                continue
            ways = forms(self._ruleset, natural + jokers)
            own = next((form for form in ways if form.pattern == pattern), None)
            if own and own.top == top and ways[0].precedence < BOMB:
                yield Way(natural, wild, own, reading_of(self._ruleset, natural + jokers, own), ways[0] is own)

    def _place(self, ways: Iterable[Way], held: Held) -> Place:
        """The entries of these ways for holdings with these jokers."""
        splits = [tuple(self._splits(wild, held.little, held.big)) for wild in range(held.wild + 1)]
        lead: list[Entry] = []
        follow: list[Entry] = []
        for way in ways:
            for jokers in splits[way.wild]:
                entry = _entry(way.form, way.natural + jokers, way.reading)
                follow.append(entry)
                if way.leads:
                    lead.append(entry)
        return Place(tuple(lead), tuple(follow))

    def _full_houses(self, held: Held) -> Iterator[Place]:
        if not self._ruleset.full_house:
            return
        wild, jokers = held.wild, held.little + held.big
        ranks = [(rank, number) for rank, number in enumerate(held.numbers) if number]
        for triple, number in ranks:
            missing = 3 - number if number < 3 else 0
            if jokers >= 2 and missing <= jokers:
                yield self._joker_pair(triple, held)
            for pair, beside in ranks if missing <= wild else ():
                if pair != triple and (beside > 1 or missing < wild):
                    yield self._two_ranks(triple, pair, held)

    def _two_ranks(self, triple: int, pair: int, held: Held) -> Place:
        key = (triple, pair, held.little, held.big)
        found = self._of_two_ranks.get(key)
        if found is None:
            sets = (
                (a * UNITS[triple] + b * UNITS[pair], 5 - a - b)
                for a in range(1, 4)
                for b in range(1, 3)
                if 5 - a - b <= held.wild
            )
            found = self._of_two_ranks[key] = self._place(self._ways(sets, "full_house", triple), held)
        return found

    def _joker_pair(self, rank: int, held: Held) -> Place:
        """Full houses of one natural rank and jokers."""
        key = (rank, rank, held.little, held.big)
        found = self._of_two_ranks.get(key)
        if found is None:
            entries: list[Entry] = []
            for little in range(held.little + 1):
                for big in range(held.big + 1):
                    natural = 5 - little - big
                    counts = natural * UNITS[rank] + little * UNITS[LITTLE] + big * UNITS[BIG]
                    ways = forms(self._ruleset, counts) if 1 <= natural <= 3 else []
                    if ways and ways[0].pattern == "full_house":
                        entries.append(_entry(ways[0], counts, reading_of(self._ruleset, counts, ways[0])))
            found = self._of_two_ranks[key] = Place(tuple(entries), tuple(entries))
        return found

    def _chain_bombs(self, held: Held) -> Iterator[Entry]:
        chains = self._ruleset.chains
        if chains is None:
            return
        tried: set[Counts] = set()
        for bottom, top in _windows(held, _SMALLEST_BOMB, chains.shortest):
            if top - bottom >= chains.longest:
                continue
            window = held.numbers[bottom : top + 1]
            for natural, wild in self._chain_sets(window, held.wild):
                for jokers in self._splits(wild, held.little, held.big):
                    counts = (natural << 5 * bottom) + jokers
                    if natural and counts not in tried:
                        tried.add(counts)
                        entry = self._chain(counts)
                        if entry:
                            yield entry

    def _chain_sets(self, window: tuple[int, ...], wild: int) -> Iterator[tuple[Counts, int]]:
        """Natural cards for a chain in a window (the lowest rank lowest), with a number of wildcards that may complete it."""
        most = self._ruleset.largest_bomb
        if self._ruleset.chains and self._ruleset.chains.mixed:
            for natural, missing in _sets(window, _SMALLEST_BOMB, most, wild):
                for number in range(missing, wild + 1):
                    yield natural, number
            return
        for each in range(_SMALLEST_BOMB, most + 1):
            yield from _sets(window, each, each, wild)

    def _chain(self, counts: Counts) -> Entry | None:
        if counts not in self._chains:
            if len(self._chains) >= _MOST_CHAINS:
                self._chains.clear()
            ways = forms(self._ruleset, counts)
            entry = None
            if ways and ways[0].pattern == "chain":
                entry = _entry(ways[0], counts, reading_of(self._ruleset, counts, ways[0]))
            self._chains[counts] = entry
        return self._chains[counts]


def cost(ruleset: Ruleset, holding: Counts, option: Option) -> tuple[int, int, int]:
    """What a play costs a player beyond its cards: whether it is a bomb, how many bombs it breaks, how many wildcards it spends.

    All zero for a play that costs nothing. A natural bomb is broken when a play that is no bomb takes any of its cards.
    """
    wild = sum(count_at(option.counts, RANK_INDEX[joker]) for joker in ruleset.wildcards)
    if option.reading.is_bomb:
        return (1, 0, wild)
    broken = sum(count_at(holding, rank) >= _SMALLEST_BOMB for rank, _ in present(option.counts) if rank <= TWO)
    return (0, broken, wild)


def _in(held: Held, entries: list[Entry]) -> list[Entry]:
    """The entries that the holding contains."""
    room = held.counts | GUARD
    return [entry for entry in entries if room - entry[2] & GUARD == GUARD]


def _windows(held: Held, each: int, fewest: int) -> Iterator[tuple[int, int]]:
    """Windows (bottom, top) of at least so many ranks within 3..A that the holding can fill with its wildcards."""
    numbers, wild = held.numbers, held.wild
    starts = _starts(held.filled[each - 1], wild, *_judging(each, fewest))
    while starts:
        bottom = lowest(starts)
        starts &= starts - 1
        missing = 0
        for top in range(bottom, ACE + 1):
            if numbers[top] < each:
                missing += each - numbers[top]
                if missing > wild:
                    break
            if top - bottom + 1 >= fewest:
                yield bottom, top


def _starts(filled: Counts, wild: int, shifts: tuple[int, ...], cards: int, first: Counts) -> Counts:
    """The ranks from which a window may start, judged by what its first ranks lack, for all ranks at once."""
    if cards <= wild:
        return first
    in_window = filled
    for shift in shifts:
        in_window += filled >> shift
    return at_least(in_window, cards - wild) & first


@cache
def _judging(each: int, fewest: int) -> tuple[tuple[int, ...], int, Counts]:
    """How windows are judged by their first ranks: shifts to these, the cards they take, and the ranks where a window may start."""
    judged = min(fewest, _LARGEST_SUM // each)
    shifts = tuple(BITS * place for place in range(1, judged))
    return shifts, each * judged, sum(UNITS[: max(0, ACE + 2 - fewest)])


def _sets(window: tuple[int, ...], least: int, most: int, wild: int) -> Iterator[tuple[Counts, int]]:
    """Choose natural cards of each rank, at most `most`, such that filling every rank up to `least` takes at most `wild`."""
    if not window:
        yield 0, 0
        return
    for number in range(max(0, least - wild), min(window[0], most) + 1):
        missing = max(0, least - number)
        for rest, missing_rest in _sets(window[1:], least, most, wild - missing):
            yield number + (rest << 5), missing + missing_rest
