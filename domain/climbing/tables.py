"""The rules of a ruleset compiled to tables: what rank counts read as, and what can be played out of a holding.

Legality, options, hints and audit all ask these tables, so they cannot disagree. They fill as they are asked, because a game uses a
small part of what two packs could form; what is dropped when a table is full is only compiled again.
"""

from dataclasses import replace
from functools import cache
from typing import Final, Literal

from domain.cards import RANK_INDEX, Counts
from domain.climbing.options import Option, OptionTables, cost
from domain.climbing.reading import example_of, readings_of
from domain.climbing.ruleset import Ruleset
from domain.climbing.strength import beats
from schemas.readings import Reading

_MOST_READINGS: Final = 50_000
"""So many entries of a reading table take about 25 MB."""


class Tables:
    """The compiled rules of one ruleset. Get them from `tables_for`, which keeps one for each ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset: Final = ruleset
        self._readings: Final[dict[Counts, tuple[Reading, ...]]] = {}
        self._options: Final = OptionTables(ruleset)

    def readings(self, counts: Counts) -> tuple[Reading, ...]:
        """Every reading of these cards, strongest first by leading precedence (C3.7); empty when they form no pattern."""
        found = self._readings.get(counts)
        if found is None:
            if len(self._readings) >= _MOST_READINGS:
                self._readings.clear()
            found = self._readings[counts] = readings_of(self.ruleset, counts)
        return found

    def is_reading(self, reading: Reading) -> bool:
        """Whether some cards can have this reading by this ruleset, whatever its wildcards stand for."""
        found = readings_of(self.ruleset, example_of(reading))
        return any(replace(each, stands_for=reading.stands_for) == reading for each in found)

    def read(self, counts: Counts, lead: Reading | None) -> Reading | None:
        """The reading that holds: the strongest that beats the lead, or the strongest of all when leading. None: the play is refused."""
        readings = self.readings(counts)
        if not readings:
            return None
        strongest = readings[0]
        if lead is None:
            return strongest
        if strongest.is_bomb:
            # A lead that the strongest bomb does not beat is a bomb itself, and nothing weaker beats it.
            return strongest if beats(self.ruleset, strongest, lead) else None
        top = RANK_INDEX[lead.rank]
        for reading in readings:
            if (
                reading.pattern == lead.pattern
                and reading.cards == lead.cards
                and reading.groups == lead.groups
                and RANK_INDEX[reading.rank] > top
            ):
                return reading
        return None

    def read_reason(self, counts: Counts, lead: Reading | None) -> Literal["no_pattern", "does_not_beat"] | None:
        """Why a play is refused (C3, C4); None when it is allowed."""
        if not self.readings(counts):
            return "no_pattern"
        return "does_not_beat" if self.read(counts, lead) is None else None

    def options(self, holding: Counts, lead: Reading | None) -> list[Option]:
        """Every distinct set of ranks out of the holding that is a legal play, once each, weakest first; passing is not listed."""
        return self._options.options(holding, lead)

    def hints(self, holding: Counts, lead: Reading | None) -> list[Option]:
        """The options in the order in which a player wants them: weakest first, bombs and wildcards spared, bombs not broken."""
        return sorted(self.options(holding, lead), key=lambda option: cost(self.ruleset, holding, option))


@cache
def tables_for(ruleset: Ruleset) -> Tables:
    """The tables of a ruleset; the same object every time."""
    return Tables(ruleset)
