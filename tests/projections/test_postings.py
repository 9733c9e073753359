"""What events post: each clause that moves points or coins, and what is refused because it is not what the ruleset says."""

from typing import Any

import pytest

from projections.amounts import plain, scaled
from projections.base import ProjectionFault
from projections.postings import HOUSE, Given, Posting, add_contribution, postings, terms_of
from schemas.envelope import Recorded
from schemas.events import CoinOptions, ContributionScored, Event, TableOpened
from tests.kit import books
from tests.kit.books import PLAYERS


def posted(table: TableOpened, *events: Event) -> list[Posting]:
    """What the last of these events posts after the others."""
    record: list[Recorded] = books.record_of("t", table, *events)
    given: Given = {}
    for each in events[:-1]:
        if isinstance(each, ContributionScored):
            add_contribution(given, each)
    return postings(record[-1], terms_of(table), given)


def amounts(posting: Posting) -> dict[str, int | str]:
    return {account.removeprefix("player:"): plain(amount) for account, amount in posting.amounts.items()}


@pytest.mark.parametrize(
    ("text", "stored", "given_back"),
    [("0", 0, 0), ("12", 120_000, 12), ("-37.5", -375_000, "-37.5"), ("0.0001", 1, "0.0001"), ("1.50", 15_000, "1.5")],
)
def test_amounts_are_exact(text: str, stored: int, given_back: int | str) -> None:
    assert (scaled(text), plain(stored)) == (stored, given_back)


def test_an_amount_finer_than_the_books_is_refused() -> None:
    with pytest.raises(ValueError, match="no whole number of 1/10000"):
        scaled("0.00001")


def test_c63_a_contribution_is_taken_from_the_other_three() -> None:
    (posting,) = posted(books.opened("huopin"), books.contribution(1, 2, 4, 7))
    assert (posting.kind, posting.unit, posting.stars) == ("contribution", "points", 7)
    assert amounts(posting) == {"ann": -4, "bob": -4, "cat": 12, "dan": -4}


def test_c61_a_draw_stands_against_the_table() -> None:
    table = books.opened("huopin")
    (posting,) = posted(table, books.scored(table, 1, (), (0, 1, 3, 2), 4))
    assert amounts(posting) == {"ann": 4, "bob": 0, "cat": 4, "dan": 0, "table:t": -8}


def test_the_house_gets_its_fee_of_each_scored_hand() -> None:
    table = books.opened("basic", fee="0.25")
    _, fee = posted(table, books.scored(table, 1, ()))
    assert (fee.kind, fee.unit) == ("fee", "points")
    assert amounts(fee) == {**dict.fromkeys(PLAYERS, "-0.25"), HOUSE: 1}


@pytest.mark.parametrize("voided", [False, True])
def test_c55_a_hand_that_is_not_scored_posts_nothing_and_costs_no_fee(voided: bool) -> None:
    given = books.contribution(1, 0, 2, 6)
    assert posted(books.opened("huopin", fee="5"), given, books.unscored(1, [given], voided=voided)) == []


def test_c66_the_worked_example() -> None:
    """With N = 500, base x multiplier = 4 and A = 50 the winners get 2000, the losers pay 2000, and each pays 50."""
    table = books.opened("qianbian", coins=CoinOptions(factor="500", fee="50"))
    event = books.scored(table, 1, ())
    assert event.coins == ("1950", "-2050", "1950", "-2050")
    _, coins, fee = posted(table, event)
    assert (coins.kind, coins.unit, fee.kind, fee.unit) == ("coins", "coins", "fee", "coins")
    assert amounts(coins) == {"ann": 2000, "bob": -2000, "cat": 2000, "dan": -2000}
    assert amounts(fee) == {**dict.fromkeys(PLAYERS, -50), HOUSE: 200}


def test_c66_contributions_in_coins_count_by_stars() -> None:
    table = books.opened("qianbian", coins=CoinOptions(factor="0.5", correction="0.25"))
    given = [books.contribution(1, 0, 2, 6), books.contribution(1, 0, 4, 7), books.contribution(1, 3, 6, 8)]
    _, coins = posted(table, *given, books.scored(table, 1, given, (0, 1, 3, 2)))
    # ann 3 x (2 x 1 + 4 x 1.5) - 6 x 2 = 12, each a quarter of a half; a draw gives 1 to the first and the last
    assert amounts(coins) == {"ann": 2, "bob": "-2.5", "cat": -2, "dan": "3.5", "table:t": -1}


