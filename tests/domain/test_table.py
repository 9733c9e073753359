"""Opening a table, taking seats, leaving, the end of a match: refusals name their rule and leave nothing behind."""

from typing import Any

import pytest

from domain.refusal import Refused
from domain.simulate import simulate
from domain.table import Given, Table, decide, evolve, replay
from schemas.commands import Command, Leave, OpenTable, Pass, Play, SeatPlayer, StartHand
from schemas.events import PlayerSeated, SeatsSwapped, TableClosed, TableOptions
from schemas.notation import Unreadable
from tests.kit.spec import NAMES, TIME, carry_out, opened, playing, types


def table_with(*names: str, **options: int) -> Table:
    table, _ = carry_out(None, OpenTable("basic", None, TableOptions.model_validate(options)))
    for name in names:
        table, _ = carry_out(table, SeatPlayer(name))
    return table


@pytest.mark.parametrize(
    ("table", "command", "rule"),
    [
        (None, OpenTable("mahjong"), "unknown_ruleset"),
        (None, OpenTable("basic", 99), "unknown_ruleset"),
        (None, StartHand(), "no_such_table"),
        (table_with(), OpenTable("basic"), "table_exists"),
        (table_with("ann"), SeatPlayer("ann"), "already_seated"),
        (table_with("ann"), SeatPlayer("bob", 0), "seat_taken"),
        (table_with(*NAMES), SeatPlayer("eve"), "table_full"),
        (table_with("ann"), StartHand(), "players_missing"),
        (table_with("ann"), Leave(1), "seat_empty"),
        (table_with(*NAMES), Play(0, ("3S",)), "no_hand"),
        (table_with(*NAMES), Pass(0), "no_hand"),
        (playing("basic", ["3S", "4S", "5S", "6S"]), StartHand(), "hand_running"),
    ],
)
def test_refusals_name_their_rule(table: Table | None, command: Command, rule: str) -> None:
    with pytest.raises(Refused) as caught:
        carry_out(table, command)
    assert caught.value.refusal.rule == rule
    assert caught.value.refusal.en
    assert caught.value.refusal.zh


@pytest.mark.parametrize(
    ("ruleset", "options", "field"),
    [
        ("qianbian", {"coins": {"factor": "999999999", "fee": "999999999", "correction": "999999999"}}, "coins"),
        ("qianbian", {"coins": {"factor": "999999999"}}, "coins"),
        ("qianbian", {"coins": {"factor": "1", "correction": "999999"}}, "coins"),
        ("qianbian", {"coins": {"factor": "1", "fee": "250000000"}}, "coins"),
        ("qianbian", {"coins": {"factor": "405845"}}, "coins"),
        ("basic", {"fee": "250000000"}, "fee"),
        ("ningxia", {"fee": "999999999.9999"}, "fee"),
        ("qianbian", {"coins": {"factor": "405844"}}, None),
        ("qianbian", {"coins": {"factor": "500", "fee": "50"}}, None),
        ("qianbian", {"coins": {"factor": "10000", "fee": "100000", "correction": "10"}, "fee": "1000000"}, None),
        ("basic", {"fee": "249999999"}, None),
    ],
)
def test_c66_a_room_moves_no_more_in_a_hand_than_the_books_can_hold(
    ruleset: str, options: dict[str, Any], field: str | None
) -> None:
    command = OpenTable(ruleset, None, TableOptions.model_validate(options))
    if field is None:
        assert carry_out(None, command)[0].options == command.options
        return
    with pytest.raises(Unreadable, match=f"^{field}: .*999,999,999"):
        carry_out(None, command)


@pytest.mark.parametrize("player", ["", "  ", "x" * 65, "two\nlines", "\x00", " a ", "A\u0301"])
def test_a_player_needs_a_name_one_can_read(player: str) -> None:
    with pytest.raises(Unreadable, match="player"):
        carry_out(table_with(), SeatPlayer(player))


@pytest.mark.parametrize("table_id", ["", "UPPER", "a.b", "a b", "-a", "x" * 65, "a*", "a>"])
def test_a_table_id_fits_every_subject_path_and_file(table_id: str) -> None:
    with pytest.raises(Unreadable, match="table"):
        decide(None, table_id, OpenTable("basic"), Given(TIME, "c"))


def test_seats_are_given_in_order_or_as_asked() -> None:
    table, _ = carry_out(table_with("ann"), SeatPlayer("dan", 3))
    table, _ = carry_out(table, SeatPlayer("bob"))
    assert table.players == ("ann", "bob", None, "dan")


def test_a_match_of_so_many_hands_ends_by_itself() -> None:
    table = table_with(*NAMES, hands=1)
    table, _ = carry_out(table, StartHand())
    table, events = carry_out(table, Leave(2))
    assert types(events) == ["hand-abandoned", "player-left", "table-closed"]
    assert table.closed


def test_the_table_closes_when_everybody_has_left() -> None:
    table = table_with("ann", "bob")
    table, _ = carry_out(table, Leave(0))
    assert not table.closed
    table, events = carry_out(table, Leave(1))
    assert events[-1] == TableClosed(reason="everybody_left")
    with pytest.raises(Refused) as caught:
        carry_out(table, SeatPlayer("eve"))
    assert caught.value.refusal.rule == "table_closed"


def test_an_event_out_of_place_is_not_taken_in() -> None:
    events = opened("basic", ["3S", "4S", "5S", "6S"])
    with pytest.raises(ValueError, match="does not follow"):
        evolve(replay(events[:2]), events[3])
    with pytest.raises(ValueError, match="begins with its opening"):
        evolve(None, events[1])
    with pytest.raises(ValueError, match="no events"):
        replay([])


def test_a_seating_goes_with_its_player() -> None:
    """A seat is told by the event that gave it: it moves when seats are swapped, and a name that comes back sits there anew."""
    match = list(simulate("huopin", 4, "swap 2"))
    given = {each.event.player: each.version for each in match if isinstance(each.event, PlayerSeated)}
    assert any(isinstance(each.event, SeatsSwapped) for each in match)
    table = None
    for recorded in match:
        table = evolve(table, recorded)
        if table.hand is not None and not table.closed:
            assert [given[str(player)] for player in table.players] == list(table.seatings)
    again, _ = carry_out(carry_out(table_with("ann", "bob"), Leave(0))[0], SeatPlayer("ann"))
    assert (again.players[:2], again.seatings[:2]) == (("ann", "bob"), (again.version, 3))
