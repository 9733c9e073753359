"""The storage drill: damage the files of the stream, and see that every loss is found, named and restored.

    python -m ops.drills.storage [--cuts 50] [--tables 24] [--hands 3] [--seed 1]

Each cut works on a copy of a whole installation without services: NATS stopped (in order, or as by kill -9), one bit flipped in a block
of the stream, or a block cut short, NATS started again. What is really lost is known by comparing with the bytes that were written; then
`verify --all` must name every table that lost something at its first event, and `restore` must bring back every byte. What NATS itself
says of the damage is counted too.
"""

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal

import orjson

from domain.simulate import simulate
from projections.base import Projector, open_engine
from projections.runner import make
from services.eventstore.core import Head, JetStreamStore
from services.recovery.carrying_out import Wish, restore
from services.recovery.local import STORE, alone
from services.recovery.reconciling import reconcile
from services.settings import Settings
from services.store import connect
from services.vaults import open_vault

VIEWS = ("audit", "archive", "ledger")
RULESETS = ("basic", "jj", "huopin", "qianbian", "jinbao", "ningxia")
Record = dict[str, list[bytes]]


@dataclass(frozen=True, slots=True)
class Cut:
    """A damage: what is done to which byte of which block, and how NATS had ended before."""

    how: Literal["flip", "cut"]
    block: str
    at: int
    bit: int
    killed: bool

    def __str__(self) -> str:
        what = f"bit {self.bit} of byte {self.at:,} flipped" if self.how == "flip" else f"cut at byte {self.at:,}"
        return f"{self.block} {what} after {'kill -9' if self.killed else 'SIGTERM'}"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a cut: events really lost, in how many tables, how NATS told of it, and whether it was found and restored."""

    lost: int
    tables: int
    told: Literal["log", "state", "nothing"]
    named: int
    restored: bool
    seconds: float


def matches(tables: int, hands: int, seed: str = "drill", opened: int = 4, deal_key: bytes | None = None) -> Record:
    """The lines of so many matches of all rulesets; the last few are not over, but in the middle of their last hand.

    With the `deal_key` of an installation they are such as it could have recorded.
    """
    record: Record = {}
    for number in range(tables):
        events = list(simulate(RULESETS[number % len(RULESETS)], hands, f"{seed} {number}", deal_key=deal_key))
        if number >= tables - opened:
            end = len(events) * 9 // 10
            events = events[: next(n for n in range(end, len(events)) if events[n].command != events[n - 1].command)]
        record[events[0].table] = [each.line for each in events]
    return record


async def write(settings: Settings, record: Record) -> None:
    """Write the matches as if they had been played at the same time."""
    store = await connect(settings)
    try:
        turns = sorted((n / len(lines), table, n) for table, lines in record.items() for n in range(len(lines)))
        heads: dict[str, Head] = {}
        for start in range(0, len(turns), 400):
            await _write(store, [(table, n, record[table][n]) for _, table, n in turns[start : start + 400]], heads)
    finally:
        await store.close()


async def _write(store: JetStreamStore, events: Sequence[tuple[str, int, bytes]], heads: dict[str, Head]) -> None:
    seen: set[str] = set()
    writes = []
    for table, n, line in events:
        expected = None if table in seen else heads.get(table, Head(0, 0)).sequence
        writes.append(store.layout.event(table, n + 1, orjson.loads(line)["type"], line, expected))
        seen.add(table)
    for (table, n, _), sequence in zip(events, await store.write(writes, within=60), strict=True):
        heads[table] = Head(n + 1, sequence)


async def read(settings: Settings) -> Record:
    """Every event of the stream that can be read, by table."""
    store = await connect(settings)
    try:
        record: Record = {}
        for each in await store.fetch(store.layout.events, 1):
            record.setdefault(each.key, []).append(each.data)
        return record
    finally:
        await store.close()


async def project(settings: Settings, names: Sequence[str] = VIEWS) -> None:
    """Let projections take in the stream."""
    store = await connect(settings)
    try:
        found = [(each.sequence, each.data) for each in await store.fetch(store.layout.events, 1)]
    finally:
        await store.close()
    for name in names:
        engine = open_engine(settings.database(name))
        projector = Projector(engine, make(name, lambda _: (), open_vault(settings.vault)))
        projector.open()
        for start in range(0, len(found), 2000):
            projector.feed(found[start : start + 2000])
        engine.dispose()


@contextmanager
def served(settings: Settings, *, kill: bool = False) -> Iterator[Settings]:
    """The installation's NATS server while the block runs, ended in order or by kill -9."""
    with alone(settings) as server:
        server.start()
        yield settings.model_copy(update={"nats": server.url})
        if kill:
            server.kill()


def installation(data: Path, record: Record, views: Sequence[str] = VIEWS, *, kill: bool = False) -> Settings:
    """An installation that holds these matches, its server stopped."""
    settings = Settings(data=data)
    with served(settings, kill=kill) as running:
        asyncio.run(write(running, record))
        asyncio.run(project(running, views))
    return settings


def blocks(settings: Settings) -> list[Path]:
    """The files of the stream that hold events."""
    return sorted((settings.data / STORE).glob("jetstream/*/streams/SK/msgs/*.blk"))


