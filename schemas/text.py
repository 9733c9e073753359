"""Text that came from somebody else: whether it is a name, and how it is made fit to be shown in a line of ours."""

from unicodedata import normalize


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
