"""A case as the caller reads it. Hidden cards come in by one door only: `eyes_of`, which says with whose eyes the table is shown."""

import asyncio
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from domain.audit import situation, span_of
from domain.dispute import Dispute, TableFacts
from domain.table import Table
from domain.verify import verify_lines
from projections.viewing import event_for, view_for
from schemas.desk import CaseView, EvidenceView, OtherRulingView, RulingView
from schemas.disputes import EvidenceAttached
from schemas.envelope import Recorded, read_line
from schemas.events import type_name
from schemas.situations import Situation
from schemas.views import Viewer
from services.auth import Caller
from services.disputes.register import Ruled
from services.problems import Problem
from services.situations import is_open, seen
from services.tables.room import Room

OPTIONS: Final = 30
"""So many of the choices that were open at the event are listed."""


def case_view(dispute: Dispute, now: str) -> CaseView:
    """The case in the shape in which it is published."""
    raised = dispute.raised
    return CaseView(
        dispute=dispute.id,
        version=dispute.version,
        status=dispute.status,
        overdue=dispute.overdue(now),
        table=raised.table,
        hand=raised.hand,
        event=raised.event,
        claim=raised.claim,
        player=raised.player,
        players=raised.players,
        raised=dispute.raised_at,
        respond_by=dispute.respond_by,
        adjudicator=dispute.adjudicator,
        evidence=tuple(_evidence(event, time) for event, time in dispute.evidence),
        ruling=_ruling(dispute),
        withdrawn=dispute.withdrawn.reason if dispute.withdrawn is not None else None,
    )


def _evidence(event: EvidenceAttached, time: str) -> EvidenceView:
    return EvidenceView(time=time, **event.model_dump(exclude={"content"}))


def _ruling(dispute: Dispute) -> RulingView | None:
    if dispute.ruling is None:
        return None
    return RulingView(
        time=str(dispute.ruled_at), posted=dispute.due is None, **dispute.ruling.model_dump(exclude={"table"})
    )


def other_view(found: Ruled) -> OtherRulingView:
    """A ruling in another case."""
    ruling = found.ruling
    return OtherRulingView(
        dispute=found.dispute,
        time=found.time,
        hand=ruling.hand,
        outcome=ruling.outcome,
        reason=ruling.reason,
        adjudicator=ruling.adjudicator,
    )


def event_view(recorded: Recorded) -> dict[str, Any]:
    """An event of a case; the content of files has an address of its own."""
    data = recorded.event.model_dump(exclude={"content"})
    name = type_name(type(recorded.event))
    return {"version": recorded.version, "type": name, "time": recorded.time, "hash": recorded.hash, "data": data}


def bytes_of(found: EvidenceAttached) -> bytes:
    """The bytes of a piece of evidence. Raises a 404 problem when only its digest was attached."""
    if found.content is not None:
        return b64decode(found.content)
    if found.text is not None:
        return found.text.encode()
    en = f"Only the SHA-256 of {found.name!r} was attached; whoever has the file can check it against {found.sha256}."
    raise Problem(404, "only_the_digest", en, "只提交了该文件的SHA-256。")


def is_over(dispute: Dispute, table: Table) -> bool:
    """Whether the cards that the case is about are open anyway: its hand is over, or nothing is being played."""
    return dispute.raised.hand is not None or not table.playing


def eyes_of(caller: Caller, dispute: Dispute, present: Table, shown: Table) -> Viewer:
    """With whose eyes the caller sees the table `shown`, a state of the one that is `present` now.

    An auditor sees every card; the adjudicator of this very case too, once the hand is over; a player sees the own.
    """
    if caller.role == "adjudicator" and caller.name == dispute.adjudicator and is_over(dispute, present):
        return "auditor"
    return caller.viewer(shown)


async def examination(room: Room, dispute: Dispute, facts: TableFacts, caller: Caller) -> tuple[Viewer, dict[str, Any]]:
    """What can be said about the disputed event, and the eyes it was seen with.

    `view` is the table after the event (without one: at the end of the hand, or now), `situation` whether it was legal, why, and what
    else was open; `result` how the hand ended with every number explained, `verification` what a check of the record found, up to the
    last hand that is over.
    """
    present = room.at(facts.version)
    at = _at(dispute, facts)
    shown = room.at(at)
    viewer = eyes_of(caller, dispute, present, shown)
    lines = tuple(room.lines[: _checked(facts)])
    report = await asyncio.to_thread(verify_lines, lines)
    recorded = read_line(room.lines[at - 1])
    at_event = await asyncio.to_thread(_situation, room, dispute, present, viewer)
    found: dict[str, Any] = {
        "at": at,
        "view": view_for(shown, viewer).model_dump(mode="json"),
        "event": event_for(shown, recorded, viewer),
        "situation": at_event.model_dump(mode="json") if at_event is not None else None,
        "result": _result(room, dispute, facts),
        "verification": {**asdict(report), "clean": report.clean, "until": len(lines)},
    }
    return viewer, found


def _at(dispute: Dispute, facts: TableFacts) -> int:
    """The event at which the table is shown."""
    raised = dispute.raised
    if raised.event is not None:
        return raised.event
    hand = facts.hands.get(raised.hand) if raised.hand is not None else None
    return hand.last if hand is not None and hand.last is not None else facts.version


def _checked(facts: TableFacts) -> int:
    """How much of the record is checked: while a hand is played, what was before it, so that nothing is said about its cards."""
    running = [hand.first for hand in facts.hands.values() if hand.ended is None]
    return running[0] - 1 if running else facts.version


def _situation(room: Room, dispute: Dispute, present: Table, viewer: Viewer) -> Situation | None:
    """Whether the disputed event was legal, why, and what else was open then; None where the caller may not see the cards of who acted.

    Of a hand that is over everybody sees it, as at the table itself.
    """
    event = dispute.raised.event
    if event is None:
        return None
    first, last = span_of(event, present.version, lambda version: read_line(room.lines[version - 1]).command)
    before = room.at(first - 1) if first > 1 else None
    found = situation(before, [read_line(line) for line in room.lines[first - 1 : last]], event, OPTIONS)
    if is_open(found, before, present):
        return seen(found, before, "auditor")
    return seen(found, before, viewer) if viewer in {"auditor", str(found.act.seat)} else None


def _result(room: Room, dispute: Dispute, facts: TableFacts) -> dict[str, Any] | None:
    """How the disputed hand ended; None for a dispute about the table as a whole."""
    hand = facts.hands.get(dispute.raised.hand) if dispute.raised.hand is not None else None
    if hand is None or hand.last is None:
        return None
    recorded = read_line(room.lines[hand.last - 1])
    return {"version": hand.last, "type": recorded.event.TYPE, **recorded.event.model_dump(mode="json")}


def events_of(records: Sequence[Recorded]) -> list[dict[str, Any]]:
    """The record of a case for whoever reads it."""
    return [event_view(recorded) for recorded in records]
