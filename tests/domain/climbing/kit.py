"""What tests of the climbing rules share: readings in short, plays by rank, Hypothesis strategies rich in wildcards."""

from hypothesis import strategies as st

from domain.cards import counts_of_ranks
from domain.climbing import rulesets
from domain.climbing.tables import Tables, tables_for
from schemas.notation import RANKS
from schemas.readings import Reading

IDS = tuple(ruleset.id for ruleset in rulesets.all_rulesets())


def tables(ruleset_id: str) -> Tables:
    return tables_for(rulesets.get(ruleset_id))


def spell(text: str) -> tuple[str, ...]:
    """`"7777 88888 BJ LJ"` as ranks."""
    return tuple(part for word in text.split() for part in ([word] if word in ("LJ", "BJ") else word))


def read(ruleset_id: str, text: str, lead: str | None = None) -> Reading | None:
    """What cards count as, against the reading of a lead if there is one."""
    engine = tables(ruleset_id)
    against = engine.read(counts_of_ranks(spell(lead)), None) if lead else None
    assert against is not None or lead is None, f"{lead} is no play"
    return engine.read(counts_of_ranks(spell(text)), against)


def short(reading: Reading) -> tuple[str, str, int, int, int]:
    """A reading without what its wildcards stood for."""
    return (reading.pattern, reading.rank, reading.cards, reading.groups, reading.stars)


JOKERS = st.tuples(st.integers(0, 2), st.integers(0, 2)).map(lambda held: ["LJ"] * held[0] + ["BJ"] * held[1])


@st.composite
def plays(draw: st.DrawFn) -> tuple[str, ...]:
    """Ranks that have a fair chance to be a play: a run of groups of about one size, cards taken away, jokers put in."""
    jokers = draw(JOKERS)
    if draw(st.booleans()):
        ranks = draw(st.lists(st.sampled_from(RANKS[:13]), max_size=8))
    else:
        bottom, groups, each = draw(st.integers(0, 12)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
        sizes = [max(0, each + draw(st.sampled_from((0, 0, 0, 1, -1, -2)))) for _ in range(groups)]
        ranks = [rank for rank, number in zip(RANKS[bottom:13], sizes, strict=False) for _ in range(number)]
    ranks = [rank for rank in RANKS[:13] for _ in range(min(8, ranks.count(rank)))]
    return tuple(draw(st.permutations([*ranks, *jokers])))
