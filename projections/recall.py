"""Tells a hand again: who played, what each chose and when, what followed, what it came to, and the balances before and after."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, case, func, select, union_all

from domain.hands import get_ruleset
from domain.proofs.receipts import number_of
from domain.seats import SEATS
from domain.table import OVER, Table
from projections.amounts import plain
from projections.books import adjustments
from projections.ledger import entries, transactions
from projections.postings import player_account
from projections.viewing import event_for
from schemas.envelope import Recorded
from schemas.events import (
    DissolveVoted,
    Event,
    Passed,
    Played,
    PlayerReturned,
    SeatsSwapped,
    SeedRevealed,
    TimedOut,
)
from schemas.recall import Balance, HandFound, HandRecall, Kept, Kind, Player, Ruled, Step
from schemas.trumps import (
    CardsPlayed,
    CounterDeclined,
    DeclarationDeclined,
    KittyBuried,
    KittyCountered,
    ThrowFailed,
    TrumpDeclared,
)
from schemas.views import Viewer

CHOICES: Final = (
    Played,
    Passed,
    TrumpDeclared,
    DeclarationDeclined,
    KittyBuried,
    KittyCountered,
    CounterDeclined,
    ThrowFailed,
    CardsPlayed,
    DissolveVoted,
    PlayerReturned,
)
"""Events that are what somebody chose."""
RESULTS: Final = frozenset(
    ("trick-won", "points-taken", "contribution-scored", "finished", "level-raised", "declarer-named")
)
TABLE: Final = frozenset(("player-seated", "player-left", "table-closed", "timed-out"))
Moment = tuple[Table, Recorded]
"""An event with the table right after it."""


def found(row: dict[str, Any], years: int) -> HandFound:
    """A row of the index of hands as it is given to people; hands are kept for so many years."""
    return HandFound(
        id=f"{row['table_id']}/{row['hand']}",
        table=row["table_id"],
        hand=row["hand"],
        status=row["status"],
        how=row["how"],
        started=row["started"],
        ended=row["ended"],
        ruleset=row["ruleset"],
        ruleset_version=row["ruleset_version"],
        players=tuple(row["players"]),
        receipt=number_of(row["digest"]) if row["digest"] else None,
        digest=row["digest"],
        kept=Kept(years=years, until=_later(row["ended"] or row["started"], years)),
    )


def _later(time: str, years: int) -> str:
    """The day so many years later; the last of February where there is no 29th."""
    day = datetime.fromisoformat(time).date()
    try:
        return day.replace(year=day.year + years).isoformat()
    except ValueError:
        return day.replace(year=day.year + years, day=28).isoformat()


def tell(
    hand: HandFound,
    before: Table,
    moments: Iterable[Moment],
    eyes: Callable[[Table], Viewer],
    balances: dict[str, tuple[Balance, ...]] | None,
    versions: tuple[str, str],
) -> HandRecall:
    """Tell a hand again, from the table before it and its events, with these eyes. `versions` are those of the software, then and now."""
    steps: list[Step] = []
    command, automatic, table = "", False, before
    players = before.players
    for table, recorded in moments:
        if isinstance(recorded.event, SeatsSwapped):
            players = table.players  # as they sat when they played
        if recorded.command != command:
            command, automatic = recorded.command, isinstance(recorded.event, TimedOut)
        steps.append(_step(table, recorded, eyes(table), automatic=automatic))
    ruleset = get_ruleset(hand.ruleset, hand.ruleset_version)
    after = table.scores if hand.status != "playing" else None
    seated = [(seat, players[seat]) for seat in SEATS]
    return HandRecall(
        found=hand,
        ruleset=Ruled(id=ruleset.id, version=ruleset.version, title_zh=ruleset.title_zh, title_en=ruleset.title_en),
        software=versions[0],
        shown_by=versions[1],
        viewer=eyes(table),
        players=tuple(
            Player(
                seat=seat,
                player=name,
                before=before.scores.get(name, 0),
                after=None if after is None else after.get(name, 0),
                balances=None if balances is None else balances.get(name, ()),
            )
            for seat, name in seated
            if name is not None
        ),
        steps=tuple(steps),
    )


def _step(table: Table, recorded: Recorded, viewer: Viewer, *, automatic: bool) -> Step:
    event = recorded.event
    kind = _kind(event, automatic=automatic)
    seat = getattr(event, "seat", None) if kind in {"choice", "automatic"} else None
    return Step(
        version=recorded.version,
        time=recorded.time,
        kind=kind,
        seat=seat,
        player=table.players[seat] if seat is not None else None,
        event=event_for(table, recorded, viewer),
    )


def _kind(event: Event, *, automatic: bool) -> Kind:
    if isinstance(event, (*OVER, SeedRevealed)):
        return "end"
    if isinstance(event, CHOICES):
        return "automatic" if automatic else "choice"
    if event.TYPE in RESULTS:
        return "result"
    return "table" if event.TYPE in TABLE else "deal"


def balances_of(
    connection: Connection, hand: HandFound, names: Sequence[str], *, adjusted: bool
) -> dict[str, tuple[Balance, ...]]:
    """What the accounts of players held when a hand began and when it ended, of every unit they have.

    `adjusted`: rulings are readable on this connection, and count from when they were given.
    """
    accounts = {player_account(name): name for name in names}
    columns = (entries.c.account, transactions.c.unit, entries.c.amount, transactions.c.time)
    own = (transactions.c.table_id == hand.table) & (transactions.c.hand == hand.hand)
    posted = select(*columns, case((own, entries.c.amount), else_=0).label("own")).select_from(
        entries.join(transactions)
    )
    parts = [posted.where(entries.c.account.in_(accounts))]
    if adjusted:
        given = adjustments.c
        ruled = select(given.account, given.unit, given.amount, given.time, (given.amount * 0).label("own"))
        parts.append(ruled.where(given.account.in_(accounts)))
    lines = union_all(*parts).subquery().c
    query = select(
        lines.account,
        lines.unit,
        func.sum(case((lines.time < hand.started, lines.amount), else_=0)).label("before"),
        func.sum(case((lines.time <= (hand.ended or "~"), lines.amount), else_=0)).label("after"),
        func.sum(lines.own).label("own"),
    )
    held: dict[str, list[Balance]] = {name: [] for name in names}
    for row in connection.execute(query.group_by(lines.account, lines.unit).order_by(lines.account, lines.unit.desc())):
        amounts = {"before": plain(int(row.before)), "change": plain(int(row.own)), "after": plain(int(row.after))}
        held[accounts[row.account]].append(Balance(unit=row.unit, **amounts))
    return {name: tuple(found_) for name, found_ in held.items()}
