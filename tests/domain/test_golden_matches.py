"""Matches that were recorded once must verify for ever, with the same scores and the same views. `ops/golden.py` says how they came about.

The files are never made again. If one of these tests fails, the code changed what old matches mean.
"""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from domain.hands import all_rulesets, get_ruleset
from domain.readjudicate import readjudicate
from domain.table import replay
from domain.verify import verify_file
from ops.golden import longest_war, seen
from schemas.canonical import canonical, digest
from schemas.envelope import Recorded, read_line
from schemas.events import HandAbandoned, HandVoided, TableOpened, TrickWon
from schemas.matchfile import read_match
from schemas.trumps import HandEscaped

FOLDER = Path(__file__).parents[1] / "golden" / "matches"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ndjson"))
CLIMBING = ["basic", "jj", "huopin", "qianbian", "jinbao"]
NEW = [*CLIMBING, "ningxia"]


@cache
def lines(name: str) -> tuple[bytes, ...]:
    return read_match((FOLDER / f"{name}.ndjson").read_bytes()).lines


@cache
def recorded(name: str) -> tuple[Recorded, ...]:
    return tuple(map(read_line, lines(name)))


@cache
def types(name: str) -> Counter[str]:
    return Counter(each.event.TYPE for each in recorded(name))


def test_there_is_one_of_every_ruleset_and_one_from_before() -> None:
    assert set(NAMES) == {*(ruleset.id for ruleset in all_rulesets()), "huopin-v1"}


@pytest.mark.parametrize("name", NAMES)
def test_it_verifies(name: str) -> None:
    report = verify_file((FOLDER / f"{name}.ndjson").read_bytes())
    assert report.faults == ()
    assert report.hands == (1 if name == "huopin-v1" else 3)


@pytest.mark.parametrize("name", NAMES)
def test_the_final_scores_are_those_of_then(name: str) -> None:
    scores = digest(canonical(dict(replay(recorded(name)).scores)))
    assert f"{scores}  {name}" in (FOLDER / "scores.sha256").read_text().splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_every_viewer_sees_what_was_seen_then(name: str) -> None:
    kept = [line for line in (FOLDER / "seen.txt").read_text().splitlines() if line.split()[0] == name]
    assert list(seen(name, lines(name))) == kept


@pytest.mark.parametrize("name", NAMES)
def test_its_own_rules_change_nothing(name: str) -> None:
    assert readjudicate(recorded(name), get_ruleset(name.removesuffix("-v1"))).same


@pytest.mark.parametrize("name", NEW)
def test_it_holds_clocks_votes_and_salts(name: str) -> None:
    assert types(name)["timed-out"] >= 4
    assert types(name)["player-returned"] >= 2
    assert types(name)["salt-given"] == 6
    assert types(name)["dissolve-voted"] == 6
    assert types(name)["table-closed"] == 1
    assert isinstance(recorded(name)[-3].event, HandVoided)


@pytest.mark.parametrize("name", CLIMBING)
def test_it_holds_a_war_of_bombs_the_wind_and_a_hand_that_was_left(name: str) -> None:
    assert longest_war([each.event for each in recorded(name)]) >= 3
    assert any(isinstance(each.event, TrickWon) and each.event.caught_wind for each in recorded(name))
    assert types(name)["hand-abandoned"] == 1


@pytest.mark.parametrize("name", ["jj", "huopin", "qianbian"])
def test_players_changed_seats(name: str) -> None:
    assert types(name)["seats-swapped"] >= 1


@pytest.mark.parametrize("name", ["huopin", "qianbian"])
def test_contributions_stood_though_the_hand_was_left(name: str) -> None:
    left = next(each.event for each in recorded(name) if isinstance(each.event, HandAbandoned))
    assert any(left.contribution)


def test_the_trump_match_holds_what_only_trump_games_have() -> None:
    for kind in ("trump-declared", "kitty-countered", "throw-failed", "kitty-turned", "hand-settled"):
        assert types("ningxia")[kind] >= 1, kind
    escaped = next(each.event for each in recorded("ningxia") if isinstance(each.event, HandEscaped))
    assert any(escaped.score)


def test_the_match_from_before_has_an_event_of_the_first_version() -> None:
    first = lines("huopin-v1")[0]
    assert b'"type":"shuangkou.table-opened.v1"' in first
    opened = read_line(first).event
    assert isinstance(opened, TableOpened)
    assert (opened.options.turn_seconds, opened.options.salts, opened.options.fee) == (None, False, "0")
