"""The rules filter on climbing lines: answers in order, errors that name what is wrong, and it goes on."""

import io
import json

import pytest

from services.cli.rules import answer, run_filter


def ask(line: object, default: str | None = "huopin") -> dict[str, object]:
    found: dict[str, object] = json.loads(answer(json.dumps(line).encode(), default))
    return found


def test_read_answers_with_the_whole_reading() -> None:
    reading = {"pattern": "bomb", "rank": "7", "cards": 5, "groups": 1, "stars": 5, "stands_for": ["7"]}
    assert ask({"op": "read", "ranks": "7 7 7 7 BJ", "lead": None}) == {"legal": True, "reading": reading}
    assert ask({"op": "read", "cards": "7S 7H 7C 7D BJ"}) == {"legal": True, "reading": reading}
    assert ask({"op": "read", "ranks": "7 7 7 7", "lead": reading}) == {"legal": False, "reason": "does_not_beat"}
    assert ask({"op": "read", "ranks": "7 8", "lead": reading}) == {"legal": False, "reason": "no_pattern"}
    assert ask({"op": "read", "ranks": ""}) == {"legal": False, "reason": "no_pattern"}


def test_options_come_weakest_first() -> None:
    options = ask({"op": "options", "hand": "3S 3H 4D BJ", "lead": None})["options"]
    assert isinstance(options, list)
    assert [option["ranks"] for option in options] == ["3", "3 3", "3 BJ", "3 3 BJ", "4", "4 BJ", "BJ"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([], "one JSON object"),
        ({}, "op"),
        ({"op": "bid"}, "bid"),
        ({"op": "read", "ruleset": "poker", "ranks": "3"}, "there are basic"),
        ({"op": "read", "ruleset": ["jj"], "ranks": "3"}, "ruleset"),
        ({"op": "read"}, "cards"),
        ({"op": "read", "ranks": 3}, "ranks"),
        ({"op": "read", "ranks": "3 1"}, "'1' is not a rank"),
        ({"op": "read", "cards": "3"}, "'3' is not a card"),
        ({"op": "read", "cards": "3S 3S 3S"}, "3S"),
        ({"op": "read", "ranks": "BJ " * 19}, "19 cards of rank BJ"),
        ({"op": "read", "ranks": "3", "lead": "4"}, "lead"),
        ({"op": "read", "ranks": "3", "lead": {"pattern": "pair"}}, "lead"),
        (
            {"op": "read", "ranks": "3", "lead": {"pattern": "bomb", "rank": "4", "cards": 4, "groups": 1, "stars": 9}},
            "lead",
        ),
        (
            {"op": "read", "ranks": "3", "lead": {"pattern": [], "rank": {}, "cards": 4, "groups": 1, "stars": 9}},
            "lead",
        ),
        ({"op": "settle", "finish": [0, 1, 2], "plays": []}, "finish"),
        ({"op": "settle", "finish": [0, 1, 2, 3], "plays": 3}, "plays"),
        ({"op": "settle", "finish": [0, 1, 2, 3], "plays": [{"seat": 4}]}, "plays"),
    ],
    ids=str,
)
def test_what_is_not_valid_is_answered_with_an_error(line: object, said: str) -> None:
    found = ask(line)
    assert list(found) == ["error"]
    assert said in str(found["error"])


def test_the_filter_goes_on_after_an_error_and_keeps_the_order() -> None:
    nested = b'{"op":"read","cards":' + b"[" * 1_000 + b"]" * 1_000 + b"}"
    lines = [b'{"op":"read","ranks":"3"}', b"no json", nested, b'{"op":"read","ranks":"3 4"}']
    out = io.BytesIO()
    run_filter(io.BytesIO(b"\n".join(lines)), out, "basic")
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [next(iter(found)) for found in answers] == ["legal", "error", "error", "legal"]
    assert answers[3] == {"legal": False, "reason": "no_pattern"}


def test_lines_longer_than_what_arrives_at_once() -> None:
    line = json.dumps({"op": "read", "ranks": " " * 200_000 + "3"}).encode()
    out = io.BytesIO()
    run_filter(io.BytesIO(line + b"\n" + line), out, "basic")
    assert [json.loads(found)["legal"] for found in out.getvalue().splitlines()] == [True, True]
