"""What a ruleset of the climbing family says. A ruleset is data: one frozen object a variant, and every reader asks its fields.

Each field names the clause of docs/rules/climbing.md that it states and says in Chinese and English what it is about. Where variants
differ in kind, the field holds a small frozen value out of a closed union and its readers match on it.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from schemas.readings import Pattern

Outcome = Literal["double", "single", "draw"]
"""双扣, 单扣, 平扣 (C5.4)."""

Four = tuple[int, int, int, int]
Steps = tuple[tuple[int, int], ...]
"""Pairs (level, value), ascending by level. A level between two steps has the value of the lower one; above the last, of the last."""


def step(steps: Steps, level: int, otherwise: int) -> int:
    """The value that steps give for a level; `otherwise` below the first step."""
    value = otherwise
    for at, given in steps:
        if level < at:
            break
        value = given
    return value


@dataclass(frozen=True, slots=True)
class Chains:
    """Chained bombs 连炸: `shortest` to `longest` consecutive ranks; `mixed`: the ranks need not have the same number of cards."""

    shortest: int = 3
    longest: int = 6
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class BombsBySize:
    """More cards beat fewer, then the higher rank; four jokers beat all. Three jokers, where they are a bomb, are just above this size."""

    three_jokers_above: int = 5


@dataclass(frozen=True, slots=True)
class BombsByStars:
    """By stars 星级, then fewer cards, then the higher top rank.

    Joker bombs have these stars; three jokers are the weakest of theirs, four the strongest.
    """

    three_jokers: int = 6
    four_jokers: int = 7


BombOrder = BombsBySize | BombsByStars


@dataclass(frozen=True, slots=True)
class PreviousFirst:
    """The first finisher of the previous hand leads after one of these outcomes, otherwise a seat drawn at random."""

    after: tuple[Outcome, ...] = ("single", "draw")


@dataclass(frozen=True, slots=True)
class FaceUpCard:
    """Who is dealt the face-up card 明牌 leads; who is dealt its other copy becomes the partner, changing seats if need be."""


LeadRule = PreviousFirst | FaceUpCard


@dataclass(frozen=True, slots=True)
class BasePoints:
    """Base points 底分 by finish position, 1st to 4th, for each outcome."""

    double: Four
    single: Four
    draw: Four

    def of(self, outcome: Outcome) -> Four:
        """The points of the four finish positions for an outcome."""
        return {"double": self.double, "single": self.single, "draw": self.draw}[outcome]


@dataclass(frozen=True, slots=True)
class FactorBySize:
    """The factor a bomb earns by its number of cards; joker bombs have their own."""

    sizes: Steps
    three_jokers: int
    four_jokers: int


@dataclass(frozen=True, slots=True)
class FactorByStars:
    """The factor a bomb earns by its stars."""

    stars: Steps


Factors = FactorBySize | FactorByStars


@dataclass(frozen=True, slots=True)
class LargestOfWinners:
    """Only the largest factor that a bomb of the winning side earned counts."""

    factors: Factors


@dataclass(frozen=True, slots=True)
class AllMultiply:
    """Every bomb of either side counts, and all factors are multiplied."""

    factors: Factors


MultiplierRule = LargestOfWinners | AllMultiply


@dataclass(frozen=True, slots=True)
class Accumulation:
    """Bombs of one player add up at the end of the hand 炸弹累加.

    A group of n bombs of s stars is worth s + n - 1; at `slow_level` it is s + n - 2, but not less than s.
    """

    slow_level: int = 4


@dataclass(frozen=True, slots=True)
class Coins:
    """Game coins 游戏币, where a table switches them on: the share B of a contribution by stars, as (stars, share), the last also above."""

    shares: tuple[tuple[int, Decimal], ...] = ((6, Decimal(1)), (7, Decimal("1.5")), (8, Decimal(2)))

    def share(self, stars: int) -> Decimal:
        """The share of a contribution of so many stars; 0 below the first."""
        return max((share for at, share in self.shares if stars >= at), default=Decimal(0))


def _says(clause: str, zh: str, en: str) -> dict[str, str]:
    return {"clause": clause, "zh": zh, "en": en}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """One variant of the climbing family. Rulesets are equal when every field is; an event carries `id` and `version`."""

    id: str
    version: int
    title_zh: str
    title_en: str
    house: tuple[str, ...]
    """The fields (by name) where the published rules are silent and this project chose."""

    lead: LeadRule = field(metadata=_says("C2", "首出", "who leads the first trick"))
    wildcards: tuple[str, ...] = field(default=(), metadata=_says("C3.3", "百搭", "wildcards"))
    straight_from: int = field(default=5, metadata=_says("C3.1", "顺子最少", "shortest straight, in ranks"))
    pair_run_from: int = field(default=3, metadata=_says("C3.1", "连对最少", "shortest pair run, in ranks"))
    triple_run_from: int = field(default=3, metadata=_says("C3.1", "连三张最少", "shortest triple run, in ranks"))
    full_house: bool = field(default=False, metadata=_says("C3.1", "三带二", "full house is a pattern"))
    largest_bomb: int = field(
        default=8, metadata=_says("C3.1", "炸弹每点最多", "most cards of one rank in a bomb or chain")
    )
    chains: Chains | None = field(default=None, metadata=_says("C3.1", "连炸", "chained bombs"))
    three_jokers: bool = field(default=True, metadata=_says("C3.1", "三王炸", "three jokers are a bomb"))
    little_and_big_pair: bool = field(
        default=True, metadata=_says("C3.5", "小王大王成对", "a little and a big joker are a pair of little jokers")
    )
    equal_readings: tuple[Pattern, ...] = field(
        default=("single", "pair", "triple", "straight", "pair_run", "triple_run", "full_house"),
        metadata=_says("C3.7", "同大小时后者优先", "of readings with equal top rank the later pattern holds"),
    )
    equal_chains: Literal["fewer_groups", "more_groups"] = field(
        default="fewer_groups", metadata=_says("C3.7", "同大小连炸", "of equally strong chains the one that holds")
    )
    surplus_to: Literal["highest", "lowest"] = field(
        default="highest", metadata=_says("C3.8", "多余百搭归", "the group that shows surplus wildcards")
    )
    bombs: BombOrder = field(metadata=_says("C4.3", "炸弹大小", "order of bombs"))
    catch_the_wind: bool = field(default=True, metadata=_says("C5.3", "接风", "the partner catches the wind"))
    abandoned_contribution_stands: bool = field(
        default=True, metadata=_says("C5.5", "逃跑时贡献分保留", "contribution stands when a hand is abandoned")
    )
    open_partner_hands: bool = field(default=False, metadata=_says("C5.7", "双明", "partners see each other's holding"))
    base: BasePoints = field(metadata=_says("C6.1", "底分", "base points by finish position"))
    multiplier: MultiplierRule = field(metadata=_says("C6.2", "倍数", "multiplier of the base points"))
    contribution: Steps = field(
        default=(), metadata=_says("C6.3", "贡献分", "points each other player loses, by stars")
    )
    accumulation: Accumulation | None = field(
        default=None, metadata=_says("C6.4", "炸弹累加", "bombs of one player add up")
    )
    coins: Coins | None = field(default=None, metadata=_says("C6.6", "游戏币", "game coins"))

    def __hash__(self) -> int:
        """Id and version tell rulesets apart quickly; equality still compares everything."""
        return hash((self.id, self.version))

    @property
    def face_up_card(self) -> bool:
        """Whether the face-up card (明牌) says who leads and who is whose partner (C2.2)."""
        return isinstance(self.lead, FaceUpCard)
