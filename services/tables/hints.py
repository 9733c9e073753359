"""What a seat could do now, best first, as answers to people and programs: the options of both families.

A hint never depends on cards that its seat does not see.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from domain.cards import counts_of, pick
from domain.climbing import hand as climbing
from domain.climbing.tables import tables_for
from domain.hands import Hand
from domain.trumps import bots
from domain.trumps import hand as trumps
from domain.trumps.bidding import Declaration, counters, declarations
from domain.trumps.order import TRUMPS, order_of, points_in
from domain.trumps.players import Sight, sight_of
from domain.trumps.throwing import beats, must_read_lead
from domain.trumps.trick import winner
from schemas.notation import PACK
from schemas.trumps import Cards

SUITS = {"S": ("spades", "黑桃"), "H": ("hearts", "红桃"), "C": ("clubs", "梅花"), "D": ("diamonds", "方块")}
Option = dict[str, Any]


def hints(hand: Hand | None, seat: int, limit: int) -> Option:
    """The options of a seat, at most `limit`, and how many there are: none when it is another's turn.

    `may_pass` and `may_decline` tell whether it may do nothing instead. Each option has `cards`; in the climbing family the `reading` that
    holds, in trump games what is done (`action`), of what `kind` it is, and a word on it in both languages.
    """
    found: Option = {"may_pass": False, "may_decline": False, "total": 0, "options": []}
    if hand is None or hand.over:
        return found
    if isinstance(hand, climbing.Hand):
        return found | (_climbing(hand, seat, limit) if seat == hand.turn else {})
    options = _trumps(hand, seat)
    declines = seat in hand.waiting and hand.phase in {"declaring", "countering"}
    return found | {"may_decline": declines, "total": len(options), "options": options[:limit]}


def _climbing(hand: climbing.Hand, seat: int, limit: int) -> Option:
    holding = hand.holdings[seat]
    found = tables_for(hand.ruleset).hints(counts_of(holding), hand.lead)
    return {
        "may_pass": hand.best is not None,
        "total": len(found),
        "options": [{"cards": pick(holding, option.counts), "reading": option.reading} for option in found[:limit]],
    }


def _trumps(hand: trumps.Hand, seat: int) -> list[Option]:
    if hand.phase not in {"dealing", "declaring"} and seat not in hand.waiting:
        return []  # to declare, nobody has to wait to be asked (T2.1)
    sight = sight_of(hand, seat)
    ruleset, level, holding, force = sight.ruleset, sight.level, sight.holding, sight.in_force
    phase = hand.phase
    match phase:
        case "dealing" | "declaring":
            return _declarations("declare", sight, declarations(ruleset, level, seat, holding, force))
        case "burying":
            return [_burial(sight, bots.bury(ruleset, sight.order, holding))]
        case "countering":
            return _declarations("counter", sight, counters(ruleset, level, seat, holding, force) if force else ())
        case "playing" if sight.plays:
            return [_follow(sight, cards) for cards in bots.follow_hints(sight.order, sight.plays, holding)]
        case "playing":
            return list(_leads(sight))
        case "over":
            return []
        case _:
            assert_never(phase)


def _declarations(action: str, sight: Sight, open_to: Sequence[Declaration]) -> list[Option]:
    """Declarations or counters, those first that make most of the holding trumps."""
    weighed = sorted(open_to, key=lambda made: (-_trumps_with(sight, made), made.strength))
    return [_declaration(action, sight, made) for made in weighed]


def _trumps_with(sight: Sight, made: Declaration) -> int:
    return len(order_of(sight.level, made.trump).of_suit(TRUMPS, sight.holding))


def _declaration(action: str, sight: Sight, made: Declaration) -> Option:
    en, zh = SUITS[made.trump] if made.trump else ("no trump", "无主")
    number = _trumps_with(sight, made)
    return {
        "action": action,
        "cards": made.cards,
        "kind": "pair" if len(made.cards) == 2 else "single",
        "trump": made.trump,
        "strength": made.strength,
        "en": f"{en}: {number} trumps in this holding",
        "zh": f"{zh}: 手中主牌{number}张",
    }


def _burial(sight: Sight, cards: Cards) -> Option:
    points = points_in(cards)
    suits = Counter(sight.order.suit[card] for card in sight.holding)
    emptied = [suit for suit in SUITS if suits[suit] and suits[suit] == len(sight.order.of_suit(suit, cards))]
    en = "".join(f", no {SUITS[suit][0]} left" for suit in emptied)
    zh = "".join(f", {SUITS[suit][1]}绝门" for suit in emptied)
    return {
        "action": "bury",
        "cards": cards,
        "kind": "bury",
        "points": points,
        "en": f"low cards of short suits, {points} points{en}",
        "zh": f"短门小牌, 含{points}分{zh}",
    }


def _leads(sight: Sight) -> Iterator[Option]:
    order = sight.order
    unseen = tuple((Counter(PACK) - Counter(sight.holding) - Counter(sight.gone)).elements())
    for cards in bots.lead_hints(sight.ruleset, order, sight.holding, sight.gone, sight.failed):
        lead = must_read_lead(order, cards)
        kind = "throw" if lead.is_throw else lead.parts[0].kind
        en, zh = SUITS[lead.suit] if lead.suit != TRUMPS else ("trumps", "主牌")
        against = order.of_suit(lead.suit, unseen)
        safe = not any(beats(order, against, part) for part in lead.parts)
        yield {
            "action": "play",
            "cards": cards,
            "kind": kind,
            "parts": tuple(part.cards for part in lead.parts),
            "points": points_in(cards),
            "safe": safe,
            "en": f"{kind} of {en}" + (", no unseen card of the suit beats it" if safe else ""),
            "zh": f"{zh}{KINDS[kind]}" + (", 同门未见牌大不过" if safe else ""),
        }


KINDS = {"single": "单张", "pair": "对子", "tractor": "拖拉机", "throw": "甩牌"}


def _follow(sight: Sight, cards: Cards) -> Option:
    order, plays = sight.order, sight.plays
    led, suit = order.suit[plays[0][0]], order.common_suit(cards)
    wins = winner(order, (*plays, cards)) == len(plays)
    if suit == led:
        kind, en, zh = "follow", "follows suit", "跟牌"
    elif suit == TRUMPS:
        kind, en, zh = "trump", "trumps", "将吃"
    else:
        kind, en, zh = "discard", "throws away", "垫牌"
    points = points_in(cards)
    return {
        "action": "play",
        "cards": cards,
        "kind": kind,
        "points": points,
        "wins": wins,
        "en": en + (f" with {points} points" if points else "") + (", wins so far" if wins else ""),
        "zh": zh + (f", 带{points}分" if points else "") + (", 暂大" if wins else ""),
    }
