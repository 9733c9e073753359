"""The dispute desk over HTTP. Commands carry Idempotency-Key and may carry If-Match, as at the tables; errors are problem details.

`/disputes` and `/disputes/{id}` are pages for browsers and JSON for programs: whoever accepts text/html gets the page, which then asks
for the JSON with the token that is kept in it.
"""

import hashlib
from base64 import b32encode, b64decode
from binascii import Error as Base64Error
from datetime import date
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from domain.dispute import MAX_FILE, Dispute
from domain.refusal import Refused
from projections.access import accesses
from projections.disputes import Filter, list_disputes, was_assigned
from schemas.desk import Assign, Attach, DeskCommand, Raise, Rule, Withdraw
from schemas.disputes import Outcome, Party
from schemas.notation import Unreadable
from services.auth import Caller, nameless, unauthorized
from services.disputes.desk import Done, Order
from services.disputes.showing import bytes_of, case_view, events_of, examination, other_view
from services.problems import Problem
from services.tables import keys
from services.tables.commands import measured
from services.tables.lookups import look_up
from services.tables.routing import CommandRoute
from services.tables.service import Calling, Key, Match, Running, Service
from services.tables.showing import answer, etag
from services.web import pages

router = APIRouter(tags=["disputes"])
commands = APIRouter(tags=["disputes"], route_class=CommandRoute)
DisputeId = Annotated[str, Path(description="The dispute's id.", max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RaiseBody(_Body):
    """What is disputed: a table, a hand of it, or one event of it (its version)."""

    table: Annotated[str, Field(max_length=64, examples=["t-4kq7"])]
    hand: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None
    event: Annotated[StrictInt, Field(ge=1, le=keys.LARGEST)] | None = None
    claim: Annotated[str, Field(max_length=10_000, examples=["I had passed already."])]


class EvidenceBody(_Body):
    """A text; or a file by its name with its content in base64; or of a larger file its name and SHA-256."""

    text: Annotated[str, Field(max_length=10_000)] | None = None
    name: Annotated[str, Field(max_length=200)] | None = None
    content: Annotated[str, Field(max_length=2 * MAX_FILE)] | None = None
    sha256: Annotated[str, Field(max_length=64)] | None = None

    def read(self) -> bytes | None:
        """The file. Raises Unreadable when it is not base64."""
        try:
            return None if self.content is None else b64decode(self.content, validate=True)
        except (Base64Error, ValueError):
            raise Unreadable("content: must be base64") from None


class AssignBody(_Body):
    """Who is to rule, by the name in their token, and until when (a day, or a time in UTC)."""

    adjudicator: Annotated[str, Field(max_length=64)]
    respond_by: Annotated[str, Field(max_length=24, examples=["2026-12-24"])] | None = None

    def until(self) -> str | None:
        """The date as the record has it: the end of the day when only a day was given."""
        if self.respond_by is None or len(self.respond_by) != 10:
            return self.respond_by
        try:
            return f"{date.fromisoformat(self.respond_by).isoformat()}T23:59:59.999Z"
        except ValueError:
            raise Unreadable("respond_by: must be a day like 2026-12-24") from None


class AmountBody(_Body):
    """What a player gets (or, with a minus sign, gives) by an adjustment, as a decimal in text."""

    player: Annotated[str, Field(max_length=64)]
    amount: Annotated[str, Field(max_length=16, examples=["-12"])]


class RulingBody(_Body):
    """A ruling. `amounts` are for `adjusted`; with `house` what they do not make up among themselves stands against the house."""

    outcome: Outcome
    reason: Annotated[str, Field(max_length=10_000)]
    hand: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None
    amounts: Annotated[list[AmountBody], Field(max_length=64)] = []
    house: StrictBool = False


class WithdrawalBody(_Body):
    """Why the dispute is taken back, if one wants to say."""

    reason: Annotated[str, Field(max_length=10_000)] = ""


@commands.post("/disputes", status_code=201, summary="Raise a dispute (a player of the table)")
async def raise_dispute(service: Running, caller: Calling, body: RaiseBody, key: Key = None) -> Response:
    """Dispute a table, a hand or an event, within the days there are. With an Idempotency-Key a repeat finds the same case."""

    async def work() -> Response:
        caller.must_be("player")
        caller.at(body.table)
        scoped = keys.key_of(key, caller)
        dispute_id = _new_id(scoped)
        command = Raise(str(caller.player), body.table, body.claim, body.hand, body.event)
        order = Order(lambda _: command, scoped, keys.request_of("disputes", body.model_dump()))
        done = await service.desk.handle(dispute_id, body.table, order)
        return _answer(service, done, 201, {"Location": f"/disputes/{dispute_id}"})

    return await measured(service, "dispute-raise", work())


@router.get("/disputes", summary="The cases, those with the nearest date first", response_model=None)
async def disputes(
    request: Request,
    service: Running,
    caller: Calling,
    status: Filter | None = None,
    table: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """List cases: a player those of the own table, the house all. The list may lag by milliseconds. Browsers get the page."""
    if _wants_page(request):
        return _page("disputes.html")
    _must_know(caller)
    if caller.role == "player":
        table = caller.table
    now = service.desk.clock()
    found = await look_up(
        service.settings,
        "disputes",
        lambda view: list_disputes(view, now, status=status, table=table, limit=limit),
    )
    return answer({"disputes": found, "now": now}, Vary="Accept")


@router.get("/disputes/{dispute}", summary="A case with its record", response_model=None)
async def dispute_case(request: Request, service: Running, caller: Calling, dispute: DisputeId) -> Response:
    """The case as it stands now, for the players of its table and the house; `others` are rulings of other cases on the same hand.

    Browsers get the page.
    """
    if _wants_page(request):
        return _page("dispute.html", dispute=dispute[:64])
    found, records = await _case(service, caller, dispute)
    await _log(service, caller, found, "spectator")
    others = [other_view(each).model_dump() for each in await service.desk.others(found)]
    body = {"case": case_view(found, service.desk.clock()).model_dump(), "events": events_of(records), "others": others}
    return answer(body, ETag=etag(found.version), Vary="Accept")


@router.get("/disputes/{dispute}/examination", summary="The disputed event: state, options, score, verification")
async def examine(service: Running, caller: Calling, dispute: DisputeId) -> Response:
    """What the record says about the disputed event. Cards are shown to an auditor, to the adjudicator of the case once the hand is over,
    and to a player the own."""
    found, _ = await _case(service, caller, dispute)
    facts = await service.desk.facts(found.raised.table)
    room = await service.rooms.open(found.raised.table)
    viewer, body = await examination(room, found, facts, caller)
    await _log(service, caller, found, viewer, body["at"])
    return answer(body)


@router.get("/disputes/{dispute}/evidence/{number}", summary="A piece of evidence as it was attached")
async def evidence(
    service: Running, caller: Calling, dispute: DisputeId, number: Annotated[int, Path(ge=1, le=keys.LARGEST)]
) -> Response:
    """The bytes of a file or text that was attached, always as a download."""
    found, _ = await _case(service, caller, dispute)
    piece = await service.desk.evidence(dispute, number)
    content = bytes_of(piece)
    await _log(service, caller, found, "spectator")
    name = piece.name or f"{found.id}-{number}.txt"
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return Response(content, 200, headers, "application/octet-stream")


@commands.post(
    "/disputes/{dispute}/evidence", status_code=201, summary="Attach evidence (players of the table, the house)"
)
async def attach(
    service: Running, caller: Calling, dispute: DisputeId, body: EvidenceBody, key: Key = None, match: Match = None
) -> Response:
    """Attach a text, a small file, or the SHA-256 of a larger one."""
    content = body.read()
    role, name = _party(caller)
    command = Attach(name, role, body.name, body.text, content, body.sha256)
    return await _command(service, caller, dispute, command, ("evidence", body.model_dump()), (key, match), 201)


@commands.post("/disputes/{dispute}/assignments", status_code=201, summary="Assign an adjudicator (operator)")
async def assign(
    service: Running, caller: Calling, dispute: DisputeId, body: AssignBody, key: Key = None, match: Match = None
) -> Response:
    """Give the case to an adjudicator who did not play at its table.

    `new_adjudicator` in the answer: nobody of this name was given another case or looked at one before, so it may be a slip; null where
    the views that know are away.
    """
    caller.must_be("operator")
    command = Assign(body.adjudicator, caller.name, body.until())
    new = await _is_new(service, body.adjudicator, dispute)
    asked = ("assignments", body.model_dump())
    return await _command(service, caller, dispute, command, asked, (key, match), 201, new_adjudicator=new)


async def _is_new(service: Service, name: str, dispute_id: str) -> bool | None:
    """Whether no adjudicator of this name is known; None where that cannot be said. What is asked for lags, which a hint may."""
    settings = service.settings
    try:
        if await look_up(settings, "disputes", lambda view: was_assigned(view, name, besides=dispute_id)):
            return False
        looks = await look_up(settings, "access", lambda view: accesses(view, name=name, role="adjudicator", limit=1))
    except Problem:
        return None
    return not looks


@commands.post("/disputes/{dispute}/rulings", status_code=201, summary="Rule (the adjudicator of the case)")
async def rule(
    service: Running, caller: Calling, dispute: DisputeId, body: RulingBody, key: Key = None, match: Match = None
) -> Response:
    """Uphold the record, declare the hand void, or adjust amounts; what follows for the ledger is posted with the ruling."""
    caller.must_be("adjudicator")
    amounts = tuple((each.player, each.amount) for each in body.amounts)
    command = Rule(caller.name, body.outcome, body.reason, body.hand, amounts, body.house)
    return await _command(service, caller, dispute, command, ("rulings", body.model_dump()), (key, match), 201)


@commands.post("/disputes/{dispute}/withdrawal", summary="Withdraw the dispute (who raised it)")
async def withdraw(
    service: Running, caller: Calling, dispute: DisputeId, body: WithdrawalBody, key: Key = None, match: Match = None
) -> Response:
    """Take the dispute back before it is ruled on."""
    caller.must_be("player")
    command = Withdraw(str(caller.player), body.reason)
    return await _command(service, caller, dispute, command, ("withdrawal", body.model_dump()), (key, match), 200)


@router.get("/access-log", summary="Who looked at what (auditor)")
async def access_log(
    service: Running,
    caller: Calling,
    name: Annotated[str | None, Query(max_length=64, description="Who looked.")] = None,
    table: Annotated[str | None, Query(max_length=64)] = None,
    dispute: Annotated[str | None, Query(max_length=64)] = None,
    since: Annotated[str | None, Query(max_length=24, description="A time in UTC, or the start of one.")] = None,
    until: Annotated[str | None, Query(max_length=24)] = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Every look of an auditor, and of an adjudicator at a case, the latest first: who, when, at what, with whose eyes.

    `what` is `token` where somebody was given the token of a seat that was taken already.
    """
    caller.must_be("auditor")
    found = await look_up(
        service.settings,
        "access",
        lambda view: accesses(
            view, name=name, table=table, dispute=dispute, since=since, until=until and f"{until}~", limit=limit
        ),
    )
    return answer({"looks": found})


async def _command(
    service: Service,
    caller: Caller,
    dispute_id: str,
    command: DeskCommand,
    asked: tuple[str, dict[str, Any]],
    headers: tuple[str | None, str | None],
    status: int,
    **more: Any,
) -> Response:
    """Carry out a command in a case that the caller may see; `more` is said in the answer, too."""
    key, match = headers

    async def work() -> Response:
        _must_know(caller)
        if caller.role == "player":
            await _case(service, caller, dispute_id)
        order = Order(lambda _: command, keys.key_of(key, caller), keys.request_of(*asked), keys.version_of(match))
        return _answer(service, await service.desk.handle(dispute_id, None, order), status, more=more)

    return await measured(service, f"dispute-{asked[0]}", work())


def _answer(
    service: Service, done: Done, status: int, headers: dict[str, str] | None = None, more: dict[str, Any] | None = None
) -> Response:
    """The answer to a command: the case as it stands, and the events it made. The same events for a repeat."""
    dispute = done.dispute
    case = case_view(dispute, service.desk.clock()).model_dump()
    named = {"ETag": etag(dispute.version), **(headers or {})}
    if done.repeated:
        named["Idempotent-Replayed"] = "true"
    events = events_of(done.events)
    body = {"dispute": dispute.id, "version": dispute.version, "events": events, "case": case, **(more or {})}
    return answer(body, status, **named)


async def _case(service: Service, caller: Caller, dispute_id: str) -> tuple[Dispute, Any]:
    """A case and its record for those who may read it: players of its table, and the house."""
    _must_know(caller)
    try:
        found, records = await service.desk.case(dispute_id)
    except Refused:
        if caller.role == "player":
            raise _not_yours() from None  # whether there is such a case is not theirs to know
        raise
    if caller.role == "player" and caller.table != found.raised.table:
        raise _not_yours()
    return found, records


def _not_yours() -> Problem:
    return Problem(
        403, "other_table", "This token shows disputes about its own table only.", "此令牌只能查看本桌的争议。"
    )


def _must_know(caller: Caller) -> None:
    if caller.role == "spectator":
        raise unauthorized("Disputes are for the players of their table, operators, auditors and adjudicators.")
    if caller.role != "player" and not caller.name.strip():
        raise nameless()


def _party(caller: Caller) -> tuple[Party, str]:
    """In which capacity a caller acts, and under which name."""
    _must_know(caller)
    if caller.role == "spectator":
        raise unauthorized("This takes a token.")
    return caller.role, str(caller.player) if caller.role == "player" else caller.name


async def _log(service: Service, caller: Caller, dispute: Dispute, viewer: str, until: int | None = None) -> None:
    """Record that somebody of the house who sees more than players looked at a case."""
    if caller.role in {"auditor", "adjudicator"}:
        raised = dispute.raised
        await service.access.note(caller, "case", raised.table, until or raised.event or 0, viewer, dispute.id)


def _new_id(key: str) -> str:
    """The id of a new case, which follows from the key of its command, so that a repeat finds it again."""
    made = hashlib.sha256(b"dispute\n" + key.encode()).digest()
    return f"d-{b32encode(made)[:12].decode().lower()}"


def _page(template: str, **values: Any) -> Response:
    """A page, told from the JSON at the same address by what the browser accepts."""
    response = pages.page(template, **values)
    response.headers["Vary"] = "Accept"
    return response


def _wants_page(request: Request) -> bool:
    """Whether a person's browser asks."""
    return "text/html" in request.headers.get("accept", "")
