"""Leading, and judging a throw (甩牌): does it hold, and if not, what must be led instead (T5.3 to T5.6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.refusal import Refusal
from domain.trumps.following import not_in_hand
from domain.trumps.order import Order
from domain.trumps.parts import Lead, Part, paired, read_lead, runs_of
from domain.trumps.ruleset import TrumpsRuleset
from schemas.notation import ORDER, Unreadable


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of a lead. `beatable` are the parts that somebody could beat; `lead` the cards that are led in the end."""

    holds: bool
    lead: tuple[str, ...]
    beatable: tuple[Part, ...]


def refusal_to_lead(
    ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], cards: Sequence[str], failed: int
) -> Refusal | None:
    """Why these cards may not be led, or None when they may. `failed` is how many throws of this player failed in this hand (T5.6)."""
    if not cards:
        return Refusal("no_cards", "T5.1", "A lead needs at least one card.", "首出至少一张牌。")
    if lacking := not_in_hand(holding, cards, "T5.1"):
        return lacking
    lead = read_lead(order, cards)
    if lead is None:
        return Refusal(
            "mixed_suits",
            "T5.1",
            "All cards of a lead must be of one suit; all trumps are one suit.",
            "首出必须同一花色, 主牌同为一门。",
        )
    if lead.is_throw and failed >= ruleset.failed_throws:
        return Refusal(
            "throw_limit",
            "T5.6",
            f"{failed} throws failed in this hand; lead a single, a pair or a tractor.",
            f"本局甩牌已失败{failed}次, 只能出单张、对子或拖拉机。",
        )
    return None


def judge(ruleset: TrumpsRuleset, order: Order, lead: Lead, others: Iterable[Sequence[str]]) -> Judgement:
    """Whether a lead holds against what the other players hold (T5.3); a lead of one part always does.

    A failed throw leaves the beatable part of lowest rank; of equal rank the one of fewest cards, then first in notation order (T5.4).
    """
    if not lead.is_throw:
        return Judgement(True, lead.cards, ())
    held = [order.of_suit(lead.suit, holding) for holding in others]
    beatable = tuple(part for part in lead.parts if any(beats(order, cards, part) for cards in held))
    if not beatable:
        return Judgement(True, lead.cards, ())
    sign = 1 if ruleset.forced_lead_tie == "fewest_cards" else -1
    forced = min(beatable, key=lambda part: (part.top, sign * len(part.cards), ORDER[part.cards[0]]))
    return Judgement(False, forced.cards, beatable)


def beats(order: Order, held: Sequence[str], part: Part) -> bool:
    """Whether the cards of this suit that one player holds can beat a part: with a higher one of its kind, a tractor at least as long."""
    if part.kind == "single":
        return any(order.strength[card] > part.top for card in held)
    pairs = paired(held)
    if part.kind == "pair":
        return any(order.strength[card] > part.top for card in pairs)
    return any(run.length >= part.pairs and run.top > part.top for run in runs_of(order, pairs))


def must_read_lead(order: Order, cards: Sequence[str]) -> Lead:
    """The lead that these cards make. Raises Unreadable when they are no lead at all."""
    lead = read_lead(order, cards)
    if lead is None:
        raise Unreadable("cards: a lead is one or more cards of one suit")
    return lead
