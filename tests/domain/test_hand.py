"""C2 and C5: leading, passing, tricks, catching the wind, finishing, abandoning. One clause, one situation."""

import pytest

from domain.climbing import rulesets
from domain.climbing.dealing import swap_for
from domain.climbing.hand import Hand
from domain.refusal import Refused
from domain.table import Table
from schemas.commands import Leave, OpenTable, Pass, Play, SeatPlayer, StartHand
from schemas.events import (
    ContributionScored,
    Dealt,
    FaceUp,
    HandAbandoned,
    HandScored,
    SeatsSwapped,
    TableOptions,
    TrickWon,
)
from schemas.notation import PACK, Unreadable
from tests.kit.spec import NAMES, SEED, after, carry_out, move, playing, types

ALL = [ruleset.id for ruleset in rulesets.all_rulesets()]
FACE_UP = ["jj", "huopin", "qianbian"]
PREVIOUS = ["basic", "jinbao"]


def refused(table: Table | None, text: str) -> str:
    with pytest.raises(Refused) as caught:
        carry_out(table, move(text))
    return caught.value.refusal.rule


@pytest.mark.parametrize("ruleset", ALL)
def test_c1_two_packs_are_dealt_27_to_each(ruleset: str) -> None:
    table = seated(ruleset)
    table, events = carry_out(table, StartHand())
    (dealt,) = (event for event in events if isinstance(event, Dealt))
    assert [len(holding) for holding in dealt.holdings] == [27] * 4
    assert sorted(card for holding in dealt.holdings for card in holding) == sorted(PACK)


def seated(ruleset: str, **options: int) -> Table:
    table, _ = carry_out(None, OpenTable(ruleset, None, TableOptions.model_validate(options)))
    for name in NAMES:
        table, _ = carry_out(table, SeatPlayer(name))
    return table


@pytest.mark.parametrize("ruleset", PREVIOUS)
@pytest.mark.parametrize(
    ("holdings", "moves", "by", "leader"),
    [
        pytest.param(
            ["3S", "4S", "5S 5H", "6S 6H"],
            ["0: 3S", "1: 4S", "2: 5S", "3: 6S", "2: pass", "3: 6H"],
            "previous",
            0,
            id="C2.1 after a draw the first finisher leads",
        ),
        pytest.param(
            ["3S", "4S 4H", "5S", "6S 6H"], ["0: 3S", "1: 4S", "2: 5S"], "drawn", None, id="C2.1 after a double: drawn"
        ),
    ],
)
def test_c2_1_who_leads_follows_from_the_previous_hand(
    ruleset: str, holdings: list[str], moves: list[str], by: str, leader: int | None
) -> None:
    table, _ = after(playing(ruleset, holdings), *moves)
    table, events = carry_out(table, StartHand(), seed="7" * 64)
    (dealt,) = (event for event in events if isinstance(event, Dealt))
    assert dealt.leader_by == by
    assert leader is None or dealt.leader == leader


@pytest.mark.parametrize("ruleset", PREVIOUS)
def test_c2_1_after_an_abandoned_hand_the_leader_is_drawn(ruleset: str) -> None:
    table, _ = carry_out(playing(ruleset, ["3S", "4S", "5S", "6S"]), Leave(1))
    table, _ = carry_out(table, SeatPlayer("eve"))
    _, events = carry_out(table, StartHand(), seed="7" * 64)
    assert [event.leader_by for event in events if isinstance(event, Dealt)] == ["drawn"]


@pytest.mark.parametrize(
    ("holders", "swap"),
    [
        pytest.param((0, 2), None, id="the other copy sits opposite: nobody moves"),
        pytest.param((0, 0), None, id="both copies with the leader: nobody moves"),
        pytest.param((0, 1), (1, 2), id="the next seat has it: it changes with the seat opposite the leader"),
        pytest.param((0, 3), (3, 2), id="the seat before has it"),
        pytest.param((1, 2), (2, 3), id="the same from another leader"),
    ],
)
def test_c2_2_the_face_up_card_makes_partners(holders: tuple[int, int], swap: tuple[int, int] | None) -> None:
    holdings: list[list[str]] = [["4S"], ["4H"], ["4C"], ["4D"]]
    for seat in holders:
        holdings[seat].append("9S")
    dealt = Dealt(
        hand=1,
        holdings=(tuple(holdings[0]), tuple(holdings[1]), tuple(holdings[2]), tuple(holdings[3])),
        leader=holders[0],
        leader_by="face_up",
        face_up=FaceUp(position=0, card="9S", seat=holders[0]),
    )
    swapped = swap_for(1, NAMES, dealt)
    assert (swapped.seats if swapped else None) == swap


