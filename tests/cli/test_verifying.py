"""What `verify` makes of several files, of keys that are known from different places, and of a copy of the checkpoint log."""

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from domain.proofs.keys import SigningKey
from domain.proofs.receipts import finished_hands, sign_receipt
from domain.proofs.sealing import sealed_match
from schemas.envelope import open_line, read_line
from schemas.matchfile import match_file
from schemas.notation import Unreadable
from schemas.proofs import Leaf
from services.checkpoints import FOLDER, CheckpointFault, CheckpointWriter
from services.cli.verifying import Found, known_from, trust_of, verify_places
from services.keys import load_ring
from services.settings import Settings
from tests.kit.house import shuangkou
from tests.kit.proofs import LOGGED, NAME, first_hand, key, lines_of, rest_of, ring, signed_match
from tests.kit.records import played_on

KEY = key(1).public.public.hex()


def verified(folder: Path, *files: bytes, checkpoints: Path | None = None, keys: Sequence[str] = (KEY,)) -> Found:
    """What is found in these files, with a data folder in which nothing is."""
    settings = Settings(data=folder / "data")
    trust = trust_of(keys, settings)
    log = known_from(checkpoints, settings, trust)
    places = []
    for number, content in enumerate(files):
        path = folder / f"file-{number}"
        path.write_bytes(content)
        places.append(str(path))
    return verify_places(places, settings, trust, log)


def receipt(lines: Sequence[bytes], hand: int) -> bytes:
    found = list(finished_hands(map(read_line, lines)))[hand - 1]
    return sign_receipt(found, ring()).model_dump_json().encode()


def other_way() -> list[bytes]:
    """The match of which everything after the first hand happened otherwise."""
    return played_on(first_hand(lines_of()), b"o" * 32)


def log_in(folder: Path, *leaves: Leaf, signer: SigningKey | None = None) -> Path:
    """A checkpoint log with these leaves."""
    writer = CheckpointWriter(folder)
    writer.append(leaves, signer or key(1))
    writer.close()
    return folder


def leaf(lines: Sequence[bytes], time: str = LOGGED) -> Leaf:
    head = rest_of(lines)
    return Leaf(hash=head.rest_hash, table=open_line(lines[0]).table, time=time, version=head.rest_version)


def stranger(time: str = LOGGED) -> Leaf:
    return Leaf(hash="7" * 64, table="t-stranger", time=time, version=9)


def test_a_table_that_is_told_in_two_ways_is_at_fault(tmp_path: Path) -> None:
    """Both keep the rules and are signed with the operator's key; both cannot be the record."""
    lines, other = list(lines_of()), other_way()
    found = verified(tmp_path, sealed_match(lines, ring()), sealed_match(other, ring()))
    faults = [fault for report in found.reports for fault in report.faults]
    assert [(each.kind, each.version) for each in faults] == [("forged", len(first_hand(lines)) + 1)]
    assert "told in two ways" in faults[0].en
    assert not found.clean
    unsigned = verified(tmp_path, match_file(lines), match_file(other), keys=())
    assert unsigned.clean, "anybody may play with a seed"
    assert sum("told in two ways" in note for each in unsigned.reports for note in each.notes) == 1
    assert not verified(tmp_path, sealed_match(lines, ring()), match_file(other), keys=()).clean


def test_a_file_that_only_ends_earlier_agrees(tmp_path: Path) -> None:
    lines = list(lines_of())
    again = sealed_match(first_hand(lines), ring())
    assert verified(tmp_path, again, sealed_match(lines, ring()), again, signed_match("basic", "another")).clean


def test_two_receipts_of_one_hand_that_differ_are_at_fault(tmp_path: Path) -> None:
    found = verified(tmp_path, receipt(lines_of(), 2), receipt(other_way(), 2), receipt(lines_of(), 1))
    assert [bool(each.fault) for each in found.receipts] == [False, True, False]
    assert "tells something else of the same hand" in str(found.receipts[1].fault)
    assert verified(tmp_path, receipt(lines_of(), 2), receipt(lines_of(), 2)).clean


def test_a_receipt_that_was_compared_with_nothing_says_so(tmp_path: Path) -> None:
    mine, other = receipt(lines_of(), 1), receipt(lines_of(seed="another"), 1)
    notes = [each.note for each in verified(tmp_path, signed_match(), mine, other).receipts]
    assert notes[0] is None
    assert "no match file of its table" in str(notes[1])
    assert verified(tmp_path, other).receipts[0].note is None


@pytest.mark.parametrize("cut", ["seated", "first hand", "whole"])
def test_a_match_that_is_not_over_is_said_to_end_there(cut: str, tmp_path: Path) -> None:
    lines = list(lines_of())
    lines = {"seated": lines[:5], "first hand": list(first_hand(lines)), "whole": lines}[cut]
    (report,) = verified(tmp_path, match_file(lines), keys=()).reports
    said = f"the match is not over here: it ends after event {len(lines)}"
    assert report.clean
    assert any(said in note for note in report.notes) == (cut != "whole")


