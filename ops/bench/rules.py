"""The rules engine beside rlcard's doudizhu, the best-known Python climbing game, in one run on one core.

Three measures: reading a play (rlcard: its card-type dictionary, key made from the cards), playing at random with all legal options at
every decision (rlcard: its bare game and its environment), and the lines a second of `shuangkou rules`, start included.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from domain.cards import counts_of, pick
from domain.climbing.rulesets import all_rulesets
from domain.climbing.scoring import finish_now
from domain.climbing.tables import Tables, tables_for
from domain.seats import SEATS, next_seat, partner_of
from schemas.notation import PACK
from schemas.readings import Reading

SECONDS = 3.0
LINES = 200_000
SEED = 20_261_201


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


def decisions(tables: Tables, rng: random.Random) -> Iterator[None]:
    """Play one hand at random, every decision with all its options; yields once a decision."""
    pack = rng.sample(PACK, len(PACK))
    holdings = [counts_of(pack[seat::4]) for seat in SEATS]
    seat, winner, lead = 0, 0, None
    waiting: set[int] = set()
    out: list[int] = []
    while finish_now(out) is None:
        if holdings[seat]:
            yield
            lead_before: Reading | None = lead
            options = tables.options(holdings[seat], lead_before)
            chosen = rng.randrange(len(options) + (lead_before is not None))
            waiting.discard(seat)
            if chosen < len(options):
                counts, lead = options[chosen]
                holdings[seat] -= counts
                winner, waiting = seat, {other for other in SEATS if other != seat and holdings[other]}
                if not holdings[seat]:
                    out.append(seat)
        seat = next_seat(seat)
        if not waiting:
            seat = winner if holdings[winner] else partner_of(winner)
            lead = None


def playing(tables: Tables) -> float:
    """Decisions a second in random play."""
    rng = random.Random(SEED)
    return rate(lambda: sum(1 for _ in decisions(tables, rng)))


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


def peer() -> ModuleType | None:
    """rlcard, if it is installed."""
    try:
        import rlcard
    except ImportError:
        return None
    found: ModuleType = rlcard
    return found


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


def main() -> None:
    """Print every measure, with its ratio to the peer where there is one."""
    against = peer()
    if against is None:
        print("rlcard is not installed, so nothing is compared: pip install --group bench")
        peers = (0.0, 0.0, 0.0)
    else:
        from rlcard.games.doudizhu.game import DoudizhuGame

        game, env = DoudizhuGame(), against.make("doudizhu")
        peers = (
            peer_reading(random.Random(SEED)),
            peer_playing(game.init_game, game.step, game.is_over),
            peer_playing(env.reset, env.step, env.is_over),
        )
        print(
            f"rlcard doudizhu: {peers[0]:,.0f} look-ups/s; {peers[1]:,.0f} steps/s bare game, {peers[2]:,.0f} steps/s environment"
        )
    for ruleset in all_rulesets():
        tables = tables_for(ruleset)
        read, play = reading(tables), playing(tables)
        print(f"{ruleset.id:10} read {read:>10,.0f}/s{ratio(read, peers[0])}  play {play:>8,.0f} decisions/s", end="")
        print(f"{ratio(play, peers[1])} bare game{ratio(play, peers[2])} environment" if against else "")
    print(f"rules filter {filtering():,.0f} lines/s, {LINES:,} distinct lines, start included (required: 20,000)")


def ratio(ours: float, theirs: float) -> str:
    """How many times the peer, or nothing without a peer."""
    return f" {ours / theirs:5.1f}x" if theirs else ""


if __name__ == "__main__":
    main()
