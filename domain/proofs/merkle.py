"""The Merkle tree of RFC 6962 (section 2.1), as transparency logs use it: leaves are hashed after 0x00, nodes after 0x01.

A `Tree` only grows. Since it keeps the hashes of all whole subtrees, a root or a path of any size it ever had takes logarithmic time.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

EMPTY: Final = hashlib.sha256(b"").digest()
"""The root of the tree without leaves."""


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf: 32 bytes."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A growing tree of leaf hashes."""

    def __init__(self) -> None:
        self._levels: list[list[bytes]] = [[]]

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, data: bytes) -> None:
        """Add a leaf."""
        found = leaf_hash(data)
        for level in range(len(self) + 1):
            if level == len(self._levels):
                self._levels.append([])
            nodes = self._levels[level]
            nodes.append(found)
            if len(nodes) % 2:
                return
            found = node_hash(nodes[-2], nodes[-1])

    def root(self, size: int | None = None) -> bytes:
        """The root over the first `size` leaves (MTH), by default over all. Raises ValueError if there are not so many."""
        size = self._known(len(self) if size is None else size)
        return self._hash(0, size) if size else EMPTY

    def path(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """The hashes that lead from a leaf to the root over `size` leaves, the lowest first (PATH, 2.1.1). Raises ValueError."""
        size = self._known(len(self) if size is None else size)
        if not 0 <= index < size:
            raise ValueError(f"there is no leaf {index} among {size}")
        found: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                found.append(self._hash(middle, end))
                end = middle
            else:
                found.append(self._hash(start, middle))
                start = middle
        return tuple(reversed(found))

    def consistency(self, old: int, size: int | None = None) -> tuple[bytes, ...]:
        """The hashes that show that the tree of `old` leaves begins the one of `size` (PROOF, 2.1.2). Raises ValueError."""
        size = self._known(len(self) if size is None else size)
        if not 0 < old <= size:
            raise ValueError(f"no tree of {size} leaves grew out of one of {old}")
        found: list[bytes] = []
        start, end, whole = 0, size, True
        while old != end:
            middle = start + _split(end - start)
            if old <= middle:
                found.append(self._hash(middle, end))
                end = middle
            else:
                found.append(self._hash(start, middle))
                start, whole = middle, False
        if not whole:
            found.append(self._hash(start, end))
        return tuple(reversed(found))

    def _known(self, size: int) -> int:
        if not 0 <= size <= len(self):
            raise ValueError(f"the tree has {len(self)} leaves, not {size}")
        return size

    def _hash(self, start: int, end: int) -> bytes:
        """The root over the leaves from start to before end, a subtree of some tree of this log."""
        size = end - start
        level = size.bit_length() - 1
        if size == 1 << level:
            return self._levels[level][start >> level]
        middle = start + _split(size)
        return node_hash(self._hash(start, middle), self._hash(middle, end))


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a path leads to from a leaf's hash; None when it is not as long as it must be (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return None
    node, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            while node and not node & 1:
                node >>= 1
                last >>= 1
        else:
            found = node_hash(found, sibling)
        node >>= 1
        last >>= 1
    return found if last == 0 else None


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that the tree with the one root begins the tree with the other (RFC 9162, 2.1.4.2)."""
    if old == size:
        return old_root == root and not proof
    if old == 0:
        return old_root == EMPTY and not proof
    if not 0 < old < size:
        return False
    hashes = list(proof) if old & (old - 1) else [old_root, *proof]
    if not hashes:
        return False
    node, last = old - 1, size - 1
    while node & 1:
        node >>= 1
        last >>= 1
    first = second = hashes[0]
    for each in hashes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            first, second = node_hash(each, first), node_hash(each, second)
            while node and not node & 1:
                node >>= 1
                last >>= 1
        else:
            second = node_hash(second, each)
        node >>= 1
        last >>= 1
    return last == 0 and (first, second) == (old_root, root)
