"""The written rules and the code name the same clauses."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from domain.climbing.ruleset import Ruleset
from domain.climbing.rulesets import all_rulesets

ROOT = Path(__file__).parents[3]
RULES = (ROOT / "docs" / "rules" / "climbing.md").read_text(encoding="utf-8")
WRITTEN = re.findall(r"^- \*\*(C[1-7]\.\d)\*\*", RULES, re.MULTILINE)
SECTIONS = re.findall(r"^## (C[1-7]) ", RULES, re.MULTILINE)
CLAUSE = re.compile(r"\bC\d(?:\.\d)?\b")
SPOKEN_OF = ("schemas", "domain", "projections", "services")


def test_clauses_are_written_once_and_in_order() -> None:
    assert SECTIONS == ["C1", "C2", "C3", "C4", "C5", "C6", "C7"]
    assert sorted(set(WRITTEN)) == WRITTEN


def test_every_clause_that_the_code_names_is_written() -> None:
    named = {
        clause
        for room in SPOKEN_OF
        for path in (ROOT / room).rglob("*.py")
        for clause in CLAUSE.findall(path.read_text(encoding="utf-8"))
    }
    assert {"C2", "C3.7", "C4.7", "C6.4"} <= named
    assert named <= {*WRITTEN, *SECTIONS}


@pytest.mark.parametrize("ruleset", all_rulesets(), ids=lambda ruleset: ruleset.id)
def test_every_house_choice_is_a_field_and_marked_in_the_rules(ruleset: Ruleset) -> None:
    clause_of = {field.name: field.metadata.get("clause") for field in fields(Ruleset)}
    for name in ruleset.house:
        clause = clause_of[name]
        assert clause, name
        paragraph = RULES.split(f"**{clause}**", 1)[1].split("\n- **C", 1)[0]
        assert "[house]" in paragraph, f"{name}: {clause} does not say that it is a house choice"
