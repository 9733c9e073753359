"""Idempotency keys and versions: how a repeated command is recognised, without a second store (ADR 0005)."""

import hashlib
import re
import secrets
from base64 import b32encode
from typing import Any, Final

from schemas.canonical import canonical
from schemas.notation import Unreadable
from services.auth import Caller

KEY: Final = re.compile(r"[!-\-/-~]{1,64}")
"""Visible ASCII without dots: the dot ends the key in a command's id."""
LARGEST: Final = 2**53 - 1
"""The largest number that an address or a body may hold: up to it JSON's numbers are exact everywhere (RFC 8259, 6)."""
VERSION: Final = re.compile(r'"?([0-9]{1,15})"?')


def key_of(header: str | None, caller: Caller) -> str:
    """The key of a command within its caller's scope; without a header a fresh one. Raises Unreadable."""
    if header is None:
        return f"{secrets.token_hex(16)}.{caller.scope}"
    if not KEY.fullmatch(header):
        raise Unreadable("Idempotency-Key: must be 1 to 64 visible ASCII characters without a dot")
    return f"{header}.{caller.scope}"


def request_of(route: str, body: dict[str, Any]) -> str:
    """What was asked, in 16 hexadecimal digits: the same for the same request however it was spaced."""
    return hashlib.sha256(canonical({"body": body, "route": route})).hexdigest()[:16]


def table_of(header: str | None, key: str) -> str:
    """The id of a new table. With an Idempotency-Key it follows from the key, so that a repeat finds the table again."""
    entropy = secrets.token_bytes(8) if header is None else hashlib.sha256(f"table\n{key}".encode()).digest()
    return f"t-{b32encode(entropy)[:12].decode().lower()}"


def version_of(header: str | None, name: str = "If-Match") -> int | None:
    """The version in a header, `17` or `"17"`. Raises Unreadable."""
    if header is None:
        return None
    match = VERSION.fullmatch(header.strip())
    if match is None or header.count('"') == 1:
        raise Unreadable(f"{name}: must be the version of the table, like 17")
    return int(match[1])
