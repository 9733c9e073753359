"""Why something that happened at a table was allowed, and what else was (C3 to C5, T2, T3, T5, T6): for those who look at it later.

It asks the same tables and functions that allowed it then, so it cannot say anything else than they did.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final, assert_never

from domain.cards import counts_of, pick
from domain.climbing import hand as climbing
from domain.climbing.tables import tables_for
from domain.hands import Hand
from domain.trumps import hand as trumps
from domain.trumps.bidding import counters, declarations
from domain.trumps.options import follows, leads
from domain.trumps.throwing import must_read_lead
from schemas.events import Event, Passed, Played
from schemas.readings import Reading
from schemas.trumps import (
    CardsPlayed,
    CounterDeclined,
    DeclarationDeclined,
    KittyBuried,
    KittyCountered,
    ThrowFailed,
    TrumpDeclared,
)

MOST: Final = 1000
"""So many choices are counted at most; a follow in a trump game can have millions."""
Decision = (
    Played
    | Passed
    | CardsPlayed
    | ThrowFailed
    | TrumpDeclared
    | DeclarationDeclined
    | KittyBuried
    | KittyCountered
    | CounterDeclined
)
"""The events in which a seat chose something."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was allowed, in words, and the clause that says so."""

    clause: str
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that could have been done: cards, and what they count as where the game has readings."""

    cards: tuple[str, ...]
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What else a seat could have done. `total` counts all `choices` (no more than `MOST` if `capped`).

    `passing` says whether doing nothing was allowed, `free` in words what is allowed beside the choices: sets too many to list.
    """

    choices: tuple[Choice, ...]
    total: int
    capped: bool
    passing: bool
    free: Reason | None = None


def readings_of(hand: Hand, event: Decision) -> tuple[Reading, ...]:
    """Every reading of the cards that were played, strongest first (C3); empty where the game has none."""
    if isinstance(hand, climbing.Hand) and isinstance(event, Played):
        return tables_for(hand.ruleset).readings(counts_of(event.cards))
    return ()


def reasons(hand: Hand, event: Decision, before: Event | None = None) -> tuple[Reason, ...]:
    """Why this event was allowed; `hand` is the hand just before it, `before` the event before it.

    Says only what follows from cards that everybody has seen.
    """
    if isinstance(hand, climbing.Hand):
        return tuple(_of_climbing(hand, event))
    return (FORCED if isinstance(before, ThrowFailed) else _of_trumps(hand, event),)


def _of_climbing(hand: climbing.Hand, event: Decision) -> Iterable[Reason]:
    if not isinstance(event, Played):
        yield Reason("C5.1", "Who does not lead may always pass.", "非首家随时可以过。")
        return
    if hand.lead is None:
        yield Reason("C5.1", "The leader of a trick plays any pattern.", "首家可出任意牌型。")
    else:
        yield _beats(event.reading, hand.lead)
    found = readings_of(hand, event)
    if len(found) > 1:
        clause, en, zh = ("C3.7", "leading", "首出") if hand.lead is None else ("C3.6", "answering", "压牌")
        yield Reason(
            clause,
            f"The cards can be read in {len(found)} ways; {en}, the strongest that is allowed holds.",
            f"这手牌有 {len(found)} 种读法;{zh}时取其中可用的最强者。",
        )
    if event.reading.stands_for:
        yield Reason("C3.4", "Wildcards stand for the cards that the pattern needs.", "百搭代替牌型所缺的牌。")


def _beats(reading: Reading, lead: Reading) -> Reason:
    if not reading.is_bomb:
        if reading.pattern == "pair" and reading.rank in {"LJ", "BJ"}:
            return Reason("C4.2", "Pairs of jokers: big over little over 2.", "对王:大王大于小王,小王大于对2。")
        return Reason(
            "C4.1",
            "The same pattern with as many cards, and a higher rank.",
            "牌型、张数相同,点数更大。",
        )
    if not lead.is_bomb:
        return Reason("C4.1", "A bomb beats everything that is none.", "炸弹可压任何非炸弹牌型。")
    if reading.stars:
        return Reason(
            "C4.5",
            "Of bombs more stars win; of equal stars fewer cards; then the higher rank.",
            "炸弹比星级,星级相同张数少者大,再比点数。",
        )
    return Reason("C4.3", "Of bombs more cards win; of equal number the higher rank.", "炸弹比张数,相同再比点数。")


