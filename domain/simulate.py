"""A whole match by the domain alone: no server, no clock; the same seed gives the same bytes on every machine.

The seed of the match is a text. The seeds of the hands, the choices of the bots and the times of the events all follow from it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from pydantic import ValidationError

from domain.bots import BOTS, Bot, choose
from domain.shuffle import derived_seed, drawer, secret_of
from domain.table import Given, Table, decide, evolve
from domain.upkeep import due
from schemas.commands import Command, CommitSeed, OpenTable, SeatPlayer, StartHand
from schemas.envelope import Recorded
from schemas.events import TableOptions
from schemas.notation import Unreadable

BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When simulated matches begin; every command takes a second."""
PLAYERS: Final = ("east", "south", "west", "north")


def simulate(
    ruleset: str, hands: int, seed: str, bot: str = "random", deal_key: bytes | None = None
) -> Iterator[Recorded]:
    """Play a match of so many hands with four bots and give its events as they happen.

    With a `deal_key` the hands are dealt as an installation with that key would deal them.
    Raises Refused for an unknown ruleset, Unreadable for options that make no sense, KeyError for an unknown bot.
    """
    player = BOTS[bot]
    opening = OpenTable(ruleset, None, _options(hands))
    secret = secret_of(seed)
    table_id = f"sim-{secret.hex()[:12]}"
    table: Table | None = None
    for number in count():
        if table is not None and table.closed:
            return
        command = opening if table is None else _command(table, player, secret)
        hand = table.hands + isinstance(command, StartHand | CommitSeed) if table else 0
        given = Given(_time(number), f"sim-{number}", derived_seed(deal_key or secret, table_id, hand))
        for recorded in decide(table, table_id, command, given):
            table = evolve(table, recorded)
            yield recorded


def _options(hands: int) -> TableOptions:
    try:
        return TableOptions(hands=hands)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"{first['loc'][0]}: {first['msg']}") from None


def _command(table: Table, bot: Bot, secret: bytes) -> Command:
    if None in table.players:
        return SeatPlayer(PLAYERS[table.players.index(None)])
    if not table.playing:
        wanted = due(table)
        return wanted.command if wanted else StartHand()
    return choose(table, bot, drawer(secret.hex(), table.id, table.hands, f"choice {table.version}"))


def _time(number: int) -> str:
    return (BEGIN + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
