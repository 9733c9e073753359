"""A situation as an auditor reads it in a terminal: what was held, what was possible, what was done, and by which clause."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services.cli import cards, trumps

DO: Final = {
    "open": "开桌 opens the table",
    "seat": "入座 takes a seat",
    "commit": "承诺种子 commits to a seed",
    "salt": "加随机数 gives a salt",
    "start": "开局 starts a hand",
    "deal_on": "发牌 deals on",
    "declare": "亮主 declares",
    "decline": "不亮/不反 declines",
    "bury": "扣底 buries",
    "counter": "反底 counters",
    "play": "出 plays",
    "pass": "过 passes",
    "leave": "离开 leaves",
    "return": "取消托管 takes over again",
    "vote": "投票 votes",
}

OTHERWISE: Final = frozenset(("differs", "missing", "shuffle"))
"""What is broken by a record of an act that may be allowed, but from which something else follows."""


def panel(found: Mapping[str, Any]) -> RenderableType:
    """A situation, given as its JSON."""
    span = f"{found['first']}" if found["first"] == found["last"] else f"{found['first']}-{found['last']}"
    parts = [*_before(found), Text(""), _act(found), *_reasons(found), Text(""), *_choices(found["choices"])]
    return Panel(Group(*parts), title=f"事件 event {span}: 局面 situation", title_align="left", expand=False)


def _before(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    if found["phase"] == "between":
        return
    waiting = ", ".join(map(str, found["waiting"])) or "-"
    facts = f"第 {found['hand']} 局 hand, 第 {found['trick_number']} 轮 trick, {trumps.PHASE[found['phase']]}; 等 waits for 座 {waiting}"
    if found["trumps"]:
        facts += _trumps(found["trumps"])
    yield Text(facts)
    yield _holdings(found)
    for each in found["trick"]:
        mark = "▶" if found["to_beat"] and each["version"] == found["to_beat"]["version"] else " "
        yield Text.assemble(f"{mark} {each['version']:>4}  座 {each['seat']} ", _shown(each))


def _trumps(facts: Mapping[str, Any]) -> str:
    trump = trumps.trump(facts["trump"], known=facts["trump_known"])
    declarer = "?" if facts["declarer"] is None else facts["declarer"]
    return f"; 打 level {cards.rank(facts['level'])}, 主 trump {trump}, 庄 declarer {declarer}, 抓分 points {facts['attackers']}"


def _holdings(found: Mapping[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 1))
    for name in ("座 seat", "手牌 held before"):
        table.add_column(name)
    for seat, holding in enumerate(found["holdings"]):
        style = "bold" if seat == found["act"]["seat"] else ""
        table.add_row(Text(str(seat), style), Text("-", "dim") if holding is None else cards.cards(holding))
    return table


def _shown(act: Mapping[str, Any]) -> Text:
    if not act["cards"]:
        return Text(DO.get(act.get("do", "pass"), ""), "dim")
    text = cards.cards(act["cards"])
    if act["reading"]:
        text.append(f"  {cards.reading(act['reading'])}", "dim")
    elif act["kind"]:
        text.append(f"  {trumps.KIND[act['kind']]}", "dim")
    return text


def _act(found: Mapping[str, Any]) -> Text:
    act = found["act"]
    who = f"座 {act['seat']} {found['player'] or ''} " if act["seat"] is not None else "牌桌 the table "
    text = Text.assemble((who, "bold"), DO[act["do"]] + " ")
    if act["cards"]:
        text.append_text(_shown(act))
    if found["by_table"] and act["seat"] is not None:
        text.append("  (托管 done by the table)", "yellow")
    return text


def _reasons(found: Mapping[str, Any]) -> Iterator[Text]:
    if broken := found["broken"]:
        word = "不符 not what the rules make of it" if broken["rule"] in OTHERWISE else "违规 illegal"
        yield Text(f"✗ {word}: {broken['zh']} {broken['en']}{_clause(broken)}", "red")
    for reason in found["reasons"]:
        yield Text(cards.in_words(f"✓ {reason['zh']} {reason['en']}{_clause(reason)}"), "green")
    for event in found["events"][1:]:
        yield Text(f"  {event['version']:>4} {event['type']}: {event['zh']} {event['en']}{_clause(event)}", "dim")


def _clause(reason: Mapping[str, Any]) -> str:
    return f" [{reason['clause']}]" if reason["clause"] else ""


def _choices(choices: Mapping[str, Any]) -> Iterator[Text]:
    acts: Sequence[Mapping[str, Any]] = choices["acts"]
    total = choices["total"]
    if acts:
        number = "" if total is None else f" {total}"
        some = "" if total == len(acts) else f" (列出 first {len(acts)})"
        yield Text(f"可选 legal choices{number}{some}:")
    for act in acts:
        yield Text.assemble(f"  座 {act['seat']} {DO[act['do']]} ", _shown(act) if act["cards"] else "")
    if choices["note_en"]:
        yield Text(f"  {choices['note_zh']} {choices['note_en']}", "dim")
