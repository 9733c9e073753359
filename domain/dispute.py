"""The dispute desk: commands in, events out, as pure as the table. What it knows of a match it is told as `TableFacts`.

A case is raised, gets evidence, is given to an adjudicator, and ends with a ruling or by being withdrawn. A ruling never changes what was
recorded: it says that the record stands, or posts new entries into the ledger, which always add up to nothing.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, assert_never
from unicodedata import normalize

from domain.refusal import Refusal, Refused
from domain.table import MAX_PLAYER, OVER, Given
from schemas.canonical import GENESIS, digest
from schemas.desk import Assign, Attach, DeskCommand, Raise, Rule, Status, Withdraw
from schemas.disputes import (
    DisputeAssigned,
    DisputeRaised,
    DisputeWithdrawn,
    Entry,
    EvidenceAttached,
    LedgerAdjusted,
    RulingGiven,
)
from schemas.envelope import TABLE_ID, TIME, Recorded, record
from schemas.events import Event, HandStarted, PlayerSeated, SeedRevealed
from schemas.notation import Unreadable
from schemas.text import is_name

MAX_TEXT: Final = 4000
"""Characters of a claim, a reason, or a text that is attached."""
MAX_FILE: Final = 40 * 1024
"""Bytes of a file that is attached; of larger ones the SHA-256 is."""
MAX_EVIDENCE: Final = 12
"""Pieces of evidence of one player in one case, so that none can take the room of the others."""
HOUSE_EVIDENCE: Final = 50
"""Pieces of evidence of the house in one case."""
MAX_CASES: Final = 3
"""Cases of one player about one table that may wait for a ruling. One that was withdrawn counts for a day after it was raised."""
AMOUNTS_BELOW: Final = 10**9
"""No entry of a ruling corrects an account by so much or more."""
HOUSE: Final = "house:rulings"
"""The account that stands against players where a correction does not add up among them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the house allows: days to raise a dispute after the hand ended, and days to rule on it."""

    raise_days: int = 7
    rule_days: int = 7


@dataclass(frozen=True, slots=True)
class HandFacts:
    """A hand of a disputed table: events `first` to `last`, and when it ended (both None while it is played).

    `gave` is what its events gave each account, by account and unit, as the ledger posts them.
    """

    first: int
    last: int | None = None
    ended: str | None = None
    gave: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)


class Brought(NamedTuple):
    """Another case about the table: who raised it and when, and how it ended (None while it waits for a ruling)."""

    player: str
    time: str
    ended: Literal["ruled", "withdrawn"] | None = None


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What the desk must know of a table: its record so far, everybody who ever sat there, and its hands by number.

    `rest_version` and `rest_head` are the last event at which no hand was being played, and its hash: that of a later one would let those
    who know most of the cards find out the rest by trying. `earlier` are the rulings about this table, `brought` the cases.
    """

    table: str
    version: int
    rest_version: int
    rest_head: str
    time: str
    players: tuple[str, ...]
    hands: Mapping[int, HandFacts]
    times: tuple[str, ...] = ()
    earlier: tuple[RulingGiven, ...] = ()
    brought: tuple[Brought, ...] = ()

    def hand_of(self, version: int) -> int | None:
        """The hand that an event belongs to: it happened between its first and its last."""
        for number, hand in self.hands.items():
            if hand.first <= version <= (hand.last or self.version):
                return number
        return None


class Evidence(NamedTuple):
    """A piece of evidence and when it came."""

    event: EvidenceAttached
    time: str


class Dispute(NamedTuple):
    """A case after `version` events, the last of which has the hash `head` and happened at `time`.

    `due` is the ledger entry that its ruling asks for and that is not recorded yet.
    """

    id: str
    version: int
    head: str
    time: str
    raised: DisputeRaised
    raised_at: str
    respond_by: str
    adjudicator: str | None = None
    evidence: tuple[Evidence, ...] = ()
    ruling: RulingGiven | None = None
    ruled_at: str | None = None
    due: LedgerAdjusted | None = None
    withdrawn: DisputeWithdrawn | None = None

    @property
    def status(self) -> Status:
        """Where it stands."""
        if self.withdrawn is not None:
            return "withdrawn"
        if self.ruling is not None:
            return "ruled"
        return "open" if self.adjudicator is None else "assigned"

    def overdue(self, now: str) -> bool:
        """Whether it should have been ruled on by now."""
        return self.status in {"open", "assigned"} and now > self.respond_by


