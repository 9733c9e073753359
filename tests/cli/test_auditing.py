"""`show --options`, `readjudicate` and `whatif` as one types them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.cli.main import app
from tests.domain.test_golden_matches import FOLDER
from tests.kit.house import shuangkou

HUOPIN, NINGXIA, QIANBIAN = (str(FOLDER / f"{name}.ndjson") for name in ("huopin", "ningxia", "qianbian"))


def run(*arguments: str) -> str:
    """What a command prints; it must succeed."""
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "240"}, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def run_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def first_of(path: str, kind: str) -> int:
    """The number of the first event of this type in a match file."""
    lines = Path(path).read_text().splitlines()[1:-1]
    return next(number for number, line in enumerate(lines, 1) if f'"type":"shuangkou.{kind}.' in line)


def test_show_takes_a_match_file() -> None:
    found = run_json("show", HUOPIN, "--at", "60", "--as", "2")
    assert (found["version"], found["viewer"]) == (60, "2")
    assert [seat["holding"] is None for seat in found["seats"]] == [True, True, False, True]


@pytest.mark.parametrize(("path", "kind", "clause"), [(HUOPIN, "played", "C3.1"), (NINGXIA, "throw-failed", "T5.4")])
def test_show_says_why_an_event_was_legal_and_what_else_was(path: str, kind: str, clause: str) -> None:
    event = first_of(path, kind)
    said = run("show", path, "--at", str(event), "--options", "--limit", "5")
    assert f"[{clause}]" in said
    assert "legal choices" in said
    found = run_json("show", path, "--at", str(event), "--options")["situation"]
    assert found["legal"] is True
    assert found["first"] == event


@pytest.mark.parametrize("path", [HUOPIN, NINGXIA])
def test_show_finds_words_for_every_kind_of_event(path: str) -> None:
    seen = set()
    for number, line in enumerate(Path(path).read_text().splitlines()[1:-1], 1):
        kind = json.loads(line)["type"]
        if kind not in seen:
            seen.add(kind)
            assert "situation" in run("show", path, "--at", str(number), "--options", "--limit", "2")
    assert len(seen) > 15


def test_readjudicate_tells_what_becomes_illegal_and_what_scores_otherwise() -> None:
    said = run("readjudicate", QIANBIAN, "--ruleset", "basic")
    assert "qianbian@1 → basic@1" in said
    assert "forms no pattern of Shuangkou. [C3]" in said
    assert "legal by both rules" in said
    found = run_json("readjudicate", HUOPIN, "--ruleset", "jj@1")
    assert found["other"] == "jj@1"
    first = found["hands"][0]
    assert first["status"] == "legal"
    assert first["differs"]["base"][0] != first["differs"]["base"][1]
    assert found["totals"].keys() >= {"ann", "博文"}


def test_readjudicate_by_the_own_rules_finds_nothing() -> None:
    assert "nothing differs" in run("readjudicate", NINGXIA, "--ruleset", "ningxia")
    assert run_json("readjudicate", HUOPIN, "--ruleset", "huopin")["same"] is True


def test_readjudicate_one_hand_only() -> None:
    assert [hand["hand"] for hand in run_json("readjudicate", HUOPIN, "--ruleset", "jj", "--hand", "2")["hands"]] == [2]


def test_whatif_by_hand_and_by_bots(tmp_path: Path) -> None:
    at = first_of(HUOPIN, "played")
    out = tmp_path / "scratch.ndjson"
    found = run_json("whatif", HUOPIN, "--at", str(at), "--pass", "--bots", "greedy", "-o", str(out))
    assert found["record"] is False
    assert found["scratch"].startswith("whatif-")
    assert found["events"][0]["type"] == "shuangkou.passed.v1"
    assert found["over"] is True
    assert len(found["whatif"]["score"]) == len(found["recorded"]["score"]) == 4
    refused = shuangkou("verify", str(out))
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr


def test_whatif_step_by_step_says_whom_it_waits_for() -> None:
    at = str(first_of(HUOPIN, "played"))
    said = run("whatif", HUOPIN, "--at", at, "--pass", "--then", "pass")
    assert "NOT A RECORD" in said
    assert "waits for" in said
    assert run_json("whatif", HUOPIN, "--at", at, "--pass", "--then", "pass")["whatif"] is None


def test_whatif_in_a_trump_game() -> None:
    at = first_of(NINGXIA, "points-taken")
    said = run("whatif", NINGXIA, "--at", str(at), "--bots", "greedy")
    assert "hand settled" in said
    dealt = first_of(NINGXIA, "cards-dealt")
    assert run_json("whatif", NINGXIA, "--at", str(dealt), "--then", "deal")["events"][0]["type"].endswith(
        "cards-dealt.v1"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("show", HUOPIN, "--at", "9999"), 1, "no event 9999"),
        (("show", "./nothing.ndjson"), 1, "no such file"),
        (("readjudicate", HUOPIN, "--ruleset", "ningxia"), 1, "another family"),
        (("readjudicate", HUOPIN, "--ruleset", "jj@7"), 2, "no ruleset 'jj@7'"),
        (("readjudicate", HUOPIN, "--ruleset", "jj@new"), 2, "ID@VERSION"),
        (("readjudicate", HUOPIN, "--ruleset", "jj", "--hand", "9"), 2, "hands 1 to 3"),
        (("readjudicate", HUOPIN), 2, "--ruleset"),
        (("whatif", HUOPIN, "--at", "60"), 2, "say what happens"),
        (("whatif", HUOPIN, "--at", "60", "--pass", "--play", "3S"), 2, "one act first"),
        (("whatif", HUOPIN, "--at", "1", "--bots", "greedy"), 1, "No hand is being played"),
        (("whatif", HUOPIN, "--at", "60", "--then", "dance"), 1, "is no act"),
        (("whatif", HUOPIN, "--at", "60", "--play", "9X"), 1, "not a card"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(
    arguments: tuple[str, ...], status: int, words: str, tmp_path: Path
) -> None:
    done = shuangkou(*arguments, data=tmp_path)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def forged(folder: Path) -> tuple[Path, int]:
    """A match in which somebody scored the first hand by hand and chained all anew, and the number of that event."""
    from schemas.canonical import GENESIS
    from schemas.envelope import Recorded, read_line, record
    from schemas.matchfile import match_file, read_match

    at = first_of(HUOPIN, "hand-scored")
    made: list[Recorded] = []
    for each in map(read_line, read_match(Path(HUOPIN).read_bytes()).lines):
        event = each.event.model_copy(update={"score": (600, -600, 600, -600)}) if each.version == at else each.event
        prev = made[-1].hash if made else GENESIS
        made.append(record(each.table, each.version, prev, each.time, each.command, event))
    path = folder / "forged.ndjson"
    path.write_bytes(match_file([each.line for each in made]))
    return path, at


@pytest.mark.parametrize(
    "command",
    [
        "show FILE",
        "show FILE --at AT --options",
        "show FILE --json",
        "explain FILE --hand 1",
        "explain FILE --hand 1 --json",
        "replay FILE",
        "readjudicate FILE --ruleset jj",
        "whatif FILE --at AFTER --bots greedy",
    ],
)
def test_a_forged_record_is_shown_but_never_as_a_true_one(command: str, tmp_path: Path) -> None:
    path, at = forged(tmp_path)
    table = json.loads(path.read_text().splitlines()[1])["source"].rpartition("/")[2]
    play = str(first_of(HUOPIN, "played"))
    names = {"FILE": str(path), "AT": str(at), "AFTER": play}
    done = shuangkou(*(names.get(word, word) for word in command.split()), data=tmp_path)
    assert done.returncode == 1
    assert done.stdout
    said = done.stderr.splitlines()
    assert len(said) == 2
    assert said[0] == said[1]
    assert "THIS RECORD IS WRONG" in said[0]
    assert f"{table}:{at}: differs: hand-scored.score" in said[0]
    assert "✓" not in done.stdout


def test_a_forged_event_is_shown_with_the_rule_it_breaks(tmp_path: Path) -> None:
    path, at = forged(tmp_path)
    done = shuangkou("show", str(path), "--at", str(at), "--options", data=tmp_path)
    assert "✗ 不符 not what the rules make of it" in done.stdout
    assert "the rules give" in done.stdout


def test_a_broken_chain_is_said_before_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "broken.ndjson"
    path.write_bytes(re.sub(rb'"command":"[^"]+"', b'"command":"x"', Path(HUOPIN).read_bytes(), count=1))
    done = shuangkou("show", str(path), data=tmp_path)
    assert done.returncode == 1
    assert "changed" in done.stderr
    assert "ann" in done.stdout


def test_a_record_that_no_game_can_be_is_said_to_be_so(tmp_path: Path) -> None:
    """Here it cannot even be played through: the file says so, and why, without a stack trace."""
    path = tmp_path / "broken.ndjson"
    path.write_bytes(
        Path(HUOPIN).read_bytes().replace(b'"type":"shuangkou.dealt.v1"', b'"type":"shuangkou.passed.v1"', 1)
    )
    for command in (("show", str(path)), ("replay", str(path)), ("explain", str(path), "--hand", "1")):
        done = shuangkou(*command, data=tmp_path)
        assert done.returncode == 1
        assert "THIS RECORD IS WRONG" in done.stderr
        assert f"{path}: 无法显示 it cannot be shown" in done.stderr
        assert "DEBUG" not in done.stderr
