"""The signing keys of an installation: `keys.json` (mode 0600) in the data folder, made on first use, and their rotation.

The file holds every key there ever was, because receipts are not stored: one that is asked for again is signed again, with the key that
held when its hand ended. It also notes since when which version of the software has run, since receipts tell. New entries
begin some seconds after they are written, so that every process has read them by then and none signs with the one before.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, Field, ValidationError

from domain.proofs.keys import PublicKey, Ring, SigningKey, Software, public_key, read_key
from schemas.notation import Unreadable
from schemas.proofs import Hash, Key
from schemas.proofs import Software as Version
from services.settings import write_private

FILE: Final = "keys.json"
SETTLE: Final = timedelta(seconds=10)
"""How long after it was written a new key, or a new version of the software, begins."""


class StoredKey(Key):
    """A key with its secret, 32 bytes in hexadecimal."""

    secret: Hash


class StoredSoftware(BaseModel):
    """A version of the software, and since when it has run."""

    version: Version
    valid_from: str


class KeyFile(BaseModel):
    """What `keys.json` holds, the oldest first."""

    keys: Annotated[list[StoredKey], Field(min_length=1)]
    software: Annotated[list[StoredSoftware], Field(min_length=1)]

    def ring(self) -> Ring:
        """The keys, ready to sign."""
        return Ring(
            tuple(SigningKey(each.name, bytes.fromhex(each.secret), each.valid_from) for each in self.keys),
            tuple(Software(each.version, each.valid_from) for each in self.software),
        )


_rings: Final[dict[Path, tuple[tuple[int, int], Ring]]] = {}


def load_ring(data: Path, name: str | None = None) -> Ring:
    """The keys in the data folder, made on first use, under this name or one made up. Read again whenever the file was replaced."""
    path = data / FILE
    if not path.exists():
        with _alone(data):
            if not path.exists():
                _write(path, _first(name or f"shuangkou/{secrets.token_hex(4)}"))
    found = path.stat()
    mark = (found.st_mtime_ns, found.st_ino)
    known = _rings.get(path)
    if known is None or known[0] != mark:
        known = _rings[path] = (mark, read_ring(path))
    return known[1]


def read_ring(path: Path) -> Ring:
    """The keys in a file like `keys.json`. Raises Unreadable."""
    return _read(path).ring()


def rotate(data: Path) -> SigningKey:
    """Make a new key that signs from some seconds on. The old ones are kept: what they signed stays valid and can be signed again."""
    load_ring(data)
    with _alone(data):
        file = _read(data / FILE)
        now = datetime.now(UTC)
        if file.keys[-1].valid_from > _time(now):
            raise Unreadable(f"key {file.keys[-1].id} has not begun yet; there is no need for another one")
        file.keys.append(_key(file.keys[-1].name, _time(now + SETTLE)))
        _write(data / FILE, file)
    return load_ring(data).current


def note_software(data: Path, running: str | None = None, name: str | None = None) -> None:
    """Note which version of the software runs, if it is another than before. Makes the keys under the name if there are none."""
    running = running or version("shuangkou")
    if load_ring(data, name).software[-1].version == running:
        return
    with _alone(data):
        file = _read(data / FILE)
        if file.software[-1].version != running:
            file.software.append(StoredSoftware(version=running, valid_from=_time(datetime.now(UTC) + SETTLE)))
            _write(data / FILE, file)


def read_keys(text: str) -> tuple[PublicKey, ...]:
    """Public keys out of what `shuangkou keys show` prints, as JSON or as words, a key a line. Raises Unreadable."""
    if text.lstrip().startswith("{"):
        try:
            return tuple(map(public_key, _Published.model_validate_json(text).keys))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise Unreadable(
                f"this is no list of keys as `shuangkou keys show --json` prints it: {where}: {first['msg']}"
            ) from None
    words = [line.strip() for line in text.splitlines()]
    found = tuple(read_key(word) for word in words if word and not word.startswith("#"))
    if not found:
        raise Unreadable("there is no key in it")
    return found


class _Published(BaseModel):
    keys: Annotated[list[Key], Field(min_length=1)]


def published(ring: Ring) -> dict[str, object]:
    """The public keys, as the command line and the service show them."""
    return {
        "current": ring.current.public.id,
        "keys": [key.public.entry().model_dump() for key in ring.keys],
        "name": ring.current.name,
    }


def _first(name: str) -> KeyFile:
    now = _time(datetime.now(UTC))
    return KeyFile(keys=[_key(name, now)], software=[StoredSoftware(version=version("shuangkou"), valid_from=now)])


def _key(name: str, valid_from: str) -> StoredKey:
    made = SigningKey(name, secrets.token_bytes(32), valid_from)
    return StoredKey(**made.public.entry().model_dump(), secret=made.secret.hex())


def _read(path: Path) -> KeyFile:
    try:
        return KeyFile.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Unreadable(f"{path}: {where}: {first['msg']}; restore it from a copy") from None


def _write(path: Path, file: KeyFile) -> None:
    write_private(path, file.model_dump())


def _time(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """One process at a time changes the file."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(data / "keys.lock", os.O_RDWR | os.O_CREAT, 0o600)) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
