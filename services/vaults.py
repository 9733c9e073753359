"""Where the archive's files are: a folder on this machine, or a bucket that speaks S3."""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from projections.archive import SUFFIX, Vault, VaultAway, digest_in

__all__ = ["Bucket", "Folder", "Vault", "VaultAway", "open_vault"]

PART: Final = ".part"
"""How files end that are being written; a crash may leave some behind, which nobody reads."""


class Folder:
    """A folder. Files are written under another name, synced, renamed, and the folder is synced."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path

    def __str__(self) -> str:
        return str(self.path)

    def put(self, name: str, data: bytes) -> None:
        """Keep a file; one that is there with just these bytes is left alone."""
        place = self.path / name
        try:
            if _read(place) == data:
                return
            self._make(place.parent)
            part = place.with_name(f"{secrets.token_hex(8)}{PART}")
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(place)
            _sync(place.parent)
        except OSError as error:
            raise VaultAway(f"the archive in {self.path} cannot take {name}: {error.strerror}") from error

    def get(self, name: str) -> bytes | None:
        """A file, None if there is no such file."""
        try:
            return _read(self.path / name)
        except OSError as error:
            raise VaultAway(f"the archive in {self.path} cannot give {name}: {error.strerror}") from error

    def names(self) -> Iterator[str]:
        """The names of all files, in order."""
        for path in sorted(self.path.glob(f"??/*{SUFFIX}")):
            name = path.relative_to(self.path).as_posix()
            if digest_in(name):
                yield name

    def _make(self, folder: Path) -> None:
        if folder.is_dir():
            return
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync(self.path)


class Bucket:
    """A bucket, or what begins with a prefix in it, over the S3 protocol. It answers an upload when the object is kept."""

    def __init__(self, url: str) -> None:
        self.url: Final = url
        parts = urlsplit(url)
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
        self._store: Final = S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            client_options={"allow_http": endpoint.startswith("http://"), "timeout": "20s", "connect_timeout": "5s"},
            retry_config={"max_retries": 3},
        )

    def __str__(self) -> str:
        return self.url

    def put(self, name: str, data: bytes) -> None:
        """Keep a file. It is sent also when it is there: that costs as much as looking whether it is whole."""
        try:
            obstore.put(self._store, name, data, use_multipart=False)
        except (BaseError, OSError) as error:
            raise VaultAway(f"the archive at {self.url} cannot take {name}: {_said(error)}") from error

    def get(self, name: str) -> bytes | None:
        """A file, None if there is no such file."""
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise VaultAway(f"the archive at {self.url} cannot give {name}: {_said(error)}") from error

    def names(self) -> Iterator[str]:
        """The names of all files."""
        try:
            for page in obstore.list(self._store):
                yield from (each["path"] for each in page if digest_in(each["path"]))
        except (BaseError, OSError) as error:
            raise VaultAway(f"the archive at {self.url} cannot be listed: {_said(error)}") from error


def open_vault(place: str | Path) -> Folder | Bucket:
    """The vault at a folder, or at `s3://bucket/prefix`; then the environment says the rest (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, …).

    Raises ValueError for any other URL.
    """
    text = str(place)
    if text.startswith("s3://"):
        return Bucket(text)
    if "://" in text:
        raise ValueError(f"archive: {text!r} is neither a folder nor s3://bucket/prefix")
    return Folder(Path(text))


def _said(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]


def _read(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
