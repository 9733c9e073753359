"""Text that came from somebody else, made fit to be shown in a line of ours."""


def printable(text: str) -> str:
    """The text with an escape (`\\x1b`, `\\n`, `\\u202e`) for each character that does not print.

    So what a stranger wrote into a file can neither move the cursor, nor end the line, nor turn the direction of writing.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
