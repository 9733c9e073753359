"""Where the archive's files lie: a folder, and a bucket of a real S3 server. What is put is there whole, under the name of its bytes."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.archive import Vault, VaultAway, name_of
from schemas.canonical import digest
from services.vaults import Bucket, Folder, open_vault
from tests.kit.s3 import BUCKET, S3Server, s3_server

__all__ = ["s3_server"]

FILES = {name_of(digest(data)): data for data in (b"one\n", b"two\n", b"\x00\xff" * 100_000, "双扣\n".encode())}


@pytest.fixture(params=["folder", "bucket"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    if request.param == "folder":
        return open_vault(tmp_path / "archive")
    request.getfixturevalue("s3_server")
    return open_vault(f"s3://{BUCKET}/of/a/house")


@pytest.fixture
def place(vault: Vault, tmp_path: Path) -> Callable[[str], Path]:
    """Where a file lies on disk."""
    root = vault.path if isinstance(vault, Folder) else tmp_path / "s3" / BUCKET / "of/a/house"
    return lambda name: root / name


def test_what_is_put_is_given_and_listed(vault: Vault) -> None:
    assert list(vault.names()) == []
    for name, data in FILES.items():
        vault.put(name, data)
    assert sorted(vault.names()) == sorted(FILES)
    assert {name: vault.get(name) for name in FILES} == FILES
    assert vault.get(name_of("0" * 64)) is None


def test_a_file_that_was_damaged_is_put_right(vault: Vault, place: Callable[[str], Path]) -> None:
    name, data = next(iter(FILES.items()))
    vault.put(name, data)
    place(name).write_bytes(b"onf\n")
    vault.put(name, data)
    assert vault.get(name) == data


def test_other_files_are_none_of_the_archive(vault: Vault) -> None:
    name, data = next(iter(FILES.items()))
    vault.put(name, data)
    for other in ("xy/README", f"{name}.part", "ab/short.ndjson"):
        vault.put(other, b"x")
    assert list(vault.names()) == [name]


def test_files_of_a_folder_are_their_owners(tmp_path: Path) -> None:
    vault = Folder(tmp_path / "archive")
    name, data = next(iter(FILES.items()))
    vault.put(name, data)
    assert stat.S_IMODE((vault.path / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.path.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file where the folder should be")
    with pytest.raises(VaultAway, match="cannot take"):
        Folder(tmp_path / "archive").put(*next(iter(FILES.items())))


def test_a_wrong_key_is_said(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    bucket = Bucket(f"s3://{BUCKET}")
    for work in (lambda: bucket.put(*next(iter(FILES.items()))), lambda: list(bucket.names())):
        with pytest.raises(VaultAway, match=f"s3://{BUCKET}"):
            work()


def test_a_place_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="ftp://x/y"):
        open_vault("ftp://x/y")
