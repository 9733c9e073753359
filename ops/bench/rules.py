"""The rules engine beside rlcard's doudizhu, the best-known Python climbing game, in one run on one core.

Three measures: reading a play (rlcard: its card-type dictionary, key made from the cards), playing at random with all legal options at
every decision (rlcard: its bare game and its environment), and the lines a second of `shuangkou rules`, start included.
"""

import importlib.util
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from domain.cards import counts_of, pick
from domain.climbing.rulesets import all_rulesets
from domain.climbing.scoring import finish_now
from domain.climbing.tables import Tables, tables_for
from domain.seats import SEATS, next_seat, partner_of
from schemas.notation import PACK
from schemas.readings import Reading

ROUNDS: Final = 3
SECONDS: Final = 1.0
"""Processor time of one measurement."""
WARM_UP: Final = 3.0
LINES: Final = 200_000
SEED: Final = 20_261_201
PEER: Final = "rlcard doudizhu"


def rate(work: Callable[[], int], seconds: float = SECONDS) -> float:
    """How often something is done in a second of processor time; `work` says how often it did it in one call.

    Processor time, so that whatever else the machine does weighs on neither side. One call before does not count.
    """
    work()
    done, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < seconds:
        done += work()
    return done / elapsed


def plays_of(tables: Tables, rng: random.Random, number: int) -> list[tuple[str, ...]]:
    """Legal leads with suits, out of random holdings."""
    plays: list[tuple[str, ...]] = []
    while len(plays) < number:
        holding = rng.sample(PACK, 27)
        options = tables.options(counts_of(holding), None)
        plays.extend(pick(holding, option.counts) for option in rng.sample(options, min(20, len(options))))
    return plays[:number]


def reading(tables: Tables) -> float:
    """Plays read a second, from cards as text to the reading."""
    plays = plays_of(tables, random.Random(SEED), 2_000)

    def work() -> int:
        for cards in plays:
            tables.read(counts_of(cards), None)
        return len(plays)

    return rate(work)


def play_hand(tables: Tables, rng: random.Random) -> int:
    """Play one hand at random, every decision among all its options and a pass; returns the number of decisions."""
    pack = rng.sample(PACK, len(PACK))
    holdings = [counts_of(pack[seat::4]) for seat in SEATS]
    seat, winner, decisions = 0, 0, 0
    lead: Reading | None = None
    out: list[int] = []
    while True:
        decisions += 1
        options = tables.options(holdings[seat], lead)
        chosen = int(rng.random() * (len(options) + (lead is not None)))
        if chosen < len(options):
            counts, lead = options[chosen]
            holdings[seat] -= counts
            winner = seat
            if not holdings[seat]:
                out.append(seat)
                if finish_now(out):
                    return decisions
        seat = next_seat(seat)
        while not holdings[seat] and seat != winner:
            seat = next_seat(seat)
        if seat == winner:
            lead = None
            if not holdings[winner]:
                seat = partner_of(winner)


def playing(tables: Tables, seconds: float) -> float:
    """Decisions a second in random play."""
    rng = random.Random(SEED)
    return rate(lambda: play_hand(tables, rng), seconds)


def filtering() -> float:
    """Lines a second of `shuangkou rules` in a run of many distinct lines, start included."""
    rng = random.Random(SEED)
    each = LINES // len(all_rulesets())
    lines = [
        json.dumps({"op": "read", "ruleset": ruleset.id, "cards": " ".join(cards), "lead": None})
        for ruleset in all_rulesets()
        for cards in plays_of(tables_for(ruleset), rng, each)
    ]
    rng.shuffle(lines)
    start = time.perf_counter()
    command = [sys.executable, "-m", "services.cli.main", "rules"]
    subprocess.run(command, input="\n".join(lines).encode(), stdout=subprocess.DEVNULL, check=True)
    return len(lines) / (time.perf_counter() - start)


def installed() -> bool:
    """Whether the peer is here to be measured."""
    return importlib.util.find_spec("rlcard") is not None