def draw(chance: random.Random, folders: Sequence[Settings]) -> Cut:
    """Any damage; the first of the installations was stopped in order, the second killed."""
    killed = chance.random() < 0.5
    found = blocks(folders[killed])
    block = chance.choices(found, [each.stat().st_size for each in found])[0]
    at = chance.randrange(block.stat().st_size)
    return Cut("flip" if chance.random() < 0.6 else "cut", block.name, at, chance.randrange(8), killed)


def damage(settings: Settings, cut: Cut) -> None:
    """Do it to the files of a stopped server."""
    path = next(each for each in blocks(settings) if each.name == cut.block)
    content = bytearray(path.read_bytes())
    if cut.how == "flip":
        content[cut.at] ^= 1 << cut.bit
    else:
        del content[cut.at :]
    path.write_bytes(content)


def suffer(settings: Settings, cut: Cut, record: Record) -> Result:
    """Damage an installation, and see what is found and what can be restored."""
    began = perf_counter()
    (settings.data / "logs" / "nats.log").unlink(missing_ok=True)
    damage(settings, cut)
    with served(settings) as running:
        told = _told(settings, asyncio.run(_state(running)))
        left = asyncio.run(read(running))
        found = reconcile(running)
    lost = _first_lost(record, left)
    events = sum(map(len, record.values())) - sum(map(len, left.values()))
    named = {each.table: each.version for each in found.disagreements if each.place == "stream" and each.table}
    right = sum(named.get(table) == version for table, version in lost.items())
    if set(named) - set(lost) or found.clean != (not lost):
        right = -1  # somebody was accused who lost nothing, or nobody was
    restored = True
    if lost:
        restore(settings, Wish(set_aside=True, other_seeds=True))
    with served(settings) as running:
        restored = asyncio.run(read(running)) == record
        asyncio.run(project(running))
        restored = restored and reconcile(running).clean
    return Result(events, len(lost), told, right, restored, perf_counter() - began)


async def _state(settings: Settings) -> dict[str, object]:
    """What NATS says of its stream."""
    store = await connect(settings)
    try:
        found: dict[str, object] = await store.link.api("STREAM.INFO.SK", None, 5.0)
        return found
    finally:
        await store.close()


def _told(settings: Settings, info: dict[str, object]) -> Literal["log", "state", "nothing"]:
    """Whether NATS said anything of a damage: in its log, or at least when asked for the state of the stream."""
    log = (settings.data / "logs" / "nats.log").read_text()
    loud = [line for line in log.splitlines() if "[WRN]" in line or "[ERR]" in line]
    if any("ealthcheck" not in line and "Plaintext" not in line and "partial batch" not in line for line in loud):
        return "log"
    state = info["state"]
    assert isinstance(state, dict)
    return "state" if state.get("num_deleted") or state.get("lost") or state["first_seq"] > 1 else "nothing"


def _first_lost(record: Record, left: Record) -> dict[str, int]:
    """The tables that lost something, each with the version of the first event that is gone."""
    return {
        table: next(n for n, line in enumerate(lines, 1) if line not in set(left.get(table, ())))
        for table, lines in record.items()
        if left.get(table, []) != lines
    }


def main() -> int:
    """Run the drill and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("cuts", 50), ("tables", 24), ("hands", 3), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    record = matches(given.tables, given.hands)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bases = [installation(root / name, record, kill=name == "killed") for name in ("stopped", "killed")]
        size = sum(each.stat().st_size for each in blocks(bases[0]))
        print(
            f"{sum(map(len, record.values())):,} events of {len(record)} tables, {size:,} bytes in {len(blocks(bases[0]))} blocks"
        )
        print(
            "| cut | events lost | tables | NATS told | found and named | restored | s |\n|---|---|---|---|---|---|---|"
        )
        results = []
        for number in range(1, given.cuts + 1):
            cut = draw(chance, bases)
            copy = Settings(data=root / "cut")
            shutil.copytree(bases[cut.killed].data, copy.data)
            result = suffer(copy, cut, record)
            shutil.rmtree(copy.data)
            results.append(result)
            named = "-" if not result.tables else f"{result.named} of {result.tables}"
            row = (
                f"{number}: {cut}",
                f"{result.lost:,}",
                result.tables,
                result.told,
                named,
                "yes" if result.restored else "NO",
            )
            print("| " + " | ".join(map(str, row)) + f" | {result.seconds:.1f} |", flush=True)
    return summary(results)


def summary(results: Sequence[Result]) -> int:
    """Print the sums; 0 when everything was found and restored."""
    hurt = [each for each in results if each.tables]
    told = Counter(each.told for each in hurt)
    found = sum(each.named == each.tables for each in hurt)
    wrong = [each for each in results if each.named == -1]
    print(
        f"\n{len(results)} cuts, {len(hurt)} lost events ({sum(each.lost for each in hurt):,} in all); found and named {found}, "
        f"restored {sum(each.restored for each in results)}. NATS itself: {told['log']} in its log, {told['state']} only in the stream's "
        f"state, {told['nothing']} not at all. False accusations {len(wrong)}."
    )
    return 0 if found == len(hurt) and all(each.restored for each in results) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
