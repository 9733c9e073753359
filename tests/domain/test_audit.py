"""Why something was legal, and what else was: the situation of every event, by clause."""

from collections.abc import Sequence
from functools import cache

import pytest

from domain.audit import WHY, situation, situation_at, span_of
from domain.hands import all_rulesets
from domain.simulate import simulate
from domain.table import Table, evolve, replay
from schemas.canonical import GENESIS
from schemas.envelope import Recorded, read_line, record
from schemas.events import Played
from schemas.notation import Unreadable
from schemas.registry import EVENTS, kind_of
from schemas.situations import Situation
from tests.domain.test_golden_matches import NAMES, recorded
from tests.kit.spec import move, opened


@cache
def match(ruleset: str) -> tuple[Recorded, ...]:
    return tuple(simulate(ruleset, 1, "audit"))


def after(ruleset: str, holdings: Sequence[str], *moves: str) -> Situation:
    """The situation of the last of these moves, with these holdings; seat 0 leads."""
    from domain.table import Given, decide

    table: Table | None = None
    events = list(opened(ruleset, holdings))
    table = replay(events)
    for number, text in enumerate(moves):
        happened = decide(table, "t", move(text), Given(events[-1].time, f"m{number}", "5" * 64))
        before = table
        for each in happened:
            table = evolve(table, each)
    return situation(before, happened, happened[0].version)


def clauses(found: Situation) -> list[str]:
    return [reason.clause for reason in found.reasons]


def test_every_event_of_a_table_has_words() -> None:
    assert set(WHY) == {cls.TYPE for cls in EVENTS.values() if kind_of(cls) == "tables"}


@pytest.mark.parametrize("name", NAMES)
def test_everything_in_a_match_that_verifies_is_legal_and_has_a_reason(name: str) -> None:
    table: Table | None = None
    events = recorded(name)
    for first, last in sorted(
        {span_of(v, len(events), lambda at: events[at - 1].command) for v in range(1, len(events) + 1)}
    ):
        found = situation(table, events[first - 1 : last], last, limit=5)
        assert found.legal, found
        assert found.reasons, found
        assert all(each.en and each.zh for each in found.reasons)
        assert all(each.en and each.zh for each in found.events)
        for each in events[first - 1 : last]:
            table = evolve(table, each)


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in all_rulesets()])
def test_what_was_done_is_among_what_could_be_done(ruleset: str) -> None:
    events, table, asked = match(ruleset), None, 0
    for each in events:
        found = situation_of(table, each, events)
        table = evolve(table, each)
        if found is None or found.act.do not in {"play", "pass", "decline", "counter"} or found.choices.total is None:
            continue
        if found.act.kind == "throw":  # any cards of one suit may be thrown: those are not listed
            continue
        listed = {(act.do, count(act.cards, ruleset)) for act in found.choices.acts}
        assert (found.act.do, count(found.act.cards, ruleset)) in listed
        assert len(found.choices.acts) == found.choices.total
        asked += 1
    assert asked > 50


def situation_of(table: Table | None, each: Recorded, events: Sequence[Recorded]) -> Situation | None:
    first, last = span_of(each.version, len(events), lambda at: events[at - 1].command)
    return situation(table, events[first - 1 : last], each.version, 10_000) if first == each.version else None


def count(cards: Sequence[str], ruleset: str) -> tuple[str, ...]:
    """What matters of cards: in the climbing family only their ranks."""
    return tuple(
        sorted(cards if ruleset == "ningxia" else (card if card in {"LJ", "BJ"} else card[0] for card in cards))
    )


def test_a_leader_leads_any_pattern() -> None:
    found = after("huopin", ["7S 7H 7C 7D BJ 3S", "3H", "3C", "3D"], "0: 7S 7H 7C 7D BJ")
    assert clauses(found) == ["C3.1", "C3.4", "C5.1"]
    assert found.act.reading is not None
    assert (found.act.reading.pattern, found.act.reading.stars) == ("bomb", 5)
    assert found.to_beat is None


