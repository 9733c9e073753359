"""A slow, obvious reader of the climbing rules, written from the rules page alone: it tries every substitution of every wildcard.

It knows rulesets by name on purpose and shares no code with the engine, so that a mistake in one shows against the other.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

RANKS = (*"3456789TJQKA2", "LJ", "BJ")
STARS = ("jj", "huopin", "qianbian")
WILD = {"basic": (), "jj": ("BJ",), "huopin": ("BJ",), "jinbao": ("BJ",), "qianbian": ("LJ", "BJ")}
LATER_IS_STRONGER = ["single", "pair", "triple", "straight", "pair_run", "triple_run", "full_house"]
BOMBS = ("bomb", "chain", "three_jokers", "four_jokers")

Meaning = tuple[str, str, int, int, int]
"""Pattern, rank, cards, groups, stars."""


def meanings(ruleset: str, ranks: tuple[str, ...]) -> set[Meaning]:
    """Everything that these cards can be read as."""
    jokers = tuple(sorted(rank for rank in ranks if rank in ("LJ", "BJ")))
    if len(jokers) == len(ranks):
        return set(only_jokers(ruleset, jokers))
    wild = [joker for joker in jokers if joker in WILD[ruleset]]
    fixed = [rank for rank in ranks if rank not in wild]
    found: set[Meaning] = set()
    for itself in range(len(wild) + 1):
        for kept in set(combinations_with_replacement(wild, itself)):
            if Counter(kept) - Counter(wild):
                continue
            for stands in combinations_with_replacement(RANKS[:14], len(wild) - itself):
                found.update(natural(ruleset, Counter([*fixed, *kept, *stands])))
    return found


def only_jokers(ruleset: str, jokers: tuple[str, ...]) -> Iterator[Meaning]:
    if len(jokers) == 1:
        yield ("single", jokers[0], 1, 1, 0)
    if len(jokers) == 2 and jokers[0] == jokers[1]:
        yield ("pair", jokers[0], 2, 1, 0)
    if jokers == ("BJ", "LJ") and ruleset != "basic":
        yield ("pair", "LJ", 2, 1, 0)
    if len(jokers) == 3 and ruleset != "basic":
        yield ("three_jokers", "BJ", 3, 1, 6 if ruleset in STARS else 0)
    if len(jokers) == 4:
        yield ("four_jokers", "BJ", 4, 1, 7 if ruleset in STARS else 0)


def natural(ruleset: str, counts: Counter[str]) -> Iterator[Meaning]:
    """What cards mean once every wildcard stands for something."""
    ranks = sorted(counts, key=RANKS.index)
    sizes = [counts[rank] for rank in ranks]
    total, groups, top = sum(sizes), len(ranks), ranks[-1]
    jokers = any(rank in ("LJ", "BJ") for rank in ranks)
    if groups == 1 and not jokers:
        if total <= 3:
            yield (["single", "pair", "triple"][total - 1], top, total, 1, 0)
        elif total <= 8:
            yield ("bomb", top, total, 1, total if ruleset in STARS else 0)
    if ruleset == "jinbao" and sorted(sizes) == [2, 3]:
        triple = ranks[sizes.index(3)]
        if triple not in ("LJ", "BJ"):
            yield ("full_house", triple, 5, 1, 0)
    places = [RANKS.index(rank) for rank in ranks]
    if jokers or top == "2" or places != list(range(places[0], places[0] + groups)):
        return
    same = len(set(sizes)) == 1
    for pattern, each, fewest in (
        ("straight", 1, 5),
        ("pair_run", 2, 3),
        ("triple_run", 3, 2 if ruleset == "jinbao" else 3),
    ):
        if same and sizes[0] == each and groups >= fewest:
            yield (pattern, top, total, groups, 0)
    if (
        ruleset in STARS
        and 3 <= groups <= 6
        and all(4 <= size <= 8 for size in sizes)
        and (same or ruleset == "qianbian")
    ):
        yield ("chain", top, total, groups, max(sizes) + groups)


def bomb_order(ruleset: str, bomb: Meaning) -> tuple[float, ...]:
    """A key that orders bombs from weak to strong."""
    pattern, rank, cards, _, stars = bomb
    if ruleset in STARS:
        place = {"three_jokers": -1, "four_jokers": 1}.get(pattern, 0)
        return (stars, place, -cards, RANKS.index(rank))
    return ({"three_jokers": 5.5, "four_jokers": 99}.get(pattern, cards), RANKS.index(rank))


def beats(ruleset: str, play: Meaning, lead: Meaning) -> bool:
    if play[0] in BOMBS:
        return lead[0] not in BOMBS or bomb_order(ruleset, play) > bomb_order(ruleset, lead)
    return play[0] == lead[0] and play[2:4] == lead[2:4] and RANKS.index(play[1]) > RANKS.index(lead[1])


def leading_order(ruleset: str, meaning: Meaning) -> tuple[object, ...]:
    if meaning[0] in BOMBS:
        return (1, *bomb_order(ruleset, meaning), -meaning[3])
    return (0, RANKS.index(meaning[1]), LATER_IS_STRONGER.index(meaning[0]))


def read(ruleset: str, ranks: tuple[str, ...], lead: Meaning | None) -> Meaning | None:
    """The meaning that holds, or None where the play is refused."""
    found = [meaning for meaning in meanings(ruleset, ranks) if lead is None or beats(ruleset, meaning, lead)]
    return max(found, key=lambda meaning: leading_order(ruleset, meaning), default=None)
