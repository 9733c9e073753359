"""Sections 1 to 4 of the climbing rules, clause by clause (docs/rules/climbing.md)."""

import pytest

from domain.cards import counts_of, counts_of_ranks, pick
from domain.climbing.rulesets import UnknownRuleset, all_rulesets, get
from schemas.notation import Unreadable
from tests.domain.climbing.kit import IDS, read, short, spell, tables

WORKED = [
    ("jj", "3333 BJ", ("bomb", "3", 5, 1, 5), "3"),
    ("jj", "56789 BJ", ("straight", "T", 6, 6, 0), "T"),
    ("jj", "33 4 55 BJ", ("pair_run", "5", 6, 3, 0), "4"),
    ("jj", "33 4 5 BJ BJ", ("pair_run", "5", 6, 3, 0), "45"),
    ("huopin", "7777 BJ", ("bomb", "7", 5, 1, 5), "7"),
    ("huopin", "45678 BJ", ("straight", "9", 6, 6, 0), "9"),
    ("huopin", "77 8 99 BJ", ("pair_run", "9", 6, 3, 0), "8"),
    ("huopin", "77 8 9 BJ BJ", ("pair_run", "9", 6, 3, 0), "89"),
    ("qianbian", "7777 LJ", ("bomb", "7", 5, 1, 5), "7"),
    ("qianbian", "45678 LJ", ("straight", "9", 6, 6, 0), "9"),
    ("qianbian", "77 8 9 BJ LJ", ("pair_run", "9", 6, 3, 0), "89"),
    ("qianbian", "5678 LJ", ("straight", "9", 5, 5, 0), "9"),
    ("qianbian", "7777 88888 999999 BJ LJ", ("chain", "9", 17, 3, 11), "99"),
    ("jinbao", "555 77", ("full_house", "5", 5, 1, 0), ""),
    ("huopin", "77777 88888 99999", ("chain", "9", 15, 3, 8), ""),
]


@pytest.mark.parametrize(("ruleset_id", "cards", "reading", "stood_for"), WORKED, ids=str)
def test_c3_worked_examples(ruleset_id: str, cards: str, reading: tuple[object, ...], stood_for: str) -> None:
    found = read(ruleset_id, cards)
    assert found is not None
    assert short(found) == reading
    assert found.stands_for == tuple(stood_for)


PATTERNS = [
    ("single", "3", "single", "all"),
    ("single joker", "BJ", "single", "all"),
    ("pair", "22", "pair", "all"),
    ("pair of little jokers", "LJ LJ", "pair", "all"),
    ("pair of big jokers", "BJ BJ", "pair", "all"),
    ("triple", "222", "triple", "all"),
    ("straight", "TJQKA", "straight", "all"),
    ("straight of twelve", "3456789TJQKA", "straight", "all"),
    ("straight of four", "3456", None, ""),
    ("straight to 2", "JQKA2", None, ""),
    ("straight around", "A2345", None, ""),
    ("pair run", "334455", "pair_run", "all"),
    ("pair run of two", "3344", None, ""),
    ("pair run with 2", "KKAA22", None, ""),
    ("triple run", "333444555", "triple_run", "all"),
    ("triple run of two", "333444", "triple_run", "jinbao"),
    ("full house", "333 44", "full_house", "jinbao"),
    ("triple and two", "333 45", None, ""),
    ("bomb of four", "2222", "bomb", "all"),
    ("bomb of eight", "22222222", "bomb", "all"),
    ("chain", "3333 4444 5555", "chain", "jj huopin qianbian"),
    ("chain of two", "3333 4444", None, ""),
    ("chain of six", "3333 4444 5555 6666 7777 8888", "chain", "jj huopin qianbian"),
    ("chain of seven", "3333 4444 5555 6666 7777 8888 9999", None, ""),
    ("chain to 2", "KKKK AAAA 2222", None, ""),
    ("mixed chain", "3333 44444 5555", "chain", "qianbian"),
    ("three jokers", "LJ LJ BJ", "three_jokers", "jj huopin qianbian jinbao"),
    ("four jokers", "LJ LJ BJ BJ", "four_jokers", "all"),
    ("little and big joker", "LJ BJ", "pair", "jj huopin qianbian jinbao"),
    ("two unlike cards", "34", None, ""),
]


