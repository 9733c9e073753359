"""The published vectors, through the same filter that other programs use."""

import json
from pathlib import Path

import pytest

from services.cli.rules import answer

VECTORS = Path(__file__).parents[2] / "golden" / "vectors"


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


@pytest.mark.parametrize("line", lines("read.jsonl"), ids=lambda line: f"{line['ruleset']} {line['ranks']}")
def test_read(line: dict[str, object]) -> None:
    expected = line.pop("expect")
    got = json.loads(answer(json.dumps(line).encode(), None))
    reading = got.get("reading")
    if reading:
        reading.pop("stands_for")
    assert got["legal"] == (expected is not None)
    assert reading == expected


@pytest.mark.parametrize("line", lines("settle.jsonl"), ids=lambda line: f"{line['ruleset']} {line['finish']}")
def test_settle(line: dict[str, object]) -> None:
    expected = line.pop("expect")
    got = json.loads(answer(json.dumps(line).encode(), None))
    assert got.pop("why")
    assert got == expected
