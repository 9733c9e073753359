"""Leaving a record after an event and playing on: at a table that can never be taken for the record."""

from functools import cache
from itertools import pairwise

import orjson
import pytest

from domain.bots import BOTS
from domain.hands import all_rulesets
from domain.refusal import Refused
from domain.simulate import simulate
from domain.table import replay
from domain.verify import verify_file, verify_lines
from domain.whatif import Scratch, act, leave, play_on, recorded_result
from schemas.canonical import canonical, digest
from schemas.commands import DealOn, Pass, Play
from schemas.envelope import Recorded, read_line
from schemas.events import HandScored, Played, SeedRevealed
from schemas.matchfile import match_file, read_match
from schemas.notation import Unreadable
from schemas.scratch import PREFIX, scratch_file
from schemas.trumps import CardsDealt, HandSettled

RULESETS = [ruleset.id for ruleset in all_rulesets()]


@cache
def match(ruleset: str = "huopin") -> tuple[Recorded, ...]:
    return tuple(simulate(ruleset, 2, "what if", "greedy"))


def first_play(ruleset: str = "huopin") -> Recorded:
    return next(each for each in match(ruleset) if each.event.TYPE in {"played", "cards-played"})


def file_of(scratch: Scratch) -> bytes:
    return scratch_file(scratch.table.id, scratch.origin, scratch.happened)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_bots_play_the_hand_to_its_end(ruleset: str) -> None:
    at = first_play(ruleset).version
    scratch = play_on(leave(match(ruleset), at), BOTS["greedy"], "1")
    assert scratch.over
    assert scratch.result is not None
    assert recorded_result(scratch, match(ruleset)) is not None


def test_the_same_choices_come_to_the_same_end() -> None:
    """What was played on in the record, played again by hand, is what happened."""
    events = match()
    at = first_play().version
    scratch = leave(events, at)
    for each in events[at:]:
        if isinstance(each.event, Played):
            scratch = act(scratch, Play(each.event.seat, each.event.cards))
        elif each.event.TYPE == "passed":
            scratch = act(scratch, Pass(each.event.seat))  # type: ignore[attr-defined]
        if scratch.over:
            break
    was = next(each.event for each in events if isinstance(each.event, HandScored))
    would = next(each.event for each in scratch.happened if isinstance(each.event, HandScored))
    assert would == was


def test_the_cards_that_were_to_come_come() -> None:
    """T2.1: the unplayed part of the deal is known from the revealed seed."""
    events = match("ningxia")
    at = next(each.version for each in events if isinstance(each.event, CardsDealt))
    scratch = leave(events, at)
    for _ in range(3):
        scratch = act(scratch, DealOn())
    assert [each.event for each in scratch.happened] == [each.event for each in events[at : at + 3]]
    ended = play_on(scratch, BOTS["greedy"], "1")
    assert any(isinstance(each.event, HandSettled) for each in ended.happened)


def test_the_same_text_gives_the_same_choices_and_another_one_others() -> None:
    at = next(each.version for each in match() if each.event.TYPE == "dealt") + 1
    at = max(at, first_play().version)
    one, same, other = (file_of(play_on(leave(match(), at), BOTS["random"], seed)) for seed in ("1", "1", "2"))
    assert one == same
    assert one != other


def test_a_refused_act_leaves_the_scratch_table_as_it_was() -> None:
    scratch = leave(match(), first_play().version)
    turn = scratch.table.waiting[0]
    with pytest.raises(Refused):
        act(scratch, Play((turn + 1) % 4, ("3S",)))
    assert scratch.happened == ()


def test_it_leaves_only_while_a_hand_is_played_and_between_commands() -> None:
    with pytest.raises(Refused, match="No hand is being played"):
        leave(match(), 3)
    with pytest.raises(Unreadable, match="no event 99999"):
        leave(match(), 99_999)
    started = next(each.version for each in match() if each.event.TYPE == "hand-started")
    with pytest.raises(Unreadable, match="in the middle"):
        leave(match(), started)


def test_cards_that_nobody_can_know_yet_are_not_made_up() -> None:
    """A stepwise deal that is not over and whose seed is not revealed."""
    events = match("ningxia")
    at = next(each.version for each in events if isinstance(each.event, CardsDealt))
    with pytest.raises(Refused, match="unknown until the seed"):
        leave(events[:at], at)


def test_in_a_running_climbing_hand_all_cards_are_known() -> None:
    at = first_play().version
    scratch = play_on(leave(match()[:at], at), BOTS["greedy"], "1")
    assert scratch.over
    assert recorded_result(scratch, match()[:at]) is None


def test_the_real_seed_is_not_given_away() -> None:
    scratch = play_on(leave(match(), first_play().version), BOTS["greedy"], "1")
    real = {each.event.seed for each in match() if isinstance(each.event, SeedRevealed)}
    shown = {each.event.seed for each in scratch.happened if isinstance(each.event, SeedRevealed)}
    assert shown
    assert not shown & real


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_line_of_a_scratch_file_can_be_read_as_a_record(ruleset: str) -> None:
    scratch = play_on(leave(match(ruleset), first_play(ruleset).version), BOTS["greedy"], "1")
    lines = file_of(scratch).splitlines()
    assert scratch.table.id.startswith(PREFIX)
    for line in lines:
        raw = orjson.loads(line)
        assert raw["source"] == f"/scratch/{scratch.table.id}"
        assert raw["whatif"] == f"{match(ruleset)[0].table}:{scratch.origin.at}"
        with pytest.raises(Unreadable):
            read_line(line)
    assert "what-if" in verify_file(file_of(scratch)).faults[0].en
    assert not verify_lines(lines).clean
    assert b"NOT A RECORD" in lines[0]
    assert b"NOT A RECORD" in lines[-1]


def test_it_cannot_be_put_behind_the_record_either() -> None:
    """Not as it is, and not when somebody dresses its events as the table's: neither chain nor seed are the record's."""
    at = first_play().version
    scratch = play_on(leave(match(), at), BOTS["greedy"], "1")
    before = [each.line for each in match()[:at]]
    assert verify_lines([*before, *file_of(scratch).splitlines()[1:-1]]).faults[0].version == at + 1
    dressed = [each.line for each in scratch.happened]
    assert verify_lines([*before, *dressed]).faults[0].version == at + 1
    own = canonical(
        {**orjson.loads(dressed[0]), "source": f"/tables/{match()[0].table}", "id": f"{match()[0].table}:{at + 1}"}
    )
    assert not verify_lines([*before, own]).clean
    assert scratch.happened[0].prev not in {each.hash for each in match()}


def test_its_chain_is_whole_and_begins_with_its_header() -> None:
    lines = file_of(play_on(leave(match(), first_play().version), BOTS["greedy"], "1")).splitlines()
    for before, line in pairwise(lines[:-1]):
        assert orjson.loads(line)["prev"] == digest(before)
    assert orjson.loads(lines[-1])["data"]["sha256"] == digest(b"".join(line + b"\n" for line in lines[:-1]))


def test_the_record_itself_stays_as_it_is() -> None:
    data = match_file([each.line for each in match()])
    play_on(leave(match(), first_play().version), BOTS["greedy"], "1")
    assert verify_file(data).clean
    assert replay(map(read_line, read_match(data).lines)).id == match()[0].table
