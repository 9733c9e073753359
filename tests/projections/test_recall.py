"""Hands found again and told again, from records of both families and of every end a hand can have."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from domain.table import evolve, replay
from projections.audit import Audit
from projections.base import Projector, open_engine
from projections.hands import find_hands
from projections.ledger import Ledger
from projections.recall import Moment, balances_of, found, tell
from schemas.commands import Leave, StartHand, TimeOut, VoteDissolve
from schemas.envelope import Recorded
from schemas.events import SeatsSwapped
from schemas.recall import HandRecall, Player
from schemas.views import VIEWERS, Viewer
from tests.kit.records import PLAYERS, anything, carried, opening, until_over

COMPLETE = until_over("t-complete", opening("basic"), 2)
TRUMPS = until_over("t-trumps", opening("ningxia"), 1)
LEFT = carried("t-left", [*opening("huopin"), StartHand(), anything, Leave(2)])
VOID = carried(
    "t-void", [*opening("basic"), StartHand(), anything, *(VoteDissolve(seat, agree=True) for seat in range(4))]
)
SWAPPED = until_over("t-swapped", opening("huopin"), 1)
PLAYING = carried("t-playing", [*opening("jj"), StartHand(), anything, anything])
AUTOMATIC = carried(
    "t-away",
    [
        *opening("basic", turn_seconds=1),
        StartHand(),
        lambda table: TimeOut(table.waiting[0], "2026-03-02T00:00:00.000Z"),
    ],
)
RECORDS = (COMPLETE, TRUMPS, LEFT, VOID, SWAPPED, PLAYING, AUTOMATIC)


@pytest.fixture(params=["sqlite", "postgres"])
def view(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
    """Audit timeline and ledger of all records, in one database."""
    url = f"sqlite:///{tmp_path / 'view.sqlite'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url").replace("postgresql://", "postgresql+psycopg://", 1)
    engine = open_engine(url)
    lines = [each.line for record in RECORDS for each in record]
    for projection in (Audit(), Ledger()):
        projector = Projector(engine, projection)
        projector.open()
        projector.feed(list(enumerate(lines, start=1)))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {f"{row['table_id']}/{row['hand']}" for row in rows}


def told(view: Connection, record: list[Recorded], eyes: Viewer = "auditor", hand: int = 1) -> HandRecall:
    """A hand of a record, told with these eyes."""
    (row,) = find_hands(view, table=record[0].table, hand=hand)
    before = table = replay(record[: row["first"] - 1])
    moments: list[Moment] = []
    for each in record[row["first"] - 1 : row["last"]]:
        table = evolve(table, each)
        moments.append((table, each))
    return tell(found(row, 10), before, moments, lambda _: eyes, None, ("0.1.0", "0.2.0"))


def test_every_end_of_a_hand_has_its_status(view: Connection) -> None:
    rows = {f"{row['table_id']}/{row['hand']}": (row["status"], row["how"]) for row in find_hands(view)}
    assert rows == {
        "t-complete/1": ("complete", "hand-scored"),
        "t-complete/2": ("complete", "hand-scored"),
        "t-trumps/1": ("complete", "hand-settled"),
        "t-left/1": ("interrupted", "hand-abandoned"),
        "t-void/1": ("void", "hand-voided"),
        "t-swapped/1": ("complete", "hand-scored"),
        "t-playing/1": ("playing", None),
        "t-away/1": ("playing", None),
    }


def test_hands_are_found_by_player_table_time_and_receipt(view: Connection) -> None:
    assert {row["table_id"] for row in find_hands(view, player="ann")} == {record[0].table for record in RECORDS}
    assert find_hands(view, player="nobody") == []
    assert ids(find_hands(view, table="t-complete")) == {"t-complete/1", "t-complete/2"}
    (second,) = find_hands(view, table="t-complete", hand=2)
    assert ids(find_hands(view, digest=second["digest"][:15])) == {"t-complete/2"}
    assert second["digest"] == COMPLETE[second["last"] - 1].hash
    assert ids(find_hands(view, table="t-complete", since=second["started"])) == {"t-complete/2"}
    assert ids(find_hands(view, table="t-complete", until=second["started"][:16])) >= {"t-complete/1"}
    assert ids(find_hands(view, table="t-complete", since="2026-03-01", until="2026-03-01")) == ids(
        find_hands(view, table="t-complete")
    )
    assert find_hands(view, until="2026-02") == []


def test_players_are_told_where_they_sat_when_they_played(view: Connection) -> None:
    """C2: partners may change seats right after the deal."""
    assert any(isinstance(each.event, SeatsSwapped) for each in SWAPPED)
    one = told(view, SWAPPED)
    chosen = {(step.seat, step.player) for step in one.steps if step.kind == "choice"}
    assert chosen == {(player.seat, player.player) for player in one.players}


def test_a_list_goes_on_where_it_ended(view: Connection) -> None:
    whole = find_hands(view)
    pages, before = [], None
    while page := find_hands(view, before=before, limit=2):
        pages += page
        before = (page[-1]["started"], page[-1]["table_id"], page[-1]["hand"])
    assert pages == whole
    assert [row["started"] for row in whole] == sorted((row["started"] for row in whole), reverse=True)


def test_a_hand_says_what_it_is_and_what_each_player_chose(view: Connection) -> None:
    hand = told(view, COMPLETE, hand=2)
    assert hand.replay
    assert "回放" in hand.note_zh
    assert (hand.found.id, hand.found.status, hand.found.ended) == (
        "t-complete/2",
        "complete",
        COMPLETE[hand.steps[-1].version - 1].time,
    )
    assert (hand.ruleset.id, hand.ruleset.version, hand.software, hand.shown_by) == ("basic", 1, "0.1.0", "0.2.0")
    assert hand.found.receipt is not None
    choices = [step for step in hand.steps if step.kind == "choice"]
    assert {step.player for step in choices} == set(PLAYERS)
    assert all(step.seat == PLAYERS.index(step.player or "") for step in choices)
    assert [step.version for step in hand.steps] == list(range(hand.steps[0].version, hand.steps[-1].version + 1))
    assert {step.kind for step in hand.steps} == {"deal", "choice", "result", "end"}
    assert [step.event["type"] for step in hand.steps if step.kind == "end"] == [
        "shuangkou.hand-scored.v1",
        "shuangkou.seed-revealed.v1",
    ]


@pytest.mark.parametrize("record", [COMPLETE, TRUMPS], ids=["climbing", "trumps"])
def test_the_balances_are_those_of_the_record(view: Connection, record: list[Recorded]) -> None:
    hand = told(view, record)
    scores = replay(record[: hand.steps[-1].version]).scores
    assert {each.player: (each.before, each.after) for each in hand.players} == {
        name: (0, scores.get(name, 0)) for name in PLAYERS
    }


def test_the_accounts_before_and_after_are_those_of_the_ledger(view: Connection) -> None:
    """All records of this test were played at the same time, so what another table gave meanwhile is in `after`, not in `change`."""
    rows = find_hands(view, table="t-complete")
    first, second = found(rows[1], 10), found(rows[0], 10)
    for name in PLAYERS:
        (one,) = balances_of(view, first, PLAYERS, adjusted=False)[name]
        (two,) = balances_of(view, second, PLAYERS, adjusted=False)[name]
        played = [_player(told(view, COMPLETE, hand=number), name) for number in (1, 2)]
        changes = [(each.after or 0) - each.before for each in played]
        assert (one.unit, one.before, [one.change, two.change]) == ("points", 0, changes)
        assert isinstance(two.before, int)


def _player(hand: HandRecall, name: str) -> Player:
    return next(each for each in hand.players if each.player == name)


def test_a_hand_being_played_has_no_end(view: Connection) -> None:
    hand = told(view, PLAYING)
    assert (hand.found.status, hand.found.ended, hand.found.receipt) == ("playing", None, None)
    assert {each.after for each in hand.players} == {None}


def test_what_the_table_did_for_who_was_away_is_no_choice(view: Connection) -> None:
    kinds = [step.kind for step in told(view, AUTOMATIC).steps]
    assert kinds.count("automatic") == 1
    assert "choice" not in kinds


@pytest.mark.parametrize("record", [COMPLETE, TRUMPS, LEFT, VOID, PLAYING], ids=lambda record: str(record[0].table))
def test_a_seat_is_told_no_cards_but_its_own(view: Connection, record: list[Recorded]) -> None:
    """The deal, the kitty and the burial stay hidden, also when the hand is over."""
    for seat in VIEWERS[:4]:
        for step in told(view, record, seat).steps:
            data = step.event["data"]
            if "holdings" in data and record is not PLAYING:
                assert [cards is not None for cards in data["holdings"]] == [str(each) == seat for each in range(4)]
            if step.event["type"].split(".")[1] in {"kitty-taken", "kitty-buried"}:
                assert (data["cards"] is not None) == (str(data["seat"]) == seat)
            if "cards-dealt" in step.event["type"]:
                dealt = [place % 4 for place, card in enumerate(data["cards"], data["first"]) if card is not None]
                assert set(dealt) <= {int(seat)}


def test_a_hand_is_kept_so_many_years(view: Connection) -> None:
    (row,) = find_hands(view, table="t-left")
    assert found(row, 10).kept.until == "2036-03-01"
    assert found({**row, "ended": "2028-02-29T12:00:00.000Z"}, 5).kept.until == "2033-02-28"
