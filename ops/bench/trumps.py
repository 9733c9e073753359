"""The trump game beside rlcard's doudizhu, in one run on one core: decisions a second with every legal play listed.

The decisions are those of whole hands of sensible players. Every legal follow is built, up to a limit that discards of many cards meet; the
share of decisions that meet it is printed. A second measure plays and verifies whole matches.
"""

import statistics
import time
from collections.abc import Callable
from itertools import islice
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from domain.simulate import simulate
from domain.table import Table as TableState
from domain.table import evolve
from domain.trumps.bots import follow_hints, lead_hints
from domain.trumps.hand import Hand
from domain.trumps.options import follows, leads
from domain.trumps.order import Order
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.throwing import must_read_lead
from domain.verify import verify_lines
from ops.bench.rules import PEER, ROUNDS, installed, peer_measures, rate
from schemas.trumps import Cards, CardsPlayed

LIMIT: Final = 10_000
"""So many follows of one decision are listed at most."""
HANDS: Final = 20


class Decision(NamedTuple):
    """A seat to play: what it holds, what was played before it in the trick, and what it knows to be gone."""

    ruleset: TrumpsRuleset
    order: Order
    holding: Cards
    plays: tuple[Cards, ...]
    gone: Cards
    failed: int


def decisions() -> list[Decision]:
    """Every decision to lead or follow in some hands of sensible players."""
    found = []
    state: TableState | None = None
    for each in simulate("ningxia", HANDS, "bench", "greedy"):
        hand = state.hand if state else None
        if isinstance(each.event, CardsPlayed) and isinstance(hand, Hand):
            seat = each.event.seat
            plays = tuple(play.cards for play in hand.trick)
            found.append(Decision(hand.ruleset, hand.order, hand.holdings[seat], plays, hand.gone, hand.failed[seat]))
        state = evolve(state, each)
    return found


def options(decision: Decision) -> int:
    """How many plays are legal: leads of one part, or follows up to the limit."""
    if not decision.plays:
        return len(leads(decision.order, decision.holding))
    lead = must_read_lead(decision.order, decision.plays[0])
    return sum(1 for _ in islice(follows(decision.order, lead, decision.holding), LIMIT))


def hints(decision: Decision) -> int:
    """How many plays are worth showing, the best first."""
    if not decision.plays:
        return len(lead_hints(decision.ruleset, decision.order, decision.holding, decision.gone, decision.failed))
    return len(follow_hints(decision.order, decision.plays, decision.holding))


def over(found: list[Decision], work: Callable[[Decision], int]) -> Callable[[], int]:
    """Work through all decisions; how many those are."""

    def run() -> int:
        for decision in found:
            work(decision)
        return len(found)

    return run


def matches() -> tuple[float, float]:
    """Hands a second of processor time: played by sensible players, and verified."""
    start = time.process_time()
    recorded = list(simulate("ningxia", HANDS, "bench", "greedy"))
    played = time.process_time()
    report = verify_lines([each.line for each in recorded])
    return report.hands / (played - start), report.hands / (time.process_time() - played)


def main() -> None:
    """Print the measures, with their ratio to the peer where there is one."""
    found = decisions()
    measures = {"every legal play listed": over(found, options), "hints, best first": over(found, hints)}
    peer = peer_measures()[2] if installed() else None
    rates: dict[str, list[float]] = {name: [] for name in (PEER, *measures)}
    for _ in range(ROUNDS):
        if peer:
            rates[PEER].append(peer())
        for name, work in measures.items():
            rates[name].append(rate(work))
    table = Table(title="The trump game: decisions a second of processor time", title_justify="left")
    for title in ("what", "decisions", "times rlcard's environment"):
        table.add_column(title, justify="left" if title == "what" else "right")
    base = statistics.median(rates[PEER]) if peer else None
    for name, taken in rates.items():
        if taken:
            median = statistics.median(taken)
            table.add_row(name, f"{median:,.0f}", f"{median / base:.1f}x" if base else "")
    console = Console()
    console.print(table)
    met = sum(options(decision) == LIMIT for decision in found)
    console.print(f"{len(found):,} decisions; {met / len(found):.1%} of them have more than {LIMIT:,} legal plays")
    played, verified = matches()
    console.print(f"whole hands: {played:,.0f} played and {verified:,.0f} verified a second of processor time")


if __name__ == "__main__":
    main()
