"""Rebuild the stream from its copies: `shuangkou restore`.

Every event that the archive, the audit timeline or the stream itself can still give is put together table by table, verified, and
written as the event store writes: whole commands in atomic batches, each table's first event of a batch with the version check. What is
in the stream already must be the beginning of what is to be in it, so a restore that was killed goes on where it was, and nothing is ever
overwritten.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import groupby, zip_longest
from multiprocessing import get_context
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple

import orjson
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from domain.shuffle import commitment
from domain.verify import Fault, Known, verify_lines
from projections.archive import Vault, name_of
from projections.audit import audit_events
from projections.base import Projector, open_engine
from projections.runner import make
from schemas.canonical import digest
from schemas.envelope import read_line, stored_name
from schemas.events import HandStarted, SeedCommitted, type_name
from schemas.notation import Unreadable
from services.eventstore.core import JetStreamStore
from services.eventstore.errors import EMPTY, Head
from services.eventstore.scanning import Scan
from services.recovery.finishing import SeedOf, rest_of
from services.recovery.sources import Source, Sources, Trouble, Whole
from services.recovery.views import as_bytes, mark_of
from services.settings import Settings

BATCH: Final = 500
"""Events written at once, at most; a command is never divided."""
WORTH_A_POOL: Final = 8
"""From so many tables on it pays to use more than one core."""
OF_TABLES: Final = ("live", "ledger", "audit", "archive")
"""The projections that are built from the stream that is restored."""
COMMITS: Final = frozenset((type_name(HandStarted), type_name(SeedCommitted)))
"""Stored names of the events that commit to a seed."""
NOTHING: Final[Mapping[str, Sequence[Known]]] = MappingProxyType({})
Progress = Callable[[int, int], None]


class Event(NamedTuple):
    """An event to be written: its table, version, type, command and bytes."""

    table: str
    version: int
    topic: str
    command: str
    line: bytes


@dataclass(frozen=True)
class Plan:
    """What the stream is to hold: the tables, and all events in the order of the stream; the first `numbered` get the sequence they had."""

    tables: Mapping[str, Whole]
    events: Sequence[Event]
    numbered: int
    faults: Sequence[Fault]
    troubles: Sequence[Trouble]


class Standing(NamedTuple):
    """What a stream holds: by table the hashes of its events from the first on, and its head."""

    hashes: Mapping[str, Sequence[str]]
    heads: Mapping[str, Head]
    whole: bool
    last: int


async def survey(store: JetStreamStore, sources: Sources) -> Standing:
    """Read what a stream still holds, and take it for a source too."""
    scan = Scan(store)
    hashes: dict[str, list[str]] = {}
    heads: dict[str, Head] = {}
    whole = True
    async for page in scan.pages():
        for record in page:
            sources.add("stream", record.data)
            mine = hashes.setdefault(record.key, [])
            whole = whole and record.version == len(mine) + 1
            mine.append(digest(record.data))
            heads[record.key] = Head(record.version, record.sequence)
    return Standing(hashes, heads, whole and not scan.holes, scan.last)


class Timeline(NamedTuple):
    """What the audit timeline tells: where each event stood in the stream, and when the last one that it has seen happened."""

    places: dict[tuple[str, int], int]
    until: str


def add_audit(settings: Settings, sources: Sources) -> Timeline:
    """Take the audit timeline for a source, if there is one. An event of it that was changed still tells that there was one."""
    if mark_of(settings, "audit") is None:
        sources.notes.append("audit: there is no audit timeline to help 没有审计视图")
        return Timeline({}, "")
    engine = open_engine(settings.database("audit"))
    places: dict[tuple[str, int], int] = {}
    until = ""
    columns = audit_events.c
    query = select(columns.table_id, columns.version, columns.sequence, columns.hash, columns.line, columns.time)
    try:
        with engine.connect() as connection:
            for table, version, sequence, hash_, given, time in connection.execute(query.order_by(columns.sequence)):
                places[table, version], until = sequence, time
                if digest(line := as_bytes(given)) != hash_:
                    sources.notes.append(
                        f"audit: event {table}:{version} was changed; it was left out 该事件已被改动,未采用"
                    )
                    continue
                sources.add("audit", line)
    except SQLAlchemyError as error:
        sources.notes.append(f"audit: it cannot be read to its end: {str(error).partition(chr(10))[0][:200]}")
    finally:
        engine.dispose()
    return Timeline(places, until)


def plan(
    sources: Sources,
    places: Mapping[tuple[str, int], int],
    prefer: Source | None = None,
    progress: Progress | None = None,
    seed_of: SeedOf | None = None,
    known: Mapping[str, Sequence[Known]] = NOTHING,
) -> Plan:
    """Put the tables together, verify each of them, and say in which order their events are to stand in the stream.

    A last command of which the end is missing is decided again (`seed_of`: with the seeds of this installation, of which every hand must
    be). `known` is what witnesses know of tables.
    """
    found = list(sources.whole(prefer))
    tables = [whole for whole in found if whole.lines]
    faults: list[Fault] = []
    troubles = [whole.trouble for whole in found if whole.trouble is not None]
    for done, (mine, rest, foreign) in enumerate(_verified(tables, seed_of), start=1):
        faults += mine
        troubles += foreign
        if rest:
            whole = tables[done - 1]
            heads = (*whole.heads, *map(digest, rest))
            tables[done - 1] = whole._replace(lines=(*whole.lines, *rest), heads=heads)
            sources.notes.append(
                f"table {whole.table}: the end of its last command was missing; {len(rest)} events were decided again 末尾命令已补全"
            )
        if progress:
            progress(done, len(tables))
    events, numbered = _in_order(tables, places)
    by_name = {whole.table: whole for whole in tables}
    troubles += _unlike(by_name, known, {each.table for each in troubles if each.kind in {"lost", "forked"}})
    return Plan(by_name, events, numbered, faults, troubles)


def _unlike(
    tables: Mapping[str, Whole], known: Mapping[str, Sequence[Known]], lost: AbstractSet[str]
) -> Iterator[Trouble]:
    """The tables that are not as witnesses know them, or end before that; once where it is said already that something is `lost`."""
    for table, witnesses in sorted(known.items()):
        heads = tables[table].heads if table in tables else ()
        for each in sorted(witnesses, key=attrgetter("version")):
            if each.version <= len(heads) and heads[each.version - 1] != each.hash:
                en = f"{each.witness} knows another event here. If it is the log that is wrong, move its folder away and restore again."
                yield Trouble(table, each.version, "otherwise", en, "检查点日志所记的事件与此不同。")
                break
        else:
            last = max(each.version for each in witnesses)
            if last > len(heads) and table not in lost:
                en = f"The checkpoint log knows this table up to event {last}; no source has it from here on."
                yield Trouble(table, len(heads) + 1, "lost", en, "检查点日志中有此后的事件,所有副本中都没有。")


def unseen(sources: Sources, planned: Plan, timeline: Timeline) -> Iterator[Trouble]:
    """Tables with events that only the archive has, although the audit timeline has seen what happened later.

    The archive takes in what the stream holds, and so does the timeline: what is older than its last event it should have.
    """
    for table, whole in planned.tables.items():
        for version, line in enumerate(whole.lines, start=1):
            if (table, version) in timeline.places or sources.of(table, version, line) != ("archive",):
                continue
            if orjson.loads(line)["time"] < timeline.until:
                en = "From here on only the archive has it, though the audit timeline has seen what came later: it may have been made up."
                yield Trouble(table, version, "unseen", en, "只有归档中有此事件,审计视图却没有,可能是编造的。")
                break


def _in_order(tables: Sequence[Whole], places: Mapping[tuple[str, int], int]) -> tuple[list[Event], int]:
    """All events in the order of the stream, and how many of them get the sequence that they had.

    Where the audit timeline knows the places from the first on without a gap, its order holds, and what it has not seen comes after, by
    time. Otherwise all goes by time.
    """
    by_time = [event for _, event in merge(*map(_timed, tables), key=itemgetter(0))]
    known = [event for event in by_time if (event.table, event.version) in places]
    known.sort(key=lambda each: places[each.table, each.version])
    if [places[each.table, each.version] for each in known] != list(range(1, len(known) + 1)) or not _in_turn(known):
        return by_time, 0
    rest = [event for event in by_time if (event.table, event.version) not in places]
    return [*known, *rest], len(known)


def _in_turn(events: Sequence[Event]) -> bool:
    """Whether the events of every table come one after the other from the first on."""
    at: dict[str, int] = {}
    for event in events:
        if event.version != at.get(event.table, 0) + 1:
            return False
        at[event.table] = event.version
    return True


def _timed(whole: Whole) -> Iterator[tuple[tuple[str, str, int], Event]]:
    """The events of a table with what they are sorted by; never earlier than the one before."""
    latest = ""
    for version, line in enumerate(whole.lines, start=1):
        raw = orjson.loads(line)
        latest = max(latest, raw["time"])
        yield (latest, whole.table, version), Event(whole.table, version, raw["type"], raw["command"], line)


Verified = tuple[tuple[Fault, ...], tuple[bytes, ...], tuple[Trouble, ...]]
"""The faults of a table, the events that its last command is short of, and the first hand that is not of this installation."""


def _verified(tables: Sequence[Whole], seed_of: SeedOf | None) -> Iterator[Verified]:
    work = partial(_verify, seed_of)
    if len(tables) < WORTH_A_POOL:
        yield from map(work, tables)
        return
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        yield from pool.map(work, tables, chunksize=2)


def _verify(seed_of: SeedOf | None, whole: Whole) -> Verified:
    faults = verify_lines(whole.lines).faults
    rest = rest_of(whole.lines, seed_of) if faults else ()
    foreign = _foreign(whole, seed_of) if seed_of else None
    return (verify_lines((*whole.lines, *rest)).faults if rest else faults), rest, (foreign,) if foreign else ()


def _foreign(whole: Whole, seed_of: SeedOf) -> Trouble | None:
    """The first hand that was not dealt with the deal key of this installation; None if there is none."""
    for version, line in enumerate(whole.lines, start=1):
        event = _commits(line)
        if event is not None and event.commitment != commitment(
            seed_of(whole.table, event.hand), whole.table, event.hand
        ):
            en = f"Hand {event.hand} was not dealt with the deal key of this installation (C2): it may have been made up."
            return Trouble(whole.table, version, "foreign", en, "该局的种子不是本系统的密钥产生的,可能是编造的。")
    return None


def _commits(line: bytes) -> HandStarted | SeedCommitted | None:
    if stored_name(line) not in COMMITS:
        return None
    try:
        event = read_line(line).event
    except Unreadable:
        return None  # which the verification says
    return event if isinstance(event, HandStarted | SeedCommitted) else None


def conflict(standing: Standing, plan: Plan) -> str | None:
    """Why the plan cannot be carried out on a stream as it stands, None when it can: it may hold nothing but the beginning of the plan."""
    if not standing.whole:
        return "the stream has holes: events in the middle of it are lost, and nothing can be put back between others"
    for table, hashes in sorted(standing.hashes.items()):
        right = plan.tables[table].heads if table in plan.tables else ()
        for version, (mine, its) in enumerate(zip_longest(hashes, right[: len(hashes)]), start=1):
            if mine != its:
                return f"event {table}:{version} of the stream is not the one that is to be restored"
    return None


async def write(store: JetStreamStore, plan: Plan, standing: Standing, progress: Progress | None = None) -> int:
    """Write what the stream has not yet; returns how many events. Raises what the store raises: a Conflict when somebody else writes."""
    heads = dict(standing.heads)
    left = [event for event in plan.events if event.version > len(standing.hashes.get(event.table, ()))]
    done = 0
    for batch in _batches(left):
        writes, seen = [], set()
        for event in batch:
            expected = None if event.table in seen else heads.get(event.table, EMPTY).sequence
            seen.add(event.table)
            writes.append(store.layout.event(event.table, event.version, event.topic, event.line, expected))
        for event, sequence in zip(batch, await store.write(writes, within=60), strict=True):
            heads[event.table] = Head(event.version, sequence)
        done += len(batch)
        if progress:
            progress(done, len(left))
    return done


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events in lists of whole commands."""
    batch: list[Event] = []
    for _, command in groupby(events, key=lambda each: (each.table, each.command)):
        group = list(command)
        if batch and len(batch) + len(group) > BATCH:
            yield batch
            batch = []
        batch += group
    if batch:
        yield batch