@pytest.mark.parametrize(("cards", "pattern", "where"), [row[1:] for row in PATTERNS], ids=[row[0] for row in PATTERNS])
@pytest.mark.parametrize("ruleset_id", IDS)
def test_c3_1_patterns(ruleset_id: str, cards: str, pattern: str | None, where: str) -> None:
    found = read(ruleset_id, cards)
    expected = pattern if where == "all" or ruleset_id in where.split() else None
    assert (found and found.pattern) == expected


@pytest.mark.parametrize("ruleset_id", ["jj", "huopin", "qianbian", "jinbao"])
def test_c3_1_more_than_eight_of_a_rank_is_no_pattern(ruleset_id: str) -> None:
    assert read(ruleset_id, "77777777 BJ") is None


WILD = [
    ("qianbian", "LJ BJ", "pair", "LJ", "LJ"),
    ("huopin", "3 BJ", "pair", "3", "3"),
    ("huopin", "3 LJ", None, "", ""),
    ("qianbian", "3 LJ", "pair", "3", "3"),
    ("basic", "3 BJ", None, "", ""),
    ("basic", "LJ BJ", None, "", ""),
    ("jinbao", "333 LJ LJ", "full_house", "3", ""),
    ("jinbao", "55 LJ LJ BJ", "full_house", "5", "5"),
    ("jinbao", "555 LJ BJ", "full_house", "5", "LJ"),
    ("jinbao", "55 LJ BJ BJ", "full_house", "5", "5 LJ"),
    ("jinbao", "55 77 BJ", "full_house", "7", "7"),
    ("jinbao", "555 7 BJ", "full_house", "5", "7"),
    ("jinbao", "555 BJ BJ", "bomb", "5", "5 5"),
    ("jinbao", "333 4 BJ BJ", "triple_run", "4", "4 4"),
    ("huopin", "TJQK BJ", "straight", "A", "A"),
    ("huopin", "JQKA BJ", "straight", "A", "T"),
    ("qianbian", "7 LJ LJ BJ BJ", "bomb", "7", "7 7 7 7"),
    ("qianbian", "5555 6666 LJ LJ BJ BJ", "chain", "7", "7 7 7 7"),
    ("qianbian", "5555 7777 LJ LJ BJ BJ", "chain", "7", "6 6 6 6"),
    ("qianbian", "555555 6666 7777 LJ LJ BJ", "chain", "7", "5 5 7"),
    ("qianbian", "5555 66666666 77777777 BJ LJ", "chain", "7", "5 5"),
    ("huopin", "55555 6666 7777 BJ BJ", "chain", "7", "6 7"),
]


@pytest.mark.parametrize(("ruleset_id", "cards", "pattern", "rank", "stood_for"), WILD)
def test_c3_4_wildcards(ruleset_id: str, cards: str, pattern: str | None, rank: str, stood_for: str) -> None:
    found = read(ruleset_id, cards)
    assert (found and found.pattern) == pattern
    if found:
        assert (found.rank, found.stands_for) == (rank, tuple(stood_for.split()))


def test_c3_6_answering_takes_the_strongest_reading_that_beats() -> None:
    """Kings, aces and two wildcards answer a pair run as a pair run, a triple run as a triple run."""
    answers = [read("jinbao", "KK AA BJ BJ", lead) for lead in ("JJ QQ KK", "QQQ KKK", "3333", "JJJ QQQ KKK")]
    assert [answer and answer.pattern for answer in answers] == ["pair_run", "triple_run", None, None]


