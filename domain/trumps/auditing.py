"""Why something was legal in a hand of the trump family, and what else was (T2, T3, T5, T6)."""

from collections.abc import Iterator
from itertools import islice

from domain.seats import SEATS
from domain.trumps.bidding import counters, declarations
from domain.trumps.filling import Filling, filling
from domain.trumps.following import SUIT_WORDS
from domain.trumps.hand import Hand
from domain.trumps.options import follows, leads
from domain.trumps.order import TRUMPS
from domain.trumps.parts import Lead, read_lead
from domain.trumps.throwing import judge, must_read_lead
from schemas.commands import Bury, Counter, DealOn, Declare, Decline, Leave, Play
from schemas.notation import format_cards
from schemas.situations import Act, Choices, Reason, Trumps

Done = DealOn | Declare | Decline | Bury | Counter | Play | Leave
MOST_COUNTED = 5_000
"""So many follows are counted; there may be very many more."""
KINDS = {"single": "单张", "pair": "对子", "tractor": "拖拉机", "throw": "甩牌"}


def facts(hand: Hand) -> Trumps:
    """What else matters: level, trumps, declarer, points, and the kitty once it was buried."""
    return Trumps(
        level=hand.level,
        trump=hand.trump,
        trump_known=hand.in_force is not None or hand.turned is not None,
        declarer=hand.declarer,
        attackers=hand.attackers,
        kitty=hand.bottom if hand.kitty is not None and hand.kitty.buried else None,
    )


def choices(hand: Hand, seat: int | None, limit: int) -> Choices:
    """What this seat may do; while cards are dealt and nobody in particular is to act, what any seat may declare."""
    if hand.phase == "dealing":
        seats = SEATS if seat is None else (seat,)
        acts = [act for each in seats for act in _declarations(hand, each)]
        return _listed(acts, limit, "Nobody has to declare; the deal goes on.", "也可以不亮, 继续发牌。")
    if seat is not None and seat not in hand.waiting and hand.phase == "declaring":
        return _listed(_declarations(hand, seat), limit)
    if seat is None or seat not in hand.waiting:
        return Choices(acts=(), total=0)
    match hand.phase:
        case "declaring":
            return _listed([Act(do="decline", seat=seat), *_declarations(hand, seat)], limit)
        case "countering":
            return _listed([Act(do="decline", seat=seat), *_counters(hand, seat)], limit)
        case "burying":
            number, held = hand.ruleset.kitty_cards, len(hand.holdings[seat])
            en = f"Any {number} of the {held} cards held may be buried."
            return Choices(acts=(), total=None, note_en=en, note_zh=f"手中{held}张任扣{number}张。")
        case _:
            return _follows(hand, seat, limit) if hand.trick else _leads(hand, seat, limit)


def _counters(hand: Hand, seat: int) -> list[Act]:
    if hand.in_force is None:
        return []
    open_to = counters(hand.ruleset, hand.level, seat, hand.holdings[seat], hand.in_force)
    return [Act(do="counter", seat=seat, cards=each.cards) for each in open_to]


def _listed(acts: list[Act], limit: int, note_en: str = "", note_zh: str = "") -> Choices:
    return Choices(acts=tuple(acts[:limit]), total=len(acts), note_en=note_en, note_zh=note_zh)


def _declarations(hand: Hand, seat: int) -> list[Act]:
    open_to = declarations(hand.ruleset, hand.level, seat, hand.holdings[seat], hand.in_force)
    return [Act(do="declare", seat=seat, cards=each.cards) for each in open_to]


def _leads(hand: Hand, seat: int, limit: int) -> Choices:
    plays = leads(hand.order, hand.holdings[seat])
    acts = [Act(do="play", seat=seat, cards=cards, kind=_kind(must_read_lead(hand.order, cards))) for cards in plays]
    if hand.failed[seat] >= hand.ruleset.failed_throws:
        return _listed(acts, limit, "No throws any more: so many of this hand failed.", "甩牌失败次数已满, 不能再甩。")
    return _listed(acts, limit, "Any cards of one suit may be thrown besides.", "此外同一花色的牌都可以甩。")


