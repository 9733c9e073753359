"""One digest a ruleset over a large part of its tables: a rule that changes unnoticed changes it.

A released ruleset never changes: when a digest does, either the change is a mistake or it is a new version of the ruleset.
To write the digests of new rulesets: `python -m tests.domain.climbing.test_tables_digest`.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.cards import counts_of_ranks, ranks_text
from domain.climbing.ruleset import Ruleset
from domain.climbing.rulesets import all_rulesets
from domain.climbing.tables import tables_for

DIGESTS = Path(__file__).parents[2] / "golden" / "tables.sha256"

RENEW = "python -m tests.domain.climbing.test_tables_digest"

HOLDINGS = (
    [rank for rank in "3456789TJQKA2" for _ in range(2)] + ["LJ", "BJ"],
    [rank for rank in "789TJ" for _ in range(5)] + ["LJ", "BJ"],
    [rank for rank in "JQKA2" for _ in range(3)] + ["LJ", "LJ", "BJ", "BJ"],
    [rank for rank in "3A2" for _ in range(8)] + ["BJ"],
    [rank for rank in "QKA" for _ in range(6)] + ["LJ", "BJ", "BJ"],
)
"""Holdings that between them hold every pattern, every joker bomb, and windows at both ends of the ranks."""


def lines(ruleset: Ruleset) -> Iterator[str]:
    for holding in HOLDINGS:
        for counts, reading in tables_for(ruleset).options(counts_of_ranks(holding), None):
            numbers = f"{reading.cards} {reading.groups} {reading.stars}"
            yield f"{ranks_text(counts)}: {reading.pattern} {reading.rank} {numbers} {' '.join(reading.stands_for)}\n"


def digest(ruleset: Ruleset) -> str:
    return hashlib.sha256("".join(lines(ruleset)).encode()).hexdigest()


@pytest.mark.parametrize("ruleset", all_rulesets(), ids=lambda ruleset: ruleset.id)
def test_tables_are_what_they_were(ruleset: Ruleset) -> None:
    known = dict(line.split("  ")[::-1] for line in DIGESTS.read_text().splitlines())
    name = f"{ruleset.id}@{ruleset.version}"
    assert digest(ruleset) == known.get(name), (
        f"the tables of {name} are not what they were. A released ruleset never changes: repair the engine, or make a new version. "
        f"Only for a new ruleset, write its digest: {RENEW}"
    )


if __name__ == "__main__":
    DIGESTS.write_text("".join(f"{digest(ruleset)}  {ruleset.id}@{ruleset.version}\n" for ruleset in all_rulesets()))
