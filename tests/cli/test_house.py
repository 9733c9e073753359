"""The commands of the README on a real house: NATS, service, projections, each a process."""

import json
import os
import signal
import socket
import stat
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from domain.verify import verify_file
from schemas.envelope import read_line
from schemas.events import HandScored
from schemas.matchfile import read_match
from tests.kit.house import House, shuangkou


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house") / "data", "--no-demo") as running:
        yield running


@pytest.fixture(scope="module")
def played(house: House) -> Any:
    return house.json("play", "--ruleset", "huopin", "--tables", "2", "--hands", "2", "--seed", "1")


def test_bots_play_whole_matches_and_nothing_is_at_fault(house: House, played: Any) -> None:
    assert [table["hands"] for table in played["tables"]] == [2, 2]
    verified = house.run("verify", "--all")
    assert verified.returncode == 0
    assert "2 桌 tables, 4 局 hands" in verified.stdout
    assert house.json("verify", "--all")["clean"] is True


def test_the_ledger_is_the_sum_of_the_scores_in_the_exported_files(house: House, played: Any, tmp_path: Path) -> None:
    scores: Counter[str] = Counter()
    for number, table in enumerate(played["tables"]):
        path = tmp_path / f"{number}.ndjson"
        assert house.run("export", table["table"], "-o", str(path)).returncode == 0
        assert verify_file(path.read_bytes()).clean
        for line in read_match(path.read_bytes()).lines:
            event = read_line(line).event
            if isinstance(event, HandScored):
                scores.update({f"player:{name}": score for name, score in zip(event.players, event.score, strict=True)})
    balances = {row["account"]: row["balance"] for row in house.json("ledger")["balances"]}
    assert {name: amount for name, amount in balances.items() if name.startswith("player:")} == dict(scores)
    assert sum(balances.values()) == 0


def test_tables_show_replay_and_explain_say_what_happened(house: House, played: Any) -> None:
    table = played["tables"][0]["table"]
    listed = house.json("tables")
    assert {row["table"] for row in listed} == {each["table"] for each in played["tables"]}
    assert all(row["status"] == "closed" for row in listed)
    shown = house.run("show", table, "--as", "spectator", "--at", "12").stdout
    assert table in shown
    assert "event 12" in shown
    spectator = house.json("show", table, "--as", "spectator", "--at", "12")
    auditor = house.json("show", table, "--as", "auditor", "--at", "12")
    assert {seat["holding"] for seat in spectator["seats"]} == {None}
    assert all(len(seat["holding"]) == seat["cards"] for seat in auditor["seats"])
    steps = house.run("replay", table).stdout.splitlines()
    assert len(steps) == played["tables"][0]["events"]
    assert "hand starts" in house.run("replay", table).stdout
    explained = house.json("explain", table, "--hand", "1")
    assert {why["kind"] for why in explained["why"]} >= {"outcome", "base", "sum"}
    player = explained["players"][0]
    assert player in house.run("explain", table, "--hand", "1", "--player", player).stdout
    assert f"player:{player}" in house.run("ledger", "--player", player).stdout


def test_the_ledger_leads_from_a_balance_to_hands_to_entries_to_events(house: House, played: Any) -> None:
    player = next(iter(played["tables"][0]["scores"]))
    hands = house.json("ledger", "--player", player, "--hands")
    entries = house.json("ledger", "--player", player)["entries"]
    assert hands["hands"][-1]["after"] == entries[-1]["balance"] == hands["balances"][0]["balance"]
    assert entries[-1]["event"] in house.run("ledger", "--player", player, "--limit", "1").stdout
    assert "--before" in house.run("ledger", "--player", player, "--hands", "--limit", "1").stdout
    entry = entries[-1]["event"]
    assert "C6.5" in house.run("explain", "--entry", entry).stdout
    traced = house.json("explain", "--entry", entry)
    assert traced["transactions"][-1]["amounts"][f"player:{player}"] == entries[-1]["amount"]


