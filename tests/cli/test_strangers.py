"""Files come from strangers: nothing that stands in one can move the cursor, begin a line, or look like a word of the command's own."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemas.canonical import GENESIS, canonical, digest
from schemas.envelope import Recorded, read_line, record
from schemas.matchfile import match_file
from tests.domain.test_golden_matches import FOLDER
from tests.kit.house import shuangkou
from tests.kit.proofs import lines_of, ring

EVIL = "x\n✓ good.ndjson: sim: 链 chain\r\x1b[2J\x1b[32m\u202e"
HARMLESS = "x\\n✓ good.ndjson: sim: 链 chain\\r\\x1b[2J\\x1b[32m\\u202e"


def renamed(name: str) -> bytes:
    """A match in which the first player has another name all along, chained anew."""
    made: list[Recorded] = []
    for line in lines_of("jj", hands=1):
        raw: Any = json.loads(line)
        words = json.dumps(raw["data"]).replace(json.dumps("east"), json.dumps(name))
        each = read_line(canonical({**raw, "data": json.loads(words)}))
        prev = made[-1].hash if made else GENESIS
        made.append(record(each.table, each.version, prev, each.time, each.command, each.event))
    return match_file([each.line for each in made])


def with_field(at: int, **fields: Any) -> bytes:
    """A match with something more in one of its events, chained anew; `data` for what is to be in its data."""
    header, *events, proof = (FOLDER / "jj.ndjson").read_bytes().splitlines()
    lines, prev = [header], GENESIS
    for number, line in enumerate(events, 1):
        raw: Any = json.loads(line) | {"prev": prev}
        if number == at:
            raw |= {**fields, "data": raw["data"] | fields.get("data", {})}
        lines.append(canonical(raw))
        prev = digest(lines[-1])
    return b"".join(line + b"\n" for line in (*lines, proof))


def test_a_name_of_a_player_is_shown_escaped(tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    path.write_bytes(renamed(EVIL))
    event = next(n for n, line in enumerate(lines_of("jj", hands=1), 1) if b"shuangkou.played" in line)
    for command in (
        ("verify",),
        ("show", "--at", "6"),
        ("show", "--at", str(event), "--options"),
        ("replay",),
        ("explain", "--hand", "1"),
        ("readjudicate", "--ruleset", "huopin"),
        ("whatif", "--at", str(event), "--bots", "greedy"),
    ):
        done = shuangkou(command[0], str(path), *command[1:], data=tmp_path)
        said = done.stdout + done.stderr
        assert done.returncode == 1, command
        assert "\x1b" not in said, command
        assert "\u202e" not in said, command
        assert not any(line.startswith("✓ good") for line in said.splitlines()), command
        assert "DEBUG" not in said, command


@pytest.mark.parametrize("name", ["[bold]x", "[/]", ":smiley:", "[link=http://x]"])
def test_a_name_that_looks_like_markup_is_shown_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    path.write_bytes(renamed(name))
    for command in (("show",), ("replay",), ("explain", "--hand", "1"), ("readjudicate", "--ruleset", "huopin")):
        done = shuangkou(command[0], str(path), *command[1:], data=tmp_path)
        assert done.returncode == 0, done.stderr
        assert name in done.stdout, command


@pytest.mark.parametrize("fields", [{EVIL: 1}, {"data": {EVIL: 1}}, {"time": EVIL}, {"type": EVIL}, {"source": EVIL}])
def test_a_name_of_a_field_is_shown_escaped(fields: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    path.write_bytes(with_field(3, **fields))
    for command in (("verify", str(path)), ("show", str(path)), ("explain", str(path), "--hand", "1")):
        done = shuangkou(*command, data=tmp_path)
        said = done.stdout + done.stderr
        assert done.returncode == 1
        assert HARMLESS in said or "is not an event" in said
        assert "\x1b" not in said
        assert not any(line.startswith("✓") for line in said.splitlines())


def test_a_receipt_of_a_player_who_cannot_be_is_not_accepted(tmp_path: Path) -> None:
    from domain.proofs.receipts import finished_hands, sign_receipt

    hand = next(finished_hands(map(read_line, lines_of())))
    evil = hand.end.model_copy(update={"players": (EVIL, *hand.start.players[1:])})
    path = tmp_path / "r.json"
    for end, status in ((hand.end, 0), (evil, 1)):
        path.write_text(sign_receipt(replace(hand, end=end), ring()).model_dump_json())
        done = shuangkou("verify", str(path), data=tmp_path)
        assert done.returncode == status, done.stdout
        assert "\x1b" not in done.stdout
    assert "is no name that a player can have" in done.stdout
