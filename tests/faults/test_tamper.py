"""The tamper drill: signed matches are changed at random, in every way we could think of, and each change is found at the right place.

An event that was changed and left so is named itself. One that was changed with everything after it chained anew is somewhere in the
range of events that the fault names: receipts and checkpoint show up to where the events are as they were signed.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import orjson
import pytest

from domain.proofs.sealing import sealed_match
from domain.verify import Fault, Report, verify_file
from schemas.canonical import canonical, digest
from schemas.envelope import open_line
from schemas.matchfile import MatchFile, header_of, keys_of, proof_of, read_match, seal_of
from schemas.notation import Unreadable
from tests.kit.proofs import key, lines_of, ring, signed_match, trust

MATCHES = (("huopin", True), ("basic", False), ("jj", True), ("ningxia", True))
"""Rulesets of the matches, and whether a checkpoint covers their first hand."""
CHANGES = 48
"""So many changes of each kind."""
BROKEN = {"unreadable", "missing", "duplicated", "reordered", "changed", "chain"}
"""Faults of a chain that was broken."""


@dataclass(frozen=True)
class Tampered:
    """A changed file, the first event that is not what it was (None: header, proof or the file as a whole), what else may be named."""

    data: bytes
    event: int | None
    kinds: frozenset[str] = frozenset()


@cache
def whole(number: int) -> bytes:
    ruleset, checkpoint = MATCHES[number % len(MATCHES)]
    return signed_match(ruleset, "drill", checkpoint=checkpoint)


def parts(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def joined(lines: list[bytes]) -> bytes:
    return b"\n".join([*lines, b""])


def event_at(data: bytes, at: int) -> int | None:
    """The event to which a byte belongs; its newline counts as its own."""
    line = data.count(b"\n", 0, at)
    return line if 0 < line < data.count(b"\n") - 1 else None


def verified(data: bytes) -> Report:
    return verify_file(data, trust(ring()))


def check(tampered: Tampered) -> Fault:
    """The fault that is found; it must be where it is."""
    report = verified(tampered.data)
    assert report.faults, f"not found: {tampered.event}"
    (fault,) = report.faults
    assert str(fault)
    said = f"changed {tampered.event}, found: {fault}"
    if tampered.event is None:
        assert fault.version is None, said
    else:
        assert fault.version is not None, said
        assert fault.version <= tampered.event <= (fault.until or fault.version), said
    if tampered.kinds:
        assert fault.kind in tampered.kinds, said
    return fault


@pytest.mark.parametrize("ruleset", [ruleset for ruleset, _ in MATCHES])
def test_an_honest_match_is_clean(ruleset: str) -> None:
    number = [each for each, _ in MATCHES].index(ruleset)
    report = verified(whole(number))
    assert report.faults == ()
    assert report.signed is not None
    assert report.signed.pinned
    assert report.signed.receipts == 2
    assert (report.signed.checkpoint is not None) == MATCHES[number][1]


def flip_a_bit(data: bytes, chance: random.Random) -> Tampered:
    at = chance.randrange(len(data))
    byte = data[at] ^ (1 << chance.randrange(8))
    return Tampered(data[:at] + bytes([byte]) + data[at + 1 :], event_at(data, at))


def replace_a_byte(data: bytes, chance: random.Random) -> Tampered:
    at = chance.randrange(len(data))
    byte = chance.choice([each for each in b'0123456789abcdefSHCD"{}[],: \n\x00\xff' if each != data[at]])
    return Tampered(data[:at] + bytes([byte]) + data[at + 1 :], event_at(data, at))


def remove_a_byte(data: bytes, chance: random.Random) -> Tampered:
    at = chance.randrange(len(data))
    return Tampered(data[:at] + data[at + 1 :], event_at(data, at))


def drop_a_line(data: bytes, chance: random.Random) -> Tampered:
    lines = parts(data)
    at = chance.randrange(1, len(lines) - 1)
    del lines[at]
    return Tampered(joined(lines), at, frozenset({"missing"}))


def double_a_line(data: bytes, chance: random.Random) -> Tampered:
    lines = parts(data)
    at = chance.randrange(1, len(lines) - 1)
    lines.insert(chance.randrange(at + 1, len(lines)), lines[at])
    return Tampered(joined(lines), at, frozenset({"duplicated"}))


def swap_two_lines(data: bytes, chance: random.Random) -> Tampered:
    lines = parts(data)
    a, b = sorted(chance.sample(range(1, len(lines) - 1), 2))
    lines[a], lines[b] = lines[b], lines[a]
    return Tampered(joined(lines), a, frozenset({"reordered"}))


def change_a_line(data: bytes, chance: random.Random) -> Tampered:
    """A field is changed and the line written in canonical form; the rest is left as it was."""
    lines = parts(data)
    at = chance.randrange(1, len(lines) - 1)
    lines[at] = another(lines[at], chance)
    return Tampered(joined(lines), at, frozenset({*BROKEN, "forged"}))


def put_in_the_line_of_another_match(data: bytes, chance: random.Random) -> Tampered:
    lines = parts(data)
    other = lines_of("huopin", "another")
    at = chance.randrange(1, min(len(lines) - 1, len(other)))
    lines[at] = other[at - 1]
    return Tampered(joined(lines), at, frozenset(BROKEN))


def cut_the_end(data: bytes, chance: random.Random) -> Tampered:
    """Events are taken from the end, header and proof are left."""
    lines = parts(data)
    left = chance.randrange(1, len(lines) - 2)
    return Tampered(joined([*lines[: left + 1], lines[-1]]), left + 1, frozenset({"missing"}))


def cut_the_file(data: bytes, chance: random.Random) -> Tampered:
    return Tampered(data[: chance.randrange(1, len(data) - 1)], None, frozenset({"shape"}))


def chain_anew(data: bytes, chance: random.Random) -> Tampered:
    """An event is changed, all after it are chained anew, header and proof are made to fit. Only the signatures cannot be."""
    match = read_match(data)
    at = chance.randrange(len(match.lines))
    lines = rechained([*match.lines[:at], another(match.lines[at], chance), *match.lines[at + 1 :]], at)
    return Tampered(reframed(match, lines), at + 1, frozenset({"forged", "unreadable"}))


def chain_anew_a_shorter_match(data: bytes, chance: random.Random) -> Tampered:
    """Events are taken from the end, and header and proof are made to fit."""
    match = read_match(data)
    left = chance.randrange(1, len(match.lines) - 1)
    return Tampered(reframed(match, list(match.lines[:left])), left + 1, frozenset({"forged", "missing"}))


def take_the_proof_of_another_match(data: bytes, chance: random.Random) -> Tampered:
    other = parts(signed_match("huopin", chance.choice(("another", "and another"))))
    lines = parts(data)
    if chance.random() < 0.5:
        lines[0] = other[0]
        return Tampered(joined(lines), None, frozenset({"shape"}))
    lines[-1] = other[-1]
    count = orjson.loads(other[-1])["data"]["events"]
    n = len(lines) - 2
    return Tampered(joined(lines), n if count == n else min(count, n) + 1)


def another(line: bytes, chance: random.Random) -> bytes:
    """The event with one of its values changed, still of its shape."""
    raw = orjson.loads(line)
    data = raw["data"]
    for _ in range(20):
        name = chance.choice(["time", "command", *data])
        if name == "time":
            raw["time"] = f"2031-01-01T00:00:00.{chance.randrange(1000):03d}Z"
        elif name == "command":
            raw["command"] = f"forged-{chance.randrange(10**6)}"
        else:
            data[name] = changed(data[name], chance)
        if canonical(raw) != line:
            try:
                _ = open_line(canonical(raw)).recorded
            except Unreadable:
                raw = orjson.loads(line)
                data = raw["data"]
            else:
                return canonical(raw)
    raw["time"] = "2031-01-01T00:00:00.000Z"
    return canonical(raw)


def changed(value: object, chance: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 2))
    if isinstance(value, str):
        return value[:-1] + chance.choice("0123456789abcdef")
    if isinstance(value, list) and value:
        return [changed(value[0], chance), *value[1:]] if chance.random() < 0.7 else value[1:]
    return value


def rechained(lines: list[bytes], at: int) -> list[bytes]:
    """The lines with every hash after the changed one made to fit, and times that do not run backwards."""
    time = orjson.loads(lines[at])["time"]
    for index in range(at + 1, len(lines)):
        raw = orjson.loads(lines[index])
        raw["prev"], raw["time"] = digest(lines[index - 1]), max(time, raw["time"])
        lines[index] = canonical(raw)
    return lines


def reframed(match: MatchFile, lines: list[bytes]) -> bytes:
    """A file with these events, with keys, receipts, checkpoint and signatures of the old one."""
    keys, seal = keys_of(match), seal_of(match)
    assert keys is not None
    assert seal is not None
    try:
        header = header_of(lines, keys)
    except Unreadable:  # the first event was forged into another
        header = match.header
    body = joined([header, *lines])
    return body + proof_of(body, lines, seal) + b"\n"


WAYS: tuple[Callable[[bytes, random.Random], Tampered], ...] = (
    flip_a_bit,
    replace_a_byte,
    remove_a_byte,
    drop_a_line,
    double_a_line,
    swap_two_lines,
    change_a_line,
    put_in_the_line_of_another_match,
    cut_the_end,
    cut_the_file,
    chain_anew,
    chain_anew_a_shorter_match,
    take_the_proof_of_another_match,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_change_is_found_where_it_is(way: Callable[[bytes, random.Random], Tampered]) -> None:
    for number in range(CHANGES):
        chance = random.Random(f"{way.__name__} {number}")
        check(way(whole(number), chance))


def test_a_whole_match_made_up_by_somebody_else_is_not_signed_by_the_key_that_is_pinned() -> None:
    forged = sealed_match(lines_of("huopin", "made up"), ring(key(9)))
    (fault,) = verified(forged).faults
    assert fault.kind == "signature"
    assert key(9).public.id in fault.en
    honest_looking = verify_file(forged)
    assert honest_looking.clean
    assert honest_looking.signed is not None
    assert not honest_looking.signed.pinned
