"""The checkpoint log: leaves that each put a table's head on record, and signed checkpoints over them.

Leaves are only ever added, so the tree of every checkpoint begins the trees of all later ones (RFC 6962), and a table's leaves must
climb: a later one is of a later event. Only heads at which no hand is being played are put on record: the hash of an event
of a running hand would let those who know most of the cards find out the rest by trying.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from pydantic import ValidationError

from domain.proofs.keys import PublicKey
from domain.proofs.merkle import Tree
from domain.proofs.notes import Checkpoint, read_checkpoint, read_note
from domain.proofs.sealing import leaf_line
from schemas.canonical import GENESIS
from schemas.envelope import Opened
from schemas.events import HandStarted, SeedRevealed, type_name
from schemas.notation import Unreadable
from schemas.proofs import Checkpointed, Leaf

BEGINS = type_name(HandStarted)
ENDS = type_name(SeedRevealed)


@dataclass(slots=True)
class Head:
    """Where a table stands, and where it stood when last no hand was being played (`rest_version` 0: never)."""

    version: int = 0
    hash: str = GENESIS
    playing: bool = False
    rest_version: int = 0
    rest_hash: str = GENESIS

    def follow(self, event: Opened) -> None:
        """Go on to the next event. Raises ValueError when it does not follow."""
        if (event.version - 1, event.prev) != (self.version, self.hash):
            raise ValueError(f"event {event.table}:{event.version} does not chain to the one before it")
        self.version, self.hash = event.version, event.hash
        if event.name == BEGINS:
            self.playing = True
        elif event.name == ENDS:
            self.playing = False
        if not self.playing:
            self.rest_version, self.rest_hash = self.version, self.hash


def read_leaf(line: bytes) -> Leaf:
    """A leaf from its line. Raises Unreadable unless it is in canonical form."""
    try:
        leaf = Leaf.model_validate(orjson.loads(line))
    except (orjson.JSONDecodeError, ValidationError):
        raise Unreadable("not a leaf of a checkpoint log") from None
    if leaf_line(leaf) != line:
        raise Unreadable("not in canonical form (RFC 8785)")
    return leaf


def read_leaves(lines: Iterable[bytes]) -> Iterator[Leaf]:
    """The leaves of a log from the first on. Raises Unreadable for one that cannot follow."""
    latest: dict[str, int] = {}
    time = ""
    for index, line in enumerate(lines):
        try:
            leaf = read_leaf(line)
        except Unreadable as error:
            raise Unreadable(f"leaf {index}: {error}") from None
        if leaf.version <= latest.get(leaf.table, 0):
            raise Unreadable(
                f"leaf {index}: table {leaf.table} was at event {latest[leaf.table]} before, now at {leaf.version}"
            )
        if leaf.time < time:
            raise Unreadable(f"leaf {index}: it is older than the leaf before it")
        latest[leaf.table], time = leaf.version, leaf.time
        yield leaf


def check_notes(notes: Sequence[str], tree: Tree, keys: Sequence[PublicKey]) -> Iterator[Checkpoint]:
    """The checkpoints of a log, each signed by one of the keys and true of the leaves. Raises Unreadable."""
    size = 0
    for number, text in enumerate(notes, start=1):
        try:
            yield (found := _check_note(text, tree, keys))
        except Unreadable as error:
            raise Unreadable(f"checkpoint {number}: {error}") from None
        if found.size < size:
            raise Unreadable(f"checkpoint {number}: it has {found.size} leaves, the one before it {size}")
        size = found.size


def _check_note(text: str, tree: Tree, keys: Sequence[PublicKey]) -> Checkpoint:
    note = read_note(text)
    signer = note.signer(keys)
    if signer is None:
        named = ", ".join(f"{each.name} {each.id}" for each in note.signatures)
        raise Unreadable(f"signed by {named}, not by a key that is known")
    found = read_checkpoint(note.text)
    if found.origin != signer.name:
        raise Unreadable(f"it is of the log {found.origin!r}, its key is of {signer.name!r}")
    if found.size > len(tree):
        raise Unreadable(f"it is over {found.size} leaves, but there are only {len(tree)}")
    if tree.root(found.size) != found.root:
        raise Unreadable("its root is not that of the leaves: one of them was changed, taken away or added in between")
    return found


def included(leaf: Leaf, index: int, tree: Tree, size: int, note: str) -> Checkpointed:
    """The proof that a leaf is in the checkpoint over `size` leaves, as it stands in a match file."""
    path = tuple(each.hex() for each in tree.path(index, size))
    return Checkpointed(hash=leaf.hash, index=index, note=note, path=path, time=leaf.time, version=leaf.version)