def _follows(hand: Hand, seat: int, limit: int) -> Choices:
    lead = must_read_lead(hand.order, hand.trick[0].cards)
    plays = list(islice(follows(hand.order, lead, hand.holdings[seat]), MOST_COUNTED + 1))
    acts = tuple(Act(do="play", seat=seat, cards=cards, kind=_follow_kind(hand, cards)) for cards in plays[:limit])
    if len(plays) <= MOST_COUNTED:
        return Choices(acts=acts, total=len(plays))
    return Choices(
        acts=acts, total=None, note_en=f"There are more than {MOST_COUNTED}.", note_zh=f"多于{MOST_COUNTED}种。"
    )


def act(hand: Hand, done: Done) -> Act:
    """What was done; a play with what it counts as, or None where it counts as nothing."""
    match done:
        case DealOn():
            return Act(do="deal_on")
        case Declare():
            return Act(do="declare", seat=done.seat, cards=done.cards)
        case Decline():
            return Act(do="decline", seat=done.seat)
        case Bury():
            return Act(do="bury", seat=done.seat, cards=done.cards)
        case Counter():
            return Act(do="counter", seat=done.seat, cards=done.cards)
        case Leave():
            return Act(do="leave", seat=done.seat)
        case Play():
            return Act(do="play", seat=done.seat, cards=done.cards, kind=_kind_of(hand, done.cards))


def _kind_of(hand: Hand, cards: tuple[str, ...]) -> str | None:
    if hand.phase != "playing" or not cards:
        return None
    if hand.trick:
        return _follow_kind(hand, cards)
    lead = read_lead(hand.order, cards)
    return _kind(lead) if lead else None


def _kind(lead: Lead) -> str:
    return "throw" if lead.is_throw else lead.parts[0].kind


def _follow_kind(hand: Hand, cards: tuple[str, ...]) -> str:
    suit, led = hand.order.common_suit(cards), hand.order.suit[hand.trick[0].cards[0]]
    if suit == led:
        return "follow"
    return "trump" if suit == TRUMPS else "discard"


def reasons(hand: Hand, done: Done) -> Iterator[Reason]:
    """Why an act is allowed that no rule refuses."""
    match done:
        case DealOn():
            yield Reason(clause="T2.1", en="The next cards are dealt one at a time.", zh="逐张发牌。")
        case Declare():
            yield from _reasons_to_declare(hand, done)
        case Decline() if hand.phase == "declaring":
            yield Reason(
                clause="T2.1", en="After the last card each seat declares or declines.", zh="发完牌后可亮可不亮。"
            )
        case Decline():
            yield Reason(
                clause="T3.4", en="A seat that is asked to counter may decline.", zh="轮到反底的座位可以不反。"
            )
        case Bury():
            number = hand.ruleset.kitty_cards
            yield Reason(
                clause="T3.1",
                en=f"Whoever took the kitty buries any {number} of the cards held.",
                zh=f"拿底的座位任扣{number}张。",
            )
        case Counter():
            yield _stronger(hand, done, "T3.2")
        case Leave():
            yield Reason(
                clause="T8", en="A player may leave at any time; it ends the hand.", zh="随时可以离开; 按逃跑计。"
            )
        case Play():
            yield from _reasons_to_follow(hand, done) if hand.trick else _reasons_to_lead(hand, done)


def _reasons_to_declare(hand: Hand, done: Declare) -> Iterator[Reason]:
    shown = format_cards(done.cards)
    yield Reason(
        clause="T2.2",
        en=f"{shown} declares trumps at level {hand.level}, and these cards were dealt already.",
        zh=f"打{hand.level}, {shown} 可以亮主, 且已发到手中。",
    )
    if hand.in_force is None:
        return
    if hand.in_force.seat == done.seat:
        yield Reason(clause="T2.4", en="It adds the twin to the seat's own single.", zh="补同一级牌自保。")
    else:
        yield _stronger(hand, done, "T2.3")


def _stronger(hand: Hand, done: Declare | Counter, clause: str) -> Reason:
    shown, force = format_cards(done.cards), format_cards(hand.in_force.cards) if hand.in_force else ""
    return Reason(
        clause=clause, en=f"{shown} is stronger than {force}, which was in force.", zh=f"{shown} 大于已亮的 {force}。"
    )


