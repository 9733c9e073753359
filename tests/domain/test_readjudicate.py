"""The same deals and plays under other rules: what becomes illegal, what reads and scores otherwise."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.climbing.ruleset import Ruleset
from domain.climbing.rulesets import get
from domain.hands import AnyRuleset, all_rulesets, get_ruleset
from domain.judged import HandVerdict
from domain.readjudicate import readjudicate
from domain.refusal import Refused
from domain.simulate import simulate
from domain.table import Given, decide, evolve, replay
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.rulesets import get as get_trumps
from schemas.envelope import Recorded
from schemas.events import HandScored, TableOpened
from schemas.trumps import HandSettled, ThrowFailed
from tests.domain.test_golden_matches import recorded
from tests.kit.spec import move, opened

CLIMBING = ["basic", "jj", "huopin", "qianbian", "jinbao"]
NINGXIA = get_trumps("ningxia")


@cache
def match(ruleset: str, seed: str = "judge", bot: str = "random") -> tuple[Recorded, ...]:
    return tuple(simulate(ruleset, 2, seed, bot))


def played(ruleset: str, holdings: Sequence[str], *moves: str) -> list[Recorded]:
    """The record of a hand with these holdings in which these moves were made; seat 0 leads."""
    events = opened(ruleset, holdings)
    table = replay(events)
    for number, text in enumerate(moves):
        for each in decide(table, "t", move(text), Given(events[-1].time, f"m{number}", "5" * 64)):
            table = evolve(table, each)
            events.append(each)
    return events


def judged(events: Sequence[Recorded], other: AnyRuleset | str) -> HandVerdict:
    """The only hand of these events by other rules."""
    return readjudicate(events, get_ruleset(other) if isinstance(other, str) else other).hands[0]


@given(ruleset=st.sampled_from([ruleset.id for ruleset in all_rulesets()]), seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_the_own_rules_change_nothing(ruleset: str, seed: int) -> None:
    found = readjudicate(tuple(simulate(ruleset, 1, str(seed))), get_ruleset(ruleset))
    assert found.same
    assert [each.status for each in found.hands] == ["legal"]
    assert all(was == would for was, would in found.totals.values())


def test_the_totals_of_the_own_rules_are_the_scores_of_the_match() -> None:
    for ruleset in CLIMBING:
        assert {name: was for name, (was, _) in readjudicate(match(ruleset), get(ruleset)).totals.items()} == dict(
            replay(match(ruleset)).scores
        )


@pytest.mark.parametrize("ruleset", CLIMBING)
def test_a_table_of_another_family_cannot_be_judged(ruleset: str) -> None:
    with pytest.raises(Refused, match="another family"):
        readjudicate(match(ruleset), NINGXIA)
    with pytest.raises(Refused, match="another family"):
        readjudicate(match("ningxia"), get(ruleset))


def test_a_wildcard_straight_is_illegal_where_nothing_is_wild() -> None:
    """C3.3: in `basic` the big joker is no wildcard."""
    events = played("huopin", ["4S 5H 6C 7D BJ 3S", "3H 9S", "3C 9H", "3D 9C"], "0: 4S 5H 6C 7D BJ")
    found = judged(events, "basic")
    assert found.status == "illegal"
    assert [(each.version, each.refusal.rule, each.refusal.clause) for each in found.illegal] == [
        (8, "no_pattern", "C3")
    ]
    assert judged(events, "jinbao").status == "unfinished"
    assert judged(events, "jinbao").illegal == ()


def test_play_goes_on_as_recorded_after_an_illegal_act_and_every_later_one_is_found_too() -> None:
    events = played(
        "huopin",
        ["4S 5H 6C 7D BJ 3S", "3H 9S", "7H 7S 7C BJ 9H 9D", "3D 9C"],
        "0: 4S 5H 6C 7D BJ",
        "1: pass",
        "2: 7H 7S 7C BJ",
        "3: pass",
        "0: pass",
        "1: pass",
        "2: 9D",
    )
    found = judged(events, "basic")
    assert [each.cards for each in found.illegal] == [("4S", "5H", "6C", "7D", "BJ"), ("7S", "7H", "7C", "BJ")]
    assert [each.seat for each in found.illegal] == [0, 2]


def test_stars_where_bombs_went_by_size_are_another_reading() -> None:
    """C4.6: where bombs go by stars, a bomb of five has five."""
    events = played("basic", ["7S 7H 7C 7D 7S 3S", "3H", "3C", "3D"], "0: 7S 7H 7C 7D 7S")
    found = judged(events, "huopin")
    assert [(each.recorded.stars, each.other.stars) for each in found.readings] == [(0, 5)]
    assert found.illegal == ()


def test_a_double_scores_by_the_base_points_of_the_other_rules() -> None:
    """C6.1: a double is 4 in `basic` and 6 in `jj`."""
    events = played("basic", ["7S", "3H 4H", "7C", "3D 4D"], "0: 7S", "1: pass", "2: pass", "3: pass", "2: 7C")
    found = judged(events, "jj")
    assert found.differs["score"] == ((4, -4, 4, -4), (6, -6, 6, -6))
    assert found.status == "legal"
    assert [note.clause for note in found.notes] == ["C2"]  # who leads is found otherwise, but taken as recorded


def test_a_bomb_multiplies_and_contributes_by_the_other_rules() -> None:
    """C6.2, C6.3: six stars are ×2 in `jj`; in `huopin` they are ×4 and 2 points from each other player."""
    holdings = ["7S 7H 7C 7D 7S 7H 8S", "3H 4H", "9C", "3D 4D"]
    events = played(
        "jj", holdings, "0: 7S 7H 7C 7D 7S 7H", "1: pass", "2: pass", "3: pass", "0: 8S", "1: pass", "2: 9C"
    )
    found = judged(events, "huopin")
    assert found.differs["multiplier"] == (2, 4)
    assert found.differs["contribution"] == ((0, 0, 0, 0), (6, -2, -2, -2))
    assert found.differs["score"] == ((12, -12, 12, -12), (22, -18, 14, -18))


def test_a_hand_with_an_illegal_act_does_not_count_in_the_totals() -> None:
    found = readjudicate(match("qianbian"), get("basic"))
    assert {each.status for each in found.hands} == {"illegal"}
    assert found.counted == ()
    assert found.totals == {}
    assert all(each.other is not None for each in found.hands)


def test_contributions_of_a_hand_that_was_left_stand_or_not_by_the_other_rules() -> None:
    """C5.5 [house]."""
    withdrawn = replace(get("huopin"), version=2, abandoned_contribution_stands=False)
    found = readjudicate(recorded("huopin"), withdrawn).hands[1]
    assert found.recorded is not None
    assert found.differs == {"contribution": (found.recorded.score, (0, 0, 0, 0))}


def test_without_catching_the_wind_another_leads_and_the_recorded_leader_is_out_of_turn() -> None:
    """C5.3."""
    still = replace(get("huopin"), version=2, catch_the_wind=False)
    found = readjudicate(recorded("huopin-v1"), still).hands[0]
    assert found.illegal[0].refusal.rule == "not_your_turn"


def test_coins_are_paid_by_the_other_rules_only_where_they_have_them() -> None:
    """C6.6."""
    found = readjudicate(recorded("qianbian"), get("huopin")).hands[0]
    assert found.other is not None
    assert found.other.facts["coins"] is None
    assert readjudicate(recorded("qianbian"), get("qianbian")).same


def test_a_hand_that_is_still_played_is_unfinished() -> None:
    events = match("basic")
    found = readjudicate(events[: len(events) // 4], get("jj"))
    assert [each.status for each in found.hands] == ["unfinished"]
    assert found.totals == {}


def house(**changed: object) -> TrumpsRuleset:
    return replace(NINGXIA, version=2, **changed)  # type: ignore[arg-type]


def test_a_throw_beyond_the_limit_is_illegal() -> None:
    """T5.6."""
    found = readjudicate(recorded("ningxia"), house(failed_throws=0)).hands[0]
    assert found.illegal[0].refusal.rule == "throw_limit"
    assert found.illegal[0].refusal.clause == "T5.6"
    failed = [each.version for each in recorded("ningxia") if each.event.TYPE == "throw-failed"]
    assert failed[0] in [each.version for each in found.illegal]


def test_a_failed_throw_costs_what_the_other_rules_say() -> None:
    """T5.5: every throw that failed counts for or against the attackers."""
    events = match("ningxia", "rj")
    failed = [each.event for each in events if isinstance(each.event, ThrowFailed) and each.event.hand == 1]
    assert sum(each.points for each in failed) != 0
    for penalty in (0, 25):
        found = readjudicate(events, house(throw_penalty=penalty)).hands[0]
        assert found.status == "legal"
        was, would = found.differs["taken"]
        assert would - was == sum((penalty - 10) * (1 if each.points > 0 else -1) for each in failed)


def test_an_escape_is_paid_for_by_the_other_rules() -> None:
    """T8.3."""
    found = readjudicate(recorded("ningxia"), house(escape_factor=2)).hands[1]
    was, would = found.differs["score"]
    assert min(would) * 2 == min(was)


def test_a_hand_stops_where_the_other_rules_would_ask_somebody_else() -> None:
    """T3.5: where no trump is not final, the seats are asked to counter it."""
    for number in range(40):
        found = readjudicate(match("ningxia", f"judge {number}"), house(no_trump_is_final=False))
        stopped = [each for each in found.hands if each.status == "stopped"]
        if stopped:
            assert stopped[0].notes[-1].clause == "T3.2"
            assert "countering" in stopped[0].notes[-1].en
            assert stopped[0].other is None
            return
    raise AssertionError("no trump was never in force")


def test_a_hand_stops_where_the_other_rules_lead_other_cards() -> None:
    """T5.4 [house]: which of equally low beatable parts is led."""
    for number in range(60):
        found = readjudicate(match("ningxia", f"judge {number}"), house(forced_lead_tie="most_cards"))
        stopped = [each for each in found.hands if each.status == "stopped"]
        if stopped:
            assert stopped[0].notes[-1].clause == "T5.4"
            return
    raise AssertionError("no throw failed with a tie")


def test_another_size_of_the_deal_cannot_be_judged() -> None:
    """T2.1."""
    found = readjudicate(match("ningxia"), house(holding_cards=24, kitty_cards=12))
    assert {each.status for each in found.hands} == {"stopped"}
    assert "24 cards each" in found.hands[0].notes[0].en


def test_nothing_in_the_record_is_changed() -> None:
    """The judge reads; the record and its results stay what they are."""
    for ruleset in CLIMBING:
        scored = [each.event for each in match(ruleset) if isinstance(each.event, HandScored)]
        found = readjudicate(match(ruleset), get("jj"))
        assert [each.recorded.score if each.recorded else None for each in found.hands] == [
            each.score for each in scored
        ]
    settled = [each.event.score for each in match("ningxia") if isinstance(each.event, HandSettled)]
    assert [each.recorded.score for each in readjudicate(match("ningxia"), NINGXIA).hands if each.recorded] == settled


def test_every_pair_of_climbing_rulesets_can_be_compared() -> None:
    for one in CLIMBING:
        opening = match(one)[0].event
        assert isinstance(opening, TableOpened)
        for other in all_rulesets():
            if isinstance(other, Ruleset):
                found = readjudicate(match(one), other)
                assert len(found.hands) == 2
                assert all(each.status in {"legal", "illegal"} for each in found.hands)
