"""How a hand of the climbing family begins: who is dealt what, who leads, and who changes seats (C2)."""

from collections.abc import Iterator

from domain.chance import Chance
from domain.climbing.ruleset import Ruleset
from domain.seats import SEATS, partner_of
from schemas.events import Dealt, Event, FaceUp, HandStarted, Players, SeatsSwapped
from schemas.notation import ORDER

Holding = tuple[str, ...]


def deal(ruleset: Ruleset, started: HandStarted, previous_first: int | None, chance: Chance) -> Iterator[Event]:
    """Deal, find the leader and let players change seats if the face-up card says so (C2).

    `previous_first` is who leads where the hand before decides that, None where chance does.
    """
    holdings = tuple(tuple(sorted(chance.pack[seat::4], key=lambda card: ORDER.get(card, -1))) for seat in SEATS)
    dealt = _find_leader(ruleset, started.hand, previous_first, chance, holdings)
    yield dealt
    swap = swap_for(started.hand, started.players, dealt)
    if swap:
        yield swap


def _find_leader(
    ruleset: Ruleset, hand: int, previous_first: int | None, chance: Chance, holdings: tuple[Holding, ...]
) -> Dealt:
    if ruleset.face_up_card:
        position = chance.draw("leader", len(chance.pack))
        seat = position % 4
        face_up = FaceUp(position=position, card=chance.pack[position], seat=seat)
        return Dealt(hand=hand, holdings=holdings, leader=seat, leader_by="face_up", face_up=face_up)
    if previous_first is not None:
        return Dealt(hand=hand, holdings=holdings, leader=previous_first, leader_by="previous", face_up=None)
    return Dealt(hand=hand, holdings=holdings, leader=chance.draw("leader", 4), leader_by="drawn", face_up=None)


def swap_for(number: int, players: Players, dealt: Dealt) -> SeatsSwapped | None:
    """The change of seats that a deal makes, if any: whoever holds the second face-up card sits opposite the leader (C2)."""
    if dealt.face_up is None:
        return None
    opposite = partner_of(dealt.leader)
    others = (seat for seat in SEATS if seat != dealt.leader and dealt.face_up.card in dealt.holdings[seat])
    partner = next(others, opposite)
    if partner == opposite:
        return None
    seated = list(players)
    seated[partner], seated[opposite] = seated[opposite], seated[partner]
    return SeatsSwapped(hand=number, seats=(partner, opposite), players=(seated[0], seated[1], seated[2], seated[3]))
