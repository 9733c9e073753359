"""The wire format, and the one place that builds it: stream settings, subjects, headers, message ids.

Stream `SK` holds one subject a table, `sk.table.<id>`. One event is one message: the payload is the event's bytes untouched (JSON stays
JSON for any NATS client), the headers tell its type and version:

    Nats-Expected-Last-Subject-Sequence: 41     the version check, made by the server under its lock
    Nats-Expected-Last-Sequence: 900            where an event must be the next of the whole stream, too
    Nats-Msg-Id: t-1:17                         <id>:<version>
    Event-Topic: shuangkou.played.v1
    Event-Version: 17
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from services.eventstore.errors import BrokenLog, TooLarge, WrongStream

TOPIC: Final = "Event-Topic"
VERSION: Final = "Event-Version"
MESSAGE_ID: Final = "Nats-Msg-Id"
EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_LAST: Final = "Nats-Expected-Last-Sequence"
BATCH_ID: Final = "Nats-Batch-Id"
BATCH_SEQUENCE: Final = "Nats-Batch-Sequence"
BATCH_COMMIT: Final = "Nats-Batch-Commit"

MAX_TOKEN: Final = 1024
MAX_BATCH: Final = 1000
"""How many events one append may hold: the server's default limit for an atomic batch."""
TRACKING: Final = "$tracking"
"""Second-last token of subjects that hold the position of a follower; no id is ever encoded with a `$`."""

_EMPTY: Final = "%"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_TOPIC_PLAIN: Final = re.compile(r"[!-$&-~]+")  # visible ASCII but %
SUBJECT: Final = b"\r\nNats-Subject: "
SEQUENCE: Final = b"\r\nNats-Sequence: "
PENDING: Final = b"\r\nNats-Num-Pending: "
UNFILLED: Final = b"\r\nNats-Pending-Messages: "
_TOPIC_HEADER: Final = b"\r\nEvent-Topic: "
_VERSION_HEADER: Final = b"\r\nEvent-Version: "


class StoredRecord(NamedTuple):
    """An event as stored. `sequence` is its place in the whole stream, `version` its place on its table, `data` its bytes."""

    key: str
    version: int
    topic: str
    data: bytes
    sequence: int


class Write(NamedTuple):
    """One message to write; `expected` is the subject's last sequence that must hold (None: not checked, a later one in a batch).

    `last` is the stream's last sequence that must hold (None: not checked).
    """

    subject: str
    message_id: str
    version: int
    topic: str
    data: bytes
    expected: int | None
    last: int | None = None