def peer_reading(rng: random.Random) -> float:
    """Card types looked up a second, key made from the cards, as rlcard's own game makes it."""
    from rlcard.games.base import Card
    from rlcard.games.doudizhu.utils import CARD_TYPE, cards2str

    types = CARD_TYPE[0]
    keys = rng.sample(sorted(types), 2_000)
    plays = [
        [Card("BJ" if rank == "B" else "RJ", "") if rank in "BR" else Card("S", rank) for rank in key] for key in keys
    ]

    def work() -> int:
        for cards in plays:
            types[cards2str(cards)]
        return len(plays)

    return rate(work)


def peer_playing(start: Callable[[], Any], step: Callable[[Any], Any], over: Callable[[], bool]) -> float:
    """Steps a second of random play in a game of rlcard."""

    def work() -> int:
        state, _ = start()
        steps = 0
        while not over():
            state, _ = step(random.choice(_actions(state)))
            steps += 1
        return steps

    return rate(work)


def _actions(state: dict[str, Any]) -> Sequence[Any]:
    return list(state["legal_actions"]) if "legal_actions" in state else state["actions"]


Measure = Callable[[], float]


def peer_measures() -> list[Measure]:
    """What is measured of rlcard: its dictionary, its bare game, its environment."""
    import rlcard
    from rlcard.games.doudizhu.game import DoudizhuGame

    game, env = DoudizhuGame(), rlcard.make("doudizhu")
    return [
        lambda: peer_reading(random.Random(SEED)),
        lambda: peer_playing(game.init_game, game.step, game.is_over),
        lambda: peer_playing(env.reset, env.step, env.is_over),
    ]


def own_measures(tables: Tables) -> list[Measure]:
    """What is measured of a ruleset. Its tables are filled by some play first, as they are in a service that runs."""
    playing(tables, WARM_UP)
    return [lambda: reading(tables), lambda: playing(tables, SECONDS)]


def run() -> dict[str, list[float]]:
    """Measure everything in rounds that take turns, so that a noisy machine is noisy for all; the medians, by name."""
    measures = {ruleset.id: own_measures(tables_for(ruleset)) for ruleset in all_rulesets()}
    if installed():
        measures[PEER] = peer_measures()
    taken: dict[str, list[list[float]]] = {name: [[] for _ in each] for name, each in measures.items()}
    for _ in range(ROUNDS):
        for name, each in measures.items():
            for measure, rates in zip(each, taken[name], strict=True):
                rates.append(measure())
    return {name: [statistics.median(rates) for rates in each] for name, each in taken.items()}


def show(console: Console, rates: dict[str, list[float]]) -> None:
    """Print the table: rates, and in brackets how many times the peer's."""
    peer = rates.pop(PEER, None)
    table = Table(
        title="The rules engine, a second of processor time (in brackets: times rlcard)", title_justify="left"
    )
    for title in ("rules", "plays read", "decisions with all options", "the same, to rlcard's environment"):
        table.add_column(title, justify="left" if title == "rules" else "right")
    if peer is None:
        console.print("rlcard is not installed, so nothing is compared: pip install rlcard 'setuptools<81'")
    else:
        table.add_row(PEER, *(f"{rate:,.0f}" for rate in peer))
    for name, (read, play) in rates.items():
        cells = (f"{read:,.0f}", f"{play:,.0f}", "")
        if peer:
            against = (read / peer[0], play / peer[1], play / peer[2])
            cells = (f"{read:,.0f} ({against[0]:.1f}x)", f"{play:,.0f} ({against[1]:.1f}x)", f"({against[2]:.1f}x)")
        table.add_row(name, *cells)
    console.print(table)


def main() -> None:
    """Print every measure, with its ratio to the peer where there is one."""
    console = Console()
    show(console, run())
    lines = filtering()
    console.print(f"rules filter: {lines:,.0f} lines/s, {LINES:,} distinct lines, start included (aim 20,000)")


if __name__ == "__main__":
    main()
