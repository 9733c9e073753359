"""Checks what is signed of a match file: receipts, proof, checkpoint; and says which events are not those that were signed.

Keys that come in the file itself prove only that whoever holds them made all of it. Whoever has the key from elsewhere pins it (`Trust`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from domain.faults import Fault, Found, Kind
from domain.proofs.keys import PublicKey, at, decoded, public_key
from domain.proofs.merkle import leaf_hash, root_of_path
from domain.proofs.notes import read_checkpoint, read_note
from domain.proofs.receipts import FinishedHand, is_marked
from domain.proofs.sealing import leaf_line
from schemas.envelope import Recorded
from schemas.matchfile import signed_by_head, signed_by_seal
from schemas.notation import Unreadable
from schemas.proofs import Checkpointed, Key, Leaf, Seal


@dataclass(frozen=True)
class Trust:
    """Keys from elsewhere. `required`: a file must be signed by one of them; otherwise it is only said whether it is."""

    keys: tuple[PublicKey, ...]
    required: bool = True

    def pins(self, key: PublicKey) -> bool:
        """Whether this key is one of them."""
        return any(each.public == key.public and each.name in {"", key.name} for each in self.keys)

    def takes_for_another(self, key: PublicKey) -> bool:
        """Whether a key goes by the name of one of them without being one."""
        return not self.pins(key) and any(each.name == key.name for each in self.keys)

    def held_at(self, key: PublicKey, time: str) -> bool:
        """Whether it was this key's turn to sign at a time, as far as it is known since when each key is valid."""
        if not all(each.valid_from for each in self.keys):
            return True
        return at(sorted(self.keys, key=lambda each: each.valid_from), time).public == key.public


@dataclass(frozen=True, slots=True)
class Signed:
    """Who signed a file. `pinned` says whether the key was known from elsewhere; `receipts` how many hands have one.

    `checkpoint` is the version of the table that a signed checkpoint of `log_size` leaves covers.
    """

    key: str
    name: str
    public: str
    pinned: bool
    receipts: int
    checkpoint: int | None = None
    log_size: int | None = None


@dataclass(frozen=True)
class SignedFile:
    """What is known of a signed file once its chain is whole. `body` is all of it before the proof, `hash_of` the hash of an event."""

    body: bytes
    lines: Sequence[bytes]
    keys: Sequence[Key]
    seal: Seal
    last: Recorded
    hands: Sequence[FinishedHand]
    hash_of: Callable[[int], str]
    ring: dict[str, PublicKey] = field(default_factory=dict)

    def fault(self, kind: Kind, en: str, zh: str, version: int | None = None, until: int | None = None) -> Found:
        """A fault to raise."""
        return Found(Fault(self.last.table, version, kind, "", en, zh, until))


def check_signed(file: SignedFile, trust: Trust | None) -> Signed:
    """Check keys, signatures and checkpoint. Raises Found; a fault of kind `forged` names events of which one is the first forged one."""
    _read_keys(file)
    key = _signing_key(file, trust)
    try:
        head = key.signed(signed_by_head(file.last), decoded(file.seal.head_signature))
        whole = key.signed(signed_by_seal(file.body, file.lines, file.seal), decoded(file.seal.signature))
        good = _good_receipts(file)
    except Unreadable as error:
        raise file.fault("signature", f"{error}.", "签名无法读取。") from None
    if not head:
        _blame_events(file, good, whole=whole)
    if not (head and whole):
        raise file.fault(
            "signature",
            f"The header or the proof is not what key {key.id} signed; the events are.",
            "文件头或证明与签名不符,事件本身无误。",
        )
    if good < max(len(file.hands), len(file.seal.receipts)):
        hand = file.hands[good].start.hand if good < len(file.hands) else file.seal.receipts[good].hand
        raise file.fault("signature", f"There is no valid receipt for hand {hand}.", "该局回执缺失或无效。")
    size = _check_checkpoint(file, file.seal.checkpoint) if file.seal.checkpoint else None
    pinned = trust is not None and trust.pins(key)
    covered = file.seal.checkpoint.version if file.seal.checkpoint else None
    return Signed(key.id, key.name, key.public.hex(), pinned, good, covered, size)


def _read_keys(file: SignedFile) -> None:
    try:
        keys = [public_key(each) for each in file.keys]
    except Unreadable as error:
        raise file.fault("signature", f"{error}.", "公钥编号不符。") from None
    times = [each.valid_from for each in keys]
    file.ring.update({each.id: each for each in keys})
    if len(file.ring) != len(keys) or times != sorted(set(times)):
        raise file.fault("signature", "The keys of the header are not in the order of their times.", "公钥顺序不对。")


