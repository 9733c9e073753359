"""Receipts: for every hand that is over a signed word of what it was and came to.

Nothing about a receipt is stored. Its content follows from the events, the key and the software version from the time of the last of them,
and the signature from both; so a receipt that is asked for again is the same receipt, byte for byte.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.proofs.keys import PublicKey, Ring, decoded, encoded
from domain.table import MAX_PLAYER
from schemas.canonical import canonical
from schemas.envelope import Recorded
from schemas.events import HandAbandoned, HandScored, HandStarted, HandVoided, SeedRevealed, type_name
from schemas.notation import Unreadable
from schemas.proofs import Receipt, ReceiptContent, ReceiptMark
from schemas.text import is_name
from schemas.trumps import HandEscaped, HandSettled

DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter looks like a digit."""
_MEANT: Final = str.maketrans("OIL", "011", "- ")
MESSAGE: Final = b"shuangkou/receipt/1\n"
"""Stands before what is signed, so that a signature is good for nothing else."""
ENDS: Final = (HandScored, HandAbandoned, HandVoided, HandSettled, HandEscaped)
"""The events that end a hand."""
End = HandScored | HandAbandoned | HandVoided | HandSettled | HandEscaped
TOLD_BY: Final = frozenset(type_name(each) for each in (HandStarted, *ENDS, SeedRevealed))
"""Stored names of the events from which receipts are made."""


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that is over: its start, how it ended, and its last event, which revealed the seed."""

    started: Recorded
    start: HandStarted
    end: End
    last: Recorded


def finished_hands(recorded: Iterable[Recorded]) -> Iterator[FinishedHand]:
    """The hands that are over among the events of a table. Other events than those `TOLD_BY` names may be left out."""
    started: tuple[Recorded, HandStarted] | None = None
    end: End | None = None
    for each in recorded:
        event = each.event
        if isinstance(event, HandStarted):
            started, end = (each, event), None
        elif isinstance(event, ENDS):
            end = event
        elif isinstance(event, SeedRevealed) and started and end:
            yield FinishedHand(*started, end, each)
            started, end = None, None


def number_of(head: str) -> str:
    """The number of the receipt of a hand: the first 60 bits of the hash of its last event, in Crockford's base 32."""
    bits = int(head[:15], 16)
    digits = "".join(DIGITS[bits >> shift & 31] for shift in range(55, -1, -5))
    return f"{digits[:4]}-{digits[4:8]}-{digits[8:]}"


def prefix_of(number: str) -> str:
    """The fifteen hexadecimal digits that the hash begins with, from a number as people type it. Raises Unreadable."""
    digits = number.upper().translate(_MEANT)
    if len(digits) != 12 or any(digit not in DIGITS for digit in digits):
        raise Unreadable("receipt: its number has twelve letters and digits, like 7K2M-Q9XD-4T0A")
    return f"{sum(DIGITS.index(digit) << 55 - 5 * place for place, digit in enumerate(digits)):015x}"


def content_of(hand: FinishedHand, software: str, key: str) -> ReceiptContent:
    """What the receipt of a hand says."""
    end, last = hand.end, hand.last
    return ReceiptContent(
        number=number_of(last.hash),
        table=last.table,
        hand=hand.start.hand,
        ruleset=hand.start.ruleset,
        ruleset_version=hand.start.ruleset_version,
        first=hand.started.version,
        last=last.version,
        head=last.hash,
        ended=end.TYPE,
        players=end.players,
        score=end.contribution if isinstance(end, HandAbandoned | HandVoided) else end.score,
        time=last.time,
        software=software,
        key=key,
    )


def message_of(content: ReceiptContent) -> bytes:
    """The bytes that are signed."""
    return MESSAGE + canonical(content.model_dump())


def sign_receipt(hand: FinishedHand, ring: Ring) -> Receipt:
    """The receipt of a hand, signed with the key that held when it ended."""
    key = ring.key_at(hand.last.time)
    content = content_of(hand, ring.software_at(hand.last.time), key.public.id)
    return Receipt(
        receipt=content,
        name=key.name,
        public=key.public.public.hex(),
        signature=encoded(key.sign(message_of(content))),
    )


def mark_of(receipt: Receipt) -> ReceiptMark:
    """The receipt as it stands in a match file."""
    content = receipt.receipt
    return ReceiptMark(hand=content.hand, software=content.software, key=content.key, signature=receipt.signature)


def signer_of(receipt: Receipt) -> PublicKey:
    """The key that signed a receipt. Raises Unreadable when the receipt is not what was signed, or of players who cannot be."""
    key = PublicKey(receipt.name, bytes.fromhex(receipt.public))
    content = receipt.receipt
    if key.id != content.key:
        raise Unreadable(f"the receipt is signed by key {content.key}, but the key with it is {key.id}")
    if content.number != number_of(content.head):
        raise Unreadable(f"number {content.number} does not belong to this receipt, but {number_of(content.head)}")
    if not key.signed(message_of(content), decoded(receipt.signature)):
        raise Unreadable("the signature is not over this receipt: one of the two was changed")
    if strange := [player for player in content.players if not is_name(player, MAX_PLAYER)]:
        raise Unreadable(f"players: {strange[0]!r} is no name that a player can have")
    return key


def is_marked(hand: FinishedHand, mark: ReceiptMark, key: PublicKey) -> bool:
    """Whether the key signed the receipt of this hand as the mark says."""
    content = content_of(hand, mark.software, mark.key)
    return key.signed(message_of(content), decoded(mark.signature))