def test_c3_7_equal_top_rank_goes_by_the_list() -> None:
    """Led, the same cards are a triple run: both runs end at the ace, and it is later in the list."""
    readings = tables("jinbao").readings(counts_of_ranks(spell("KK AA BJ BJ")))
    assert [(reading.pattern, reading.rank) for reading in readings] == [("triple_run", "A"), ("pair_run", "A")]


def test_c3_7_of_equally_strong_chains_the_one_of_fewer_groups_holds() -> None:
    """Three groups with all four wildcards, or four groups of which one is wild: both have 11 stars and end at the ace."""
    found = read("qianbian", "QQQQQQQ KKKK AAAA LJ LJ BJ BJ")
    assert found is not None
    assert (found.groups, found.stars, found.stands_for) == (3, 11, ("A",) * 4)


BEATING = [
    ("all", "4", "3", True),
    ("all", "3", "3", False),
    ("all", "BJ", "LJ", True),
    ("all", "LJ LJ", "22", True),
    ("all", "BJ BJ", "LJ LJ", True),
    ("all", "34567", "3", False),
    ("all", "45678", "34567", True),
    ("all", "456789", "34567", False),
    ("all", "3333", "BJ BJ", True),
    ("all", "33333", "2222", True),
    ("all", "4444", "3333", True),
    ("all", "LJ LJ BJ BJ", "2222222", True),
    ("basic jinbao", "LJ LJ BJ BJ", "22222222", True),
    ("jj huopin qianbian", "LJ LJ BJ BJ", "22222222", False),
    ("jj huopin qianbian", "LJ LJ BJ BJ", "3333 4444 5555", True),
    ("jinbao", "444 33", "333 55", True),
    ("jinbao", "333 55", "444 33", False),
    ("jinbao", "LJ LJ BJ", "22222", True),
    ("jinbao", "LJ LJ BJ", "333333", False),
    ("jinbao", "333333", "LJ LJ BJ", True),
    ("jj huopin qianbian", "LJ LJ BJ", "22222", True),
    ("jj huopin qianbian", "333333", "LJ LJ BJ", True),
    ("jj huopin qianbian", "3333333", "3333 4444 5555", True),
    ("jj huopin qianbian", "3333 4444 5555", "AAAAAA", True),
    ("jj huopin qianbian", "4444 5555 6666", "3333 4444 5555", True),
    ("jj huopin qianbian", "33333 44444 55555", "3333 4444 5555 6666", True),
    ("jj huopin qianbian", "3333 4444 5555 6666", "33333333", False),
    ("qianbian", "33333 4444 5555", "44444 55555 66666", True),
]


@pytest.mark.parametrize(("where", "play", "lead", "wins"), BEATING)
def test_c4_beating(where: str, play: str, lead: str, wins: bool) -> None:
    for ruleset_id in IDS if where == "all" else where.split():
        assert (read(ruleset_id, play, lead) is not None) == wins, ruleset_id


def test_c1_counts_refuse_what_two_packs_do_not_hold() -> None:
    with pytest.raises(Unreadable, match="9 cards of rank 7"):
        counts_of_ranks(["7"] * 9)
    with pytest.raises(Unreadable, match="40 cards of rank 3"):
        counts_of_ranks(["3"] * 40)
    with pytest.raises(Unreadable, match="3 cards of rank BJ"):
        counts_of(["BJ"] * 3)
    with pytest.raises(Unreadable, match="'1S' is not a card"):
        counts_of(["1S"])
    with pytest.raises(Unreadable, match="lack 7"):
        pick(["7S"], counts_of(["7S", "7H"]))


def test_rulesets_are_found_by_id_and_version() -> None:
    assert [ruleset.id for ruleset in all_rulesets()] == ["basic", "jj", "huopin", "qianbian", "jinbao"]
    assert get("jj", 1) is get("jj")
    with pytest.raises(UnknownRuleset, match="no climbing ruleset 'poker'; there are basic, jj, "):
        get("poker")
    with pytest.raises(UnknownRuleset, match="jj@7"):
        get("jj", 7)
