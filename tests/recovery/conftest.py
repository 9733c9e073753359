"""An installation with a few matches, some of them open, on a real NATS server; every test gets a copy of its own."""

import shutil
from pathlib import Path

import pytest

from ops.drills.storage import Record, installation, matches
from services.settings import Secrets, Settings, write_private

DEAL_KEY = "d" * 64
"""The key with which the installation deals."""


def with_secrets(data: Path) -> Path:
    """A data folder with the secrets of the installation."""
    data.mkdir(parents=True)
    secrets = Secrets(deal_key=DEAL_KEY, token_key="5" * 64, nats_password="6" * 32)
    write_private(data / "secrets.json", secrets.model_dump())
    return data


@pytest.fixture(scope="package")
def record() -> Record:
    """The lines of the matches by table: five tables, the last two in the middle of their second hand."""
    return matches(5, 2, "recovery", opened=2, deal_key=bytes.fromhex(DEAL_KEY))


@pytest.fixture(scope="package")
def base(tmp_path_factory: pytest.TempPathFactory, record: Record) -> Settings:
    """The installation that is copied. Nobody changes it."""
    return installation(with_secrets(tmp_path_factory.mktemp("base") / "data"), record)


@pytest.fixture
def house(tmp_path: Path, base: Settings) -> Settings:
    """An installation to do anything to; its server is stopped."""
    return Settings(data=shutil.copytree(base.data, tmp_path / "data"))
