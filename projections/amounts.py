"""Amounts of the books: exact decimals, held as whole numbers of 1/10,000 (ADR 0010).

Whole numbers add up exactly in every database and in any order; binary fractions do not, and SQLite has no decimals.
"""

from decimal import Decimal
from typing import Final, Literal, get_args

SCALE: Final = 10_000
"""So many of what is stored make one point, or one coin."""

MOST_STORED: Final = 2**63 - 1
"""No stored amount is greater, as databases have no larger whole numbers."""

Unit = Literal["points", "coins"]
"""What an amount is of: game points, or game coins (C6.6). They are never added together."""
UNITS: Final[tuple[Unit, ...]] = get_args(Unit)


def scaled(amount: int | str | Decimal) -> int:
    """An amount as it is stored. Raises ValueError for what is no whole number of 1/10,000."""
    exact = Decimal(amount) * SCALE
    if exact != exact.to_integral_value():
        raise ValueError(f"{amount} is no whole number of 1/{SCALE}")
    return int(exact)


def decimal(stored: int) -> Decimal:
    """A stored amount as a decimal without needless zeros."""
    return Decimal(stored) / SCALE


def plain(stored: int) -> int | str:
    """A stored amount as JSON gives it: a whole number where it is one, else decimal text such as `-37.5`."""
    whole, rest = divmod(stored, SCALE)
    return whole if rest == 0 else format(decimal(stored).normalize(), "f")
