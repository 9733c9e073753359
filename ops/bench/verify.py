"""Verifying beside what cannot be saved: hashing the same lines, parsing them as JSON and writing them again, in one run.

First hands a second on one core, per ruleset and kind of player; then many matches on all cores by `shuangkou verify FILE …`, start
included, as an auditor would. `python -m ops.bench.verify --matches 2000` for the full size.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import orjson
from rich.console import Console
from rich.table import Table

from domain.bots import BOTS
from domain.hands import all_rulesets
from domain.simulate import simulate
from domain.verify import verify_file
from ops.bench.rules import ROUNDS, rate
from schemas.canonical import canonical, digest
from schemas.matchfile import match_file

MATCHES: Final = 200
HANDS: Final = 4
"""Hands of a match."""
SAMPLE: Final = 10
"""Matches of one ruleset and kind of player on one core."""
AIM: Final = 300
KINDS: Final = tuple(product((each.id for each in all_rulesets()), sorted(BOTS)))


class Rates(NamedTuple):
    """Of one ruleset and kind of player: events a hand, hands verified a second, and hands that are only hashed and parsed."""

    events: float
    verified: float
    parsed: float


def match(number: int) -> bytes:
    """The `number`-th match: the rulesets and kinds of players take turns."""
    ruleset, bot = KINDS[number % len(KINDS)]
    return match_file([each.line for each in simulate(ruleset, HANDS, f"bench-{number}", bot)])


def verify(content: bytes) -> int:
    """Verify a match; how many hands. Raises ValueError for one with a fault."""
    report = verify_file(content)
    if not report.clean:
        raise ValueError(str(report.faults[0]))
    return report.hands


def parse(content: bytes) -> int:
    """The least that anybody has to do who checks a chain of canonical lines; how many hands. Raises ValueError for other lines."""
    for line in content.splitlines():
        digest(line)
        if canonical(orjson.loads(line)) != line:
            raise ValueError("a line is not canonical")
    return HANDS


def one_core(kind: int) -> Rates:
    """Measure matches of one kind, both works in turn, so that a noisy machine is noisy for both."""
    contents = [match(kind + turn * len(KINDS)) for turn in range(SAMPLE)]
    verified, parsed = [], []
    for _ in range(ROUNDS):
        verified.append(rate(lambda: sum(map(verify, contents)), 0.5))
        parsed.append(rate(lambda: sum(map(parse, contents)), 0.2))
    events = sum(content.count(b"\n") - 2 for content in contents) / (HANDS * SAMPLE)
    return Rates(events, statistics.median(verified), statistics.median(parsed))


def show(console: Console) -> None:
    """Print the rates on one core, kind by kind."""
    title = f"Verifying on one core, a second of processor time (aim {AIM} hands)"
    table = Table(title=title, title_justify="left")
    for name in ("rules", "players", "events a hand", "hands verified", "only hashed and parsed", "ratio"):
        table.add_column(name, justify="left" if name in {"rules", "players"} else "right")
    for kind, (ruleset, bot) in enumerate(KINDS):
        found = one_core(kind)
        cells = (f"{found.events:.0f}", f"{found.verified:,.0f}", f"{found.parsed:,.0f}")
        table.add_row(ruleset, bot, *cells, f"{found.verified / found.parsed:.2f}x")
    console.print(table)


def write(job: tuple[Path, int]) -> Path:
    """Write a match into a folder."""
    folder, number = job
    path = folder / f"{number:05}.ndjson"
    path.write_bytes(match(number))
    return path


def check_all(number: int) -> tuple[int, float]:
    """Verify so many matches by the command line, on all cores; their bytes and the seconds that it took."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor() as pool:
        paths = list(pool.map(write, ((Path(folder), each) for each in range(number)), chunksize=8))
        size = sum(path.stat().st_size for path in paths)
        command = [sys.executable, "-m", "services.cli.main", "verify", "--data", folder, "--json", *map(str, paths)]
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return size, time.perf_counter() - start


def main(argv: Sequence[str] | None = None) -> None:
    """Print what one core does, and all of them with many matches."""
    parser = argparse.ArgumentParser(prog="verify", description="How fast matches are verified.")
    parser.add_argument("--matches", type=int, default=MATCHES, help=f"matches on all cores (default {MATCHES})")
    number: int = parser.parse_args(argv).matches
    console = Console()
    show(console)
    size, took = check_all(number)
    console.print(
        f"{number:,} matches of {HANDS} hands, {size / 1e6:,.0f} MB, on {os.cpu_count()} cores: {took:.1f} s, "
        f"{number * HANDS / took:,.0f} hands/s, start included",
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
