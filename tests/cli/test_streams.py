"""What the exit status says when the output cannot take what is said: 1 is for a fault that was found, and nothing else looks like it."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.domain.test_golden_matches import FOLDER
from tests.kit.house import COMMAND, ROOT, shuangkou

JJ = FOLDER / "jj.ndjson"
UTF8 = {"PYTHONIOENCODING": "utf-8"}
POSIX = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def in_shell(
    line: str, data: Path, path: Path = JJ, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A line of bash, in which `$shuangkou` is the command and `$match` a match file; its status is that of the first of a pipe."""
    given = {
        **os.environ,
        "shuangkou": " ".join(COMMAND),
        "match": str(path),
        "SHUANGKOU_DATA": str(data),
        **(env or {}),
    }
    line = f"{line}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env=given, capture_output=True, text=True, errors="replace", check=False
    )


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A match in which a player has another name than when the match was recorded."""
    path = tmp_path / "broken.ndjson"
    path.write_bytes(JJ.read_bytes().replace(b'"player":"ann"', b'"player":"bea"', 1))
    return path


@pytest.mark.parametrize(
    "env",
    [UTF8, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, POSIX],
    ids=lambda env: next(iter(env.values())),
)
@pytest.mark.parametrize("command", ["verify $match", "replay $match", "show $match", "explain $match --hand 1"])
def test_what_the_output_cannot_write_is_escaped(command: str, env: dict[str, str], tmp_path: Path) -> None:
    done = in_shell(f"$shuangkou {command}", tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_output_is_no_fault_and_hides_none(closed: str, tmp_path: Path, broken: Path) -> None:
    assert in_shell(f"$shuangkou verify $match {closed}", tmp_path).returncode == 0
    assert in_shell(f"$shuangkou verify $match {closed}", tmp_path, broken).returncode == 1


@pytest.mark.parametrize(
    "command",
    ["verify $match", "verify $match --json", "replay $match", "show $match --json", "explain $match --hand 1"],
)
def test_a_reader_who_has_seen_enough_is_no_fault_and_hides_none(command: str, tmp_path: Path, broken: Path) -> None:
    """The reader is gone before anything is printed, so that nothing hangs on how fast either is."""
    gone = f"(exec 3>&1; $shuangkou {command} >$pipe) & (exec <$pipe); wait $!; exit"
    for path, status in ((JJ, 0), (broken, 1)):
        pipe = tmp_path / f"pipe{status}"
        os.mkfifo(pipe)
        done = in_shell(gone, tmp_path, path, {"pipe": str(pipe)})
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        assert "Broken" not in done.stderr


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("verify $match >/dev/full", "standard output"),
        ("show $match --json >/dev/full", "standard output"),
        ("simulate --ruleset jj --hands 1 --out /dev/full", "/dev/full"),
        ("whatif $match --at 21 --bots greedy -o /dev/full", "/dev/full"),
    ],
)
def test_a_full_disk_is_named(command: str, where: str, tmp_path: Path) -> None:
    done = in_shell(f"$shuangkou {command}", tmp_path)
    assert done.returncode == 1
    assert where in done.stderr
    assert "No space left" in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    ("env", "status", "words"),
    [
        ({"SHUANGKOU_URL": "http://[::1"}, 1, "SHUANGKOU_URL"),
        ({"SHUANGKOU_URL": "http://127.0.0.1:1", "SHUANGKOU_TOKEN": "ä"}, 1, "SHUANGKOU_TOKEN"),
        ({"SHUANGKOU_PORT": "eighty"}, 2, "SHUANGKOU_PORT"),
        ({"SHUANGKOU_LOG": "loud"}, 2, "SHUANGKOU_LOG"),
        ({"SHUANGKOU_DISPUTE_DAYS": "x"}, 2, "SHUANGKOU_DISPUTE_DAYS"),
    ],
)
def test_a_setting_that_cannot_be_is_named(env: dict[str, str], status: int, words: str, tmp_path: Path) -> None:
    done = in_shell("$shuangkou tables", tmp_path, env=env)
    assert done.returncode == status
    assert words in done.stderr
    assert "Error" not in done.stderr
    assert "pydantic" not in done.stderr


@pytest.mark.parametrize("content", ["", "{", "[]", '{"url": 1}'])
def test_broken_credentials_are_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "credentials.json"
    path.write_text(content)
    done = shuangkou("tables", data=tmp_path)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert "Error" not in done.stderr
    assert "pydantic" not in done.stderr


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize(
    "command",
    ["explain FILE --hand 1", "readjudicate FILE --ruleset huopin", "rulesets jj", "show FILE --at 30 --options"],
)
def test_a_narrow_terminal_cuts_nothing(command: str, columns: int, tmp_path: Path) -> None:
    """What stands on a wide terminal stands on a narrow one too, perhaps broken over lines; of a table the cards, which move."""
    words = command.replace("FILE", str(JJ)).split()
    narrow, wide = (shuangkou(*words, data=tmp_path, columns=each) for each in (columns, 240))
    assert narrow.returncode == wide.returncode == 0
    assert "…" not in narrow.stdout
    shown, expected = (
        sorted(each for each in done.stdout if each in "♠♥♦♣" or (each.isalnum() and words[0] != "show"))
        for done in (narrow, wide)
    )
    assert shown == expected


def test_a_narrow_table_breaks_no_word_and_no_id(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words, times and ids stay whole at 80 columns; what does not fit makes lines longer than the terminal's."""
    from services.cli import accesses, books

    monkeypatch.setattr("services.cli.options.console.width", 80)
    line = {
        "n": 1000,
        "account": "player:demo10",
        "time": "2026-12-02T18:34:23.123Z",
        "hand": 1,
        "kind": "base",
        "unit": "points",
    }
    entry = {**line, "amount": "-4", "balance": "12", "event": "t-r5mhs7a5ck7x:209"}
    books._print_lines({"entries": [entry], "next": None}, of_one=False)
    hand = {**line, "before": "0", "change": "12", "after": "12", "event": "t-r5mhs7a5ck7x:209"}
    books._print_lines({"hands": [hand], "next": None}, of_one=True)
    look = {
        "time": "2026-12-02T18:34:23.123Z",
        "name": "auditor-of-the-house",
        "role": "auditor",
        "viewer": "auditor",
        "what": "token",
    }
    accesses.print_looks([{**look, "table": "t-r5mhs7a5ck7x", "until": 209, "dispute": "d-7hm2abcd"}])
    said = capsys.readouterr().out.split()
    for word in (
        "before",
        "multiplier",
        "player:demo10",
        "18:34:23",
        "t-r5mhs7a5ck7x:209",
        "2026-12-02T18:34:23",
        "auditor-of-the-house",
        "d-7hm2abcd",
    ):
        assert word in said
