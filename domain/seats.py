"""Seats and sides: play passes 0, 1, 2, 3; seats 0 and 2 are partners, 1 and 3 are (C1)."""

from typing import Final

SEATS: Final = (0, 1, 2, 3)


def next_seat(seat: int) -> int:
    """The seat that plays after this one."""
    return (seat + 1) % 4


def partner_of(seat: int) -> int:
    """The seat opposite."""
    return (seat + 2) % 4


def side_of(seat: int) -> int:
    """0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat % 2