END = open_line(lines_of()[-1]).time


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ([stranger(END)], "does not know this table"),
        ([leaf(first_hand(lines_of()), END)], f"up to event {len(first_hand(lines_of()))} of {len(lines_of())}"),
        ([leaf(lines_of())], f"up to event {len(lines_of())} of {len(lines_of())}"),
    ],
    ids=["not yet", "to the first hand", "to the end"],
)
def test_it_is_said_how_far_the_log_knows_a_match(leaves: list[Leaf], words: str, tmp_path: Path) -> None:
    (report,) = verified(tmp_path, signed_match(), checkpoints=log_in(tmp_path / "log", *leaves)).reports
    assert report.clean
    assert words in report.notes[-1]


@pytest.mark.parametrize("leaves", [[], [leaf(first_hand(lines_of()), END)]], ids=["not at all", "to the first hand"])
def test_a_match_that_was_over_long_ago_is_in_the_log_to_its_end(leaves: list[Leaf], tmp_path: Path) -> None:
    """The log took in every table that moved; one that it does not know was not on record."""
    (report,) = verified(tmp_path, signed_match(), checkpoints=log_in(tmp_path / "log", *leaves, stranger())).reports
    (fault,) = report.faults
    known = max((each.version for each in leaves), default=0)
    assert (fault.kind, fault.version, fault.until) == ("checkpoint", known + 1, len(lines_of()))


def nothing(_: Path) -> None: ...


def empty(folder: Path) -> None:
    folder.mkdir()


def a_file(folder: Path) -> None:
    folder.write_text("log")


def of_another(folder: Path) -> None:
    log_in(folder, leaf(lines_of()), signer=key(2))


def changed(folder: Path) -> None:
    path = log_in(folder, leaf(lines_of()), stranger()) / "leaves.ndjson"
    path.write_bytes(path.read_bytes().replace(b"t-stranger", b"t-stronger"))


BROKEN = [
    (nothing, "no checkpoints in"),
    (empty, "no checkpoints in"),
    (a_file, "no checkpoints in"),
    (of_another, "not by a key that is known"),
    (changed, "its root is not that of the leaves"),
]


@pytest.mark.parametrize(("made", "words"), BROKEN, ids=[made.__name__ for made, _ in BROKEN])
def test_a_log_that_one_names_must_be_whole_and_signed(
    made: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    made(tmp_path / "log")
    with pytest.raises((CheckpointFault, Unreadable), match=words):
        verified(tmp_path, signed_match(), checkpoints=tmp_path / "log")


def test_a_log_is_named_together_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(CheckpointFault, match="name the key of the log with --key"):
        verified(tmp_path, signed_match(), checkpoints=log_in(tmp_path / "log", stranger()), keys=())


def test_a_broken_log_of_the_data_folder_does_not_stop_an_offline_check(tmp_path: Path) -> None:
    note = log_in(tmp_path / "data" / FOLDER, stranger()) / "notes" / "00000001.note"
    note.write_text("rotten")
    found = verified(tmp_path, signed_match())
    assert found.clean
    assert [str(note) in each and "nothing was compared with it" in each for each in found.notes] == [True]
    with pytest.raises(CheckpointFault, match=note.name):
        known_from(None, Settings(data=tmp_path / "data"), None, strict=True)


def test_keys_may_come_through_a_pipe(tmp_path: Path) -> None:
    """As with `--key <(curl …)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_text, args=(key(1).public.text(),))
    writing.start()
    assert trust_of([str(pipe)], Settings(data=tmp_path)) == trust_of([key(1).public.text()], Settings(data=tmp_path))
    writing.join()


def test_a_key_of_the_data_folder_is_called_that(tmp_path: Path) -> None:
    """Whoever made the folder in which one stands may have put keys there; only what was named is known for sure."""
    match = tmp_path / "m.ndjson"
    match.write_bytes(sealed_match(lines_of(), load_ring(tmp_path)))
    done = shuangkou("verify", str(match), data=tmp_path)
    assert done.returncode == 0
    assert f"which is a key of the data folder {tmp_path}" in done.stdout
    assert "a key you know" not in done.stdout


@pytest.mark.parametrize("file", [signed_match(), receipt(lines_of(), 1)], ids=["match", "receipt"])
def test_a_key_that_goes_by_the_name_of_a_known_one_is_at_fault(file: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(file)
    load_ring(tmp_path, NAME)
    done = shuangkou("verify", str(path), data=tmp_path)
    assert (done.returncode, "that name is of other keys" in done.stdout) == (1, True), done.stdout + done.stderr
