"""What proofs are made of, as it stands in match files and receipts: keys, receipts, checkpoints. Checked by `domain.proofs`.

Times are as in the record (UTC, milliseconds); public keys are 64 hexadecimal digits (RFC 8032), signatures base64 (RFC 4648, section 4).
The id of a key are the eight hexadecimal digits that signed notes give it (C2SP signed-note).
"""

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.events import Four, Players

RECEIPT_TYPE: Final = "shuangkou.receipt.v1"
NUMBER: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}")
"""What the number of a receipt looks like: twelve digits of Crockford's base 32, like 7K2M-Q9XD-4T0A."""

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
KeyId = Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
Signature = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]{86}==$")]
Time = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$")]
KeyName = Annotated[str, Field(pattern=r"^[!-*,-~]{1,120}$")]
"""Visible ASCII without plus (C2SP signed-note)."""
Software = Annotated[str, Field(pattern=r"^[!-~]{1,40}$")]
Count = Annotated[int, Field(strict=True, ge=0, lt=2**53)]
Number = Annotated[int, Field(strict=True, ge=1, lt=2**53)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class Key(_Part):
    """A public key: it signs what happened from `valid_from` until the next key begins."""

    id: KeyId
    name: KeyName
    public: Hash
    valid_from: Time


class ReceiptContent(_Part):
    """What a receipt says of a hand that is over. `head` is the hash of its `last` event and fixes every event before it.

    `ended` is the type of the event that ended it; `score` what each seat got by it, in seat order, contributions included (of a hand that
    was not scored, what stands of them); `time` that of the last event; `software` the version that ran then.
    """

    number: Annotated[str, Field(pattern=f"^{NUMBER.pattern}$")]
    table: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    hand: Number
    ruleset: str
    ruleset_version: Annotated[int, Field(strict=True)]
    first: Number
    last: Number
    head: Hash
    ended: Literal["hand-scored", "hand-abandoned", "hand-voided", "hand-settled", "hand-escaped"]
    players: Players
    score: Four
    time: Time
    software: Software
    key: KeyId


class Receipt(_Part):
    """A receipt as a player gets it: the content, the key and its signature. It can be checked with nothing else."""

    type: Literal["shuangkou.receipt.v1"] = RECEIPT_TYPE
    receipt: ReceiptContent
    name: KeyName
    public: Hash
    signature: Signature


class ReceiptMark(_Part):
    """A receipt as it stands in a match file: what does not follow from the events."""

    hand: Number
    software: Software
    key: KeyId
    signature: Signature


class Leaf(_Part):
    """A leaf of the checkpoint log: at `time` it was put on record that event `version` of a table has this hash."""

    hash: Hash
    table: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    time: Time
    version: Number


class Checkpointed(_Part):
    """That a table's head is in a checkpoint: the leaf (its table is the file's), its index, the path to the root (RFC 6962), the note."""

    hash: Hash
    index: Count
    note: Annotated[str, Field(max_length=8192)]
    path: Annotated[tuple[Hash, ...], Field(max_length=64)]
    time: Time
    version: Number


class Seal(_Part):
    """What makes a match file a signed one. `head_signature` is over the last event alone, `signature` over the whole proof but for it.

    Two signatures, so that a changed proof can be told from changed events.
    """

    key: KeyId
    receipts: tuple[ReceiptMark, ...]
    checkpoint: Checkpointed | None
    head_signature: Signature
    signature: Signature
