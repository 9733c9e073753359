"""Burying the kitty (扣底) and counter-burying (反底): who does what next, and when it ends (T3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.refusal import Refusal
from domain.seats import next_seat
from domain.trumps.bidding import Declaration
from domain.trumps.following import not_in_hand
from domain.trumps.ruleset import TrumpsRuleset


@dataclass(frozen=True, slots=True)
class Kitty:
    """The kitty between deal and first trick.

    `burier` took it last; `buried` says whether they have buried again. `in_force` is the declaration or counter that made trumps, None
    when nobody declared. `declined` are the seats that declined to counter since the last burial.
    """

    burier: int
    in_force: Declaration | None
    buried: bool = False
    declined: tuple[int, ...] = ()


def take_up(declarer: int, in_force: Declaration | None) -> Kitty:
    """The declarer has taken the kitty and must bury (T3.1)."""
    return Kitty(declarer, in_force)


def asked(ruleset: TrumpsRuleset, kitty: Kitty) -> int | None:
    """The seat that is asked to counter or decline now; None while somebody must bury, and when countering is over (T3.2, T3.4).

    In turn from the seat after the burier; whoever made what is in force is passed over, since nobody counters their own (T3.6).
    """
    if not kitty.buried or is_final(ruleset, kitty.in_force):
        return None
    seat = next_seat(kitty.burier)
    while seat != kitty.burier:
        if seat not in kitty.declined and (kitty.in_force is None or seat != kitty.in_force.seat):
            return seat
        seat = next_seat(seat)
    return None


def is_final(ruleset: TrumpsRuleset, in_force: Declaration | None) -> bool:
    """Whether nothing can counter any more: nobody had declared (T3.2), or no trump is in force (T3.5)."""
    return in_force is None or (in_force.trump is None and ruleset.no_trump_is_final)


def is_over(ruleset: TrumpsRuleset, kitty: Kitty) -> bool:
    """Whether the kitty lies and the declarer may lead (T3.4, T3.8)."""
    return kitty.buried and asked(ruleset, kitty) is None


def bury(kitty: Kitty) -> Kitty:
    """The burier has buried; everybody else is asked anew (T3.4)."""
    return replace(kitty, buried=True, declined=())


def decline(kitty: Kitty, seat: int) -> Kitty:
    """The seat that was asked declined."""
    return replace(kitty, declined=(*kitty.declined, seat))


def counter(kitty: Kitty, declared: Declaration) -> Kitty:
    """The seat that was asked countered: its cards make trumps, it has taken the buried cards and must bury (T3.3)."""
    return replace(kitty, burier=declared.seat, in_force=declared, buried=False, declined=())


def refusal_to_bury(ruleset: TrumpsRuleset, holding: Sequence[str], cards: Sequence[str]) -> Refusal | None:
    """Why these cards may not be buried out of this holding, which includes the kitty, or None when they may (T3.1)."""
    if lacking := not_in_hand(holding, cards, "T3.1"):
        return lacking
    if len(cards) != ruleset.kitty_cards:
        return Refusal(
            "wrong_number",
            "T3.1",
            f"Bury exactly {ruleset.kitty_cards} cards, not {len(cards)}.",
            f"须扣{ruleset.kitty_cards}张, 不是{len(cards)}张。",
        )
    return None
