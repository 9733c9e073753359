"""The rulesets as data that a person or a program can read: each field with its clause, its name in both languages, and its value."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import orjson

from domain.climbing.ruleset import Ruleset
from domain.hands import AnyRuleset, all_rulesets


@cache
def rulesets() -> bytes:
    """All rulesets as JSON."""
    return orjson.dumps({"rulesets": [_ruleset(each) for each in all_rulesets()]}, default=str)


def _ruleset(ruleset: AnyRuleset) -> dict[str, Any]:
    said = [each for each in fields(ruleset) if "clause" in each.metadata]
    return {
        "id": ruleset.id,
        "version": ruleset.version,
        "family": "climbing" if isinstance(ruleset, Ruleset) else "trumps",
        "title_en": ruleset.title_en,
        "title_zh": ruleset.title_zh,
        "fields": [
            {
                "name": each.name,
                "clause": each.metadata["clause"],
                "en": each.metadata["en"],
                "zh": each.metadata["zh"],
                "value": _value(getattr(ruleset, each.name)),
                "house": each.name in ruleset.house,
            }
            for each in said
        ],
    }


def _value(value: Any) -> Any:
    """A part of a ruleset as JSON; which kind of rule it is goes with it."""
    if is_dataclass(value):
        return {
            "kind": type(value).__name__,
            **{each.name: _value(getattr(value, each.name)) for each in fields(value)},
        }
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    return value
