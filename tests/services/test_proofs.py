"""Receipts, signed match files and the checkpoint log over HTTP, and the process that writes the log, on a real NATS server."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from domain.proofs.log import Head, check_notes, read_leaves
from domain.proofs.merkle import Tree, is_consistent, leaf_hash, root_of_path
from domain.proofs.notes import read_checkpoint, read_note
from domain.proofs.receipts import signer_of
from domain.proofs.sealing import leaf_line
from domain.verify import Trust, verify_file
from projections.base import Projector, open_engine
from projections.runner import make
from schemas.envelope import open_line
from schemas.proofs import Leaf, Receipt
from services.checkpoints import (
    FOLDER,
    CheckpointFault,
    CheckpointLog,
    CheckpointWriter,
    Follower,
    catch_up,
    put_on_record,
)
from services.keys import load_ring
from services.witness import check_copy
from tests.services.kit import AtTable, Running, hand_running


@pytest.fixture
async def played(service: Running) -> AtTable:
    """A table after its first hand."""
    table = await hand_running(service, "huopin", hands=2)
    await table.play_out()
    return table


def trust(service: Running) -> Trust:
    return Trust(tuple(key.public for key in load_ring(service.parts.settings.data).keys))


async def checkpoint(service: Running, time: str = "2026-12-02T00:00:00.000Z") -> int | None:
    """What the process does in each round."""
    writer = CheckpointWriter(service.parts.settings.data / FOLDER)
    try:
        follower = Follower.knowing(writer)
        await catch_up(service.store, follower)
        return put_on_record(writer, follower, load_ring(service.parts.settings.data), time)
    finally:
        writer.close()


async def test_a_hand_that_is_over_has_a_receipt_for_everybody(service: Running, played: AtTable) -> None:
    found = [await played.get("hands/1/receipt", who) for who in (None, "alice", "auditor")]
    assert [each.status_code for each in found] == [200, 200, 200]
    assert len({each.content for each in found}) == 1
    receipt = Receipt.model_validate_json(found[0].content)
    assert trust(service).pins(signer_of(receipt))
    events = [open_line(each.data) for each in await service.store.read(played.id)]
    assert receipt.receipt.head == events[receipt.receipt.last - 1].hash
    assert (events[receipt.receipt.first - 1].name, events[receipt.receipt.last - 1].name) == (
        "shuangkou.hand-started.v1",
        "shuangkou.seed-revealed.v1",
    )


async def test_a_running_hand_has_none(played: AtTable) -> None:
    assert (await played.get("hands/2/receipt")).status_code == 404
    await played.post("hands", "operator")
    answer = await played.get("hands/2/receipt", "auditor")
    assert (answer.status_code, answer.json()["rule"]) == (404, "hand_not_over")
    assert (await played.get("hands/1/receipt")).status_code == 200
    assert (await played.get("hands/0/receipt")).status_code == 400


async def test_a_receipt_is_found_by_its_number(service: Running, played: AtTable) -> None:
    receipt = (await played.get("hands/1/receipt")).json()
    number = receipt["receipt"]["number"]
    settings = service.parts.settings
    missing = await service.client.get(f"/receipts/{number}")
    assert (missing.status_code, missing.json()["rule"]) == (503, "view_missing")
    projector = Projector(open_engine(settings.database("audit")), make("audit", lambda _: ()))
    projector.open()
    records = await service.store.read(played.id)
    projector.feed([(each.sequence, each.data) for each in records])
    for typed in (number, number.lower(), number.replace("-", ""), number.replace("0", "o").replace("1", "i")):
        assert (await service.client.get(f"/receipts/{typed}")).json() == receipt
    unknown = "0000-0000-0000" if not number.startswith("0000") else "1111-1111-1111"
    assert (await service.client.get(f"/receipts/{unknown}")).json()["rule"] == "no_such_receipt"
    assert (await service.client.get("/receipts/hello")).status_code == 400


async def test_an_exported_match_is_signed(service: Running, played: AtTable) -> None:
    exported = await played.get("export")
    report = verify_file(exported.content, trust(service))
    assert report.clean, report.faults
    assert report.signed is not None
    assert (report.signed.receipts, report.signed.checkpoint) == (1, None)
    assert (await played.get("export")).content == exported.content


async def test_the_keys_are_public(service: Running) -> None:
    shown = (await service.client.get("/keys")).json()
    ring = load_ring(service.parts.settings.data)
    assert shown["current"] == ring.current.public.id
    assert "secret" not in str(shown)
    assert ring.current.secret.hex() not in str(shown)


async def test_heads_are_put_on_record_once_and_running_hands_are_not(service: Running, played: AtTable) -> None:
    running = await hand_running(service)
    await running.move()
    assert await checkpoint(service) == 1
    assert await checkpoint(service) is None
    leaves = [leaf async for leaf in _leaves(service)]
    at_rest = {leaf.table: leaf.version for leaf in leaves}
    assert at_rest[played.id] == await played.versions()
    assert at_rest[running.id] == 5  # opened and four seated: before the hand
    assert [leaf.table for leaf in leaves] == sorted(leaf.table for leaf in leaves)
    await running.play_out()
    assert await checkpoint(service) == 2
    latest = [leaf async for leaf in _leaves(service)][-1]
    assert (latest.table, latest.version) == (running.id, await running.versions())


async def _leaves(service: Running) -> AsyncIterator[Leaf]:
    for leaf in read_leaves((await service.client.get("/checkpoints/leaves")).content.splitlines()):
        yield leaf


async def test_the_log_can_be_copied_and_checked_by_anybody(service: Running, played: AtTable) -> None:
    await checkpoint(service)
    await played.post("hands", "operator")
    await played.play_out()
    await checkpoint(service)
    listed = (await service.client.get("/checkpoints")).json()
    assert (listed["latest"], listed["size"]) == (2, 2)
    notes = [(await service.client.get(f"/checkpoints/{number}")).text for number in (1, 2)]
    assert (await service.client.get("/checkpoints/latest")).text == notes[1]
    tree = Tree()
    for line in (await service.client.get("/checkpoints/leaves")).content.splitlines():
        tree.append(line)
    sizes = [each.size for each in check_notes(notes, tree, trust(service).keys)]
    assert sizes == [1, 2]
    proof = (await service.client.get("/checkpoints/2/consistency", params={"since": 1})).json()["proof"]
    old, new = (read_checkpoint(read_note(note).text) for note in notes)
    assert is_consistent(old.size, old.root, new.size, new.root, [bytes.fromhex(each) for each in proof])
    assert (await service.client.get("/checkpoints/3")).json()["rule"] == "no_such_checkpoint"
    assert (await service.client.get("/checkpoints/1/consistency", params={"since": 2})).status_code == 404


async def test_a_table_is_shown_to_be_in_the_newest_checkpoint(service: Running, played: AtTable) -> None:
    assert (await played.get("checkpoint")).json()["rule"] == "no_checkpoint"
    await checkpoint(service)
    found = (await played.get("checkpoint")).json()
    leaf = leaf_line(Leaf(**{name: found[name] for name in ("hash", "table", "time", "version")}))
    shown = read_checkpoint(read_note(found["note"]).text)
    path = [bytes.fromhex(each) for each in found["path"]]
    assert root_of_path(leaf_hash(leaf), found["index"], shown.size, path) == shown.root
    report = verify_file((await played.get("export")).content, trust(service))
    assert report.clean, report.faults
    assert report.signed is not None
    assert report.signed.checkpoint == await played.versions()


async def test_what_was_being_added_when_the_process_died_is_taken_back(service: Running, played: AtTable) -> None:
    await checkpoint(service)
    leaves = service.parts.settings.data / FOLDER / "leaves.ndjson"
    whole = leaves.read_bytes()
    leaves.write_bytes(whole + b'{"hash":"unsigned"}\n{"half')
    await played.post("hands", "operator")
    await played.play_out()
    assert await checkpoint(service) == 2
    assert leaves.read_bytes().startswith(whole)
    log = CheckpointLog(service.parts.settings.data / FOLDER)
    assert len(list(read_leaves(log.leaves))) == log.size == 2


async def test_a_record_that_was_rewritten_is_not_signed_over(service: Running, played: AtTable) -> None:
    """The log says what the record was; a record that is another now, or shorter, stops it."""
    folder = service.parts.settings.data / FOLDER
    head = await played.versions()
    for changed in (Leaf(hash="0" * 64, table=played.id, time="2026-12-02T00:00:00.000Z", version=head), None):
        writer = CheckpointWriter(folder)
        lost = Leaf(hash="1" * 64, table="t-lost", time="2026-12-02T00:00:00.000Z", version=4)
        writer.append([changed or lost], load_ring(service.parts.settings.data).current)
        writer.close()
        with pytest.raises(CheckpointFault, match="rewritten" if changed else "events were lost"):
            await checkpoint(service)
        for path in (*folder.glob("notes/*"), folder / "leaves.ndjson"):
            path.unlink()


def test_only_one_process_writes(tmp_path: Path) -> None:
    first = CheckpointWriter(tmp_path)
    with pytest.raises(CheckpointFault, match="another process"):
        CheckpointWriter(tmp_path)
    first.close()
    CheckpointWriter(tmp_path).close()


def test_leaves_that_were_changed_are_not_signed_over(tmp_path: Path) -> None:
    writer = CheckpointWriter(tmp_path)
    leaf = Leaf(hash="1" * 64, table="t-1", time="2026-12-02T00:00:00.000Z", version=4)
    writer.append([leaf], load_ring(tmp_path).current)
    writer.close()
    leaves = tmp_path / "leaves.ndjson"
    leaves.write_bytes(leaves.read_bytes().replace(b"t-1", b"t-2"))
    with pytest.raises(CheckpointFault, match="other leaves than were signed"):
        CheckpointWriter(tmp_path)
    leaves.write_bytes(b"")
    with pytest.raises(CheckpointFault, match="ends after 0 leaves"):
        CheckpointLog(tmp_path)


def log_of_three(folder: Path) -> list[Path]:
    """A log of three checkpoints with a leaf each; the files of the checkpoints."""
    writer = CheckpointWriter(folder)
    for number in (1, 2, 3):
        leaf = Leaf(hash=f"{number}" * 64, table=f"t-{number}", time="2026-12-02T00:00:00.000Z", version=4)
        writer.append([leaf], load_ring(folder).current)
    writer.close()
    return sorted(folder.glob("notes/*.note"))


def cut_first(notes: list[Path], _: Path) -> None:
    notes[0].unlink()


def cut_second(notes: list[Path], _: Path) -> None:
    notes[1].unlink()


def spoil_second(notes: list[Path], _: Path) -> None:
    notes[1].write_bytes(b"\xff rotten")


def cut_leaves(_: list[Path], leaves: Path) -> None:
    leaves.unlink()


def spoil_leaf(_: list[Path], leaves: Path) -> None:
    leaves.write_bytes(leaves.read_bytes().replace(b'"version":4', b'"version":"4"', 1))


BROKEN = [
    (cut_first, r"notes/00000001\.note is missing, though there is a checkpoint 3"),
    (cut_second, r"notes/00000002\.note is missing, though there is a checkpoint 3"),
    (spoil_second, r"notes/00000002\.note: "),
    (cut_leaves, r"leaves\.ndjson is missing"),
    (spoil_leaf, r"leaves\.ndjson: leaf 0: not a leaf"),
]


@pytest.mark.parametrize(("broken", "words"), BROKEN, ids=[each.__name__ for each, _ in BROKEN])
def test_a_log_of_which_something_is_missing_is_not_read_as_a_shorter_one(
    broken: Callable[[list[Path], Path], None], words: str, tmp_path: Path
) -> None:
    """Nor signed over: the process would sign another checkpoint of the same number."""
    broken(log_of_three(tmp_path), tmp_path / "leaves.ndjson")
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for opened in (CheckpointLog, CheckpointWriter):
        with pytest.raises(CheckpointFault, match=words):
            opened(tmp_path)
    assert files.items() <= {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}.items()


def test_what_nobody_signed_is_counted(tmp_path: Path) -> None:
    log_of_three(tmp_path)
    trust = Trust(tuple(key.public for key in load_ring(tmp_path).keys))
    assert (found := check_copy(tmp_path, trust))["unsigned"] == 0
    assert (found["checkpoints"], found["leaves"]) == (3, 3)
    with (tmp_path / "leaves.ndjson").open("ab") as file:
        file.write(b"garbage\n")
    assert check_copy(tmp_path, trust)["unsigned"] == 8


def test_the_head_of_a_table_that_never_moved_is_none() -> None:
    assert Head().rest_version == 0
