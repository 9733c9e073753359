"""Who is calling: bearer tokens (JWT, HS256) with a role, signed with the installation's token key.

A player's token belongs to one player at one table, from taking a seat to leaving it; which seat that is follows from the table, because
players may change seats. No token is a spectator. Tokens have no end by default: at the table they are worth nothing once the player has
left, also when somebody of the same name comes after, and a new `token_key` ends all of them.
"""

import hashlib
import time
from dataclasses import dataclass
from functools import lru_cache
from types import NoneType
from typing import Any, Final, Literal

import jwt

from domain.table import Table
from schemas.views import VIEWERS, Viewer
from services.problems import Problem
from services.settings import Secrets

Role = Literal["player", "operator", "auditor", "adjudicator", "spectator"]
ROLES: Final[tuple[Role, ...]] = ("player", "operator", "auditor", "adjudicator")
"""Roles a token can have."""
ALGORITHM: Final = "HS256"
LATEST: Final = 253_402_300_799
"""The last second of the year 9999, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request. `name` tells tokens of one role apart (JWT `sub`), `expires` is in seconds since 1970.

    `table` and `player` are set for players only, and `seated`, the version of the event that gave the seat. A token without it is that
    of a player who has no seat.
    """

    role: Role
    table: str | None = None
    player: str | None = None
    seated: int | None = None
    name: str = ""
    expires: float | None = None

    @property
    def scope(self) -> str:
        """Eight hexadecimal digits for this caller: keys of different callers never meet."""
        who = "\n".join((self.role, self.player or "", self.name))
        return hashlib.sha256(who.encode()).hexdigest()[:8]

    def viewer(self, table: Table) -> Viewer:
        """Whose eyes the caller sees this state of a table with: the seat of the moment, the auditor's, or a spectator's."""
        if self.role == "auditor":
            return "auditor"
        seat = self.seat_at(table)
        return "spectator" if seat is None else VIEWERS[seat]

    def seat_at(self, table: Table) -> int | None:
        """Where the seat that the token was given for is now; None when it was left, also when somebody of the same name came after."""
        seat = table.seat_of(self.player or "")
        if self.role != "player" or self.table != table.id or seat is None:
            return None
        return seat if table.seatings[seat] == self.seated else None

    def seat(self, table: Table) -> int:
        """The seat of a player. Raises a 403 problem for everybody else, and for a player who has left."""
        self.must_be("player")
        found = self.seat_at(table)
        if found is None:
            raise left_table()
        return found

    def must_be(self, *roles: Role) -> None:
        """Raise a 401 problem without a token, 403 with one of another role."""
        if self.role in roles:
            return
        allowed = " or ".join(roles)
        if self.role == "spectator":
            raise unauthorized(f"This takes the token of {allowed}. Send it as Authorization: Bearer <token>.")
        raise Problem(403, "role_not_allowed", f"This takes the token of {allowed}.", "此令牌无权进行该操作。")

    def at(self, table_id: str) -> None:
        """Raise a 403 problem for a player of another table; says nothing about this one."""
        if self.role == "player" and self.table != table_id:
            raise Problem(403, "wrong_table", "This token is for a seat at another table.", "此令牌属于另一张桌子。")


ANYBODY: Final = Caller("spectator")


def left_table() -> Problem:
    """The answer to a player's token when the player has no seat any more."""
    return Problem(
        403,
        "no_seat_any_more",
        "The player of this token has no seat at this table any more. Ask the operator for a seat, or watch without a token.",
        "该令牌的玩家已不在本桌。",
    )


def nameless() -> Problem:
    """The answer to a token of the house that does not say whose it is."""
    return Problem(403, "nameless", "This token does not say whose it is (sub).", "该令牌没有写明持有人。")


def unauthorized(why: str) -> Problem:
    """A 401 problem."""
    return Problem(
        401, "token_needed", why, "需要有效的令牌。", headers={"WWW-Authenticate": 'Bearer realm="shuangkou"'}
    )


class Tokens:
    """Signs and reads the tokens of one installation."""

    def __init__(self, secrets: Secrets) -> None:
        self._key = bytes.fromhex(secrets.token_key)
        self._claims = lru_cache(maxsize=10_000)(self._read)

    def sign(self, role: Role, *, issued: int | None = None, **claims: Any) -> str:
        """A token with these claims; `issued` is in seconds since 1970, by default now."""
        return jwt.encode(
            {"role": role, "iat": int(time.time()) if issued is None else issued, **claims}, self._key, ALGORITHM
        )

    def player(self, table: str, player: str, seated: int, issued: int) -> str:
        """The token of a player at a table for the seat given by event `seated`; the same for the same seating."""
        return self.sign("player", issued=issued, table=table, player=player, seated=seated)

    def caller(self, authorization: str | None) -> Caller:
        """Who an Authorization header says is calling. Raises a 401 problem unless it is absent or a valid token of ours,
        and a 403 problem for an auditor's without a name."""
        if authorization is None:
            return ANYBODY
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise unauthorized("Send the token as Authorization: Bearer <token>.")
        try:
            caller = self._claims(token.strip())
        except jwt.PyJWTError:
            raise unauthorized("This is not a token of this service, or it was changed on the way.") from None
        if caller.expires is not None and caller.expires < time.time():
            raise unauthorized("This token has expired.")
        if caller.role == "auditor" and not caller.name.strip():
            raise nameless()  # the log of looks says who looked
        return caller

    def _read(self, token: str) -> Caller:
        claims = jwt.decode(token, self._key, [ALGORITHM], options={"verify_exp": False, "verify_iat": False})
        table, player, seated = claims.get("table"), claims.get("player"), claims.get("seated")
        role = next((role for role in ROLES if role == claims.get("role")), None)
        if role is None:
            raise jwt.InvalidTokenError("no role of this service")
        if role == "player" and not (isinstance(table, str) and isinstance(player, str)):
            raise jwt.InvalidTokenError("a player's token names table and player")
        if type(seated) not in {int, NoneType}:
            raise jwt.InvalidTokenError("seated: the version of an event")
        expires = claims.get("exp")
        if "exp" in claims and not (isinstance(expires, int | float) and 0 <= expires <= LATEST):
            raise jwt.InvalidTokenError("exp: a number of seconds since 1970")
        return Caller(role, table, player, seated, str(claims.get("sub", "")), expires)


def operator_token(secrets: Secrets, name: str = "operator") -> str:
    """A token that may open tables and seat players."""
    return Tokens(secrets).sign("operator", sub=name)


def auditor_token(secrets: Secrets, name: str = "auditor") -> str:
    """A token that sees every card at any time."""
    return Tokens(secrets).sign("auditor", sub=name)


def adjudicator_token(secrets: Secrets, name: str = "adjudicator") -> str:
    """A token that may rule on disputes."""
    return Tokens(secrets).sign("adjudicator", sub=name)