def test_of_several_readings_the_strongest_holds_when_leading_and_the_others_are_named() -> None:
    found = after("huopin", ["4S 5H 6C 7D 8D BJ 3S", "3H", "3C", "3D"], "0: 4S 5H 6C 7D 8D BJ")
    assert clauses(found) == ["C3.1", "C3.4", "C3.7", "C5.1"]
    assert found.act.reading is not None
    assert found.act.reading.rank == "9"
    assert "straight to 8" in found.reasons[2].en


def test_a_higher_rank_of_the_same_pattern_beats() -> None:
    found = after("basic", ["3S 4S", "5H 6S", "3C", "3D"], "0: 3S", "1: 5H")
    assert clauses(found) == ["C3.1", "C4.1"]
    assert found.to_beat is not None
    assert found.to_beat.cards == ("3S",)
    assert "5 over 3" in found.reasons[-1].en
    assert found.holding == ("5H", "6S")
    assert found.holdings[0] == ("4S",)


@pytest.mark.parametrize(
    ("ruleset", "holdings", "moves", "clause", "words"),
    [
        ("basic", ["3S 4S", "5S 5H 5C 5D 9S", "3C", "3D"], ("0: 3S", "1: 5S 5H 5C 5D"), "C4.1", "A bomb beats"),
        (
            "basic",
            ["5S 5H 5C 5D 9S", "4S 4H 4C 4D 4S 9H", "3C", "3D"],
            ("0: 5S 5H 5C 5D", "1: 4S 4H 4C 4D 4S"),
            "C4.3",
            "more cards, 5 over 4",
        ),
        (
            "basic",
            ["5S 5H 5C 5D 9S", "LJ LJ BJ BJ 9H", "3C", "3D"],
            ("0: 5S 5H 5C 5D", "1: LJ LJ BJ BJ"),
            "C4.3",
            "Four jokers",
        ),
        (
            "jinbao",
            ["5S 5H 5C 5D 5S 9S", "LJ LJ BJ 9H", "3C", "3D"],
            ("0: 5S 5H 5C 5D 5S", "1: LJ LJ BJ"),
            "C4.4",
            "Three jokers",
        ),
        (
            "huopin",
            ["5S 5H 5C 5D 9S", "4S 4H 4C 4D 4S 9H", "3C", "3D"],
            ("0: 5S 5H 5C 5D", "1: 4S 4H 4C 4D 4S"),
            "C4.5",
            "more stars, 5 over 4",
        ),
        (
            "huopin",
            ["LJ LJ BJ 9S", "5S 5H 5C 5D 5S 5H 9H", "3C", "3D"],
            ("0: LJ LJ BJ", "1: 5S 5H 5C 5D 5S 5H"),
            "C4.6",
            "three jokers are the weakest",
        ),
    ],
)
def test_the_stronger_bomb_wins_by_the_order_of_the_ruleset(
    ruleset: str, holdings: list[str], moves: tuple[str, ...], clause: str, words: str
) -> None:
    found = after(ruleset, holdings, *moves)
    assert found.reasons[-1].clause == clause
    assert words in found.reasons[-1].en


def test_who_does_not_lead_may_pass_and_the_trick_that_ends_is_explained() -> None:
    found = after("basic", ["3S 4S", "5H 6S", "3C", "3D"], "0: 3S", "1: pass", "2: pass", "3: pass")
    assert clauses(found) == ["C5.1"]
    assert [(each.type, each.clause) for each in found.events] == [("passed", "C5.1"), ("trick-won", "C5.2")]
    assert found.choices.acts[0].do == "pass"


def test_a_forged_play_is_shown_with_the_rule_it_breaks() -> None:
    events = list(match("huopin"))
    at = next(index for index, each in enumerate(events) if isinstance(each.event, Played) and each.event.trick > 1)
    forged = events[at].event
    assert isinstance(forged, Played)
    other = next(seat for seat in range(4) if seat != forged.seat)
    events[at] = record(
        events[at].table, at + 1, GENESIS, events[at].time, "forged", forged.model_copy(update={"seat": other})
    )
    found = situation_at(events, at + 1)
    assert not found.legal
    assert found.broken is not None
    assert (found.broken.rule, found.broken.clause) == ("not_your_turn", "C5.6")
    assert found.reasons == ()