def test_replay_walks_forward_and_back(house: House, played: Any) -> None:
    from services.cli.looking import looked_at
    from services.cli.replaying import Replay
    from services.settings import Settings

    with looked_at(played["tables"][0]["table"], Settings(data=house.data)) as looked:
        steps = Replay.of(looked.lines, "spectator")
    assert len(steps.hands()) == 2
    assert steps.tricks()[0] > steps.hands()[0]
    assert all(seat.holding is None for seat in steps.view(steps.tricks()[1], "spectator").seats)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("show", "nowhere"), 1, "no such table"),
        (("show", "nowhere", "--as", "5"), 2, "--as"),
        (("explain", "nowhere", "--hand", "1"), 1, "no such table"),
        (("play", "--ruleset", "mahjong"), 1, "mahjong"),
        (("verify",), 2, "verify takes"),
        (("frobnicate",), 2, "No such command"),
        (("play",), 2, "--ruleset"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(
    house: House, arguments: tuple[str, ...], status: int, words: str
) -> None:
    done = house.run(*arguments)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_changed_byte_is_found_and_its_event_named(house: House, played: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    house.run("export", played["tables"][1]["table"], "-o", str(path))
    data = path.read_bytes()
    at = data.index(b'"time":"', data.index(b':20",')) + 12
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    done = shuangkou("verify", str(path))
    assert done.returncode == 1
    assert f"{played['tables'][1]['table']}:20" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_trump_game_from_play_to_explanation(house: House) -> None:
    """宁夏双扣 like the others: played by bots, verified, shown, replayed, and its result explained by trick, kitty and row."""
    played = house.json("play", "--ruleset", "ningxia", "--tables", "2", "--hands", "2", "--bots", "greedy")
    table = played["tables"][0]["table"]
    assert house.json("verify", "--all")["clean"] is True
    explained = house.json("explain", table, "--hand", "1")
    assert {why["kind"] for why in explained["why"]} >= {"kitty", "multiplier", "total", "row", "levels", "score"}
    assert "T7.4" in house.run("explain", table, "--hand", "1").stdout
    steps = house.run("replay", table).stdout.splitlines()
    assert len(steps) == played["tables"][0]["events"]
    for words in ("亮主", "坐庄 is declarer", "扣底 buries", "出 plays", "抓分 attackers", "本局结束 hand settled"):
        assert any(words in step for step in steps), words
    last = next(number for number, step in enumerate(steps) if "扣底 buries" in step) + 1
    shown = house.run("show", table, "--as", "auditor", "--at", str(last)).stdout
    assert "底牌 kitty" in shown
    assert "打 level 2" in shown
    assert "底牌 kitty" not in house.run("show", table, "--at", str(last)).stdout, "a spectator does not see it"


@pytest.mark.parametrize("columns", [80, 120])
def test_what_is_shown_fits_the_terminal(house: House, played: Any, columns: int) -> None:
    """Nothing is cut off: no ellipsis, no line that is too long."""
    tables = [
        played["tables"][0]["table"],
        *(row["table"] for row in house.json("tables") if row["ruleset"] == "ningxia"),
    ]
    for command in (("tables",), *(("show", table, "--as", "auditor", "--at", "60") for table in tables)):
        for line in house.run(*command, columns=columns).stdout.splitlines():
            assert cell_len(line) <= columns, line
            assert "…" not in line


def test_secrets_are_their_owners(house: House) -> None:
    for name in ("credentials.json", "secrets.json", "nats.json", "nats.conf"):
        assert stat.S_IMODE((house.data / name).stat().st_mode) == 0o600, name
    password = json.loads((house.data / "secrets.json").read_text())["nats_password"]
    for process in house.processes().values():
        assert password not in Path(f"/proc/{process['pid']}/cmdline").read_text()
        assert password not in Path(f"/proc/{process['pid']}/environ").read_text()


def test_a_second_up_on_the_same_folder_is_refused(house: House) -> None:
    done = shuangkou("up", "--data", str(house.data), "--port", "0")
    assert done.returncode == 1
    assert "Another `shuangkou up` works on" in done.stderr


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = shuangkou("up", "--data", str(tmp_path / "data"), "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert "is taken" in done.stderr


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://db.example/x", "PostgreSQL, postgresql://…, or in SQLite"),
        ("postgresql://127.0.0.1:1/x", "Connection refused"),
        ("sqlite:////proc/no/view.sqlite", "/proc/no"),
    ],
)
def test_a_database_that_cannot_be_used_is_said(tmp_path: Path, url: str, said: str) -> None:
    """Instead of projections that are started again for ever."""
    done = shuangkou("up", "--data", str(tmp_path / "data"), "--port", "0", "--db", url)
    assert done.returncode == 1
    assert "--db" in done.stderr
    assert said in done.stderr


def test_without_a_house_the_command_line_says_what_to_do(tmp_path: Path) -> None:
    done = shuangkou("tables", data=tmp_path)
    assert done.returncode == 1
    assert "shuangkou up" in done.stderr


def test_simulate_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        done = shuangkou("simulate", "--ruleset", "jj", "--hands", "2", "--seed", "x", "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert shuangkou("verify", str(tmp_path / "a")).returncode == 0


def test_it_stops_within_five_seconds_leaves_nothing_running_and_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with House(data, "--no-demo") as house:
        before = house.json("play", "--ruleset", "basic", "--tables", "1", "--hands", "1")["tables"]
        pids = [process["pid"] for process in house.processes().values()]
        took = house.stop(signal.SIGTERM)
    assert took < 5
    assert house.process.returncode == 0
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid or 0, 0)
    with House(data, "--no-demo") as again:
        assert [row["version"] for row in again.json("tables")] == [before[0]["events"]]
        assert again.json("verify", "--all")["clean"] is True
        for _ in range(2):  # the demonstration finds its table again
            with pytest.raises(subprocess.TimeoutExpired):
                again.run("play", "--demo", "--ruleset", "huopin", timeout=4)
        assert len(again.json("tables")) == 2
        assert again.stop(signal.SIGINT) < 5
    assert again.process.returncode == 0
