"""JJ双扣: partners play with open hands, bombs go by stars, every bomb multiplies, no contribution points."""

from dataclasses import replace
from typing import Final

from domain.climbing.ruleset import AllMultiply, BasePoints, FactorByStars
from domain.climbing.rulesets.huopin import HUOPIN

JJ: Final = replace(
    HUOPIN,
    id="jj",
    title_zh="JJ双扣",
    title_en="JJ Shuangkou",
    house=("little_and_big_pair", "equal_readings", "equal_chains", "surplus_to", "catch_the_wind"),
    open_partner_hands=True,
    base=BasePoints(double=(6, 6, -6, -6), single=(3, -3, 3, -3), draw=(1, -1, -1, 1)),
    multiplier=AllMultiply(FactorByStars(((6, 2), (7, 3), (8, 4)))),
    contribution=(),
)
