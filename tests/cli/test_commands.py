"""What every command has: a help with an example, and words instead of a stack trace."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

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
