"""The events of one command, as they were recorded, against what the rules make of that command."""

from collections.abc import Sequence

import orjson

from domain.faults import Fault, Kind
from domain.refusal import Refused
from domain.table import Given, Table, decide
from schemas.commands import Command
from schemas.envelope import Recorded, record
from schemas.events import Event, type_name
from schemas.notation import ORDER, Unreadable
from schemas.text import printable, shortened


def decided_otherwise(table: Table | None, events: Sequence[Recorded], command: Command, given: Given) -> Fault | None:
    """The first fault in all that a command made happen at this table, by the record; None when the rules make the same of it."""
    first = events[0]
    if (card := no_card(command)) is not None:
        return _fault(first, "illegal", f"{_short(repr(card))} is not a card.", "不是一张牌。", "C1")
    try:
        decided = decide(table, first.table, command, given)
    except Refused as refused:
        refusal = refused.refusal
        return _fault(first, "illegal", refusal.en, refusal.zh, refusal.clause)
    except Unreadable as error:
        return _fault(first, "illegal", f"{error}.", "命令无法理解。")
    except ValueError as error:
        if given.seed is None:
            en = "The record ends in the middle of what this event's command made happen."
            return Fault(first.table, events[-1].version + 1, "missing", "", en, "记录在一条命令中间中断。")
        return _fault(first, "shuffle", f"{error}.", "种子与承诺不符。", "C2")
    return _differing(decided, events)


def no_card(command: Command) -> str | None:
    """The first of the cards of a command that is no card, None when all are."""
    cards: tuple[str, ...] = getattr(command, "cards", ())
    return next((card for card in cards if card not in ORDER), None)


def _fault(recorded: Recorded, kind: Kind, en: str, zh: str, clause: str = "") -> Fault:
    return Fault(recorded.table, recorded.version, kind, clause, en, zh)


def _differing(decided: Sequence[Recorded], events: Sequence[Recorded]) -> Fault | None:
    """The fault of the first event that is not what was decided."""
    for ours, theirs in zip(decided, events, strict=False):
        if ours.line != theirs.line and not _same(ours, theirs):
            return _fault(theirs, "differs", _difference(ours, theirs), "事件与规则推算不符。", _clause(ours.event))
    if len(decided) != len(events):
        version = events[0].version + min(len(decided), len(events))
        en = f"The rules make {len(decided)} events of this command, the record has {len(events)}."
        return Fault(events[0].table, version, "differs", "", en, "事件数量与规则推算不符。")
    return None


def _same(ours: Recorded, theirs: Recorded) -> bool:
    """Whether an event is the one decided, though its bytes are not: it, or one before it of its command, is of an older shape."""
    again = record(theirs.table, theirs.version, theirs.prev, ours.time, ours.command, ours.event)
    if again.line == theirs.line:
        return True
    older = orjson.loads(theirs.line)["type"] != type_name(type(theirs.event))
    return older and (ours.event, ours.time, ours.command) == (theirs.event, theirs.time, theirs.command)


def _difference(ours: Recorded, theirs: Recorded) -> str:
    if type(ours.event) is not type(theirs.event):
        return f"The rules say {ours.event.TYPE} happens here, the record says {theirs.event.TYPE}."
    if ours.event == theirs.event:
        return "Its time, command or form is not that of its command's first event."
    mine, other = ours.event.model_dump(), theirs.event.model_dump()
    name = next(name for name in mine if mine[name] != other[name])
    return f"{theirs.event.TYPE}.{name}: the rules give {_short(mine[name])}, the record says {_short(other[name])}."


def _short(value: object) -> str:
    return shortened(printable(str(value)), 120)


def _clause(event: Event) -> str:
    return {
        "dealt": "C2",
        "seats-swapped": "C2",
        "played": "C3",
        "trick-won": "C5.2",
        "finished": "C5.3",
        "contribution-scored": "C6",
        "hand-scored": "C6",
        "hand-abandoned": "C5.5",
        "seed-revealed": "C2",
        "deal-begun": "T1.1",
        "cards-dealt": "T2.1",
        "trump-declared": "T2.2",
        "kitty-turned": "T2.5",
        "declarer-named": "T1.5",
        "kitty-taken": "T3.1",
        "kitty-buried": "T3.1",
        "kitty-countered": "T3.2",
        "throw-failed": "T5.4",
        "cards-played": "T5.1",
        "points-taken": "T6.5",
        "hand-settled": "T7",
        "level-raised": "T7.4",
        "hand-escaped": "T8",
    }.get(event.TYPE, "")
