"""What every command has: a help with an example, and words instead of a stack trace."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domain.simulate import simulate
from domain.verify import Report, verify_file
from schemas.matchfile import match_file
from services.cli.main import COMMANDS, app
from tests.kit.house import shuangkou


def test_help_lists_every_command() -> None:
    said = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"})
    assert said.exit_code == 0
    for name in COMMANDS:
        assert f" {name} " in said.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_with_an_example(name: str) -> None:
    said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
    assert said.exit_code == 0
    assert f"Example: shuangkou {name}" in said.stdout or f"shuangkou {name}" in said.stdout.partition("Example")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serve", "everything"), "everything"),
        (("project", "everything"), "everything"),
        (("play", "--ruleset", "huopin", "--hands", "none"), "--hands"),
        (("simulate", "--ruleset", "huopin", "--bots", "clever"), "clever"),
        (("up", "--port", "70000"), "--port"),
        (("show",), "TABLE"),
        (("verify", "--all", "some-table"), "either"),
    ],
)
def test_wrong_use_has_status_2(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = shuangkou(*arguments, data=tmp_path)
    assert done.returncode == 2
    assert words.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [b"", b"\n", b"not a match\n", b"{}\n{}\n{}\n", b"\xff\xfe\n" * 4])
@pytest.mark.parametrize("command", [("verify",), ("replay",), ("explain", "--hand", "1")])
def test_a_file_that_is_no_match_is_said_in_words(command: tuple[str, ...], content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "match.ndjson"
    path.write_bytes(content)
    done = shuangkou(command[0], str(path), *command[1:], data=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Error:" not in done.stderr
    assert done.stdout + done.stderr


def test_what_verification_cannot_cope_with_is_a_fault_of_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a verification that stumbles over one of two files."""
    good, bad = tmp_path / "good.ndjson", tmp_path / "bad.ndjson"
    good.write_bytes(match_file([each.line for each in simulate("basic", 1, "good")]))
    bad.write_bytes(match_file([each.line for each in simulate("basic", 1, "bad")]))

    def stumbling(data: bytes, *more: Any) -> Report:
        if data == bad.read_bytes():
            raise OverflowError("date value out of range")
        return verify_file(data, *more)

    monkeypatch.setattr("services.cli.verifying.verify_file", stumbling)
    command = ["verify", str(bad), str(good), "--data", str(tmp_path), "--json"]
    said = CliRunner().invoke(app, command)
    assert said.exit_code == 1
    first, second = json.loads(said.stdout)["tables"]
    assert (first["place"], first["faults"][0]["kind"]) == (str(bad), "unexpected")
    assert "date value out of range" in first["faults"][0]["en"]
    assert (second["place"], second["clean"]) == (str(good), True)
