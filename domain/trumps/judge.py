"""Judges a recorded hand of the trump family by another ruleset of it."""

from collections.abc import Sequence
from typing import Final

from domain.chance import Chance
from domain.judged import HandVerdict, Illegal, Note, Result, Status, named, result_of
from domain.trumps.hand import Hand, begin, decide, evolve, refusal
from domain.trumps.ruleset import TrumpsRuleset
from schemas.commands import HandCommand
from schemas.envelope import Recorded
from schemas.events import HandStarted, HandVoided, PlayerReturned, TimedOut
from schemas.notation import format_cards
from schemas.trumps import DealBegun

OUTSIDE: Final = (TimedOut, PlayerReturned)
"""Events that may come before what a seat, or the table for it, does in a hand."""


class Judge:
    """One hand. `take` is given the events of each command in turn, and the hand as it stood after them in the record."""

    def __init__(
        self, started: HandStarted, ruleset: TrumpsRuleset, recorded: TrumpsRuleset, step: int, chance: Chance
    ) -> None:
        self.hand: Hand = begin(started, ruleset, step)
        self.chance = chance
        self.illegal: list[Illegal] = []
        self.notes: list[Note] = []
        self.recorded: Result | None = None
        self.other: Result | None = None
        self.stopped = False
        ours, theirs = ((each.holding_cards, each.kitty_cards) for each in (ruleset, recorded))
        if ours != theirs:
            self._stop(
                None,
                "T2.1",
                f"These rules deal {ours[0]} cards each and {ours[1]} to the kitty, the record {theirs[0]} and {theirs[1]}.",
                f"此规则每人{ours[0]}张底牌{ours[1]}张, 记录为{theirs[0]}张和{theirs[1]}张。",
            )

    def take(self, events: Sequence[Recorded], act: HandCommand | None, theirs: Hand) -> None:
        """The next command: what was done in the hand, if anything, and what the record says it made happen."""
        if not self.stopped:
            for each in events:
                if isinstance(each.event, DealBegun):
                    self.hand = evolve(self.hand, each.event, each.version)
            if act is not None:
                self._judge(events, act, theirs)
        for each in events:
            if isinstance(each.event, HandVoided):
                self.hand = evolve(self.hand, each.event, each.version)
            self.recorded = self.recorded or result_of(each.event)

    def verdict(self) -> HandVerdict:
        """What came of it."""
        status: Status = "stopped" if self.stopped else "illegal" if self.illegal else "legal"
        if status == "legal" and self.recorded is None:
            status = "unfinished"
        over = self.hand.settled or self.hand.escaped or self.hand.voided
        other = result_of(over) if over is not None and not self.stopped else None
        found: tuple[tuple[Illegal, ...], tuple[()], tuple[Note, ...]] = (tuple(self.illegal), (), tuple(self.notes))
        return HandVerdict(self.hand.number, self.hand.players, status, *found, self.recorded, other)

    def _judge(self, events: Sequence[Recorded], act: HandCommand, theirs: Hand) -> None:
        done = [each for each in events if not isinstance(each.event, OUTSIDE)]
        if not done:
            return
        first = done[0].version
        refused = refusal(self.hand, act)
        if refused is not None:
            cards = getattr(act, "cards", ())
            self.illegal.append(Illegal(first, getattr(act, "seat", None), named(act), cards, refused))
            self._let_stand(done)
        else:
            for version, event in enumerate(decide(self.hand, act, first, self.chance), first):
                self.hand = evolve(self.hand, event, version)
        self._check_course(done[-1].version, theirs)

    def _let_stand(self, events: Sequence[Recorded]) -> None:
        """Go on as recorded. A hand that ends with such an act has no result by these rules."""
        for each in events:
            if each.event.TYPE in COURSE:
                self.hand = evolve(self.hand, each.event, each.version)

    def _check_course(self, version: int, theirs: Hand) -> None:
        """Stop the hand where it does not go on as in the record: other cards led, others asked, another trump."""
        ours = self.hand
        if self.stopped or theirs.over:
            return
        if ours.holdings != theirs.holdings:
            seat = next(seat for seat in range(4) if ours.holdings[seat] != theirs.holdings[seat])
            self._stop(
                version,
                "T5.4",
                f"By these rules seat {seat} would hold other cards from here on: {format_cards(ours.holdings[seat])}.",
                f"按此规则{seat}号座位此后手牌不同: {format_cards(ours.holdings[seat])}。",
            )
        elif (ours.phase, ours.waiting, ours.trump) != (theirs.phase, theirs.waiting, theirs.trump):
            self._stop(
                version,
                "T3.2" if "countering" in (ours.phase, theirs.phase) else "T2",
                f"By these rules the hand would go on otherwise: {_course(ours)}; in the record {_course(theirs)}.",
                f"按此规则此后进程不同: {_course(ours)}; 记录为 {_course(theirs)}。",
            )

    def _stop(self, version: int | None, clause: str, en: str, zh: str) -> None:
        self.notes.append(Note(version, clause, en, zh))
        self.stopped = True


COURSE: Final = frozenset(
    (
        "cards-dealt",
        "trump-declared",
        "declaration-declined",
        "kitty-turned",
        "declarer-named",
        "kitty-taken",
        "kitty-buried",
        "kitty-countered",
        "counter-declined",
        "throw-failed",
        "cards-played",
        "points-taken",
    )
)
"""The types of events that make the course of a hand, without its end."""


def _course(hand: Hand) -> str:
    seats = ", ".join(map(str, hand.waiting)) or "-"
    return f"{hand.phase}, seat {seats}, trump {hand.trump or 'none'}"
