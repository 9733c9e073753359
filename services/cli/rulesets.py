"""`shuangkou rulesets`: the rulesets, and one of them with every field in words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Annotated, Any, Final

import typer
from rich.table import Table

from domain.climbing import rulesets as climbing
from domain.climbing.explaining import OUTCOMES, PATTERNS
from domain.climbing.ruleset import Ruleset
from domain.trumps import rulesets as trumps
from domain.trumps.ruleset import TrumpsRuleset
from services.cli.options import AsJson, console, print_json, print_table, wrong_use

AnyRuleset = Ruleset | TrumpsRuleset

WORDS: Final[dict[object, tuple[str, str]]] = {
    True: ("yes", "是"),
    False: ("no", "否"),
    None: ("none", "无"),
    "fewer_groups": ("the one of fewer groups", "组数少者"),
    "more_groups": ("the one of more groups", "组数多者"),
    "highest": ("highest group", "最高一组"),
    "lowest": ("lowest group", "最低一组"),
    "LJ": ("little joker", "小王"),
    "BJ": ("big joker", "大王"),
    "reach_A": ("reaching A", "打到A"),
    "defend_A": ("keeping the hand at A", "守住A"),
    "fewest_cards": ("fewest cards", "张数少者"),
    "most_cards": ("most cards", "张数多者"),
    **{pattern: (pattern.replace("_", " "), chinese) for pattern, chinese in PATTERNS.items()},
}
"""Values of fields in English and Chinese; what is not here is written as it is."""

OUTCOME_WORDS: Final[dict[object, tuple[str, str]]] = {name: (name, chinese) for name, chinese in OUTCOMES.items()}
"""Words that mean an outcome inside a value made of fields: a single 单扣, not a single card."""


NAMES: Final = {
    "Accumulation": ("bombs add up", "累加"),
    "AllMultiply": ("all bombs of both sides multiply", "双方所有炸弹连乘"),
    "BasePoints": ("1st to 4th", "头游至末游"),
    "BombsBySize": ("by number of cards", "按张数"),
    "BombsByStars": ("by stars", "按星级"),
    "Chains": ("chains", "连炸"),
    "Coins": ("game coins", "游戏币"),
    "FaceUpCard": ("the face-up card", "明牌"),
    "FactorBySize": ("factor by number of cards", "按张数加倍"),
    "FactorByStars": ("factor by stars", "按星级加倍"),
    "LargestOfWinners": ("the largest of the winning side", "胜方最大一个"),
    "PreviousFirst": ("the previous first finisher, else drawn", "上局头游,否则抽签"),
    "ResultTable": ("by the attackers' points", "按抓分"),
    "Row": ("row", "档"),
    "after": ("after", "上局为"),
    "double": ("double", "双扣"),
    "draw": ("draw", "平扣"),
    "each": ("each player", "每人"),
    "factors": ("by", "依据"),
    "four_jokers": ("four jokers", "四王"),
    "levels": ("levels", "升级"),
    "longest": ("most ranks", "最长"),
    "mixed": ("mixed sizes", "张数可不同"),
    "points": ("from points", "得分起"),
    "rows": ("rows", "各档"),
    "shares": ("share by stars", "按星级份额"),
    "shortest": ("fewest ranks", "最短"),
    "single": ("single", "单扣"),
    "sizes": ("cards", "张数"),
    "slow_level": ("one less at stars", "少计一级的星级"),
    "stars": ("stars", "星级"),
    "step": ("each further", "每多"),
    "step_each": ("more each", "每人加"),
    "take_over": ("attackers take over at", "上台分"),
    "three_jokers": ("three jokers", "三王"),
    "three_jokers_above": ("three jokers just above", "三王炸高于张数"),
}
"""The kinds of values that fields hold, and the parts of these, in English and Chinese."""


@dataclass(frozen=True, slots=True)
class FieldInWords:
    """One field of a ruleset as people read it; `house`: a choice made here, where the published rules are silent."""

    name: str
    clause: str
    en: str
    zh: str
    value_en: str
    value_zh: str
    house: bool


def in_words(ruleset: AnyRuleset) -> list[FieldInWords]:
    """Every field of a ruleset that states a clause, in words."""
    return [
        FieldInWords(
            field.name,
            field.metadata["clause"],
            field.metadata["en"],
            field.metadata["zh"],
            *_value_in_words(getattr(ruleset, field.name)),
            field.name in ruleset.house,
        )
        for field in fields(ruleset)
        if "clause" in field.metadata
    ]


def _value_in_words(value: Any, words: Mapping[object, tuple[str, str]] = WORDS) -> tuple[str, str]:
    """A value in English and Chinese: known words, numbers as they are, values made of fields field by field."""
    if isinstance(value, tuple):
        each = [_value_in_words(item, words) for item in value]
        # Pairs of numbers are steps of a table: level and value.
        mark = ": " if len(value) == 2 and all(isinstance(item, int | Decimal) for item in value) else ", "
        return (mark.join(en for en, _ in each) or "none", mark.join(zh for _, zh in each) or "无")
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        kind = NAMES.get(name, (name, name))
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
        told = [(NAMES.get(part, (part, part)), _value_in_words(held, WORDS | OUTCOME_WORDS)) for part, held in parts]
        english = "; ".join(f"{called[0]} {said[0]}" for called, said in told)
        chinese = ";".join(f"{called[1]} {said[1]}" for called, said in told)
        return (f"{kind[0]} ({english})" if parts else kind[0], f"{kind[1]}({chinese})" if parts else kind[1])
    plain = (str(value), str(value))
    return words.get(value, plain) if isinstance(value, bool | str) or value is None else plain


def _find(ruleset_id: str) -> AnyRuleset:
    every: list[AnyRuleset] = [*climbing.all_rulesets(), *trumps.all_rulesets()]
    newest = {ruleset.id: ruleset for ruleset in sorted(every, key=lambda ruleset: ruleset.version)}
    if ruleset_id not in newest:
        raise wrong_use(f"no ruleset {ruleset_id!r}; there are {', '.join(newest)}")
    return newest[ruleset_id]


def rulesets(
    ruleset_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="One ruleset, every field 一种规则.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the rulesets, or print one of them with every field in words 规则一览.

    Example: shuangkou rulesets qianbian
    """
    if ruleset_id is None:
        _list(as_json)
    else:
        _one(_find(ruleset_id), as_json)


