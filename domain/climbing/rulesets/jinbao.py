"""劲爆双扣: as 双扣, with the big joker wild, full houses, triple runs from two ranks and the bomb of three jokers."""

from dataclasses import replace
from typing import Final

from domain.climbing.rulesets.basic import BASIC

JINBAO: Final = replace(
    BASIC,
    id="jinbao",
    title_zh="劲爆双扣",
    title_en="Jinbao Shuangkou",
    # Three jokers earn no factor: that is `three_jokers=1` in the multiplier, taken over from 双扣.
    house=(*BASIC.house, "multiplier"),
    wildcards=("BJ",),
    full_house=True,
    triple_run_from=2,
    three_jokers=True,
    little_and_big_pair=True,
)
