"""Signs a match file: keys in the header, receipts, checkpoint and signatures in the proof."""

from collections.abc import Sequence

from domain.proofs.keys import Ring, encoded
from domain.proofs.notes import read_note
from domain.proofs.receipts import TOLD_BY, finished_hands, mark_of, sign_receipt
from schemas.canonical import canonical
from schemas.envelope import read_line, stored_name
from schemas.matchfile import header_of, proof_of, signed_by_head, signed_by_seal
from schemas.notation import Unreadable
from schemas.proofs import Checkpointed, Leaf, Seal

NOT_YET = "A" * 86 + "=="
"""Stands for a signature until it is made."""


def sealed_match(lines: Sequence[bytes], ring: Ring, checkpoint: Checkpointed | None = None) -> bytes:
    """The signed match file of a table. The same lines, ring and checkpoint make the same bytes. Raises Unreadable like `match_file`."""
    if not lines:
        raise Unreadable("a match file needs at least the event that opened the table")
    last = read_line(lines[-1])
    hands = finished_hands(read_line(line) for line in lines if stored_name(line) in TOLD_BY)
    receipts = tuple(mark_of(sign_receipt(hand, ring)) for hand in hands)
    key = ring.key_at(last.time)
    used = {key.public.id, *(mark.key for mark in receipts)}
    if checkpoint is not None:
        used |= {each.id for each in read_note(checkpoint.note).signatures}
    header = header_of(lines, [each.public.entry() for each in ring.keys if each.public.id in used])
    body = b"\n".join((header, *lines, b""))
    seal = Seal(
        key=key.public.id,
        receipts=receipts,
        checkpoint=checkpoint,
        head_signature=encoded(key.sign(signed_by_head(last))),
        signature=NOT_YET,
    )
    signature = encoded(key.sign(signed_by_seal(body, lines, seal)))
    return body + proof_of(body, lines, seal.model_copy(update={"signature": signature})) + b"\n"


def leaf_line(leaf: Leaf) -> bytes:
    """A leaf of the checkpoint log as it is hashed and stored: canonical JSON (RFC 8785)."""
    return canonical(leaf.model_dump())