def _list(as_json: bool) -> None:
    every: list[AnyRuleset] = [*climbing.all_rulesets(), *trumps.all_rulesets()]
    if as_json:
        print_json([{"id": r.id, "version": r.version, "title_zh": r.title_zh, "title_en": r.title_en} for r in every])
        return
    table = Table("id", "version 版本", "name 名称", "")
    for ruleset in every:
        table.add_row(ruleset.id, str(ruleset.version), ruleset.title_zh, ruleset.title_en)
    print_table(table)
    console.print("shuangkou rulesets ID prints every field of one.")


def _one(ruleset: AnyRuleset, as_json: bool) -> None:
    described = in_words(ruleset)
    if as_json:
        head = {
            "id": ruleset.id,
            "version": ruleset.version,
            "title_zh": ruleset.title_zh,
            "title_en": ruleset.title_en,
        }
        print_json(head | {"fields": [asdict(field) for field in described]})
        return
    table = Table(title=f"{ruleset.title_zh} {ruleset.title_en} ({ruleset.id}@{ruleset.version})")
    for heading in ("clause", "field", "value", "house"):
        table.add_column(heading, overflow="fold")
    for field in described:
        values = field.value_en if field.value_en == field.value_zh else f"{field.value_zh}\n{field.value_en}"
        table.add_row(field.clause, f"{field.zh} {field.en}", values, "house 自定" if field.house else "")
    print_table(table)