def _reasons_to_lead(hand: Hand, play: Play) -> Iterator[Reason]:
    lead = must_read_lead(hand.order, play.cards)
    kind, (en, zh) = _kind(lead), _suit(lead.suit)
    yield Reason(
        clause="T5.1", en=f"The leader leads any cards of one suit: a {kind} in {en}.", zh=f"首家出{zh}{KINDS[kind]}。"
    )
    if not lead.is_throw:
        return
    others = [hand.holdings[seat] for seat in SEATS if seat != play.seat]
    judged = judge(hand.ruleset, hand.order, lead, others)
    if judged.holds:
        holds = "The throw holds: no other player holds anything in this suit that beats one of its parts."
        yield Reason(clause="T5.3", en=holds, zh="甩牌成立: 其他人都压不住其中任何一部分。")
        return
    parts, led = "; ".join(format_cards(part.cards) for part in judged.beatable), format_cards(judged.lead)
    yield Reason(
        clause="T5.4",
        en=f"The throw fails: {parts} can be beaten, so {led} must be led, the lowest of what can.",
        zh=f"甩牌失败: {parts} 可被压住, 须出其中最小的 {led}。",
    )


def _suit(suit: str) -> tuple[str, str]:
    """A suit in English and Chinese."""
    zh, _, en = SUIT_WORDS[suit].partition(" ")
    return en, zh


def _number(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _reasons_to_follow(hand: Hand, play: Play) -> Iterator[Reason]:
    lead = must_read_lead(hand.order, hand.trick[0].cards)
    held, size = len(hand.order.of_suit(lead.suit, hand.holdings[play.seat])), lead.shape.size
    en, zh = _suit(lead.suit)
    if not held:
        yield _reason_without(hand, play, lead)
    elif held <= size:
        yield Reason(
            clause="T6.1",
            en=f"{_number(size)} of {en} led; all {held} held were played, and any others.",
            zh=f"首家出{size}张{zh}; 手中{held}张已全部跟出, 其余任意。",
        )
    else:
        yield Reason(
            clause="T6.1",
            en=f"{_number(size)} of {en} led, and as many of {en} played out of {held} held.",
            zh=f"首家出{size}张{zh}, 跟{size}张{zh} (手中{held}张)。",
        )
        if lead.shape.tractors or lead.shape.pairs:
            yield _reason_of_shape(
                filling(hand.order, lead.shape, hand.order.of_suit(lead.suit, hand.holdings[play.seat]))
            )


def _reason_without(hand: Hand, play: Play, lead: Lead) -> Reason:
    how = {
        "trump": ("trumps, which take the lead if they match its shape", "以主牌毙牌 (牌型相符方可)"),
        "discard": ("a discard, which cannot win", "垫牌, 不能赢"),
    }
    what_en, what_zh = how.get(_follow_kind(hand, play.cards), ("any cards", "任意牌"))
    (en, zh), size = _suit(lead.suit), lead.shape.size
    return Reason(
        clause="T6.4",
        en=f"No {en} held, so any {_number(size)} may be played: {what_en}.",
        zh=f"手中没有{zh}, 可出任意{size}张: {what_zh}。",
    )


def _reason_of_shape(best: Filling) -> Reason:
    tractors = "+".join(str(length) for lengths in best.tractors for length in lengths)
    parts_en = [f"tractors of {tractors} pairs"] * bool(tractors) + [f"{best.pairs} pairs"] * bool(best.pairs)
    parts_zh = [f"{tractors}对拖拉机"] * bool(tractors) + [f"{best.pairs}个对子"] * bool(best.pairs)
    if not parts_en:
        return Reason(
            clause="T6.2", en="No pair of the suit is held, so any cards of it do.", zh="手中无该花色对子, 任意跟即可。"
        )
    return Reason(
        clause="T6.2",
        en=f"It fills the led shape as well as this holding can: {' and '.join(parts_en)}.",
        zh=f"已按手牌尽量跟齐牌型: {', '.join(parts_zh)}。",
    )
