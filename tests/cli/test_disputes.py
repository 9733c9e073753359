"""The dispute desk from the command line, on a real house; and the desk as a process of its own."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from services.cli.main import app
from services.eventstore.server import free_port
from tests.kit.house import COMMAND, ROOT, House


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("desk") / "data", "--no-demo") as running:
        yield running


@pytest.fixture(scope="module")
def table(house: House) -> Any:
    """A table whose only hand is over: its id and the players' names."""
    played = house.json("play", "--ruleset", "huopin", "--tables", "1", "--hands", "1", "--seed", "1")
    found = played["tables"][0]["table"]
    return {"id": found, "players": sorted(house.json("show", found, "--as", "spectator")["scores"])}


def raised(house: House, table: Any, *more: str) -> str:
    done = house.json(
        "dispute", "raise", table["id"], "--hand", "1", "--claim", "不对。 Wrong.", "--as", table["players"][0], *more
    )
    return str(done["dispute"])


def listed(house: House, *arguments: str) -> list[str]:
    """The cases of a list, which may lag by some milliseconds."""
    return [row["dispute"] for row in house.json("dispute", "list", *arguments)]


def test_a_case_from_the_claim_to_the_ledger(house: House, table: Any, tmp_path: Path) -> None:
    dispute = raised(house, table)
    ann, bob = table["players"][:2]
    small = tmp_path / "small.bin"
    small.write_bytes(b"\x89PNG not really")
    file = tmp_path / "large.bin"
    file.write_bytes(bytes(100_000))
    assert house.json("dispute", "attach", dispute, "--text", "I saw it.", "--as", bob)["version"] == 2
    attached = house.json("dispute", "attach", dispute, "--file", str(file), "--as", ann)["case"]["evidence"][-1]
    assert (attached["kind"], attached["name"], attached["size"]) == ("digest", "large.bin", None)
    kept = house.run("dispute", "attach", dispute, "--file", str(small), "--as", ann).stdout
    assert "keep the file yourself" not in kept
    house.run("dispute", "fetch", dispute, "3", "-o", str(tmp_path / "back.bin"))
    assert (tmp_path / "back.bin").read_bytes() == small.read_bytes()
    assigned = house.run("dispute", "assign", dispute, "adjudicator", "--by", "2099-12-24").stdout
    assert all(each in assigned for each in (table["id"], "局 hand 1", "adjudicator", "2099-12-24"))
    shown = house.json("dispute", "show", dispute, "--as", "adjudicator")
    assert shown["examination"]["verification"]["clean"] is True
    assert all(seat["holding"] is not None for seat in shown["examination"]["view"]["seats"])
    words = house.run("dispute", "show", dispute).stdout
    assert all(
        each in words for each in (dispute, ann, "I saw it.", "2099-12-24", "没有问题", "keep the file yourself")
    )
    assert house.json("dispute", "show", dispute, "--as", ann)["case"]["dispute"] == dispute
    assert (
        house.run("dispute", "show", dispute, "--as", "eve").returncode == 0
    )  # an adjudicator by name sees cases, without cards
    assert house.json("dispute", "show", dispute, "--as", "eve")["examination"]["view"]["viewer"] == "spectator"
    assert dispute in listed(house, "--table", table["id"], "--as", bob)
    for who in ("adjudicator", "operator", ann):
        words = house.run("dispute", "show", dispute, "--as", who).stdout
        assert all(each in words for each in (table["id"], "手牌 holding", "得分 scores", "记录核验"))
    reassigned = house.run("dispute", "assign", dispute, "jugde").stdout
    assert all(each in reassigned for each in ("裁决人 adjudicator jugde", "was never given a case"))
    house.run("dispute", "assign", dispute, "judge")
    assert "judge" in house.run("dispute", "attach", dispute, "--text", "Noted.", "--as", "judge").stdout
    for who in (bob, "judge", "auditor"):
        house.run("dispute", "fetch", dispute, "3", "-o", str(tmp_path / who), "--as", who)
        assert (tmp_path / who).read_bytes() == small.read_bytes()
    house.run("dispute", "assign", dispute, "adjudicator")
    amounts = ("--amount", f"{ann}=7.5", "--amount", f"{bob}=-7.5")
    ruled = house.run("dispute", "rule", dispute, "adjusted", *amounts, "--reason", "A slip.")
    assert ruled.returncode == 0, ruled.stderr
    assert f"player:{ann} 7.5 points" in ruled.stdout
    version = house.json("dispute", "show", dispute)["case"]["version"]
    deadline = time.monotonic() + 20
    while f"dispute:{dispute}:{version}" not in house.run("ledger", "--player", ann).stdout:
        assert time.monotonic() < deadline
    assert dispute in listed(house, "--status", "ruled")
    assert dispute not in listed(house, "--status", "open")
    told = house.run("recall", f"{table['id']}/1").stdout
    assert all(each in told for each in (dispute, "amounts are adjusted", "A slip."))
    other = raised(house, table)
    assert all(each in house.run("dispute", "show", other).stdout for each in (dispute, "another ruling", "A slip."))
    house.run("dispute", "assign", other, "adjudicator")
    assert dispute in house.run("dispute", "rule", other, "voided", "--reason", "x").stdout