def test_an_event_in_the_middle_is_explained_by_what_its_command_did() -> None:
    events = match("huopin")
    scored = next(each for each in events if each.event.TYPE == "hand-scored")
    found = situation_at(events, scored.version)
    assert found.first < scored.version < found.last
    assert found.act.do == "play"
    assert next(each for each in found.events if each.version == scored.version).clause == "C5.4"


def test_what_the_table_does_for_a_seat_is_told_apart() -> None:
    events = recorded("ningxia")
    out_of_time = [each.version for each in events if each.event.TYPE == "timed-out"]
    for version in out_of_time:
        found = situation_at(events, version)
        assert found.by_table
        assert found.act.do in {"play", "decline"}
        assert len(found.reasons) >= 2


@pytest.mark.parametrize(
    ("topic", "clause"),
    [
        ("trump-declared", "T2.2"),
        ("kitty-countered", "T3.2"),
        ("kitty-buried", "T3.1"),
        ("counter-declined", "T3.4"),
        ("declaration-declined", "T2.1"),
        ("throw-failed", "T5.4"),
        ("hand-escaped", "T8"),
        ("cards-dealt", "T2.1"),
    ],
)
def test_what_happens_in_a_trump_game_is_allowed_by_its_clause(topic: str, clause: str) -> None:
    events = recorded("ningxia")
    version = next(each.version for each in events if topic == each.event.TYPE)
    found = situation_at(events, version)
    assert clause in clauses(found)
    assert found.trumps is not None


def test_following_names_what_was_held() -> None:
    events = recorded("ningxia")
    for each in events:
        found = situation_at(events, each.version, 1)
        if found.act.kind == "discard" and found.act.do == "play" and "T6.4" in clauses(found):
            assert found.to_beat is not None
            assert "No " in found.reasons[0].en
            return
    raise AssertionError("nobody discarded")


def test_an_event_that_is_not_there_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="no event 999999"):
        situation_at(match("basic"), 999_999)
    with pytest.raises(Unreadable, match="no event 0"):
        situation_at(match("basic"), 0)


def test_it_is_the_same_from_the_bytes() -> None:
    events = [read_line(each.line) for each in match("jj")]
    assert situation_at(events, 60) == situation_at(match("jj"), 60)


def forged(events: Sequence[Recorded], kind: str, **fields: object) -> tuple[Recorded, ...]:
    """The match with other fields in its first event of this type, chained anew as a forger does."""
    at = next(each.version for each in events if kind == each.event.TYPE)
    made: list[Recorded] = []
    for each in events:
        event = each.event.model_copy(update=fields) if each.version == at else each.event
        prev = made[-1].hash if made else GENESIS
        made.append(record(each.table, each.version, prev, each.time, each.command, event))
    return tuple(made)


@pytest.mark.parametrize(
    ("ruleset", "kind", "fields", "words"),
    [
        ("jj", "hand-scored", {"score": (600, -600, 600, -600)}, "hand-scored.score: the rules give"),
        ("jj", "finished", {"position": 4}, "finished.position: the rules give 1"),
        ("jj", "trick-won", {"leads": 9}, "trick-won.leads: the rules give"),
        ("jj", "dealt", {"leader": 9}, "dealt.leader: the rules give"),
        ("jj", "hand-started", {"commitment": "0" * 64}, "hand-started.commitment: the rules give"),
        ("ningxia", "points-taken", {"points": 100}, "points-taken.points: the rules give"),
        ("ningxia", "hand-settled", {"points": 205}, "hand-settled.points: the rules give"),
        ("ningxia", "cards-dealt", {"cards": ("BJ",)}, "cards-dealt.cards: the rules give"),
    ],
)
def test_what_a_forger_says_came_of_a_legal_act_is_not_called_legal(
    ruleset: str, kind: str, fields: dict[str, object], words: str
) -> None:
    events = forged(match(ruleset), kind, **fields)
    at = next(each.version for each in events if kind == each.event.TYPE)
    found = situation_at(events, at)
    assert not found.legal
    assert found.reasons == ()
    assert found.broken is not None
    assert words in found.broken.en
    assert f"Event {at}: " in found.broken.en


def test_a_player_nobody_could_have_seated_is_shown_as_such() -> None:
    found = situation_at(forged(match("jj"), "player-seated", player="x\n"), 2)
    assert found.broken is not None
    assert "player: must be a name" in found.broken.en
