"""The pages have words for everything that can happen."""

from pathlib import Path
from typing import get_args

from schemas.readings import Pattern
from schemas.registry import EVENTS, kind_of

WORDS = (Path(__file__).parent.parent.parent / "services" / "web" / "static" / "words.js").read_text()


def test_every_event_of_a_table_and_every_pattern_has_words() -> None:
    missing = [event.TYPE for event in EVENTS.values() if kind_of(event) == "tables" and event.TYPE not in WORDS]
    missing += [pattern for pattern in get_args(Pattern) if pattern not in WORDS]
    assert missing == []