def _signing_key(file: SignedFile, trust: Trust | None) -> PublicKey:
    key = file.ring.get(file.seal.key)
    if key is None:
        raise file.fault("signature", f"Key {file.seal.key} is not in the header.", "文件头没有签名所用的公钥。")
    if trust is not None and trust.required and not trust.pins(key):
        raise file.fault(
            "signature",
            f"The file is signed by key {key.id} of {key.name}, not by the key that was pinned.",
            "签名所用的公钥不是指定的公钥。",
        )
    if trust is not None and trust.takes_for_another(key):
        en = f"The file is signed by key {key.id} under the name {key.name}, but that name is of other keys."
        raise file.fault("signature", en, "冒用已知公钥的名称。")
    if not _held(file, key, file.last.time) or (
        trust is not None and trust.pins(key) and not trust.held_at(key, file.last.time)
    ):
        raise file.fault(
            "signature",
            f"Key {key.id} signed at a time that was another key's: {file.last.time}.",
            "签名时该公钥不在有效期内。",
        )
    return key


def _held(file: SignedFile, key: PublicKey, time: str) -> bool:
    return at(list(file.ring.values()), time).id == key.id


def _good_receipts(file: SignedFile) -> int:
    """How many hands, from the first on, have the receipt they should have."""
    for number, (hand, mark) in enumerate(zip(file.hands, file.seal.receipts, strict=False)):
        key = file.ring.get(mark.key)
        fits = mark.hand == hand.start.hand and key is not None and _held(file, key, hand.last.time)
        if key is None or not fits or not is_marked(hand, mark, key):
            return number
    return min(len(file.hands), len(file.seal.receipts))


def genuine_up_to(file: SignedFile) -> int:
    """Up to which event the events are those that were signed, as far as receipts and checkpoint show; 0 if they show nothing."""
    return _range_at_fault(file, _good_or_none(file))[0]


def _good_or_none(file: SignedFile) -> int:
    try:
        _read_keys(file)
        return _good_receipts(file)
    except (Found, Unreadable):
        return 0


def _range_at_fault(file: SignedFile, good: int) -> tuple[int, int]:
    """Up to which event all are genuine, and by which one there is another, if the last one is not genuine."""
    genuine = file.hands[good - 1].last.version if good else 0
    until = file.hands[good].last.version if good < len(file.hands) else file.last.version + 1  # it may be missing
    shown = file.seal.checkpoint
    if shown is not None and shown.version <= file.last.version and _is_in_log(file, shown):
        if file.hash_of(shown.version) == shown.hash:
            genuine = max(genuine, shown.version)
        else:
            until = min(until, shown.version)
    return genuine, until


def _blame_events(file: SignedFile, good: int, *, whole: bool) -> None:
    """The last event is not the one that was signed: say from where on. Does nothing if all that tells so is the signature itself."""
    genuine, until = _range_at_fault(file, good)
    if whole:
        return
    if genuine >= until:
        _blame_end(file)
        return
    raise file.fault(
        "forged",
        f"Events up to {genuine} are as they were signed; from there on some were made anew, or taken away, without the key."
        if genuine
        else "Events were made anew, or taken away, without the key.",
        "事件被重新编造, 签名不符。",
        genuine + 1,
        until,
    )


def _blame_end(file: SignedFile) -> None:
    """Every event is genuine, but the last one is not the one that was signed: events after it were taken away."""
    receipts = file.seal.receipts
    if len(receipts) > len(file.hands):
        en = f"It is missing: the proof holds a receipt of hand {receipts[len(file.hands)].hand}, which is not here."
        raise file.fault("missing", en, "缺少事件。", file.last.version + 1)


def _is_in_log(file: SignedFile, shown: Checkpointed) -> bool:
    try:
        _log_size(file, shown)
    except Unreadable:
        return False
    return True


def _log_size(file: SignedFile, shown: Checkpointed) -> int:
    """The size of the log that holds the leaf. Raises Unreadable if none of our keys says so."""
    note = read_note(shown.note)
    signer = note.signer(file.ring.values())
    if signer is None:
        raise Unreadable("the checkpoint is signed by no key of the header")
    found = read_checkpoint(note.text)
    if found.origin != signer.name:
        raise Unreadable(f"the checkpoint is of the log {found.origin!r}, not of {signer.name!r}")
    leaf = Leaf(hash=shown.hash, table=file.last.table, time=shown.time, version=shown.version)
    path = [bytes.fromhex(each) for each in shown.path]
    if root_of_path(leaf_hash(leaf_line(leaf)), shown.index, found.size, path) != found.root:
        raise Unreadable("the path does not lead from the leaf to the root of the checkpoint")
    return found.size


def _check_checkpoint(file: SignedFile, shown: Checkpointed) -> int:
    try:
        size = _log_size(file, shown)
    except Unreadable as error:
        raise file.fault("checkpoint", f"{error}.", "检查点无法核实。") from None
    if shown.version > file.last.version:
        en = f"The checkpoint knows this table up to event {shown.version}; here it ends before that."
        raise file.fault("missing", en, "事件比检查点中的少。", file.last.version + 1, shown.version)
    if file.hash_of(shown.version) != shown.hash:
        en = f"The checkpoint knows another event {shown.version}."
        raise file.fault("checkpoint", en, "事件与检查点不符。", shown.version)
    return size
