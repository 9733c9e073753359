"""kill -9 anywhere while matches are played: what was acknowledged is recorded once, and everything finds its way back."""

import asyncio
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from domain.verify import verify_lines
from projections.base import Projector, open_engine
from projections.runner import NAMES, make, source_of
from services.bots import Driver, Match, Plan
from services.settings import Settings
from services.store import connect
from tests.kit.house import House

KILLS = 10
VIEWS = tuple(name for name in NAMES if source_of(name) == "tables")
"""The projections that follow the tables; nobody disputes anything here."""
VICTIMS = ("nats", "tables", "live", "ledger", "audit")


@pytest.mark.timeout(240)
def test_ten_kills_at_random_moments(tmp_path: Path) -> None:
    draw = random.Random(20261201)
    settings = Settings(data=tmp_path / "data")
    with House(settings.data, "--no-demo") as house:
        matches: list[Match] = []

        def play() -> None:
            matches.extend(asyncio.run(play_both(settings)))

        playing = threading.Thread(target=play)
        playing.start()
        killed: list[str] = []
        while len(killed) < KILLS and playing.is_alive():
            time.sleep(draw.uniform(0.3, 1.5))
            victim = VICTIMS[len(killed) % len(VICTIMS)]
            house.kill(victim)
            killed.append(victim)
        playing.join(180)
        assert not playing.is_alive(), house.said
        assert Counter(killed) == Counter(VICTIMS * 2), "the matches ended before all kills were made"
        assert [match.hands for match in matches] == [3] * 4, house.said
        assert all(house.processes()[victim]["restarts"] for victim in VICTIMS)
        lines = asyncio.run(stream(settings))
        wait_for_projections(settings, len(lines))
        views = {name: rows(settings.database(name), name) for name in VIEWS}
    check_record(matches, lines)
    for name in VIEWS:
        assert views[name] == rebuilt(f"sqlite:///{tmp_path}/rebuilt-{name}.sqlite", name, lines)


async def play_both(settings: Settings) -> list[Match]:
    """Two tables of each family at once; those of the trump family deal by themselves."""
    plans = [Plan(ruleset, 3, 2, "drill", "random") for ruleset in ("huopin", "ningxia")]
    played = await asyncio.gather(*(Driver(settings, patience=90).play(plan) for plan in plans))
    return [match for matches in played for match in matches]


def check_record(matches: list[Match], lines: list[bytes]) -> None:
    """Every acknowledged command is in the stream once, at the version that was answered; every table verifies."""
    from schemas.envelope import read_line

    recorded = [read_line(line) for line in lines]
    versions: dict[tuple[str, str], list[int]] = {}
    for each in recorded:
        key = each.command.partition(".")[0]
        versions.setdefault((each.table, key), []).append(each.version)
    for match in matches:
        for key, version in match.acknowledged:
            found = [mine for (table, command), mine in versions.items() if table == match.table and command == key]
            assert len(found) == 1, f"{match.table}: command {key} is recorded {len(found)} times"
            assert found[0] == list(range(found[0][0], version + 1))
        report = verify_lines([each.line for each in recorded if each.table == match.table])
        assert report.clean, report.faults


async def stream(settings: Settings) -> list[bytes]:
    """The whole stream, as it is on disk."""
    store = await connect(settings)
    try:
        return [record.data async for records in store.tail(0, live=False) for record in records]
    finally:
        await store.close()


def wait_for_projections(settings: Settings, to: int) -> None:
    """Wait until all projections have taken in the stream."""
    from projections.base import watermarks

    for name in VIEWS:
        engine = open_engine(settings.database(name))
        for _ in range(400):
            with engine.connect() as connection:
                if connection.execute(select(watermarks.c.sequence)).scalar() == to:
                    break
            time.sleep(0.05)
        else:
            pytest.fail(f"{name} did not catch up")
        engine.dispose()


def rows(url: str, name: str) -> dict[str, list[Any]]:
    """Every row of a projection."""
    engine = open_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in make(name, lambda _: []).metadata.sorted_tables
        }
    engine.dispose()
    return found


def rebuilt(url: str, name: str, lines: list[bytes]) -> dict[str, list[Any]]:
    """The rows of a projection built from event 1 in one go."""
    engine = open_engine(url)
    projector = Projector(engine, make(name, lambda _: []))
    projector.open()
    projector.feed(list(enumerate(lines, start=1)))
    engine.dispose()
    return rows(url, name)
