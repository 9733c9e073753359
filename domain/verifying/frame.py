"""The frame of a match file, header and proof, against its events; and the events against whatever others know of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import orjson

from domain.faults import Fault, Found, Kind
from domain.proofs.checking import Signed, SignedFile, Trust, check_signed, genuine_up_to
from domain.proofs.receipts import TOLD_BY, FinishedHand, finished_hands
from schemas.envelope import Opened
from schemas.matchfile import PROOF_TYPE, MatchFile, header_of, keys_of, proof_of, read_match, seal_of
from schemas.notation import Unreadable
from schemas.proofs import Key, Seal


@dataclass(frozen=True, slots=True)
class Known:
    """What somebody else knows of a table: the hash of its event `version`. `witness` says who or what, as the subject of a sentence."""

    version: int
    hash: str
    witness: str


def read_frame(data: bytes) -> MatchFile:
    """Take a match file apart. Raises Found."""
    try:
        match = read_match(data)
    except Unreadable as error:
        raise _fault(None, "shape", f"{error}.", "文件结构不对。") from None
    if PROOF_TYPE.encode() not in match.proof:
        en = "The last line is no proof: the file was cut short."
        raise _fault(None, "shape", en, "文件被截断, 缺少末尾的证明。")
    return match


def end_of(match: MatchFile) -> str | None:
    """The hash of the last event as the proof has it; None when it has none."""
    head = _said(match.proof, "head")
    return head if isinstance(head, str) else None


def beyond_the_end(fault: Fault, match: MatchFile) -> Fault:
    """The fault of a line that is no event; of a line after the last event that the header counts, it is that of the file."""
    count = _said(match.header, "events")
    if fault.kind != "unreadable" or type(count) is not int or fault.version is None or fault.version <= count:
        return fault
    en = f"After event {count}, the last one that the header counts, there is a line that is no event."
    return Fault(fault.table, None, "shape", "", en, "事件之后有无法识别的内容。")


def _said(line: bytes, name: str) -> object:
    """What a header or proof says under a name, as far as it can be read."""
    try:
        found: object = orjson.loads(line)["data"][name]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return found


def check_frame(match: MatchFile, opened: Sequence[Opened], trust: Trust | None) -> Signed | None:
    """Check header, proof and all that is signed; who signed it, None for an unsigned file. Raises Found."""
    table = opened[0].table
    file = _signed_file(match, opened)
    if file is None and trust is not None and trust.required:
        raise _fault(table, "signature", "The file is not signed, but a key was pinned.", "文件没有签名。")
    _check_end(match, opened, file)
    keys, seal = (file.keys, file.seal) if file else (None, None)
    try:
        header = header_of(match.lines, keys)
    except Unreadable as error:
        raise Found(Fault(table, 1, "shape", "", f"{error}.", "首个事件不是开桌。")) from None
    if match.header != header:
        raise _fault(table, "shape", "The header does not belong to these events.", "文件头与事件不符。")
    if match.proof != proof_of(match.body, match.lines, seal):
        raise _fault(table, "proof", "The proof does not belong to these events.", "文件末尾的证明与事件不符。")
    return check_signed(file, trust) if file else None


def _signed_file(match: MatchFile, opened: Sequence[Opened]) -> SignedFile | None:
    table, last = opened[0].table, opened[-1]
    try:
        keys, seal = keys_of(match), seal_of(match)
    except Unreadable as error:
        raise _fault(table, "shape", f"{error}.", "文件头或证明无法读取。") from None
    if (keys is None) != (seal is None):
        raise _fault(table, "shape", "Header and proof are not of the same format.", "文件头与证明格式不同。")
    if keys is None or seal is None:
        _read(last)
        return None
    return _file(match, opened, keys, seal)


def _file(match: MatchFile, opened: Sequence[Opened], keys: Sequence[Key], seal: Seal) -> SignedFile:
    _read(opened[-1])
    return SignedFile(
        body=match.body,
        lines=match.lines,
        keys=keys,
        seal=seal,
        last=opened[-1].recorded,
        hands=hands_of(opened),
        hash_of=lambda version: opened[version - 1].hash,
    )


def hands_of(opened: Iterable[Opened]) -> tuple[FinishedHand, ...]:
    """The hands that are over. Raises Found for an event that cannot be read."""
    telling = [each for each in opened if each.name in TOLD_BY]
    for each in telling:
        _read(each)
    return tuple(finished_hands(each.recorded for each in telling))


def _read(opened: Opened) -> None:
    try:
        _ = opened.recorded
    except Unreadable as error:
        raise Found(Fault(opened.table, opened.version, "unreadable", "", f"{error}.", "事件无法读取。")) from None


def _check_end(match: MatchFile, opened: Sequence[Opened], file: SignedFile | None) -> None:
    """Whether the last event is the one that the proof names. Raises Found."""
    last = opened[-1]
    count, head = _said(match.proof, "events"), end_of(match)
    if type(count) is int and count > last.version:
        en = f"It is missing: the proof is of {count} events."
        raise Found(Fault(last.table, last.version + 1, "missing", "", en, "缺少事件。", count))
    if type(count) is int and count < last.version:
        en = f"The proof is of {count} events; this one was added."
        raise Found(Fault(last.table, count + 1, "forged", "", en, "多出的事件。", last.version))
    if head != last.hash:
        first = min(genuine_up_to(file) + 1, last.version) if file else last.version
        en = "The last event is not the one that the proof holds."
        raise Found(Fault(last.table, first, "changed", "", en, "最后的事件与证明不符。", last.version))


def check_known(opened: Sequence[Opened], known: Iterable[Known]) -> None:
    """Check the events against what others know of them. Raises Found, naming the events among which the first other one is."""
    genuine, last = 0, opened[-1].version
    table = opened[-1].table
    for each in sorted(known, key=lambda each: each.version):
        if each.version > last:
            en = f"{each.witness} knows this table up to event {each.version}; here it ends before that."
            raise Found(Fault(table, last + 1, "missing", "", en, "事件比已知的少。", each.version))
        if opened[each.version - 1].hash != each.hash:
            en = f"{each.witness} knows another event {each.version}: it, or one not long before it, was made anew."
            raise Found(Fault(table, genuine + 1, "forged", "", en, "事件与已知的不符。", each.version))
        genuine = each.version


def sharpened(fault: Fault, by_rules: Fault | None) -> Fault:
    """The fault of a frame, made more precise by the first one that the rules find in the events.

    What was signed kept the rules, so the first event that is not as it was signed is not after the first that breaks them.
    """
    if by_rules is None or by_rules.version is None or fault.kind in {"signature", "checkpoint", "missing"}:
        return fault
    if fault.version is None:
        return by_rules
    until = fault.until or fault.version
    if not fault.version <= by_rules.version <= until:
        return by_rules if fault.kind == "changed" else fault
    if by_rules.kind != "shuffle":  # which may look at later events, and does not tell seed from commitment
        until = by_rules.version
    en = f"{fault.en} The rules find of event {by_rules.version}: {by_rules.en}"
    return replace(fault, until=until, clause=by_rules.clause, en=en, zh=fault.zh + by_rules.zh)


def _fault(table: str | None, kind: Kind, en: str, zh: str) -> Found:
    return Found(Fault(table, None, kind, "", en, zh))
