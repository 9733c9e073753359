"""The rulesets of the climbing family. A new variant is one file here and its line in `_ALL`; a released version is never edited."""

from typing import Final

from domain.climbing.ruleset import Ruleset
from domain.climbing.rulesets.basic import BASIC
from domain.climbing.rulesets.huopin import HUOPIN
from domain.climbing.rulesets.jinbao import JINBAO
from domain.climbing.rulesets.jj import JJ
from domain.climbing.rulesets.qianbian import QIANBIAN

_ALL: Final = (BASIC, JJ, HUOPIN, QIANBIAN, JINBAO)
_BY_NAME: Final = {(ruleset.id, ruleset.version): ruleset for ruleset in _ALL}
_NEWEST: Final = {ruleset.id: ruleset for ruleset in sorted(_ALL, key=lambda ruleset: ruleset.version)}


class UnknownRuleset(LookupError):
    """No ruleset has this id or version. The message lists those there are."""


def all_rulesets() -> tuple[Ruleset, ...]:
    """Every ruleset in every version, in the order in which the rules introduce them."""
    return _ALL


def get(ruleset_id: str, version: int | None = None) -> Ruleset:
    """The ruleset with this id: the given version, by default the newest. Raises UnknownRuleset."""
    found = _NEWEST.get(ruleset_id) if version is None else _BY_NAME.get((ruleset_id, version))
    if found is None:
        asked = ruleset_id if version is None else f"{ruleset_id}@{version}"
        known = ", ".join(_NEWEST if version is None else (f"{ruleset.id}@{ruleset.version}" for ruleset in _ALL))
        raise UnknownRuleset(f"no climbing ruleset {asked!r}; there are {known}")
    return found