@pytest.mark.parametrize("ruleset", FACE_UP)
def test_c2_2_who_changes_seats_takes_the_cards_along(ruleset: str) -> None:
    for digit in "0123456789abcdef":
        _, events = carry_out(seated(ruleset), StartHand(), seed=digit * 64)
        dealt = next(event for event in events if isinstance(event, Dealt))
        swapped = next((event for event in events if isinstance(event, SeatsSwapped)), None)
        table, _ = carry_out(seated(ruleset), StartHand(), seed=digit * 64)
        assert table.hand is not None
        assert dealt.face_up is not None
        assert table.hand.turn == dealt.leader == dealt.face_up.seat
        for seat, name in enumerate(NAMES):
            assert table.hand.holdings[table.players.index(name)] == dealt.holdings[seat]
        holders = [seat for seat in range(4) if dealt.face_up.card in table.hand.holdings[seat]]
        assert holders in ([dealt.leader], sorted([dealt.leader, (dealt.leader + 2) % 4]))
        if swapped:
            break
    else:
        pytest.fail("no seed of sixteen made players change seats")


def test_c5_1_a_pass_does_not_bar_from_playing_later_in_the_trick() -> None:
    table = playing("basic", ["3S 8S", "4S 9S", "5S TS", "6S JS"])
    table, _ = after(table, "0: 3S", "1: pass", "2: 5S", "3: pass", "0: pass", "1: 9S")
    assert table.hand is not None
    assert table.hand.turn == 2


def test_c5_2_the_trick_ends_when_all_others_passed_and_its_last_player_leads() -> None:
    table = playing("basic", ["3S 8S", "4S 9S", "5S TS", "6S JS"])
    table, events = after(table, "0: 3S", "1: 4S", "2: pass", "3: pass", "0: pass")
    assert types(events) == ["played", "played", "passed", "passed", "passed", "trick-won"]
    won = events[-1]
    assert isinstance(won, TrickWon)
    assert (won.seat, won.leads, won.caught_wind, won.play) == (1, 1, False, table.version - 4)
    assert isinstance(table.hand, Hand)
    assert (table.hand.turn, table.hand.lead) == (1, None)


@pytest.mark.parametrize("ruleset", ALL)
def test_c5_3_the_partner_catches_the_wind(ruleset: str) -> None:
    table = playing(ruleset, ["KS", "4S 9S", "5S TS", "6S JS"])
    table, events = after(table, "0: KS", "1: pass", "2: pass", "3: pass")
    won = events[-1]
    assert isinstance(won, TrickWon)
    assert (won.seat, won.leads, won.caught_wind) == (0, 2, True)
    assert table.hand is not None
    assert table.hand.turn == 2


def test_c5_3_a_play_that_is_beaten_gives_no_wind() -> None:
    table = playing("huopin", ["KS", "4S AS", "5S TS", "6S JS"])
    table, events = after(table, "0: KS", "1: AS", "2: pass", "3: pass")
    won = events[-1]
    assert isinstance(won, TrickWon)
    assert (won.seat, won.leads, won.caught_wind) == (1, 1, False)


def test_c5_3_players_who_are_out_are_passed_over() -> None:
    table = playing("huopin", ["KS", "4S AS 3H", "5S TS", "6S JS"])
    table, _ = after(table, "0: KS", "1: AS", "2: pass", "3: pass", "1: 3H", "2: 5S", "3: 6S")
    assert table.hand is not None
    assert table.hand.turn == 1


@pytest.mark.parametrize(
    ("holdings", "moves", "finish", "outcome"),
    [
        pytest.param(
            ["3S", "4S 4H", "5S", "6S 6H"],
            ["0: 3S", "1: 4S", "2: 5S"],
            (0, 2, 3, 1),
            "double",
            id="C5.4 double ends at once",
        ),
        pytest.param(
            ["3S", "4S", "5S", "6S 6H"],
            ["0: 3S", "1: 4S", "2: 5S"],
            (0, 1, 2, 3),
            "single",
            id="C5.4 first and third of one side: single",
        ),
        pytest.param(
            ["3S", "4S", "5S 5H", "6S"],
            ["0: 3S", "1: 4S", "2: 5S", "3: 6S"],
            (0, 1, 3, 2),
            "draw",
            id="C5.4 first and fourth of one side: draw",
        ),
    ],
)
def test_c5_4_how_a_hand_ends(holdings: list[str], moves: list[str], finish: tuple[int, ...], outcome: str) -> None:
    table, events = after(playing("huopin", holdings), *moves)
    (scored,) = (event for event in events if isinstance(event, HandScored))
    assert (scored.finish, scored.outcome) == (finish, outcome)
    assert table.playing is False
    assert refused(table, f"{finish[-1]}: pass") == "hand_over"


