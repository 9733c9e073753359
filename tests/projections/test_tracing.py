"""From an entry back to events and clauses (C7.1)."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from domain.simulate import simulate
from projections.postings import HOUSE
from projections.tracing import NothingPosted, Reason, Trace, trace, trace_ruling
from schemas.envelope import Recorded
from schemas.events import CoinOptions, ContributionScored, HandScored, Played
from schemas.trumps import HandEscaped, HandSettled
from tests.kit import books


def whole(ruleset: str, hands: int = 8) -> list[Recorded]:
    return list(simulate(ruleset, hands, f"tracing {ruleset}"))


def clauses(reasons: Sequence[Reason]) -> set[str]:
    return {reason.clause for reason in reasons}


def versions(record: Sequence[Recorded], kind: type) -> list[int]:
    return [each.version for each in record if isinstance(each.event, kind)]


@pytest.mark.parametrize("ruleset", ["basic", "jj", "huopin", "qianbian", "jinbao", "ningxia"])
def test_every_entry_of_a_match_is_explained(ruleset: str) -> None:
    """What the reasons give each account, but for factors and subtotals, is never nothing where an amount is something."""
    record = whole(ruleset)
    for version in versions(record, (ContributionScored, HandScored, HandSettled, HandEscaped)):  # type: ignore[arg-type]
        found = trace(record, version)
        assert found.entry == f"{record[0].table}:{version}"
        for part in found.transactions:
            assert sum(Decimal(amount) for amount in part.amounts.values()) == 0
            assert part.why
            assert all(reason.clause and reason.en and reason.zh for reason in part.why)
            explained = {reason.account for reason in part.why}
            assert None in explained or {name for name, amount in part.amounts.items() if amount} <= explained


def test_c63_a_contribution_leads_to_its_bomb() -> None:
    record = whole("huopin", 12)
    version = versions(record, ContributionScored)[0]
    event = record[version - 1].event
    assert isinstance(event, ContributionScored)
    (part,) = trace(record, version).transactions
    assert part.kind == "contribution"
    assert clauses(part.why) == {"C6.3"}
    assert {reason.event for reason in part.why} == {f"{record[0].table}:{event.play}"}
    assert isinstance(record[event.play - 1].event, Played)
    assert f"{event.stars} stars" in part.why[0].en
    assert {reason.account: reason.amount for reason in part.why} == part.amounts


def test_c65_base_points_lead_to_outcome_and_multiplier() -> None:
    record = whole("huopin", 1)
    (part,) = trace(record, versions(record, HandScored)[0]).transactions
    assert clauses(part.why) >= {"C5.4", "C6.1", "C6.2", "C6.5"}
    assert {
        reason.account: reason.amount for reason in part.why if reason.clause == "C6.5"
    }.items() <= part.amounts.items()


def test_c66_coins_and_fees_lead_to_the_room() -> None:
    table = books.opened("qianbian", fee="0.5", coins=CoinOptions(factor="500", fee="50"))
    record = books.record_of("t", table, books.scored(table, 1, (), (0, 1, 3, 2), 2))
    base, coins, points_fee, coins_fee = trace(record, 2).transactions
    assert (coins.kind, coins.amounts["player:ann"], coins.amounts["table:t"]) == ("coins", 1000, -2000)
    assert "base x multiplier x N = 1 x 2 x 500 = 1000" in {reason.en for reason in coins.why}
    assert [reason.account for reason in base.why][-1] == "table:t"
    assert (points_fee.unit, points_fee.why[0].clause, points_fee.why[0].event) == ("points", "options.fee", "t:1")
    assert (coins_fee.unit, {reason.clause for reason in coins_fee.why}) == ("coins", {"C6.6"})
    assert {reason.account: reason.amount for reason in coins_fee.why} == coins_fee.amounts
    assert coins_fee.amounts[HOUSE] == 200


def test_c64_and_c55_contributions_that_are_added_or_taken_back() -> None:
    given = books.contribution(1, 0, 2, 6)
    added = given.model_copy(update={"reason": "accumulated"})
    taken = given.model_copy(update={"reason": "withdrawn", "points": (-6, 2, 2, 2)})
    record = books.record_of("t", books.opened("qianbian"), given, added, taken)
    assert clauses(trace(record, 3).transactions[0].why) == {"C6.4"}
    assert clauses(trace(record, 4).transactions[0].why) == {"C5.5"}


def test_t7_a_settled_hand_leads_to_its_row() -> None:
    record = whole("ningxia", 1)
    (part,) = trace(record, versions(record, HandSettled)[0]).transactions
    assert part.kind == "settled"
    assert clauses(part.why) >= {"T7.2", "T7.3", "T7.4"}
    assert {reason.account: reason.amount for reason in part.why if reason.account} == part.amounts


def test_t8_what_stands_against_the_table_is_said() -> None:
    (part,) = trace(books.record_of("t", books.opened("ningxia"), books.escaped(1)), 2).transactions
    assert part.why[-1].account == "table:t"
    assert part.why[-1].clause == "T8.3"


@pytest.mark.parametrize(
    ("version", "words"),
    [(1, "table-opened moves no points"), (2, r"contributions already given stand.*\[C5.5\]"), (9, "no event 9")],
)
def test_what_posted_nothing_says_so(version: int, words: str) -> None:
    record = books.record_of("t", books.opened("huopin"), books.unscored(1, []))
    with pytest.raises(NothingPosted, match=words):
        trace(record, version)


def test_a_ruling_leads_to_its_reason_and_dispute() -> None:
    line = {"table": "t", "hand": 1, "time": "2026-12-02T03:00:00.000Z", "reason": "ann showed a card"}
    lines = [
        {**line, "account": "player:ann", "unit": "points", "amount": -2},
        {**line, "account": "player:bob", "unit": "points", "amount": 2},
    ]
    found: Trace = trace_ruling("d-1", 4, lines)
    (part,) = found.transactions
    assert (found.entry, part.kind, part.amounts) == ("dispute:d-1:4", "ruling", {"player:ann": -2, "player:bob": 2})
    assert {(reason.event, reason.en) for reason in part.why} == {("dispute:d-1", "ann showed a card")}
