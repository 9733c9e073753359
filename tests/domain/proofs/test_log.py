"""The checkpoint log: leaves climb, roots are true, and heads of running hands stay out."""

import pytest

from domain.proofs.log import Head, check_notes, read_leaves
from domain.proofs.merkle import Tree
from domain.proofs.notes import Checkpoint, sign_note
from domain.proofs.sealing import leaf_line
from schemas.envelope import open_line
from schemas.notation import Unreadable
from schemas.proofs import Leaf
from tests.kit.proofs import LOGGED, NAME, first_hand, key, lines_of, rest_of


def leaf(table: str, version: int, time: str = LOGGED) -> bytes:
    return leaf_line(Leaf(hash=f"{version:064x}", table=table, time=time, version=version))


def log_of(*leaves: bytes) -> Tree:
    tree = Tree()
    for each in leaves:
        tree.append(each)
    return tree


def note(tree: Tree, size: int, number: int = 1, origin: str = NAME) -> str:
    return sign_note(Checkpoint(origin, size, tree.root(size)).text(), key(number))


def test_a_log_that_only_grew_is_accepted() -> None:
    leaves = [leaf("a", 9), leaf("b", 4), leaf("a", 30)]
    tree = log_of(*leaves)
    assert [each.version for each in read_leaves(leaves)] == [9, 4, 30]
    notes = [note(tree, 2), note(tree, 3)]
    assert [each.size for each in check_notes(notes, tree, [key(1).public])] == [2, 3]


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ([leaf("a", 9), leaf("a", 8)], "leaf 1: table a was at event 9"),
        ([leaf("a", 9), leaf("a", 9)], "leaf 1"),
        ([leaf("a", 9), leaf("b", 9, "2026-12-01T00:00:00.000Z")], "older"),
        ([b"{}"], "leaf 0"),
        ([leaf("a", 9) + b" "], "canonical"),
        ([leaf("a", 9).replace(b'"version":9', b'"version":9.0')], "leaf 0"),
    ],
)
def test_leaves_that_cannot_follow_are_named(leaves: list[bytes], words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        list(read_leaves(leaves))


def test_a_leaf_that_was_changed_after_it_was_signed_is_found() -> None:
    tree = log_of(leaf("a", 9), leaf("b", 4))
    with pytest.raises(Unreadable, match="checkpoint 1: its root"):
        list(check_notes([note(tree, 2)], log_of(leaf("a", 9), leaf("b", 5)), [key(1).public]))


def test_a_log_that_was_cut_or_shrinks_is_found() -> None:
    tree = log_of(leaf("a", 9), leaf("b", 4))
    with pytest.raises(Unreadable, match="only 1"):
        list(check_notes([note(tree, 2)], log_of(leaf("a", 9)), [key(1).public]))
    with pytest.raises(Unreadable, match="checkpoint 2: it has 1 leaves"):
        list(check_notes([note(tree, 2), note(tree, 1)], tree, [key(1).public]))


def test_checkpoints_of_others_are_refused() -> None:
    tree = log_of(leaf("a", 9))
    with pytest.raises(Unreadable, match="not by a key that is known"):
        list(check_notes([note(tree, 1, number=2)], tree, [key(1).public]))
    with pytest.raises(Unreadable, match="of the log"):
        list(check_notes([note(tree, 1, origin="another.example")], tree, [key(1).public]))


def test_a_running_hand_is_not_put_on_record() -> None:
    """Its hashes would let a player who knows most cards find out the others by trying (ADR 0019)."""
    lines = lines_of()
    whole = first_hand(lines)
    head = Head()
    for line in whole[:-1]:
        head.follow(open_line(line))
        assert (head.rest_version == head.version) != head.playing
    assert head.playing
    assert head.rest_version == open_line(next(each for each in lines if b"hand-started" in each)).version - 1
    assert rest_of(whole).rest_version == len(whole)


def test_an_event_that_does_not_follow_is_refused() -> None:
    lines = lines_of()
    head = rest_of(lines[:10])
    with pytest.raises(ValueError, match="does not chain"):
        head.follow(open_line(lines[11]))
