"""What outlives a hand beside scores: the clock and 托管, votes to dissolve the table, and chance that players add to."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bots import BOTS, choose
from domain.chance import seeded
from domain.refusal import Refused
from domain.shuffle import drawer
from domain.table import Given, Table, decide, evolve, refusal
from domain.upkeep import due
from domain.verify import verify_lines
from schemas.canonical import GENESIS
from schemas.commands import (
    Command,
    CommitSeed,
    DealOn,
    GiveSalt,
    Leave,
    OpenTable,
    Pass,
    Play,
    Return,
    SeatPlayer,
    StartHand,
    TimeOut,
    VoteDissolve,
)
from schemas.envelope import Recorded, record
from schemas.events import (
    Dealt,
    HandStarted,
    Played,
    PlayerReturned,
    SeedCommitted,
    TableClosed,
    TableOpened,
    TableOptions,
    TimedOut,
)
from schemas.notation import RANKS, Unreadable, rank_of
from tests.kit.spec import NAMES

SEED = "5" * 64
BEGIN = datetime(2026, 12, 1, 3, tzinfo=UTC)


class Kept:
    """A table whose time passes by hand: `at` seconds after its opening."""

    def __init__(self, ruleset: str = "basic", **options: object) -> None:
        self.at = 0.0
        self.table: Table | None = None
        self.record: list[Recorded] = []
        self.do(OpenTable(ruleset, None, TableOptions.model_validate(options)), *map(SeatPlayer, NAMES))

    @property
    def now(self) -> str:
        return f"{(BEGIN + timedelta(seconds=self.at)).isoformat(timespec='milliseconds')[:23]}Z"

    def do(self, *commands: Command) -> list[Recorded]:
        happened: list[Recorded] = []
        for command in commands:
            given_ = Given(self.now, f"c{len(self.record)}", SEED)
            for recorded in decide(self.table, "t", command, given_):
                self.table = evolve(self.table, recorded)
                self.record.append(recorded)
                happened.append(recorded)
        return happened

    @property
    def state(self) -> Table:
        assert self.table is not None
        return self.table

    @property
    def turn(self) -> int:
        return self.state.waiting[0]

    def refused(self, command: Command) -> str:
        with pytest.raises(Refused) as error:
            decide(self.table, "t", command, Given(self.now, "c", SEED))
        return error.value.refusal.rule

    def clean(self) -> bool:
        return verify_lines([each.line for each in self.record]).clean


def started() -> Kept:
    kept = Kept(turn_seconds=30)
    kept.do(StartHand())
    return kept


def kinds(recorded: list[Recorded]) -> tuple[str, ...]:
    return tuple(type(each.event).__name__ for each in recorded)


def test_the_clock_runs_out_only_when_it_has() -> None:
    kept = started()
    wanted = due(kept.state)
    assert wanted is not None
    assert wanted.at == "2026-12-01T03:00:30.000Z"
    kept.at = 29.999
    assert kept.refused(TimeOut(kept.turn, kept.now)) == "clock_running"
    kept.at = 30
    assert refusal(kept.state, TimeOut(kept.turn, kept.now)) is None
    assert kept.refused(TimeOut((kept.turn + 1) % 4, kept.now)) == "not_your_turn"


def test_a_table_without_a_clock_waits_for_ever() -> None:
    kept = Kept()
    kept.do(StartHand())
    assert due(kept.state) is None
    assert kept.refused(TimeOut(kept.turn, "2030-01-01T00:00:00.000Z")) == "no_clock"


def test_out_of_time_the_table_leads_the_lowest_card_or_passes_and_says_so() -> None:
    kept = started()
    leader = kept.turn
    holding = kept.state.hand.holdings[leader] if kept.state.hand else ()
    kept.at = 30
    timed, played = kept.do(TimeOut(leader, kept.now))
    assert isinstance(timed.event, TimedOut)
    assert isinstance(played.event, Played)
    lowest = min(RANKS.index(rank_of(card)) for card in holding)
    assert [RANKS.index(rank_of(card)) for card in played.event.cards] == [lowest]
    kept.at = 60
    assert kinds(kept.do(TimeOut(kept.turn, kept.now))) == ("TimedOut", "Passed")
    assert kept.clean()


def test_for_who_is_away_the_table_acts_at_once_until_they_return() -> None:
    kept = started()
    away = kept.turn
    kept.at = 30
    kept.do(TimeOut(away, kept.now))
    while kept.turn != away:
        kept.do(Pass(kept.turn))
    wanted = due(kept.state)
    assert wanted is not None
    assert wanted.at == "2026-12-01T03:00:31.000Z"
    assert kinds(kept.do(TimeOut(away, kept.now)))[0] == "TimedOut"
    assert isinstance(kept.do(Return(away))[0].event, PlayerReturned)
    assert kept.refused(Return(away)) == "not_away"
    assert not kept.state.away
    assert kept.clean()


def test_who_acts_has_returned() -> None:
    kept = started()
    away = kept.turn
    kept.at = 30
    kept.do(TimeOut(away, kept.now))
    while kept.turn != away:
        kept.do(Pass(kept.turn))
    hand = kept.state.hand
    assert hand is not None
    assert kinds(kept.do(Play(away, hand.holdings[away][-1:])))[:2] == ("PlayerReturned", "Played")
    assert kept.clean()


def test_the_clock_of_a_turn_at_the_end_of_all_times_is_still_running() -> None:
    """No time is later than the last there is, so it is the time that went by which counts."""
    kept = started()
    last = "9999-12-31T23:59:59.999Z"
    table = kept.state._replace(turned=last)
    refused = refusal(table, TimeOut(kept.turn, last))
    assert refused is not None
    assert refused.rule == "clock_running"


def test_an_early_time_out_in_the_record_is_found() -> None:
    """The same events, at a table that gave a second more."""
    kept = started()
    kept.at = 30
    timed = kept.do(TimeOut(kept.turn, kept.now))[0]
    lines: list[bytes] = []
    prev = GENESIS
    for each in kept.record:
        event = each.event
        if isinstance(event, TableOpened):
            event = event.model_copy(update={"options": TableOptions(turn_seconds=31)})
        again = record(each.table, each.version, prev, each.time, each.command, event)
        prev = again.hash
        lines.append(again.line)
    fault = verify_lines(lines).faults[0]
    assert (fault.kind, fault.version) == ("illegal", timed.version)
    assert "still has time" in fault.en


def test_everybody_agrees_and_the_table_is_dissolved() -> None:
    kept = started()
    for seat in (2, 0, 1):
        assert kinds(kept.do(VoteDissolve(seat, agree=True))) == ("DissolveVoted",)
    assert kept.refused(VoteDissolve(2, agree=True)) == "already_voted"
    happened = kept.do(VoteDissolve(3, agree=True))
    assert kinds(happened) == ("DissolveVoted", "HandVoided", "SeedRevealed", "TableClosed")
    assert isinstance(happened[-1].event, TableClosed)
    assert happened[-1].event.reason == "dissolved"
    assert kept.refused(StartHand()) == "table_closed"
    assert set(kept.state.scores.values()) <= {0}
    assert kept.clean()


def test_one_no_ends_the_vote() -> None:
    kept = started()
    assert kept.refused(VoteDissolve(0, agree=False)) == "no_vote"
    kept.do(VoteDissolve(0, agree=True), VoteDissolve(1, agree=False))
    assert kept.state.votes == ()
    kept.do(*(VoteDissolve(seat, agree=True) for seat in (1, 2, 3)))
    assert not kept.state.closed


def test_between_hands_and_in_trump_games_too() -> None:
    kept = Kept("ningxia", deal_step=100)
    kept.do(StartHand(), DealOn())
    happened = kept.do(*(VoteDissolve(seat, agree=True) for seat in range(4)))
    assert kinds(happened)[-3:] == ("HandVoided", "SeedRevealed", "TableClosed")
    assert kept.clean()
    waiting = Kept()
    assert kinds(waiting.do(*(VoteDissolve(seat, agree=True) for seat in range(4))))[-1] == "TableClosed"


def test_players_add_to_the_chance_of_a_hand_after_the_table_has_committed() -> None:
    kept = Kept(salts=True)
    assert kept.refused(StartHand()) == "seed_not_committed"
    assert kept.refused(GiveSalt(0, "tea")) == "seed_not_committed"
    wanted = due(kept.state)
    assert wanted is not None
    assert isinstance(wanted.command, CommitSeed)
    committed = kept.do(wanted.command)[0].event
    assert isinstance(committed, SeedCommitted)
    assert kept.refused(CommitSeed()) == "seed_committed"
    kept.do(GiveSalt(2, "tea"), GiveSalt(0, "rice"))
    assert kept.refused(GiveSalt(2, "more")) == "salt_given"
    begun, dealt = [each.event for each in kept.do(StartHand())][:2]
    assert isinstance(begun, HandStarted)
    assert isinstance(dealt, Dealt)
    assert begun.commitment == committed.commitment
    pack = seeded(SEED, "t", 1, ((0, "rice"), (2, "tea"))).pack
    assert sorted(dealt.holdings[0]) == sorted(pack[0::4])
    assert pack != seeded(SEED, "t", 1).pack
    assert kept.clean()


@pytest.mark.parametrize("salt", ["", "with space", "x" * 65, "盐"])
def test_a_salt_is_plain_text(salt: str) -> None:
    kept = Kept(salts=True)
    kept.do(CommitSeed())
    with pytest.raises(Unreadable, match="salt"):
        kept.do(GiveSalt(0, salt))


def test_a_table_without_salts_takes_none() -> None:
    kept = Kept()
    assert kept.refused(GiveSalt(0, "tea")) == "no_salts"
    assert kept.refused(CommitSeed()) == "no_salts"
    assert due(kept.state) is None


@pytest.mark.parametrize("ruleset", ["basic", "huopin", "ningxia"])
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_whatever_happens_at_a_table_with_everything_the_record_is_clean(ruleset: str, seed: int) -> None:
    """Clock, absence, votes, salts and leaving at random points of a match; every cut of the record verifies, too."""
    draw = drawer(f"{seed:064x}", "t", 0, "everything")
    kept = Kept(ruleset, turn_seconds=5, salts=True, hands=2, deal_step=20)
    for _ in range(150):
        if kept.state.closed:
            break
        kept.at += draw(4)
        wanted, table = due(kept.state), kept.state
        if wanted is not None and (draw(3) == 0 or not (table.playing and table.waiting)):
            kept.at = max(kept.at, (datetime.fromisoformat(wanted.at) - BEGIN).total_seconds())
            kept.do(wanted.command)
        elif not table.playing:
            seat = draw(4)
            free = [each for each in range(4) if table.players[each] is None]
            asked = SeatPlayer(f"new{len(kept.record)}") if free else GiveSalt(seat, "x") if draw(2) else StartHand()
            if refusal(table, asked) is None:
                kept.do(asked)
        else:
            odd: list[Command] = [VoteDissolve(draw(4), draw(2) == 0), Leave(draw(4)), Return(draw(4))]
            wild = odd[draw(3)] if draw(12) == 0 else None
            command = wild if wild and refusal(table, wild) is None else choose(table, BOTS["random"], draw)
            kept.do(command)
    lines = [each.line for each in kept.record]
    assert verify_lines(lines).clean
    ends = [i for i in range(1, len(lines)) if kept.record[i].command != kept.record[i - 1].command]
    for _ in range(3):
        assert verify_lines(lines[: ends[draw(len(ends))]]).clean
