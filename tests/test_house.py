"""House rules that no linter knows: who may be asked what, and that our names are ours."""

import ast
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

from domain.climbing.rulesets import all_rulesets

ROOT = Path(__file__).parent.parent
ROOMS = ("schemas", "domain", "projections", "services", "ops")
CLOCKS = ("now", "utcnow", "today", "time", "monotonic", "urandom", "token_hex", "uuid4")


def trees(*folders: str) -> Iterator[tuple[Path, ast.AST]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text())


def test_the_game_asks_no_clock_and_no_chance() -> None:
    """Time, randomness and ids are passed in, so that a match can be replayed into the same bytes."""
    asked = [
        f"{path}:{node.lineno}"
        for path, tree in trees("schemas", "domain")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS
    ]
    assert asked == []


def test_no_code_asks_a_ruleset_by_its_name() -> None:
    """A ruleset is data: its id appears where it is defined, and nowhere else in the code."""
    ids = {ruleset.id for ruleset in all_rulesets()}
    named = [
        f"{path}:{node.lineno}"
        for path, tree in trees("schemas", "domain", "projections", "services")
        if "rulesets" not in path.parts
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for each in (node.left, *node.comparators)
        if isinstance(each, ast.Constant) and each.value in ids
    ]
    assert named == []


def test_no_installed_distribution_claims_a_name_of_ours() -> None:
    """The rooms are plain top-level packages; another distribution with one of their names would win over ours."""
    owners = importlib.metadata.packages_distributions()
    assert {room: set(owners.get(room, ["shuangkou"])) for room in ROOMS} == {room: {"shuangkou"} for room in ROOMS}