def later(time: str, days: int) -> str:
    """The time so many days later, in the form of the record."""
    moved = datetime.fromisoformat(time) + timedelta(days=days)
    return f"{moved.isoformat(timespec='milliseconds')[:23]}Z"


def facts_of(events: Iterable[Recorded], gave: Mapping[int, Mapping[tuple[str, str], Decimal]]) -> TableFacts:
    """The facts of a table from its record, first event to last. `gave` is what each hand gave to accounts. Raises ValueError for none."""
    players: dict[str, None] = {}
    hands: dict[int, HandFacts] = {}
    times: list[str] = []
    last: Recorded | None = None
    playing, rest_version, rest_head = False, 0, GENESIS
    for last in events:
        event = last.event
        times.append(last.time)
        playing = isinstance(event, HandStarted) or (playing and not isinstance(event, SeedRevealed))
        if not playing:
            rest_version, rest_head = last.version, last.hash
        if isinstance(event, PlayerSeated):
            players[event.player] = None
        elif isinstance(event, HandStarted):
            players |= dict.fromkeys(event.players)
            hands[event.hand] = HandFacts(last.version)
        elif isinstance(event, OVER):
            first = hands[event.hand].first
            hands[event.hand] = HandFacts(first, last.version, last.time, gave.get(event.hand, {}))
    if last is None:
        raise ValueError("no events: there is no table to dispute")
    return TableFacts(last.table, last.version, rest_version, rest_head, last.time, tuple(players), hands, tuple(times))


def refusal(
    dispute: Dispute | None, command: DeskCommand, facts: TableFacts, now: str, terms: Terms = Terms()
) -> Refusal | None:
    """Why the command is refused in this case as it stands, or None when it is allowed.

    Raises Unreadable for what makes no sense (a text that is empty, a name that is none, an amount that is no number).
    """
    _check(command)
    if isinstance(command, Raise):
        if dispute is not None:
            return Refusal("dispute_exists", "", "There already is a dispute with this id.", "该争议编号已被占用。")
        return _refusal_to_raise(command, facts, now, terms)
    if dispute is None:
        return no_such_dispute()
    if dispute.status in {"ruled", "withdrawn"}:
        return Refusal(
            "dispute_closed",
            "",
            "This case is closed; who disagrees raises a new one within the time there is.",
            "该争议已结案。",
        )
    match command:
        case Attach():
            return _refusal_to_attach(dispute, command, facts)
        case Assign():
            return _refusal_to_assign(command, facts, now)
        case Rule():
            return _refusal_to_rule(dispute, command, facts)
        case Withdraw():
            if command.player != dispute.raised.player:
                return Refusal(
                    "not_the_raiser", "", "Only who raised a dispute can withdraw it.", "只有提出者可以撤回。"
                )
            return None
        case _:
            assert_never(command)


def no_such_dispute() -> Refusal:
    """The refusal of a case that there is not."""
    return Refusal("no_such_dispute", "", "There is no such dispute.", "没有这个争议。")


def _check(command: DeskCommand) -> None:
    """Raise Unreadable for what is no text, name, date or amount."""
    match command:
        case Raise():
            _text("claim", command.claim)
        case Attach():
            _check_evidence(command)
        case Assign():
            _name("adjudicator", command.adjudicator)
            if command.respond_by is not None and not TIME.fullmatch(command.respond_by):
                raise Unreadable("respond_by: must be a time like 2026-12-01T03:00:00.000Z")
        case Rule():
            _text("reason", command.reason)
            for player, amount in command.amounts:
                _name("amounts", player)
                _amount(amount)
            if (command.outcome == "adjusted") != bool(command.amounts):
                raise Unreadable("amounts: an adjustment needs them, and no other ruling takes them")
        case Withdraw():
            if command.reason:
                _text("reason", command.reason)
        case _:
            assert_never(command)


def _check_evidence(command: Attach) -> None:
    if command.text is not None:
        _text("text", command.text)
    if command.name is not None:
        _name("name", command.name, 200)
    if command.sha256 is not None and (len(command.sha256) != 64 or set(command.sha256) - set("0123456789abcdef")):
        raise Unreadable("sha256: must be 64 lower-case hexadecimal digits")
    if command.text is not None and command.content is not None:
        raise Unreadable("evidence: either a text or a file, one at a time")
    if command.text is None and (command.name is None or (command.content is None and command.sha256 is None)):
        raise Unreadable("evidence: needs a text, or the name of a file with its content or its sha256")


