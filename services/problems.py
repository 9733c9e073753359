"""Errors as people and programs read them: RFC 9457 problem details, in English and Chinese, for everything that can go wrong.

`rule` is the stable name of what refused (a rule of the game, or a rule of this service), `clause` the place in the rules where
there is one. What a problem says never depends on cards the caller may not see, and it never holds a stack trace.
"""

import http
import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.refusal import Refusal, Refused
from schemas.notation import Unreadable
from services.eventstore.errors import BrokenLog, StorageFull, StoreError, TooLarge, Unavailable

log = logging.getLogger(__name__)

MAX_BODY: Final = 64 * 1024
"""Bytes of the largest request; a command takes some hundred."""
MEDIA_TYPE: Final = "application/problem+json"
CONTENT: Final = frozenset(
    (
        *("not_in_hand", "no_pattern", "does_not_beat"),
        *("no_cards", "mixed_suits", "wrong_number", "must_follow_suit", "must_follow_tractor", "must_follow_pair"),
        *("no_declaration", "no_counter", "too_weak"),
        *("unknown_ruleset", "no_coins", "no_levels"),
        *("no_such_event", "no_such_hand", "event_of_another_hand", "hand_of_another_case", "no_hand", "date_is_past"),
        *("amounts_unclear", "amounts_do_not_balance", "digest_differs", "evidence_too_large"),
    )
)
"""Refusals of what a command says (422); all others are about the state of the table (409)."""
MISSING: Final = frozenset(("no_such_table", "no_such_dispute"))
"""Refusals of what there is not (404)."""
OTHERS: Final = frozenset(("not_a_party", "not_the_adjudicator", "not_the_raiser", "played_there"))
"""Refusals because of who asks (403)."""
RETRY_AFTER: Final = "2"
"""Seconds after which a repeat has a chance when the store was away."""


class Problem(HTTPException):
    """An answer that is an error. `more` are further members of the problem; they must be JSON."""

    def __init__(
        self,
        status: int,
        rule: str,
        en: str,
        zh: str,
        *,
        clause: str = "",
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Mapping[str, str]] = (),
        **more: Any,
    ) -> None:
        super().__init__(status, en, dict(headers or {}))
        self.rule, self.zh, self.clause, self.errors, self.more = rule, zh, clause, errors, more

    def response(self) -> Response:
        """The problem as an HTTP answer."""
        body: dict[str, Any] = {
            "type": f"urn:shuangkou:problem:{self.rule}",
            "title": self.rule.replace("_", " ").capitalize(),
            "status": self.status_code,
            "detail": self.detail,
            "detail_zh": self.zh,
            "rule": self.rule,
        }
        if self.clause:
            body["clause"] = self.clause
        if self.errors:
            body["errors"] = self.errors
        headers = {"Cache-Control": "no-store", **(self.headers or {})}
        return Response(orjson.dumps(body | self.more), self.status_code, headers, MEDIA_TYPE)


def refused(refusal: Refusal) -> Problem:
    """A rule of the game or of the table said no."""
    if refusal.rule in MISSING:
        return Problem(404, refusal.rule, refusal.en, refusal.zh)
    status = 422 if refusal.rule in CONTENT else 403 if refusal.rule in OTHERS else 409
    return Problem(status, refusal.rule, refusal.en, refusal.zh, clause=refusal.clause)


def unreadable(error: Unreadable) -> Problem:
    """Text that is not what it should be; its message names the part."""
    part, colon, _ = str(error).partition(":")
    where = f":{part}" if colon and part.replace("_", "").replace(".", "").isalnum() else ""
    return Problem(400, "unreadable", str(error), f"请求内容无法识别{where}。")


def of_store(error: StoreError) -> Problem:
    """The event store failed; the text says whether anything may have been recorded and what to do."""
    if isinstance(error, StorageFull):
        return Problem(
            507,
            "storage_full",
            "The event store has no room left. Nothing that was recorded is lost. "
            "When the operator has made room, send the same command again with the same Idempotency-Key.",
            "存储空间已满,已有记录不受影响;扩容后请用同一 Idempotency-Key 重发。",
            headers={"Retry-After": "60"},
        )
    if isinstance(error, Unavailable):
        return _unavailable(unknown=error.unknown)
    if isinstance(error, TooLarge):
        return Problem(
            413, "event_too_large", "The event would be too large. Nothing was recorded.", "事件过大,没有记录。"
        )
    log.error("event store: %s", error)
    what = "is not the log it was" if isinstance(error, BrokenLog) else "answered with a fault"
    return Problem(
        503,
        "store_fault",
        f"The event store {what}; the operator finds the cause in the log of this service. Repeat the command later with the same key.",
        "事件存储出现故障,请联系管理员。",
        headers={"Retry-After": "60"},
    )


