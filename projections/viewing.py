"""What a viewer may see. This is the only place that hides cards: state, stream, log and first snapshot all come from here.

While a hand is played a seat sees its own cards, its partner's too where partners play openly or the table shows them to who is out, and
nobody else's; a spectator sees none; an auditor sees all, and so does a spectator who looks late. Of the kitty its last burier sees what
lies there. When the hand is over the seed is revealed, and with it every card. Nothing that depends on hidden cards is let out by another
way either: hashes and ids of commands are left away, since the first depend on the deal and the second on others' secrets.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any

from domain.climbing import hand as climbing
from domain.climbing.bombs import accumulate, counting_factors
from domain.climbing.dealing import swap_for
from domain.climbing.hand import TrickPlay
from domain.hands import Hand, get_ruleset
from domain.seats import SEATS, partner_of, side_of
from domain.table import Table
from domain.trumps import hand as trumps
from domain.trumps.trick import winner
from schemas.envelope import Recorded
from schemas.events import Dealt, type_name
from schemas.notation import RANKS, rank_of
from schemas.trumps import CardsDealt, KittyBuried, KittyTaken
from schemas.views import (
    BombView,
    ClockView,
    DeclarationView,
    EventView,
    HandView,
    SeatView,
    TrickPlayView,
    TrumpsHandView,
    TrumpsPlayView,
    View,
    Viewer,
)

ALL_SEEING = ("auditor", "delayed")
"""Viewers who see every card: the second only what happened a while ago, which is for whoever picks the events to see to."""


def sees(viewer: Viewer, seat: int, *, over: bool, open_to: Sequence[int] = ()) -> bool:
    """Whether the viewer may see the cards of a seat, in a hand that is over or not. Seats in `open_to` see their partners' cards."""
    if viewer in ALL_SEEING or over:
        return True
    if viewer == "spectator":
        return False
    own = int(viewer)
    return seat == own or (own in open_to and seat == partner_of(own))


def hide(view: View, viewer: Viewer) -> View:
    """An auditor's view with everything taken out that this viewer may not see."""
    hand = view.hand
    over, open_to = hand is None or hand.result is not None, _open_to(view)
    a, b, c, d = (
        each if sees(viewer, each.seat, over=over, open_to=open_to) else each.model_copy(update={"holding": None})
        for each in view.seats
    )
    if isinstance(hand, TrumpsHandView) and not over and viewer not in ALL_SEEING and viewer != str(hand.burier):
        hand = hand.model_copy(update={"kitty": None})
    return view.model_copy(update={"viewer": viewer, "seats": (a, b, c, d), "hand": hand})


def _open_to(view: View) -> tuple[int, ...]:
    """The seats that see their partner's cards."""
    if isinstance(view.hand, HandView) and view.hand.open_partner_hands:
        return SEATS
    return tuple(each.seat for each in view.seats if view.partner_after_out and each.finish is not None)


def view_for(table: Table, viewer: Viewer) -> View:
    """The table as the viewer sees it."""
    return hide(full_view(table), viewer)


def full_view(table: Table) -> View:
    """The table as an auditor sees it, with all cards."""
    ruleset, options = get_ruleset(table.ruleset, table.ruleset_version), table.options
    seconds, standing = options.turn_seconds, table.standing
    a, b, c, d = (_seat(table, seat) for seat in SEATS)
    return View(
        table=table.id,
        version=table.version,
        viewer="auditor",
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        title_en=ruleset.title_en,
        title_zh=ruleset.title_zh,
        hands=options.hands,
        coins=options.coins.model_dump() if options.coins else None,
        seats=(a, b, c, d),
        scores=dict(table.scores),
        hand=_hand(table.hand, table.seed) if table.hand else None,
        closed=table.closed,
        family=table.family,
        levels=standing.levels if standing else None,
        declarer=standing.declarer if standing else None,
        clock=ClockView(seconds=seconds, since=table.turned) if seconds and table.waiting else None,
        partner_after_out=options.partner_after_out,
        delayed=options.delayed,
        commitment=table.commitment,
        salts=dict(table.salts) if options.salts else None,
    )


def event_for(table: Table, recorded: Recorded, viewer: Viewer) -> EventView:
    """An event as the viewer sees it; `table` is the table just after it."""
    event = recorded.event
    data = event.model_dump()
    match event:
        case Dealt():
            open_to = SEATS if isinstance(table.hand, climbing.Hand) and _open_partners(table.hand) else ()
            data["holdings"] = [
                cards if sees(viewer, seat, over=False, open_to=open_to) else None
                for seat, cards in enumerate(event.holdings)
            ]
        case CardsDealt():
            data["cards"] = [
                card if sees(viewer, position % 4, over=False) else None
                for position, card in enumerate(event.cards, event.first)
            ]
        case KittyTaken() | KittyBuried():
            data["cards"] = event.cards if sees(viewer, event.seat, over=False) else None
        case _:
            pass
    return {
        "table": recorded.table,
        "version": recorded.version,
        "type": type_name(type(event)),
        "time": recorded.time,
        "data": data,
    }