def _text(field_name: str, text: str) -> None:
    plain = text.replace("\n", "").replace("\t", "")
    if not text.strip() or len(text) > MAX_TEXT or not plain.isprintable():
        raise Unreadable(f"{field_name}: must be a text of 1 to {MAX_TEXT} printable characters")


def _name(field_name: str, name: str, most: int = MAX_PLAYER) -> None:
    if not is_name(name, most):
        raise Unreadable(f"{field_name}: must be a name of 1 to {most} printable characters (NFC), no spaces around it")


def _amount(text: str) -> Decimal:
    try:
        Entry(account=HOUSE, amount=text)
    except ValueError:
        raise Unreadable(
            f"amount: {text[:20]!r} must be a decimal number like -12 or 3.5, at most four places"
        ) from None
    return Decimal(text)


def _refusal_to_raise(command: Raise, facts: TableFacts, now: str, terms: Terms) -> Refusal | None:
    if command.player not in facts.players:
        en = f"{command.player} has no part in this table; its players may dispute it."
        return Refusal("not_a_party", "", en, "只有本桌玩家可以提出争议。")
    if command.event is not None and not 1 <= command.event <= facts.version:
        return Refusal(
            "no_such_event", "", f"This table has {facts.version} events.", f"本桌只有{facts.version}个事件。"
        )
    hand = subject(command, facts)
    if command.hand is not None and command.event is not None and hand != facts.hand_of(command.event):
        en = f"Event {command.event} is not one of hand {command.hand}."
        return Refusal("event_of_another_hand", "", en, "该事件不属于这一局。")
    refused = _refusal_of_hand(hand, facts) if hand is not None else None
    return refused or _refusal_of_window(command, facts, now, terms) or _refusal_of_many(command.player, facts, now)


def _refusal_of_many(player: str, facts: TableFacts, now: str) -> Refusal | None:
    counted = [
        each
        for each in facts.brought
        if each.player == player and (each.ended is None or (each.ended == "withdrawn" and now < later(each.time, 1)))
    ]
    if len(counted) < MAX_CASES:
        return None
    en = (
        f"{player} has {len(counted)} cases about this table that wait for a ruling or were withdrawn within a day; "
        f"{MAX_CASES} is the most."
    )
    return Refusal("too_many_cases", "", en, f"每人每桌最多{MAX_CASES}个待裁决的争议(撤回的当日仍计入)。")


def subject(command: Raise, facts: TableFacts) -> int | None:
    """The hand that a dispute is about: the one named, or the one of the event that is named."""
    if command.hand is not None or command.event is None:
        return command.hand
    return facts.hand_of(command.event)


def _refusal_of_window(command: Raise, facts: TableFacts, now: str, terms: Terms) -> Refusal | None:
    hand = subject(command, facts)
    ended = facts.hands[hand].ended if hand is not None else None
    if ended is None:
        ended = facts.times[command.event - 1] if command.event is not None else facts.time
    last = later(ended, terms.raise_days)
    if now <= last:
        return None
    en = f"This could be disputed until {last}, {terms.raise_days} days after it ended."
    return Refusal("window_over", "", en, f"已超过争议期限({terms.raise_days}天)。")


def _refusal_of_hand(hand: int, facts: TableFacts) -> Refusal | None:
    """Why a hand cannot be disputed or ruled on."""
    found = facts.hands.get(hand)
    if found is None:
        return Refusal("no_such_hand", "", f"There is no hand {hand} at this table.", f"本桌没有第{hand}局。")
    if found.ended is None:
        en = f"Hand {hand} is still being played; it can be disputed when it is over."
        return Refusal("hand_running", "", en, "本局尚未结束,结束后才能提出争议。")
    return None


