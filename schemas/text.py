"""Text that came from somebody else: whether it is a name, and how it is made fit to be shown in a line of ours."""

from typing import Final
from unicodedata import normalize

MOST_QUOTED: Final = 80
"""Characters of a value that a message quotes at most."""


def is_name(text: str, most: int) -> bool:
    """Whether this is a name: 1 to `most` printable characters in NFC, no spaces around it."""
    return 0 < len(text) <= most and text.isprintable() and text == normalize("NFC", text.strip())


def printable(text: str) -> str:
    """The text with an escape (`\\x1b`, `\\n`, `\\u202e`) for each character that does not print.

    So what a stranger wrote into a file can neither move the cursor, nor end the line, nor turn the direction of writing.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def shortened(text: str, most: int = MOST_QUOTED) -> str:
    """A text of at most so many characters, with an ellipsis where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def quoted(value: object) -> str:
    """A value from anywhere as a message quotes it: of a long one the beginning."""
    try:
        return shortened(repr(value[: MOST_QUOTED + 1] if isinstance(value, str) else value))
    except RecursionError:
        return "what is nested so deeply"