def _seat(table: Table, seat: int) -> SeatView:
    hand, player = table.hand, table.players[seat]
    holding = hand.holdings[seat] if hand else ()
    return SeatView(
        seat=seat,
        player=player,
        cards=len(holding),
        holding=holding,
        **_of_climbing(hand, seat),
        score=table.scores.get(player, 0) if player else 0,
        away=table.is_away(seat) and player is not None,
        vote=player is not None and player in table.votes,
    )


def _of_climbing(hand: Hand | None, seat: int) -> dict[str, Any]:
    """What only the climbing family has: a finish position and contributions."""
    if not isinstance(hand, climbing.Hand):
        return {"finish": None, "contribution": 0}
    return {
        "finish": hand.finish.index(seat) + 1 if seat in hand.finish else None,
        "contribution": hand.contribution[seat],
    }


def _hand(hand: Hand, seed: str | None) -> HandView | TrumpsHandView:
    return _climbing(hand, seed) if isinstance(hand, climbing.Hand) else _trumps(hand, seed)


def _trumps(hand: trumps.Hand, seed: str | None) -> TrumpsHandView:
    force, kitty = hand.in_force, hand.kitty
    plays = [play.cards for play in hand.trick]
    return TrumpsHandView(
        number=hand.number,
        ruleset=hand.ruleset.id,
        ruleset_version=hand.ruleset.version,
        commitment=hand.commitment,
        seed=seed,
        phase=hand.phase,
        turn=hand.turn,
        waiting=hand.waiting,
        level=hand.level,
        levels=hand.levels,
        declarer=hand.declarer,
        trump=hand.trump,
        trump_known=force is not None or hand.turned is not None,
        declared=DeclarationView(seat=force.seat, cards=force.cards, trump=force.trump) if force else None,
        turned=hand.turned,
        dealt=hand.dealt,
        burier=kitty.burier if kitty else None,
        kitty=hand.bottom if kitty and kitty.buried else None,
        trick=hand.trick_number,
        leader=hand.trick[0].seat if hand.trick else hand.next,
        plays=tuple(
            TrumpsPlayView(seat=play.seat, version=play.version, cards=play.cards, kind=play.kind)
            for play in hand.trick
        ),
        winning=winner(hand.order, plays) if plays else None,
        attackers=hand.attackers,
        failed=hand.failed,
        gone=dict(sorted(Counter((*hand.gone, *(card for cards in plays for card in cards))).items())),
        result=hand.settled or hand.escaped or hand.voided,
    )


def _climbing(hand: climbing.Hand, seed: str | None) -> HandView:
    dealt = hand.dealt
    return HandView(
        number=hand.number,
        ruleset=hand.ruleset.id,
        ruleset_version=hand.ruleset.version,
        open_partner_hands=_open_partners(hand),
        commitment=hand.commitment,
        seed=seed,
        turn=hand.turn,
        leader=dealt.leader if dealt else None,
        leader_by=dealt.leader_by if dealt else None,
        face_up=dealt.face_up if dealt else None,
        trick=hand.trick_number,
        plays=tuple(map(_play, hand.trick)),
        to_beat=_play(hand.best) if hand.best else None,
        gone=_gone(hand),
        bombs=tuple(BombView(seat=bomb.seat, version=bomb.event, reading=bomb.reading) for bomb in hand.bombs),
        multiplier=_multiplier(hand),
        result=hand.scored or hand.abandoned or hand.voided,
    )


def _open_partners(hand: climbing.Hand) -> bool:
    """Whether partners see each other's cards now. Not before a swap that the deal asks for: until then another sits opposite."""
    if not hand.ruleset.open_partner_hands or hand.dealt is None:
        return False
    return hand.players != hand.seated or swap_for(hand.number, hand.seated, hand.dealt) is None


def _play(play: TrickPlay) -> TrickPlayView:
    return TrickPlayView(seat=play.seat, version=play.version, cards=play.cards, reading=play.reading)


def _gone(hand: climbing.Hand) -> dict[str, int]:
    """How many cards of each rank were played, ranks in ascending order, those of none left away."""
    if hand.dealt is None:
        return {}
    played = Counter(map(rank_of, _all(hand.dealt.holdings))) - Counter(map(rank_of, _all(hand.holdings)))
    return {rank: played[rank] for rank in RANKS if played[rank]}


def _all(holdings: Sequence[Sequence[str]]) -> list[str]:
    return [card for holding in holdings for card in holding]


def _multiplier(hand: climbing.Hand) -> int:
    """The multiplier as it stands: of the side of whoever is out first, before that of the side with the larger one."""
    if hand.scored:
        return hand.scored.multiplier
    groups = accumulate(hand.ruleset, hand.bombs)
    sides = [side_of(hand.finish[0])] if hand.finish else [0, 1]
    return max(
        prod(factor.amount for factor in counting_factors(hand.ruleset, side, hand.bombs, groups)) for side in sides
    )
