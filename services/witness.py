"""The second party: a copy of somebody's checkpoint log, fetched over HTTP, checked, and never taken back."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from domain.proofs.checking import Trust
from domain.proofs.log import check_notes, read_leaves
from domain.proofs.merkle import Tree
from domain.proofs.notes import read_checkpoint, read_note
from domain.verifying.frame import Known
from schemas.notation import Unreadable
from services.checkpoints import CheckpointFault, CheckpointLog, CheckpointWriter
from services.client import Client
from services.settings import Settings

PAGE: Final = 10_000
SAMPLE: Final = 100
"""So many leaves that one has are asked for again, from a place that the service cannot know beforehand."""
REFUSED: Final = "refused"
"""The folder in a copy in which lies what a service gave that contradicts the copy, or itself."""


@dataclass
class Fetched:
    """What a service gave: checkpoints by their numbers, and leaves."""

    notes: dict[int, str] = field(default_factory=dict)
    leaves: list[bytes] = field(default_factory=list)


def copy_log(folder: Path, settings: Settings, trust: Trust) -> int:
    """Fetch the checkpoints that the copy does not have yet, and their leaves; how many there were.

    Nothing is added before all of it was checked. The newest checkpoint that the copy has and some of its leaves are asked for again: they
    must be the same. Raises Failed, or CheckpointFault when the service tells another story now; what it told is kept as evidence.
    """
    have, found = CheckpointWriter(folder), Fetched()
    try:
        with Client(settings) as client:
            latest = client.get("/checkpoints", limit=1)["latest"]
            _compare(have, latest, client, found)
            _fetch(have, latest, client, found)
        new = list(found.notes.values())
        _check([*have.notes, *new], [*have.leaves, *found.leaves], trust)
        have.adopt(found.leaves, new)
    except (CheckpointFault, Unreadable) as error:
        raise CheckpointFault(f"{error}. {_kept(folder, found)}") from None
    finally:
        have.close()
    return len(found.notes)


def _compare(have: CheckpointLog, latest: int, client: Client, found: Fetched) -> None:
    """Raise CheckpointFault unless the service still has what the copy has."""
    if latest < have.latest:
        raise CheckpointFault(
            f"the service has {latest} checkpoints, but {have.latest} were seen before: it took some back"
        )
    if not have.latest:
        return
    note = client.answer(f"/checkpoints/{have.latest}").text
    if note != have.notes[-1]:
        found.notes[have.latest] = note
        raise CheckpointFault(f"the service now gives another checkpoint {have.latest} than it did: its log is another")
    start = secrets.randbelow(max(have.size - SAMPLE, 0) + 1)
    given = client.answer("/checkpoints/leaves", start=start, limit=SAMPLE).content.split(b"\n")
    mine = have.leaves[start : start + SAMPLE]
    if given[: len(mine)] != mine:
        found.leaves += given
        raise CheckpointFault(f"the service now gives other leaves from {start} on than it did: its log is another")


def _fetch(have: CheckpointLog, latest: int, client: Client, found: Fetched) -> None:
    for number in range(have.latest + 1, latest + 1):
        found.notes[number] = client.answer(f"/checkpoints/{number}").text
    end = read_checkpoint(read_note(found.notes[latest]).text).size if found.notes else have.size
    while (start := have.size + len(found.leaves)) < end:
        wanted = min(PAGE, end - start)
        *lines, _ = client.answer("/checkpoints/leaves", start=start, limit=wanted).content.split(b"\n")
        if not lines:
            raise CheckpointFault(f"the service gives no leaf {start}, though it signed a checkpoint over {end}")
        found.leaves += lines[:wanted]


def _kept(folder: Path, found: Fetched) -> str:
    """Put aside what was refused; where it is now, in words."""
    if not (found.notes or found.leaves):
        return "The copy is as it was 副本未改动"
    aside = folder / REFUSED / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside.mkdir(parents=True)
    for number, note in found.notes.items():
        (aside / f"{number:08d}.note").write_text(note, encoding="utf-8")
    (aside / "leaves.ndjson").write_bytes(b"".join(line + b"\n" for line in found.leaves))
    return (
        f"The copy is as it was; what the service gave is kept in {aside} as evidence 副本未改动,所取内容已另存为证据"
    )


def check_copy(folder: Path, trust: Trust) -> dict[str, Any]:
    """Check every signature, root and leaf of a copy; what is in it. Raises Unreadable or CheckpointFault with the first thing at fault.

    `unsigned` are bytes after the last leaf that was signed; they count for nothing.
    """
    log = CheckpointLog(folder)
    if not log.latest:
        raise CheckpointFault(f"there are no checkpoints in {folder} 文件夹中没有检查点")
    return {**_check(log.notes, log.leaves, trust), "unsigned": log.unsigned}


def _check(notes: Sequence[str], leaves: Sequence[bytes], trust: Trust) -> dict[str, Any]:
    if not notes:
        raise CheckpointFault("the service has no checkpoints yet 服务尚无检查点")
    tree, tables = Tree(), set()
    for leaf, line in zip(read_leaves(leaves), leaves, strict=True):
        tree.append(line)
        tables.add(leaf.table)
    named = {each.name for note in notes for each in read_note(note).signatures}
    keys = [each for key in trust.keys for each in key.under(named)]
    last = list(check_notes(notes, tree, keys))[-1]
    return {"origin": last.origin, "checkpoints": len(notes), "leaves": len(leaves), "tables": len(tables)}


@dataclass(frozen=True)
class LogKnows:
    """What a log knows of each table; `latest` is when its newest leaf was put on record, empty when there is none."""

    tables: dict[str, list[Known]]
    latest: str


def known_of(folder: Path) -> LogKnows:
    """What a log, or a copy of one, knows. Raises CheckpointFault when its leaves are not those that were signed; looks at no signature."""
    log = CheckpointLog(folder)
    log.check_root()
    found: dict[str, list[Known]] = {}
    latest = ""
    try:
        for index, leaf in enumerate(read_leaves(log.leaves)):
            witness = f"Leaf {index} of the checkpoint log"
            found.setdefault(leaf.table, []).append(Known(leaf.version, leaf.hash, witness))
            latest = leaf.time
    except Unreadable as error:
        raise CheckpointFault(f"{folder}: {error}") from None
    return LogKnows(found, latest)