FORCED: Final = Reason("T5.4", "The throw failed; this part must be led.", "甩牌失败,必须出这一部分。")
"""Why what follows a failed throw is led."""
_TRUMPS: Final = {
    "single": Reason("T5.1", "A lead of one card.", "首出单张。"),
    "pair": Reason("T5.1", "A lead of two identical cards.", "首出对子:两张相同的牌。"),
    "tractor": Reason("T5.2", "A lead of consecutive pairs of one suit.", "首出拖拉机:同一花色的连对。"),
    "throw": Reason("T5.3", "A throw: no other player could beat any part of it.", "甩牌成立:每一部分都没有人能压。"),
    "follow": Reason(
        "T6.2", "As many cards of the led suit, in the best shape that was held.", "跟同花色,并尽手中牌型所能。"
    ),
    "trump": Reason("T6.4", "With none of the led suit trumps may be played.", "首出花色已无,可用主牌毙。"),
    "discard": Reason(
        "T6.4", "With too few of the led suit any other cards make up the number.", "首出花色不足,可垫任意牌。"
    ),
}


def _of_trumps(hand: trumps.Hand, event: Decision) -> Reason:
    match event:
        case CardsPlayed(kind=kind):
            return _TRUMPS[kind]
        case ThrowFailed():
            return Reason(
                "T5.3",
                "Any cards of one suit may be thrown; these parts could be beaten.",
                "同一花色可甩;其中有牌被压。",
            )
        case TrumpDeclared() if hand.in_force is None:
            return Reason("T2.2", "Level cards or a pair of jokers declare trumps.", "用级牌或一对王亮主。")
        case TrumpDeclared():
            return Reason("T2.3", "Stronger than the declaration that was in force.", "比已亮的主更强,反主。")
        case DeclarationDeclined():
            return Reason("T2.1", "Nobody has to declare.", "可以不亮。")
        case KittyBuried():
            return Reason("T3.1", "Any 8 cards may be buried.", "可扣任意 8 张。")
        case KittyCountered():
            return Reason("T3.2", "A stronger pair counters the burial.", "用更强的一对反底。")
        case CounterDeclined():
            return Reason("T3.4", "Nobody has to counter.", "可以不反。")
        case Played() | Passed():
            raise ValueError(f"{event.TYPE}: not in this game")
        case _:
            assert_never(event)


def alternatives(hand: Hand, event: Decision, most: int) -> Alternatives:
    """What the seat of this event could have done, its own choice among it; `hand` is the hand just before, `most` the choices listed.

    This depends on what the seat held.
    """
    if isinstance(hand, climbing.Hand):
        return _else_in_climbing(hand, most)
    found = tuple(islice(_else_in_trumps(hand, event), MOST + 1))
    return Alternatives(
        tuple(Choice(cards) for cards in found[:most]),
        min(len(found), MOST),
        len(found) > MOST,
        isinstance(event, TrumpDeclared | DeclarationDeclined | KittyCountered | CounterDeclined),
        _free(hand, event),
    )


def _else_in_climbing(hand: climbing.Hand, most: int) -> Alternatives:
    if hand.turn is None:
        raise ValueError("nobody was to move")
    holding = hand.holdings[hand.turn]
    found = tables_for(hand.ruleset).hints(counts_of(holding), hand.lead)
    listed = tuple(Choice(pick(holding, option.counts), option.reading) for option in found[:most])
    return Alternatives(listed, len(found), False, hand.best is not None)


def _else_in_trumps(hand: trumps.Hand, event: Decision) -> Iterable[tuple[str, ...]]:
    match event:
        case CardsPlayed(seat=seat) | ThrowFailed(seat=seat):
            if not hand.trick:
                return leads(hand.order, hand.holdings[seat])
            return follows(hand.order, must_read_lead(hand.order, hand.trick[0].cards), hand.holdings[seat])
        case TrumpDeclared(seat=seat) | DeclarationDeclined(seat=seat):
            open_to = declarations(hand.ruleset, hand.level, seat, hand.holdings[seat], hand.in_force)
            return tuple(each.cards for each in open_to)
        case KittyCountered(seat=seat) | CounterDeclined(seat=seat) if hand.in_force is not None:
            open_to = counters(hand.ruleset, hand.level, seat, hand.holdings[seat], hand.in_force)
            return tuple(each.cards for each in open_to)
        case _:
            return ()


def _free(hand: trumps.Hand, event: Decision) -> Reason | None:
    """What is allowed beside the choices that are listed, because it is too much to list."""
    match event:
        case KittyBuried():
            return Reason("T3.1", "Any 8 of the cards held.", "手中任意 8 张。")
        case CardsPlayed(seat=seat) | ThrowFailed(seat=seat) if not hand.trick:
            if hand.failed[seat] < hand.ruleset.failed_throws:
                return Reason("T5.3", "Any cards of one suit as a throw.", "同一花色任意几张,作甩牌。")
            return None
        case _:
            return None
