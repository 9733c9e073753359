"""Canonical JSON (RFC 8785) and the hash made of it (SHA-256).

The project's records hold only strings, integers below 2**53, booleans, nulls, lists and objects with ASCII keys. For
such values sorting keys by bytes is sorting them by UTF-16 code units, and the shortest escapes are the standard's, so
orjson writes the canonical form at its own speed; a property test compares it with an independent implementation.
Floats have no place in a record and are refused.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import orjson

GENESIS: Final = "0" * 64
"""What stands for the hash of the event before the first one."""


def canonical(value: Mapping[str, Any]) -> bytes:
    """The canonical bytes of a JSON object. Raises TypeError for floats, huge integers, lone surrogates and non-JSON values."""
    if _has_float(value):
        raise TypeError("a record holds no floating-point numbers; write decimals as text")
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)


def digest(data: bytes) -> str:
    """SHA-256 of the bytes, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _has_float(value: object) -> bool:
    if isinstance(value, float):
        return True
    if isinstance(value, Mapping):
        return any(map(_has_float, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_float, value))
    return False
