"""火拼双扣 / 百变双扣: the face-up card makes partners, the big joker is wild, bombs go by stars, contribution points."""

from typing import Final

from domain.climbing.ruleset import (
    BasePoints,
    BombsByStars,
    Chains,
    FaceUpCard,
    FactorByStars,
    LargestOfWinners,
    Ruleset,
)

HUOPIN: Final = Ruleset(
    id="huopin",
    version=1,
    title_zh="火拼双扣",
    title_en="Huopin Shuangkou",
    house=("little_and_big_pair", "equal_readings", "equal_chains", "surplus_to", "abandoned_contribution_stands"),
    lead=FaceUpCard(),
    wildcards=("BJ",),
    chains=Chains(),
    bombs=BombsByStars(),
    base=BasePoints(double=(4, 4, -4, -4), single=(2, -2, 2, -2), draw=(1, 0, 0, 1)),
    multiplier=LargestOfWinners(FactorByStars(((5, 2), (6, 4), (7, 8), (8, 16)))),
    contribution=((6, 2), (7, 4), (8, 6)),
)
