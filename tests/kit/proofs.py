"""Keys, signed matches and a checkpoint log for tests; everything follows from fixed seeds."""

from collections.abc import Sequence
from functools import cache

from domain.proofs.keys import Ring, SigningKey, Software
from domain.proofs.log import Head, included
from domain.proofs.merkle import Tree
from domain.proofs.notes import Checkpoint, sign_note
from domain.proofs.sealing import leaf_line, sealed_match
from domain.simulate import simulate
from domain.verify import Trust
from schemas.envelope import open_line
from schemas.proofs import Checkpointed, Leaf

NAME = "shuangkou.example/tests"
LOGGED = "2026-12-02T00:00:00.000Z"


def key(number: int, valid_from: str = "2026-01-01T00:00:00.000Z", name: str = NAME) -> SigningKey:
    return SigningKey(name, bytes([number]) * 32, valid_from)


def ring(*keys: SigningKey) -> Ring:
    return Ring(keys or (key(1),), (Software("0.1.0", "2026-01-01T00:00:00.000Z"),))


def trust(of: Ring, *, required: bool = True) -> Trust:
    return Trust(tuple(each.public for each in of.keys), required)


@cache
def lines_of(ruleset: str = "huopin", seed: str = "proofs", hands: int = 2) -> tuple[bytes, ...]:
    """A match as the stream would hold it."""
    return tuple(each.line for each in simulate(ruleset, hands, seed))


def rest_of(lines: Sequence[bytes]) -> Head:
    """Where a table stands after these events."""
    head = Head()
    for line in lines:
        head.follow(open_line(line))
    return head


def logged(lines: Sequence[bytes], others: int = 5, signer: SigningKey | None = None) -> Checkpointed:
    """That these events were put on record, in a log with so many other tables before and after."""
    head = rest_of(lines)
    leaf = Leaf(hash=head.rest_hash, table=open_line(lines[0]).table, time=LOGGED, version=head.rest_version)
    more = [Leaf(hash=f"{n:064x}", table=f"t-{n}", time=LOGGED, version=n + 1) for n in range(2 * others)]
    tree = Tree()
    for each in (*more[:others], leaf, *more[others:]):
        tree.append(leaf_line(each))
    by = signer or key(1)
    note = sign_note(Checkpoint(by.name, len(tree), tree.root()).text(), by)
    return included(leaf, others, tree, len(tree), note)


@cache
def signed_match(ruleset: str = "huopin", seed: str = "proofs", *, checkpoint: bool = False) -> bytes:
    """A signed match file of two hands; with a checkpoint that covers the first of them."""
    lines = lines_of(ruleset, seed)
    return sealed_match(lines, ring(), logged(first_hand(lines)) if checkpoint else None)


def first_hand(lines: Sequence[bytes]) -> Sequence[bytes]:
    """The events up to the end of the first hand."""
    end = next(at for at, line in enumerate(lines) if open_line(line).name == "shuangkou.seed-revealed.v1")
    return lines[: end + 1]
