"""Why something was legal, and what else was: the situation before any event of a record, worked out from the record and the rules.

It serves people who audit a disputed match. Nothing is trusted: whether an act was legal, and what comes of it, is asked of the very
function that decides, at the table as it stood, so an event that somebody forged is shown with the rule that it breaks.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from domain.causes import command_of
from domain.chance import as_recorded
from domain.climbing import auditing as climbing
from domain.climbing import hand as climbing_hand
from domain.hands import Hand
from domain.table import Given, Table, refusal, replay
from domain.trumps import auditing as trumps
from domain.trumps import hand as trumps_hand
from domain.verifying.deciding import decided_otherwise
from schemas.commands import (
    Command,
    CommitSeed,
    DealOn,
    GiveSalt,
    HandCommand,
    Leave,
    OpenTable,
    Pass,
    Play,
    Return,
    SeatPlayer,
    StartHand,
    TimeOut,
    VoteDissolve,
)
from schemas.envelope import Recorded
from schemas.events import Event, SeedRevealed
from schemas.notation import Unreadable
from schemas.situations import Act, Broken, Choices, Do, Followed, Reason, Situation, TrickAct

LIMIT: Final = 50
"""So many choices are listed unless somebody wants more."""

AT_TABLE: Final[dict[type[Command], Do]] = {
    OpenTable: "open",
    SeatPlayer: "seat",
    CommitSeed: "commit",
    GiveSalt: "salt",
    StartHand: "start",
    Leave: "leave",
    Return: "return",
    VoteDissolve: "vote",
}

WHY: Final[dict[str, tuple[str, str, str]]] = {
    "table-opened": ("", "The operator opened the table.", "开桌。"),
    "player-seated": ("", "The seat was free.", "座位空闲。"),
    "player-left": ("", "The seat is free again.", "座位空出。"),
    "seed-committed": ("C2", "The table bound itself to the seed of the next hand.", "承诺下一局的种子。"),
    "salt-given": ("C2", "A player added to the chance of the next hand.", "玩家加入随机数。"),
    "hand-started": ("C2", "Four players sit here and no hand is being played.", "四人就座, 开局。"),
    "dealt": ("C2", "The cards follow from the seed of the hand.", "按种子发牌。"),
    "seats-swapped": (
        "C2.2",
        "Who holds the other face-up card sits opposite the leader.",
        "持另一张明牌者坐首家对面。",
    ),
    "played": ("C5.1", "The cards were played.", "出牌。"),
    "passed": ("C5.1", "The seat passed.", "过牌。"),
    "trick-won": ("C5.2", "Everybody else still in has passed since the last play.", "其余在局者都已过牌。"),
    "contribution-scored": ("C6.3", "A bomb gives contribution points.", "炸弹得贡献分。"),
    "finished": ("C5.3", "The last card was played.", "出完最后一张牌。"),
    "hand-scored": (
        "C5.4",
        "The order of finish is settled, so the hand ends and is scored.",
        "名次已定, 本局结束计分。",
    ),
    "hand-abandoned": ("C5.5", "A player left during the hand.", "有玩家逃跑。"),
    "hand-voided": ("C5.5", "All agreed to dissolve the table.", "全体同意解散。"),
    "timed-out": ("", "The clock of the seat ran out, so the table acts for it.", "超时, 托管。"),
    "player-returned": ("", "The player took over again.", "玩家取消托管。"),
    "dissolve-voted": ("", "A vote on dissolving the table.", "解散投票。"),
    "seed-revealed": ("C2", "The hand is over, so its seed is told.", "本局结束, 公布种子。"),
    "table-closed": ("", "The match is over.", "比赛结束。"),
    "deal-begun": ("T1.1", "The level of the hand is that of the declaring side.", "本局级牌按庄家方级数。"),
    "cards-dealt": ("T2.1", "The next cards in the order of the shuffle.", "按洗牌次序发牌。"),
    "trump-declared": ("T2.2", "Trumps were declared.", "亮主。"),
    "declaration-declined": ("T2.1", "The seat declined to declare.", "不亮。"),
    "kitty-turned": ("T2.5", "Nobody declared, so the kitty made trumps.", "无人亮主, 翻底定主。"),
    "declarer-named": ("T1.5", "All have declined, so it is settled who declares.", "亮主结束, 定庄。"),
    "kitty-taken": ("T3.1", "Who buries takes the cards up first.", "拿底。"),
    "kitty-buried": ("T3.1", "The cards were buried.", "扣底。"),
    "kitty-countered": ("T3.3", "The counter makes trumps.", "反底定主。"),
    "counter-declined": ("T3.4", "The seat declined to counter.", "不反。"),
    "throw-failed": ("T5.4", "Somebody can beat a part of the throw.", "甩牌失败。"),
    "cards-played": ("T5.1", "The cards were played.", "出牌。"),
    "points-taken": (
        "T6.5",
        "All four have played; the highest matching play takes the trick.",
        "四家出完, 大者得分。",
    ),
    "hand-settled": ("T7.4", "The last card was played, so the hand is scored.", "出完最后一张, 本局计分。"),
    "level-raised": ("T7.4", "The result raises the level.", "按结果升级。"),
    "hand-escaped": ("T8", "A player left during the hand.", "有玩家逃跑。"),
}
"""Why an event happens, in general: clause and words by the type of the event."""


def span_of(version: int, events: int, command: Callable[[int], str]) -> tuple[int, int]:
    """The first and the last event of the command that made this event of a table; `command` gives the command's id of an event.

    Raises Unreadable when the table has not so many `events`.
    """
    if not 1 <= version <= events:
        raise Unreadable(f"event: there is no event {version}; the table has events 1 to {events}")
    wanted, first, last = command(version), version, version
    while first > 1 and command(first - 1) == wanted:
        first -= 1
    while last < events and command(last + 1) == wanted:
        last += 1
    return first, last


def situation_at(recorded: Sequence[Recorded], version: int, limit: int = LIMIT) -> Situation:
    """The situation of an event of a whole record. Raises Unreadable when there is no such event, ValueError for no record of a table."""
    first, last = span_of(version, len(recorded), lambda each: recorded[each - 1].command)
    before = replay(recorded[: first - 1]) if first > 1 else None
    return situation(before, recorded[first - 1 : last], version, limit, _revealed(recorded, version))


def _revealed(recorded: Sequence[Recorded], version: int) -> str | None:
    """The seed of the hand of this event, as far as a later one (or this) reveals it."""
    later = (each.event for each in recorded[version - 1 :])
    return next((event.seed for event in later if isinstance(event, SeedRevealed)), None)


def situation(
    before: Table | None, events: Sequence[Recorded], version: int, limit: int = LIMIT, seed: str | None = None
) -> Situation:
    """The situation in which one command was given that made these `events` (all of them) happen.

    `before` is the table before the first of them, `version` the event that is asked about, `limit` how many choices are listed, `seed`
    that of the hand, if it is revealed; without it what is left to chance is taken as recorded. Raises Unreadable when no command begins
    with such an event.
    """
    command = command_of(events)
    if command is None:
        raise Unreadable(
            f"event {events[0].table}:{events[0].version}: nobody can have asked for {events[0].event.TYPE}"
        )
    by_table, done = _done(command, events)
    hand = before.hand if before is not None and before.playing else None
    seat = getattr(done, "seat", None)
    broken = _broken(before, command, done, events, seed)
    holdings = hand.holdings if hand else (None, None, None, None)
    trick = _trick(hand) if hand else ()
    return Situation(
        table=events[0].table,
        version=version,
        first=events[0].version,
        last=events[-1].version,
        time=events[0].time,
        ruleset=f"{before.ruleset}@{before.ruleset_version}" if before else None,
        hand=hand.number if hand else 0,
        phase=_phase(hand),
        trick_number=hand.trick_number if hand else 0,
        waiting=hand.waiting if hand else (),
        act=_act(hand, done),
        by_table=by_table,
        player=before.players[seat] if before is not None and seat is not None else None,
        holding=holdings[seat] if seat is not None else None,
        holdings=holdings,
        trick=trick,
        to_beat=_to_beat(hand, trick),
        trumps=trumps.facts(hand) if isinstance(hand, trumps_hand.Hand) else None,
        choices=_choices(hand, seat, limit),
        legal=broken is None,
        reasons=() if broken else tuple(_reasons(hand, command, done, events)),
        broken=broken,
        events=tuple(map(_followed, events)),
    )


def _broken(
    before: Table | None, command: Command, done: Command, events: Sequence[Recorded], seed: str | None
) -> Broken | None:
    """The rule that the act breaks, or what the rules make of it where the record says otherwise; None when all is as it should be."""
    try:
        refused = refusal(before, command) or (refusal(before, done) if done is not command else None)
    except Unreadable as error:
        return Broken(rule="unreadable", clause="", en=f"{error}.", zh="命令无法理解。")
    if refused:
        return Broken(rule=refused.rule, clause=refused.clause, en=refused.en, zh=refused.zh)
    seed = next((each.event.seed for each in events if isinstance(each.event, SeedRevealed)), seed)
    try:
        chance = as_recorded(each.event for each in events) if seed is None else None
    except ValueError as error:
        return Broken(rule="differs", clause="C1", en=f"{error}.", zh="所发的牌不是两副牌。")
    given = Given(events[0].time, events[0].command, seed, chance)
    fault = decided_otherwise(before, events, command, given)
    if fault is None:
        return None
    return Broken(rule=fault.kind, clause=fault.clause, en=f"Event {fault.version}: {fault.en}", zh=fault.zh)


def _done(command: Command, events: Sequence[Recorded]) -> tuple[bool, Command]:
    """Whether the table acted by itself, and what was done: for a seat out of time, what the table did for it."""
    if isinstance(command, TimeOut):
        return True, (command_of(events[1:]) if len(events) > 1 else None) or command
    return isinstance(command, DealOn | CommitSeed), command


def _phase(hand: Hand | None) -> str:
    if hand is None:
        return "between"
    return hand.phase if isinstance(hand, trumps_hand.Hand) else "playing"


def _act(hand: Hand | None, done: Command) -> Act:
    if isinstance(done, HandCommand) and not (isinstance(done, Leave) and hand is None):
        if isinstance(hand, climbing_hand.Hand) and isinstance(done, Play | Pass | Leave):
            return climbing.act(hand, done)
        if isinstance(hand, trumps_hand.Hand) and not isinstance(done, Pass):
            return trumps.act(hand, done)
        return Act(do="play", seat=getattr(done, "seat", None), cards=getattr(done, "cards", ()))
    return Act(do=AT_TABLE.get(type(done), "pass"), seat=getattr(done, "seat", None))


def _trick(hand: Hand) -> tuple[TrickAct, ...]:
    if isinstance(hand, climbing_hand.Hand):
        return tuple(TrickAct(seat=p.seat, version=p.version, cards=p.cards, reading=p.reading) for p in hand.trick)
    return tuple(TrickAct(seat=p.seat, version=p.version, cards=p.cards, kind=p.kind) for p in hand.trick)


def _to_beat(hand: Hand | None, trick: Sequence[TrickAct]) -> TrickAct | None:
    """What had to be beaten (climbing) or followed (trumps)."""
    if isinstance(hand, climbing_hand.Hand):
        best = hand.best
        return next((each for each in trick if best is not None and each.version == best.version), None)
    return trick[0] if trick else None


def _choices(hand: Hand | None, seat: int | None, limit: int) -> Choices:
    if isinstance(hand, trumps_hand.Hand):
        return trumps.choices(hand, seat, limit)
    if hand is None or seat is None:
        return Choices(acts=(), total=0)
    return climbing.choices(hand, seat, limit)


def _reasons(hand: Hand | None, command: Command, done: Command, events: Sequence[Recorded]) -> Iterator[Reason]:
    if isinstance(command, TimeOut):
        yield _general(events[0].event)
    if isinstance(hand, climbing_hand.Hand) and isinstance(done, Play | Pass | Leave):
        yield from climbing.reasons(hand, done)
    elif isinstance(hand, trumps_hand.Hand) and isinstance(done, HandCommand) and not isinstance(done, Pass):
        yield from trumps.reasons(hand, done)
    elif done is command:
        yield _general(events[0].event)


def _general(event: Event) -> Reason:
    clause, en, zh = WHY.get(event.TYPE, ("", "", ""))
    return Reason(clause=clause, en=en, zh=zh)


def _followed(recorded: Recorded) -> Followed:
    clause, en, zh = WHY.get(recorded.event.TYPE, ("", "", ""))
    return Followed(version=recorded.version, type=recorded.event.TYPE, clause=clause, en=en, zh=zh)
