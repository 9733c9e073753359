"""A sixth variant is data: these lines are all it takes (docs/guide/new-ruleset.md)."""

from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from domain.cards import counts_of_ranks
from domain.chance import seeded
from domain.climbing.bots import greedy_choice
from domain.climbing.dealing import deal
from domain.climbing.hand import begin, decide, evolve, refusal
from domain.climbing.rulesets import get
from domain.climbing.scoring import BombPlay, settle
from domain.climbing.tables import tables_for
from schemas.commands import Pass, Play
from schemas.events import HandStarted
from tests.domain.climbing.kit import short, spell

T = TypeVar("T")

SIXTH = replace(
    get("basic"),
    id="sixth",
    title_zh="第六种",
    title_en="A sixth variant",
    wildcards=("LJ", "BJ"),
    triple_run_from=2,
    little_and_big_pair=True,
)


def test_a_sixth_variant_reads_beats_and_scores() -> None:
    tables = tables_for(SIXTH)
    cases = {"333 44 LJ": "triple_run", "7777 LJ BJ": "bomb", "LJ BJ": "pair", "3333 4444 5555": None, "LJ LJ BJ": None}
    for cards, pattern in cases.items():
        reading = tables.read(counts_of_ranks(spell(cards)), None)
        assert (reading and reading.pattern) == pattern
    six = tables.read(counts_of_ranks(spell("7777 LJ BJ")), tables.read(counts_of_ranks(spell("22222")), None))
    assert six is not None
    assert short(six) == ("bomb", "7", 6, 1, 0)
    assert settle(SIXTH, (0, 2, 1, 3), [BombPlay(0, six)]).score == (12, -12, 12, -12)


def test_a_whole_hand_of_it_is_played() -> None:
    """The hand, its tricks and its score ask the ruleset; nothing else has to know the variant."""
    players = ("ann", "bob", "cat", "dan")
    started = HandStarted(hand=1, ruleset="sixth", ruleset_version=1, commitment="0" * 64, players=players)
    version, hand = 1, begin(started, SIXTH, None)
    for event in deal(SIXTH, started, None, seeded("6" * 64, "t", 1)):
        version += 1
        hand = evolve(hand, event, version)
    while not hand.over:
        seat = some(hand.turn)
        cards = greedy_choice(tables_for(SIXTH), hand.holdings[seat], hand.lead)
        command = Play(seat, cards) if cards else Pass(seat)
        assert refusal(hand, command) is None
        for event in tuple(decide(hand, command, version + 1)):
            version += 1
            hand = evolve(hand, event, version)
    assert hand.scored is not None
    assert sorted(hand.finish) == [0, 1, 2, 3]
    assert sum(hand.scored.score) == 0


def some(value: T | None) -> T:
    assert value is not None
    return value


def test_its_options_are_its_legal_plays() -> None:
    tables = tables_for(SIXTH)
    ranks = spell("33 44 5 6 LJ LJ BJ BJ")
    sets = {counts_of_ranks(part) for size in range(1, 11) for part in combinations(ranks, size)}
    legal = {counts for counts in sets if tables.read(counts, None)}
    assert {option.counts for option in tables.options(counts_of_ranks(ranks), None)} == legal
