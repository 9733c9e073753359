"""Verifies matches and receipts, on all cores when there is enough to do."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from domain.proofs.keys import PublicKey, read_key
from domain.proofs.receipts import signer_of
from domain.verify import Fault, Known, Report, Trust, verify_file
from schemas.canonical import digest
from schemas.envelope import open_line
from schemas.events import TableClosed, type_name
from schemas.matchfile import read_match
from schemas.notation import Unreadable
from schemas.proofs import RECEIPT_TYPE, Receipt
from schemas.text import printable, shortened
from services import keys
from services.checkpoints import FOLDER, CheckpointFault
from services.cli.looking import content_of
from services.settings import Settings
from services.witness import check_copy, known_of

WORTH_A_POOL: Final = 1_000_000
"""From so many bytes of matches on it pays to use more than one core: these take one core some 40 ms, and as long to start another."""
SETTLED: Final = timedelta(minutes=10)
"""So long after a match was over its end is in a checkpoint log that goes on."""
CLOSED: Final = type_name(TableClosed)
Job = tuple[bytes, Trust | None, Sequence[Known]]
"""A match file, the keys that are known, and what is known of its table."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A receipt that was checked: who signed it, and whether that key was known from elsewhere; or what is wrong with it.

    `note` says what it was not compared with.
    """

    receipt: Receipt
    fault: str | None
    pinned: bool
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in the files and tables that were given. `places` says for each report which of them it is of."""

    places: Sequence[str]
    reports: Sequence[Report]
    receipts: Sequence[Checked] = ()
    notes: Sequence[str] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return all(each.clean for each in self.reports) and not any(each.fault for each in self.receipts)


@dataclass(frozen=True, slots=True)
class Log:
    """What a checkpoint log knows of each table, and when its newest leaf was put on record.

    `named`: somebody asked for a comparison with it, so a match that it does not know is told of. `notes`: why it says nothing.
    """

    known: Mapping[str, Sequence[Known]] = field(default_factory=dict)
    latest: str = ""
    named: bool = False
    notes: tuple[str, ...] = ()


def trust_of(given: Iterable[str], settings: Settings) -> Trust | None:
    """The keys that were named, each a file or the key itself; else those of the data folder, if there are any. Raises Unreadable."""
    named = [key for each in given for key in _keys(each)]
    if named:
        return Trust(tuple(named))
    if not (settings.data / keys.FILE).exists():
        return None
    ring = keys.load_ring(settings.data)
    return Trust(tuple(key.public for key in ring.keys), required=False)


def _keys(given: str) -> tuple[PublicKey, ...]:
    path = Path(given)
    if not path.exists() or path.is_dir():
        return (read_key(given),)
    try:
        return keys.read_keys(path.read_text(encoding="utf-8"))  # a pipe is as good as a file
    except UnicodeDecodeError:
        raise Unreadable(f"{path}: this is no list of keys, nor any other text in UTF-8") from None
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None


def verify_places(places: Sequence[str], settings: Settings, trust: Trust | None, log: Log) -> Found:
    """Verify match files, receipts, and tables by their service; the matches also against the receipts. Raises Failed or Unreadable."""
    contents = [content_of(place, settings) for place in places]
    receipts = [(place, _receipt(content)) for place, content in zip(places, contents, strict=True)]
    checked = _one_story([_check(found, trust) for _, found in receipts if found is not None])
    all_known = {table: list(each) for table, each in log.known.items()}
    for each in checked:
        if each.fault is None:
            content_ = each.receipt.receipt
            witness = Known(content_.last, content_.head, f"Receipt {content_.number}")
            all_known.setdefault(content_.table, []).append(witness)
    matches = {place: content for content, (place, found) in zip(contents, receipts, strict=True) if found is None}
    tables = [_table_of(content) for content in matches.values()]
    jobs = [(content, trust, all_known.get(table, ())) for table, content in zip(tables, matches.values(), strict=True)]
    reports = _agreeing(matches, _on_all_cores(jobs))
    if log.named:
        reports = [_placed(each, content, log) for each, content in zip(reports, matches.values(), strict=True)]
    if matches:
        checked = [_noted(each, tables) for each in checked]
    return Found(tuple(matches), reports, checked, log.notes)


def _one_story(checked: Sequence[Checked]) -> list[Checked]:
    """The receipts, at fault where two that are signed tell different things of one hand."""
    told: dict[tuple[str, int], Receipt] = {}
    found = []
    for each in checked:
        content = each.receipt.receipt
        other = told.setdefault((content.table, content.hand), each.receipt).receipt if each.fault is None else content
        if (other.head, other.score) != (content.head, content.score):
            en = f"Receipt {other.number} tells something else of the same hand: two records of it were signed."
            found.append(replace(each, fault=f"{en} 同一局有两份互相矛盾的回执。"))
        else:
            found.append(each)
    return found


def _noted(checked: Checked, tables: Sequence[str]) -> Checked:
    if checked.receipt.receipt.table in tables:
        return checked
    note = "no match file of its table was given: it was compared with none 未提供该桌的比赛文件,未作比较"
    return replace(checked, note=note)


