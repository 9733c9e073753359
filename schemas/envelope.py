"""An event as it is recorded: one CloudEvents 1.0 object in canonical form, hash-chained to the event before it on its table.

The bytes (`line`) are what the stream stores, what a match file holds line by line, and what the chain hashes; they are never
written a second time in another form. Extension attributes: `version` counts the events of the table from 1, `prev` is the SHA-256 of
the line before (64 zeros for the first), `command` the id of the command that caused it.

Disputes and the looks at a table are recorded in the same way, each with a `source` of its own (`/disputes/<id>`, `/access/<table>`).
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from pydantic import ValidationError

from schemas.canonical import GENESIS, canonical, digest, has_float
from schemas.events import Event
from schemas.notation import Unreadable
from schemas.registry import EVENTS, Kind, kind_of
from schemas.text import quoted, shortened
from schemas.upcasters import upcast

ATTRIBUTES: Final = frozenset(
    ("command", "data", "datacontenttype", "id", "prev", "source", "specversion", "time", "type", "version")
)
TABLE_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What a table's id looks like: lower-case letters, digits and hyphens, up to 64."""
TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
"""Times are UTC with milliseconds, like 2026-12-01T03:00:00.000Z."""
COMMAND: Final = re.compile(r"[\x21-\x7e]{1,200}")
"""Ids of commands are visible ASCII, up to 200 characters."""

_NAMED: Final = {cls: (name, kind_of(cls), cls.__pydantic_serializer__.to_python) for name, cls in EVENTS.items()}
"""By class of event its stored name, the kind of record, and what `model_dump` asks after it has read its options."""


class Recorded(NamedTuple):
    """An event with its place in the record. `hash` is SHA-256 of `line`.

    `table` is the id of what the record is of: a table's, unless `kind` says otherwise.
    """

    table: str
    version: int
    time: str
    command: str
    prev: str
    event: Event
    line: bytes
    hash: str
    kind: Kind = "tables"


def record(table: str, version: int, prev: str, time: str, command: str, event: Event) -> Recorded:
    """Seal an event as the `version`-th of its table (or dispute, or log of looks: the event tells)."""
    line = line_of(table, version, prev, time, command, event)
    return Recorded(table, version, time, command, prev, event, line, digest(line), kind_of(type(event)))


def line_of(table: str, version: int, prev: str, time: str, command: str, event: Event) -> bytes:
    """The bytes in which an event is recorded in this place."""
    name, kind, dump = _NAMED[type(event)]
    return canonical(
        {
            "command": command,
            "data": dump(event),
            "datacontenttype": "application/json",
            "id": f"{table}:{version}",
            "prev": prev,
            "source": f"/{kind}/{table}",
            "specversion": "1.0",
            "time": time,
            "type": name,
            "version": version,
        }
    )


def read_line(line: bytes, kind: Kind = "tables") -> Recorded:
    """Read an event of a table (or what `kind` says) from its recorded bytes, upcast to the newest shape.

    Raises Unreadable naming the attribute that is wrong.

    It trusts the order of keys and the spacing (the hash covers them); `check_line` does not.
    """
    return _recorded(_loads(line), line, kind)


@dataclass(slots=True)
class Opened:
    """An event of which only the place in the record was read, not what happened: `name` is its stored name, `data` what came with it.

    `recorded` reads the rest, when somebody asks.
    """

    table: str
    version: int
    time: str
    command: str
    prev: str
    name: str
    data: Any
    line: bytes
    hash: str
    kind: Kind = "tables"
    _recorded: Recorded | None = None

    @property
    def recorded(self) -> Recorded:
        """The whole event, in canonical form and of a known shape. Raises Unreadable when it is not."""
        if self._recorded is None:
            self._recorded = check_line(self.line, self.kind)
        return self._recorded

    @property
    def event(self) -> Event:
        """What happened. Raises Unreadable."""
        return self.recorded.event

    def holding(self, event: Event) -> Recorded | None:
        """The whole event, if it is this one that is recorded here: then nothing needs to be read. None if it is not."""
        if line_of(self.table, self.version, self.prev, self.time, self.command, event) != self.line:
            return None
        return Recorded(
            self.table, self.version, self.time, self.command, self.prev, event, self.line, self.hash, self.kind
        )


