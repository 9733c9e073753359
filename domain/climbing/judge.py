"""Judges a recorded hand of the climbing family by another ruleset of it."""

from collections.abc import Sequence

from domain.cards import counts_of
from domain.climbing.explaining import coins_text
from domain.climbing.hand import Hand, begin, decide, evolve, refusal
from domain.climbing.ruleset import Ruleset
from domain.climbing.scoring import CoinRoom, contribution_for, settle, shares
from domain.climbing.tables import tables_for
from domain.judged import OF_SCORED, HandVerdict, Illegal, Note, OtherReading, Result, Status, named, result_of
from schemas.commands import HandCommand, Pass, Play
from schemas.envelope import Recorded
from schemas.events import (
    Dealt,
    Finished,
    Four,
    HandAbandoned,
    HandScored,
    HandStarted,
    HandVoided,
    Passed,
    Played,
    SeatsSwapped,
    TrickWon,
)


class Judge:
    """One hand. `take` is given the events of each command in turn."""

    def __init__(self, started: HandStarted, ruleset: Ruleset, recorded: Ruleset, coins: CoinRoom | None) -> None:
        room = coins if ruleset.coins is not None else None
        self.hand: Hand = begin(started, ruleset, room)
        self.illegal: list[Illegal] = []
        self.readings: list[OtherReading] = []
        self.notes: list[Note] = []
        self.recorded: Result | None = None
        self.other: Result | None = None
        if ruleset.lead != recorded.lead:
            self.notes.append(
                Note(
                    None,
                    "C2",
                    "These rules find the leader otherwise; it is taken as recorded.",
                    "首家按记录, 不按此规则另定。",
                )
            )

    def take(self, events: Sequence[Recorded], act: HandCommand | None) -> None:
        """The next command: what was done in the hand, if anything, and what the record says it made happen."""
        for each in events:
            if isinstance(each.event, Dealt | SeatsSwapped):
                self.hand = evolve(self.hand, each.event, each.version)
        if act is not None:
            self._judge(events, act)
        for each in events:
            self._end(each)

    def verdict(self) -> HandVerdict:
        """What came of it."""
        status: Status = "illegal" if self.illegal else "legal" if self.recorded else "unfinished"
        found = (tuple(self.illegal), tuple(self.readings), tuple(self.notes))
        return HandVerdict(self.hand.number, self.hand.players, status, *found, self.recorded, self.other)

    def _judge(self, events: Sequence[Recorded], act: HandCommand) -> None:
        done = next((each for each in events if isinstance(each.event, Played | Passed)), None)
        if done is None or not isinstance(act, Play | Pass):
            return
        refused = refusal(self.hand, act)
        if refused is not None:
            cards = act.cards if isinstance(act, Play) else ()
            self.illegal.append(Illegal(done.version, act.seat, named(act), cards, refused))
            self._let_stand(events)
            return
        for version, event in enumerate(decide(self.hand, act, done.version), done.version):
            if isinstance(event, Played) and isinstance(done.event, Played):
                self._compare(done.version, done.event, event)
            if not isinstance(event, HandScored):
                self.hand = evolve(self.hand, event, version)

    def _compare(self, version: int, recorded: Played, ours: Played) -> None:
        if recorded.reading != ours.reading:
            self.readings.append(OtherReading(version, ours.seat, ours.cards, recorded.reading, ours.reading))

    def _let_stand(self, events: Sequence[Recorded]) -> None:
        """Go on as recorded. Cards that are no pattern by these rules keep their recorded reading."""
        for each in events:
            event = each.event
            if isinstance(event, Played):
                own = tables_for(self.hand.ruleset).read(counts_of(event.cards), None)
                event = event.model_copy(update={"reading": own or event.reading})
            if isinstance(event, Played | Passed | TrickWon | Finished):
                self.hand = evolve(self.hand, event, each.version)

    def _end(self, recorded: Recorded) -> None:
        """Both results, when this event ends the hand."""
        event, hand = recorded.event, self.hand
        match event:
            case HandScored():
                settled = settle(hand.ruleset, event.finish, hand.bombs, hand.coins)
                coins = tuple(map(coins_text, settled.coins)) if settled.coins else None
                facts = {name: getattr(settled, name) for name in OF_SCORED}
                self.other = Result(settled.score, {**facts, "coins": coins})
            case HandAbandoned() | HandVoided():
                stands = self._contribution() if hand.ruleset.abandoned_contribution_stands else (0, 0, 0, 0)
                self.other = Result(stands, {"contribution": stands})
            case _:
                return
        self.recorded = result_of(event)

    def _contribution(self) -> Four:
        """What the bombs of the hand gave at once by these rules."""
        given = [(bomb.seat, contribution_for(self.hand.ruleset, bomb.reading.stars)) for bomb in self.hand.bombs]
        parts = [shares(seat, points) for seat, points in given]
        return (sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts), sum(p[3] for p in parts))