def encode(key: str) -> str:
    """An id as one subject token. Ids of letters, digits, `-` and `_` stay as they are; the rest is percent-encoded."""
    token = key
    if not _PLAIN.fullmatch(key):
        token = quote(key, safe="", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E") or _EMPTY
    if len(token) > MAX_TOKEN:
        raise TooLarge(
            f"id of {len(token)} characters when encoded; {MAX_TOKEN} is the most a subject takes: {key[:40]!r}…"
        )
    return token


def decode(token: str) -> str:
    """The id that `encode` made this token from."""
    if "%" not in token:
        return token
    return "" if token == _EMPTY else unquote(token, errors="surrogatepass")


class Layout:
    """Names of one store: its stream and its subjects. `prefix` is fixed for the life of a stream."""

    def __init__(self, stream: str, prefix: str) -> None:
        if not _NAME.fullmatch(stream):
            raise ValueError(f"stream name {stream!r}: letters, digits, - and _ only")
        if not _PREFIX.fullmatch(prefix):
            raise ValueError(f"subject prefix {prefix!r}: words of letters, digits, - and _ joined by dots only")
        self.stream, self.prefix = stream, prefix
        self.events = f"{prefix}.*"
        self._skip = len(prefix) + 1

    def subject(self, key: str) -> str:
        """The subject of a table: used to write, to check the version and to read, so the three cannot differ."""
        return f"{self.prefix}.{encode(key)}"

    def event(self, key: str, version: int, topic: str, data: bytes, expected: int | None) -> Write:
        """The message of one event of a table."""
        token = encode(key)
        return Write(f"{self.prefix}.{token}", f"{token}:{version}", version, topic, data, expected)

    def snapshot(self, key: str, version: int, topic: str, data: bytes) -> Write:
        """The message of one snapshot: versions may have gaps, so each has a subject of its own that must be empty."""
        token = encode(key)
        return Write(f"{self.prefix}.{token}.{version}", f"{token}:{version}", version, topic, data, 0)

    def tracking(self, application: str, position: int = 0, expected: int | None = None) -> Write:
        """The message that says how far a follower of `application` got."""
        token = f"{TRACKING}.{encode(application)}"
        return Write(f"{self.prefix}.{token}", f"{token}:{position}", position, TRACKING, b"%d" % position, expected)

    def record(self, subject: str, headers: bytes, data: bytes, sequence: int) -> StoredRecord | None:
        """Read one message; None when it is not an event of a table. Raises BrokenLog when the headers are not this store's."""
        token = subject[self._skip :]
        if "." in token:
            return None
        topic, version = topic_and_version(headers, sequence)
        return StoredRecord(decode(token) if "%" in token else token, version, topic, data, sequence)

    def direct_record(self, headers: bytes, data: bytes) -> StoredRecord:
        """Read one message of a direct get, which tells subject and sequence in headers."""
        at = headers.find(SUBJECT) + len(SUBJECT)
        subject = headers[at : headers.find(b"\r\n", at)].decode()
        sequence = number(headers, SEQUENCE)
        topic, version = topic_and_version(headers, sequence)
        return StoredRecord(decode(subject[self._skip :]), version, topic, data, sequence)


def number(headers: bytes, name: bytes) -> int:
    """The value of a header that holds a number; 0 when it is absent. `name` is as in `SEQUENCE`."""
    at = headers.find(name)
    return 0 if at < 0 else int(headers[at + len(name) : headers.find(b"\r\n", at + 2)])


def topic_and_version(headers: bytes, sequence: int) -> tuple[str, int]:
    """Cut the two headers that are needed out of the raw block: several times faster than parsing all of them."""
    at = headers.find(_TOPIC_HEADER)
    of = headers.find(_VERSION_HEADER)
    if at < 0 or of < 0:
        raise BrokenLog(
            f"message {sequence} has no {TOPIC} and {VERSION} headers: another program wrote into this stream"
        )
    topic = headers[at + 15 : headers.find(b"\r\n", at + 15)].decode()
    version = int(headers[of + 17 : headers.find(b"\r\n", of + 17)])
    return (unquote(topic) if "%" in topic else topic), version


def headers(write: Write) -> dict[str, str]:
    """The headers of one message."""
    topic = write.topic if _TOPIC_PLAIN.fullmatch(write.topic) else quote(write.topic, safe=":/ -_.")
    made = {} if write.expected is None else {EXPECTED: str(write.expected)}
    if write.last is not None:
        made[EXPECTED_LAST] = str(write.last)
    made[MESSAGE_ID] = write.message_id
    made[TOPIC] = topic
    made[VERSION] = str(write.version)
    return made


def batch_headers(writes: Sequence[Write], batch: str) -> list[dict[str, str]]:
    """The headers of an atomic batch: all of it is stored when the last message arrives, or none."""
    made = [headers(write) | {BATCH_ID: batch, BATCH_SEQUENCE: str(n)} for n, write in enumerate(writes, 1)]
    made[-1][BATCH_COMMIT] = "1"
    return made


def stream_config(layout: Layout, replicas: int) -> dict[str, Any]:
    """The stream: on disk, append-only, nothing is ever dropped to make room."""
    return {
        "name": layout.stream,
        "subjects": [f"{layout.prefix}.>"],
        "storage": "file",
        "retention": "limits",
        "discard": "new",
        "max_msgs": -1,
        "max_msgs_per_subject": -1,
        "max_bytes": -1,
        "max_msg_size": -1,
        "max_age": 0,
        "max_consumers": -1,
        "num_replicas": replicas,
        "deny_delete": True,
        "deny_purge": True,
        "allow_direct": True,
        "allow_atomic": True,
        "allow_rollup_hdrs": False,
    }


_FREE: Final = frozenset(
    ("description", "metadata", "placement", "republish", "compression", "consumer_limits", "duplicate_window")
)
"""Settings an operator may choose: none of them changes, drops or delays what is stored."""


def check_stream(layout: Layout, replicas: int | None, live: Mapping[str, Any]) -> None:
    """Compare the live settings with ours. Raises WrongStream naming each difference; changes nothing.

    `replicas` None takes any number of them.
    """
    wanted = stream_config(layout, replicas or live.get("num_replicas", 1))
    wrong = [
        f"{name} is {live.get(name)!r}, not {value!r}"
        for name, value in wanted.items()
        if (live.get(name) or 0) != (value or 0)
    ]
    wrong += [
        f"{name} is {value!r}, not unset"
        for name, value in live.items()
        if value and name not in wanted and name not in _FREE
    ]
    if wrong:
        raise WrongStream(
            f"stream {layout.stream!r} has other settings: {'; '.join(wrong)}. Nothing was changed. "
            "Use another stream name, or let its owner put this right (nats stream edit)."
        )
