"""The written rules and the code name the same clauses."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
CLAUSE = re.compile(r"\bT[1-8]\.\d\b")
RULES = (ROOT / "docs" / "rules" / "trumps.md").read_text(encoding="utf-8")
WRITTEN = re.findall(r"^- \*\*(T[1-8]\.\d)\*\*", RULES, re.MULTILINE)


def test_clauses_are_written_once_and_in_order() -> None:
    assert sorted(set(WRITTEN)) == WRITTEN


def test_every_clause_that_the_code_names_is_written() -> None:
    named = {
        clause
        for path in (ROOT / "domain" / "trumps").glob("*.py")
        for clause in CLAUSE.findall(path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= set(WRITTEN)
