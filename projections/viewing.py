"""What a viewer may see. This is the only place that hides cards: state, stream, log and first snapshot all come from here.

While a hand is played a seat sees its own cards, its partner's too where partners play openly, and nobody else's; a
spectator sees none; an auditor sees all. When the hand is over the seed is revealed, and with it every card. Nothing that
depends on hidden cards is let out by another way either: hashes and ids of commands are left away, since the first
depend on the deal and the second on others' secrets.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod

from domain.climbing.bombs import accumulate, counting_factors
from domain.climbing.dealing import swap_for
from domain.climbing.hand import Hand, TrickPlay
from domain.climbing.rulesets import get
from domain.seats import SEATS, partner_of, side_of
from domain.table import Table
from schemas.envelope import Recorded
from schemas.events import Dealt, type_name
from schemas.notation import RANKS, rank_of
from schemas.views import BombView, EventView, HandView, SeatView, TrickPlayView, View, Viewer


def sees(viewer: Viewer, seat: int, *, over: bool, open_partners: bool) -> bool:
    """Whether the viewer may see the cards of a seat, in a hand that is over or not."""
    if viewer == "auditor" or over:
        return True
    if viewer == "spectator":
        return False
    return seat == int(viewer) or (open_partners and seat == partner_of(int(viewer)))


def hide(view: View, viewer: Viewer) -> View:
    """An auditor's view with everything taken out that this viewer may not see."""
    hand = view.hand
    over, partners = hand is None or hand.result is not None, hand is not None and hand.open_partner_hands
    a, b, c, d = (
        each
        if sees(viewer, each.seat, over=over, open_partners=partners)
        else each.model_copy(update={"holding": None})
        for each in view.seats
    )
    return view.model_copy(update={"viewer": viewer, "seats": (a, b, c, d)})


def view_for(table: Table, viewer: Viewer) -> View:
    """The table as the viewer sees it."""
    return hide(full_view(table), viewer)


def full_view(table: Table) -> View:
    """The table as an auditor sees it, with all cards."""
    ruleset = get(table.ruleset, table.ruleset_version)
    coins = table.options.coins
    a, b, c, d = (_seat(table, seat) for seat in SEATS)
    return View(
        table=table.id,
        version=table.version,
        viewer="auditor",
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        title_en=ruleset.title_en,
        title_zh=ruleset.title_zh,
        hands=table.options.hands,
        coins=coins.model_dump() if coins else None,
        seats=(a, b, c, d),
        scores=dict(table.scores),
        hand=_hand(table.hand, table.seed) if table.hand else None,
        closed=table.closed,
    )


def event_for(table: Table, recorded: Recorded, viewer: Viewer) -> EventView:
    """An event as the viewer sees it; `table` is the table just after it."""
    event = recorded.event
    data = event.model_dump()
    if isinstance(event, Dealt):
        partners = table.hand is not None and _open_partners(table.hand)
        data["holdings"] = [
            cards if sees(viewer, seat, over=False, open_partners=partners) else None
            for seat, cards in enumerate(event.holdings)
        ]
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
        finish=hand.finish.index(seat) + 1 if hand and seat in hand.finish else None,
        contribution=hand.contribution[seat] if hand else 0,
        score=table.scores.get(player, 0) if player else 0,
    )


def _hand(hand: Hand, seed: str | None) -> HandView:
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
        result=hand.scored or hand.abandoned,
    )


def _open_partners(hand: Hand) -> bool:
    """Whether partners see each other's cards now. Not before a swap that the deal asks for: until then another sits opposite."""
    if not hand.ruleset.open_partner_hands or hand.dealt is None:
        return False
    return hand.players != hand.seated or swap_for(hand.number, hand.seated, hand.dealt) is None


def _play(play: TrickPlay) -> TrickPlayView:
    return TrickPlayView(seat=play.seat, version=play.version, cards=play.cards, reading=play.reading)


def _gone(hand: Hand) -> dict[str, int]:
    """How many cards of each rank were played, ranks in ascending order, those of none left away."""
    if hand.dealt is None:
        return {}
    played = Counter(map(rank_of, _all(hand.dealt.holdings))) - Counter(map(rank_of, _all(hand.holdings)))
    return {rank: played[rank] for rank in RANKS if played[rank]}


def _all(holdings: Sequence[Sequence[str]]) -> list[str]:
    return [card for holding in holdings for card in holding]


def _multiplier(hand: Hand) -> int:
    """The multiplier as it stands: of the side of whoever is out first, before that of the side with the larger one."""
    if hand.scored:
        return hand.scored.multiplier
    groups = accumulate(hand.ruleset, hand.bombs)
    sides = [side_of(hand.finish[0])] if hand.finish else [0, 1]
    return max(
        prod(factor.amount for factor in counting_factors(hand.ruleset, side, hand.bombs, groups)) for side in sides
    )
