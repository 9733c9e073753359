"""An installation with a few matches, some of them open, on a real NATS server; every test gets a copy of its own."""

import shutil
from pathlib import Path

import pytest

from ops.drills.storage import Record, installation, matches
from services.settings import Settings


@pytest.fixture(scope="package")
def record() -> Record:
    """The lines of the matches by table: five tables, the last two in the middle of their second hand."""
    return matches(5, 2, "recovery", opened=2)


@pytest.fixture(scope="package")
def base(tmp_path_factory: pytest.TempPathFactory, record: Record) -> Settings:
    """The installation that is copied. Nobody changes it."""
    return installation(tmp_path_factory.mktemp("base") / "data", record)


@pytest.fixture
def house(tmp_path: Path, base: Settings) -> Settings:
    """An installation to do anything to; its server is stopped."""
    return Settings(data=shutil.copytree(base.data, tmp_path / "data"))
