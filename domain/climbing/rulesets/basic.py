"""双扣: no wildcards, bombs by size, the winning side's largest bomb multiplies."""

from typing import Final

from domain.climbing.ruleset import BasePoints, BombsBySize, FactorBySize, LargestOfWinners, PreviousFirst, Ruleset

BASIC: Final = Ruleset(
    id="basic",
    version=1,
    title_zh="双扣",
    title_en="Shuangkou",
    house=("largest_bomb", "little_and_big_pair", "equal_readings", "equal_chains", "surplus_to", "catch_the_wind"),
    lead=PreviousFirst(),
    three_jokers=False,
    little_and_big_pair=False,
    bombs=BombsBySize(),
    base=BasePoints(double=(4, 4, -4, -4), single=(2, -2, 2, -2), draw=(0, 0, 0, 0)),
    multiplier=LargestOfWinners(FactorBySize(sizes=((5, 2), (6, 3), (7, 4), (8, 5)), three_jokers=1, four_jokers=4)),
)
