"""The rules filter's trump operations: every recorded question has the recorded answer, and a bad line is told which field is bad."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.cli.rules_trumps import OPS

VECTORS = Path(__file__).parents[2] / "golden" / "vectors" / "trumps.jsonl"
LINES: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("op", ["split", "throw", "follow", "winner"])
def test_every_recorded_question_has_the_recorded_answer(op: str) -> None:
    lines = [line for line in LINES if line["op"] == op]
    assert lines
    for line in lines:
        question = {name: value for name, value in line.items() if name != "expect"}
        answer = OPS[op](question)
        assert (answer["parts"] if op == "split" else answer) == line["expect"], question


BASE: dict[str, Any] = {"ruleset": "ningxia", "level": "7", "trump": "H"}
RESULT: dict[str, Any] = {**BASE, "points": 95, "kitty": 15, "last_trick": "4S 4S", "last_trick_won_by": "attackers"}


def test_split_by_the_contract() -> None:
    assert OPS["split"]({**BASE, "cards": "6S 6S 8S 8S 9S"}) == {
        "legal": True,
        "suit": "S",
        "parts": [{"kind": "tractor", "cards": "6S 6S 8S 8S"}, {"kind": "single", "cards": "9S"}],
    }
    assert OPS["split"]({**BASE, "cards": "7S BJ"})["suit"] == "T"
    assert OPS["split"]({**BASE, "cards": "9S 9H"}) == {"legal": False, "reason": "mixed_suits"}


def test_throw_by_the_contract() -> None:
    thrown = {**BASE, "cards": "9S 8S 8S 4S 4S", "others": ["JS", "", "3S"]}
    assert OPS["throw"](thrown) == {"legal": True, "holds": False, "lead": "9S"}
    assert OPS["throw"]({**BASE, "cards": "9S", "others": ["JS", "", ""]}) == {"legal": True, "holds": True}
    assert OPS["throw"]({**BASE, "cards": "9S 9D", "others": ["", "", ""]}) == {"legal": False, "reason": "mixed_suits"}


@pytest.mark.parametrize(
    ("cards", "answer"),
    [
        ("3S 3S", {"legal": True}),
        ("9D 9D", {"legal": False, "reason": "not_in_hand"}),
        ("3S", {"legal": False, "reason": "wrong_number"}),
        ("3S KD", {"legal": False, "reason": "must_follow_suit"}),
        ("3S 9S", {"legal": False, "reason": "must_follow_pair"}),
    ],
)
def test_follow_by_the_contract(cards: str, answer: dict[str, object]) -> None:
    assert OPS["follow"]({**BASE, "lead": "AS AS", "hand": "3S 3S 9S KD", "cards": cards}) == answer


def test_winner_by_the_contract() -> None:
    assert OPS["winner"]({**BASE, "plays": ["TS", "5S", "2H", "KS"]}) == {"winner": 2, "points": 25}


def test_result_by_the_contract() -> None:
    answer = OPS["result"](dict(RESULT))
    why = answer.pop("why")
    assert answer == {
        "points": 155,
        "declarers": -2,
        "attackers": 2,
        "levels": {"declarers": 0, "attackers": 1},
        "take_over": True,
    }
    assert isinstance(why, list)
    assert [item["kind"] for item in why][:4] == ["points", "kitty", "multiplier", "total"]
    assert json.loads(json.dumps(why)) == why


BAD = [
    ("split", {**BASE}, "cards: is missing"),
    ("split", {**BASE, "cards": 7}, "cards: must be a text, not 7"),
    ("split", {**BASE, "cards": "9S XX"}, "cards: 'XX' is not a card"),
    ("split", {**BASE, "cards": ""}, "cards: names no card"),
    ("split", {**BASE, "cards": "9S 9S 9S"}, "cards: 9S 9S 9S is 3 times the same card"),
    ("split", {"level": "7", "trump": "H", "cards": "9S"}, "ruleset: is missing"),
    ("split", {**BASE, "ruleset": "jj", "cards": "9S"}, "ruleset: no trumps ruleset 'jj'"),
    ("split", {"ruleset": "ningxia", "level": "7", "cards": "9S"}, "trump: is missing"),
    ("split", {**BASE, "level": "X", "cards": "9S"}, "level: 'X' is not a level"),
    ("split", {**BASE, "trump": "T", "cards": "9S"}, "trump: 'T' is not a suit"),
    ("throw", {**BASE, "cards": "9S", "others": ["JS"]}, "others: must be a list of 3 texts"),
    ("throw", {**BASE, "cards": "9S", "others": ["JS", "9S", "9S"]}, "cards and others: 9S 9S 9S is 3 times"),
    ("follow", {**BASE, "lead": "9S 9D", "hand": "3S", "cards": "3S"}, "lead: 9S 9D are of several suits"),
    ("winner", {**BASE, "plays": ["9S", "3S", "4S"]}, "plays: must be a list of 4 texts"),
    ("winner", {**BASE, "plays": ["9S", "3S", "4S", "5S 6S"]}, "plays: play 3 has 2 cards, but 1 were led"),
    ("winner", {**BASE, "plays": ["9S", "3S", "4S", ""]}, "plays: names no card"),
    ("winner", {**BASE, "plays": ["9S 9H", "3S 3S", "4S 4S", "5S 5S"]}, "plays: the first: 9S 9H are of several suits"),
    ("result", {**RESULT, "points": 7}, "points: must be a whole number of points, a multiple of 5, not 7"),
    ("result", {**RESULT, "points": True}, "points: must be"),
    ("result", {**RESULT, "kitty": -5}, "kitty: cannot hold -5 points"),
    ("result", {**RESULT, "kitty": 205}, "kitty: cannot hold 205 points"),
    ("result", {**RESULT, "points": 10**15}, "points: two packs hold 200"),
    ("result", {**RESULT, "points": -205}, "points: two packs hold 200"),
    ("result", {**RESULT, "last_trick_won_by": "nobody"}, 'last_trick_won_by: must be "declarers" or "attackers"'),
    ("result", {**RESULT, "last_trick": "4S 4D"}, "last_trick: 4S 4D are of several suits"),
]


@pytest.mark.parametrize(("op", "line", "message"), BAD)
def test_a_bad_line_is_told_which_field_is_bad(op: str, line: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        OPS[op](line)
    assert str(caught.value).startswith(message)
