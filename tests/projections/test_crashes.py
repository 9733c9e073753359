"""A projection may be killed anywhere (SIGKILL, in the middle of whatever it does) and goes on where its view is."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select

from projections.base import Projector, open_engine
from projections.runner import NAMES, make
from tests.kit.feeding import history
from tests.kit.matches import interleaved


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'view.sqlite'}"
    given: str = request.getfixturevalue("postgres_url")
    return given.replace("postgresql://", "postgresql+psycopg://", 1)


def rows(engine: Engine, name: str) -> dict[str, list[Any]]:
    with engine.connect() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in make(name, history).metadata.sorted_tables
        }


def finish(url: str, name: str) -> tuple[int, dict[str, list[Any]]]:
    """Take in what is left of the stream: the watermark that was found, and all rows in the end."""
    engine = open_engine(url)
    projector = Projector(engine, make(name, history))
    found = projector.open()
    projector.feed(interleaved())
    whole = rows(engine, name)
    engine.dispose()
    return found, whole


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("after", [1, 40])
def test_killed_anywhere_it_goes_on_where_its_view_is(url: str, name: str, after: int, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "tests.kit.feeding", name, url]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(after)]
        process.kill()
    found, whole = finish(url, name)
    assert said == list(range(1, after + 1))
    assert after <= found < len(interleaved())
    assert whole == finish(f"sqlite:///{tmp_path / 'whole.sqlite'}", name)[1]