def _refusal_to_attach(dispute: Dispute, command: Attach, facts: TableFacts) -> Refusal | None:
    if command.role == "player" and command.by not in facts.players:
        en = "Evidence comes from players of the table and from the house."
        return Refusal("not_a_party", "", en, "只有本桌玩家和工作人员可以提交证据。")
    if command.role == "adjudicator" and command.by != dispute.adjudicator:
        return _not_theirs()
    refused = _refusal_of_much(dispute, command)
    if refused is not None:
        return refused
    if command.content is not None and len(command.content) > MAX_FILE:
        en = f"A file may have {MAX_FILE:,} bytes; of a larger one attach its name and SHA-256."
        return Refusal("evidence_too_large", "", en, f"文件不得超过{MAX_FILE // 1024}KiB,更大的请只提交其SHA-256。")
    held = _bytes(command)
    if held is not None and command.sha256 is not None and digest(held) != command.sha256:
        return Refusal(
            "digest_differs", "", "The content has another SHA-256 than the one given.", "内容与给出的SHA-256不符。"
        )
    return None


def _refusal_of_much(dispute: Dispute, command: Attach) -> Refusal | None:
    """Players are counted each by themselves, the house apart: nobody can take the room of another party."""
    before = [each.event for each in dispute.evidence]
    if command.role == "player":
        if sum((each.role, each.by) == ("player", command.by) for each in before) < MAX_EVIDENCE:
            return None
        en = f"A case takes {MAX_EVIDENCE} pieces of evidence of each player; {command.by} has attached as many."
        return Refusal("too_much_evidence", "", en, f"每案每位玩家最多{MAX_EVIDENCE}份证据。")
    if sum(each.role != "player" for each in before) < HOUSE_EVIDENCE:
        return None
    en = f"A case takes {HOUSE_EVIDENCE} pieces of evidence of the house."
    return Refusal("too_much_evidence", "", en, f"每案工作人员最多{HOUSE_EVIDENCE}份证据。")


def _bytes(command: Attach) -> bytes | None:
    return command.text.encode() if command.text is not None else command.content


def _refusal_to_assign(command: Assign, facts: TableFacts, now: str) -> Refusal | None:
    if _played(command.adjudicator, facts):
        return _played_there(command.adjudicator)
    if command.respond_by is not None and command.respond_by <= now:
        return Refusal("date_is_past", "", "The date to rule by is in the past.", "裁决期限已过去。")
    return None


def _played(name: str, facts: TableFacts) -> bool:
    """Whether somebody of this name sat at the table. Names that read alike (ann, ANN, Ａｎｎ) are taken for one person's."""
    return _alike(name) in {_alike(player) for player in facts.players}


def _alike(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold()).strip()


def _played_there(name: str) -> Refusal:
    en = f"{name} played at this table, and nobody rules on a table they played at."
    return Refusal("played_there", "", en, "不得裁决自己参加过的牌桌。")


def _not_theirs() -> Refusal:
    return Refusal("not_the_adjudicator", "", "This case is not assigned to you.", "该争议未分配给你。")


def _refusal_to_rule(dispute: Dispute, command: Rule, facts: TableFacts) -> Refusal | None:
    if _played(command.adjudicator, facts):
        return _played_there(command.adjudicator)
    if command.adjudicator != dispute.adjudicator:
        return _not_theirs()
    hand, about = _ruled_hand(dispute, command), dispute.raised.hand
    if about is not None and hand != about:
        en = (
            f"hand: this case is about hand {about}; hand {hand} takes a case of its own, or one about the whole table."
        )
        return Refusal("hand_of_another_case", "", en, f"本案只涉及第{about}局。")
    refused = _refusal_of_hand(hand, facts) if hand is not None else None
    if refused is not None or command.outcome == "upheld":
        return refused
    if command.outcome == "voided":
        return _refusal_to_void(hand, facts)
    return _refusal_to_adjust(command, facts)


def _ruled_hand(dispute: Dispute, command: Rule) -> int | None:
    return dispute.raised.hand if command.hand is None else command.hand


def _refusal_to_void(hand: int | None, facts: TableFacts) -> Refusal | None:
    if hand is None:
        return Refusal("no_hand", "", "Say which hand is void.", "请指明作废的局。")
    if any(each.hand == hand and each.outcome == "voided" for each in facts.earlier):
        return Refusal("hand_voided", "", f"Hand {hand} was declared void before.", f"第{hand}局此前已作废。")
    return _refusal_of_amounts(_given(hand, facts).values())


