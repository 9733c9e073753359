"""How a hand of the climbing family begins: the shuffle, who leads, and who changes seats (C2)."""

from collections.abc import Iterator
from dataclasses import dataclass

from domain.climbing.ruleset import Ruleset
from domain.seats import SEATS, partner_of
from domain.shuffle import commitment, drawer, shuffled_pack
from schemas.events import Dealt, Event, FaceUp, HandStarted, Players, SeatsSwapped
from schemas.notation import ORDER, PACK

Holding = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """What a hand is dealt from: its place, its seed, who sits where, and who leads if the previous hand decides that."""

    table: str
    number: int
    seed: str
    players: Players
    previous_first: int | None


def start(ruleset: Ruleset, deal: Deal) -> Iterator[Event]:
    """Commit to the seed, deal, find the leader and let players change seats if the face-up card says so (C2)."""
    yield HandStarted(
        hand=deal.number,
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        commitment=commitment(deal.seed, deal.table, deal.number),
        players=deal.players,
    )
    pack = shuffled_pack(deal.seed, deal.table, deal.number)
    holdings = tuple(tuple(sorted(pack[seat::4], key=ORDER.__getitem__)) for seat in SEATS)
    dealt = _find_leader(ruleset, deal, pack, holdings)
    yield dealt
    swap = swap_for(deal.number, deal.players, dealt)
    if swap:
        yield swap


def _find_leader(ruleset: Ruleset, deal: Deal, pack: tuple[str, ...], holdings: tuple[Holding, ...]) -> Dealt:
    draw = drawer(deal.seed, deal.table, deal.number, "leader")
    if ruleset.face_up_card:
        position = draw(len(pack))
        seat = position % 4
        face_up = FaceUp(position=position, card=pack[position], seat=seat)
        return Dealt(hand=deal.number, holdings=holdings, leader=seat, leader_by="face_up", face_up=face_up)
    if deal.previous_first is not None:
        return Dealt(
            hand=deal.number, holdings=holdings, leader=deal.previous_first, leader_by="previous", face_up=None
        )
    return Dealt(hand=deal.number, holdings=holdings, leader=draw(4), leader_by="drawn", face_up=None)


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


def as_dealt(ruleset: Ruleset, deal: Deal, started: HandStarted, dealt: Dealt) -> tuple[Event, ...]:
    """What `start` would have recorded, if the cards were dealt like this and the seed, which is not known yet, is committed to like that.

    `deal.seed` is not used. All but the commitment, the cards, and what is drawn (the leader or the face-up card) follows from the deal.
    """
    a, b, c, d = (tuple(sorted(holding, key=lambda card: ORDER.get(card, -1))) for holding in dealt.holdings)
    face_up = dealt.face_up if ruleset.face_up_card else None
    leader, leader_by = dealt.leader, "drawn"
    if ruleset.face_up_card:
        position = face_up.position if face_up else 0
        card = face_up.card if face_up and face_up.card in dealt.holdings[position % 4] else ""
        face_up = FaceUp(position=position % len(PACK), card=card, seat=position % 4)
        leader, leader_by = position % 4, "face_up"
    elif deal.previous_first is not None:
        leader, leader_by = deal.previous_first, "previous"
    again = Dealt.model_validate(
        {"hand": deal.number, "holdings": (a, b, c, d), "leader": leader, "leader_by": leader_by, "face_up": face_up}
    )
    begun = HandStarted(
        hand=deal.number,
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        commitment=started.commitment,
        players=deal.players,
    )
    swap = swap_for(deal.number, deal.players, again)
    return (begun, again, swap) if swap else (begun, again)
