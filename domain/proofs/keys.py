"""Ed25519 keys (RFC 8032) and their rotation. Nothing is made up here: a key comes from 32 bytes that somebody else has drawn.

A ring holds all keys an installation ever had. A key signs what happened from its `valid_from` until the next one begins; the first
also what was before it. So it follows from the time of an event which key signs it, and since Ed25519 is deterministic the same
signature comes out whenever it is asked for.
"""

import base64
import binascii
import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, TypeVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from schemas.notation import Unreadable
from schemas.proofs import Key

ED25519: Final = b"\x01"
"""The byte that says Ed25519 in ids and texts of keys (C2SP signed-note)."""


def key_id(name: str, public: bytes) -> str:
    """The id of a key, eight hexadecimal digits: the first four bytes of SHA-256 over name, newline, 0x01 and the 32 bytes of the key."""
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public).digest()[:4].hex()


@dataclass(frozen=True)
class PublicKey:
    """A key that checks signatures. `valid_from` is empty where it is not known since when the key is valid."""

    name: str
    public: bytes
    valid_from: str = ""

    @cached_property
    def id(self) -> str:
        """Eight hexadecimal digits."""
        return key_id(self.name, self.public)

    @cached_property
    def _key(self) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(self.public)

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made the signature over the message."""
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def entry(self) -> Key:
        """The key as it stands in a match file."""
        return Key(id=self.id, name=self.name, public=self.public.hex(), valid_from=self.valid_from)

    def under(self, names: Iterable[str]) -> tuple["PublicKey", ...]:
        """The key under its name; one that was given without a name under each of these."""
        return (self,) if self.name else tuple(PublicKey(name, self.public) for name in names)

    def text(self) -> str:
        """The key as one word, as tools for signed notes take it: name, id and base64 of 0x01 and the key, joined by plus."""
        return f"{self.name}+{self.id}+{base64.b64encode(ED25519 + self.public).decode()}"


def public_key(entry: Key) -> PublicKey:
    """The key of an entry. Raises Unreadable when its id is not the one that follows from name and key."""
    found = PublicKey(entry.name, bytes.fromhex(entry.public), entry.valid_from)
    if found.id != entry.id:
        raise Unreadable(f"key {entry.id}: its id does not belong to its name and public key, which give {found.id}")
    return found


def read_key(text: str) -> PublicKey:
    """A key from its one-word text, or from the 64 hexadecimal digits of the key alone. Raises Unreadable."""
    text = text.strip()
    if len(text) == 64:
        try:
            return PublicKey("", bytes.fromhex(text))
        except ValueError:
            pass
    name, id_, rest = [*text.split("+", 2), "", ""][:3]
    try:
        key = base64.b64decode(rest, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != 33 or not name:
        raise Unreadable(f"{text[:80]!r} is no key: write its 64 hexadecimal digits, or name+id+base64")
    if key[:1] != ED25519:
        raise Unreadable(f"{text[:80]!r} is no Ed25519 key")
    found = PublicKey(name, key[1:])
    if found.id != id_:
        raise Unreadable(f"{text[:80]!r}: the id does not belong to name and key; it was mistyped")
    return found


@dataclass(frozen=True)
class SigningKey:
    """A key that signs. `secret` are its 32 bytes (the seed of RFC 8032)."""

    name: str
    secret: bytes
    valid_from: str

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)

    @cached_property
    def public(self) -> PublicKey:
        """The key that checks what this one signs."""
        return PublicKey(self.name, self._key.public_key().public_bytes_raw(), self.valid_from)

    def sign(self, message: bytes) -> bytes:
        """The signature over a message: 64 bytes, always the same for the same message."""
        return self._key.sign(message)


class Dated(Protocol):
    """Something that is so from a time on."""

    @property
    def valid_from(self) -> str:
        """Since when."""
        ...


Entry = TypeVar("Entry", bound=Dated)


def at(entries: Sequence[Entry], time: str) -> Entry:
    """Which of the entries, the oldest first, held at a time; before all of them the first. Raises IndexError without any."""
    return entries[max(bisect_right(entries, time, key=lambda each: each.valid_from) - 1, 0)]


@dataclass(frozen=True)
class Software:
    """Which version of the software ran from a time on."""

    version: str
    valid_from: str


@dataclass(frozen=True)
class Ring:
    """All keys of an installation, the oldest first, and which software it ran when."""

    keys: tuple[SigningKey, ...]
    software: tuple[Software, ...]

    @property
    def current(self) -> SigningKey:
        """The newest key."""
        return self.keys[-1]

    def key_at(self, time: str) -> SigningKey:
        """The key that signs what happened at this time."""
        return at(self.keys, time)

    def software_at(self, time: str) -> str:
        """The version of the software that ran at this time."""
        return at(self.software, time).version


def encoded(signature: bytes) -> str:
    """A signature as text."""
    return base64.b64encode(signature).decode()


def decoded(text: str) -> bytes:
    """A signature from its text. Raises Unreadable for one that is not written in the one way there is."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != 64 or encoded(found) != text:
        raise Unreadable("a signature is not the base64 of 64 bytes")
    return found