def _refusal_of_amounts(amounts: Iterable[Decimal]) -> Refusal | None:
    """Why these amounts cannot be entries of a ruling (`schemas.disputes.Amount`)."""
    largest = max(map(abs, amounts), default=Decimal(0))
    if largest < AMOUNTS_BELOW:
        return None
    en = f"An account would be corrected by {largest:f}; an entry of a ruling has at most nine digits before the point."
    return Refusal("amounts_too_large", "", en, "更正金额过大:整数部分最多九位。")


def _refusal_to_adjust(command: Rule, facts: TableFacts) -> Refusal | None:
    names = [player for player, _ in command.amounts]
    strange = next((name for name in names if name not in facts.players), None)
    if strange is not None:
        en = f"{strange} has no part in this table; corrections are between its players and the house."
        return Refusal("not_a_party", "", en, "调整只能涉及本桌玩家和庄家账户。")
    if len(set(names)) < len(names) or any(not _amount(amount) for _, amount in command.amounts):
        en = "Name each player once, with an amount that is not zero."
        return Refusal("amounts_unclear", "", en, "每位玩家只能出现一次,金额不得为零。")
    rest = sum((_amount(amount) for _, amount in command.amounts), Decimal(0))
    if rest and not command.house:
        en = f"The amounts add up to {rest:+f}; they must add up to zero, or the rest must stand against the house."
        return Refusal("amounts_do_not_balance", "", en, "金额之和必须为零,或由庄家账户承担差额。")
    return _refusal_of_amounts([rest])


def decide(
    dispute: Dispute | None,
    dispute_id: str,
    command: DeskCommand,
    facts: TableFacts,
    given: Given,
    terms: Terms = Terms(),
) -> tuple[Recorded, ...]:
    """The events a command makes happen, sealed and in order; at least one.

    Raises Refused when it is refused and Unreadable when it makes no sense; then nothing has happened.
    """
    if not TABLE_ID.fullmatch(dispute_id):
        raise Unreadable(f"dispute: {dispute_id!r} must be up to 64 lower-case letters, digits and hyphens")
    refused = refusal(dispute, command, facts, given.time, terms)
    if refused:
        raise Refused(refused)
    return _sealed(dispute, dispute_id, _happens(dispute, dispute_id, command, facts, given.time, terms), given)


def finish(dispute: Dispute, given: Given) -> tuple[Recorded, ...]:
    """The rest of a command that was recorded in part; empty when it is whole. `given` is that of its first event."""
    return _sealed(dispute, dispute.id, [dispute.due] if dispute.due is not None else [], given)


def _sealed(dispute: Dispute | None, dispute_id: str, events: Iterable[Event], given: Given) -> tuple[Recorded, ...]:
    happened: list[Recorded] = []
    version, head = (dispute.version, dispute.head) if dispute is not None else (0, GENESIS)
    for event in events:
        happened.append(record(dispute_id, version + 1, head, given.time, given.command, event))
        version, head = happened[-1].version, happened[-1].hash
    return tuple(happened)


def _happens(
    dispute: Dispute | None, dispute_id: str, command: DeskCommand, facts: TableFacts, now: str, terms: Terms
) -> Iterator[Event]:
    if isinstance(command, Raise):
        yield DisputeRaised(
            table=facts.table,
            hand=subject(command, facts),
            event=command.event,
            claim=command.claim,
            player=command.player,
            players=facts.players,
            respond_by=later(now, terms.rule_days),
        )
        return
    if dispute is None:
        raise ValueError("decide: only Raise makes a case")
    match command:
        case Attach():
            yield _attached(command, len(dispute.evidence) + 1)
        case Assign():
            until = command.respond_by or dispute.respond_by
            yield DisputeAssigned(adjudicator=command.adjudicator, by=command.by, respond_by=until)
        case Rule():
            ruling = _ruling(dispute, command, facts)
            yield ruling
            if ruling.entries:
                yield _adjustment(dispute_id, ruling)
        case Withdraw():
            yield DisputeWithdrawn(player=command.player, reason=command.reason)
        case _:
            assert_never(command)


def _attached(command: Attach, number: int) -> EvidenceAttached:
    held = _bytes(command)
    return EvidenceAttached(
        number=number,
        by=command.by,
        role=command.role,
        kind="text" if command.text is not None else "digest" if held is None else "file",
        name=command.name,
        text=command.text,
        content=None if command.content is None else b64encode(command.content).decode(),
        size=None if held is None else len(held),
        sha256=str(command.sha256) if held is None else digest(held),
    )


