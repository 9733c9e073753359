"""What a hand leaves to chance, and where it comes from: the seed, or, while that is not revealed yet, the record itself."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from domain.seats import SEATS
from domain.shuffle import commitment, drawer, salted, shuffled_pack
from schemas.events import Dealt, Event, HandStarted, SeedCommitted
from schemas.notation import PACK
from schemas.trumps import CardsDealt, DeclarerNamed, KittyTaken, KittyTurned

Salts = tuple[tuple[int, str], ...]
"""What players added to the chance of a hand: seat and text, by seat."""
HOLDINGS_OF_TRUMPS: Final = 100
"""Cards dealt before the kitty where there is one (T2.1)."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance of one hand. `pack` are the cards in the order in which they are dealt, a kitty last.

    `draw` gives the number below n that was drawn for a purpose.
    """

    commitment: str
    pack: tuple[str, ...]
    draw: Callable[[str, int], int]


@lru_cache(maxsize=256)
def seeded(seed: str, table: str, hand: int, salts: Salts = ()) -> Chance:
    """The chance that a seed and what players added to it make. Remembered, since a stepwise deal asks for it again and again."""
    mixed = salted(seed, table, hand, salts)

    def draw(purpose: str, n: int) -> int:
        return drawer(mixed, table, hand, purpose)(n)

    return Chance(commitment(seed, table, hand), shuffled_pack(mixed, table, hand), draw)


def as_recorded(events: Iterable[Event]) -> Chance:
    """The chance of a hand as far as its events tell it: what is not known is an empty card, and what was drawn is what happened.

    Deciding with it makes the very events that happened if everything beside chance was done by the rules. Raises ValueError when these
    cannot be cards of two packs.
    """
    promise, drawn = "", 0
    pack = [""] * len(PACK)
    for event in events:
        match event:
            case HandStarted() | SeedCommitted():
                promise = event.commitment
            case Dealt():
                drawn = event.leader if event.face_up is None else event.face_up.position
                pack = _pack_of(event)
            case CardsDealt(first=first, cards=cards):
                pack[first : first + len(cards)] = cards
            case KittyTurned(cards=cards):
                pack[HOLDINGS_OF_TRUMPS : HOLDINGS_OF_TRUMPS + len(cards)] = cards
            case KittyTaken(cards=cards) if "" in pack:
                pack[HOLDINGS_OF_TRUMPS:] = cards
            case DeclarerNamed(seat=seat):
                drawn = seat
            case _:
                pass
    known = [card for card in pack if card]
    if len(pack) != len(PACK) or any(known.count(card) > PACK.count(card) for card in set(known)):
        raise ValueError("the cards dealt are not those of two packs, each once")
    return Chance(promise, tuple(pack), lambda _, n: drawn % n)


def _pack_of(dealt: Dealt) -> list[str]:
    """A pack that is dealt into these holdings, with the face-up card at its place."""
    pack = [""] * len(PACK)
    for seat in SEATS:
        holding = list(dealt.holdings[seat])
        if len(holding) != len(PACK) // 4:
            raise ValueError("the deal is not 27 cards each")
        face_up = dealt.face_up
        if face_up is not None and face_up.position % 4 == seat and face_up.card in holding:
            holding.remove(face_up.card)
            holding.insert(face_up.position // 4, face_up.card)
        pack[seat::4] = holding
    return pack
