"""Pages for people: the lobby, a table to watch, to replay and to play at.

A page holds no state of the game. It is a frame of words and the scripts that draw what the addresses of the service show
(`/tables`, `/tables/{id}/events`, `/tables/{id}/views`), each asked with the token that the reader brought, if any; so a page can show
nothing that its reader may not see. Errors are pages too, in words.
"""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final

import jinja2
from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from domain.hands import all_rulesets
from projections.live_table import list_tables
from projections.viewing import view_for
from schemas.notation import JOKERS
from services.problems import Problem, problem_of
from services.tables.commands import there
from services.tables.lookups import look_up
from services.tables.service import Running, Service

HERE: Final = Path(__file__).parent
TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""What static files there are, by the ending of their names."""
FOREVER: Final = "public, max-age=31536000, immutable"
GUARDS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
"""No page runs or loads anything but our own files; names of players are text wherever they stand."""

STATIC: Final = {path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir()) if path.suffix in TYPES}
EDITION: Final = hashlib.sha256(b"".join(name.encode() + data for name, data in STATIC.items())).hexdigest()[:12]
"""Names the present content of all static files. It is part of their address, so browsers may keep them for good."""

_templates: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
router = APIRouter(include_in_schema=False)
seats = APIRouter(include_in_schema=False)
"""The page of a seat; for a service that takes commands."""
SUITS: Final = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
JOKER: Final = dict(zip(JOKERS, ("小王", "大王"), strict=True))
LISTED: Final = 100
"""Tables shown in the lobby, those that moved last."""
STATUS: Final = {
    "playing": ("进行中", "playing"),
    "waiting": ("待开局", "waiting"),
    "seating": ("等人", "seating"),
    "closed": ("已结束", "closed"),
}
"""What a table can be doing, in words."""
Asked = Annotated[str, Query(max_length=64)]
"""A part of what the lobby is asked for; empty is everything."""


def shown(card: str) -> str:
    """A card as text: `7♠`, `10♥`, `大王`."""
    return JOKER.get(card) or ("10" if card[0] == "T" else card[0]) + SUITS[card[1]]


_templates.globals["shown"] = shown


def both(zh: str, en: str) -> Markup:
    """The same in Chinese and in English, each marked with its language."""
    return Markup('<span lang="zh-Hans">{}</span> <span class="en" lang="en">{}</span>').format(zh, en)


_templates.globals["both"] = both


def page(template: str, status: int = 200, **values: Any) -> Response:
    """A template as an answer, guarded, and asked for again each time."""
    html = _templates.get_template(template).render(static=f"/static/{EDITION}", **values)
    return Response(html, status, {**GUARDS, "Cache-Control": "no-cache"}, "text/html; charset=utf-8")


def problem_page(problem: Problem) -> Response:
    """A problem in words, with its status and what to do next."""
    answer = page("problem.html", problem.status_code, problem=problem)
    if problem.headers:
        answer.headers.update(problem.headers)
    return answer


@router.get("/")
async def lobby(
    request: Request, service: Running, status: Asked = "", ruleset: Asked = "", player: Asked = "", search: Asked = ""
) -> Response:
    """The lobby (大厅): the tables asked for, all if nothing is; and the ways to seats and the dispute desk where this service has them."""
    asked = {"status": status if status in STATUS else "", "ruleset": ruleset, "player": player, "search": search}
    try:
        tables = await look_up(service.settings, "live", lambda view: list_tables(view, limit=LISTED, **asked))
    except Problem:
        tables = None  # not built yet; the page asks again and says how that goes
    rulesets = {each.id: each for each in all_rulesets()}.values()
    ways = {"desk": request.app.state.has_desk, "seats": request.app.state.has_seats}
    return page("lobby.html", tables=tables, asked=asked, statuses=STATUS, rulesets=rulesets, **ways)


@router.get("/watch/{table}")
async def watch(request: Request, service: Running, table: str) -> Response:
    """A table live."""
    return await _of_table(request, service, table, "watch.html")


@router.get("/replay/{table}")
async def replay(request: Request, service: Running, table: str) -> Response:
    """A table event by event."""
    return await _of_table(request, service, table, "replay.html")


@seats.get("/play/{table}")
async def play(request: Request, service: Running, table: str) -> Response:
    """A seat at a table. The token stands behind # in the address, which browsers keep to themselves."""
    return await _of_table(request, service, table, "play.html")


async def _of_table(request: Request, service: Service, table: str, template: str) -> Response:
    """A page about a table. One that does not exist, or a store that is away, is a page that says so."""
    try:
        state = there((await service.rooms.open(table)).table)
    except Exception as error:  # noqa: BLE001 (whatever it is, a person reads the answer)
        return problem_page(problem_of(error))
    return page(template, view=view_for(state, "spectator"), desk=request.app.state.has_desk)


@router.get("/static/{edition}/{name}")
async def static(edition: str, name: str) -> Response:
    """A script, style sheet or picture: to be kept for good at the address of this edition, else asked for again each time."""
    data = STATIC.get(name)
    if data is None:
        raise Problem(404, "no_such_path", "There is nothing at this address.", "没有这个地址。")
    keep = FOREVER if edition == EDITION else "no-cache"
    kind = TYPES[Path(name).suffix]
    return Response(data, 200, {**GUARDS, "Cache-Control": keep}, f"{kind}; charset=utf-8")
