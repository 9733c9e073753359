"""What others wrote, in a line of ours."""

import pytest

from schemas.notation import Unreadable
from schemas.text import MOST_QUOTED, is_name, printable, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ann 博文", "ann 博文"),
        ("x\n✓ match.ndjson", "x\\n✓ match.ndjson"),
        ("\x1b[2J\r\t\x00", "\\x1b[2J\\r\\t\\x00"),
        ("\u202eann\u2028", "\\u202eann\\u2028"),
        ("\u009b31m", "\\x9b31m"),
    ],
)
def test_what_does_not_print_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert str(Unreadable(f"player: {text}")) == f"player: {shown}"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("ann", True),
        ("博文 2", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("", False),
        (" ", False),
        (" ann", False),
        ("a\nb", False),
        ("a\u202eb", False),
        ("e\u0301", False),
    ],
)
def test_names(text: str, fits: bool) -> None:
    assert is_name(text, 64) is fits


@pytest.mark.parametrize("value", ["x" * 3_000_000, ["x"] * 100_000, {"x": 10**4000}])
def test_of_what_is_long_the_beginning_is_quoted(value: object) -> None:
    assert len(quoted(value)) == MOST_QUOTED
    assert quoted(value).endswith("…")


def test_what_is_short_is_quoted_whole() -> None:
    assert quoted("3X") == "'3X'"
    assert quoted(None) == "None"
