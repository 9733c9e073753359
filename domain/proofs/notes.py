"""Signed notes and checkpoints, as C2SP specifies them (signed-note, tlog-checkpoint).

A note is a text that ends in a newline, an empty line, and signature lines `— <key name> <base64 of key id and signature>`. A
checkpoint is a note whose text is an origin, a tree size and a root hash, a line each, and perhaps further lines.
"""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.proofs.keys import PublicKey, SigningKey
from schemas.notation import Unreadable

MOST_SIGNATURES: Final = 100
_LINE: Final = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line: the key's name, its id (eight hexadecimal digits) and the signature."""

    name: str
    id: str
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note; `text` ends in a newline."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def signer(self, keys: Iterable[PublicKey]) -> PublicKey | None:
        """The first of these keys that signed the note; None if none did. Raises Unreadable if one of them did not make its signature.

        Signatures of other keys mean nothing here.
        """
        known = {(key.name, key.id): key for key in keys}
        found = None
        for each in self.signatures:
            key = known.get((each.name, each.id))
            if key is None:
                continue
            if not key.signed(self.text.encode(), each.signature):
                raise Unreadable(f"the signature of key {key.id} is not over this note")
            found = found or key
        return found


def read_note(data: str) -> Note:
    """Take a note apart. Raises Unreadable."""
    if any(char < " " and char != "\n" for char in data):
        raise Unreadable("a note holds no control characters but newlines")
    text, gap, below = data.rpartition("\n\n")
    if not gap or not below.endswith("\n"):
        raise Unreadable("a note is a text, an empty line and signatures, each ended by a newline")
    lines = below[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise Unreadable(f"a note has at most {MOST_SIGNATURES} signatures here")
    return Note(text + "\n", tuple(map(_signature, lines)))


def _signature(line: str) -> NoteSignature:
    match = _LINE.fullmatch(line)
    try:
        data = base64.b64decode(match[2], validate=True) if match else b""
    except binascii.Error:
        data = b""
    if match is None or len(data) < 5:
        raise Unreadable(
            "a signature of a note is a line of a dash, the key's name, and base64 of its id and signature"
        )
    return NoteSignature(match[1], data[:4].hex(), data[4:])


def sign_note(text: str, *keys: SigningKey) -> str:
    """The note that these keys have signed."""
    return text + "\n" + "".join(_signature_line(text, key) for key in keys)


def _signature_line(text: str, key: SigningKey) -> str:
    signed = bytes.fromhex(key.public.id) + key.sign(text.encode())
    return f"— {key.name} {base64.b64encode(signed).decode()}\n"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: `origin` names the log, `size` counts its leaves, `root` is the root hash over them."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """The text of the note. Raises Unreadable for lines that would be read as others."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        text = "".join(f"{line}\n" for line in lines)
        if read_checkpoint(text) != self:
            raise Unreadable(f"{self.origin!r}: no origin, or extension, of a checkpoint")
        return text


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that a note's text is. Raises Unreadable."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 3 or not all(lines):
        raise Unreadable("a checkpoint has an origin, a size and a root hash, and no empty line")
    origin, size, root, *extensions = lines
    if not _SIZE.fullmatch(size):
        raise Unreadable(f"{size[:40]!r} is no tree size")
    try:
        found = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != 32 or base64.b64encode(found).decode() != root:
        raise Unreadable("the root of a checkpoint is the base64 of 32 bytes")
    return Checkpoint(origin, int(size), found, tuple(extensions))