def differences(standing: Standing, plan: Plan) -> list[str]:
    """What is not as planned in a stream after a restore; nothing, that is the proof."""
    found = [] if standing.whole else ["the stream has holes"]
    if standing.last != len(plan.events):
        found.append(f"the stream ends at {standing.last}, not at {len(plan.events)}")
    tables = standing.hashes.keys() | plan.tables.keys()
    for table in sorted(tables):
        right = list(plan.tables[table].heads) if table in plan.tables else []
        if list(standing.hashes.get(table, ())) != right:
            found.append(f"table {table} is not as it was")
    return found


def keep_survivors(sources: Sources, plan: Plan, vault: Vault) -> int:
    """Put into the archive what the stream alone still has, so that nothing depends on a stream that is set aside.

    Returns how many files.
    """
    files = 0
    for table, whole in plan.tables.items():
        only = [n for n, line in enumerate(whole.lines) if sources.of(table, n + 1, line) == ("stream",)]
        for _, run in groupby(enumerate(only), key=lambda each: each[1] - each[0]):
            data = b"".join(whole.lines[n] + b"\n" for _, n in run)
            vault.put(name_of(digest(data)), data)
            files += 1
    return files


def start_views_over(settings: Settings, numbered: int) -> tuple[str, ...]:
    """Empty the views whose watermark does not mean the same in the restored stream, so that they build themselves anew. Returns which.

    `numbered` events have the sequence they had.
    """
    emptied = []
    for name in OF_TABLES:
        mark = mark_of(settings, name)
        if mark is None or mark.upto <= numbered:
            continue
        engine = open_engine(settings.database(name))
        try:
            Projector(engine, make(name, lambda _: ())).rebuild()
        finally:
            engine.dispose()
        emptied.append(name)
    return tuple(emptied)
