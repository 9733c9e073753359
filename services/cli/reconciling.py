"""`verify --all`: every table verified and compared in all its copies, in words or for programs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from time import perf_counter
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from domain.verify import Known
from services.cli.options import console, print_json, telling, verdict
from services.recovery.comparing import Disagreement
from services.recovery.local import server_for
from services.recovery.reconciling import Reconciliation, reconcile
from services.settings import Settings

PLACES: Final[Mapping[str, str]] = {
    "stream": "流 stream",
    "archive": "归档 archive",
    "audit": "审计 audit",
    "ledger": "账本 ledger",
    "disputes": "争议 disputes",
    "record": "记录 record",
}
"""Where something can be wrong, in words."""


def verify_all(settings: Settings, known: Mapping[str, Sequence[Known]], *, json: bool) -> None:
    """Do it and say what was found; the exit status is 1 when something disagrees. Raises NotRunning or what the store raises."""
    began = perf_counter()
    with server_for(settings) as reachable, bar("核对 comparing") as progress:
        found = reconcile(reachable, known, progress, running=reachable is settings)
    with telling(fault=not found.clean):
        if json:
            print_json(as_json(found))
        else:
            _print(found, perf_counter() - began)


@contextmanager
def bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on the terminal (standard error), none where there is no terminal; to be told how much is done, of how much."""
    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as shown:
        task = shown.add_task(title, total=None)
        yield lambda done, of: shown.update(task, completed=done, total=of)


def disagreements(found: Sequence[Disagreement]) -> Table:
    """What disagrees, as a table: the place, the event, in words."""
    listed = Table(box=None)
    for name in ("处 place", "事件 event"):
        listed.add_column(name, no_wrap=True)
    listed.add_column("说明 what is wrong", overflow="fold")
    for each in found:
        listed.add_row(PLACES[each.place], each.where, Text(f"{each.en} {each.zh}"))
    return listed


def _print(found: Reconciliation, took: float) -> None:
    if found.disagreements:
        console.print(disagreements(found.disagreements))
    for note in found.notes:
        console.print(f"  {note}", markup=False, soft_wrap=True)
    for finding in found.findings:
        for note in finding.report.notes if not finding.disagreements else ():
            console.print(f"  {finding.table}: {note}", markup=False, soft_wrap=True)
    reports = [finding.report for finding in found.findings]
    hands, events = sum(report.hands for report in reports), sum(report.events for report in reports)
    bad = {(each.place == "disputes", each.table) for each in found.disagreements}
    copies = ", ".join(("流 stream", *(PLACES[name] for name in found.compared)))
    console.print(
        f"{len(reports)} 桌 tables, {hands} 局 hands, {events} 事件 events, {took:.1f} s; 比较 compared: {copies}:",
        verdict(len(bad)),
        soft_wrap=True,
    )
    if any(each.place == "stream" for each in found.disagreements):
        said = "流已丢失或被改动 The stream lost or changed events. Stop `up`, then see `shuangkou restore --help`."
        console.print(said, soft_wrap=True)


def as_json(found: Reconciliation) -> dict[str, Any]:
    """What was found, for programs."""
    return {
        "clean": found.clean,
        "compared": found.compared,
        "disagreements": [each._asdict() for each in found.disagreements],
        "notes": found.notes,
        "tables": [{**asdict(each.report), "clean": not each.disagreements} for each in found.findings],
    }
