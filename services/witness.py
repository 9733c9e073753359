"""The second party: a copy of somebody's checkpoint log, fetched over HTTP, checked, and never taken back."""

from pathlib import Path
from typing import Any, Final

from domain.proofs.checking import Trust
from domain.proofs.log import check_notes, read_leaves
from domain.proofs.merkle import Tree
from domain.proofs.notes import read_checkpoint, read_note
from domain.verifying.frame import Known
from services.checkpoints import CheckpointFault, CheckpointLog
from services.client import Client
from services.settings import Settings

PAGE: Final = 10_000


def copy_log(folder: Path, settings: Settings) -> int:
    """Fetch the checkpoints that the copy does not have yet, and their leaves; how many there were.

    What the copy has is not fetched again: if the service tells another story now, the roots will not fit. Raises Failed.
    """
    (folder / "notes").mkdir(parents=True, exist_ok=True)
    have = CheckpointLog(folder)
    with Client(settings) as client:
        latest = client.get("/checkpoints", limit=1)["latest"]
        if latest < have.latest:
            raise CheckpointFault(
                f"the service has {latest} checkpoints, but {have.latest} were seen before: it took some back"
            )
        notes = [client.answer(f"/checkpoints/{number}").text for number in range(have.latest + 1, latest + 1)]
        size = read_checkpoint(read_note(notes[-1]).text).size if notes else have.size
        _fetch_leaves(folder, client, have.size, size)
    for number, note in enumerate(notes, start=have.latest + 1):
        (folder / "notes" / f"{number:08d}.note").write_text(note, encoding="utf-8")
    return len(notes)


def _fetch_leaves(folder: Path, client: Client, start: int, end: int) -> None:
    path = folder / "leaves.ndjson"
    known = path.read_bytes().splitlines(keepends=True)[:start] if path.exists() else []
    with path.open("wb") as file:
        file.writelines(known)
        while start < end:
            content = client.answer("/checkpoints/leaves", start=start, limit=min(PAGE, end - start)).content
            if not content:
                raise CheckpointFault(f"the service gives no leaf {start}, though it signed a checkpoint over {end}")
            file.write(content)
            start += content.count(b"\n")


def check_copy(folder: Path, trust: Trust) -> dict[str, Any]:
    """Check every signature, root and leaf of a copy; what is in it. Raises Unreadable or CheckpointFault with the first thing at fault."""
    log = CheckpointLog(folder)
    if not log.latest:
        raise CheckpointFault(f"there are no checkpoints in {folder}")
    tree, tables = Tree(), set()
    for leaf, line in zip(read_leaves(log.leaves), log.leaves, strict=True):
        tree.append(line)
        tables.add(leaf.table)
    named = {each.name for note in log.notes for each in read_note(note).signatures}
    keys = [each for key in trust.keys for each in key.under(named)]
    last = list(check_notes(log.notes, tree, keys))[-1]
    return {"origin": last.origin, "checkpoints": log.latest, "leaves": log.size, "tables": len(tables)}


def known_of(folder: Path) -> dict[str, list[Known]]:
    """What a copy of a log knows of each table."""
    log = CheckpointLog(folder)
    found: dict[str, list[Known]] = {}
    for index, leaf in enumerate(read_leaves(log.leaves)):
        found.setdefault(leaf.table, []).append(Known(leaf.version, leaf.hash, f"Leaf {index} of the checkpoint log"))
    return found
