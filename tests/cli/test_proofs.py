"""Signed files, receipts and checkpoints on the command line, with a real house behind it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.proofs.sealing import sealed_match
from services.keys import FILE, load_ring, rotate
from tests.kit.house import House, shuangkou
from tests.kit.proofs import key, lines_of, ring, signed_match


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHUANGKOU_CHECKPOINT_SECONDS", "1")
        patch.setenv("SHUANGKOU_NAME", "tables.example/drill")
        with House(tmp_path_factory.mktemp("proofs") / "data", "--no-demo") as running:
            yield running


@pytest.fixture(scope="module")
def table(house: House) -> str:
    played = house.json("play", "--ruleset", "huopin", "--tables", "1", "--hands", "2", "--seed", "1")
    return str(played["tables"][0]["table"])


def put_on_record(house: House, table: str) -> None:
    """Wait until the end of the table is in a checkpoint."""
    deadline = time.monotonic() + 60
    versions = house.json("tables")[0]["version"]
    leaf, note = f'"table":"{table}"', house.data / "checkpoints" / "notes" / "00000001.note"
    while (
        not note.exists() or f'"version":{versions}}}' not in (house.data / "checkpoints" / "leaves.ndjson").read_text()
    ):
        assert time.monotonic() < deadline, f"{leaf} was not put on record"
        time.sleep(0.05)


def receipt_of(house: House, table: str, hand: int) -> bytes:
    from services.client import Client
    from services.settings import Settings

    with Client(Settings(data=house.data)) as client:
        return client.answer(f"/tables/{table}/hands/{hand}/receipt").content


def test_an_exported_file_and_a_receipt_are_checked_with_nothing_but_the_key(
    house: House, table: str, tmp_path: Path
) -> None:
    match, receipt, keys = tmp_path / "m.ndjson", tmp_path / "r.json", tmp_path / "public.json"
    assert house.run("export", table, "-o", str(match)).returncode == 0
    receipt.write_bytes(receipt_of(house, table, 2))
    shown = house.run("keys", "show", "--json")
    assert shown.returncode == 0
    keys.write_text(shown.stdout)
    assert json.loads(shown.stdout)["name"] == "tables.example/drill"
    done = shuangkou("verify", str(match), str(receipt), "--key", str(keys), data=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "which is a key you know; 2 回执 receipts" in done.stdout
    assert "回执 receipt" in done.stdout
    alone = shuangkou("verify", str(match), data=tmp_path)
    assert "compare it with one you have from elsewhere" in alone.stdout
    told = house.json("verify", table)
    assert told["tables"][0]["signed"]["pinned"] is True


def test_a_second_party_copies_the_log_and_finds_a_record_that_was_made_anew(
    house: House, table: str, tmp_path: Path
) -> None:
    copy, public = tmp_path / "copy", load_ring(house.data).current.public.public.hex()
    put_on_record(house, table)
    copied = house.json("checkpoints", "copy", str(copy), "--key", public)
    assert (copied["origin"], copied["tables"]) == ("tables.example/drill", 1)
    assert house.json("checkpoints", "copy", str(copy), "--key", public)["fetched"] == 0
    match = tmp_path / "m.ndjson"
    house.run("export", table, "-o", str(match))
    checked = shuangkou("verify", str(match), "--key", public, "--checkpoints", str(copy), data=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert "检查点 checkpoint over" in checked.stdout
    assert house.run("verify", "--all", "--checkpoints", str(copy)).returncode == 0
    leaves = copy / "leaves.ndjson"
    leaves.write_bytes(leaves.read_bytes().replace(b'"hash":"', b'"hash":"f', 1).replace(b'","table"', b'","table"', 1))
    broken = shuangkou("checkpoints", "check", str(copy), "--key", public, data=tmp_path)
    assert broken.returncode == 1
    assert "Traceback" not in broken.stderr


def test_keys_are_rotated_and_both_stay_good(tmp_path: Path) -> None:
    load_ring(tmp_path)
    assert shuangkou("keys", "rotate", data=tmp_path).returncode == 0
    again = shuangkou("keys", "rotate", data=tmp_path)
    assert again.returncode == 1
    assert "has not begun" in again.stderr
    shown = shuangkou("keys", data=tmp_path)
    assert all(each.public.text() in shown.stdout for each in load_ring(tmp_path).keys)


def test_without_keys_it_is_said_what_makes_them(tmp_path: Path) -> None:
    done = shuangkou("keys", "show", data=tmp_path)
    assert done.returncode == 1
    assert "shuangkou up" in done.stderr
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    ("by", "status", "words"),
    [
        (key(1).public.public.hex(), 0, "which is a key you know"),
        (key(1).public.text(), 0, "which is a key you know"),
        (key(2).public.public.hex(), 1, "not by the key that was pinned"),
        ("hello", 1, "is no key"),
    ],
)
def test_a_key_is_pinned_by_its_digits_or_its_word(by: str, status: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "m.ndjson"
    path.write_bytes(signed_match())
    done = shuangkou("verify", str(path), "--key", by, data=tmp_path)
    assert done.returncode == status
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"{", b"hello"])
def test_a_file_that_holds_no_keys_is_named(content: bytes, tmp_path: Path) -> None:
    path, keys = tmp_path / "m.ndjson", tmp_path / "keys.pub"
    path.write_bytes(signed_match())
    keys.write_bytes(content)
    done = shuangkou("verify", str(path), "--key", str(keys), data=tmp_path)
    assert done.returncode == 1
    assert str(keys) in done.stderr
    assert "Error" not in done.stderr


def test_a_receipt_that_somebody_kept_tells_that_a_match_was_made_anew(tmp_path: Path) -> None:
    """The operator signs another match under the same name; the player still has the receipt."""
    from domain.proofs.receipts import finished_hands, sign_receipt
    from schemas.envelope import read_line

    lines = lines_of()
    first, _ = finished_hands(map(read_line, lines))
    kept = sign_receipt(first, ring())
    (tmp_path / "r.json").write_text(kept.model_dump_json())
    other = [line.replace(b'"player":"east"', b'"player":"evil"') for line in lines_of(hands=1)[:2]]
    from tests.faults.test_tamper import rechained

    forged = rechained([*other, *lines[2:]], 1)
    (tmp_path / "m.ndjson").write_bytes(sealed_match(forged, ring()))
    done = shuangkou("verify", str(tmp_path / "m.ndjson"), str(tmp_path / "r.json"), "--json", data=tmp_path)
    assert done.returncode == 1
    (fault,) = json.loads(done.stdout)["tables"][0]["faults"]
    assert fault["kind"] == "forged"
    assert fault["version"] <= 2 <= fault["until"]
    assert kept.receipt.number in fault["en"]


def test_a_changed_receipt_is_found(tmp_path: Path) -> None:
    from domain.proofs.receipts import finished_hands, sign_receipt
    from schemas.envelope import read_line

    hand = next(finished_hands(map(read_line, lines_of())))
    good: dict[str, Any] = json.loads(sign_receipt(hand, ring()).model_dump_json())
    for change in ({"score": [9, -9, 9, -9]}, {"score": "much"}, {"number": "1"}):
        path = tmp_path / "r.json"
        path.write_text(json.dumps({**good, "receipt": {**good["receipt"], **change}}))
        done = shuangkou("verify", str(path), data=tmp_path)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "eceipt" in done.stdout + done.stderr


def test_a_simulated_match_is_signed_when_keys_are_given(tmp_path: Path) -> None:
    load_ring(tmp_path)
    rotate(tmp_path)
    arguments = ("simulate", "--ruleset", "basic", "--hands", "1", "--seed", "1", "--out")
    for name in ("a", "b"):
        assert shuangkou(*arguments, str(tmp_path / name), "--sign", str(tmp_path / FILE)).returncode == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert "which is a key of the data folder" in shuangkou("verify", str(tmp_path / "a"), data=tmp_path).stdout
    assert shuangkou(*arguments, str(tmp_path / "c")).returncode == 0
    plain = shuangkou("verify", str(tmp_path / "c"), data=tmp_path)
    assert plain.returncode == 0
    assert "not signed" in plain.stdout
    pinned = shuangkou("verify", str(tmp_path / "c"), "--key", key(1).public.public.hex(), data=tmp_path)
    assert pinned.returncode == 1
    assert "a key was pinned" in pinned.stdout
