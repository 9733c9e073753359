"""Compare one table in all its copies: the stream, the archive, the audit timeline, the ledger.

Each copy is compared with the stream up to where its watermark is, so that a view which is a moment behind is not at fault. What is found
is the first event that is wrong, once for each place.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import Connection, Engine, create_engine, func, select
from sqlalchemy.pool import StaticPool

from domain.table import replay
from domain.verify import Fault, Known, Report, verify_lines
from projections.amounts import SCALE
from projections.archive import CUTS, Filed, Vault, files_of, lines_in
from projections.audit import audit_events
from projections.base import Positioned, ProjectionFault, link_of, type_of
from projections.ledger import Ledger, entries, ledger_tables, transactions
from projections.postings import player_account
from schemas.canonical import digest
from schemas.envelope import read_line
from schemas.notation import Unreadable
from services.recovery.views import Mark, as_bytes

Place = Literal["stream", "archive", "audit", "ledger", "disputes", "record"]
"""Where something is wrong; `record` is what the events themselves say (`domain.verify`). At `disputes` a case stands for the table."""
OF_SCORES: Final = ("contribution", "base", "settled", "escape")
"""What of the ledger makes up the scores of a table."""


class Disagreement(NamedTuple):
    """A place where copies differ: which, at which table, from which event on (None: the table as a whole)."""

    place: Place
    table: str | None
    version: int | None
    en: str
    zh: str

    @property
    def where(self) -> str:
        """The event, or the table, as people write it."""
        return f"{self.table or '?'}:{self.version}" if self.version else self.table or "-"


class Job(NamedTuple):
    """A table as the stream gives it: by version, where each event stands in the stream and its bytes.

    `known` is what witnesses know of it.
    """

    table: str
    events: Mapping[int, tuple[int, bytes]]
    known: Sequence[Known] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found at one table."""

    table: str
    report: Report
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True)
class Copies:
    """The other copies, those of them that there are; `marks` say how far each is."""

    vault: Vault
    marks: Mapping[str, Mark]
    audit: Connection | None = None
    archive: Connection | None = None
    ledger: Connection | None = None

    def compare(self, job: Job) -> Finding:
        """Compare one table in all copies."""
        lines = [line for _, (_, line) in sorted(job.events.items())]
        report = verify_lines(lines, job.known) if lines else Report(job.table, 0, 0, _gone(job))
        found = [*self._audit(job), *self._archive(job)]
        if not any(each.place == "stream" for each in found):
            found += [
                Disagreement("record", job.table, fault.version, f"{fault.kind}: {fault.en}", fault.zh)
                for fault in report.faults
            ]
            if not found:
                found += self._ledger(job)
        return Finding(job.table, report, tuple(found))

    def _audit(self, job: Job) -> Iterator[Disagreement]:
        if self.audit is None:
            return
        mark = self.marks["audit"]
        events = audit_events.c
        query = select(events.version, events.hash, events.line)
        rows = self.audit.execute(
            query.where(events.table_id == job.table, events.sequence <= mark.upto).order_by(events.version)
        )
        kept: dict[int, bytes] = {}
        for version, hash_, line in rows:
            kept[version] = as_bytes(line)
            if digest(kept[version]) != hash_:
                yield Disagreement(
                    "audit", job.table, version, "Its line is not the one that was filed.", "审计视图中的事件被改动。"
                )
                return
        yield from _difference("audit", job, kept, mark.complete, "the audit timeline", "审计视图")

    def _archive(self, job: Job) -> Iterator[Disagreement]:
        if self.archive is None:
            return
        mark = self.marks["archive"]
        files = [each for each in files_of(self.archive, job.table) if each.sequence <= mark.upto]
        kept: dict[int, bytes] = {}
        for filed in files:
            lines = yield from self._lines(filed)
            kept.update(enumerate(lines, start=filed.first))
        due = {
            version
            for version, (sequence, line) in job.events.items()
            if sequence <= mark.complete and type_of(line) in CUTS
        }
        missing = due - {each.last for each in files}
        if missing:
            yield Disagreement(
                "archive",
                job.table,
                min(missing),
                "The archive has no file that ends with it; build it again: shuangkou project archive --rebuild",
                "归档缺少以此事件结束的文件。",
            )
        yield from _difference("archive", job, kept, 0, "the archive", "归档")

    def _lines(self, filed: Filed) -> Generator[Disagreement, None, tuple[bytes, ...]]:
        data = self.vault.get(filed.name)
        if data is None:
            yield Disagreement("archive", filed.table, filed.first, f"The file {filed.name} is gone.", "归档文件丢失。")
            return ()
        if digest(data) != filed.digest:
            yield Disagreement(
                "archive", filed.table, filed.first, f"The file {filed.name} was changed.", "归档文件被改动。"
            )
            return ()
        return lines_in(data)

    def _ledger(self, job: Job) -> Iterator[Disagreement]:
        """The books must hold just what these events post, and come to the scores that a replay of the table gives."""
        if self.ledger is None:
            return
        mark = self.marks["ledger"].complete
        wanted = [
            Positioned(sequence, read_line(line))
            for _, (sequence, line) in sorted(job.events.items())
            if type_of(line) in (Ledger.types or ())
        ]
        events = [each for each in wanted if each.sequence <= mark]
        try:
            right = _posted(job.table, events)
            if len(events) < len(wanted):
                _posted(job.table, wanted)  # what it has not seen yet must be what it can post
        except ProjectionFault as fault:
            yield Disagreement("ledger", job.table, None, str(fault), "事件无法入账。")
            return
        held = _seen(_rows(self.ledger, job.table), job, self.marks["ledger"].upto)
        if held != right:
            version = min((row[1] for row in set(held) ^ set(right) if isinstance(row[1], int)), default=None)
            yield Disagreement(
                "ledger",
                job.table,
                version,
                "The books are not what the events post; build them again: shuangkou project ledger --rebuild",
                "账本与事件不符,请重建账本。",
            )
        elif all(sequence <= mark for sequence, _ in job.events.values()):
            yield from _scores(self.ledger, job, mark)


