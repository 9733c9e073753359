"""The match file: everything about a table that anybody needs to check it, offline.

NDJSON, one canonical CloudEvents object a line, every line ended by one newline: first a header, then the events
exactly as recorded, last a proof. The header says what the file is; the proof holds the SHA-256 of everything before it
and the hash of the last event. Both are written in one way only, so every byte of the file is fixed by the events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.canonical import canonical, digest
from schemas.envelope import Recorded, read_line
from schemas.events import TableOpened
from schemas.notation import Unreadable

FORMAT: Final = 1
HEADER_TYPE: Final = "shuangkou.match-header.v1"
PROOF_TYPE: Final = "shuangkou.match-proof.v1"


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A match file taken apart: `header` and `proof` as bytes, `lines` the events as recorded."""

    header: bytes
    lines: tuple[bytes, ...]
    proof: bytes


def match_file(lines: Sequence[bytes]) -> bytes:
    """The match file of a table from its recorded events, first to last. Raises Unreadable if there is none or one is no event."""
    if not lines:
        raise Unreadable("a match file needs at least the event that opened the table")
    body = b"".join(line + b"\n" for line in (header_of(lines), *lines))
    return body + proof_of(body, lines) + b"\n"


def header_of(lines: Sequence[bytes]) -> bytes:
    """The header that belongs to these events."""
    first, last = read_line(lines[0]), read_line(lines[-1])
    if not isinstance(first.event, TableOpened):
        raise Unreadable(f"event {first.table}:{first.version}: the first event of a table must open it")
    opened = first.event
    data = {
        "events": len(lines),
        "format": FORMAT,
        "ruleset": opened.ruleset,
        "ruleset_version": opened.ruleset_version,
        "table": first.table,
    }
    return _line(HEADER_TYPE, f"{first.table}:header", last, data)


def proof_of(body: bytes, lines: Sequence[bytes]) -> bytes:
    """The proof that belongs to header and events, given as the bytes before it."""
    last = read_line(lines[-1])
    data = {"events": len(lines), "head": digest(lines[-1]), "sha256": digest(body)}
    return _line(PROOF_TYPE, f"{last.table}:proof", last, data)


def read_match(data: bytes) -> MatchFile:
    """Take a match file apart. Raises Unreadable when it has not the shape of one; what it says is checked elsewhere."""
    if not data.endswith(b"\n"):
        raise Unreadable("the last line is not ended; the file was cut short")
    lines = data[:-1].split(b"\n")
    if len(lines) < 3:
        raise Unreadable("a match file has a header, events and a proof; this has fewer than three lines")
    return MatchFile(lines[0], tuple(lines[1:-1]), lines[-1])


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
