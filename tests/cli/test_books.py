"""`ledger` and `explain` without a service: entries of match files, and what is wrong use."""

import json
from pathlib import Path

import pytest

from domain.simulate import simulate
from projections.postings import player_account
from schemas.events import HandScored
from schemas.matchfile import match_file
from schemas.trumps import HandSettled
from tests.kit.house import shuangkou


def match(path: Path, ruleset: str) -> tuple[str, HandScored | HandSettled]:
    """A match file; the last scored hand as its event's id and the event."""
    record = list(simulate(ruleset, 1, "books"))
    path.write_bytes(match_file([each.line for each in record]))
    scored, event = [(each, each.event) for each in record if isinstance(each.event, HandScored | HandSettled)][-1]
    return f"{scored.table}:{scored.version}", event


@pytest.mark.parametrize("ruleset", ["huopin", "ningxia"])
def test_an_entry_of_a_match_file_is_explained_without_a_service(ruleset: str, tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    entry, event = match(path, ruleset)
    said = shuangkou("explain", str(path), "--entry", entry, data=tmp_path)
    assert said.returncode == 0, said.stderr
    assert entry in said.stdout
    found = json.loads(shuangkou("explain", str(path), "--entry", entry, "--json", data=tmp_path).stdout)
    assert found["entry"] == entry
    player = event.players[0]
    only = ("explain", str(path), "--entry", entry, "--player", player, "--json")
    mine = json.loads(shuangkou(*only, data=tmp_path).stdout)
    assert set(mine["transactions"][0]["amounts"]) == {player_account(player)}
    assert "T7.4" in said.stdout or "C6.5" in said.stdout


def test_the_score_of_a_hand_of_trumps_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    entry, event = match(path, "ningxia")
    said = shuangkou("explain", str(path), "--hand", str(event.hand), data=tmp_path)
    assert said.returncode == 0, said.stderr
    assert entry in said.stdout
    assert "attackers' points" in said.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "either"),
        (("--hand", "1"), 2, "needs a table"),
        (("FILE", "--hand", "1", "--entry", "x:1"), 2, "either"),
        (("FILE", "--entry", "other:1"), 2, "no event of"),
        (("FILE", "--entry", "ID:1"), 1, "moves no points"),
        (("FILE", "--entry", "ID:99999"), 1, "no event 99999"),
        (("FILE", "--hand", "9"), 1, "not been scored"),
    ],
)
def test_what_cannot_be_explained(arguments: tuple[str, ...], status: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    entry, _ = match(path, "basic")
    table = entry.rpartition(":")[0]
    given = [each.replace("FILE", str(path)).replace("ID", table) for each in arguments]
    done = shuangkou("explain", *given, data=tmp_path)
    assert (done.returncode, words in done.stderr) == (status, True), done.stderr