def open_line(line: bytes, kind: Kind = "tables") -> Opened:
    """Read an event's place in the record from bytes from anywhere. Raises Unreadable naming the attribute that is wrong."""
    raw = _loads(line)
    table, version = _place(raw, kind)
    time, command = raw["time"], raw["command"]
    _check_cause(time, command)
    return Opened(table, version, time, command, raw["prev"], raw["type"], raw["data"], line, digest(line), kind)


def stored_name(line: bytes) -> str:
    """The type of a recorded line without reading it, like `shuangkou.played.v1`.

    In canonical form `type` is followed by nothing but `version`, so the last place that looks like it is it.
    """
    start = line.rfind(b'"type":"') + 8
    return line[start : line.find(b'"', start)].decode(errors="replace")


def check_line(line: bytes, kind: Kind = "tables") -> Recorded:
    """Like `read_line`, for bytes from anywhere: they must be in canonical form, with exactly the attributes an event has."""
    raw = _loads(line)
    recorded = _recorded(raw, line, kind)
    try:
        same = canonical(raw) == line
    except TypeError as error:
        raise Unreadable(f"not in canonical form (RFC 8785): {error}") from None
    if not same or has_float(raw):
        raise Unreadable("not in canonical form (RFC 8785), or with a floating-point number")
    expected = {
        "datacontenttype": "application/json",
        "id": f"{recorded.table}:{recorded.version}",
        "specversion": "1.0",
    }
    for name, value in expected.items():
        if raw[name] != value:
            raise Unreadable(f"{name}: must be {value!r}")
    _check_cause(recorded.time, recorded.command)
    return recorded


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error}") from None


def _check_cause(time: str, command: str) -> None:
    if not TIME.fullmatch(time) or not _is_date(time):
        raise Unreadable(f"time: {quoted(time)} is not a time like 2026-12-01T03:00:00.000Z")
    if not COMMAND.fullmatch(command):
        raise Unreadable("command: must be 1 to 200 visible ASCII characters")


def _is_date(time: str) -> bool:
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def _place(raw: Any, kind: Kind) -> tuple[str, int]:
    """The id of what the record is of, and the version, after a look at all attributes but `data`."""
    if not isinstance(raw, dict):
        raise Unreadable("not a JSON object")
    if raw.keys() != ATTRIBUTES:
        wrong = sorted(raw.keys() ^ ATTRIBUTES)
        raise Unreadable(f"attributes missing or unknown: {shortened(', '.join(wrong))}")
    source, version = raw["source"], raw["version"]
    start = f"/{kind}/"
    if not isinstance(source, str) or not source.startswith(start) or not TABLE_ID.fullmatch(source[len(start) :]):
        raise Unreadable(f"source: {quoted(source)} is not {start}<id>")
    if type(version) is not int or version < 1:
        raise Unreadable("version: must be a whole number from 1")
    for name in ("command", "prev", "time", "type"):
        if not isinstance(raw[name], str):
            raise Unreadable(f"{name}: must be text")
    return source[len(start) :], version


def _recorded(raw: Any, line: bytes, kind: Kind) -> Recorded:
    table, version = _place(raw, kind)
    return Recorded(
        table,
        version,
        raw["time"],
        raw["command"],
        raw["prev"],
        _event(raw["type"], raw["data"], kind),
        line,
        digest(line),
        kind,
    )


def _event(name: str, data: Any, kind: Kind) -> Event:
    if not isinstance(data, dict):
        raise Unreadable("data: not a JSON object")
    name, data = upcast(name, data)
    cls = EVENTS.get(name)
    if cls is None or kind_of(cls) != kind:
        raise Unreadable(f"type: {quoted(name)} is not an event this version knows in a record of {kind}")
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Unreadable(f"data.{shortened(where)}: {first['msg']}") from None


__all__ = ["GENESIS", "TABLE_ID", "TIME", "Recorded", "check_line", "read_line", "record"]
