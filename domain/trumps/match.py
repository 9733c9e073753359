"""From hand to hand: levels, who declares, and the end of a match (T1)."""

from dataclasses import dataclass, replace

from domain.seats import next_seat, partner_of, side_of
from domain.trumps.ruleset import LEVELS, TrumpsRuleset
from domain.trumps.scoring import Result
from schemas.notation import Unreadable
from schemas.text import quoted


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stands between hands.

    `levels` of side 0 (seats 0 and 2) and side 1; `declarer` of the next hand, None when its declarations decide (T1.5); `won` the side
    that won the match, None while it goes on.
    """

    levels: tuple[str, str]
    declarer: int | None = None
    won: int | None = None

    @property
    def level(self) -> str:
        """The level rank of the next hand: the level of the declaring side (T1.1). Both sides start alike."""
        return self.levels[0 if self.declarer is None else side_of(self.declarer)]


def start(ruleset: TrumpsRuleset, level: str | None = None) -> Standing:
    """A match before its first hand; `level` where the table starts at another one than the ruleset (T1.3).

    Raises Unreadable for what is no level, or one at which the match would be over.
    """
    level = ruleset.start_level if level is None else level
    if level not in LEVELS:
        raise Unreadable(f"level: {quoted(level)} is not a level; levels: {' '.join(LEVELS)}")
    if ruleset.match_end == "reach_A" and level == LEVELS[-1]:
        raise Unreadable("level: who reaches A has won, so a match cannot start there")
    return Standing((level, level))


def raised(level: str, steps: int) -> str:
    """The level so many steps on; none is above A (T7.5)."""
    return LEVELS[min(LEVELS.index(level) + steps, len(LEVELS) - 1)]


def next_declarer(declarer: int, take_over: bool) -> int:
    """Who declares after a hand: the partner of a declarer who kept it, otherwise the next seat (T1.6)."""
    return next_seat(declarer) if take_over else partner_of(declarer)


def after_hand(ruleset: TrumpsRuleset, standing: Standing, declarer: int, result: Result) -> Standing:
    """The standing after a scored hand of this declarer."""
    side = side_of(declarer)
    levels = list(standing.levels)
    levels[side] = raised(levels[side], result.levels.declarers)
    levels[1 - side] = raised(levels[1 - side], result.levels.attackers)
    won = _won(ruleset, standing, side, (levels[0], levels[1]), result.take_over)
    return Standing((levels[0], levels[1]), next_declarer(declarer, result.take_over), won)


def _won(ruleset: TrumpsRuleset, before: Standing, side: int, levels: tuple[str, str], take_over: bool) -> int | None:
    top = LEVELS[-1]
    if ruleset.match_end == "defend_A":
        return side if before.levels[side] == top and not take_over else None
    return next((each for each in (side, 1 - side) if levels[each] == top), None)


def after_escape(ruleset: TrumpsRuleset, standing: Standing, declarer: int | None) -> Standing:
    """The standing after a void hand: levels stay; the same declarer again, or the seat after where the ruleset says so (T8.6)."""
    if declarer is None or ruleset.escape_declares_again:
        return replace(standing, declarer=declarer)
    return replace(standing, declarer=next_seat(declarer))
