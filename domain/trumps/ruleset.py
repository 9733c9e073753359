"""What a ruleset of the trump family says. A ruleset is data: one frozen object a variant, and every reader asks its fields.

Each field names the clause of docs/rules/trumps.md that it states and says in Chinese and English what it is about.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

LEVELS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A")
"""The levels of a side from the first to the last (T1.1); also the ranks of a suit from low to high (T4.3)."""

MatchEnd = Literal["reach_A", "defend_A"]
"""How a match is won: by reaching level A, or by keeping the hand as declarers at level A (T1.2)."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the result table (T7.4): it holds from `points` of the attackers up to the next row.

    `levels` go to the declaring side below the take-over, to the attackers from it on; `each` is what each player of the
    declaring side gets, and each attacker loses.
    """

    points: int
    levels: int
    each: int


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The result by the attackers' points (T7.4).

    From `take_over` points on the attackers declare next. Above the last row every further `step` points are one more level and
    `step_each` more.
    """

    rows: tuple[Row, ...]
    take_over: int
    step: int
    step_each: int

    def row(self, points: int) -> Row:
        """The row for so many points of the attackers, at least those of the first row; a row above the last is made by the steps."""
        last = self.rows[-1]
        if points >= last.points + self.step:
            more = (points - last.points) // self.step
            return Row(last.points + more * self.step, last.levels + more, last.each - more * self.step_each)
        return max((row for row in self.rows if row.points <= points), key=lambda row: row.points)


def _says(clause: str, zh: str, en: str) -> dict[str, str]:
    return {"clause": clause, "zh": zh, "en": en}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrumpsRuleset:
    """One variant of the trump family. Rulesets are equal when every field is; an event carries `id` and `version`."""

    id: str
    version: int
    title_zh: str
    title_en: str
    house: tuple[str, ...]
    """The fields (by name) where the published rules are silent, damaged or disputed and this project chose."""

    match_end: MatchEnd = field(default="reach_A", metadata=_says("T1.2", "打到A或过A", "how the match is won"))
    start_level: str = field(
        default="2",
        metadata=_says("T1.3", "起始级", "level at which both sides start, unless the table says otherwise"),
    )
    holding_cards: int = field(default=25, metadata=_says("T2.1", "每人张数", "cards dealt to each player"))
    kitty_cards: int = field(default=8, metadata=_says("T2.1", "底牌张数", "cards of the kitty"))
    declared_suits: tuple[str, ...] = field(
        default=("D", "C", "H", "S"), metadata=_says("T2.2", "亮主花色大小", "suits of declared pairs, weakest first")
    )
    turned_ranks: tuple[str, ...] = field(
        default=LEVELS,
        metadata=_says("T2.5", "翻底定主大小", "ranks of a turned kitty without a level card, low to high"),
    )
    no_trump_is_final: bool = field(
        default=True, metadata=_says("T3.5", "无主不可反", "nothing counters no trump, declared or countered")
    )
    forced_lead_tie: Literal["fewest_cards", "most_cards"] = field(
        default="fewest_cards", metadata=_says("T5.4", "甩牌失败同大小", "which of equally low beatable parts is led")
    )
    throw_penalty: int = field(default=10, metadata=_says("T5.5", "甩牌失败罚分", "points a failed throw costs"))
    failed_throws: int = field(
        default=2, metadata=_says("T5.6", "甩牌失败上限", "failed throws after which a player may throw no more")
    )
    kitty_single: int = field(
        default=2, metadata=_says("T7.2", "单张抠底倍数", "the kitty counts so many times when won with singles")
    )
    kitty_pair: int = field(
        default=4, metadata=_says("T7.2", "对子抠底倍数", "the kitty counts so many times when won with a pair")
    )
    kitty_tractor_card: int = field(
        default=2,
        metadata=_says(
            "T7.2", "拖拉机抠底倍数", "times the kitty counts for each card of the longest tractor that won it"
        ),
    )
    least_points: int = field(
        default=0, metadata=_says("T7.3", "最低得分", "attackers' points count as at least this at the end")
    )
    results: ResultTable = field(metadata=_says("T7.4", "升级与得分", "levels and points by the attackers' points"))
    escape_kitty: int = field(
        default=4, metadata=_says("T8.1", "逃跑底牌倍数", "times the kitty counts in the attackers' most points")
    )
    escape_factor: int = field(default=4, metadata=_says("T8.3", "逃跑赔付倍数", "how many times M the leaver pays"))
    escape_declares_again: bool = field(
        default=True, metadata=_says("T8.6", "逃跑后庄家不变", "after a void hand the same declarer declares")
    )

    def __hash__(self) -> int:
        """Id and version tell rulesets apart quickly; equality still compares everything."""
        return hash((self.id, self.version))
