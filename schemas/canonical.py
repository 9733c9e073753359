"""Canonical JSON (RFC 8785) and the hash made of it (SHA-256).

The project's records hold only strings, integers below 2**53, booleans, nulls, lists and objects with ASCII keys. For
such values sorting keys by bytes is sorting them by UTF-16 code units, and the shortest escapes are the standard's, so
orjson writes the canonical form at its own speed; a property test compares it with an independent implementation.
Floats have no place in a record: no event has a field for one, and one that is read is refused.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import orjson

GENESIS: Final = "0" * 64
"""What stands for the hash of the event before the first one."""


def canonical(value: Mapping[str, Any]) -> bytes:
    """The canonical bytes of a JSON object without floats, which its maker guarantees (`has_float` tells).

    Raises TypeError for integers beyond 2**53, lone surrogates and what is not JSON.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)


def digest(data: bytes) -> str:
    """SHA-256 of the bytes, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def has_float(value: object) -> bool:
    """Whether there is a floating-point number anywhere in a JSON value."""
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is float:
            return True
        if kind is dict:
            waiting.extend(each.values())
        elif kind is list:
            waiting.extend(each)
    return False