def _gone(job: Job) -> tuple[Fault, ...]:
    if not job.known:
        return ()
    known = job.known[0]
    en = f"{known.witness} knows this table up to event {known.version}; here there is none of it."
    return (Fault(job.table, 1, "missing", "", en, "整张桌子的记录缺失。"),)


def _difference(
    place: Place, job: Job, kept: Mapping[int, bytes], complete: int, en: str, zh: str
) -> Iterator[Disagreement]:
    """The first event that is not the same in the stream and in a copy, which must hold all up to `complete`."""
    lost = kept.keys() - job.events.keys()
    if lost and not job.events:
        yield Disagreement(
            "stream",
            job.table,
            min(lost),
            f"The table is gone from the stream; {en} has it.",
            f"流中缺少整张桌子,{zh}中有。",
        )
    elif lost:
        yield Disagreement(
            "stream", job.table, min(lost), f"It is missing in the stream; {en} has it.", f"流中缺少此事件,{zh}中有。"
        )
    other = min(
        (version for version, line in kept.items() if job.events.get(version, (0, line))[1] != line), default=None
    )
    if other is not None:
        broken = "stream" if _chains(kept, other) else place
        yield Disagreement(
            broken, job.table, other, f"The stream and {en} hold different events here.", f"流与{zh}中的事件不同。"
        )
    missing = {version for version, (sequence, _) in job.events.items() if sequence <= complete} - kept.keys()
    if missing:
        yield Disagreement(place, job.table, min(missing), f"It is missing in {en}.", f"{zh}中缺少此事件。")


def _chains(kept: Mapping[int, bytes], version: int) -> bool:
    """Whether an event of a copy is chained to its neighbours there."""
    try:
        before = version - 1 not in kept or link_of(kept[version]).prev == digest(kept[version - 1])
        return before and (version + 1 not in kept or link_of(kept[version + 1]).prev == digest(kept[version]))
    except Unreadable:
        return False


@cache
def _books() -> Engine:
    """An empty ledger in memory, in which nothing is ever committed."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Ledger.metadata.create_all(engine)
    return engine


def _posted(table: str, events: list[Positioned]) -> list[tuple[Any, ...]]:
    """The rows that the ledger makes of the events of one table. Raises ProjectionFault."""
    with _books().connect() as connection:
        try:
            Ledger().apply(connection, events)
            return _rows(connection, table)
        finally:
            connection.rollback()


def _rows(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    """Every row of the ledger for one table, each with the name of what it is of, the version second where it has one."""
    found: list[tuple[Any, ...]] = []
    for each in Ledger.metadata.sorted_tables:
        rows = connection.execute(select(each).where(each.c.table_id == table))
        found += ((each.name, *tuple(row)[1:]) for row in rows)
    return sorted(found, key=repr)


def _seen(rows: Sequence[tuple[Any, ...]], job: Job, upto: int) -> list[tuple[Any, ...]]:
    """Rows of the ledger but those of events after `upto`, since the ledger may have moved on meanwhile."""
    later = {row[1:3] for row in rows if row[0] == transactions.name and row[3] > upto}
    opened = not job.events or min(sequence for sequence, _ in job.events.values()) <= upto
    return [row for row in rows if row[1:3] not in later and (opened or row[0] != ledger_tables.name)]


def _scores(ledger: Connection, job: Job, upto: int) -> Iterator[Disagreement]:
    query = (
        select(entries.c.account, func.sum(entries.c.amount))
        .join(transactions)
        .where(
            transactions.c.table_id == job.table, transactions.c.unit == "points", transactions.c.kind.in_(OF_SCORES)
        )
        .where(transactions.c.sequence <= upto)
        .group_by(entries.c.account)
    )
    held = Counter({account: int(amount) for account, amount in ledger.execute(query) if account.startswith("player:")})
    table = replay(read_line(line) for _, (_, line) in sorted(job.events.items()))
    right = Counter({player_account(player): score * SCALE for player, score in table.scores.items()})
    if {key: held[key] for key in held | right} != {key: right[key] for key in held | right}:
        yield Disagreement(
            "ledger",
            job.table,
            None,
            "The balances are not the scores that a replay gives.",
            "账本余额与重放得分不符。",
        )