def test_c5_5_an_abandoned_hand_has_no_base_points_and_contributions_stand() -> None:
    table = playing("huopin", ["7S 7S 7H 7H 7C 7C 3S", "4S", "5S", "6S"])
    table, _ = after(table, "0: 7S 7S 7H 7H 7C 7C")
    table, events = carry_out(table, Leave(3))
    assert types(events) == ["hand-abandoned", "player-left"]
    (abandoned,) = (event for event in events if isinstance(event, HandAbandoned))
    assert (abandoned.seat, abandoned.player, abandoned.contribution) == (3, "dan", (6, -2, -2, -2))
    assert dict(table.scores) == {"ann": 6, "bob": -2, "cat": -2, "dan": -2}
    assert table.players == ("ann", "bob", "cat", None)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param("0: pass", "cannot_pass_leading", id="C5.6 cannot pass when leading"),
        pytest.param("1: 4S", "not_your_turn", id="C5.6 out of turn"),
        pytest.param("0: KS", "not_in_hand", id="C5.6 cards not held"),
        pytest.param("0: 3S 3S", "not_in_hand", id="C5.6 one copy held, two played"),
        pytest.param("0: 3S 8S", "no_pattern", id="C3 no pattern"),
        pytest.param("0:", "no_pattern", id="C3 no card at all"),
    ],
)
def test_c5_6_refusals_of_the_leader(text: str, rule: str) -> None:
    assert refused(playing("basic", ["3S 8S", "4S", "5S", "6S"]), text) == rule


def test_c5_6_a_weaker_card_does_not_beat() -> None:
    table, _ = after(playing("basic", ["8S 9S", "4S TS", "5S", "6S"]), "0: 8S")
    assert refused(table, "1: 4S") == "does_not_beat"


@pytest.mark.parametrize("seat", [-1, 4, 7])
def test_a_seat_that_does_not_exist_is_unreadable(seat: int) -> None:
    table = playing("basic", ["3S", "4S", "5S", "6S"])
    for command in (Play(seat, ("3S",)), Pass(seat), Leave(seat)):
        with pytest.raises(Unreadable, match="seat"):
            carry_out(table, command)


def test_c6_contributions_are_given_at_once_and_name_their_play() -> None:
    table = playing("huopin", ["7S 7S 7H 7H 7C 7C 3S", "4S", "5S", "6S"])
    table, events = after(table, "0: 7S 7S 7H 7H 7C 7C")
    (given,) = (event for event in events if isinstance(event, ContributionScored))
    assert (given.points, given.stars, given.play, given.reason) == ((6, -2, -2, -2), 6, table.version - 1, "at_once")


def test_c6_4_accumulated_contributions_are_given_before_the_score() -> None:
    """Four bombs of 4 stars give nothing at once and add up to 6 stars at the end."""
    holding = "3S 3S 3H 3H 5S 5S 5H 5H 7S 7S 7H 7H 9S 9S 9H 9H"
    table = playing("qianbian", [holding, "4S 4H", "TS", "6S 6H"])
    passes = ("1: pass", "2: pass", "3: pass")
    moves = [move for rank in "3579" for move in (f"0: {rank}S {rank}S {rank}H {rank}H", *passes)]
    table, events = after(table, *moves, "2: TS")
    assert types(events)[-4:] == ["played", "finished", "contribution-scored", "hand-scored"]
    given, scored = events[-3], events[-2]
    assert isinstance(given, ContributionScored)
    assert isinstance(scored, HandScored)
    assert (given.reason, given.stars, given.points) == ("accumulated", 6, (6, -2, -2, -2))
    assert (scored.contribution, scored.multiplier) == ((6, -2, -2, -2), 4)
    assert [table.scores[name] for name in NAMES] == list(scored.score) == [22, -18, 14, -18]


def test_c6_6_game_coins_are_decimals_as_text() -> None:
    table, _ = carry_out(
        None, OpenTable("qianbian", None, TableOptions.model_validate({"coins": {"factor": "500", "fee": "50"}}))
    )
    assert table.options.coins is not None
    with pytest.raises(Refused) as caught:
        carry_out(None, OpenTable("basic", None, table.options))
    assert caught.value.refusal.rule == "no_coins"


@pytest.mark.parametrize(("factor", "correction", "fine"), [("500", "0.0001", False), ("0.01", "0.01", True)])
def test_c6_6_a_room_whose_coins_no_ledger_could_hold_is_not_opened(factor: str, correction: str, fine: bool) -> None:
    """Amounts of the ledger are whole numbers of 1/10,000; a contribution of seven stars counts by half more."""
    options = TableOptions.model_validate({"coins": {"factor": factor, "correction": correction}})
    if fine:
        with pytest.raises(Unreadable, match="at most four decimal places"):
            carry_out(None, OpenTable("qianbian", None, options))
    else:
        carry_out(None, OpenTable("qianbian", None, options))


def test_the_seed_must_be_the_one_committed_to() -> None:
    table = playing("basic", ["3S", "4S 4H", "5S", "6S 6H"])
    table, _ = after(table, "0: 3S", "1: 4S")
    with pytest.raises(ValueError, match="committed"):
        carry_out(table, move("2: 5S"), seed="6" * 64)
    _, events = carry_out(table, move("2: 5S"), seed=SEED)
    assert [event.TYPE for event in events][-1] == "seed-revealed"
