"""Carry out a restore, on the server of this installation or on one that runs elsewhere."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final, Literal, TypeVar

from domain.shuffle import derived_seed
from domain.verify import Known
from services.checkpoints import FOLDER, CheckpointFault
from services.eventstore.core import JetStreamStore
from services.recovery.finishing import SeedOf
from services.recovery.local import STORE, LocalServer, alone
from services.recovery.restoring import (
    Plan,
    Progress,
    Standing,
    add_audit,
    conflict,
    differences,
    keep_survivors,
    plan,
    start_views_over,
    survey,
    unseen,
    write,
)
from services.recovery.sources import Source, Sources, Trouble
from services.recovery.views import mark_of
from services.settings import STREAM, Settings, load_secrets
from services.store import connect
from services.vaults import open_vault
from services.witness import known_of

T = TypeVar("T")
SHOWN: Final = 10
"""So many troubles, and so many faults, are listed in a refusal."""
BESIDE: Final[tuple[Literal["disputes", "access"], ...]] = ("disputes", "access")
"""The records beside those of tables, each in a stream of its own, which the archive does not hold."""
SECRETS: Final = "secrets.json"
HINTS: Final[Mapping[str, str]] = {
    "lost": "--incomplete restores these tables up to there 用 --incomplete 恢复到此为止",
    "foreign": "--other-seeds restores them too: only if the deal key was changed, or secrets.json was lost 仅当发牌密钥更换过或已丢失",
    "unseen": "--unseen restores them too: only if you know why the timeline lacks them 仅当您知道审计视图为何缺少它们",
}
"""What may be wished for, by the kind of trouble."""
Bar = Callable[[str], AbstractContextManager[Progress]]


class CannotRestore(Exception):
    """The restore is refused, and nothing was written. The message says why, and what can be done."""


@dataclass(frozen=True)
class Wish:
    """How to restore. `set_aside`: a damaged stream may be put away for a new one. `with_faults`: also tables that do not verify.

    `incomplete`: also tables of which something is lost, up to there. `prefer`: the source that holds where the record went two ways.
    `dry`: say only what would be done. `other_seeds`: also hands that another deal key dealt. `unseen`: also what only the archive has,
    though the audit timeline should.
    """

    set_aside: bool = False
    with_faults: bool = False
    incomplete: bool = False
    prefer: Source | None = None
    dry: bool = False
    other_seeds: bool = False
    unseen: bool = False


@dataclass
class Outcome:
    """What was done: tables and events there are now, events written, which views begin anew, where a damaged stream lies."""

    tables: int
    events: int
    written: int = 0
    numbered: int = 0
    sources: Mapping[Source, int] = field(default_factory=dict)
    emptied: tuple[str, ...] = ()
    set_aside: str | None = None
    notes: list[str] = field(default_factory=list)


@contextmanager
def silent(_: str) -> Iterator[Progress]:
    """A progress that nobody sees."""

    def nothing(_done: int, _of: int) -> None: ...

    yield nothing


def restore(settings: Settings, wish: Wish, bar: Bar = silent) -> Outcome:
    """Restore the stream. Raises CannotRestore, StillRunning, and what store and vault raise."""
    seed_of = _seeds(settings)  # before the server is started, which makes secrets where there are none
    if settings.nats:
        return _restore(settings, wish, bar, None, seed_of)
    with alone(settings) as server:
        server.start()
        return _restore(settings.model_copy(update={"nats": server.url}), wish, bar, server, seed_of)


def _restore(settings: Settings, wish: Wish, bar: Bar, server: LocalServer | None, seed_of: SeedOf | None) -> Outcome:
    vault, sources = open_vault(settings.vault), Sources()
    known = _known(settings)
    sources.add_vault(vault)
    timeline = add_audit(settings, sources)
    standing = _on(settings, partial(survey, sources=sources))
    with bar("核验 verifying") as progress:
        planned = plan(sources, timeline.places, wish.prefer, progress, seed_of, known)
    _check([*planned.troubles, *unseen(sources, planned, timeline)], planned, wish)
    if seed_of is None:
        sources.notes.append(
            f"there is no {SECRETS}: whether this installation dealt the hands was not checked 未核对发牌密钥"
        )
    outcome = Outcome(len(planned.tables), len(planned.events), sources=sources.counts, notes=sources.notes)
    why = conflict(standing, planned)
    if why is not None:
        if not wish.set_aside:
            raise CannotRestore(_damaged(why, server))
        if not wish.dry:
            outcome.notes.append(
                f"{keep_survivors(sources, planned, vault)} files put into the archive from the stream"
            )
            standing = _set_aside(settings, server, outcome)
    if wish.dry:
        return outcome
    with bar("写入 writing") as progress:
        outcome.written = _on(settings, partial(write, plan=planned, standing=standing, progress=progress))
    wrong = differences(_on(settings, partial(survey, sources=Sources())), planned)
    if wrong:
        raise CannotRestore(f"the stream is not as planned afterwards: {'; '.join(wrong[:SHOWN])}")
    outcome.numbered = planned.numbered if _kept_place(standing, planned) else 0
    outcome.emptied = start_views_over(settings, outcome.numbered)
    outcome.notes += _not_archived(settings)
    return outcome


def _not_archived(settings: Settings) -> Iterator[str]:
    """What the records beside those of tables have lost, by what their views took in: it cannot be restored, and must not go unsaid."""

    async def last(kind: Literal["disputes", "access"]) -> int:
        store = await connect(settings, within=10, kind=kind)
        try:
            return await store.last_sequence()
        finally:
            await store.close()

    for kind in BESIDE:
        mark = mark_of(settings, kind)
        if mark is None or not mark.upto:
            continue
        left = asyncio.run(last(kind))
        if left < mark.upto:
            yield (
                f"{kind}: the stream {STREAM}-{kind} ends at event {left}, but its view has seen {mark.upto}. It is not in the archive: "
                f"bring it back from a backup of {STORE}/, or keep a copy of the view and build it anew with "
                f"`shuangkou project {kind} --rebuild` 归档不含此流,请从备份恢复"
            )


def _on(settings: Settings, work: Callable[[JetStreamStore], Awaitable[T]]) -> T:
    """Do something with the event store, on a connection of its own."""

    async def run() -> T:
        store = await connect(settings, within=10)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def _seeds(settings: Settings) -> SeedOf | None:
    """The seeds of this installation, if it has its secrets."""
    if not (settings.data / SECRETS).exists():
        return None
    return partial(derived_seed, bytes.fromhex(load_secrets(settings.data).deal_key))


def _known(settings: Settings) -> Mapping[str, Sequence[Known]]:
    """What the checkpoint log of the data folder knows of each table. Raises CannotRestore when it is broken."""
    folder = settings.data / FOLDER
    try:
        return known_of(folder).tables
    except CheckpointFault as error:
        raise CannotRestore(
            f"the checkpoint log in {folder} is broken: {error}. Nothing was written. Bring it back from a copy, or move it away to "
            "restore without what it knows 检查点日志损坏,请从副本恢复或移开"
        ) from None


def _check(troubles: Sequence[Trouble], planned: Plan, wish: Wish) -> None:
    """Raises CannotRestore when a table is not whole, may be made up or does not verify, and that was not wished for."""
    if not planned.tables:
        raise CannotRestore(
            "neither the archive nor the audit timeline nor the stream holds any event 没有可恢复的事件"
        )
    wished = {"lost": wish.incomplete, "foreign": wish.other_seeds, "unseen": wish.unseen}
    left = [each for each in troubles if not wished.get(each.kind)]
    said = [f"event {each.table}:{each.version}: {each.en} {each.zh}" for each in left[:SHOWN]]
    said += [f"… and {len(left) - SHOWN} more 其余从略"] if len(left) > SHOWN else []
    kinds = {each.kind for each in left}
    said += [hint for kind, hint in HINTS.items() if kind in kinds and not kinds & {"forked", "otherwise"}]
    if not wish.with_faults and planned.faults:
        said += [
            *map(str, planned.faults[:SHOWN]),
            "--with-faults restores these tables as they were recorded 按原样恢复",
        ]
    if said:
        raise CannotRestore("nothing was written 未写入任何内容:\n  " + "\n  ".join(said))


def _damaged(why: str, server: LocalServer | None) -> str:
    if server is None:
        return (
            f"{why}. Nothing was written. A stream of a server elsewhere is not removed from here: back it up, remove it, restore again "
            "流未被移除,请备份并删除后重试"
        )
    return f"{why}. Nothing was written; --set-aside keeps the damaged stream as it is in another folder and makes a new one 用 --set-aside"


def _kept_place(standing: Standing, planned: Plan) -> bool:
    """Whether what the stream held already stands where the plan has it."""
    there = Counter(event.table for event in planned.events[: standing.last])
    return there == Counter({table: len(hashes) for table, hashes in standing.hashes.items()})


def _set_aside(settings: Settings, server: LocalServer | None, outcome: Outcome) -> Standing:
    """Put the stream's folder away, and begin with an empty stream. Other streams of the server stay where they are."""
    if server is None:
        raise CannotRestore(_damaged("the stream cannot be set aside", None))
    server.stop()
    to = settings.data / f"{STORE}-damaged" / datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    for folder in (settings.data / STORE).glob(f"jetstream/*/streams/{STREAM}"):
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.rename(to / STREAM)
        outcome.set_aside = str(to)
    server.start()
    return _on(settings, partial(survey, sources=Sources()))
