"""Who looked at what: every look with more than a spectator's eyes is recorded before it is granted, or it is not granted.

One chain a table, in a stream of its own, so that nobody can take a look back. Where others write to the same chain the version check
of the store decides, as everywhere; who was slower reads the head again and writes after it.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from domain.table import Table
from schemas.canonical import GENESIS
from schemas.disputes import AccessLogged, TokenGiven
from schemas.envelope import read_line, record
from schemas.events import type_name
from services.auth import Caller
from services.eventstore.core import JetStreamStore, NewEvent
from services.eventstore.errors import EMPTY, BrokenLog, Conflict, Head, Unavailable

What = Literal["view", "audit", "export", "events", "case"]
KEPT: Final = 1000
"""So many tables are remembered with the heads of their chains."""
ATTEMPTS: Final = 20
"""How often a look is recorded anew when others write to the same chain all the time."""


@dataclass(slots=True)
class _Chain:
    """Where the chain of a table ends, as far as this process knows."""

    head: Head = EMPTY
    hash: str = GENESIS
    time: str = ""
    known: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class AccessLog:
    """Writes looks to a store. `clock` gives the time for records."""

    def __init__(self, store: JetStreamStore, clock: Callable[[], str]) -> None:
        self.store, self.clock = store, clock
        self._chains: OrderedDict[str, _Chain] = OrderedDict()

    async def look(self, caller: Caller, what: What, table: str, until: int, viewer: str) -> None:
        """Record a look at a table, if it is one with an auditor's rights: as a spectator nobody sees anything special."""
        if caller.role == "auditor" and viewer != "spectator":
            await self.note(caller, what, table, until, viewer)

    async def note(
        self, caller: Caller, what: What, table: str, until: int, viewer: str, dispute: str | None = None
    ) -> None:
        """Record a look at a table up to its event `until`. Raises a store error when it cannot be recorded; then nothing may be shown."""
        if caller.role == "spectator":
            raise ValueError("a spectator sees nothing that is logged")
        await self._record(
            caller,
            AccessLogged(
                table=table, what=what, viewer=viewer, until=until, dispute=dispute, role=caller.role, name=caller.name
            ),
        )

    async def token(self, caller: Caller, table: Table, seat: int) -> None:
        """Record that the caller is given the token of a seat that is taken. Raises a store error; then it may not be given."""
        if caller.role == "spectator":
            raise ValueError("a spectator is given no token")
        player = str(table.players[seat])
        await self._record(
            caller,
            TokenGiven(
                table=table.id, player=player, seat=seat, until=table.version, role=caller.role, name=caller.name
            ),
        )

    async def _record(self, caller: Caller, look: AccessLogged | TokenGiven) -> None:
        chain = self._chain(look.table)
        async with chain.lock:
            for _ in range(ATTEMPTS):
                if await self._append(chain, look, f"{secrets.token_hex(8)}.{caller.scope}"):
                    return
        raise Unavailable(f"others write to the log of {look.table} all the time")

    async def _append(self, chain: _Chain, look: AccessLogged | TokenGiven, command: str) -> bool:
        """One try; False when somebody else was quicker."""
        if not chain.known:
            await self._catch_up(chain, look.table)
        version, time = chain.head.version + 1, max(self.clock(), chain.time)
        entry = record(look.table, version, chain.hash, time, command, look)
        chain.known = False
        try:
            head = await self.store.append(look.table, chain.head, [NewEvent(type_name(type(look)), entry.line)])
        except Conflict:
            return False
        chain.head, chain.hash, chain.time, chain.known = head, entry.hash, time, True
        return True

    async def _catch_up(self, chain: _Chain, table: str) -> None:
        """Read the last entry of a chain."""
        head = await self.store.head(table)
        if head != EMPTY:
            records = await self.store.read(table, head.version - 1, after_sequence=head.sequence - 1)
            last = next((each for each in records if each.version == head.version), None)
            if last is None:
                raise Unavailable(f"the log of {table} has {head.version} entries, but the last cannot be read yet")
            entry = read_line(last.data, "access")
            if (entry.table, entry.version) != (table, head.version):
                raise BrokenLog(f"the log of {table}: entry {head.version} says it is {entry.table}:{entry.version}")
            chain.hash, chain.time = entry.hash, entry.time
        chain.head, chain.known = head, True

    def _chain(self, table: str) -> _Chain:
        chain = self._chains.get(table)
        if chain is None:
            idle = next((name for name, each in self._chains.items() if not each.lock.locked()), None)
            if len(self._chains) >= KEPT and idle is not None:
                del self._chains[idle]
            chain = self._chains[table] = _Chain()
        self._chains.move_to_end(table)
        return chain
