"""千变双扣: as 火拼双扣, with both jokers wild, mixed chains, more steps of contribution, bombs that add up, and game coins."""

from dataclasses import replace
from typing import Final

from domain.climbing.ruleset import Accumulation, Chains, Coins
from domain.climbing.rulesets.huopin import HUOPIN

QIANBIAN: Final = replace(
    HUOPIN,
    id="qianbian",
    title_zh="千变双扣",
    title_en="Qianbian Shuangkou",
    # The page prints no base points and ends its table of contributions at 12 stars.
    house=(*HUOPIN.house, "base", "contribution", "accumulation"),
    wildcards=("LJ", "BJ"),
    chains=Chains(mixed=True),
    contribution=((6, 2), (7, 4), (8, 6), (9, 7), (10, 8), (11, 9), (12, 10)),
    accumulation=Accumulation(),
    coins=Coins(),
)
