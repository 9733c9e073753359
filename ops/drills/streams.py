"""Streams for drills: of tables, disputes and looks, as the services would have left them, many records growing at the same time."""

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Final

from domain.simulate import PLAYERS, simulate
from schemas.canonical import GENESIS
from schemas.disputes import AccessLogged, DisputeAssigned, DisputeRaised, Entry, LedgerAdjusted, RulingGiven
from schemas.envelope import Recorded, record
from schemas.events import Event
from schemas.registry import Kind

AT_ONCE: Final = 16
"""Records that grow at the same time."""
RULESETS: Final = ("basic", "jj", "huopin", "qianbian", "jinbao", "ningxia")
TIME: Final = "2026-01-01T00:00:00.000Z"


def made(kind: Kind, events: int) -> list[Recorded]:
    """A stream of just so many events; the same every time."""
    return list(islice(_interleaved(kind), events))


def _interleaved(kind: Kind) -> Iterator[Recorded]:
    """One event of each record in turn; where a record ends the next one begins."""
    fresh = count()
    running = [_record(kind, next(fresh)) for _ in range(AT_ONCE)]
    while True:
        for place, events in enumerate(running):
            event = next(events, None)
            if event is None:
                running[place] = _record(kind, next(fresh))
                event = next(running[place])
            yield event


def _record(kind: Kind, number: int) -> Iterator[Recorded]:
    match kind:
        case "tables":
            return simulate(RULESETS[number % len(RULESETS)], 3, f"drill {number}")
        case "disputes":
            return _chained(f"d-{number}", _case(f"d-{number}", number))
        case "access":
            return _chained(f"t-{number}", _looks(f"t-{number}"))


def _chained(record_id: str, events: Sequence[Event]) -> Iterator[Recorded]:
    prev = GENESIS
    for version, event in enumerate(events, start=1):
        recorded = record(record_id, version, prev, TIME, f"drill-{version}", event)
        prev = recorded.hash
        yield recorded


def _case(dispute: str, number: int) -> list[Event]:
    """A case from claim to correction."""
    table, amount = f"t-{number}", f"{number % 97}.5"
    entries = (
        Entry(account=f"player:{PLAYERS[0]}", amount=f"-{amount}"),
        Entry(account=f"player:{PLAYERS[1]}", amount=amount),
    )
    return [
        DisputeRaised(
            table=table, hand=1, event=None, claim="a claim", player=PLAYERS[1], players=PLAYERS, respond_by=TIME
        ),
        DisputeAssigned(adjudicator="judge", by="desk", respond_by=TIME),
        RulingGiven(
            adjudicator="judge",
            outcome="adjusted",
            table=table,
            hand=1,
            reason="a reason",
            entries=entries,
            table_version=1,
            table_head=GENESIS,
        ),
        LedgerAdjusted(dispute=dispute, table=table, hand=1, entries=entries, reason="a reason"),
    ]


def _looks(table: str) -> list[Event]:
    look = AccessLogged(
        table=table, what="audit", viewer="auditor", until=1, dispute=None, role="auditor", name="auditor"
    )
    return [look.model_copy(update={"until": until}) for until in range(1, 101)]
