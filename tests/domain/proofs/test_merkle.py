"""The tree of RFC 6962, against published values and against the definition itself."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.proofs.merkle import EMPTY, Tree, is_consistent, leaf_hash, node_hash, root_of_path

LEAVES = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
"""The leaves of the reference tests of Certificate Transparency, in hexadecimal."""
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
PATHS = {
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}
CONSISTENCY = {
    (1, 8): PATHS[0, 8],
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def tree_of(leaves: list[bytes]) -> Tree:
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree


def published() -> Tree:
    return tree_of([bytes.fromhex(leaf) for leaf in LEAVES])


def defined(leaves: list[bytes]) -> bytes:
    """The tree hash as RFC 6962 writes it down."""
    if len(leaves) < 2:
        return leaf_hash(leaves[0]) if leaves else hashlib.sha256().digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(defined(leaves[:split]), defined(leaves[split:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots(size: int) -> None:
    assert published().root(size).hex() == ROOTS[size - 1]


def test_the_root_without_leaves() -> None:
    assert Tree().root() == EMPTY == hashlib.sha256().digest()


@pytest.mark.parametrize(("leaf", "size"), PATHS)
def test_the_published_paths(leaf: int, size: int) -> None:
    assert tuple(each.hex() for each in published().path(leaf, size)) == PATHS[leaf, size]


@pytest.mark.parametrize(("old", "size"), CONSISTENCY)
def test_the_published_consistency_proofs(old: int, size: int) -> None:
    assert tuple(each.hex() for each in published().consistency(old, size)) == CONSISTENCY[old, size]


@given(st.lists(st.binary(max_size=3), max_size=40))
def test_the_root_is_the_one_defined(leaves: list[bytes]) -> None:
    assert tree_of(leaves).root() == defined(leaves)


@given(st.lists(st.binary(max_size=3), min_size=1, max_size=40), st.data())
def test_a_path_leads_to_the_root_and_to_no_other(leaves: list[bytes], data: st.DataObject) -> None:
    tree = tree_of(leaves)
    size = data.draw(st.integers(1, len(leaves)))
    index = data.draw(st.integers(0, size - 1))
    path = tree.path(index, size)
    leaf = leaf_hash(leaves[index])
    assert root_of_path(leaf, index, size, path) == tree.root(size)
    assert root_of_path(leaf_hash(b"another"), index, size, path) != tree.root(size)
    assert root_of_path(leaf, index, size, (*path, b"\0" * 32)) is None
    if path:
        assert root_of_path(leaf, index, size, path[:-1]) is None


@given(st.lists(st.binary(max_size=3), min_size=1, max_size=40), st.data())
def test_a_tree_is_consistent_with_those_it_grew_out_of_only(leaves: list[bytes], data: st.DataObject) -> None:
    tree = tree_of(leaves)
    size = data.draw(st.integers(1, len(leaves)))
    old = data.draw(st.integers(1, size))
    proof = tree.consistency(old, size)
    assert is_consistent(old, tree.root(old), size, tree.root(size), proof)
    changed = tree_of([b"another", *leaves[1:]]) if leaves[0] != b"another" else tree_of([b"", *leaves[1:]])
    assert not is_consistent(old, changed.root(old), size, tree.root(size), proof)
    assert not is_consistent(old, tree.root(old), size, changed.root(size), proof)
    assert not is_consistent(old, tree.root(old), size, tree.root(size), (*proof, b"\0" * 32))


def test_there_is_no_path_or_root_of_what_is_not_there() -> None:
    tree = published()
    with pytest.raises(ValueError, match="8 leaves"):
        tree.root(9)
    with pytest.raises(ValueError, match="no leaf 8"):
        tree.path(8)
    with pytest.raises(ValueError, match="grew out of"):
        tree.consistency(0)
    assert root_of_path(leaf_hash(b""), 8, 8, ()) is None
