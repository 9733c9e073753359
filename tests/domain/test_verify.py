"""Whatever is changed in a match file, verification finds it and names the event."""

import random
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.climbing import rulesets
from domain.shuffle import commitment
from domain.simulate import simulate
from domain.verify import verify_file, verify_lines
from schemas.canonical import canonical, digest
from schemas.envelope import Recorded, read_line, record
from schemas.events import Dealt, Event, HandScored, HandStarted, Played, SeedRevealed
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


def test_the_bytes_of_a_seed_are_these_on_every_machine_and_python() -> None:
    """If this fails, matches of before can no longer be simulated again: a changed rule, event or draw needs a new version."""
    data = match_file([each.line for each in simulate("huopin", 4, "1")])
    assert digest(data) == "4546f2c3baa495af50c7321249ee655d85875eefd4e4de677362c5dcfb074531"


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


def running(change: dict[str, object], kind: type[Event]) -> list[bytes]:
    """A match whose second hand is still played, with one event of its start changed and everything chained anew."""
    at = max(index for index, each in enumerate(match()) if isinstance(each.event, kind))
    end = max(index for index, each in enumerate(match()) if isinstance(each.event, HandScored))
    return forged(change, at)[: end - 20]


def test_a_running_hand_is_clean_but_for_its_deal() -> None:
    report = verify_lines(running({}, HandStarted))
    assert report.clean
    assert len(report.notes) == 1


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (HandStarted, {"hand": 9}),
        (HandStarted, {"hand": -5}),
        (HandStarted, {"ruleset": "jj"}),
        (HandStarted, {"players": ("east", "east", "east", "east")}),
        (HandStarted, {"commitment": "trust me"}),
        (Dealt, {"hand": 99}),
        (Dealt, {"leader_by": "drawn"}),
        (Dealt, {"face_up": {"position": -1, "card": "ZZ", "seat": 0}}),
        (Dealt, {"face_up": None}),
    ],
)
def test_the_start_of_a_running_hand_is_what_the_table_makes_of_it(
    kind: type[Event], change: dict[str, object]
) -> None:
    at = max(index for index, each in enumerate(match()) if isinstance(each.event, kind))
    fault = verify_lines(running(change, kind)).faults[0]
    assert fault.version in (at, at + 1)


def test_a_deal_cannot_hide_behind_another_number_of_the_hand() -> None:
    """A hand that is over must have its seed revealed under its own number, whatever its events call it."""
    lines: list[bytes] = []
    prev = "0" * 64
    for each in match():
        data = each.event.model_dump()
        event = type(each.event).model_validate({**data, "hand": 9} if data.get("hand") == 1 else data)
        if isinstance(event, HandStarted) and event.hand == 9:
            event = event.model_copy(update={"commitment": commitment("5" * 64, each.table, 9)})
        elif isinstance(event, SeedRevealed) and event.hand == 9:
            event = event.model_copy(update={"seed": "5" * 64})
        again = record(each.table, each.version, prev, each.time, each.command, event)
        prev = again.hash
        lines.append(again.line)
    fault = verify_lines(lines).faults[0]
    assert (fault.version, fault.kind) == (index_of(HandStarted) + 1, "shuffle")


@pytest.mark.parametrize("number", [2, 9])
def test_a_hand_that_begins_by_another_number_is_named_where_it_begins(number: int) -> None:
    at = index_of(HandStarted)
    fault = verify_lines(forged({"hand": number}, at)).faults[0]
    assert (fault.version, fault.kind) == (at + 1, "shuffle")
    assert "Hand 1 begins here by another number" in fault.en


def test_where_no_table_is_known_it_says_so() -> None:
    assert str(verify_lines([b"x"]).faults[0]).startswith("event ?:1: unreadable: ")


@pytest.mark.parametrize("number", [2**53, 2**63, 2**64, 10**30])
def test_numbers_beyond_the_standard_are_unreadable_not_a_stumble(number: int) -> None:
    lines = [each.line for each in match()]
    lines[9] = lines[9].replace(b'"version":10}', b'"version":%d}' % number)
    assert verify_lines(lines).faults[0].version == 10


@pytest.mark.parametrize("command", ["", "a b", "x" * 201, "\x1b[31m", "列"])
def test_ids_of_commands_can_be_printed(command: str) -> None:
    first = match()[0]
    line = record(first.table, 1, "0" * 64, first.time, command, first.event).line
    assert "command" in verify_lines([line]).faults[0].en


@pytest.mark.parametrize("time", ["9999-99-99T99:99:99.999Z", "٢٠٢٦-01-01T00:00:00.000Z", "2026-02-30T00:00:00.000Z"])
def test_times_are_times(time: str) -> None:
    first = match()[0]
    line = record(first.table, 1, "0" * 64, time, first.command, first.event).line
    assert "time" in verify_lines([line]).faults[0].en


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (Played, {"data": {"cards": ["3S"] * 9_000}}),
        (Played, {"data": {"cards": ["x" * 9_000]}}),
        (Played, {"data": {"x" * 9_000: 1}}),
        (Played, {"type": "x" * 9_000}),
        (Played, {"x" * 9_000: 1}),
    ],
    ids=["cards", "card", "field", "type", "attribute"],
)
def test_a_fault_quotes_only_the_beginning_of_what_is_long(kind: type[Event], change: dict[str, Any]) -> None:
    lines, prev = list[bytes](), "0" * 64
    at = index_of(kind)
    for index, each in enumerate(match()):
        raw = orjson.loads(each.line) | {"prev": prev}
        if index == at:
            raw |= {**change, "data": raw["data"] | change.get("data", {})}
        lines.append(canonical(raw))
        prev = digest(lines[-1])
    fault = verify_lines(lines).faults[0]
    assert fault.version == at + 1
    assert len(fault.en + fault.zh) < 400
