"""What the rules say no to. A refusal leaves no event; an unreadable input is not a refusal but `Unreadable`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which rule said no.

    `rule` is a stable name that programs may rely on, `clause` where the rules say so (C5.6; empty for the order of a table rather than of
    the game), `en` and `zh` the same in words for people.
    """

    rule: str
    clause: str
    en: str
    zh: str

    def __str__(self) -> str:
        where = f" [{self.clause}]" if self.clause else ""
        return f"{self.zh} {self.en}{where}"


class Refused(Exception):
    """A command that a rule refused; nothing happened. `refusal` says which rule."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
