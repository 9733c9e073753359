"""What the routes share: the rooms, the tokens, the metrics, and who is calling."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Path, Request, Security
from fastapi.security import HTTPBearer

from services.accesslog import AccessLog
from services.auth import Caller, Tokens
from services.disputes.desk import Desk
from services.settings import Settings
from services.tables.metrics import Metrics
from services.tables.rooms import Rooms

_bearer = HTTPBearer(
    auto_error=False, description="A player's, operator's, auditor's or adjudicator's token; spectators need none."
)


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of a running table service."""

    settings: Settings
    rooms: Rooms
    tokens: Tokens
    metrics: Metrics
    desk: Desk
    access: AccessLog


async def service_of(request: Request) -> Service:
    """The running service."""
    service: Service = request.app.state.service
    return service


async def caller_of(request: Request, _: Annotated[object, Security(_bearer)] = None) -> Caller:
    """Who is calling. Raises a 401 problem for a token that is not valid."""
    service: Service = request.app.state.service
    return service.tokens.caller(request.headers.get("authorization"))


Running = Annotated[Service, Depends(service_of)]
Calling = Annotated[Caller, Depends(caller_of)]
TableId = Annotated[str, Path(description="The table's id.", max_length=200)]
Key = Annotated[
    str | None, Header(alias="Idempotency-Key", description="A repeat with the same key gives the first answer.")
]
Match = Annotated[
    str | None, Header(alias="If-Match", description="The version the command was decided on; 409 when stale.")
]
