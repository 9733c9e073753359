"""Check a match: shape, chain, shuffle, and every event against what the rules make of the commands (C2-C6).

The record is not trusted anywhere. Each group of events of one command is turned back into that command, and the table
as it stood is asked to decide it again: the events must come out the same, byte for byte. So a forged play, reading,
score or deal cannot pass, and the first fault is named by table, event and clause. The seed of a hand that is still being
played is unrevealed; its deal is then taken as recorded, checked only to be a deal, and `notes` says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from domain.causes import command_of, command_of_line
from domain.chance import Chance, as_recorded
from domain.faults import Fault, Found, Kind
from domain.hands import UnknownRuleset
from domain.proofs.checking import Signed, Trust
from domain.refusal import Refused
from domain.shuffle import SEED, commitment
from domain.table import OVER, Given, Table, evolve, happens
from domain.verifying.chain import chained
from domain.verifying.deciding import decided_otherwise
from domain.verifying.frame import (
    Known,
    beyond_the_end,
    check_frame,
    check_known,
    end_of,
    read_frame,
    sharpened,
)
from schemas.commands import CommitSeed, StartHand
from schemas.envelope import Opened, Recorded
from schemas.events import HandStarted, SeedCommitted, SeedRevealed, type_name
from schemas.notation import Unreadable

__all__ = ["Fault", "Known", "Report", "Signed", "Trust", "verify_file", "verify_lines"]

BINDING = frozenset(type_name(each) for each in (HandStarted, SeedCommitted, SeedRevealed))
"""Stored names of the events that commit to a seed or reveal it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a verification found. `faults` is empty or holds the first fault; `notes` say what could not be checked, and why.

    `signed` says whose signatures hold, None where there are none.
    """

    table: str | None
    events: int
    hands: int
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    signed: Signed | None = None

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


@dataclass(slots=True)
class _Walk:
    table: Table | None = None
    table_id: str | None = None
    events: int = 0
    hands: int = 0
    notes: list[str] = field(default_factory=list)
    chances: dict[int, Chance] = field(default_factory=dict)

    def fault(self, version: int | None, kind: Kind, en: str, zh: str, clause: str = "") -> Found:
        return Found(Fault(self.table_id, version, kind, clause, en, zh))


def verify_file(data: bytes, trust: Trust | None = None, known: Iterable[Known] = ()) -> Report:
    """Verify a match file: every byte of it. `trust` are keys, `known` hashes of events that come from elsewhere."""
    walk = _Walk()
    signed = None
    try:
        match = read_frame(data)
        try:
            opened = _chain(walk, match.lines, end_of(match))
        except Found as found:
            raise Found(beyond_the_end(found.fault, match)) from None
        try:
            signed = check_frame(match, opened, trust)
            check_known(opened, known)
        except Found as found:
            raise Found(sharpened(found.fault, _fault_by_rules(opened))) from None
        _check_rules(walk, opened)
    except Found as found:
        return _report(walk, found.fault)
    if walk.table is not None and not walk.table.closed:
        walk.notes.append(f"the match is not over here: it ends after event {walk.events} 比赛在此尚未结束")
    if signed is None:
        walk.notes.append("the file is not signed: it may be a match that somebody made up 文件没有签名")
    return _report(walk, signed=signed)


def verify_lines(lines: Sequence[bytes], known: Iterable[Known] = ()) -> Report:
    """Verify the events of a table as the stream holds them, first to last."""
    walk = _Walk()
    try:
        if not lines:
            raise walk.fault(None, "shape", "There are no events.", "没有任何事件。")
        opened = _chain(walk, lines)
        try:
            check_known(opened, known)
        except Found as found:
            raise Found(sharpened(found.fault, _fault_by_rules(opened))) from None
        _check_rules(walk, opened)
    except Found as found:
        return _report(walk, found.fault)
    return _report(walk)


def _report(walk: _Walk, *faults: Fault, signed: Signed | None = None) -> Report:
    return Report(walk.table_id, walk.events, walk.hands, faults, tuple(walk.notes), signed)


def _chain(walk: _Walk, lines: Sequence[bytes], end: str | None = None) -> list[Opened]:
    opened = []
    for each in chained(lines, end):
        opened.append(each)
        walk.table_id, walk.events = each.table, each.version
    return opened


def _fault_by_rules(opened: Sequence[Opened]) -> Fault | None:
    """What the rules find in events, of which something else was found already."""
    try:
        _check_rules(_Walk(table_id=opened[0].table), opened)
    except Found as found:
        return found.fault
    return None


def _check_rules(walk: _Walk, opened: Sequence[Opened]) -> None:
    """Decide every command again."""
    seeds = _revealed(walk, opened)
    seen: set[str] = set()
    for command, group in groupby(opened, key=lambda each: each.command):
        events = tuple(group)
        if command in seen:
            raise walk.fault(
                events[0].version, "command", f"Command {command!r} was carried out twice.", "同一命令执行了两次。"
            )
        seen.add(command)
        try:
            _check_group(walk, events, seeds, opened)
        except UnknownRuleset as unknown:
            raise walk.fault(events[0].version, "illegal", f"{unknown}.", "没有这种规则。") from None


def _read(walk: _Walk, opened: Opened) -> Recorded:
    try:
        return opened.recorded
    except Unreadable as error:
        raise walk.fault(opened.version, "unreadable", f"{error}.", "事件无法读取。") from None


def _revealed(walk: _Walk, opened: Sequence[Opened]) -> dict[int, str]:
    """The seed of each hand that was revealed, after checking it against the commitment (C2)."""
    promised: dict[int, str] = {}
    seeds: dict[int, str] = {}
    for each in (_read(walk, each) for each in opened if each.name in BINDING):
        if isinstance(each.event, HandStarted | SeedCommitted):
            promised[each.event.hand] = each.event.commitment
        elif isinstance(each.event, SeedRevealed):
            hand, seed = each.event.hand, each.event.seed
            if not SEED.fullmatch(seed):
                raise walk.fault(
                    each.version, "shuffle", "The seed is not 64 hexadecimal digits.", "种子格式不对。", "C2"
                )
            if hand not in promised:
                continue  # what is recorded of this hand's beginning is told where it stands
            if commitment(seed, each.table, hand) != promised[hand]:
                raise walk.fault(
                    each.version,
                    "shuffle",
                    f"The seed revealed for hand {hand} is not the one that was committed to.",
                    "公布的种子与承诺不符。",
                    "C2",
                )
            seeds[hand] = seed
    return seeds


def _check_group(walk: _Walk, opened: tuple[Opened, ...], seeds: dict[int, str], everything: Sequence[Opened]) -> None:
    if _check_quickly(walk, opened, seeds):
        return
    events = tuple(_read(walk, each) for each in opened)
    first = events[0]
    command = command_of(events)
    if command is None:
        raise walk.fault(
            first.version, "command", f"No command begins with {first.event.TYPE}.", "事件没有对应的命令。"
        )
    number = walk.table.hands + isinstance(command, StartHand | CommitSeed) if walk.table else 0
    seed = seeds.get(number)
    chance = None
    if number and seed is None:
        chance = _unrevealed(walk, first, number, [_read(walk, each) for each in everything])
    fault = decided_otherwise(walk.table, events, command, Given(first.time, first.command, seed, chance))
    if fault is not None:
        raise Found(fault)
    for recorded in events:
        walk.table = evolve(walk.table, recorded)
        walk.hands += isinstance(recorded.event, OVER)


def _check_quickly(walk: _Walk, opened: tuple[Opened, ...], seeds: dict[int, str]) -> bool:
    """Whether these events are what the rules make of a command that can be told without reading them: most are plays and passes.

    If the bytes are the same, there is nothing that reading them could still find. Otherwise the long way finds out what is wrong.
    """
    first, table = opened[0], walk.table
    command = command_of_line(first.name, first.data)
    if command is None or table is None or table.hands not in seeds:
        return False
    try:
        happened = list(happens(table, command, Given(first.time, first.command, seeds[table.hands])))
    except (Refused, ValueError):
        return False
    if len(happened) != len(opened):
        return False
    over = 0
    for event, each in zip(happened, opened, strict=True):
        recorded = each.holding(event)
        if recorded is None or each.time != first.time:
            return False
        table = evolve(table, recorded)
        over += isinstance(event, OVER)
    walk.table = table
    walk.hands += over
    return True


def _unrevealed(walk: _Walk, first: Recorded, hand: int, everything: Sequence[Recorded]) -> Chance:
    """What stands for the seed of a hand that is not over: the record itself."""
    if hand not in walk.chances:
        events = [each for each in everything if getattr(each.event, "hand", None) == hand]
        if not any(isinstance(each.event, HandStarted | SeedCommitted) for each in events):
            en = f"Hand {hand} begins here by another number, or not at all; its seed was never revealed."
            raise walk.fault(first.version, "shuffle", en, "局号不符,种子从未公布。", "C2")
        if any(isinstance(each.event, OVER) for each in events) or any(
            isinstance(each.event, HandStarted) and each.event.hand > hand for each in everything
        ):
            raise walk.fault(
                first.version,
                "shuffle",
                f"Hand {hand} is over, but its seed was never revealed.",
                "种子从未公布。",
                "C2",
            )
        try:
            walk.chances[hand] = as_recorded(each.event for each in events)
        except ValueError as error:
            en = f"Hand {hand}: {error}."
            raise walk.fault(_deal_in(events), "differs", en, "所发的牌不是两副牌。", "C1") from None
        if not SEED.fullmatch(walk.chances[hand].commitment):
            raise walk.fault(
                events[0].version, "shuffle", "The commitment is not 64 hexadecimal digits.", "承诺格式不对。", "C2"
            )
        walk.notes.append(
            f"hand {hand}: its seed is not revealed yet, so the deal is taken as recorded 种子尚未公布,发牌未经推算"
        )
    return walk.chances[hand]


def _deal_in(events: Sequence[Recorded]) -> int:
    return next((each.version for each in events if "dealt" in each.event.TYPE), events[0].version)
