"""Whatever is changed in a match file, verification finds it and names the event."""

import random
from functools import cache

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.climbing import rulesets
from domain.simulate import simulate
from domain.verify import verify_file, verify_lines
from schemas.canonical import canonical
from schemas.envelope import Recorded, read_line, record
from schemas.events import Event, HandScored, Played, SeedRevealed
from schemas.matchfile import match_file, read_match


@cache
def match(ruleset: str = "huopin", hands: int = 2) -> tuple[Recorded, ...]:
    return tuple(simulate(ruleset, hands, "a dispute"))


@cache
def file(ruleset: str = "huopin") -> bytes:
    return match_file([each.line for each in match(ruleset)])


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in rulesets.all_rulesets()])
def test_an_honest_match_verifies(ruleset: str) -> None:
    report = verify_file(file(ruleset))
    assert report.faults == ()
    assert (report.hands, report.events) == (2, len(match(ruleset)))


def test_the_same_seed_gives_the_same_bytes() -> None:
    again = match_file([each.line for each in simulate("huopin", 2, "a dispute")])
    assert again == file()
    other = match_file([each.line for each in simulate("huopin", 2, "another")])
    assert other != again


@given(st.data())
def test_every_changed_byte_is_found(data: st.DataObject) -> None:
    original = file()
    at = data.draw(st.integers(0, len(original) - 1), label="at")
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != original[at]), label="byte")
    report = verify_file(original[:at] + bytes([byte]) + original[at + 1 :])
    assert not report.clean


@given(st.integers(0, 10**9), st.sampled_from(["drop", "duplicate", "swap", "cut"]))
def test_every_dropped_doubled_swapped_or_cut_line_is_found(seed: int, how: str) -> None:
    lines = file().splitlines(keepends=True)
    at = random.Random(seed).randrange(len(lines) - 1)
    if how == "drop":
        del lines[at]
    elif how == "duplicate":
        lines.insert(at, lines[at])
    elif how == "swap":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        lines = lines[:at]
    assert not verify_file(b"".join(lines)).clean


@pytest.mark.parametrize("at", [5, 40, 100, -1])
def test_a_changed_event_is_named(at: int) -> None:
    lines = [each.line for each in match()]
    raw = orjson.loads(lines[at])
    raw["time"] = "2031-01-01T00:00:00.000Z"
    changed = read_line(lines[at]).version
    lines[at] = canonical(raw)
    if at == -1:
        original = read_match(file())
        data = b"\n".join([original.header, *lines, original.proof, b""])
        fault = verify_file(data).faults[0]
    else:
        fault = verify_lines(lines).faults[0]
    assert fault.version == changed


def test_a_missing_event_and_a_reordered_one_are_told_apart() -> None:
    lines = [each.line for each in match()]
    assert verify_lines(lines[:20] + lines[21:]).faults[0].kind == "missing"
    assert verify_lines([*lines[:20], lines[21], lines[20], *lines[22:]]).faults[0].kind == "reordered"
    assert verify_lines(lines[:20] + lines[21:]).faults[0].version == 21


def forged(change: dict[str, object], at: int) -> list[bytes]:
    """The match with one event changed and everything after it chained anew, as a forger without a rule book would."""
    lines: list[bytes] = []
    prev = "0" * 64
    for index, each in enumerate(match()):
        event: Event = each.event
        if index == at:
            event = type(event).model_validate({**event.model_dump(), **change})
        forged = record(each.table, each.version, prev, each.time, each.command, event)
        prev = forged.hash
        lines.append(forged.line)
    return lines


def index_of(kind: type[Event]) -> int:
    return next(index for index, each in enumerate(match()) if isinstance(each.event, kind))


@pytest.mark.parametrize(
    ("kind", "change", "clause", "field"),
    [
        (HandScored, {"score": (99, -99, 99, -99)}, "C6", "score"),
        (HandScored, {"multiplier": 16}, "C6", "multiplier"),
        (Played, {"left": 3}, "C3", "left"),
        (SeedRevealed, {"seed": "0" * 64}, "C2", "seed"),
    ],
)
def test_a_forgery_with_a_whole_chain_is_found_by_the_rules(
    kind: type[Event], change: dict[str, object], clause: str, field: str
) -> None:
    at = index_of(kind)
    fault = verify_lines(forged(change, at)).faults[0]
    assert fault.version == at + 1
    assert fault.clause == clause
    assert field in fault.en


def test_cards_out_of_turn_are_illegal() -> None:
    at = index_of(Played)
    seat = match()[at].event.model_dump()["seat"]
    fault = verify_lines(forged({"seat": (seat + 1) % 4}, at)).faults[0]
    assert (fault.version, fault.kind, fault.clause) == (at + 1, "illegal", "C5.6")


def test_time_does_not_run_backwards() -> None:
    lines: list[bytes] = []
    prev = "0" * 64
    for each in match():
        time = "2020-01-01T00:00:00.000Z" if each.version == 9 else each.time
        again = record(each.table, each.version, prev, time, each.command, each.event)
        prev = again.hash
        lines.append(again.line)
    fault = verify_lines(lines).faults[0]
    assert (fault.version, fault.kind) == (9, "reordered")


def test_a_command_carried_out_twice_is_found() -> None:
    events = match()
    lines: list[bytes] = []
    prev = "0" * 64
    for each in events:
        command = events[0].command if each.command == events[2].command else each.command
        again = record(each.table, each.version, prev, each.time, command, each.event)
        prev = again.hash
        lines.append(again.line)
    fault = verify_lines(lines).faults[0]
    assert (fault.kind, fault.version) == ("command", 3)


def test_a_hand_being_played_is_checked_as_far_as_it_can_be() -> None:
    lines = [each.line for each in match()]
    end = index_of(HandScored) - 10
    report = verify_lines(lines[:end])
    assert report.clean
    assert "hand 1" in report.notes[0]
    cards = match()[index_of(Played)].event.model_dump()["cards"]
    fault = verify_lines(forged({"cards": (*cards, "3S", "9D")}, index_of(Played))[:end]).faults[0]
    assert fault.version == index_of(Played) + 1


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n{}\n{}\n", b"\xff\xfe", b"[1]\n[2]\n[3]\n", b"null\n" * 5])
def test_what_is_no_match_file_gets_a_clear_fault(data: bytes) -> None:
    report = verify_file(data)
    assert report.faults[0].kind in ("shape", "unreadable")


@given(st.binary(max_size=400))
def test_no_bytes_make_it_stumble(data: bytes) -> None:
    assert not verify_file(data).clean
