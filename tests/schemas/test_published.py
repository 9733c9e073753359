"""What other programs rely on: the generated schemas are current, and every event ever published still reads."""

from pathlib import Path

import pytest

from ops.generate import FOLDER, documents
from schemas.envelope import check_line
from schemas.events import type_name
from schemas.registry import EVENTS, kind_of

SAMPLES = Path(__file__).parent.parent / "golden" / "events"


def test_the_generated_schemas_are_those_of_the_models() -> None:
    """If this fails, run `make schemas` and commit what it writes."""
    assert {path.name: path.read_text() for path in FOLDER.glob("*.json")} == documents()


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_published_event_has_a_sample_that_reads_for_ever(name: str) -> None:
    line = (SAMPLES / f"{name}.json").read_bytes().rstrip(b"\n")
    recorded = check_line(line, kind_of(EVENTS[name]))
    assert type_name(type(recorded.event)) == name