def _agreeing(matches: Mapping[str, bytes], reports: Sequence[Report]) -> list[Report]:
    """The reports, at fault where two files tell one table in two ways. A file that only ends earlier agrees."""
    found = list(reports)
    places, contents = list(matches), list(matches.values())
    clean = sorted((n for n, each in enumerate(reports) if each.clean), key=lambda n: reports[n].table or "")
    for _, group in groupby(clean, key=lambda n: reports[n].table):
        longest, *others = sorted(group, key=lambda n: -reports[n].events)
        for n in others:
            mine, its = read_match(contents[n]).lines, read_match(contents[longest]).lines
            if digest(mine[-1]) != digest(its[len(mine) - 1]):
                version = next(v for v, (a, b) in enumerate(zip(mine, its, strict=False), start=1) if a != b)
                signed = reports[n].signed or reports[longest].signed
                found[n] = _contradicted(reports[n], version, places[longest], signed=signed is not None)
    return found


def _contradicted(report: Report, version: int, place: str, *, signed: bool) -> Report:
    """A report of which another file tells an event otherwise. If neither is signed, both may be no more than play with a seed."""
    en = f"{place} holds another event {version}: the table is told in two ways, and only one can be the record."
    zh = "两份文件在此处互相矛盾。"
    if not signed:
        return replace(report, notes=(*report.notes, f"{en} {zh}"))
    return replace(report, faults=(Fault(report.table, version, "forged", "", en, zh),))


def _placed(report: Report, content: bytes, log: Log) -> Report:
    """The report of a match with how far the log knows it: to its end, if it was over long before the log's newest leaf."""
    if not report.clean or report.table is None:
        return report
    upto = max((each.version for each in log.known.get(report.table, ())), default=0)
    last = open_line(read_match(content).lines[-1])
    settled = bool(log.latest) and datetime.fromisoformat(log.latest) - datetime.fromisoformat(last.time) > SETTLED
    if upto < report.events and last.name == CLOSED and settled:
        en = f"The match was over at {last.time} and the checkpoint log goes on to {log.latest}, but its end was never put on record."
        fault = Fault(report.table, upto + 1, "checkpoint", "", en, "检查点日志中没有这场比赛的结局。", report.events)
        return replace(report, faults=(fault,))
    said = f"knows this table up to event {upto} of {report.events}" if upto else "does not know this table"
    return replace(report, notes=(*report.notes, f"the checkpoint log {said} 检查点日志所知范围"))


def _verify_file(job: Job) -> Report:
    """The report of one file. What nobody foresaw is a fault of this file, so that the others are judged all the same."""
    try:
        return verify_file(*job)
    except Exception as error:  # noqa: BLE001
        en = f"It cannot be verified: {type(error).__name__}: {printable(shortened(str(error)))}."
        return Report(None, 0, 0, (Fault(None, None, "unexpected", "", en, "无法核验此文件。"),))


def _on_all_cores(jobs: Sequence[Job]) -> list[Report]:
    if len(jobs) < 2 or sum(len(content) for content, _, _ in jobs) < WORTH_A_POOL:
        return [_verify_file(job) for job in jobs]
    with ProcessPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        return list(pool.map(_verify_file, jobs))


def known_from(folder: Path | None, settings: Settings, trust: Trust | None, *, strict: bool = False) -> Log:
    """What a copy of the checkpoint log knows; by default what the log of the data folder does.

    A copy that is named is checked first: raises CheckpointFault or Unreadable when it is not whole and signed by a key of `trust`. The log
    of the data folder is left out if it is broken, with a note, or else with `strict` CheckpointFault raised.
    """
    if folder is None:
        return _own(settings.data / FOLDER, strict=strict)
    if trust is None:
        raise CheckpointFault(f"{folder}: name the key of the log with --key 请用 --key 指明日志的公钥")
    check_copy(folder, trust)
    found = known_of(folder)
    return Log(found.tables, found.latest, named=True)


def _own(folder: Path, *, strict: bool) -> Log:
    try:
        found = known_of(folder)
    except (CheckpointFault, OSError) as error:
        if strict:
            raise
        return Log(notes=(f"{folder} is broken, so nothing was compared with it: {error} 检查点日志损坏,未作比较",))
    return Log(found.tables, found.latest)


def _table_of(content: bytes) -> str:
    """The table that a match file says it is of; the verification finds out whether that is true."""
    try:
        return str(orjson.loads(content.partition(b"\n")[0])["data"]["table"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""


def _receipt(content: bytes) -> Receipt | None:
    """The receipt that a file is; None when it is something else. Raises Unreadable for one that is not what a receipt should be."""
    try:
        raw = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(raw, dict) or raw.get("type") != RECEIPT_TYPE:
        return None
    try:
        return Receipt.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"receipt: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _check(receipt: Receipt, trust: Trust | None) -> Checked:
    try:
        key = signer_of(receipt)
    except Unreadable as error:
        return Checked(receipt, f"{error}. 回执无效。", pinned=False)
    pinned = trust is not None and trust.pins(key) and trust.held_at(key, receipt.receipt.time)
    if trust is not None and trust.required and not pinned:
        return Checked(
            receipt,
            f"It is signed by key {key.id} of {key.name}, not by the key that was pinned. 签名公钥不符。",
            pinned,
        )
    if trust is not None and trust.takes_for_another(key):
        said = f"It is signed by key {key.id} under the name {key.name}, but that name is of other keys. 冒用已知公钥的名称。"
        return Checked(receipt, said, pinned)
    return Checked(receipt, None, pinned)
