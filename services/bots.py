"""Bots that play over HTTP as any client would: they see what their seat sees, send every command with a key, and never give up early."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any, Final, assert_never

import httpx
import stamina

from domain.bots import BOTS, AnySight, Bot, Sight
from domain.climbing.ruleset import Ruleset
from domain.hands import all_rulesets, get_ruleset
from domain.seats import SEATS, partner_of, side_of
from domain.shuffle import drawer, secret_of
from domain.trumps import players as trumps
from domain.trumps.bidding import Declaration, read_declaration
from domain.trumps.ruleset import TrumpsRuleset
from schemas.commands import Bury, Counter, Declare, Decline, Pass, Play, SeatCommand
from schemas.notation import format_cards
from schemas.readings import Reading
from services.client import Failed, checked, find
from services.settings import Settings

AWAY: Final = frozenset((429, 502, 503, 504, 507))
"""Answers that pass: the command may be sent again with the same key."""
PACE: Final = 1.0
"""Seconds between two plays of the demonstration."""
DEAL_PACE: Final = 200
"""Milliseconds between two steps of a deal of the demonstration, where a deal takes time."""
DEMO_HANDS: Final = 2
"""Hands of each match of the demonstration, before the next ruleset has its turn."""
WHILE_DEALT: Final = 0.02
"""Seconds between two looks at a deal that goes on by itself, or at a table that is about to commit to a seed."""
SOON: Final = frozenset(("seed_not_committed",))
"""Refusals that pass by themselves in a moment."""


class Away(Exception):
    """The service is not there, or says that it will be back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played."""

    ruleset: str
    hands: int
    tables: int
    seed: str
    bot: str


@dataclass(slots=True)
class Match:
    """A match as it goes: `scores` by player, `acknowledged` the key and version of every command that was answered."""

    number: int
    table: str = ""
    version: int = 0
    hands: int = 0
    scores: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    acknowledged: list[tuple[str, int]] = field(default_factory=list)

    @property
    def commands(self) -> int:
        """How many commands were acknowledged."""
        return len(self.acknowledged)

    def summary(self) -> dict[str, Any]:
        """The match as JSON."""
        return {"table": self.table, "hands": self.hands, "events": self.version, "scores": self.scores}


class Driver:
    """Plays matches at one service. `patience`: seconds for which a service that is away is asked again."""

    def __init__(self, settings: Settings, patience: float = 60) -> None:
        self.url, self.token = find(settings, "operator")
        self.patience = patience
        self.run, self.names = secrets.token_hex(6), "bot"

    async def play(self, plan: Plan, on_hand: Callable[[], None] = lambda: None) -> list[Match]:
        """Play all tables of a plan at once. Raises Failed when the service refuses or stays away."""
        async with self._session() as http:
            matches = [Match(number) for number in range(1, plan.tables + 1)]
            try:
                async with asyncio.TaskGroup() as group:
                    for match in matches:
                        group.create_task(self._match(http, plan, match, on_hand))
            except* Failed as failed:
                raise failed.exceptions[0] from None
            for match in matches:
                await self._settle(http, match)
        return matches

    async def demonstrate(self, plan: Plan) -> None:
        """Play one slow match after the other, for people to look at, until cancelled: all rulesets in turn, that of the plan first.

        The commands of a demonstration always have the same keys, so one that is started again finds its table and plays on.
        """
        self.run, self.names = "show", "demo"
        ids = dict.fromkeys((plan.ruleset, *(ruleset.id for ruleset in reversed(all_rulesets()))))
        async with self._session() as http:
            for number, ruleset in enumerate(cycle(ids), start=1):
                turn = replace(plan, ruleset=ruleset, hands=DEMO_HANDS)
                await self._match(http, turn, Match(number), lambda: None, PACE, DEAL_PACE)

    def _session(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=64)
        return httpx.AsyncClient(base_url=self.url, timeout=15, limits=limits)

    async def _match(
        self,
        http: httpx.AsyncClient,
        plan: Plan,
        match: Match,
        on_hand: Callable[[], None],
        pace: float = 0,
        deal_pace: int = 0,
    ) -> None:
        await self._open(http, plan, match, deal_pace)
        view = await self._view(http, match)
        while not view["closed"]:
            if view["hand"] is None or view["hand"]["result"] is not None:
                await self._start(http, match)
            await self._hand(http, plan, match, pace)
            view = await self._view(http, match)
            match.hands = view["hand"]["number"]
            on_hand()
        match.scores = view["scores"]

    async def _open(self, http: httpx.AsyncClient, plan: Plan, match: Match, deal_pace: int) -> None:
        options: dict[str, Any] = {"hands": plan.hands}
        if any(each.id == plan.ruleset and isinstance(each, TrumpsRuleset) for each in all_rulesets()):
            options["deal_pace"] = deal_pace
        body = {"ruleset": plan.ruleset, "options": options}
        key = f"{self.run}-{match.number}-open"
        opened = await self._request(http, "POST", "/tables", self.token, json=body, headers={"Idempotency-Key": key})
        match.table = opened["table"]
        for seat in SEATS:
            player = f"{self.names}{4 * (match.number - 1) + seat + 1}"
            match.version = opened["version"] + seat
            answer = await self._send(http, match, "seats", {"player": player}, self.token)
            match.tokens[player] = answer["token"]

    async def _start(self, http: httpx.AsyncClient, match: Match) -> None:
        """Start a hand, as soon as the table is ready for it."""
        while True:
            try:
                await self._send(http, match, "hands", {}, self.token)
            except Failed as failed:
                if failed.problem.get("rule") not in SOON:
                    raise
                await asyncio.sleep(WHILE_DEALT)
                await self._view(http, match)
            else:
                return

    async def _hand(self, http: httpx.AsyncClient, plan: Plan, match: Match, pace: float) -> None:
        """Play the hand to its end. While cards are dealt each seat may say something; else the seats that are waited for act."""
        view = await self._view(http, match)
        seated, state = [seat["player"] for seat in view["seats"]], _state(view)
        while state["phase"] != "over":
            seats = state["waiting"][:1] or SEATS
            await asyncio.sleep(pace if state["waiting"] else max(WHILE_DEALT, pace / 4))
            for seat in seats:
                answer = await self._move(http, plan, match, match.tokens[seated[seat]])
                state = answer or state
            if not state["waiting"]:
                state = _state(await self._view(http, match))

    async def _move(self, http: httpx.AsyncClient, plan: Plan, match: Match, token: str) -> Any:
        """Let a seat act; None when it does nothing, which is possible while cards are dealt only."""
        own = await self._view(http, match, token)
        if own["hand"]["result"] is not None:
            return None
        secret = secret_of(f"{plan.seed}|{match.number}").hex()
        bot: Bot = BOTS[plan.bot]
        command = bot(sight(own), drawer(secret, "play", own["hand"]["number"], f"choice {own['version']}"))
        if command is None:
            return None
        what, body = request(command, counters=own["hand"].get("phase") == "countering")
        try:
            return await self._send(http, match, what, body, token)
        except Failed:
            if own["hand"].get("phase") != "dealing":
                raise
            return None  # the deal went on meanwhile, or another seat was quicker

    async def _view(self, http: httpx.AsyncClient, match: Match, token: str | None = None) -> Any:
        view = await self._request(http, "GET", f"/tables/{match.table}", token)
        match.version = view["version"]
        return view

    async def _send(self, http: httpx.AsyncClient, match: Match, what: str, body: Any, token: str | None) -> Any:
        key = f"{self.run}-{match.number}-{match.version}"
        path = f"/tables/{match.table}/{what}"
        answer = await self._request(http, "POST", path, token, json=body, headers={"Idempotency-Key": key})
        match.acknowledged.append((key, answer["version"]))
        return answer

    async def _settle(self, http: httpx.AsyncClient, match: Match) -> None:
        """Wait until the ledger holds what the match gave. Raises Failed when it does not."""
        found: dict[str, int] = {}
        for _ in range(200):
            answer = await self._request(http, "GET", f"/ledger?table={match.table}", self.token)
            found = {row["account"]: row["balance"] for row in answer["balances"] if row["unit"] == "points"}
            if all(found.get(f"player:{player}", 0) == score for player, score in match.scores.items()):
                return
            await asyncio.sleep(0.1)
        raise Failed(f"The ledger of table {match.table} says {found}, the table says {match.scores}. 账本与牌桌不符。")

    async def _request(self, http: httpx.AsyncClient, method: str, path: str, token: str | None, **more: Any) -> Any:
        headers = more.pop("headers", {}) | ({"Authorization": f"Bearer {token}"} if token else {})

        @stamina.retry(on=Away, attempts=None, timeout=self.patience, wait_initial=0.05, wait_max=1.0)
        async def once() -> httpx.Response:
            try:
                response = await http.request(method, path, headers=headers, **more)
            except httpx.TransportError as error:
                raise Away(
                    f"{self.url} does not answer: {str(error) or type(error).__name__}. 服务没有响应。"
                ) from None
            if response.status_code in AWAY:
                raise Away(f"{self.url} answers {response.status_code}: {response.text[:200]}")
            return response

        try:
            response = await once()
        except Away as away:
            raise Failed(f"{away} Gave up after {self.patience:g} s.") from None
        return checked(response).json()


def _state(view: dict[str, Any]) -> dict[str, Any]:
    """Whom a table waits for and in which phase it is, by its view; answers to commands say the same."""
    hand = view["hand"]
    if hand["result"] is not None:
        return {"waiting": [], "phase": "over"}
    turn = hand["turn"]
    return {"waiting": hand.get("waiting", [] if turn is None else [turn]), "phase": hand.get("phase", "playing")}


def request(command: SeatCommand, *, counters: bool) -> tuple[str, dict[str, str] | None]:
    """The address and the body that ask for a command; `counters` tells what is declined."""
    match command:
        case Play(cards=cards):
            return "plays", {"cards": " ".join(cards)}
        case Pass():
            return "passes", None
        case Declare(cards=cards):
            return "declarations", {"cards": format_cards(cards)}
        case Bury(cards=cards):
            return "burials", {"cards": format_cards(cards)}
        case Counter(cards=cards):
            return "counters", {"cards": format_cards(cards)}
        case Decline():
            return ("counters" if counters else "declarations"), {"cards": ""}
        case _:
            assert_never(command)


def sight(view: dict[str, Any]) -> AnySight:
    """What a bot goes by, out of the view of its seat."""
    ruleset = get_ruleset(view["hand"]["ruleset"], view["hand"]["ruleset_version"])
    return _climbing(view, ruleset) if isinstance(ruleset, Ruleset) else _trumps(view, ruleset)


def _climbing(view: dict[str, Any], ruleset: Ruleset) -> Sight:
    hand, own = view["hand"], int(view["viewer"])
    best = hand["to_beat"]
    opponents = [seat["cards"] for seat in view["seats"] if side_of(seat["seat"]) != side_of(own) and seat["cards"]]
    return Sight(
        ruleset=ruleset,
        seat=own,
        holding=tuple(view["seats"][own]["holding"]),
        lead=_reading(best["reading"]) if best else None,
        partner_leads=best is not None and best["seat"] == partner_of(own),
        opponents_left=min(opponents, default=27),
    )


def _reading(value: dict[str, Any]) -> Reading:
    return Reading(**{**value, "stands_for": tuple(value["stands_for"])})


def _trumps(view: dict[str, Any], ruleset: TrumpsRuleset) -> trumps.Sight:
    hand, own = view["hand"], int(view["viewer"])
    buried = hand["kitty"] or () if hand["burier"] == own else ()
    gone = tuple(card for card, number in hand["gone"].items() for _ in range(number))
    return trumps.Sight(
        ruleset=ruleset,
        seat=own,
        phase=hand["phase"],
        level=hand["level"],
        trump=hand["trump"],
        holding=tuple(view["seats"][own]["holding"]),
        in_force=_in_force(hand, ruleset),
        plays=tuple(tuple(play["cards"]) for play in hand["plays"]),
        gone=(*gone, *buried),
        failed=hand["failed"][own],
    )


def _in_force(hand: dict[str, Any], ruleset: TrumpsRuleset) -> Declaration | None:
    declared = hand["declared"]
    return read_declaration(ruleset, hand["level"], declared["seat"], declared["cards"]) if declared else None