def test_who_raised_a_dispute_withdraws_it(house: House, table: Any) -> None:
    dispute = raised(house, table)
    refused = house.run("dispute", "withdraw", dispute, "--as", table["players"][1])
    assert (refused.returncode, "not_the_raiser" in refused.stderr) == (1, True)
    done = house.json("dispute", "withdraw", dispute, "--reason", "settled", "--as", table["players"][0])
    assert done["case"]["status"] == "withdrawn"


def test_looks_are_listed(house: House, table: Any) -> None:
    house.run("show", table["id"], "--as", "auditor")
    deadline = time.monotonic() + 20
    while not (looks := house.json("access-log", "--table", table["id"], "--name", "auditor")):
        assert time.monotonic() < deadline
    assert {look["table"] for look in looks} == {table["id"]}
    assert "auditor" in house.run("access-log").stdout
    assert house.json("access-log", "--since", "2999-01-01") == []


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("dispute", "show", "d-nowhere"), 1, "no_such_dispute"),
        (("dispute", "raise", "t-nowhere", "--claim", "x", "--as", "ann"), 1, "no_such_table"),
        (("dispute", "raise", "t-nowhere", "--claim", "x"), 2, "--token"),
        (("dispute", "raise", "t-nowhere"), 2, "--claim"),
        (("dispute", "list", "--as", "ann"), 2, "--table"),
        (("dispute", "attach", "d-nowhere"), 2, "--text or --file"),
        (("dispute", "rule", "d-nowhere", "adjusted", "--reason", "x"), 2, "--amount"),
        (("dispute", "rule", "d-nowhere", "adjusted", "--reason", "x", "--amount", "ann"), 2, "PLAYER=AMOUNT"),
        (("dispute", "rule", "d-nowhere", "burnt", "--reason", "x"), 2, "burnt"),
        (("dispute", "assign", "d-nowhere", "eve"), 1, "no_such_dispute"),
        (("dispute", "frobnicate"), 2, "No such command"),
        (("access-log", "--limit", "0"), 2, "--limit"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(
    house: House, arguments: tuple[str, ...], status: int, words: str
) -> None:
    done = house.run(*arguments)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["raise", "list", "show", "attach", "fetch", "assign", "rule", "withdraw"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = CliRunner().invoke(app, ["dispute", command, "--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert f"shuangkou dispute {command}" in done.stdout


def test_the_desk_runs_as_a_process_of_its_own(house: House, table: Any) -> None:
    dispute = raised(house, table)
    port = free_port()
    argv = [*COMMAND, "serve", "disputes", "--data", str(house.data), "--port", str(port)]
    desk = subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    headers = {"Authorization": f"Bearer {json.loads((house.data / 'credentials.json').read_text())['operator']}"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False) as http:
            deadline = time.monotonic() + 40
            while True:
                assert desk.poll() is None
                assert time.monotonic() < deadline
                try:
                    if http.get("/readyz").is_success:
                        break
                except httpx.TransportError:
                    time.sleep(0.05)
            body = {"adjudicator": "adjudicator"}
            assert http.post(f"/disputes/{dispute}/assignments", json=body).status_code == 201
            assert http.post("/tables", json={"ruleset": "basic"}).status_code == 405
        assert house.json("dispute", "show", dispute)["case"]["adjudicator"] == "adjudicator"
    finally:
        desk.terminate()
        desk.wait(20)