def test_c66_what_the_books_cannot_hold_is_refused_and_named() -> None:
    """By a record of a room that would not be opened any more."""
    table = books.opened("qianbian", coins=CoinOptions(factor="999999999", correction="999999999"))
    given = [books.contribution(1, 0, 2, 6)]
    with pytest.raises(ProjectionFault, match=r"ledger: event t:3: .* coins of player:ann .* the books can hold"):
        posted(table, *given, books.scored(table, 1, given))


def test_t74_a_settled_hand_is_posted_as_its_row_says() -> None:
    table = books.opened("ningxia", fee="1")
    hand, fee = posted(table, books.settled(1, declarer=1, taken=35))
    assert (hand.kind, amounts(hand)) == ("settled", {"ann": -4, "bob": 4, "cat": -4, "dan": 4})
    assert amounts(fee)[HOUSE] == 4


def test_t83_who_leaves_pays_and_the_rest_stands_against_the_table() -> None:
    (posting,) = posted(books.opened("ningxia", fee="1"), books.escaped(1, seat=0, most=4))
    assert posting.kind == "escape"
    assert amounts(posting) == {"ann": -16, "bob": 4, "cat": 0, "dan": 4, "table:t": 8}


def test_t84_without_anything_to_get_the_partner_is_paid() -> None:
    (posting,) = posted(books.opened("ningxia"), books.escaped(1, seat=1, most=-2))
    assert amounts(posting) == {"ann": -2, "bob": 0, "cat": -2, "dan": 2, "table:t": 2}


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"kitty_points": 10}, "T7.1"),
        ({"points": 100, "row": 80}, "T7.3"),
        ({"row": 40}, "T7.4"),
        ({"take_over": False}, "T7.4"),
        ({"levels": (1, 0)}, "T7.4"),
        ({"score": (2, -2, 2, -2)}, "T7.4"),
    ],
)
def test_a_settled_hand_must_be_what_its_points_say(change: dict[str, Any], clause: str) -> None:
    event = books.settled(1).model_copy(update=change)
    with pytest.raises(ProjectionFault, match=rf"ledger: event t:2: .* \[{clause}\]"):
        posted(books.opened("ningxia"), event)


@pytest.mark.parametrize(
    ("most", "change", "clause"),
    [(4, {"score": (-16, 4, 4, 8)}, "T8.3"), (-2, {"score": (0, -2, 0, -2)}, "T8.4"), (4, {"player": "bob"}, "T8")],
)
def test_an_escape_must_be_what_m_says(most: int, change: dict[str, Any], clause: str) -> None:
    event = books.escaped(1, most=most).model_copy(update=change)
    with pytest.raises(ProjectionFault, match=rf"ledger: event t:2: .* \[{clause}\]"):
        posted(books.opened("ningxia"), event)


def test_contributions_that_stand_must_be_those_that_were_given() -> None:
    given = books.contribution(1, 0, 2, 6)
    with pytest.raises(ProjectionFault, match=r"lets contributions of \[0, 0, 0, 0\] stand.*\[C5.5\]"):
        posted(books.opened("huopin"), given, books.unscored(1, []))


def test_coins_must_be_what_the_room_says() -> None:
    table = books.opened("qianbian", coins=CoinOptions(factor="500", fee="50"))
    event = books.scored(table, 1, ()).model_copy(update={"coins": ("2000", "-2000", "2000", "-2000")})
    with pytest.raises(ProjectionFault, match=r"qianbian says 1950, -2050, 1950, -2050 \[C6.6\]"):
        posted(table, event)


@pytest.mark.parametrize(
    ("ruleset", "event"), [("ningxia", books.scored(books.opened("basic"), 1, ())), ("basic", books.settled(1))]
)
def test_a_hand_of_the_other_family_is_refused(ruleset: str, event: Event) -> None:
    with pytest.raises(ProjectionFault, match=f"at a table that plays {ruleset}"):
        posted(books.opened(ruleset), event)
