"""Whole matches for tests, as the stream would hold them."""

from functools import cache

from domain.simulate import simulate


@cache
def interleaved() -> tuple[tuple[int, bytes], ...]:
    """A stream of six matches that were played at the same time, one of each ruleset: sequences from 1 and lines."""
    from domain.hands import all_rulesets

    matches = [
        [recorded.line for recorded in simulate(ruleset.id, 1, f"stream {ruleset.id}")] for ruleset in all_rulesets()
    ]
    turns = sorted(
        (index / len(match), number, index) for number, match in enumerate(matches) for index in range(len(match))
    )
    return tuple(enumerate((matches[number][index] for _, number, index in turns), start=1))
