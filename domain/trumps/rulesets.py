"""The rulesets of the trump family. A new variant is one more object here; a released version is never edited."""

from typing import Final

from domain.trumps.ruleset import ResultTable, Row, TrumpsRuleset
from schemas.text import quoted

NINGXIA: Final = TrumpsRuleset(
    id="ningxia",
    version=1,
    title_zh="宁夏双扣",
    title_en="Ningxia Shuangkou",
    house=(
        "match_end",
        "turned_ranks",
        "no_trump_is_final",
        "forced_lead_tie",
        "least_points",
        "results",
        "escape_declares_again",
    ),
    results=ResultTable(
        rows=(Row(0, 3, 6), Row(5, 2, 4), Row(40, 1, 2), Row(80, 0, 0), Row(120, 1, -2), Row(160, 2, -4)),
        take_over=80,
        step=40,
        step_each=2,
    ),
)

_ALL: Final = (NINGXIA,)
_BY_NAME: Final = {(ruleset.id, ruleset.version): ruleset for ruleset in _ALL}
_NEWEST: Final = {ruleset.id: ruleset for ruleset in sorted(_ALL, key=lambda ruleset: ruleset.version)}


class UnknownRuleset(LookupError):
    """No ruleset has this id or version. The message lists those there are."""


def all_rulesets() -> tuple[TrumpsRuleset, ...]:
    """Every ruleset in every version."""
    return _ALL


def get(ruleset_id: str, version: int | None = None) -> TrumpsRuleset:
    """The ruleset with this id: the given version, by default the newest. Raises UnknownRuleset."""
    found = _NEWEST.get(ruleset_id) if version is None else _BY_NAME.get((ruleset_id, version))
    if found is None:
        asked = ruleset_id if version is None else f"{ruleset_id}@{version}"
        known = ", ".join(_NEWEST if version is None else (f"{ruleset.id}@{ruleset.version}" for ruleset in _ALL))
        raise UnknownRuleset(f"no trumps ruleset {quoted(asked)}; there are {known}")
    return found
