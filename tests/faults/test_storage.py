"""A few cuts of the storage drill (`python -m ops.drills.storage` does as many as one likes): every loss is found, named and restored."""

import shutil
from pathlib import Path

import pytest

from ops.drills.storage import Cut, Record, blocks, installation, matches, suffer
from services.settings import Settings


@pytest.fixture(scope="module")
def record() -> Record:
    return matches(4, 1, "storage", opened=2)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory, record: Record) -> tuple[Settings, Settings]:
    """The same matches, NATS stopped in order and by kill -9."""
    folder = tmp_path_factory.mktemp("bases")
    return installation(folder / "stopped", record), installation(folder / "killed", record, kill=True)


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("how", ["flip", "cut"])
def test_a_loss_is_found_named_and_restored(
    tmp_path: Path, bases: tuple[Settings, Settings], record: Record, how: str, killed: bool
) -> None:
    base = bases[killed]
    block = blocks(base)[0]
    line = record[min(record)][50]
    cut = Cut("flip" if how == "flip" else "cut", block.name, block.read_bytes().index(line) + 100, 2, killed)
    result = suffer(Settings(data=shutil.copytree(base.data, tmp_path / "data")), cut, record)
    assert result.lost > 0
    assert (result.named, result.restored) == (result.tables, True)
