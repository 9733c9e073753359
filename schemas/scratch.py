"""The scratch file: what would have happened, written so that nobody and no program can take it for a record.

NDJSON like a match file, but every line says what it is: its `source` begins with `/scratch/`, it carries the extension attribute `whatif`
(the table and the event after which it leaves the record), and its chain begins with its own header, never with the record's last hash.
No reader of records takes such a line (`read_line` refuses both), so `verify` refuses the file and the stream never holds one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.canonical import canonical, digest
from schemas.envelope import Recorded
from schemas.events import type_name

PREFIX: Final = "whatif-"
"""With this every id of a scratch table begins; ids of tables are made by the service and never do."""
HEADER_TYPE: Final = "shuangkou.scratch-header.v1"
END_TYPE: Final = "shuangkou.scratch-end.v1"
WARNING: Final = "NOT A RECORD 非记录: what would have happened if the play had gone on otherwise after this event"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a scratch table leaves the record: after event `at` of table `table`, whose hash is `head`."""

    table: str
    at: int
    head: str
    ruleset: str
    ruleset_version: int


def scratch_file(table: str, origin: Origin, happened: Sequence[Recorded]) -> bytes:
    """The scratch file of a scratch table: a header, what happened there, and an end with the SHA-256 of all before it."""
    if not table.startswith(PREFIX):
        raise ValueError(f"{table!r} is no scratch table")
    time = happened[-1].time if happened else ""
    data = {
        "at": origin.at,
        "head": origin.head,
        "of": origin.table,
        "ruleset": origin.ruleset,
        "ruleset_version": origin.ruleset_version,
        "warning": WARNING,
    }
    lines = [_line(table, origin, HEADER_TYPE, "header", time, data)]
    for each in happened:
        more = {"command": each.command, "prev": digest(lines[-1]), "version": each.version}
        data = each.event.model_dump()
        lines.append(_line(table, origin, type_name(type(each.event)), str(each.version), each.time, data, more))
    body = b"".join(line + b"\n" for line in lines)
    end = {"events": len(happened), "sha256": digest(body), "warning": WARNING}
    return body + _line(table, origin, END_TYPE, "end", time, end) + b"\n"


def _line(
    table: str,
    origin: Origin,
    type_: str,
    place: str,
    time: str,
    data: dict[str, Any],
    more: dict[str, Any] | None = None,
) -> bytes:
    return canonical(
        {
            "data": data,
            "datacontenttype": "application/json",
            "id": f"{table}:{place}",
            "source": f"/scratch/{table}",
            "specversion": "1.0",
            "time": time,
            "type": type_,
            "whatif": f"{origin.table}:{origin.at}",
            **(more or {}),
        }
    )
