"""The match file: everything about a table that anybody needs to check it, offline.

NDJSON, one canonical CloudEvents object a line, every line ended by one newline: first a header, then the events
exactly as recorded, last a proof. The header says what the file is; the proof holds the SHA-256 of everything before it
and the hash of the last event. Both are written in one way only, so every byte of the file is fixed by the events.

Format 1 ends there. Format 2 is signed: the header also holds the public keys, the proof a seal (`schemas.proofs.Seal`), the last
part of which is a signature over all the rest of the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from schemas import scratch
from schemas.canonical import canonical, digest
from schemas.envelope import Recorded, read_line
from schemas.events import TableOpened
from schemas.notation import Unreadable
from schemas.proofs import Key, Seal
from schemas.text import shortened

Part = TypeVar("Part", bound=BaseModel)
UNSIGNED: Final = 1
SIGNED: Final = 2
HEADER_TYPE: Final = "shuangkou.match-header.v"
PROOF_TYPE: Final = "shuangkou.match-proof.v"
"""What types begin with; the format follows."""
COMPRESSED: Final = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")
"""What gzip, zip and Zstandard data begin with."""
SEALED: Final = b"shuangkou/match-proof/2\n"
HEAD: Final = b"shuangkou/head/1\n"
"""What stands before the bytes that are signed: a signature is good for one purpose only."""


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A match file taken apart: `header` and `proof` as bytes, `lines` the events as recorded."""

    header: bytes
    lines: tuple[bytes, ...]
    proof: bytes

    @property
    def body(self) -> bytes:
        """All of the file before its proof."""
        return _body(self.header, self.lines)


def match_file(lines: Sequence[bytes]) -> bytes:
    """The unsigned match file of a table from its recorded events, first to last.

    Raises Unreadable if there is none or one is no event.
    """
    if not lines:
        raise Unreadable("a match file needs at least the event that opened the table")
    body = _body(header_of(lines), lines)
    return body + proof_of(body, lines) + b"\n"


def header_of(lines: Sequence[bytes], keys: Sequence[Key] | None = None) -> bytes:
    """The header that belongs to these events; with keys that of a signed file."""
    first, last = read_line(lines[0]), read_line(lines[-1])
    if not isinstance(first.event, TableOpened):
        raise Unreadable(f"event {first.table}:{first.version}: the first event of a table must open it")
    opened = first.event
    format_ = UNSIGNED if keys is None else SIGNED
    data: dict[str, Any] = {
        "events": len(lines),
        "format": format_,
        "ruleset": opened.ruleset,
        "ruleset_version": opened.ruleset_version,
        "table": first.table,
    }
    if keys is not None:
        data["keys"] = [key.model_dump() for key in keys]
    return _line(f"{HEADER_TYPE}{format_}", f"{first.table}:header", last, data)


def proof_of(body: bytes, lines: Sequence[bytes], seal: Seal | None = None) -> bytes:
    """The proof that belongs to header and events, given as the bytes before it; with a seal that of a signed file."""
    last = read_line(lines[-1])
    data = _proof_data(body, lines) | (seal.model_dump() if seal else {})
    return _line(f"{PROOF_TYPE}{SIGNED if seal else UNSIGNED}", f"{last.table}:proof", last, data)


def signed_by_seal(body: bytes, lines: Sequence[bytes], seal: Seal) -> bytes:
    """The bytes that the signature of a seal is over: the proof but for the signatures themselves."""
    return SEALED + canonical(_proof_data(body, lines) | seal.model_dump(exclude={"signature", "head_signature"}))


def signed_by_head(last: Recorded) -> bytes:
    """The bytes that the signature over the last event alone is over."""
    return HEAD + canonical({"head": last.hash, "table": last.table, "version": last.version})


def read_match(data: bytes) -> MatchFile:
    """Take a match file apart. Raises Unreadable when it has not the shape of one; what it says is checked elsewhere."""
    lines = data.split(b"\n")
    if said := _no_lines(data, lines):
        raise Unreadable(said)
    lines.pop()
    if scratch.HEADER_TYPE.encode() in lines[0]:
        raise Unreadable("this is a what-if (假设), played on from a record at a scratch table, and no record")
    if len(lines) < 3:
        raise Unreadable("a match file has a header, events and a proof; this has fewer than three lines")
    return MatchFile(lines[0], tuple(lines[1:-1]), lines[-1])


def _no_lines(data: bytes, lines: Sequence[bytes]) -> str:
    """Why these bytes are not lines from a header to a proof, as far as that shows at a glance; nothing when they may be."""
    if not data:
        return "the file is empty"
    if data.startswith(COMPRESSED):
        return "this is compressed data; unpack it first"
    if lines[0].endswith(b"\r"):
        return "its lines end with CRLF, as some editors and mail programs leave them; those of a match file end with LF alone"
    proof = f'"type":"{PROOF_TYPE}'.encode()  # with quotes as no text within an event has them
    ends = next((number for number, line in enumerate(lines, 1) if proof in line), None)
    if ends is not None and any(lines[ends:]):
        return f"there is more after the proof, which is line {ends}"
    if not lines[-1] and not lines[-2]:
        return "there is an empty line at the end"
    return "the last line is not ended; the file was cut short" if lines[-1] else ""


def keys_of(match: MatchFile) -> tuple[Key, ...] | None:
    """The keys in the header of a signed file; None for an unsigned one. Raises Unreadable."""
    data = _data(match.header, HEADER_TYPE, "header")
    if data is None:
        return None
    keys = data.get("keys")
    if not isinstance(keys, list):
        raise Unreadable("header: a signed file lists its keys")
    return tuple(_model(Key, each, "header: keys") for each in keys)


def seal_of(match: MatchFile) -> Seal | None:
    """The seal in the proof of a signed file; None for an unsigned one. Raises Unreadable."""
    data = _data(match.proof, PROOF_TYPE, "proof")
    if data is None:
        return None
    return _model(Seal, {name: data[name] for name in data if name not in _PROOF}, "proof")


_PROOF: Final = ("events", "head", "sha256")


def _proof_data(body: bytes, lines: Sequence[bytes]) -> dict[str, Any]:
    return {"events": len(lines), "head": digest(lines[-1]), "sha256": digest(body)}


def _body(header: bytes, lines: Sequence[bytes]) -> bytes:
    return b"\n".join((header, *lines, b""))


def _data(line: bytes, type_name: str, what: str) -> dict[str, Any] | None:
    """The data of a header or proof of a signed file; None when it is of an unsigned one."""
    try:
        raw = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"{what}: not JSON: {error}") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("data"), dict):
        raise Unreadable(f"{what}: not a JSON object with data")
    if raw.get("type") not in (f"{type_name}{UNSIGNED}", f"{type_name}{SIGNED}"):
        raise Unreadable(f"{what}: its type is not one this version knows")
    data: dict[str, Any] = raw["data"]
    return data if raw["type"] == f"{type_name}{SIGNED}" else None


def _model(model: type[Part], value: Any, what: str) -> Part:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"{what}: {shortened('.'.join(map(str, first['loc'])))}: {first['msg']}") from None


def _line(type_name: str, id_: str, last: Recorded, data: dict[str, Any]) -> bytes:
    return canonical(
        {
            "data": data,
            "datacontenttype": "application/json",
            "id": id_,
            "source": f"/tables/{last.table}",
            "specversion": "1.0",
            "time": last.time,
            "type": type_name,
        }
    )
