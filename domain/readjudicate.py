"""The same deals and plays under other rules: what would have been illegal, what would have read or scored otherwise.

Each hand is judged by itself, from the deal, the seats and the leader as recorded; levels and who leads or declares next are not carried on
under the other rules. Every recorded act is put to the other rules in turn. What they allow is carried out by them. An act that they
refuse is noted with its clause and then taken as recorded, so that those after it can be judged too: the score of such a hand only tells
what the other rules would make of it if everything had been let stand, and it is left out of the totals. Where a hand cannot be gone on
with (the other rules deal, ask or lead otherwise) it stops there, and why is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from domain.causes import command_of
from domain.chance import Chance, as_recorded, seeded
from domain.climbing import hand as climbing_hand
from domain.climbing import judge as climbing
from domain.climbing.ruleset import Ruleset
from domain.hands import AnyRuleset, get_ruleset
from domain.judged import HandVerdict
from domain.refusal import Refusal, Refused
from domain.table import Table, evolve
from domain.trumps import hand as trumps_hand
from domain.trumps import judge as trumps
from domain.trumps.ruleset import TrumpsRuleset
from schemas.commands import Bury, Counter, DealOn, Declare, Decline, HandCommand, Leave, Pass, Play, TimeOut
from schemas.envelope import Recorded
from schemas.events import HandStarted, SeedRevealed

IN_HAND: Final = (DealOn, Declare, Bury, Counter, Decline, Play, Pass, Leave)
AnyJudge = climbing.Judge | trumps.Judge


@dataclass(frozen=True, slots=True)
class Readjudication:
    """A match under other rules. `totals` are points by player, recorded and other, over the hands that stay legal (`counted`)."""

    table: str
    recorded: str
    other: str
    hands: tuple[HandVerdict, ...]
    counted: tuple[int, ...]
    totals: Mapping[str, tuple[int, int]]

    @property
    def same(self) -> bool:
        """Whether the other rules change nothing."""
        return not any(
            each.status in {"illegal", "stopped"} or each.readings or each.differs or each.notes for each in self.hands
        )


def readjudicate(recorded: Sequence[Recorded], other: AnyRuleset) -> Readjudication:
    """Judge a match by other rules of its family. Raises Refused for rules of another family, ValueError for what is no record."""
    judges: list[AnyJudge] = []
    table: Table | None = None
    seeds = {each.event.hand: each.event.seed for each in recorded if isinstance(each.event, SeedRevealed)}
    for _, group in groupby(recorded, key=lambda each: each.command):
        events = tuple(group)
        playing = table is not None and table.playing
        for each in events:
            table = evolve(table, each)
        if table is None:
            raise ValueError("no events: there is no table to judge")
        if isinstance(events[0].event, HandStarted):
            judges.append(_judge(table, events[0].event, other, recorded, seeds))
        if judges and (playing or table.playing):
            _take(judges[-1], events, table)
    if table is None:
        raise ValueError("no events: there is no table to judge")
    _check_family(table, other)
    return _summed(table, other, [judge.verdict() for judge in judges])


def _take(judge: AnyJudge, events: Sequence[Recorded], table: Table) -> None:
    act = _act(events)
    if isinstance(judge, climbing.Judge):
        judge.take(events, act)
    elif isinstance(table.hand, trumps_hand.Hand):
        judge.take(events, act, table.hand)


def _act(events: Sequence[Recorded]) -> HandCommand | None:
    """What was done in a hand; for a seat out of time what the table did for it."""
    command = command_of(events)
    if isinstance(command, TimeOut):
        command = command_of(events[1:]) if len(events) > 1 else None
    return command if isinstance(command, IN_HAND) else None


def _judge(
    table: Table, started: HandStarted, other: AnyRuleset, recorded: Sequence[Recorded], seeds: Mapping[int, str]
) -> AnyJudge:
    _check_family(table, other)
    own = get_ruleset(table.ruleset, table.ruleset_version)
    if isinstance(other, TrumpsRuleset) and isinstance(own, TrumpsRuleset):
        return trumps.Judge(started, other, own, table.options.deal_step, _chance(table, recorded, seeds))
    if isinstance(other, Ruleset) and isinstance(own, Ruleset):
        coins = table.hand.coins if isinstance(table.hand, climbing_hand.Hand) else None
        return climbing.Judge(started, other, own, coins)
    raise ValueError(f"table {table.id}: its rules are of neither family")


def _chance(table: Table, recorded: Sequence[Recorded], seeds: Mapping[int, str]) -> Chance:
    """The chance of the hand that just began: from its seed where that was revealed, else from the record."""
    seed = seeds.get(table.hands)
    if seed is not None:
        return seeded(seed, table.id, table.hands, table.hand_salts)
    return as_recorded(each.event for each in recorded if getattr(each.event, "hand", None) == table.hands)


def _check_family(table: Table, other: AnyRuleset) -> None:
    if isinstance(other, Ruleset) == (table.family == "climbing"):
        return
    own = get_ruleset(table.ruleset, table.ruleset_version)
    raise Refused(
        Refusal(
            "other_family",
            "",
            f"{other.title_en} is a game of another family than {own.title_en}; neither can be judged by the other's rules.",
            f"{other.title_zh}与{own.title_zh}不是同类玩法, 不能互相裁定。",
        )
    )


def _summed(table: Table, other: AnyRuleset, hands: Sequence[HandVerdict]) -> Readjudication:
    totals: dict[str, tuple[int, int]] = {}
    counted = [each for each in hands if each.counts]
    for each in counted:
        if each.recorded is not None and each.other is not None:
            for player, was, would in zip(each.players, each.recorded.score, each.other.score, strict=True):
                before = totals.get(player, (0, 0))
                totals[player] = (before[0] + was, before[1] + would)
    ids = (f"{table.ruleset}@{table.ruleset_version}", f"{other.id}@{other.version}")
    return Readjudication(table.id, *ids, tuple(hands), tuple(each.hand for each in counted), totals)