def _unavailable(*, unknown: bool) -> Problem:
    if unknown:
        en = (
            "The event store did not answer in time: the command may or may not have been recorded. "
            "Send it again with the same Idempotency-Key; it is recorded once at most, and you get the first answer."
        )
        zh = "存储未及时响应,操作可能已记录;请用同一 Idempotency-Key 重发,绝不会重复记录。"
    else:
        en = "The event store cannot be reached; nothing was recorded. Try again soon, a command with the same Idempotency-Key."
        zh = "存储暂时不可用,没有记录任何内容;请用同一 Idempotency-Key 重发。"
    return Problem(
        503, "store_unavailable", en, zh, headers={"Retry-After": RETRY_AFTER}, recorded=None if unknown else False
    )


def malformed(what: str) -> Problem:
    """A body that is not JSON."""
    return Problem(400, "malformed_json", f"The body is not JSON: {what}.", "请求正文不是合法的 JSON。")


def invalid(found: Sequence[Mapping[str, Any]]) -> Problem:
    """What was found wrong with a request (pydantic's list of errors), without repeating what was sent."""
    errors = [
        {"in": str(each["loc"][0]), "field": ".".join(map(str, each["loc"][1:])) or "body", "problem": each["msg"]}
        for each in found
    ]
    first = errors[0]
    hint = " Send a JSON object." if first["field"] == "body" else ""
    return Problem(
        400,
        "unreadable",
        f"{first['field']}: {first['problem']}.{hint}",
        f"请求内容无法识别:{'请求正文' if hint else first['field']}。",
        errors=errors,
    )


def _plain(error: HTTPException) -> Problem:
    """Errors the framework makes itself, such as an unknown path or a wrong method."""
    if isinstance(error, Problem):
        return error
    if error.status_code == 404:
        return Problem(404, "no_such_path", "There is nothing at this address; see /docs.", "没有这个地址。")
    if error.status_code == 405:
        return Problem(
            405,
            "wrong_method",
            "This address takes another method; see /docs.",
            "请求方法不对。",
            headers=error.headers,
        )
    title = http.HTTPStatus(error.status_code).phrase
    return Problem(
        error.status_code, title.lower().replace(" ", "_"), str(error.detail), "请求无法处理。", headers=error.headers
    )


def problem_of(error: Exception) -> Problem:
    """The problem to answer an exception with; one that nobody foresaw becomes a 500 that tells nothing about it."""
    match error:
        case RequestValidationError():
            return invalid(error.errors())
        case HTTPException():
            return _plain(error)
        case Refused():
            return refused(error.refusal)
        case Unreadable():
            return unreadable(error)
        case StoreError():
            return of_store(error)
        case _:
            return Problem(
                500,
                "internal",
                "This service failed on the request; the log says why. A command may or may not have been recorded: "
                "send it again with the same Idempotency-Key.",
                "服务内部错误,请用同一 Idempotency-Key 重试。",
            )


def install(app: FastAPI, page: Callable[[Problem], Response]) -> None:
    """Let the application answer every error as a problem, and refuse bodies over `MAX_BODY`.

    A browser that asks for an address which is none gets a `page` that says so.
    """

    async def answer_problem(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.rule == "no_such_path" and "text/html" in request.headers.get("accept", ""):
            return page(problem)
        return problem.response()

    for kind in (HTTPException, RequestValidationError, Refused, Unreadable, StoreError, Exception):
        app.add_exception_handler(kind, answer_problem)
    app.add_middleware(BodyLimit)


class BodyLimit:
    """Refuses a body over the limit: by its announced length before a byte is read, else as soon as it grows over it."""

    def __init__(self, app: ASGIApp, limit: int = MAX_BODY) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not announced.isdigit() or len(announced) > 18 or int(announced) > self.limit:
            await self._too_large().response()(scope, receive, send)
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            message: MutableMapping[str, Any] = await receive()
            size += len(message.get("body", b""))
            if size > self.limit:
                raise self._too_large()
            return message

        await self.app(scope, counted, send)

    def _too_large(self) -> Problem:
        return Problem(
            413,
            "body_too_large",
            f"The body is over {self.limit} bytes, more than any command takes. Nothing was recorded.",
            "请求正文过大,没有记录。",
            limit=self.limit,
        )
