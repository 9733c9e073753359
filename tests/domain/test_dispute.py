"""The dispute desk, refusal by refusal: who may do what in which case, and what a ruling posts."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given as draw
from hypothesis import strategies as st

from domain.dispute import (
    HOUSE,
    HOUSE_EVIDENCE,
    MAX_CASES,
    MAX_EVIDENCE,
    MAX_FILE,
    Brought,
    Dispute,
    HandFacts,
    TableFacts,
    Terms,
    decide,
    evolve,
    facts_of,
    finish,
    later,
    refusal,
    replay,
)
from domain.refusal import Refused
from domain.simulate import simulate
from domain.table import Given
from schemas.canonical import digest
from schemas.desk import Assign, Attach, DeskCommand, Raise, Rule, Withdraw
from schemas.disputes import EvidenceAttached, LedgerAdjusted, RulingGiven
from schemas.envelope import Recorded, check_line
from schemas.events import SeedRevealed
from schemas.notation import Unreadable

ENDED = "2026-12-01T12:00:00.000Z"
NOW = "2026-12-02T12:00:00.000Z"
PLAYERS = ("ann", "bob", "cid", "dot")
GAVE = {
    ("player:ann", "points"): Decimal("10.5"),
    ("player:bob", "points"): Decimal(-8),
    ("house:fees", "points"): Decimal("-2.5"),
    ("player:ann", "coins"): Decimal(3),
    ("table:t-1", "coins"): Decimal(-3),
}
FACTS = TableFacts(
    table="t-1",
    version=60,
    rest_version=41,
    rest_head="ab" * 32,
    time=NOW,
    players=PLAYERS,
    hands={1: HandFacts(6, 40, ENDED, GAVE), 2: HandFacts(42)},
    times=(ENDED,) * 60,
)
ANN = Raise("ann", "t-1", "Bob played out of turn.", hand=1)


def happened(
    dispute: Dispute | None, command: DeskCommand, facts: TableFacts = FACTS, now: str = NOW
) -> tuple[Dispute, tuple[Recorded, ...]]:
    """The case after a command, and what the command made happen."""
    events = decide(dispute, "d-1", command, facts, Given(now, "key.caller.request"))
    for recorded in events:
        dispute = evolve(dispute, recorded)
    assert dispute is not None
    return dispute, events


def case(*commands: DeskCommand) -> Dispute:
    """A case after these commands, the first of which raises it."""
    dispute: Dispute | None = None
    for command in commands or (ANN,):
        dispute, _ = happened(dispute, command)
    assert dispute is not None
    return dispute


def rule_of(dispute: Dispute | None, command: DeskCommand, facts: TableFacts = FACTS, now: str = NOW) -> str | None:
    """The rule that refuses a command; None when it is allowed. A refusal leaves nothing behind."""
    refused = refusal(dispute, command, facts, now)
    if refused is not None:
        assert refused.en
        assert refused.zh
        with pytest.raises(Refused):
            decide(dispute, "d-1", command, facts, Given(now, "key.caller.request"))
    return refused.rule if refused else None


ASSIGNED = (ANN, Assign("eve", "operator"))
UPHELD = Rule("eve", "upheld", "The record is right.")
VOID = Rule("eve", "voided", "The cards were seen.")


def adjust(*amounts: tuple[str, str], house: bool = False) -> Rule:
    return Rule("eve", "adjusted", "A slip.", amounts=amounts, house=house)


# Raising


def test_a_player_of_the_table_raises_a_dispute_about_a_hand() -> None:
    dispute = case(ANN)
    assert (dispute.status, dispute.raised.hand, dispute.raised.players) == ("open", 1, PLAYERS)
    assert dispute.respond_by == "2026-12-09T12:00:00.000Z"


def test_a_dispute_about_an_event_is_about_its_hand() -> None:
    assert case(replace(ANN, hand=None, event=20)).raised.hand == 1
    assert case(replace(ANN, hand=None, event=3)).raised.hand is None


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"player": "eve"}, "not_a_party"),
        ({"hand": 7}, "no_such_hand"),
        ({"hand": 2}, "hand_running"),
        ({"hand": None, "event": 50}, "hand_running"),
        ({"hand": None, "event": 61}, "no_such_event"),
        ({"hand": None, "event": 0}, "no_such_event"),
        ({"event": 50}, "event_of_another_hand"),
        ({"event": 3}, "event_of_another_hand"),
    ],
)
def test_what_cannot_be_disputed(change: Mapping[str, Any], rule: str) -> None:
    assert rule_of(None, replace(ANN, **change)) == rule


def test_the_window_closes_seven_days_after_the_hand_ended() -> None:
    last = later(ENDED, 7)
    assert rule_of(None, ANN, now=last) is None
    assert rule_of(None, ANN, now=last.replace(".000Z", ".001Z")) == "window_over"
    assert refusal(None, ANN, FACTS, last.replace(".000Z", ".001Z"), Terms(raise_days=8)) is None


def test_an_event_outside_of_hands_and_a_table_have_windows_of_their_own() -> None:
    about_table = replace(ANN, hand=None)
    assert rule_of(None, about_table, now=later(NOW, 7)) is None
    assert rule_of(None, about_table, now=later(NOW, 8)) == "window_over"
    assert rule_of(None, replace(about_table, event=3), now=later(NOW, 7)) == "window_over"


def brought(*cases: Brought) -> TableFacts:
    return replace(FACTS, brought=cases)


@pytest.mark.parametrize(
    ("cases", "rule"),
    [
        ([Brought("ann", NOW)] * (MAX_CASES - 1), None),
        ([Brought("ann", NOW)] * MAX_CASES, "too_many_cases"),
        ([Brought("bob", NOW)] * MAX_CASES, None),
        ([Brought("ann", NOW, "ruled")] * MAX_CASES, None),
        ([Brought("ann", NOW, "withdrawn")] * MAX_CASES, "too_many_cases"),
        ([Brought("ann", ENDED, "withdrawn")] * MAX_CASES, None),  # a day ago
    ],
)
def test_a_player_has_so_many_cases_waiting_and_no_more(cases: list[Brought], rule: str | None) -> None:
    assert rule_of(None, ANN, brought(*cases)) == rule


def test_an_id_is_used_once() -> None:
    assert rule_of(case(), ANN) == "dispute_exists"


@pytest.mark.parametrize("command", [Attach("ann", "player", text="x"), Assign("eve", "op"), UPHELD, Withdraw("ann")])
def test_there_is_nothing_to_do_in_a_case_that_there_is_not(command: DeskCommand) -> None:
    assert rule_of(None, command) == "no_such_dispute"


# Evidence


def test_a_text_a_file_and_the_digest_of_a_file_are_evidence() -> None:
    dispute = case(
        ANN,
        Attach("bob", "player", text="我已过牌。"),
        Attach("ann", "player", name="a.png", content=b"\x00\x01"),
        Attach("operator", "operator", name="long.mp4", sha256="ab" * 32),
    )
    assert [(each.event.number, each.event.kind, each.event.size) for each in dispute.evidence] == [
        (1, "text", 15),
        (2, "file", 2),
        (3, "digest", None),
    ]
    assert dispute.evidence[1].event.sha256 == digest(b"\x00\x01")


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (Attach("zed", "player", text="x"), "not_a_party"),
        (Attach("eve", "adjudicator", text="x"), "not_the_adjudicator"),
        (Attach("ann", "player", name="a", content=bytes(MAX_FILE + 1)), "evidence_too_large"),
        (Attach("ann", "player", name="a", content=b"x", sha256="ab" * 32), "digest_differs"),
    ],
)
def test_what_is_no_evidence(command: Attach, rule: str) -> None:
    assert rule_of(case(), command) == rule


def test_a_player_attaches_so_much_and_takes_nobody_elses_room() -> None:
    one = case(*ASSIGNED, Attach("ann", "player", text="x"))
    full = one._replace(evidence=one.evidence * MAX_EVIDENCE)
    assert rule_of(full, Attach("ann", "player", text="x")) == "too_much_evidence"
    more = one._replace(evidence=one.evidence * 50)  # as a case of earlier days may have it
    for other in (
        Attach("bob", "player", text="x"),
        Attach("eve", "adjudicator", text="x"),
        Attach("ann", "auditor", text="x"),
    ):
        assert rule_of(more, other) is None


def test_the_house_attaches_so_much_and_takes_no_players_room() -> None:
    one = case(ANN, Attach("op", "operator", text="x"))
    full = one._replace(evidence=one.evidence * HOUSE_EVIDENCE)
    assert rule_of(full, Attach("op", "operator", text="x")) == "too_much_evidence"
    assert rule_of(full, Attach("ann", "player", text="x")) is None


# Assigning


def test_an_adjudicator_gets_the_case_and_perhaps_another_date() -> None:
    dispute = case(*ASSIGNED)
    assert (dispute.status, dispute.adjudicator) == ("assigned", "eve")
    assert dispute.respond_by == later(NOW, 7)
    moved, _ = happened(dispute, Assign("fay", "operator", later(NOW, 20)))
    assert (moved.adjudicator, moved.respond_by) == ("fay", later(NOW, 20))


@pytest.mark.parametrize("name", ["dot", "Dot", "DOT", "\uff24ot", "d\u2092t"])
def test_who_played_there_is_not_assigned_however_the_name_is_written(name: str) -> None:
    assert rule_of(case(), Assign(name, "operator")) == "played_there"
    assert rule_of(case(*ASSIGNED), replace(UPHELD, adjudicator=name)) == "played_there"
    assert rule_of(case(), Assign("dotty", "operator")) is None


def test_the_date_to_rule_by_lies_ahead() -> None:
    assert rule_of(case(), Assign("eve", "operator", NOW)) == "date_is_past"


def test_a_case_is_overdue_after_its_date_and_not_once_it_is_ruled_on() -> None:
    dispute = case(*ASSIGNED)
    late = later(NOW, 8)
    assert (dispute.overdue(NOW), dispute.overdue(late)) == (False, True)
    assert happened(dispute, UPHELD, now=late)[0].overdue(late) is False


# Ruling


def test_a_ruling_that_upholds_the_record_posts_nothing() -> None:
    dispute, events = happened(case(*ASSIGNED), UPHELD)
    assert dispute.status == "ruled"
    ruling = events[0].event
    assert isinstance(ruling, RulingGiven)
    assert (ruling.entries, ruling.table_version, ruling.table_head) == ((), 41, "ab" * 32)
    assert len(events) == 1


def test_a_void_hand_gives_back_all_that_it_gave_in_every_unit() -> None:
    _, events = happened(case(*ASSIGNED), VOID)
    adjusted = events[1].event
    assert isinstance(adjusted, LedgerAdjusted)
    assert {(entry.account, entry.unit): Decimal(entry.amount) for entry in adjusted.entries} == {
        account: -amount for account, amount in GAVE.items()
    }
    assert (adjusted.dispute, adjusted.table, adjusted.hand, adjusted.reason) == ("d-1", "t-1", 1, VOID.reason)


def test_a_void_hand_gives_back_what_earlier_rulings_made_of_it() -> None:
    _, earlier = happened(case(*ASSIGNED), adjust(("ann", "-10.5"), ("bob", "8"), house=True))
    first = earlier[0].event
    assert isinstance(first, RulingGiven)
    facts = replace(FACTS, earlier=(first,))
    _, events = happened(case(*ASSIGNED), VOID, facts)
    second = events[0].event
    assert isinstance(second, RulingGiven)
    left = dict(GAVE)
    for entry in (*first.entries, *second.entries):
        key = (entry.account, entry.unit)
        left[key] = left.get(key, Decimal(0)) + Decimal(entry.amount)
    assert set(left.values()) == {Decimal(0)}
    assert rule_of(case(*ASSIGNED), VOID, replace(FACTS, earlier=(second,))) == "hand_voided"


def test_amounts_are_adjusted_between_players_or_against_the_house() -> None:
    _, events = happened(case(*ASSIGNED), adjust(("ann", "7.50"), ("bob", "-7.5")))
    adjusted = events[1].event
    assert isinstance(adjusted, LedgerAdjusted)
    assert [(entry.account, entry.amount) for entry in adjusted.entries] == [
        ("player:ann", "7.5"),
        ("player:bob", "-7.5"),
    ]
    _, events = happened(case(*ASSIGNED), adjust(("ann", "7.5"), house=True))
    adjusted = events[1].event
    assert isinstance(adjusted, LedgerAdjusted)
    assert [(entry.account, entry.amount) for entry in adjusted.entries] == [("player:ann", "7.5"), (HOUSE, "-7.5")]


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (replace(UPHELD, adjudicator="fay"), "not_the_adjudicator"),
        (replace(UPHELD, adjudicator="dot"), "played_there"),
        (replace(VOID, hand=2), "hand_of_another_case"),
        (replace(UPHELD, hand=9), "hand_of_another_case"),
        (adjust(("ann", "7")), "amounts_do_not_balance"),
        (adjust(("ann", "7"), ("bob", "-6.9999")), "amounts_do_not_balance"),
        (adjust(("ann", "7"), ("zed", "-7")), "not_a_party"),
        (adjust(("ann", "7"), ("ann", "-7")), "amounts_unclear"),
        (adjust(("ann", "0"), ("bob", "-0.0")), "amounts_unclear"),
    ],
)
def test_rulings_that_are_refused(command: Rule, rule: str) -> None:
    assert rule_of(case(*ASSIGNED), command) == rule


def test_a_ruling_that_its_entries_cannot_hold_is_refused() -> None:
    """Amounts within bounds each, that add up beyond them: against the house, or with an earlier correction of the hand."""
    most = "999999999.9999"
    both = adjust(("ann", most), ("bob", most), house=True)
    assert rule_of(case(*ASSIGNED), both) == "amounts_too_large"
    _, earlier = happened(case(*ASSIGNED), adjust(("ann", most), ("bob", f"-{most}")))
    ruling = earlier[0].event
    assert isinstance(ruling, RulingGiven)
    twice = replace(FACTS, earlier=(ruling, ruling))
    assert rule_of(case(*ASSIGNED), VOID, twice) == "amounts_too_large"


def test_nobody_rules_who_sat_down_there_after_the_case_was_assigned() -> None:
    assert rule_of(case(*ASSIGNED), UPHELD, replace(FACTS, players=(*PLAYERS, "eve"))) == "played_there"


def test_a_dispute_about_a_table_says_which_hand_is_void() -> None:
    dispute = case(replace(ANN, hand=None), ASSIGNED[1])
    assert rule_of(dispute, VOID) == "no_hand"
    assert rule_of(dispute, replace(VOID, hand=1)) is None
    assert rule_of(dispute, replace(VOID, hand=2)) == "hand_running"
    assert rule_of(dispute, replace(VOID, hand=9)) == "no_such_hand"


def test_a_dispute_about_an_event_of_a_hand_is_ruled_on_for_that_hand() -> None:
    dispute = case(replace(ANN, hand=None, event=20), ASSIGNED[1])
    facts = replace(FACTS, hands={1: FACTS.hands[1], 2: HandFacts(42, 50, NOW, GAVE)})
    assert rule_of(dispute, replace(VOID, hand=2), facts) == "hand_of_another_case"
    assert rule_of(dispute, replace(adjust(("ann", "1"), ("bob", "-1")), hand=2), facts) == "hand_of_another_case"
    assert rule_of(dispute, replace(VOID, hand=1), facts) is None


def test_an_unassigned_case_is_nobodys_to_rule_on() -> None:
    assert rule_of(case(), UPHELD) == "not_the_adjudicator"


# The end


def test_who_raised_a_dispute_withdraws_it_and_nobody_else() -> None:
    assert rule_of(case(), Withdraw("bob")) == "not_the_raiser"
    assert case(ANN, Withdraw("ann", "settled")).status == "withdrawn"


@pytest.mark.parametrize("ending", [Withdraw("ann"), UPHELD])
@pytest.mark.parametrize("command", [Attach("ann", "player", text="x"), Assign("fay", "op"), UPHELD, Withdraw("ann")])
def test_a_closed_case_stays_closed(ending: DeskCommand, command: DeskCommand) -> None:
    assert rule_of(case(*ASSIGNED, ending), command) == "dispute_closed"


# The record


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (replace(ANN, claim=" \n"), "claim"),
        (replace(ANN, claim="a\x07b"), "claim"),
        (replace(ANN, claim="\ud800"), "claim"),
        (Attach("ann", "player"), "evidence"),
        (Attach("ann", "player", name="a"), "evidence"),
        (Attach("ann", "player", name="a", text="x", content=b"x"), "evidence"),
        (Attach("ann", "player", name="a", sha256="XYZ"), "sha256"),
        (Assign(" eve", "op"), "adjudicator"),
        (Assign("eve", "op", "tomorrow"), "respond_by"),
        (replace(UPHELD, reason=""), "reason"),
        (replace(UPHELD, amounts=(("ann", "1"),)), "amounts"),
        (adjust(), "amounts"),
        (adjust(("ann", "1e3")), "amount"),
        (adjust(("ann", "0.00001")), "amount"),
    ],
)
def test_what_makes_no_sense_names_the_field(command: DeskCommand, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        refusal(case(), command, FACTS, NOW)


def test_a_case_is_replayed_from_its_lines() -> None:
    commands = (*ASSIGNED, Attach("bob", "player", name="a", content=b"x"), adjust(("ann", "1"), ("bob", "-1")))
    dispute: Dispute | None = None
    lines = []
    for command in commands:
        dispute, events = happened(dispute, command)
        lines += [recorded.line for recorded in events]
    assert replay(check_line(line, "disputes") for line in lines) == dispute
    with pytest.raises(Unreadable, match="source"):
        check_line(lines[0])  # no table's event
    with pytest.raises(ValueError, match="does not follow"):
        replay(check_line(line, "disputes") for line in (lines[0], lines[2]))


def test_a_ruling_recorded_without_its_entries_is_finished_as_it_was_begun() -> None:
    _, events = happened(case(*ASSIGNED), VOID)
    half = evolve(case(*ASSIGNED), events[0])
    assert half.due is not None
    assert finish(half, Given(events[0].time, events[0].command)) == events[1:]
    assert finish(evolve(half, events[1]), Given(NOW, "x")) == ()


def test_entries_that_follow_from_no_ruling_do_not_fit() -> None:
    _, events = happened(case(*ASSIGNED), VOID)
    other = case(ANN, Assign("fay", "operator"))
    forged = events[1]._replace(version=3, prev=other.head)
    with pytest.raises(ValueError, match="no ruling"):
        evolve(other, forged)


def test_the_facts_of_a_table_are_in_its_record() -> None:
    recorded = list(simulate("huopin", 2, "facts"))
    facts = facts_of(recorded, {1: {("player:x", "points"): Decimal(1)}})
    assert sorted(facts.hands) == [1, 2]
    assert facts.hands[1].gave == {("player:x", "points"): Decimal(1)}
    assert len(facts.players) == 4
    assert all(facts.hand_of(hand.first) == number for number, hand in facts.hands.items())
    assert facts.hand_of(1) is None
    assert (facts.version, facts.rest_version, facts.rest_head) == (*[recorded[-1].version] * 2, recorded[-1].hash)


def test_while_a_hand_is_played_nothing_says_a_hash_of_it() -> None:
    recorded = list(simulate("huopin", 2, "facts"))
    facts = facts_of(recorded, {})
    begins = facts.hands[2].first
    revealed = next(each.version for each in recorded[begins:] if isinstance(each.event, SeedRevealed))
    for until in range(begins, revealed):
        running = facts_of(recorded[:until], {})
        assert (running.version, running.rest_version, running.rest_head) == (
            until,
            begins - 1,
            recorded[begins - 2].hash,
        )
    over = facts_of(recorded[:revealed], {})
    assert (over.rest_version, over.rest_head) == (revealed, recorded[revealed - 1].hash)


@draw(st.lists(st.tuples(st.sampled_from(PLAYERS), st.decimals(-999, 999, places=4)), unique_by=lambda pair: pair[0]))
def test_whatever_a_ruling_adjusts_the_entries_add_up_to_zero(amounts: list[tuple[str, Decimal]]) -> None:
    command = adjust(*((player, format(amount, "f")) for player, amount in amounts), house=True)
    if amounts and all(amount for _, amount in amounts):
        _, events = happened(case(*ASSIGNED), command)
        ruling = events[0].event
        assert isinstance(ruling, RulingGiven)
        assert sum(Decimal(entry.amount) for entry in ruling.entries) == 0


@draw(st.binary(max_size=200))
def test_a_file_is_recorded_with_its_own_digest(content: bytes) -> None:
    event = happened(case(), Attach("ann", "player", name="f", content=content))[1][0].event
    assert isinstance(event, EvidenceAttached)
    assert (event.sha256, event.size) == (digest(content), len(content))