def _ruling(dispute: Dispute, command: Rule, facts: TableFacts) -> RulingGiven:
    hand = _ruled_hand(dispute, command)
    entries: list[Entry] = []
    if command.outcome == "voided" and hand is not None:
        entries = _reversal(hand, facts)
    elif command.outcome == "adjusted":
        amounts = [(f"player:{player}", _amount(amount)) for player, amount in command.amounts]
        left = -sum((amount for _, amount in amounts), Decimal(0))
        entries = [_entry(account, amount) for account, amount in [*amounts, (HOUSE, left)] if amount]
    return RulingGiven(
        adjudicator=command.adjudicator,
        outcome=command.outcome,
        table=facts.table,
        hand=hand,
        reason=command.reason,
        entries=tuple(entries),
        table_version=facts.rest_version,
        table_head=facts.rest_head,
    )


def _reversal(hand: int, facts: TableFacts) -> list[Entry]:
    """What takes back all that a hand gave, with earlier corrections of it: afterwards it has given nothing to anybody."""
    return [_entry(account, -amount, unit) for (account, unit), amount in sorted(_given(hand, facts).items()) if amount]


def _given(hand: int, facts: TableFacts) -> dict[tuple[str, str], Decimal]:
    """What a hand gave each account in each unit, with earlier corrections of it."""
    total = dict(facts.hands[hand].gave)
    for ruling in facts.earlier:
        for entry in ruling.entries if ruling.hand == hand else ():
            key = (entry.account, entry.unit)
            total[key] = total.get(key, Decimal(0)) + Decimal(entry.amount)
    return total


def _entry(account: str, amount: Decimal, unit: Any = "points") -> Entry:
    return Entry(account=account, amount=format(amount.normalize(), "f"), unit=unit)


def _adjustment(dispute_id: str, ruling: RulingGiven) -> LedgerAdjusted:
    return LedgerAdjusted(
        dispute=dispute_id, table=ruling.table, hand=ruling.hand, entries=ruling.entries, reason=ruling.reason
    )


def evolve(dispute: Dispute | None, recorded: Recorded) -> Dispute:
    """The case after a recorded event. Raises ValueError if the event is not the next one of this case."""
    event, where = recorded.event, f"event {recorded.table}:{recorded.version}"
    if dispute is None:
        if not isinstance(event, DisputeRaised) or recorded.version != 1 or recorded.prev != GENESIS:
            raise ValueError(f"{where}: a dispute begins with being raised, version 1")
        return Dispute(recorded.table, 1, recorded.hash, recorded.time, event, recorded.time, event.respond_by)
    if (recorded.table, recorded.version, recorded.prev) != (dispute.id, dispute.version + 1, dispute.head):
        raise ValueError(f"{where} does not follow {dispute.id}:{dispute.version}")
    changes = _changes(dispute, recorded)
    return dispute._replace(version=recorded.version, head=recorded.hash, time=recorded.time, **changes)


def _changes(dispute: Dispute, recorded: Recorded) -> dict[str, Any]:
    match recorded.event:
        case EvidenceAttached() as attached:
            return {"evidence": (*dispute.evidence, Evidence(attached, recorded.time))}
        case DisputeAssigned() as assigned:
            return {"adjudicator": assigned.adjudicator, "respond_by": assigned.respond_by}
        case RulingGiven() as ruling:
            due = _adjustment(dispute.id, ruling) if ruling.entries else None
            return {"ruling": ruling, "ruled_at": recorded.time, "due": due}
        case LedgerAdjusted() as adjusted:
            if adjusted != dispute.due:
                raise ValueError(f"event {dispute.id}:{recorded.version}: these entries follow from no ruling")
            return {"due": None}
        case DisputeWithdrawn() as withdrawn:
            return {"withdrawn": withdrawn}
        case _:
            raise ValueError(f"event {dispute.id}:{recorded.version}: not an event of a dispute")


def replay(events: Iterable[Recorded]) -> Dispute:
    """The case after all these events. Raises ValueError for an event out of place or when there is none."""
    dispute: Dispute | None = None
    for recorded in events:
        dispute = evolve(dispute, recorded)
    if dispute is None:
        raise ValueError("no events: there is no dispute to replay")
    return dispute
