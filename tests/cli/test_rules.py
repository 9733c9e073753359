"""`shuangkou rules` as other programs use it, and `shuangkou rulesets`."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from domain.climbing.rulesets import all_rulesets
from domain.trumps.rulesets import all_rulesets as trumps_rulesets
from services.cli.main import app
from services.cli.rules import run_filter

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"
IDS = [ruleset.id for ruleset in all_rulesets()]
COMMAND = (sys.executable, "-m", "services.cli.main", "rules")

EIGHT_STARS = {"seat": 0, "pattern": "bomb", "cards": 8, "groups": 1, "stars": 8}


def ask(*lines: object, default: str | None = None) -> list[dict[str, Any]]:
    out = io.BytesIO()
    run_filter(io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines)), out, default)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_filter_answers_every_line_of_a_pipe_in_order() -> None:
    """All recorded questions of both families in one pipe, with lines between that are not valid."""
    texts = [(VECTORS / f"{name}.jsonl").read_text().splitlines() for name in ("read", "settle", "trumps")]
    lines = [line for text in texts for line in text]
    pipe = "\n".join(line for asked in lines for line in (asked, "no json"))
    done = subprocess.run(COMMAND, input=pipe.encode(), capture_output=True, check=True, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.stderr == b""
    assert len(answers) == 2 * len(lines)
    assert all(list(answer) == ["error"] for answer in answers[1::2])
    assert not [answer for answer in answers[::2] if "error" in answer]


def test_the_filter_answers_at_once_and_does_not_wait_for_the_end() -> None:
    """A program may write a line and wait for its answer."""
    with subprocess.Popen([*COMMAND, "--ruleset", "jj"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for ranks, legal in (("3 3", True), ("3 4", False)):
            process.stdin.write(json.dumps({"op": "read", "ranks": ranks}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["legal"] is legal
        process.stdin.close()
        assert process.wait(30) == 0


def test_a_default_ruleset_that_is_none_is_wrong_use() -> None:
    done = subprocess.run([*COMMAND, "--ruleset", "poker"], input=b"", capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert b"poker" in done.stderr
    assert b"jinbao" in done.stderr


def test_the_line_names_its_ruleset_before_the_default() -> None:
    line = {"op": "read", "ranks": "LJ BJ"}
    assert ask(line, {**line, "ruleset": "jj"}, default="basic")[0] == {"legal": False, "reason": "no_pattern"}
    assert ask(line, {**line, "ruleset": "jj"}, default="basic")[1]["legal"] is True


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"op": "read", "ranks": "3"}, "ruleset"),
        ({"op": "read", "ruleset": "jj", "cards": "3S 3S 3S"}, "cards"),
        ({"op": "read", "ruleset": "jj", "ranks": "LJ LJ LJ"}, "ranks"),
        ({"op": "read", "ruleset": "jj", "cards": "3S", "ranks": "3"}, "cards"),
        ({"op": "options", "ruleset": "jj"}, "hand"),
        ({"op": "options", "ruleset": "jj", "hand": "XX"}, "hand"),
        (
            {
                "op": "options",
                "ruleset": "jj",
                "ranks": "3",
                "lead": {"pattern": "full_house", "rank": "7", "cards": 5, "groups": 1, "stars": 0},
            },
            "lead",
        ),
        ({"op": "settle", "ruleset": "jj", "finish": [0, 2, 2, 1], "plays": []}, "finish"),
        (
            {
                "op": "settle",
                "ruleset": "jj",
                "finish": [0, 2, 3, 1],
                "plays": [{"seat": 0, "pattern": "pair", "cards": 2, "groups": 1, "stars": 0}],
            },
            "plays",
        ),
        ({"op": "settle", "ruleset": "jj", "finish": [0, 2, 3, 1], "plays": [EIGHT_STARS] * 40}, "plays"),
        ({"op": "split", "ruleset": "ningxia", "level": "7", "trump": "H"}, "cards"),
        ({"op": 7}, "op"),
        (7, "line"),
    ],
    ids=str,
)
def test_an_error_begins_with_the_field_that_is_wrong(line: object, field: str) -> None:
    (answer,) = ask(line)
    assert answer["error"].startswith(f"{field}: ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.sampled_from(["", "3", "7S BJ", "bomb", "jj", "ningxia"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["seat", "pattern", "rank"]), inner),
    max_leaves=6,
)
FIELDS = ["ruleset", "ranks", "cards", "hand", "lead", "finish", "plays", "level", "trump", "others", "points"]


@given(
    op=st.sampled_from(["read", "options", "settle", "split", "throw", "follow", "winner", "result"]),
    fields=st.dictionaries(st.sampled_from(FIELDS), VALUES),
)
def test_no_line_stops_the_filter(op: str, fields: dict[str, Any]) -> None:
    after = {"op": "read", "ruleset": "jj", "ranks": "3"}
    answers = ask({**fields, "op": op}, after)
    assert len(answers) == 2
    assert answers[1]["legal"] is True


def test_rulesets_lists_both_families() -> None:
    said = CliRunner().invoke(app, ["rulesets", "--json"])
    assert said.exit_code == 0
    assert [each["id"] for each in json.loads(said.stdout)] == [*IDS, *(each.id for each in trumps_rulesets())]
    assert "千变双扣" in CliRunner().invoke(app, ["rulesets"]).stdout


@pytest.mark.parametrize("ruleset", [*all_rulesets(), *trumps_rulesets()], ids=lambda ruleset: ruleset.id)
def test_a_ruleset_is_told_field_by_field_with_its_house_choices(ruleset: Any) -> None:
    said = CliRunner().invoke(app, ["rulesets", ruleset.id, "--json"])
    told = json.loads(said.stdout)
    assert (told["id"], told["version"]) == (ruleset.id, ruleset.version)
    assert {field["name"] for field in told["fields"] if field["house"]} == set(ruleset.house)
    for field in told["fields"]:
        assert all(field[part] for part in ("clause", "en", "zh", "value_en", "value_zh")), field["name"]
    table = CliRunner().invoke(app, ["rulesets", ruleset.id], env={"COLUMNS": "160"}).stdout
    assert ruleset.title_zh in table
    assert told["fields"][0]["zh"] in table


def test_an_unknown_ruleset_is_wrong_use() -> None:
    said = CliRunner().invoke(app, ["rulesets", "poker"])
    assert said.exit_code == 2
    assert "poker" in said.stderr


def test_an_unknown_benchmark_is_wrong_use_and_the_known_ones_are_named() -> None:
    command = [sys.executable, "-m", "services.cli.main", "bench", "poker"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert b"there are eventstore, rebuild, rules" in done.stderr
